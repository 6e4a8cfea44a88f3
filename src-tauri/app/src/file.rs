//! Writes files completely or not at all: into a temporary file that is then renamed.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use roost_exports::SeekableTarget;
use roost_ops::{output, whole_file};
pub use roost_ops::{
    output::{OutputGuard, OutputRefusal, Overwrite},
    whole_file::Durability,
};

/// Writes an output to a path that [`OutputGuard::check`] allowed. A file is written in one step, and a link is
/// followed to its file. A device or a pipe is written to directly.
pub fn write_output<E: From<io::Error>>(
    path: &Path,
    overwrite: Overwrite,
    write: impl FnOnce(&mut dyn SeekableTarget) -> Result<(), E>,
) -> Result<(), E> {
    if output::is_device(path) {
        return write_buffered(&mut File::options().write(true).open(path)?, write);
    }
    match overwrite {
        Overwrite::Allowed => write_whole(&output::resolve_links(path), Durability::Durable, write),
        Overwrite::Never => write_new(path, Durability::Durable, write),
    }
}

/// Checks that an output can be written to this path. A file that is there stays as it is.
pub fn check_writable(path: &Path) -> io::Result<()> {
    // Opening a pipe would wait for its reader.
    if output::is_device(path) {
        return Ok(());
    }
    whole_file::create_beside(&output::resolve_links(path)).map(drop)
}

/// Writes a file in one step, readable by its owner alone. An existing file is replaced, or stays as it is if writing
/// fails.
pub fn write_whole<E: From<io::Error>>(
    path: &Path,
    lasting: Durability,
    write: impl FnOnce(&mut dyn SeekableTarget) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = whole_file::create_beside(path)?;
    write_buffered(file.as_file_mut(), write)?;
    Ok(whole_file::rename_over(file, path, lasting)?)
}

/// Writes a file in one step if the path is free. An existing file is never replaced, even if it is created while this
/// runs.
pub fn write_new<E: From<io::Error>>(
    path: &Path,
    lasting: Durability,
    write: impl FnOnce(&mut dyn SeekableTarget) -> Result<(), E>,
) -> Result<(), E> {
    if path.symlink_metadata().is_ok() {
        return Err(io::Error::from(io::ErrorKind::AlreadyExists).into());
    }
    let mut file = whole_file::create_beside(path)?;
    write_buffered(file.as_file_mut(), write)?;
    Ok(whole_file::rename_new(file, path, lasting)?)
}

/// Gives a file that cannot be read a free name beside it, such as `x.json.damaged`, and returns that name.
pub fn set_aside(path: &Path) -> io::Result<PathBuf> {
    for number in 1_u32.. {
        let tail = if number == 1 { String::new() } else { format!("-{number}") };
        let mut aside = path.as_os_str().to_owned();
        aside.push(format!(".damaged{tail}"));
        let aside = PathBuf::from(aside);
        if aside.symlink_metadata().is_err() {
            return fs::rename(path, &aside).map(|()| aside);
        }
    }
    Err(io::Error::other("there are too many damaged files of that name"))
}

fn write_buffered<E: From<io::Error>>(
    file: &mut File,
    write: impl FnOnce(&mut dyn SeekableTarget) -> Result<(), E>,
) -> Result<(), E> {
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_not_written_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.json");
        write_new(&path, Durability::Durable, |out| out.write_all(b"one")).expect("written");
        let again = write_new(&path, Durability::Durable, |out| out.write_all(b"two"));
        assert_eq!(again.map_err(|why: io::Error| why.kind()), Err(io::ErrorKind::AlreadyExists));
        let late = folder.path().join("late.json");
        let again = write_new(&late, Durability::Volatile, |out| {
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

    #[cfg(unix)]
    #[test]
    fn an_output_goes_through_links_and_into_devices_and_replaces_neither() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("x.csv"), "old").expect("written");
        std::os::unix::fs::symlink("x.csv", at("link")).expect("linked");
        let written = write_output(&at("link"), Overwrite::Allowed, |out| out.write_all(b"new"));
        assert!(written.map_err(|why: io::Error| why).is_ok());
        assert_eq!(fs::read(at("x.csv")).expect("readable"), b"new");
        assert!(at("link").symlink_metadata().expect("there").is_symlink());
        let written = write_output(Path::new("/dev/null"), Overwrite::Never, |out| out.write_all(b"new"));
        assert!(written.map_err(|why: io::Error| why).is_ok());
        assert!(output::is_device(Path::new("/dev/null")));
    }

    #[test]
    fn a_file_is_replaced_whole_or_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.json");
        write_whole(&path, Durability::Durable, |out| out.write_all(b"one")).expect("written");
        write_whole(&path, Durability::Durable, |out| {
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
