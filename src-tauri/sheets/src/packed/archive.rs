//! Reads zip archives: the table of contents, and single files as streams.

use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};

use flate2::{Crc, read::DeflateDecoder};
use zip::{CompressionMethod, ZipArchive, result::ZipError};

use super::{BoundedReader, FileSource, UnpackedReader};
use crate::{
    error::{SheetError, SheetErrorKind},
    limits::ReadLimits,
};

/// An archive whose table of contents has been read.
pub(crate) struct Archive {
    source: FileSource,
    entries: Vec<ArchiveEntry>,
    limits: ReadLimits,
}

#[derive(Debug, Clone)]
struct ArchiveEntry {
    name: String,
    start: u64,
    packed: u64,
    crc: u32,
    method: CompressionMethod,
    is_locked: bool,
}

/// The kind of content of an archive.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ArchiveContent {
    Xlsx,
    Ods,
    /// One or more packed files.
    Files(Vec<String>),
}

const SHEET_OF_OPEN_DOCUMENT: &[u8] = b"application/vnd.oasis.opendocument.spreadsheet";

/// Most bytes of a table of contents, which is held in memory. That of ten thousand files takes less than two million.
const CONTENTS_BYTES_MAX: u64 = 16 << 20;

/// A source from which only a limited number of bytes may be read.
struct MeteredSource {
    inner: FileSource,
    left: u64,
}

