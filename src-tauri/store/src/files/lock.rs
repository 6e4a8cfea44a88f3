//! Lets one process at a time open an account file: locks the file itself, whatever its names are, and a file beside it
//! (`adr/0029`).

#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, ErrorKind, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use chrono::Utc;
#[cfg(unix)]
use rustix::fs::OFlags;

use super::{
    companions::LOG,
    identity::{FileId, OpenFileMark},
    looking::can_read,
};
use crate::error::{Result, StoreError};

/// Most digits of a process id in a lock file.
const ID_MAX: usize = 10;

/// Appends `suffix` to a file's whole name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns today's date and the time, such as `20260105-090000`.
#[expect(clippy::disallowed_methods, reason = "the date of a copy is for people, and no record depends on it")]
pub(crate) fn time_stamp() -> String {
    Utc::now().format("%Y%m%d-%H%M%S").to_string()
}

/// Returns a name that no file has yet: the file's name, `before`, today's date and time, `behind`.
pub(crate) fn dated_path(path: &Path, before: &str, behind: &str) -> PathBuf {
    let date = time_stamp();
    let name = |again: u32| {
        let again = if again == 0 { String::new() } else { format!("-{again}") };
        with_suffix(path, &format!("{before}{date}{again}{behind}"))
    };
    (0..).map(name).find(|name| !name.exists()).unwrap_or_else(|| name(0))
}

/// Options that read and write, follow no symbolic link and never wait for the other end of a pipe. Only its owner may
/// read a new file.
pub(crate) fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    options.mode(0o600).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    options
}

/// Turns the failure to open a file of an account into an error of that account.
pub(crate) fn open_error(account: &Path, file: &Path, source: io::Error) -> StoreError {
    match source.kind() {
        ErrorKind::PermissionDenied if file.exists() && !can_read(file) => {
            StoreError::Unreadable { path: account.to_owned() }
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { path: account.to_owned() }
        }
        ErrorKind::StorageFull => StoreError::DiskFull,
        ErrorKind::NotFound => StoreError::NoPlace { path: account.to_owned(), why: "its folder does not exist" },
        _ => StoreError::Io { path: file.to_owned(), source },
    }
}

/// Returns whether flock(2) can distinguish two opens of a file without touching the POSIX locks of SQLite. On other
/// systems, and over a network, both are the same locks.
#[cfg(target_os = "linux")]
fn has_locks_of_two_kinds(file: &File) -> bool {
    use rustix::fs::{FsWord, NFS_SUPER_MAGIC, fstatfs};
    /// NFS, SMB, CIFS, SMB 2, 9P and AFS.
    const NETWORKS: [FsWord; 6] = [NFS_SUPER_MAGIC, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x0102_1997, 0x5346_414f];
    fstatfs(file).is_ok_and(|about| !NETWORKS.contains(&about.f_type))
}

#[cfg(not(target_os = "linux"))]
fn has_locks_of_two_kinds(_: &File) -> bool {
    false
}

/// An account file that no other process has open under any of its names.
pub(crate) struct HeldFile {
    /// Closed after every connection, as [`super::identity`] explains.
    file: File,
    here: OpenFileMark,
    path: PathBuf,
}

impl HeldFile {
    /// Takes a file that exists. Writes nothing.
    pub(crate) fn acquire(path: &Path) -> Result<Self> {
        if !fs::metadata(path).map_err(|why| open_error(path, path, why))?.is_file() {
            return Err(StoreError::NoPlace { path: path.to_owned(), why: "it is not a plain file" });
        }
        let id = FileId::from_path(path).map_err(|why| open_error(path, path, why))?;
        let Some(here) = OpenFileMark::acquire(id) else { return Err(locked_error(path, Some(std::process::id()))) };
        let file = private_options().open(path).map_err(|why| open_error(path, path, why))?;
        let about = file.metadata().map_err(|why| open_error(path, path, why))?;
        if !here.id().has_metadata(&about) {
            return Err(StoreError::Displaced { path: path.to_owned(), what: "replaced" });
        }
        if has_locks_of_two_kinds(&file) {
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(locked_error(path, here.id().lock_holder().or_else(|| read_lock_holder(path))));
                }
                Err(TryLockError::Error(why)) => return Err(open_error(path, path, why)),
            }
        } else {
            #[cfg(unix)]
            if about.nlink() > 1 {
                let why = "it has several names (hard links), and its file system cannot lock it under all of them";
                return Err(StoreError::NoPlace { path: path.to_owned(), why });
            }
        }
        Ok(Self { file, here, path: path.to_owned() })
    }

    /// Returns the first bytes of the file, at most `length`.
    pub(crate) fn read_head(&self, length: u64) -> Result<Vec<u8>> {
        let mut head = Vec::new();
        let mut file = &self.file;
        let read = file.rewind().and_then(|()| file.take(length).read_to_end(&mut head));
        read.map_err(|source| StoreError::Io { path: self.path.clone(), source })?;
        Ok(head)
    }

    /// Returns this file under the name that it was given meanwhile.
    pub(crate) fn with_path(self, path: &Path) -> Result<Self> {
        #[cfg(unix)]
        return Ok(Self { path: path.to_owned(), ..self });
        // On other systems a file is identified by its name.
        #[cfg(not(unix))]
        {
            drop(self);
            Self::acquire(path)
        }
    }

    /// Writes the whole content of an empty file, which somebody else may have made, and restricts the file to its
    /// owner.
    pub(crate) fn write_content(&self, content: &[u8]) -> Result<()> {
        #[cfg(unix)]
        if let Err(why) = self.file.set_permissions(fs::Permissions::from_mode(0o600)) {
            tracing::warn!(file = %self.path.display(), %why, "others may read this account: its mode cannot be changed");
        }
        let mut file = &self.file;
        let written = file.rewind().and_then(|()| file.write_all(content)).and_then(|()| file.sync_all());
        written.map_err(|why| {
            // An incomplete account must not be taken for a complete one.
            drop(file.set_len(0));
            open_error(&self.path, &self.path, why)
        })
    }

    /// Takes the lock beside the file as well, which earlier versions respect.
    pub(crate) fn lock_beside(self) -> Result<FileLock> {
        Ok(FileLock::new(LockBeside::acquire(&self.path)?, self))
    }
}

