//! Creates damaged and hostile files while they are read, so that none is ever held or written whole.

use std::{
    io::{self, Cursor, Read, Seek, SeekFrom, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use flate2::{Compress, Compression, Crc, FlushCompress, write::GzEncoder};
use roost_sheets::FileSource;

/// The number of bytes that were read from a source.
pub(crate) type BytesRead = Arc<AtomicU64>;

/// A beginning, one byte repeated very often, and an end.
pub(crate) struct Long {
    start: Vec<u8>,
    byte: u8,
    times: u64,
    end: Vec<u8>,
    at: u64,
    bytes_read: BytesRead,
}

impl Long {
    pub(crate) fn boxed(start: &str, byte: u8, times: u64, end: &str) -> (FileSource, BytesRead) {
        let bytes_read = BytesRead::default();
        let (start, end) = (start.as_bytes().to_vec(), end.as_bytes().to_vec());
        (Box::new(Self { start, byte, times, end, at: 0, bytes_read: bytes_read.clone() }), bytes_read)
    }

    fn length(&self) -> u64 {
        self.start.len() as u64 + self.times + self.end.len() as u64
    }
}

impl Read for Long {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = (buf.len() as u64).min(self.length().saturating_sub(self.at)) as usize;
        let behind = self.start.len() as u64 + self.times;
        for (place, at) in buf[..count].iter_mut().zip(self.at..) {
            *place = match at {
                at if at < self.start.len() as u64 => self.start[at as usize],
                at if at < behind => self.byte,
                at => self.end[(at - behind) as usize],
            };
        }
        self.at += count as u64;
        self.bytes_read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl Seek for Long {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::End(by) => self.length().saturating_add_signed(by),
            SeekFrom::Current(by) => self.at.saturating_add_signed(by),
        };
        Ok(self.at)
    }
}

pub(crate) fn bytes(bytes: impl Into<Vec<u8>>) -> (FileSource, BytesRead) {
    (Box::new(Cursor::new(bytes.into())), BytesRead::default())
}

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    out.write_all(text).unwrap();
    out.finish().unwrap()
}

/// One file of an archive.
pub(crate) struct Part {
    name: String,
    packed: Vec<u8>,
    crc: u32,
    size: u64,
}

pub(crate) fn part(name: &str, text: &str) -> Part {
    swelling(name, "", text, 1, "")
}

/// Builds a file from a beginning, one text repeated very often, and an end. It is packed once and never made whole.
pub(crate) fn swelling(name: &str, start: &str, unit: &str, times: usize, end: &str) -> Part {
    let mut packed = deflated(start);
    let unit_packed = deflated(unit);
    (0..times).for_each(|_| packed.extend_from_slice(&unit_packed));
    packed.extend(deflated(end));
    packed.extend([3, 0]);
    let mut crc = Crc::new();
    crc.update(start.as_bytes());
    if times == 1 {
        crc.update(unit.as_bytes());
    }
    crc.update(end.as_bytes());
    Part { name: name.to_owned(), packed, crc: crc.sum(), size: (start.len() + unit.len() * times + end.len()) as u64 }
}

/// Packs a text so that it ends at a whole byte and refers to nothing before it, and can be repeated.
fn deflated(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 1_024);
    if !text.is_empty() {
        Compress::new(Compression::best(), false).compress_vec(text.as_bytes(), &mut out, FlushCompress::Full).unwrap();
    }
    out
}

pub(crate) fn zip(parts: &[Part]) -> Vec<u8> {
    let (mut out, mut contents) = (Vec::new(), Vec::new());
    for part in parts {
        let start = out.len() as u32;
        let mut head = vec![20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0x5c];
        for field in [part.crc, part.packed.len() as u32, u32::try_from(part.size).unwrap_or(u32::MAX - 1)] {
            head.extend(field.to_le_bytes());
        }
        head.extend((part.name.len() as u16).to_le_bytes());
        head.extend([0, 0]);
        out.extend(b"PK\x03\x04");
        out.extend(&head);
        out.extend(part.name.as_bytes());
        out.extend(&part.packed);
        contents.extend(b"PK\x01\x02\x14\x00");
        contents.extend(&head);
        contents.extend([0; 10]);
        contents.extend(start.to_le_bytes());
        contents.extend(part.name.as_bytes());
    }
    let start = out.len() as u32;
    out.extend(&contents);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend((parts.len() as u16).to_le_bytes());
    out.extend((parts.len() as u16).to_le_bytes());
    out.extend((contents.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out
}

const RELATIONS: &str = "<Relationships>\
    <Relationship Id=\"r1\" Type=\"x/worksheet\" Target=\"worksheets/sheet1.xml\"/>\
    <Relationship Id=\"r2\" Type=\"x/sharedStrings\" Target=\"sharedStrings.xml\"/>\
    <Relationship Id=\"r3\" Type=\"x/externalLink\" Target=\"http://127.0.0.1:9/links\" TargetMode=\"External\"/>\
    </Relationships>";

/// Builds a workbook with one sheet and the texts that its cells share.
pub(crate) fn xlsx(sheet: Part, shared: Part) -> Vec<u8> {
    zip(&[
        part("[Content_Types].xml", "<Types/>"),
        part(
            "xl/workbook.xml",
            "<workbook xmlns:q=\"x\"><sheets><sheet name=\"Customers\" q:id=\"r1\"/></sheets></workbook>",
        ),
        part("xl/_rels/workbook.xml.rels", RELATIONS),
        shared,
        sheet,
    ])
}

pub(crate) fn no_texts() -> Part {
    part("xl/sharedStrings.xml", "<sst/>")
}

pub(crate) fn sheet(rows: &str) -> Part {
    part("xl/worksheets/sheet1.xml", &format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"))
}

/// Builds an OpenDocument sheet with these rows.
pub(crate) fn ods(rows: &str) -> Vec<u8> {
    let start = "<office:document-content><office:body><office:spreadsheet><table:table table:name=\"Customers\">";
    let end = "</table:table></office:spreadsheet></office:body></office:document-content>";
    zip(&[part("content.xml", &format!("{start}{rows}{end}"))])
}
