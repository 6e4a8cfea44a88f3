//! Decides whether a path may be written as an output. An account, its companions and the inputs of a command are never
//! overwritten, however the path is spelled.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use super::{
    closed, copies,
    identity::{FileId, is_open_here},
    lock::HeldFile,
    whole_file::parent_folder,
};
use crate::error::StoreError;

/// Most symbolic links that are followed to one file, as on Linux.
const LINKS_MAX: usize = 40;
/// Suffixes that Roost and SQLite append to the name of an account.
const COMPANIONS: [&str; 6] = ["-wal", "-shm", "-journal", ".lock", ".key", ".imports"];
/// Follows the name of an account that was set aside, before the date.
const SET_ASIDE: &str = ".damaged-";

/// Whether an output may replace an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    Never,
    /// The person gave permission.
    Allowed,
}

/// The reason why a path is not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutputRefusal {
    #[error("{output} is the account {account}. Choose another file.", output = output.display(), account = account.display())]
    Account { output: PathBuf, account: PathBuf },
    #[error("{output} belongs to the account {account}. Choose another file.", output = output.display(), account = account.display())]
    Companion { output: PathBuf, account: PathBuf },
    #[error("{output} is the input {input}. Choose another file.", output = output.display(), input = input.display())]
    Input { output: PathBuf, input: PathBuf },
    #[error("{output} is an account that is open in another program. Choose another file.", output = output.display())]
    InUse { output: PathBuf },
    #[error("{output} is a folder. Name a file for the output.", output = output.display())]
    Folder { output: PathBuf },
    #[error("{output} already exists. Choose another file, or overwrite it with --force.", output = output.display())]
    Exists { output: PathBuf },
}

/// The files that no output may replace.
#[derive(Debug, Default)]
pub struct OutputGuard {
    accounts: Vec<GuardedPath>,
    inputs: Vec<GuardedPath>,
}

/// A path and the file it leads to, which may not exist yet.
#[derive(Debug)]
struct GuardedPath {
    given: PathBuf,
    id: Option<FileId>,
    /// The path without links and dots.
    path: PathBuf,
}

impl GuardedPath {
    fn new(given: &Path) -> Self {
        Self { given: given.to_owned(), id: FileId::from_path(given).ok(), path: resolve_links(given) }
    }

    /// Compares by device and inode, or by folder and name if either file does not exist yet. The case of the name is
    /// then ignored, because some file systems ignore it.
    fn is_same(&self, other: &Self) -> bool {
        match (&self.id, &other.id) {
            (Some(one), Some(other)) => one == other,
            _ => {
                parent_folder(&self.path) == parent_folder(&other.path)
                    && lower_case_name(&self.path) == lower_case_name(&other.path)
            }
        }
    }

    /// Returns whether this is one of the files that belong to the account, or is in its folder of imports.
    fn belongs_to(&self, account: &Self) -> bool {
        let names = [&account.path, &account.given].map(|path| (canonical_folder(path), lower_case_name(path)));
        let has_name = |path: &Path| {
            let folder = parent_folder(path);
            names
                .iter()
                .any(|(known_folder, account)| known_folder == folder && is_companion(account, &lower_case_name(path)))
        };
        if self.path.ancestors().any(has_name) {
            return true;
        }
        // A link may have any name, so it is also compared with each companion by the file it leads to.
        let is_companion = |entry: &fs::DirEntry| has_name(&entry.path());
        self.id.is_some()
            && names.iter().any(|(folder, _)| {
                let entries = fs::read_dir(folder).into_iter().flatten().flatten();
                entries.filter(is_companion).any(|entry| FileId::from_path(&entry.path()).ok() == self.id)
            })
    }
}

/// Returns the file name in lower case.
fn lower_case_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn canonical_folder(path: &Path) -> PathBuf {
    canonical_path(parent_folder(path))
}

/// Resolves the part of a path that exists and leaves the rest as written.
fn canonical_path(path: &Path) -> PathBuf {
    match (fs::canonicalize(path), path.parent()) {
        (Ok(found), _) => found,
        (Err(_), Some(_)) => match path.file_name() {
            Some(name) => canonical_folder(path).join(name),
            // The path ends in dots behind a folder that does not exist.
            None => canonical_folder(parent_folder(path)),
        },
        (Err(_), None) => path.to_owned(),
    }
}

