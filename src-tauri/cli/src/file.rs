//! Files that are there whole or not at all: written beside, then renamed.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

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
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let beside = beside(path);
    let written = fill(&beside, lasting, write).and_then(|()| Ok(fs::rename(&beside, path)?));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
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
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
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
