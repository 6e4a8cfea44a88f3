//! Opens a file: determines its kind and chooses the reader for it.

use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};

use serde::{Deserialize, Serialize};

use crate::{
    block::Block,
    fault::{Fault, FaultKind, Place},
    json,
    limits::Limits,
    ods,
    packed::{
        self, Unpacked,
        archive::{Archive, Holds},
        swell::Swelling,
        unsupported,
    },
    remark::Remark,
    text::{
        delimited::Delimited,
        dialect::{self, Dialect, DialectGuess},
        encoding::{self, Encoding, EncodingEvidence, EncodingGuess},
    },
    vcard, xlsx,
};

/// A source of bytes that can be read from any position.
pub trait Input: Read + Seek + Send {}

impl<T: Read + Seek + Send> Input for T {}

/// A file, or something that takes its place.
pub type Source = Box<dyn Input>;

/// Most bytes of text after an error in which lines are counted.
pub(crate) const REST_MAX: usize = 256 << 20;

/// Reads rows of text, one block after another.
pub trait Rows: Send {
    /// Adds rows to `block` until it is full. Returns false when there are no more. Rows that were added before an
    /// error are valid.
    fn fill(&mut self, block: &mut Block) -> Result<bool, Fault>;

    /// Returns what the file holds and the rows lack or hold in another form. Every reader reports all that it skips.
    fn remarks(&self) -> &[Remark];

    /// Counts the lines from the position of an error to the end of the file. Returns `None` if they cannot be counted.
    fn count_rest(&mut self) -> Option<u64> {
        None
    }

    /// Returns the columns if the kind of file names them, rather than a row. Some become known only while reading.
    fn columns(&self) -> Option<&[String]> {
        None
    }

