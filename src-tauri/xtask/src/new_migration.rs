//! `cargo xtask new-migration`: creates the next migration and freezes the earlier ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::tidy::{Migration, SHIPPED, compute_checksum, read_shipped, shipped_file};

pub(crate) fn run(root: &Path, what: &str) -> bool {
    match create_migration(root, what) {
        Ok(path) => {
            eprintln!("wrote {path}; the migrations before it are frozen in {SHIPPED}");
            true
        }
        Err(why) => {
            eprintln!("cargo xtask new-migration: {why}");
            false
        }
    }
}

/// Creates the migration and returns its path from the top of the repository.
fn create_migration(root: &Path, what: &str) -> Result<String, String> {
    let folder = root.join("migrations");
    let list = root.join(SHIPPED);
    let there = read_folder(&folder)?;
    let last = there.keys().filter_map(|name| Migration::parse(name)).map(|migration| migration.number).max();
    let next = Migration { number: last.unwrap_or(0) + 1, what: what.to_owned() };
    if Migration::parse(&next.file_name()).is_none() {
        return Err(format!(
            "`{what}` is no name for a migration; use small letters, digits and _, as in `contacts_by_name`"
        ));
    }

    // An existing line stays as it is. If a shipped migration was changed, tidy must still refuse it.
    let mut shipped = read_shipped(&fs::read_to_string(&list).unwrap_or_default());
    for (name, text) in &there {
        shipped.entry(name.clone()).or_insert_with(|| compute_checksum(text));
    }
    let path = format!("migrations/{}", next.file_name());
    fs::write(root.join(&path), format!("-- {}.\n", what.replace('_', " ")))
        .map_err(|why| format!("cannot write {path}: {why}"))?;
    fs::write(&list, shipped_file(&shipped)).map_err(|why| format!("cannot write {SHIPPED}: {why}"))?;
    Ok(path)
}

/// Returns the text of each migration in the folder, by file name.
fn read_folder(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let cannot = |why: std::io::Error| format!("cannot read {}: {why}", folder.display());
    let mut there = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if Migration::parse(&name).is_some() {
            there.insert(name, fs::read_to_string(entry.path()).map_err(cannot)?);
        }
    }
    Ok(there)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_repository() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("migrations")).unwrap();
        fs::create_dir_all(root.path().join("src-tauri/xtask")).unwrap();
        root
    }

    #[test]
    fn numbers_follow_and_earlier_ones_are_frozen() {
        let root = sample_repository();
        assert_eq!(create_migration(root.path(), "first").unwrap(), "migrations/V1__first.sql");
        assert_eq!(create_migration(root.path(), "second_one").unwrap(), "migrations/V2__second_one.sql");
        let shipped = read_shipped(&fs::read_to_string(root.path().join(SHIPPED)).unwrap());
        assert_eq!(shipped.keys().collect::<Vec<_>>(), ["V1__first.sql"]);
        assert_eq!(shipped["V1__first.sql"], compute_checksum("-- first.\n"));
    }

    #[test]
    fn a_changed_shipped_one_keeps_its_old_checksum() {
        let root = sample_repository();
        create_migration(root.path(), "first").unwrap();
        create_migration(root.path(), "second").unwrap();
        fs::write(root.path().join("migrations/V1__first.sql"), "changed").unwrap();
        create_migration(root.path(), "third").unwrap();
        let shipped = read_shipped(&fs::read_to_string(root.path().join(SHIPPED)).unwrap());
        assert_eq!(shipped["V1__first.sql"], compute_checksum("-- first.\n"));
    }

    #[test]
    fn a_poor_name_writes_nothing() {
        let root = sample_repository();
        for what in ["", "Add Names", "../x", "naïve"] {
            assert!(create_migration(root.path(), what).is_err(), "{what} was taken");
        }
        assert_eq!(fs::read_dir(root.path().join("migrations")).unwrap().count(), 0);
    }
}
