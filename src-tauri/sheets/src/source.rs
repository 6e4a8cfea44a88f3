//! Opens a file: determines its kind and chooses the reader for it.

use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};

use crate::{
    block::RowReader,
    error::{FilePosition, SheetError, SheetErrorKind},
    format::{FileSheet, OpenedSheet, ReadOptions, SourceFormat},
    json, ods,
    packed::{
        self, FileSource, UnpackedReader,
        archive::{Archive, ArchiveContent},
        expansion::ExpansionLimit,
        unsupported,
    },
    text::{
        delimited::DelimitedReader,
        dialect,
        encoding::{self, Encoding, EncodingEvidence, EncodingGuess},
    },
    vcard, xlsx,
};

/// Opens a file and detects its form. The file is read once, from the beginning.
pub fn open(mut source: FileSource, options: &ReadOptions) -> Result<OpenedSheet, SheetError> {
    let mut start = [0; 16];
    let (length, broken) = read_up_to(&mut source, &mut start);
    broken.map_or(Ok(()), Err)?;
    let size = source.seek(SeekFrom::End(0))?;
    source.rewind()?;
    if size == 0 {
        return Err(SheetError::for_file(SheetErrorKind::Empty));
    }
    if let Some(format) = unsupported::from_bytes(&start[..length]) {
        return Err(SheetError::for_file(SheetErrorKind::NotATable(format)));
    }
    let mut opened = match packed::detect_packing(&start[..length])? {
        Some(packed::Packing::Zip) => open_archive(source, options),
        Some(packing) => {
            let unpacked = packed::unpack(source, packing, size, &options.limits)?;
            open_text(unpacked, Some(packing.name()), options)
        }
        None => open_text(source, None, options),
    }?;
    // In an archived text, errors are reported at a line, not in a sheet.
    let is_book = matches!(opened.kind, SourceFormat::Xlsx | SourceFormat::Ods);
    let sheet = opened.sheet.filter(|_| is_book).and_then(|at| opened.sheets.get(at)).map(|sheet| sheet.name.clone());
    opened.rows = Box::new(ExpansionLimit::new(opened.rows, sheet, size, &options.limits));
    Ok(opened)
}