/// Returns whether a path leads to a device or a pipe, which is written to rather than replaced.
pub fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// Returns the file that a path leads to, even through links to files that do not exist.
pub fn resolve_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        if let Ok(found) = fs::canonicalize(&path) {
            return found;
        }
        let Ok(target) = fs::read_link(&path) else { break };
        path = parent_folder(&path).join(target);
    }
    let name = path.file_name().map(OsStr::to_owned).unwrap_or_default();
    canonical_folder(&path).join(name)
}

/// Returns whether a file of this name belongs to the account of that name in the same folder. Both names are in lower
/// case.
fn is_companion(account: &str, name: &str) -> bool {
    let Some(rest) = name.strip_prefix(account) else { return false };
    COMPANIONS.contains(&rest) || rest.starts_with(SET_ASIDE) || copies::is_copy_name(account, name)
}

impl OutputGuard {
    /// Protects an account and its companions.
    pub fn protect_account(mut self, path: &Path) -> Self {
        self.accounts.push(GuardedPath::new(path));
        self
    }

    /// Protects a file that is read.
    pub fn protect_input(mut self, path: &Path) -> Self {
        self.inputs.push(GuardedPath::new(path));
        self
    }

    /// Checks whether this path may be written at all.
    pub fn check(&self, output: &Path) -> Result<(), OutputRefusal> {
        let place = GuardedPath::new(output);
        let output = output.to_owned();
        if let Some(account) = self.accounts.iter().find(|account| account.is_same(&place)) {
            return Err(OutputRefusal::Account { output, account: account.given.clone() });
        }
        if let Some(account) = self.accounts.iter().find(|account| place.belongs_to(account)) {
            return Err(OutputRefusal::Companion { output, account: account.given.clone() });
        }
        if let Some(input) = self.inputs.iter().find(|input| input.is_same(&place)) {
            return Err(OutputRefusal::Input { output, input: input.given.clone() });
        }
        if is_open_here(&output) {
            return Err(OutputRefusal::Account { account: place.path, output });
        }
        if let Some(account) = account_beside(&place.path).or_else(|| account_beside(&place.given)) {
            return Err(OutputRefusal::Companion { output, account });
        }
        if is_open_elsewhere(&output) {
            return Err(OutputRefusal::InUse { output });
        }
        Ok(())
    }

    /// Checks the output of a command, which cannot ask: an existing file is replaced only with permission.
    pub fn check_file(&self, output: &Path, overwrite: Overwrite) -> Result<(), OutputRefusal> {
        self.check(output)?;
        let output = output.to_owned();
        match output.symlink_metadata() {
            Ok(_) if output.is_dir() => Err(OutputRefusal::Folder { output }),
            Ok(_) if overwrite == Overwrite::Never && !is_device(&output) => Err(OutputRefusal::Exists { output }),
            _ => Ok(()),
        }
    }
}

/// Returns the account whose companion a file of this name is.
fn account_beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let mut accounts = COMPANIONS.iter().filter_map(|suffix| {
        let (account, rest) = name.split_at_checked(name.len().checked_sub(suffix.len())?)?;
        rest.eq_ignore_ascii_case(suffix).then(|| path.with_file_name(account))
    });
    accounts.find(|account| is_account(account))
}

/// Returns whether another process has the file open as an account.
fn is_open_elsewhere(path: &Path) -> bool {
    is_account(path) && matches!(HeldFile::acquire(path), Err(StoreError::Locked { .. }))
}

