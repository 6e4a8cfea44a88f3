//! Files that are there whole or not at all: written beside, then renamed.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter},
    path::{Path, PathBuf},
};

use roost_ops::export::Target;

/// Whether a file outlives the loss of power right after it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasting {
    Surely,
    /// It is worth nothing after a restart, so it need not wait for the disk.
    Perhaps,
}

/// Writes a file in one step, for its owner's eyes only. What was there is replaced, and kept when writing fails.
pub fn write_whole<E: From<io::Error>>(
    path: &Path,
    lasting: Lasting,
    write: impl FnOnce(&mut dyn Target) -> Result<(), E>,
) -> Result<(), E> {
    let beside = beside(path);
    let written = fill(&beside, lasting, write).and_then(|()| Ok(fs::rename(&beside, path)?));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// The same where nothing is there yet; what is there stays, also when it came in between.
pub fn write_new<E: From<io::Error>>(
    path: &Path,
    lasting: Lasting,
    write: impl FnOnce(&mut dyn Target) -> Result<(), E>,
) -> Result<(), E> {
    if path.symlink_metadata().is_ok() {
        return Err(io::Error::from(io::ErrorKind::AlreadyExists).into());
    }
    let beside = beside(path);
    let written = fill(&beside, lasting, write).and_then(|()| match fs::hard_link(&beside, path) {
        // Some systems know no second names.
        Err(why) if why.kind() != io::ErrorKind::AlreadyExists && path.symlink_metadata().is_err() => {
            Ok(fs::rename(&beside, path)?)
        }
        linked => Ok(linked?),
    });
    // It has its name now, or was in vain.
    let _ = fs::remove_file(&beside);
    written
}

fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

fn fill<E: From<io::Error>>(
    path: &Path,
    lasting: Lasting,
    write: impl FnOnce(&mut dyn Target) -> Result<(), E>,
) -> Result<(), E> {
    let mut out = BufWriter::new(create(path)?);
    write(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    match lasting {
        Lasting::Surely => Ok(file.sync_all()?),
        Lasting::Perhaps => Ok(()),
    }
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_not_written_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.json");
        write_new(&path, Lasting::Surely, |out| out.write_all(b"one")).expect("written");
        let again = write_new(&path, Lasting::Surely, |out| out.write_all(b"two"));
        assert_eq!(again.map_err(|why: io::Error| why.kind()), Err(io::ErrorKind::AlreadyExists));
        let late = folder.path().join("late.json");
        let again = write_new(&late, Lasting::Perhaps, |out| {
            fs::write(&late, b"somebody else")?;
            out.write_all(b"two")
        });
        assert_eq!(again.map_err(|why: io::Error| why.kind()), Err(io::ErrorKind::AlreadyExists));
        assert_eq!(
            (fs::read(&path).expect("there"), fs::read(&late).expect("there")),
            (b"one".to_vec(), b"somebody else".to_vec())
        );
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 2, "nothing is left beside them");
    }

    #[test]
    fn a_file_is_replaced_whole_or_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.json");
        write_whole(&path, Lasting::Surely, |out| out.write_all(b"one")).expect("written");
        write_whole(&path, Lasting::Surely, |out| {
            out.write_all(b"two")?;
            Err(io::Error::other("no more"))
        })
        .expect_err("fails");
        assert_eq!(fs::read(&path).expect("readable"), b"one");
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1, "nothing is left beside it");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        }
    }
}