fn open_archive(source: FileSource, options: &ReadOptions) -> Result<OpenedSheet, SheetError> {
    let mut archive = Archive::open(source, options.limits)?;
    match archive.detect_content()? {
        ArchiveContent::Xlsx => xlsx::open_xlsx(archive, options),
        ArchiveContent::Ods => ods::open_ods(archive, options),
        ArchiveContent::Files(names) => {
            if let Some(format) = unsupported::from_archive(&names) {
                return Err(SheetError::for_file(SheetErrorKind::NotATable(format)));
            }
            let at = match &options.sheet {
                Some(wanted) => names.iter().position(|name| name == wanted),
                None => Some(likely_table(&names)),
            };
            let at = at.ok_or_else(|| {
                SheetError::for_file(SheetErrorKind::SheetNotFound(options.sheet.clone().unwrap_or_default()))
            })?;
            let unpacked: UnpackedReader = archive.into_entry(&names[at])?;
            let placed = |fault: SheetError| fault.with_position(|| FilePosition::Part { name: names[at].clone() });
            let mut opened = open_text(unpacked, Some("zip"), options).map_err(placed)?;
            opened.sheets = names.into_iter().map(|name| FileSheet { name, is_hidden: false }).collect();
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
    let mut filled = 0;
    while filled < buf.len() {
        match source.read(&mut buf[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return (filled, Some(why)),
        }
    }
    (filled, None)
}

/// Fails once, where reading failed before, and is then at its end.
struct FailingReader(Option<io::Error>);

impl Read for FailingReader {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

fn open_text(
    mut source: impl Read + Send + 'static,
    packing: Option<&'static str>,
    options: &ReadOptions,
) -> Result<OpenedSheet, SheetError> {
    let mut sample = Vec::new();
    let broken = source.by_ref().take(encoding::SAMPLE_BYTES as u64).read_to_end(&mut sample).err();
    let is_whole = sample.len() < encoding::SAMPLE_BYTES && broken.is_none();
    if packing.is_some() && packed::detect_packing(&sample)?.is_some() {
        return Err(SheetError::for_file(SheetErrorKind::PackedTwice));
    }
    if sample.is_empty() {
        return Err(broken.map_or(SheetError::for_file(SheetErrorKind::Empty), SheetError::from));
    }
    let guess = encoding::detect_encoding(&sample, is_whole);
    let guess = match options.encoding {
        Some(chosen) => EncodingGuess { encoding: chosen, ..guess.unwrap_or(EMPTY_GUESS) },
        None => guess?,
    };
    let encoding = guess.encoding;
    if !is_text(&sample, &guess) {
        return Err(SheetError::for_file(SheetErrorKind::NotText));
    }
    let mark = if sample.starts_with(encoding.byte_order_mark()) { encoding.byte_order_mark().len() } else { 0 };
    let letters = encoding.decode_start(&sample[mark..]);
    if letters.trim().is_empty() && is_whole {
        return Err(SheetError::for_file(SheetErrorKind::Empty));
    }
    if let Some(format) = unsupported::from_text(&letters).filter(|_| options.kind.is_none()) {
        return Err(SheetError::for_file(SheetErrorKind::NotATable(format)));
    }
    let kind = options.kind.unwrap_or_else(|| detect_kind(&letters));
    let mut dialect = None;
    let limits = options.limits;
    let mut start = Cursor::new(sample);
    start.set_position(mark as u64);
    // If the beginning could not be read as a whole, the error is repeated after the rows before it.
    let rest: Box<dyn Read + Send> =
        if broken.is_some() { Box::new(FailingReader(broken)) } else { Box::new(BufReader::new(source)) };
    let source = start.chain(rest);
    let rows: Box<dyn RowReader> = match kind {
        SourceFormat::Vcard => Box::new(vcard::CardReader::new(source, encoding, limits)),
        SourceFormat::Json => Box::new(json::RecordReader::new(source, encoding, limits)),
        // A text cannot be a workbook, whatever kind was requested.
        SourceFormat::Text | SourceFormat::Xlsx | SourceFormat::Ods => {
            let mut guess = dialect::detect_dialect(&letters, is_whole);
            guess.dialect = options.dialect.unwrap_or(guess.dialect);
            let rows = DelimitedReader::new(source, encoding, &guess.dialect, limits);
            dialect = Some(guess);
            Box::new(rows)
        }
    };
    Ok(OpenedSheet { kind, packing, encoding: Some(guess), dialect, sheets: Vec::new(), sheet: None, rows })
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

fn detect_kind(letters: &str) -> SourceFormat {
    let text = letters.trim_start();
    if text.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("BEGIN:VCARD")) {
        SourceFormat::Vcard
    } else if json::looks_like_records(text) {
        SourceFormat::Json
    } else {
        SourceFormat::Text
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;
    use crate::{block::RowBlock, text::dialect::Dialect};

    fn opened(bytes: &[u8]) -> Result<OpenedSheet, SheetError> {
        open(Box::new(Cursor::new(bytes.to_vec())), &ReadOptions::default())
    }

    #[test]
    fn kinds_are_recognized_by_the_content_of_the_file() {
        for (text, kind) in [
            ("a,b\n1,2\n", SourceFormat::Text),
            ("\u{feff}begin:vcard\nFN:a\nEND:VCARD\n", SourceFormat::Vcard),
            (" [{\"a\": 1}]", SourceFormat::Json),
            ("{\"a\":1}\n{\"a\":2}\n", SourceFormat::Json),
            ("[a],{b}\n", SourceFormat::Text),
        ] {
            assert_eq!(opened(text.as_bytes()).map(|opened| opened.kind).unwrap(), kind, "{text}");
        }
    }

    #[test]
    fn a_file_without_a_table_is_reported() {
        let kind = |bytes: &[u8]| opened(bytes).err().map(|fault| fault.kind);
        assert!(matches!(kind(b""), Some(SheetErrorKind::Empty)));
        assert!(matches!(kind(b" \n\r\n"), Some(SheetErrorKind::Empty)));
        assert!(matches!(kind(&[1, 2, 3, 4, 5, 6, 7, 8, b'a', 1, 2, 3]), Some(SheetErrorKind::NotText)));
        assert!(matches!(kind(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), Some(SheetErrorKind::OldWorkbook)));
        assert!(matches!(kind(b"7z\xbc\xaf\x27\x1c"), Some(SheetErrorKind::UnknownPacking(_))));
        assert!(matches!(kind(b"PK\x03\x04 and nothing else"), Some(SheetErrorKind::Damaged(_))));
    }

    #[test]
    fn a_file_that_is_not_a_table_is_called_by_its_kind() {
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
            let message = opened(bytes).err().map(|fault| fault.to_string()).unwrap_or_default();
            assert!(message.starts_with(&format!("This looks like {name}, not a table. ")), "{message}");
        }
        for (bytes, name) in
            [(b"PAR1\x15\x04\x15".as_slice(), "a Parquet file"), (b"ARROW1\0\0\xff\xff", "an Arrow file")]
        {
            let message = opened(bytes).err().map(|fault| fault.to_string()).unwrap_or_default();
            assert!(message.starts_with(&format!("This is {name}, which is not supported. ")), "{message}");
        }
        assert!(opened(b"PAR1,PAR2\n1,2\n").is_ok(), "names of columns");
        let options = ReadOptions { kind: Some(SourceFormat::Text), ..ReadOptions::default() };
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
        let mut block = RowBlock::default();
        let fault = opened.rows.fill_block(&mut block).unwrap_err();
        assert!(matches!(fault.kind, SheetErrorKind::Damaged(_)), "{fault}");
        assert!(matches!(fault.place, FilePosition::Line { line: 90.., .. }), "{fault}");
        assert!(block.len() > 90);
    }

    #[test]
    fn a_person_may_choose_otherwise() {
        let options = ReadOptions {
            encoding: Encoding::parse("windows-1252"),
            dialect: Some(Dialect::with_separator('b')),
            ..ReadOptions::default()
        };
        let mut opened = open(Box::new(Cursor::new("aböc".as_bytes().to_vec())), &options).unwrap();
        let mut block = RowBlock::default();
        while opened.rows.fill_block(&mut block).unwrap() {}
        assert_eq!(block.row(0).cells().collect::<Vec<_>>(), ["a", "Ã¶c"]);
        assert_eq!(opened.encoding.map(|guess| guess.encoding.name()), Some("windows-1252"));
    }
}
