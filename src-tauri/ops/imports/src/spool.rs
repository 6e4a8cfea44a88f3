//! Stores the rows of a file as text, so that any of them can be read again, whatever happens to the file.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use roost_sheets::{FRAME_HEAD_BYTES, FrameHead, RowBlock};
use roost_store::watch::Watch;

pub(crate) const DAMAGED_MESSAGE: &str = "The stored rows of the file are damaged. Open the file again.";

/// Rows in frames. A frame is always read whole.
pub struct Spool {
    backing: SpoolBacking,
    frames: Vec<SpoolFrame>,
    rows: u64,
    /// The buffer of the frame that is being written.
    out: Vec<u8>,
}

enum SpoolBacking {
    Memory(Vec<u8>),
    File { file: File, length: u64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SpoolFrame {
    offset: u64,
    /// The number of its first row.
    first_row: u64,
    head: FrameHead,
}

/// The buffers of a reader, which are reused from frame to frame.
#[derive(Debug, Default)]
pub struct FrameReader {
    bytes: Vec<u8>,
    pub block: RowBlock,
}

impl Spool {
    pub fn in_memory() -> Self {
        Self::from_backing(SpoolBacking::Memory(Vec::new()))
    }

    fn from_backing(backing: SpoolBacking) -> Self {
        Self { backing, frames: Vec::new(), rows: 0, out: Vec::new() }
    }

    /// Creates a new file that only its owner can read.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self::from_backing(SpoolBacking::File { file: options.open(path)?, length: 0 }))
    }

    /// Opens a spool that was left when the program last ended. An incomplete frame at its end is removed.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let size = file.seek(SeekFrom::End(0))?;
        let (mut frames, mut rows, mut at) = (Vec::new(), 0, 0);
        let mut bytes = [0; FRAME_HEAD_BYTES];
        while size - at >= FRAME_HEAD_BYTES as u64 {
            file.seek(SeekFrom::Start(at))?;
            file.read_exact(&mut bytes)?;
            let head = FrameHead::read(&bytes);
            let end = at + FRAME_HEAD_BYTES as u64 + head.length();
            if end > size || head.rows == 0 {
                break;
            }
            frames.push(SpoolFrame { offset: at, first_row: rows, head });
            rows += u64::from(head.rows);
            at = end;
        }
        file.set_len(at)?;
        Ok(Self { backing: SpoolBacking::File { file, length: at }, frames, rows, out: Vec::new() })
    }

    /// Opens a spool and removes everything behind `length`, which was written later.
    pub fn open_truncated(path: &Path, length: u64) -> io::Result<Self> {
        OpenOptions::new().write(true).open(path).and_then(|file| match file.metadata()?.len() {
            size if size > length => file.set_len(length),
            _ => Ok(()),
        })?;
        Self::open(path)
    }

    /// Returns another handle on the same rows.
    pub fn clone_handle(&self) -> io::Result<Self> {
        let backing = match &self.backing {
            SpoolBacking::Memory(bytes) => SpoolBacking::Memory(bytes.clone()),
            SpoolBacking::File { file, length } => SpoolBacking::File { file: file.try_clone()?, length: *length },
        };
        Ok(Self { backing, frames: self.frames.clone(), rows: self.rows, out: Vec::new() })
    }

    /// Returns a spool in which one frame is replaced by another with the same number of rows. The spool itself is
    /// unchanged.
    pub fn with_replaced_frame(&self, frame: usize, block: &RowBlock) -> io::Result<Self> {
        let mut other = self.clone_handle()?;
        let (place, rows) = (other.frames[frame], other.rows);
        if block.len() as u64 != u64::from(place.head.rows) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        other.push(block)?;
        if let Some(written) = other.frames.pop() {
            other.frames[frame] = SpoolFrame { first_row: place.first_row, ..written };
        }
        other.rows = rows;
        Ok(other)
    }

    /// Returns the number of bytes of all frames.
    pub fn byte_length(&self) -> u64 {
        match &self.backing {
            SpoolBacking::Memory(bytes) => bytes.len() as u64,
            SpoolBacking::File { length, .. } => *length,
        }
    }

    pub fn push(&mut self, block: &RowBlock) -> io::Result<()> {
        if block.is_empty() {
            return Ok(());
        }
        self.out.clear();
        block.write(&mut self.out);
        let at = match &mut self.backing {
            SpoolBacking::Memory(bytes) => {
                bytes.extend_from_slice(&self.out);
                (bytes.len() - self.out.len()) as u64
            }
            SpoolBacking::File { file, length } => {
                file.seek(SeekFrom::Start(*length))?;
                file.write_all(&self.out)?;
                *length += self.out.len() as u64;
                *length - self.out.len() as u64
            }
        };
        let head = self.out.first_chunk().map(FrameHead::read).ok_or(io::ErrorKind::InvalidData)?;
        self.frames.push(SpoolFrame { offset: at, first_row: self.rows, head });
        self.rows += u64::from(head.rows);
        Ok(())
    }

    pub fn row_count(&self) -> u64 {
        self.rows
    }

    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Returns the frame that holds a row, and the position of the row in it.
    pub fn locate_row(&self, row: u64) -> Option<(usize, usize)> {
        let frame = self.frames.partition_point(|frame| frame.first_row <= row).checked_sub(1)?;
        (row < self.rows).then(|| (frame, (row - self.frames[frame].first_row) as usize))
    }

    /// Returns the number of the first row of a frame.
    pub fn first_row(&self, frame: usize) -> u64 {
        self.frames[frame].first_row
    }

