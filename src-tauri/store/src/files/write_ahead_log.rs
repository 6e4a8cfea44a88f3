//! Checks whether a write-ahead log belongs to the file beside it.
//!
//! SQLite folds a log into whatever file has the name. If a backup is put in the place of an account, the old account's
//! log would overwrite it. Therefore every commit of an account has a number, one more than the commit before, which
//! begins anywhere. The number is `user_version` on the first page, so the file says up to which commit it was folded,
//! and the log says which commits it holds.

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
