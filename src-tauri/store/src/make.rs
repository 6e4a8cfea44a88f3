//! Creates account files. A file appears with its whole schema or not at all.

use std::{
    fs,
    io::{ErrorKind, Write},
    path::Path,
};

use rusqlite::{Connection, MAIN_DB};

use crate::{
    error::{Error, Result},
    files::{
        companions, header,
        lock::{FileLock, HeldFile, LockBeside, cannot_open},
        whole_file::{self, Lasting},
    },
    migrate::Steps,
    open,
};

/// Bytes of the header that say how the file is written, with or without a write-ahead log.
const WAYS_OF_WRITING: std::ops::Range<usize> = 18..20;
const WITH_LOG: u8 = 2;

/// Creates an account where no file exists, or in the place of an empty one.
pub fn account(path: &Path, steps: &Steps) -> Result<FileLock> {
    companions::check_kinds(path, &[])?;
    let is_new = !path.exists();
    let beside = LockBeside::take(path)?;
    match file(path, steps) {
        Ok(held) if is_new => Ok(FileLock::made(beside, held)),
        Ok(held) => Ok(FileLock::new(beside, held)),
        Err(why) => {
            beside.remove_made();
            Err(why)
        }
    }
}

fn file(path: &Path, steps: &Steps) -> Result<HeldFile> {
    let image = image(steps)?;
    let io = |why| cannot_open(path, path, why);
    let mut part = whole_file::create_beside(path).map_err(io)?;
    part.write_all(&image).map_err(io)?;
    let held = HeldFile::acquire(part.path())?;
    let renamed = match fs::metadata(path) {
        Ok(about) if about.len() == 0 => whole_file::rename_over(part, path, Lasting::Surely),
        Ok(_) => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => whole_file::rename_new(part, path, Lasting::Surely),
    };
    match renamed {
        Ok(()) => held.renamed(path),
        // The path is a mount point, so no other file can take its place.
        Err(why) if why.kind() == ErrorKind::ResourceBusy => {
            let held = HeldFile::acquire(path)?;
            held.fill(&image)?;
            Ok(held)
        }
        Err(why) if why.kind() == ErrorKind::AlreadyExists => {
            Err(Error::Displaced { path: path.to_owned(), what: "replaced" })
        }
        Err(why) => Err(io(why)),
    }
}

fn image(steps: &Steps) -> Result<Vec<u8>> {
    let mut conn = open::migrated(steps)?;
    conn.pragma_update(None, "user_version", any_mark(&conn)?)?;
    let mut image = conn.serialize(MAIN_DB)?.to_vec();
    image[WAYS_OF_WRITING].fill(WITH_LOG);
    Ok(image)
}

/// Returns a random number for the first commit, so that no other file has the same numbers.
pub fn any_mark(conn: &Connection) -> rusqlite::Result<i32> {
    conn.query_row("SELECT 1 + abs(random() % 0x3fffffff)", [], |row| row.get(0))
}

/// Gives a copy of an account that nobody has open commit numbers of its own.
pub fn mark_copy(conn: &Connection, copy: &Path) -> Result<()> {
    let mark = any_mark(conn)?;
    let file = fs::OpenOptions::new().write(true).open(copy);
    let marked = file.and_then(|mut file| header::write_mark(&mut file, mark));
    marked.map_err(|source| Error::Io { path: copy.to_owned(), source })
}
