//! Interprets the first page of a file: the program that it belongs to, whether any database can have its header, and
//! the number of its last commit. Also writes that number.

use std::{
    fs,
    io::{self, Seek, SeekFrom, Write},
    path::Path,
};

use rusqlite::Connection;

use crate::error::{Result, StoreError};

/// The first bytes of every SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// The application id in the header of every account. The first migration writes it.
pub(crate) const APPLICATION_ID: [u8; 4] = *b"Roos";
/// Where the header stores `user_version`, the number of the last commit.
const COMMIT_NUMBER: std::ops::Range<usize> = 60..64;
/// The number of bytes to read for [`detect_origin`].
pub(crate) const HEAD_LENGTH: u64 = 4_096;

/// The program that a file belongs to, judged by its first page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileOrigin {
    /// The file is empty.
    Empty,
    /// The file carries the application id of Roost.
    Roost,
    /// A database with a write-ahead log and without tables. Earlier versions left a new account in this state until
    /// the log was folded in, and many other programs do so too.
    Bare,
    Foreign,
}

pub(crate) fn detect_origin(head: &[u8]) -> FileOrigin {
    if head.is_empty() {
        return FileOrigin::Empty;
    }
    let Some(id) = head.get(68..72).filter(|_| head.starts_with(MAGIC)) else { return FileOrigin::Foreign };
    let has = |at: usize, bytes: &[u8]| head.get(at..at + bytes.len()) == Some(bytes);
    match id {
        _ if id == APPLICATION_ID => FileOrigin::Roost,
        // Checks the file format, the page count, the type of the first page and its cell count.
        [0, 0, 0, 0] if has(18, &[2, 2]) && has(28, &[0, 0, 0, 1]) && has(100, &[13]) && has(103, &[0, 0]) => {
            FileOrigin::Bare
        }
        _ => FileOrigin::Foreign,
    }
}

/// Returns the number of the last commit, which `files::write_ahead_log` explains.
pub(crate) fn commit_number(head: &[u8]) -> u32 {
    let bytes = head.get(COMMIT_NUMBER).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u32::from_be_bytes)
}

/// Writes the commit number of a database that nobody has open, so that its commits differ from those of other files.
pub(crate) fn write_commit_number(file: &mut (impl Write + Seek), mark: i32) -> io::Result<()> {
    file.seek(SeekFrom::Start(COMMIT_NUMBER.start as u64))?;
    file.write_all(&mark.to_be_bytes())
}

/// Returns whether no database can have this header, according to <https://sqlite.org/fileformat.html>. SQLite takes
/// some of these values for a read-only file or for a newer format of its own.
pub(crate) fn is_impossible(head: &[u8]) -> bool {
    let byte = |at: usize| head.get(at).copied().unwrap_or_default();
    let number = |at: usize| u32::from_be_bytes([byte(at), byte(at + 1), byte(at + 2), byte(at + 3)]);
    let page = match u16::from_be_bytes([byte(16), byte(17)]) {
        1 => 65_536,
        size => u32::from(size),
    };
    head.len() < 100
        || !page.is_power_of_two()
        || page < 512
        || !(1..=2).contains(&byte(18))
        || !(1..=2).contains(&byte(19))
        || (byte(21), byte(22), byte(23)) != (64, 32, 32)
        || number(44) > 4
        || number(56) > 3
}

/// Returns a random number for the first commit, so that no other file has the same numbers.
pub(crate) fn random_commit_number(conn: &Connection) -> rusqlite::Result<i32> {
    conn.query_row("SELECT 1 + abs(random() % 0x3fffffff)", [], |row| row.get(0))
}

/// Gives a copy of an account that nobody has open commit numbers of its own.
pub(crate) fn renumber_copy(conn: &Connection, copy: &Path) -> Result<()> {
    let mark = random_commit_number(conn)?;
    let file = fs::OpenOptions::new().write(true).open(copy);
    let marked = file.and_then(|mut file| write_commit_number(&mut file, mark));
    marked.map_err(|source| StoreError::Io { path: copy.to_owned(), source })
}