pub(crate) fn locked_error(account: &Path, holder: Option<u32>) -> StoreError {
    let holder = holder.map(|process| format!(" (process {process})")).unwrap_or_default();
    StoreError::Locked { path: account.to_owned(), holder }
}

/// Returns the process whose id is in the lock file, if the lock is held.
pub(crate) fn read_lock_holder(account: &Path) -> Option<u32> {
    let mut file = private_options().open(with_suffix(account, ".lock")).ok()?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => read_process_id(&mut file),
        _ => None,
    }
}

/// Reads a process id. Roost writes nothing else into a lock file.
fn read_process_id(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(ID_MAX as u64 + 1).read_to_string(&mut text).ok()?;
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The lock beside an account, which earlier versions respect.
pub(crate) struct LockBeside {
    _file: File,
    path: PathBuf,
    is_new: bool,
}

impl LockBeside {
    pub(crate) fn acquire(account: &Path) -> Result<Self> {
        let path = with_suffix(account, ".lock");
        let (file, is_new) = open_lock_file(account, &path)?;
        Ok(Self { _file: file, path, is_new })
    }

    /// Removes the lock file if this process made it, for an account whose creation failed.
    pub(crate) fn remove_if_created(&self) {
        if self.is_new
            && let Err(why) = fs::remove_file(&self.path)
        {
            tracing::warn!(file = %self.path.display(), %why, "a lock that nobody needs cannot be removed");
        }
    }
}

fn open_lock_file(account: &Path, path: &Path) -> Result<(File, bool)> {
    let taken = || StoreError::NoPlace {
        path: account.to_owned(),
        why: "the name of its lock file (the same with .lock) is that of a link, a folder or a device",
    };
    if path.symlink_metadata().is_ok_and(|about| !about.is_file()) {
        return Err(taken());
    }
    let cannot = |why| open_error(account, path, why);
    let (mut file, is_new) = match private_options().create_new(true).open(path) {
        Ok(file) => (file, true),
        Err(why) if why.kind() == ErrorKind::AlreadyExists => (private_options().open(path).map_err(cannot)?, false),
        Err(why) => return Err(cannot(why)),
    };
    if !file.metadata().map_err(cannot)?.is_file() {
        return Err(taken());
    }
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(locked_error(account, read_process_id(&mut file))),
        Err(TryLockError::Error(why)) => return Err(cannot(why)),
    }
    // If another program made a file of this name, it is locked but not changed.
    if is_new || read_process_id(&mut file).is_some() {
        file.rewind().and_then(|()| file.set_len(0)).map_err(cannot)?;
        write!(file, "{}", std::process::id()).map_err(cannot)?;
    }
    Ok((file, is_new))
}

/// Fails if the path does not lead to this file.
fn require_file(path: &Path, id: &FileId) -> Result<()> {
    let displaced = |what| Err(StoreError::Displaced { path: path.to_owned(), what });
    match FileId::from_path(path) {
        Ok(found) if found == *id => Ok(()),
        Ok(_) => displaced("replaced"),
        Err(why) if why.kind() == ErrorKind::NotFound => displaced("moved or deleted"),
        Err(source) => Err(StoreError::Io { path: path.to_owned(), source }),
    }
}

/// The lock of an open account. It outlives all of the account's connections.
pub(crate) struct FileLock {
    beside: LockBeside,
    held: HeldFile,
    /// The write-ahead log, once it is there.
    log: OnceLock<FileId>,
    /// Whether this opening created the file.
    is_made: bool,
    is_unwanted: AtomicBool,
}

impl Drop for FileLock {
    fn drop(&mut self) {
        if *self.is_unwanted.get_mut() && require_file(&self.held.path, self.held.here.id()).is_ok() {
            match fs::remove_file(&self.held.path) {
                Ok(()) => self.beside.remove_if_created(),
                Err(why) => {
                    tracing::warn!(file = %self.held.path.display(), %why, "an account that nobody needs cannot be removed");
                }
            }
        }
    }
}

impl FileLock {
    pub(crate) fn new(beside: LockBeside, held: HeldFile) -> Self {
        Self { beside, held, log: OnceLock::new(), is_made: false, is_unwanted: AtomicBool::new(false) }
    }

    /// Wraps the locks of a file that was created just now.
    pub(crate) fn for_created(beside: LockBeside, held: HeldFile) -> Self {
        Self { beside, held, log: OnceLock::new(), is_made: true, is_unwanted: AtomicBool::new(false) }
    }

    /// Removes the file on closing if this opening created it.
    pub(crate) fn discard_if_created(&self) {
        self.is_unwanted.store(self.is_made, Ordering::Release);
    }

    pub(crate) fn path(&self) -> &Path {
        &self.held.path
    }

    /// Fails if the file at the path is no longer the one that was opened, because anything written to it would be
    /// lost.
    pub(crate) fn check_file_in_place(&self) -> Result<()> {
        require_file(&self.held.path, self.held.here.id())?;
        // SQLite keeps the log for as long as the file is open.
        let log = with_suffix(&self.held.path, LOG);
        match self.log.get() {
            Some(id) => require_file(&log, id),
            None => {
                drop(FileId::from_path(&log).map(|id| self.log.set(id)));
                Ok(())
            }
        }
    }
}