    /// Returns the name of the list that holds the rows, once it is known.
    fn list_name(&self) -> Option<&str> {
        None
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportFileKind"))]
pub enum Kind {
    /// Text with any separator.
    Text,
    Xlsx,
    Ods,
    Vcard,
    /// A list of records, or records one after another.
    Json,
}

/// A part of a file that is read separately: a sheet of a workbook, or a file of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportSheet"))]
pub struct Sheet {
    pub name: String,
    pub is_hidden: bool,
}

/// The person's choices for reading a file. Options that are `None` are detected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    pub kind: Option<Kind>,
    pub encoding: Option<Encoding>,
    pub dialect: Option<Dialect>,
    pub sheet: Option<String>,
    pub limits: Limits,
}

/// A file whose form is known, before its first row.
pub struct Opened {
    pub kind: Kind,
    /// Name of the packing, such as `gzip`.
    pub packing: Option<&'static str>,
    pub encoding: Option<EncodingGuess>,
    pub dialect: Option<DialectGuess>,
    /// Sheets of the workbook, or files of an archive with several files.
    pub sheets: Vec<Sheet>,
    /// The index of the one that is read.
    pub sheet: Option<usize>,
    pub rows: Box<dyn Rows>,
}

/// Opens a file and detects its form. The file is read once, from the beginning.
pub fn open(mut source: Source, options: &Options) -> Result<Opened, Fault> {
    let mut start = [0; 16];
    let (length, broken) = read_up_to(&mut source, &mut start);
    broken.map_or(Ok(()), Err)?;
    let size = source.seek(SeekFrom::End(0))?;
    source.rewind()?;
    if size == 0 {
        return Err(Fault::of_file(FaultKind::Empty));
    }
    if let Some(format) = unsupported::of_bytes(&start[..length]) {
        return Err(Fault::of_file(FaultKind::NotATable(format)));
    }
    let mut opened = match packed::sniff(&start[..length])? {
        Some(packed::Packing::Zip) => archive(source, options),
        Some(packing) => {
            let unpacked = packed::unpack(source, packing, size, &options.limits)?;
            text(unpacked, Some(packing.name()), options)
        }
        None => text(source, None, options),
    }?;
    // In an archived text, errors are reported at a line, not in a sheet.
    let is_book = matches!(opened.kind, Kind::Xlsx | Kind::Ods);
    let sheet = opened.sheet.filter(|_| is_book).and_then(|at| opened.sheets.get(at)).map(|sheet| sheet.name.clone());
    opened.rows = Box::new(Swelling::new(opened.rows, sheet, size, &options.limits));
    Ok(opened)
}

fn archive(source: Source, options: &Options) -> Result<Opened, Fault> {
    let mut archive = Archive::open(source, options.limits)?;
    match archive.holds()? {
        Holds::Xlsx => xlsx::open(archive, options),
        Holds::Ods => ods::open(archive, options),
        Holds::Files(names) => {
            if let Some(format) = unsupported::of_archive(&names) {
                return Err(Fault::of_file(FaultKind::NotATable(format)));
            }
            let at = match &options.sheet {
                Some(wanted) => names.iter().position(|name| name == wanted),
                None => Some(likely_table(&names)),
            };
            let at =
                at.ok_or_else(|| Fault::of_file(FaultKind::SheetGone(options.sheet.clone().unwrap_or_default())))?;
            let unpacked: Unpacked = archive.into_file(&names[at])?;
            let placed = |fault: Fault| fault.placed(|| Place::Part { name: names[at].clone() });
            let mut opened = text(unpacked, Some("zip"), options).map_err(placed)?;
            opened.sheets = names.into_iter().map(|name| Sheet { name, is_hidden: false }).collect();
            opened.sheet = Some(at);
            Ok(opened)
        }
    }
}

/// Returns the first file whose name is that of a table, or the first of all.
fn likely_table(names: &[String]) -> usize {
    const ENDS: [&str; 9] = [".csv", ".tsv", ".tab", ".txt", ".vcf", ".vcard", ".json", ".jsonl", ".ndjson"];
    let is_table = |name: &String| ENDS.iter().any(|end| name.to_ascii_lowercase().ends_with(end));
    names.iter().position(is_table).unwrap_or(0)
}

/// Reads until the buffer is full, the source ends or reading fails. Bytes that were read before are valid.
fn read_up_to(source: &mut impl Read, buf: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut there = 0;
    while there < buf.len() {
        match source.read(&mut buf[there..]) {
            Ok(0) => break,
            Ok(read) => there += read,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return (there, Some(why)),
        }
    }
    (there, None)
}

/// Fails once, where reading failed before, and is then at its end.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

fn text(
    mut source: impl Read + Send + 'static,
    packing: Option<&'static str>,
    options: &Options,
) -> Result<Opened, Fault> {
    let mut sample = Vec::new();
    let broken = source.by_ref().take(encoding::SAMPLE as u64).read_to_end(&mut sample).err();
    let is_whole = sample.len() < encoding::SAMPLE && broken.is_none();
    if packing.is_some() && packed::sniff(&sample)?.is_some() {
        return Err(Fault::of_file(FaultKind::PackedTwice));
    }
    if sample.is_empty() {
        return Err(broken.map_or(Fault::of_file(FaultKind::Empty), Fault::from));
    }
    let guess = encoding::detect(&sample, is_whole);
    let guess = match options.encoding {
        Some(chosen) => EncodingGuess { encoding: chosen, ..guess.unwrap_or(EMPTY_GUESS) },
        None => guess?,
    };
    let encoding = guess.encoding;
    if !is_text(&sample, &guess) {
        return Err(Fault::of_file(FaultKind::NotText));
    }
    let mark = if sample.starts_with(encoding.mark()) { encoding.mark().len() } else { 0 };
    let letters = encoding.decode_start(&sample[mark..]);
    if letters.trim().is_empty() && is_whole {
        return Err(Fault::of_file(FaultKind::Empty));
    }
    if let Some(format) = unsupported::of_text(&letters).filter(|_| options.kind.is_none()) {
        return Err(Fault::of_file(FaultKind::NotATable(format)));
    }
    let kind = options.kind.unwrap_or_else(|| kind_of(&letters));
    let mut dialect = None;
    let limits = options.limits;
    let mut start = Cursor::new(sample);
    start.set_position(mark as u64);
    // If the beginning could not be read as a whole, the error is repeated after the rows before it.
    let rest: Box<dyn Read + Send> =
        if broken.is_some() { Box::new(Broken(broken)) } else { Box::new(BufReader::new(source)) };
    let source = start.chain(rest);
    let rows: Box<dyn Rows> = match kind {
        Kind::Vcard => Box::new(vcard::Cards::new(source, encoding, limits)),
        Kind::Json => Box::new(json::Records::new(source, encoding, limits)),
        // A text cannot be a workbook, whatever kind was requested.
        Kind::Text | Kind::Xlsx | Kind::Ods => {
            let mut guess = dialect::detect(&letters, is_whole);
            guess.dialect = options.dialect.unwrap_or(guess.dialect);
            let rows = Delimited::new(source, encoding, &guess.dialect, limits);
            dialect = Some(guess);
            Box::new(rows)
        }
    };
    Ok(Opened { kind, packing, encoding: Some(guess), dialect, sheets: Vec::new(), sheet: None, rows })
}

const EMPTY_GUESS: EncodingGuess =
    EncodingGuess { encoding: Encoding::UTF_8, by: EncodingEvidence::Likely, words: Vec::new() };

/// Returns whether the control characters are few enough for a text. One or two spoil only a row.
fn is_text(sample: &[u8], guess: &EncodingGuess) -> bool {
    if guess.encoding.is_wide() {
        return true;
    }
    let odd = sample.iter().filter(|byte| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1e)).count();
    odd <= 2 || odd * 50 <= sample.len()
}

