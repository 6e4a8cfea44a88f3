//! One process per account file: a lock beside it that the system frees when the process ends.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    path::{Path, PathBuf},
};

use chrono::Utc;

use crate::error::{Error, Result};

/// Held as long as the account is open.
pub struct FileLock {
    _file: File,
}

/// Puts `suffix` behind a file's whole name.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// A name that nothing has yet: the file's, `before`, today's date and time, `behind`.
#[expect(clippy::disallowed_methods, reason = "the date of a copy is for people; no record depends on it")]
pub fn dated(path: &Path, before: &str, behind: &str) -> PathBuf {
    let date = Utc::now().format("%Y%m%d-%H%M%S").to_string();
    let name = |again: u32| {
        let again = if again == 0 { String::new() } else { format!("-{again}") };
        beside(path, &format!("{before}{date}{again}{behind}"))
    };
    (0..).map(name).find(|name| !name.exists()).unwrap_or_else(|| name(0))
}

/// Makes an empty file that its owner alone may read, unless there is one: accounts hold personal data.
/// What goes wrong here goes wrong again, and is told, when the file is opened.
pub fn make_private(path: &Path) {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}

impl FileLock {
    /// The lock is a file of its own: SQLite locks ranges of the account file itself, and the two kinds clash on some systems.
    pub fn acquire(account: &Path) -> Result<Self> {
        let path = beside(account, ".lock");
        let io = |source| match std::io::Error::kind(&source) {
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                Error::ReadOnly { path: account.to_owned() }
            }
            std::io::ErrorKind::StorageFull => Error::DiskFull,
            std::io::ErrorKind::NotFound => {
                Error::NoPlace { path: account.to_owned(), why: "its folder does not exist" }
            }
            _ => Error::Io { path: path.clone(), source },
        };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Who holds it is a courtesy; the refusal stands without it.
                let _ = file.take(20).read_to_string(&mut holder);
                let holder = holder.trim();
                let holder = if holder.is_empty() { String::new() } else { format!(" (process {holder})") };
                return Err(Error::Locked { path: account.to_owned(), holder });
            }
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        file.set_len(0).map_err(io)?;
        file.rewind().map_err(io)?;
        write!(file, "{}", std::process::id()).map_err(io)?;
        Ok(Self { _file: file })
    }
}
