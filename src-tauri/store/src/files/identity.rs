//! Identifies the file that a path leads to, whatever its names are, and records which files this process has open as
//! accounts.
//!
//! SQLite holds POSIX locks, and the system drops all of them as soon as the process closes any descriptor of the file.
//! So nothing in this process opens a file a second time that is open as an account.

#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::{
    collections::BTreeSet,
    fs::{self, Metadata},
    io,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Device and inode of a file, or its whole path where the system has neither.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId(#[cfg(unix)] (u64, u64), #[cfg(not(unix))] std::path::PathBuf);

impl FileId {
    pub fn from_path(path: &Path) -> io::Result<Self> {
        #[cfg(unix)]
        return fs::metadata(path).map(|about| Self((about.dev(), about.ino())));
        #[cfg(not(unix))]
        fs::canonicalize(path).map(Self)
    }

    /// Returns whether the metadata is that of this file.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "an open file cannot be replaced on such systems"))]
    pub fn has_metadata(&self, about: &Metadata) -> bool {
        #[cfg(unix)]
        return self.0 == (about.dev(), about.ino());
        #[cfg(not(unix))]
        true
    }

    /// Returns the process that holds an advisory lock on the whole file, where the system reports it.
    #[cfg(target_os = "linux")]
    pub fn lock_holder(&self) -> Option<u32> {
        /// The system skips lines if other locks change while it writes the list.
        const READS: usize = 8;
        (0..READS).find_map(|_| self.find_lock())
    }

    #[cfg(target_os = "linux")]
    fn find_lock(&self) -> Option<u32> {
        let (device, inode) = self.0;
        let place = format!("{:02x}:{:02x}:{inode}", rustix::fs::major(device), rustix::fs::minor(device));
        // A line looks like `1: FLOCK  ADVISORY  WRITE 4321 fe:00:1234 0 EOF`.
        fs::read_to_string("/proc/locks").ok()?.lines().find_map(|line| {
            let columns: Vec<&str> = line.split_ascii_whitespace().collect();
            match columns[..] {
                [_, "FLOCK", _, "WRITE", process, at, ..] if at == place => process.parse().ok(),
                _ => None,
            }
        })
    }

    #[cfg(not(target_os = "linux"))]
    pub fn lock_holder(&self) -> Option<u32> {
        None
    }
}

static OPEN_FILES: Mutex<BTreeSet<FileId>> = Mutex::new(BTreeSet::new());

fn lock_open_files() -> MutexGuard<'static, BTreeSet<FileId>> {
    OPEN_FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Marks a file as open in this process for as long as this value lives.
pub struct OpenFileMark(FileId);

impl OpenFileMark {
    /// Returns `None` if the file is already open in this process.
    pub fn acquire(id: FileId) -> Option<Self> {
        let is_new = lock_open_files().insert(id.clone());
        is_new.then(|| Self(id))
    }

    pub fn id(&self) -> &FileId {
        &self.0
    }
}

impl Drop for OpenFileMark {
    fn drop(&mut self) {
        lock_open_files().remove(&self.0);
    }
}

/// Returns whether this process has the file open as an account.
pub fn is_open_here(path: &Path) -> bool {
    FileId::from_path(path).is_ok_and(|id| lock_open_files().contains(&id))
}

/// Calls `read`, which may open and close the file, unless this process has the file open as an account.
pub fn unless_open_here<T>(path: &Path, read: impl FnOnce() -> T) -> Option<T> {
    let open = lock_open_files();
    if FileId::from_path(path).is_ok_and(|id| open.contains(&id)) {
        return None;
    }
    Some(read())
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    use super::*;

    #[test]
    fn the_holder_of_a_lock_is_found_while_other_locks_come_and_go() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| File::create(folder.path().join(name)).unwrap();
        let held = file("held");
        held.lock().unwrap();
        let id = FileId::from_path(&folder.path().join("held")).unwrap();
        let others: Vec<Vec<File>> = (0..2).map(|n| (0..150).map(|m| file(&format!("{n}-{m}"))).collect()).collect();
        let is_over = AtomicBool::new(false);
        let missed = thread::scope(|scope| {
            for files in &others {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        files.iter().for_each(|file| file.lock().unwrap());
                        files.iter().for_each(|file| file.unlock().unwrap());
                    }
                });
            }
            let missed = (0..1_000).filter(|_| id.lock_holder() != Some(std::process::id())).count();
            is_over.store(true, Ordering::Relaxed);
            missed
        });
        assert_eq!(missed, 0);
    }
}