    /// Reads all frames on several threads. Each thread adds the frames that it reads to a separate value. Returns
    /// these values.
    pub fn read_frames<T: Send>(
        &self,
        threads: usize,
        watch: &Watch,
        start: impl Fn() -> T + Sync,
        add: impl Fn(&mut T, usize, &FrameReader) + Sync,
    ) -> io::Result<Vec<T>> {
        let next = AtomicUsize::new(0);
        let work = || -> io::Result<T> {
            let (mut reader, mut gathered) = (FrameReader::default(), start());
            loop {
                let frame = next.fetch_add(1, Ordering::Relaxed);
                if frame >= self.frame_count() {
                    return Ok(gathered);
                }
                if watch.is_cancelled() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                self.read_frame(frame, &mut reader)?;
                add(&mut gathered, frame, &reader);
            }
        };
        let ended_early = || io::Error::other("Reading the rows stopped before it finished. Try again.");
        std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            let theirs = helpers.into_iter().map(|helper| helper.join().unwrap_or_else(|_| Err(ended_early())));
            theirs.chain([own]).collect()
        })
    }

    /// Reads a frame. Several threads may do so at once.
    pub fn read_frame(&self, frame: usize, reader: &mut FrameReader) -> io::Result<()> {
        let SpoolFrame { offset: at, head, .. } = self.frames[frame];
        let (start, length) = (at + FRAME_HEAD_BYTES as u64, head.length() as usize);
        let is_read = match &self.backing {
            SpoolBacking::Memory(bytes) => reader.block.read(&head, &bytes[start as usize..start as usize + length]),
            SpoolBacking::File { file, .. } => {
                reader.bytes.resize(length, 0);
                read_at(file, &mut reader.bytes, start)?;
                reader.block.read(&head, &reader.bytes)
            }
        };
        if is_read {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, DAMAGED_MESSAGE))
    }
}

#[cfg(unix)]
fn read_at(file: &File, buf: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buf, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut buf: &mut [u8], mut at: u64) -> io::Result<()> {
    while !buf.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, buf, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        buf = &mut buf[read..];
        at += read as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use roost_sheets::RowFlags;

    use super::*;

    fn sample_block(first: u64, rows: u64) -> RowBlock {
        let mut block = RowBlock::default();
        for row in first..first + rows {
            block.push_cell(&format!("row {row}"));
            block.end_row(row + 1, RowFlags::default());
        }
        block
    }

    fn row_text(spool: &Spool, row: u64) -> Option<String> {
        let (frame, at) = spool.locate_row(row)?;
        let mut reader = FrameReader::default();
        spool.read_frame(frame, &mut reader).unwrap();
        assert_eq!(spool.first_row(frame) + at as u64, row);
        Some(reader.block.row(at).get(0).unwrap().to_owned())
    }

    fn fill_spool(spool: &mut Spool) {
        spool.push(&sample_block(0, 3)).unwrap();
        spool.push(&RowBlock::default()).unwrap();
        spool.push(&sample_block(3, 1)).unwrap();
        spool.push(&sample_block(4, 5)).unwrap();
    }

    #[test]
    fn any_row_is_found_again() {
        let mut spool = Spool::in_memory();
        assert_eq!(row_text(&spool, 0), None);
        fill_spool(&mut spool);
        assert_eq!((spool.row_count(), spool.frame_count()), (9, 3));
        for at in 0..9 {
            assert_eq!(row_text(&spool, at), Some(format!("row {at}")));
        }
        assert_eq!(row_text(&spool, 9), None);
    }

    #[test]
    fn a_file_that_was_cut_off_keeps_what_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.spool");
        let mut spool = Spool::create(&path).unwrap();
        fill_spool(&mut spool);
        drop(spool);
        let size = std::fs::metadata(&path).unwrap().len();
        File::options().write(true).open(&path).unwrap().set_len(size - 1).unwrap();
        let mut spool = Spool::open(&path).unwrap();
        assert_eq!(spool.row_count(), 4);
        spool.push(&sample_block(4, 2)).unwrap();
        assert_eq!(row_text(&spool, 5), Some("row 5".to_owned()));
        assert!(Spool::create(&path).is_err(), "what is there is not written over");
    }

    #[test]
    fn a_frame_is_replaced_and_what_was_there_can_be_had_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.spool");
        let mut spool = Spool::create(&path).unwrap();
        fill_spool(&mut spool);
        let length = spool.byte_length();
        let mut other = RowBlock::default();
        for cell in ["a", "b", "c"] {
            other.push_cell(cell);
            other.end_row(1, RowFlags::default());
        }
        assert!(spool.with_replaced_frame(1, &other).is_err(), "as many rows as there were");
        let mended = spool.with_replaced_frame(0, &other).unwrap();
        assert_eq!((row_text(&mended, 1).as_deref(), row_text(&mended, 3).as_deref()), (Some("b"), Some("row 3")));
        assert_eq!((row_text(&mended, 8).as_deref(), row_text(&mended, 9)), (Some("row 8"), None));
        assert_eq!(row_text(&spool, 1).as_deref(), Some("row 1"));
        assert!(mended.byte_length() > length);
        let again = Spool::open_truncated(&path, length).unwrap();
        assert_eq!((again.row_count(), row_text(&again, 1).as_deref()), (9, Some("row 1")));
    }

    #[test]
    fn damage_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.spool");
        let mut spool = Spool::create(&path).unwrap();
        fill_spool(&mut spool);
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let mut reader = FrameReader::default();
        assert!(spool.read_frame(0, &mut reader).is_ok());
        assert_eq!(spool.read_frame(2, &mut reader).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