/// Returns whether a file exists and is an account by its content.
fn is_account(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() > 0)
        && closed::may_be_account(path).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Db;

    const NAMES: [&str; 9] = [
        "-wal",
        "-shm",
        "-journal",
        ".lock",
        ".key",
        ".imports",
        ".imports/1/session.json",
        ".replaced-20260105-090000.backup",
        ".v7-20260105-090000-2.backup",
    ];

    fn refusal(guard: &OutputGuard, path: &Path) -> OutputRefusal {
        let refusals = [Overwrite::Never, Overwrite::Allowed].map(|overwrite| guard.check_file(path, overwrite));
        assert_eq!(refusals[0], refusals[1], "{}", path.display());
        refusals[1].clone().expect_err(&path.display().to_string())
    }

    #[test]
    fn an_account_and_what_is_beside_it_are_never_an_output() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        for exists in [false, true] {
            if exists {
                fs::write(at("m.db"), "account").unwrap();
                fs::hard_link(at("m.db"), at("hard")).unwrap();
                #[cfg(unix)]
                std::os::unix::fs::symlink("m.db", at("soft")).unwrap();
            }
            let guard = OutputGuard::default().protect_account(&at("m.db"));
            let spellings = ["m.db", "./m.db", "sub/../m.db"];
            let links = ["hard", "soft"].into_iter().filter(|_| exists);
            for name in spellings.into_iter().chain(links) {
                assert!(matches!(refusal(&guard, &at(name)), OutputRefusal::Account { .. }), "{name}");
            }
            for name in NAMES {
                for account in ["m.db", "M.DB", "./m.db", "sub/../m.db"] {
                    let path = at(&format!("{account}{name}"));
                    assert!(matches!(refusal(&guard, &path), OutputRefusal::Companion { .. }), "{}", path.display());
                }
            }
            for name in ["m.db2", "m.db.csv", "m", "other-wal", "m.db.v7.csv", "sub/m.db-wal", "sub/m.db"] {
                assert_eq!(guard.check_file(&at(name), Overwrite::Never), Ok(()), "{name}");
            }
        }
        assert!(OutputGuard::default().protect_account(&at("new.db")).check(&at("NEW.db")).is_err());
    }

    /// Also applies to an account that the command does not name.
    #[test]
    fn what_is_beside_any_account_is_never_an_output() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        drop(Db::open(&at("m.db")).unwrap());
        fs::write(at("notes"), "mine").unwrap();
        for suffix in ["-wal", "-shm", "-journal", ".lock", "-WAL"] {
            let path = at(&format!("m.db{suffix}"));
            assert!(matches!(refusal(&OutputGuard::default(), &path), OutputRefusal::Companion { .. }), "{suffix}");
            let beside_notes = at(&format!("notes{suffix}"));
            assert_eq!(OutputGuard::default().check_file(&beside_notes, Overwrite::Never), Ok(()), "{suffix}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_to_what_is_beside_an_account_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("m.db"), "account").unwrap();
        std::os::unix::fs::symlink("m.db", at("link.db")).unwrap();
        // One link leads to a log that does not exist yet, one to a lock, and a hard link is another name of that lock.
        std::os::unix::fs::symlink("m.db-wal", at("soon")).unwrap();
        fs::write(at("m.db.lock"), "").unwrap();
        std::os::unix::fs::symlink("m.db.lock", at("lock")).unwrap();
        fs::hard_link(at("m.db.lock"), at("hard")).unwrap();
        for account in ["m.db", "link.db"] {
            let guard = OutputGuard::default().protect_account(&at(account));
            for name in ["soon", "lock", "hard", "m.db-wal"] {
                assert!(matches!(refusal(&guard, &at(name)), OutputRefusal::Companion { .. }), "{account} {name}");
            }
        }
    }

    #[test]
    fn an_input_is_never_an_output_and_other_files_need_permission() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("in.csv"), "a").unwrap();
        fs::write(at("old.csv"), "b").unwrap();
        let guard = OutputGuard::default().protect_account(&at("m.db")).protect_input(&at("in.csv"));
        assert!(matches!(refusal(&guard, &at("./in.csv")), OutputRefusal::Input { .. }));
        let output = at("old.csv");
        assert_eq!(guard.check_file(&output, Overwrite::Never), Err(OutputRefusal::Exists { output: output.clone() }));
        assert_eq!(guard.check_file(&output, Overwrite::Allowed), Ok(()));
        assert_eq!(guard.check_file(&at("new.csv"), Overwrite::Never), Ok(()));
    }

    #[test]
    fn an_account_that_is_open_is_never_an_output() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("open.db");
        let open = Db::open(&path).unwrap();
        let guard = OutputGuard::default();
        assert!(matches!(refusal(&guard, &path), OutputRefusal::Account { .. }));
        drop(open);
        assert_eq!(guard.check_file(&path, Overwrite::Allowed), Ok(()));
        #[cfg(target_os = "linux")]
        {
            // Hold the file as another process would: through a handle that this process does not know as an account.
            let held = fs::File::open(&path).unwrap();
            held.try_lock().unwrap();
            assert!(matches!(refusal(&guard, &path), OutputRefusal::InUse { .. }));
        }
    }
}