fn kind_of(letters: &str) -> Kind {
    let text = letters.trim_start();
    if text.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("BEGIN:VCARD")) {
        Kind::Vcard
    } else if json::begins(text) {
        Kind::Json
    } else {
        Kind::Text
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn opened(bytes: &[u8]) -> Result<Opened, Fault> {
        open(Box::new(Cursor::new(bytes.to_vec())), &Options::default())
    }

    #[test]
    fn kinds_are_told_by_what_is_in_the_file() {
        for (text, kind) in [
            ("a,b\n1,2\n", Kind::Text),
            ("\u{feff}begin:vcard\nFN:a\nEND:VCARD\n", Kind::Vcard),
            (" [{\"a\": 1}]", Kind::Json),
            ("{\"a\":1}\n{\"a\":2}\n", Kind::Json),
            ("[a],{b}\n", Kind::Text),
        ] {
            assert_eq!(opened(text.as_bytes()).map(|opened| opened.kind).unwrap(), kind, "{text}");
        }
    }

    #[test]
    fn what_is_no_table_is_told() {
        let kind = |bytes: &[u8]| opened(bytes).err().map(|fault| fault.kind);
        assert!(matches!(kind(b""), Some(FaultKind::Empty)));
        assert!(matches!(kind(b" \n\r\n"), Some(FaultKind::Empty)));
        assert!(matches!(kind(&[1, 2, 3, 4, 5, 6, 7, 8, b'a', 1, 2, 3]), Some(FaultKind::NotText)));
        assert!(matches!(kind(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), Some(FaultKind::OldWorkbook)));
        assert!(matches!(kind(b"7z\xbc\xaf\x27\x1c"), Some(FaultKind::UnknownPacking(_))));
        assert!(matches!(kind(b"PK\x03\x04 and nothing else"), Some(FaultKind::Damaged(_))));
    }

    #[test]
    fn what_is_no_table_is_called_by_its_name() {
        for (bytes, name) in [
            (b"%PDF-1.7 x".as_slice(), "a PDF document"),
            (b"\x89PNG\r\n\x1a\n0000", "a PNG image"),
            (b"\xff\xd8\xff\xe0 JFIF", "a JPEG image"),
            (b"RIFF0000WEBPVP8 ", "a WebP image"),
            (b"SQLite format 3\0 and more", "a database"),
            (b"\xef\xbb\xbf\r\n<!DOCTYPE html><html><table>", "a web page"),
            (b"<table><tr><td>Phone</td></tr></table>", "a web page"),
            (b"<?xml version=\"1.0\"?><html xmlns=\"x\"></html>", "a web page"),
            (b"<?xml version=\"1.0\"?><contacts/>", "an XML file"),
            (b"{\\rtf1\\ansi", "an RTF document"),
        ] {
            let told = opened(bytes).err().map(|fault| fault.to_string()).unwrap_or_default();
            assert!(told.starts_with(&format!("This looks like {name}, not a table. ")), "{told}");
        }
        for (bytes, name) in
            [(b"PAR1\x15\x04\x15".as_slice(), "a Parquet file"), (b"ARROW1\0\0\xff\xff", "an Arrow file")]
        {
            let told = opened(bytes).err().map(|fault| fault.to_string()).unwrap_or_default();
            assert!(told.starts_with(&format!("This is {name}, which is not supported. ")), "{told}");
        }
        assert!(opened(b"PAR1,PAR2\n1,2\n").is_ok(), "names of columns");
        let options = Options { kind: Some(Kind::Text), ..Options::default() };
        assert!(open(Box::new(Cursor::new(b"<table>,x\n".to_vec())), &options).is_ok(), "a person may know better");
    }

    #[test]
    fn rows_of_a_packed_file_that_is_cut_off_are_kept() {
        let mut out = GzEncoder::new(Vec::new(), Compression::none());
        for row in 0..100 {
            writeln!(out, "{row},name {row}").unwrap();
        }
        let packed = out.finish().unwrap();
        let mut opened = opened(&packed[..packed.len() - 20]).unwrap();
        let mut block = Block::default();
        let fault = opened.rows.fill(&mut block).unwrap_err();
        assert!(matches!(fault.kind, FaultKind::Damaged(_)), "{fault}");
        assert!(matches!(fault.place, Place::Line { line: 90.., .. }), "{fault}");
        assert!(block.len() > 90);
    }

    #[test]
    fn a_person_may_choose_otherwise() {
        let options = Options {
            encoding: Encoding::parse("windows-1252"),
            dialect: Some(Dialect::of('b')),
            ..Options::default()
        };
        let mut opened = open(Box::new(Cursor::new("aböc".as_bytes().to_vec())), &options).unwrap();
        let mut block = Block::default();
        while opened.rows.fill(&mut block).unwrap() {}
        assert_eq!(block.row(0).cells().collect::<Vec<_>>(), ["a", "Ã¶c"]);
        assert_eq!(opened.encoding.map(|guess| guess.encoding.name()), Some("windows-1252"));
    }
}
