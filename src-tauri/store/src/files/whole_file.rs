//! Writes files that appear whole or not at all: they are written beside their place and then renamed.

use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::Path,
};

use tempfile::{Builder, NamedTempFile, TempDir};

use super::identity::is_open_here;

/// Whether a file must survive a loss of power right after it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    Durable,
    /// The file is worthless after a restart, so it need not wait for the disk.
    Volatile,
}

/// Creates a file beside `path` that only its owner may read. It is removed unless it is renamed.
///
/// Its name is random, because every process of a container may have the same id, and a killed process leaves its file.
pub fn create_beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut prefix = OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    prefix.push(".");
    Builder::new().prefix(&prefix).suffix(".part").tempfile_in(parent_folder(path)).map_err(without_path)
}

/// Creates a folder for copies of an account that only its owner may enter, in this one or among the temporary ones.
pub(crate) fn create_side_folder(account: &Path, folder: Option<&Path>) -> io::Result<TempDir> {
    let mut builder = Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let prefix = side_folder_prefix(account);
    let builder = builder.prefix(&prefix);
    folder.map_or_else(|| builder.tempdir(), |folder| builder.tempdir_in(folder))
}

/// Returns the cause alone, because the name of a temporary file helps nobody.
fn without_path(why: io::Error) -> io::Error {
    let inner = why.get_ref().and_then(|wrapped| wrapped.source()?.downcast_ref::<io::Error>());
    match why.raw_os_error().or_else(|| inner?.raw_os_error()) {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::from(why.kind()),
    }
}

/// Gives a written file its name and replaces the file that had the name.
pub fn rename_over(file: NamedTempFile, path: &Path, lasting: Durability) -> io::Result<()> {
    sync_file(&file, lasting)?;
    if is_open_here(path) {
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, "it is the account that is open"));
    }
    file.persist(path)?;
    sync_folder(path, lasting)
}

/// Gives a written file its name unless another file has the name already.
pub fn rename_new(file: NamedTempFile, path: &Path, lasting: Durability) -> io::Result<()> {
    sync_file(&file, lasting)?;
    match file.persist_noclobber(path) {
        Ok(_) => {}
        // Some file systems cannot do this in one step.
        Err(why) if why.error.kind() != io::ErrorKind::AlreadyExists && path.symlink_metadata().is_err() => {
            why.file.persist(path)?;
        }
        Err(why) => return Err(why.error),
    }
    sync_folder(path, lasting)
}

/// Renames a file so that the new name survives a loss of power.
pub fn rename_durably(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    sync_folder(to, Durability::Durable)
}

fn sync_file(file: &NamedTempFile, lasting: Durability) -> io::Result<()> {
    match lasting {
        // Opened by its name, because a program that received the path may have written through a handle of its own.
        Durability::Durable => File::options().write(true).open(file.path())?.sync_all(),
        Durability::Volatile => Ok(()),
    }
}

/// Syncs the folder. A new name is an entry of the folder, which reaches the disk separately.
fn sync_folder(path: &Path, lasting: Durability) -> io::Result<()> {
    if lasting == Durability::Volatile || !cfg!(unix) {
        return Ok(());
    }
    match File::open(parent_folder(path)).and_then(|folder| folder.sync_all()) {
        // Folders without read permission, and folders on some network file systems, cannot be synced.
        Err(why)
            if !matches!(
                why.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
            ) =>
        {
            Err(why)
        }
        _ => Ok(()),
    }
}

/// The first part of the names of folders in which copies of an account are made.
pub(crate) fn side_folder_prefix(account: &Path) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(account.file_name().unwrap_or_default());
    prefix.push(".restore-");
    prefix
}

pub(crate) fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn what_a_killed_process_left_behind_stops_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        // Leave the file as a killed process does: neither renamed nor removed.
        create_beside(&path).unwrap().keep().unwrap();
        let mut file = create_beside(&path).unwrap();
        file.write_all(b"one").unwrap();
        rename_new(file, &path, Durability::Durable).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
    }
}
