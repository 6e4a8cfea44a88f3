//! Connects to account files that are only looked at. Whatever state a file is in, nothing of it changes: its log is
//! neither folded nor deleted, and nothing is left beside it.

use std::{
    fs, io,
    ops::Deref,
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime},
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};
use tempfile::TempDir;

use super::{
    companions::{INDEX, LOG},
    identity::{FileId, is_open_here, unless_open_here},
    lock::{locked_error, read_lock_holder, with_suffix},
    output,
    whole_file::{create_side_folder, parent_folder},
    write_ahead_log::{self, LogDamage},
};
use crate::error::{Result, StoreError};

/// How often a file is copied again that changed meanwhile.
const COPY_TRIALS: usize = 5;
/// The size of the index that SQLite creates beside an account to lock it.
const INDEX_SIZE: u64 = 32 * 1024;
/// Longer than anybody holds a file without opening it.
const MOMENT: Duration = Duration::from_millis(100);

/// A connection that changes nothing of the file that it was opened for.
pub struct LookConnection {
    conn: Connection,
    /// Removed after the connection was closed.
    _folder: Option<TempDir>,
}

impl Deref for LookConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.conn
    }
}

impl LookConnection {
    /// Connects to a file that another process may have open.
    ///
    /// The log that a killed program left is not touched, nor its index: SQLite would fold what it can read and delete
    /// both, even if they are empty. The file and its log are copied, and the copy is looked at. A file that may not be
    /// written is read without locks, because SQLite would leave files beside it that nobody can write later. So is one on
    /// a full device, where there is no room for those files.
    pub fn open(path: &Path) -> Result<Self> {
        if is_open_under_other_name(path) {
            return Err(locked_error(path, FileId::from_path(path).ok().and_then(|id| id.lock_holder())));
        }
        let has_companion = [LOG, INDEX].iter().any(|suffix| with_suffix(path, suffix).symlink_metadata().is_ok());
        let is_in_use = is_in_use(path);
        if has_companion && !is_in_use {
            return Self::open_copy(path);
        }
        let folder = parent_folder(path);
        let can_be_locked = can_write(path) && can_write(folder) && has_room(folder, INDEX_SIZE);
        if !has_companion && !can_be_locked && !is_in_use {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
            return Ok(Self { conn: Connection::open_with_flags(immutable_uri(path), flags)?, _folder: None });
        }
        let conn = connect(path)?;
        // Whoever has it open folds the log.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_companion)?;
        Ok(Self { conn, _folder: None })
    }

    fn open_copy(path: &Path) -> Result<Self> {
        let io = |source| StoreError::Io { path: path.to_owned(), source };
        let folder = create_folder(path).map_err(io)?;
        let copy = folder.path().join(path.file_name().unwrap_or_default());
        for _ in 0..COPY_TRIALS {
            let before = Stamp::read(path).map_err(io)?;
            let copied = unless_open_here(path, || copy_with_log(path, &copy));
            let Some(copied) = copied else { return Self::open(path) };
            copied.map_err(io)?;
            if Stamp::read(path).map_err(io)? == before {
                return Ok(Self { conn: connect(&copy)?, _folder: Some(folder) });
            }
        }
        Err(io(io::Error::new(io::ErrorKind::ResourceBusy, "another program writes to it all the time")))
    }
}

fn connect(path: &Path) -> Result<Connection> {
    Ok(Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?)
}

/// Creates a folder beside the file, where the next restore or erasure removes what a killed program left, or elsewhere
/// if that is not possible.
fn create_folder(path: &Path) -> io::Result<TempDir> {
    let sizes = ["", LOG].map(|suffix| fs::metadata(with_suffix(path, suffix)).map_or(0, |about| about.len()));
    if !has_room(parent_folder(path), INDEX_SIZE + sizes.iter().sum::<u64>()) {
        return create_side_folder(path, None);
    }
    create_side_folder(path, Some(parent_folder(path))).or_else(|_| create_side_folder(path, None))
}

fn copy_with_log(from: &Path, to: &Path) -> io::Result<()> {
    for suffix in ["", LOG] {
        let (from, to) = (with_suffix(from, suffix), with_suffix(to, suffix));
        match fs::copy(&from, &to) {
            Err(why) if suffix == LOG && why.kind() == io::ErrorKind::NotFound => {}
            copied => drop(copied?),
        }
        #[cfg(unix)]
        if to.exists() {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&to, fs::Permissions::from_mode(0o600))?;
        }
    }
    Ok(())
}

/// What changes when a file or its log is written.
#[derive(PartialEq, Eq)]
struct Stamp([Option<(u64, SystemTime)>; 2]);

impl Stamp {
    fn read(path: &Path) -> io::Result<Self> {
        let read = |path: PathBuf| match fs::metadata(path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
            about => about.and_then(|about| Ok(Some((about.len(), about.modified()?)))),
        };
        Ok(Self([read(path.to_owned())?, read(with_suffix(path, LOG))?]))
    }
}

fn immutable_uri(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => uri.push(char::from(*byte)),
            other => uri += &format!("%{other:02X}"),
        }
    }
    uri + "?immutable=1"
}

/// Returns whether a process has the file open as an account under a name that is not this one. The log with the newest
/// changes is beside that other name. Somebody who moves or deletes a file holds it for a moment without being seen.
fn is_open_under_other_name(path: &Path) -> bool {
    let is_held = || {
        let is_open = is_open_here(path) || FileId::from_path(path).is_ok_and(|id| id.lock_holder().is_some());
        is_open && read_lock_holder(&output::resolve_links(path)).is_none()
    };
    is_held() && {
        thread::sleep(MOMENT);
        is_held()
    }
}

/// Returns whether a process has the file open as an account.
pub(crate) fn is_in_use(path: &Path) -> bool {
    is_open_here(path)
        || FileId::from_path(path).is_ok_and(|id| id.lock_holder().is_some())
        || read_lock_holder(path).is_some()
}

fn has_room(folder: &Path, bytes: u64) -> bool {
    free_bytes(folder).is_none_or(|free| free >= bytes)
}

/// Returns how much is free on the device of a folder, if the system says so.
#[cfg(unix)]
pub(crate) fn free_bytes(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    about.f_bavail.checked_mul(about.f_frsize)
}

#[cfg(not(unix))]
pub(crate) fn free_bytes(_: &Path) -> Option<u64> {
    None
}

#[cfg(unix)]
pub(crate) fn can_read(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::READ_OK).is_ok()
}

#[cfg(not(unix))]
pub(crate) fn can_read(path: &Path) -> bool {
    fs::File::open(path).is_ok()
}

#[cfg(unix)]
pub(crate) fn can_write(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
pub(crate) fn can_write(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| !about.permissions().readonly())
}

/// Returns what is wrong with the log of an account that nobody has open.
pub(crate) fn find_log_damage(path: &Path) -> Option<LogDamage> {
    let is_free = !is_in_use(path);
    is_free.then(|| write_ahead_log::find_damage(&with_suffix(path, LOG), &with_suffix(path, INDEX)).ok().flatten())?
}

/// Says what is wrong with the log of an account.
pub(crate) fn describe_log_damage(path: &Path, damage: LogDamage) -> String {
    format!(
        "its log {} is damaged at frame {} of {}, and the changes after it cannot be read",
        with_suffix(path, LOG).display(),
        damage.frame,
        damage.frames
    )
}
