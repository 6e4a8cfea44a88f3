//! Checks whether a write-ahead log belongs to the file beside it.
//!
//! SQLite folds a log into whatever file has the name. If a backup is put in the place of an account, the old account's
//! log would overwrite it. Therefore every commit of an account has a number, one more than the commit before, which
//! begins anywhere, and again anywhere each time the file is opened. The number is `user_version` on the first page, so
//! the file says up to which commit it was folded, and the log says which commits it holds.

use std::{
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
};

use super::header::{self, FileOrigin};

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
const MAGICS: [[u8; 4]; 2] = [[0x37, 0x7f, 0x06, 0x82], [0x37, 0x7f, 0x06, 0x83]];
const PAGE_SIZES: std::ops::RangeInclusive<u32> = 512..=65_536;
const FORMAT: [u8; 4] = 3_007_000_u32.to_be_bytes();

/// The part of a write-ahead log that identifies the file to which it belongs.
pub(crate) struct WriteAheadLog {
    /// Numbers of the commits that wrote the first page.
    marks: Vec<u32>,
    /// Whether the newest first page is an account's.
    is_of_account: bool,
}

/// Returns whether a file begins as a write-ahead log does.
pub(crate) fn is_log(head: &[u8]) -> bool {
    MAGICS.iter().any(|magic| head.starts_with(magic)) && head.get(4..8) == Some(&FORMAT[..])
}

impl WriteAheadLog {
    /// Reads a log. A missing file, and one that does not begin as a log does, holds no commits.
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        let mut log = Self { marks: Vec::new(), is_of_account: false };
        match File::open(path) {
            Ok(file) => match log.read_frames(BufReader::new(file)) {
                // A frame that was cut off was never committed.
                Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => Ok(log),
                read => read.map(|()| log),
            },
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(log),
            Err(why) => Err(why),
        }
    }

    /// Reads up to the first frame of an earlier run of the log, which has other salts.
    fn read_frames(&mut self, mut file: BufReader<File>) -> io::Result<()> {
        let mut log = [0; HEADER];
        file.read_exact(&mut log)?;
        if !is_log(&log) {
            return Ok(());
        }
        let (page_size, salts) = (u32::from_be_bytes([log[8], log[9], log[10], log[11]]), &log[16..24]);
        if !PAGE_SIZES.contains(&page_size) {
            return Ok(());
        }
        let mut uncommitted = Vec::new();
        loop {
            let mut frame = [0; FRAME_HEADER];
            file.read_exact(&mut frame)?;
            if frame[8..16] != *salts {
                return Ok(());
            }
            if frame[..4] == [0, 0, 0, 1] {
                let mut page = vec![0; page_size as usize];
                file.read_exact(&mut page)?;
                uncommitted.push((header::commit_number(&page), header::detect_origin(&page) == FileOrigin::Roost));
            } else {
                file.seek_relative(i64::from(page_size))?;
            }
            if frame[4..8] != [0; 4] {
                for (mark, is_of_account) in uncommitted.drain(..) {
                    self.marks.push(mark);
                    self.is_of_account = is_of_account;
                }
            }
        }
    }

    pub(crate) fn is_of_account(&self) -> bool {
        self.is_of_account
    }

    /// Returns whether the log continues a file whose last commit has this number, or was partly folded into that file.
    /// A log without any number is accepted.
    pub(crate) fn follows(&self, mark: u32) -> bool {
        let Some(first) = self.marks.first() else { return true };
        first.wrapping_sub(1) == mark || self.marks.contains(&mark)
    }
}

/// A write-ahead log that SQLite reads only up to a frame, although commits follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogDamage {
    /// The first frame that cannot be read.
    pub frame: u64,
    /// The number of frames up to the last commit that is known.
    pub frames: u64,
}

type Checksum = (u32, u32);

fn add_checksum((mut one, mut two): Checksum, bytes: &[u8], is_big_endian: bool) -> Checksum {
    let word = |four: &[u8]| {
        let four = four.try_into().unwrap_or_default();
        if is_big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
    };
    for pair in bytes.chunks_exact(8) {
        one = one.wrapping_add(word(&pair[..4])).wrapping_add(two);
        two = two.wrapping_add(word(&pair[4..])).wrapping_add(one);
    }
    (one, two)
}

fn stored_checksum(bytes: &[u8]) -> Checksum {
    let word = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    (word(0), word(4))
}

/// Looks for commits behind the first frame that SQLite cannot read, in a log that nobody has open. A frame of a commit
/// that did not end is not damage: no caller got a confirmation that it was stored. The index, if it still exists,
/// knows the last commit.
pub(crate) fn find_damage(log: &Path, index: &Path) -> io::Result<Option<LogDamage>> {
    let file = match File::open(log) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let (mut file, mut head) = (BufReader::new(file), [0; HEADER]);
    let page_size = |head: &[u8]| u32::from_be_bytes([head[8], head[9], head[10], head[11]]);
    if !read_whole(&mut file, &mut head)? || !is_log(&head) || !PAGE_SIZES.contains(&page_size(&head)) {
        return Ok(None);
    }
    let is_big_endian = head[3] & 1 == 1;
    let mut last = stored_checksum(&head[24..]);
    let mut is_intact = last == add_checksum((0, 0), &head[..24], is_big_endian);
    let (mut frame, mut page) = ([0; FRAME_HEADER], vec![0; page_size(&head) as usize]);
    let (mut at, mut intact, mut committed) = (0, 0, 0);
    while read_whole(&mut file, &mut frame)? && read_whole(&mut file, &mut page)? {
        at += 1;
        let sum = add_checksum(add_checksum(last, &frame[..8], is_big_endian), &page, is_big_endian);
        last = stored_checksum(&frame[16..]);
        let is_sound = sum == last && frame[8..16] == head[16..24];
        is_intact &= is_sound;
        if is_intact {
            intact = at;
        } else if is_sound && frame[4..8] != [0; 4] {
            committed = at;
        }
    }
    let frames = committed.max(read_last_commit(index, &head[16..24])?);
    Ok((frames > intact).then_some(LogDamage { frame: intact + 1, frames }))
}

/// Returns false if the file ends before.
fn read_whole(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(why) => Err(why),
    }
}

/// Returns the frame of the last commit that the index of the log with these salts knows, or 0.
fn read_last_commit(index: &Path, salts: &[u8]) -> io::Result<u64> {
    /// The header is stored twice. Its last eight bytes are the checksum of the others.
    const LENGTH: usize = 48;
    let mut head = [0; 2 * LENGTH];
    let is_whole = match File::open(index) {
        Err(why) if [io::ErrorKind::NotFound, io::ErrorKind::PermissionDenied].contains(&why.kind()) => false,
        file => read_whole(&mut file?, &mut head)?,
    };
    let (one, two) = head.split_at(LENGTH);
    let word = |at: usize| u32::from_ne_bytes([one[at], one[at + 1], one[at + 2], one[at + 3]]);
    let sum = add_checksum((0, 0), &one[..LENGTH - 8], cfg!(target_endian = "big"));
    let is_of_log = is_whole && one == two && &one[32..40] == salts && sum == (word(40), word(44));
    Ok(if is_of_log { u64::from(word(16)) } else { 0 })
}
