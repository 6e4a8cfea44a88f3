//! Reserves files for new accounts under names that are valid on every system, and recognises account files and contact
//! files by their extensions.

use std::{
    fs::{self, OpenOptions},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use roost_ops::account;

/// The name of the account file in earlier versions, which had only one account.
pub const ACCOUNT_FILE: &str = "account.roost";
pub const EXTENSION: &str = "roost";
/// The extensions of contact files.
pub const CONTACTS: &[&str] =
    &["csv", "tsv", "tab", "txt", "xlsx", "ods", "vcf", "vcard", "json", "jsonl", "ndjson", "gz", "zst", "zip"];

/// The maximum length of a file name without its extension, in characters.
const STEM_MAX: usize = 40;
/// The names that some systems reserve for devices.
const RESERVED: &[&str] = &["con", "prn", "aux", "nul"];
/// The suffixes of an account file, which is the empty one, and of the files that may accompany it.
const COMPANIONS: &[&str] = &["", "-wal", "-shm", "-journal", ".lock"];

pub(super) fn is_named_as_account(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION)
}

/// Returns whether the extension of a file is that of a contact file.
pub(super) fn is_of_contacts(path: &Path) -> bool {
    let ending = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    ending.is_some_and(|ending| CONTACTS.contains(&ending.as_str()))
}

/// Returns a file's name without its extension.
pub(super) fn account_stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the letters and digits of a name in lower case, with a dash for each run of other characters, shortened to
/// [`STEM_MAX`]. Avoids the names of devices.
fn file_stem_for(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let short: String = slug.chars().take(STEM_MAX).collect();
    let short = short.trim_matches('-');
    let is_device = RESERVED.contains(&short)
        || ["com", "lpt"].iter().any(|port| short.strip_prefix(port).is_some_and(|rest| rest.chars().count() == 1));
    match short {
        "" => "account".to_owned(),
        _ if is_device => format!("account-{short}"),
        _ => short.to_owned(),
    }
}

/// Creates an empty file for a new account, readable by its owner alone where the system supports that. Never uses an
/// existing file, nor a name whose companion files or copies exist: those of the new account would replace them.
pub(super) fn reserve_file(folder: &Path, name: &str) -> io::Result<PathBuf> {
    let slug = file_stem_for(name);
    for number in 1_u32.. {
        let tail = if number == 1 { String::new() } else { format!("-{number}") };
        let path = folder.join(format!("{slug}{tail}.{EXTENSION}"));
        if COMPANIONS.iter().any(|companion| path_beside(&path, companion).symlink_metadata().is_ok())
            || account::has_copies(&path)
        {
            continue;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(_) => return Ok(path),
            Err(why) if why.kind() == ErrorKind::AlreadyExists => {}
            Err(why) => return Err(why),
        }
    }
    Err(io::Error::other("there are too many accounts of that name"))
}

fn path_beside(path: &Path, companion: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(companion);
    PathBuf::from(name)
}

/// Removes the files of an account whose creation failed.
pub(super) fn discard_file(path: &Path) {
    for companion in COMPANIONS {
        let name = path_beside(path, companion);
        match fs::remove_file(&name) {
            Err(why) if why.kind() != ErrorKind::NotFound => {
                tracing::warn!(file = %name.display(), %why, "an unfinished account could not be removed");
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_account_is_begun_where_copies_of_another_lie() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("shop.roost.daily-20260105-090000.backup"), "").unwrap();
        assert!(reserve_file(folder.path(), "Shop").unwrap().ends_with("shop-2.roost"));
    }

    #[test]
    fn a_name_becomes_a_file_name_that_no_system_objects_to() {
        for (name, wanted) in [
            ("Corner Shop", "corner-shop"),
            ("  Büro / Nord  ", "büro-nord"),
            ("../../etc/passwd", "etc-passwd"),
            ("C:\\Windows", "c-windows"),
            (".hidden", "hidden"),
            ("🐦🐦", "account"),
            ("CON", "account-con"),
            ("com1", "account-com1"),
            ("Lpt9", "account-lpt9"),
            ("console", "console"),
            ("قائمة", "قائمة"),
            ("a.roost", "a-roost"),
        ] {
            assert_eq!(file_stem_for(name), wanted, "{name}");
        }
        assert_eq!(file_stem_for(&"x-".repeat(60)).chars().count(), STEM_MAX - 1, "cut, and no dash at the end");
        assert!(file_stem_for(&"ﷺ".repeat(60)).len() < 200);
    }

    #[test]
    fn a_file_that_is_there_is_never_taken() {
        let folder = tempfile::tempdir().unwrap();
        let made: Vec<_> = (0..3).map(|_| reserve_file(folder.path(), "Shop").unwrap()).collect();
        let names: Vec<_> = made.iter().map(|path| path.file_name().unwrap().to_string_lossy()).collect();
        assert_eq!(names, ["shop.roost", "shop-2.roost", "shop-3.roost"]);
        fs::write(folder.path().join("shop.roost.lock"), "").unwrap();
        discard_file(&made[0]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn no_account_is_begun_where_files_of_others_have_the_names_of_its_own() {
        for companion in ["-wal", "-shm", "-journal", ".lock"] {
            let folder = tempfile::tempdir().unwrap();
            let notes = folder.path().join(format!("shop.roost{companion}"));
            fs::write(&notes, "notes").unwrap();
            let made = reserve_file(folder.path(), "Shop").unwrap();
            discard_file(&made);
            assert!(made.ends_with("shop-2.roost"), "{companion}");
            assert_eq!(fs::read_to_string(&notes).unwrap(), "notes", "{companion}");
        }
    }
}