impl Read for MeteredSource {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(SheetErrorKind::Damaged(
                "its table of contents is longer than any program writes it".to_owned(),
            )
            .into_io_error());
        }
        let most = buf.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.inner.read(&mut buf[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}

impl Seek for MeteredSource {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

impl Archive {
    pub(crate) fn open(mut source: FileSource, limits: ReadLimits) -> Result<Self, SheetError> {
        let size = source.seek(SeekFrom::End(0))?;
        let mut archive =
            ZipArchive::new(MeteredSource { inner: source, left: CONTENTS_BYTES_MAX }).map_err(to_error)?;
        if archive.len() > limits.entries {
            return Err(SheetError::for_file(SheetErrorKind::ManyFiles(archive.len())));
        }
        let mut entries = Vec::with_capacity(archive.len());
        for at in 0..archive.len() {
            let file = archive.by_index_raw(at).map_err(to_error)?;
            entries.push(ArchiveEntry {
                name: file.name().map_err(to_error)?.into_owned(),
                start: file.data_start().unwrap_or_default(),
                // The size in the entry is not trusted, because the limit of the unpacked size is computed from it.
                packed: file.compressed_size().min(size),
                crc: file.crc32(),
                method: file.compression(),
                is_locked: file.encrypted(),
            });
        }
        Ok(Self { source: archive.into_inner().inner, entries, limits })
    }

    pub(crate) fn has_entry(&self, name: &str) -> bool {
        self.find_entry(name).is_some()
    }

    pub(crate) fn limits(&self) -> ReadLimits {
        self.limits
    }

    pub(crate) fn detect_content(&mut self) -> Result<ArchiveContent, SheetError> {
        if self.has_entry("xl/workbook.bin") {
            return Err(SheetError::for_file(SheetErrorKind::OldWorkbook));
        }
        if self.has_entry("[Content_Types].xml") {
            return Ok(ArchiveContent::Xlsx);
        }
        if self.has_entry("content.xml") && self.is_sheet()? {
            return Ok(ArchiveContent::Ods);
        }
        // Excludes folders, and files that operating systems leave beside the others.
        let is_file = |name: &str| {
            let last = name.rsplit('/').next().unwrap_or_default();
            !last.is_empty() && !last.starts_with('.') && !name.starts_with("__MACOSX/")
        };
        let names: Vec<String> = self.entries.iter().map(|e| e.name.clone()).filter(|name| is_file(name)).collect();
        if names.is_empty() {
            Err(SheetError::for_file(SheetErrorKind::Empty))
        } else {
            Ok(ArchiveContent::Files(names))
        }
    }

    /// Returns whether the file `mimetype` names an OpenDocument sheet. A missing file counts as yes.
    fn is_sheet(&mut self) -> Result<bool, SheetError> {
        if !self.has_entry("mimetype") {
            return Ok(true);
        }
        let mut text = Vec::new();
        self.open_entry("mimetype")?.take(200).read_to_end(&mut text)?;
        Ok(text.starts_with(SHEET_OF_OPEN_DOCUMENT))
    }

    /// Finds an entry by name. Some programs write names with other case or slashes than they refer to.
    fn find_entry(&self, name: &str) -> Option<&ArchiveEntry> {
        let is_alike = |entry: &&ArchiveEntry| {
            let bytes = entry.name.bytes().map(|byte| if byte == b'\\' { b'/' } else { byte });
            entry.name.len() == name.len() && bytes.zip(name.bytes()).all(|(a, b)| a.eq_ignore_ascii_case(&b))
        };
        self.entries.iter().find(|entry| entry.name == name).or_else(|| self.entries.iter().find(is_alike))
    }

    fn readable_entry(&self, name: &str) -> Result<ArchiveEntry, SheetError> {
        let entry = self.find_entry(name).cloned();
        let entry = entry
            .ok_or_else(|| SheetError::in_part(name, SheetErrorKind::Damaged("it is not in the file".to_owned())))?;
        match entry.method {
            _ if entry.is_locked => Err(SheetError::in_part(name, SheetErrorKind::Locked)),
            CompressionMethod::Stored | CompressionMethod::Deflated => Ok(entry),
            other => Err(SheetError::in_part(name, SheetErrorKind::UnknownPacking(format!("{other:?}")))),
        }
    }

    /// Reads one file while the archive stays open.
    pub(crate) fn open_entry(
        &mut self,
        name: &str,
    ) -> Result<BoundedReader<CheckedReader<&mut FileSource>>, SheetError> {
        let entry = self.readable_entry(name)?;
        self.source.seek(SeekFrom::Start(entry.start))?;
        Ok(BoundedReader::new(CheckedReader::new(&mut self.source, &entry), entry.packed, &self.limits))
    }

    /// Reads one file and consumes the archive.
    pub(crate) fn into_entry(mut self, name: &str) -> Result<UnpackedReader, SheetError> {
        let entry = self.readable_entry(name)?;
        self.source.seek(SeekFrom::Start(entry.start))?;
        let reader: Box<dyn Read + Send> = Box::new(CheckedReader::new(self.source, &entry));
        Ok(BoundedReader::new(reader, entry.packed, &self.limits))
    }
}

fn to_error(why: ZipError) -> SheetError {
    SheetError::for_file(match why {
        ZipError::Io(why) => why.into(),
        ZipError::UnsupportedArchive(what) => SheetErrorKind::UnknownPacking(what.to_owned()),
        _ => SheetErrorKind::Damaged("its table of contents is missing or broken".to_owned()),
    })
}

/// Reads one file of an archive and verifies its checksum at the end.
pub(crate) struct CheckedReader<R: Read> {
    inner: EntryDecoder<R>,
    sum: Crc,
    wanted: u32,
}

enum EntryDecoder<R: Read> {
    Stored(BufReader<Take<R>>),
    Deflated(Box<DeflateDecoder<BufReader<Take<R>>>>),
}

impl<R: Read> CheckedReader<R> {
    fn new(source: R, entry: &ArchiveEntry) -> Self {
        let packed = BufReader::with_capacity(64 << 10, source.take(entry.packed));
        let inner = if entry.method == CompressionMethod::Stored {
            EntryDecoder::Stored(packed)
        } else {
            EntryDecoder::Deflated(Box::new(DeflateDecoder::new(packed)))
        };
        Self { inner, sum: Crc::new(), wanted: entry.crc }
    }
}

impl<R: Read> Read for CheckedReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.inner {
            EntryDecoder::Stored(inner) => inner.read(buf)?,
            EntryDecoder::Deflated(inner) => inner.read(buf)?,
        };
        self.sum.update(&buf[..read]);
        if read == 0 && !buf.is_empty() && self.sum.sum() != self.wanted {
            return Err(SheetErrorKind::Damaged("its check sum is wrong".to_owned()).into_io_error());
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;

    fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut out = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            out.start_file(*name, SimpleFileOptions::default()).unwrap();
            out.write_all(bytes).unwrap();
        }
        out.finish().unwrap().into_inner()
    }

    fn open(bytes: Vec<u8>, limits: ReadLimits) -> Result<Archive, SheetError> {
        Archive::open(Box::new(Cursor::new(bytes)), limits)
    }

    #[test]
    fn an_archive_lists_what_it_holds() {
        let holds = |files: &[(&str, &[u8])]| open(zipped(files), ReadLimits::STANDARD).unwrap().detect_content();
        assert_eq!(
            holds(&[("a/customers.csv", b"x"), ("__MACOSX/a/._customers.csv", b"x"), ("a/.DS_Store", b"")]).unwrap(),
            ArchiveContent::Files(vec!["a/customers.csv".to_owned()])
        );
        assert_eq!(holds(&[("[Content_Types].xml", b""), ("xl/workbook.xml", b"")]).unwrap(), ArchiveContent::Xlsx);
        assert_eq!(holds(&[("mimetype", SHEET_OF_OPEN_DOCUMENT), ("content.xml", b"")]).unwrap(), ArchiveContent::Ods);
        assert_eq!(
            holds(&[("a.csv", b""), ("b.csv", b"")]).unwrap(),
            ArchiveContent::Files(vec!["a.csv".to_owned(), "b.csv".to_owned()])
        );
        assert!(matches!(holds(&[]).unwrap_err().kind, SheetErrorKind::Empty));
    }

    #[test]
    fn files_come_out_whole_or_with_a_fault() {
        let text = b"a,b\n".repeat(10_000);
        let bytes = zipped(&[("a.csv", &text)]);
        let mut out = Vec::new();
        open(bytes.clone(), ReadLimits::STANDARD).unwrap().into_entry("a.csv").unwrap().read_to_end(&mut out).unwrap();
        assert_eq!(out, text);
        let mut bent = bytes.clone();
        bent[60] ^= 0x55;
        let read = open(bent, ReadLimits::STANDARD).and_then(|archive| archive.into_entry("a.csv"));
        let read = read.and_then(|mut file| file.read_to_end(&mut Vec::new()).map_err(SheetError::from));
        assert!(matches!(read.unwrap_err().kind, SheetErrorKind::Damaged(_)));
        let cut = bytes[..bytes.len() / 2].to_vec();
        assert!(matches!(open(cut, ReadLimits::STANDARD).err().unwrap().kind, SheetErrorKind::Damaged(_)));
    }

    #[test]
    fn a_file_that_swells_is_ended() {
        let limits = ReadLimits { unpacked_free: 1_000, ..ReadLimits::STANDARD };
        let bytes = zipped(&[("a.csv", &vec![b'x'; 5_000_000])]);
        let mut file = open(bytes, limits).unwrap().into_entry("a.csv").unwrap();
        let kind = SheetErrorKind::from(file.read_to_end(&mut Vec::new()).unwrap_err());
        assert!(matches!(kind, SheetErrorKind::UnpacksTooMuch(200)), "{kind:?}");
    }
}
