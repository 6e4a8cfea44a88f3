//! Checks that migrations are numbered without gaps and never changed once shipped.

use std::collections::BTreeMap;

use super::Finding;
use super::tree::SourceTree;

const FOLDER: &str = "migrations/";
/// The list of shipped migrations, with lines of the form `<checksum> <file name>`. Written by `cargo xtask
/// new-migration`.
pub(crate) const SHIPPED: &str = "src-tauri/xtask/shipped-migrations.txt";

/// The parts of a migration's file name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Migration {
    pub number: u32,
    pub what: String,
}

impl Migration {
    pub(crate) fn parse(file_name: &str) -> Option<Self> {
        let (number, what) = file_name.strip_prefix('V')?.strip_suffix(".sql")?.split_once("__")?;
        let number: u32 = number.parse().ok().filter(|parsed: &u32| *parsed > 0 && parsed.to_string() == number)?;
        is_name(what).then(|| Self { number, what: what.to_owned() })
    }

    pub(crate) fn file_name(&self) -> String {
        format!("V{}__{}.sql", self.number, self.what)
    }
}

fn is_name(what: &str) -> bool {
    what.starts_with(|first: char| first.is_ascii_lowercase())
        && what.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '_')
}

/// Returns the 64-bit FNV-1a hash. It detects an edit but does not stop an attacker.
pub(crate) fn compute_checksum(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

/// Returns the checksum of each file name in the list.
pub(crate) fn read_shipped(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(' ')).map(|(sum, name)| (name.trim().to_owned(), sum.to_owned())).collect()
}

/// Returns the text of the list.
pub(crate) fn shipped_file(shipped: &BTreeMap<String, String>) -> String {
    let mut rows: Vec<_> = shipped.iter().collect();
    rows.sort_by_key(|(name, _)| Migration::parse(name).map(|migration| migration.number));
    let rows: String = rows.into_iter().map(|(name, sum)| format!("{sum} {name}\n")).collect();
    format!("# Shipped migrations: never to be edited. Written by `cargo xtask new-migration`.\n{rows}")
}

pub(super) fn check(tree: &SourceTree) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut numbers: BTreeMap<u32, &str> = BTreeMap::new();
    for file in tree.files.iter().filter(|file| file.path.starts_with(FOLDER)) {
        let Some(migration) = Migration::parse(&file.path[FOLDER.len()..]) else {
            found.push(Finding::error(
                &file.path,
                "no name of a migration",
                "name it V<n>__<what>.sql, in small letters; nothing else stands in this folder",
            ));
            continue;
        };
        if let Some(other) = numbers.insert(migration.number, &file.path) {
            found.push(Finding::error(
                &file.path,
                format!("has the number of {other}"),
                "give the newer one the next free number",
            ));
        }
    }
    for (expected, (number, path)) in (1_u32..).zip(&numbers) {
        if expected != *number {
            found.push(Finding::error(
                *path,
                format!("number {expected} is missing before it"),
                "number migrations from 1 without gaps",
            ));
            break;
        }
    }
    let shipped = tree.get(SHIPPED).map(|file| read_shipped(&file.text)).unwrap_or_default();
    for (name, sum) in shipped {
        let path = format!("{FOLDER}{name}");
        match tree.get(&path) {
            Some(file) if compute_checksum(&file.text) == sum => {}
            Some(_) => found.push(Finding::error(
                path,
                "is shipped, and was changed",
                format!(
                    "take the change back and write the next migration (`cargo xtask new-migration <what>`); \
                     if it never left this branch, remove its line from {SHIPPED}"
                ),
            )),
            None => found.push(Finding::error(
                path,
                "is shipped, and is gone",
                "bring it back: files made by older versions need it",
            )),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::messages;
    use super::*;

    #[test]
    fn names_numbers_and_gaps_are_checked() {
        let findings = messages(
            check,
            &[
                ("migrations/V1__first.sql", ""),
                ("migrations/V1__other.sql", ""),
                ("migrations/V3__third.sql", ""),
                ("migrations/V04__fourth.sql", ""),
                ("migrations/notes.md", ""),
            ],
        );
        assert_eq!(
            findings,
            [
                "migrations/V04__fourth.sql: no name of a migration",
                "migrations/V1__other.sql: has the number of migrations/V1__first.sql",
                "migrations/notes.md: no name of a migration",
                "migrations/V3__third.sql: number 2 is missing before it",
            ]
        );
    }

    #[test]
    fn a_shipped_migration_stays_as_it_is() {
        let list = format!(
            "{} V1__first.sql\n{} V2__second.sql\n",
            compute_checksum("CREATE TABLE a(b);"),
            compute_checksum("x")
        );
        let findings = messages(check, &[(SHIPPED, &list), ("migrations/V1__first.sql", "CREATE TABLE a(c);")]);
        assert_eq!(
            findings,
            [
                "migrations/V1__first.sql: is shipped, and was changed",
                "migrations/V2__second.sql: is shipped, and is gone"
            ]
        );
    }

    #[test]
    fn the_list_is_read_as_it_is_written() {
        let shipped: BTreeMap<_, _> =
            [("V10__j.sql", "10"), ("V2__b.sql", "2")].map(|(name, sum)| (name.to_owned(), sum.to_owned())).into();
        let text = shipped_file(&shipped);
        assert_eq!(read_shipped(&text), shipped);
        assert!(text.find("V2__b").unwrap() < text.find("V10__j").unwrap());
    }

    #[test]
    fn the_checksum_is_fnv_1a() {
        assert_eq!(compute_checksum(""), "cbf29ce484222325");
        assert_eq!(compute_checksum("foobar"), "85944171f73967e8");
    }
}
