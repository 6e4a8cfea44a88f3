//! The first page of a file: whether it begins as an account does, and whether its header can be true.

use std::io::{self, Seek, SeekFrom, Write};

/// The first bytes of every SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// What the header of every account says. The first migration writes it.
const APPLICATION_ID: [u8; 4] = *b"Roos";
/// Where the header keeps `user_version`, the number of the last commit.
const MARK: std::ops::Range<usize> = 60..64;
/// The most that is read of a file to know whose it is.
pub const PAGE: u64 = 4_096;

/// Whose file it is, by its first page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Nothing is in it yet.
    Empty,
    /// It carries the application id of Roost.
    Roost,
    /// A database with a write-ahead log and without tables. Earlier versions left a new account so until the log was
    /// folded in, and so does many another program.
    Bare,
    Foreign,
}

pub fn origin(head: &[u8]) -> Origin {
    if head.is_empty() {
        return Origin::Empty;
    }
    let Some(id) = head.get(68..72).filter(|_| head.starts_with(MAGIC)) else { return Origin::Foreign };
    let has = |at: usize, bytes: &[u8]| head.get(at..at + bytes.len()) == Some(bytes);
    match id {
        _ if id == APPLICATION_ID => Origin::Roost,
        // Ways of writing, pages, the kind of the first page and the count of its rows.
        [0, 0, 0, 0] if has(18, &[2, 2]) && has(28, &[0, 0, 0, 1]) && has(100, &[13]) && has(103, &[0, 0]) => {
            Origin::Bare
        }
        _ => Origin::Foreign,
    }
}

/// The number of the last commit, as `files::log` tells.
pub fn mark(head: &[u8]) -> u32 {
    let bytes = head.get(MARK).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u32::from_be_bytes)
}

/// Makes a database that nobody has open an account's of its own: its commits are numbered from `mark`.
pub fn write_mark(file: &mut (impl Write + Seek), mark: i32) -> io::Result<()> {
    file.seek(SeekFrom::Start(MARK.start as u64))?;
    file.write_all(&mark.to_be_bytes())
}

/// Whether no database has this header, as <https://sqlite.org/fileformat.html> describes it. SQLite takes some of these
/// values for a file that it cannot write, or for a newer format of its own.
pub fn is_impossible(head: &[u8]) -> bool {
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
