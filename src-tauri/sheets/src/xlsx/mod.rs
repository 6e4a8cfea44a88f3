//! Reads workbooks of the Office Open XML format row by row, with the text that a person sees in each cell.

mod format;
mod parts;
mod sheet;
#[cfg(test)]
mod tests;

use std::io::BufReader;

pub(crate) use self::format::{has_all_digits, plain_digits};
use self::sheet::SheetReader;
use crate::{
    block::remark::{RemarkKind, RemarkList},
    error::{SheetError, SheetErrorKind},
    format::{FileSheet, OpenedSheet, ReadOptions, SourceFormat},
    packed::archive::Archive,
    xml::XmlReader,
};

const BUFFER: usize = 64 << 10;

pub(crate) fn open_xlsx(mut archive: Archive, options: &ReadOptions) -> Result<OpenedSheet, SheetError> {
    let limits = archive.limits();
    let book = parts::read_workbook(&mut archive)?;
    let wanted = match &options.sheet {
        Some(name) => book.sheets.iter().position(|sheet| sheet.name == *name),
        None => book.sheets.iter().position(|sheet| !sheet.is_hidden).or(Some(0).filter(|_| !book.sheets.is_empty())),
    };
    let at = wanted.ok_or_else(|| {
        SheetError::for_file(options.sheet.clone().map_or(SheetErrorKind::NoSheet, SheetErrorKind::SheetNotFound))
    })?;
    let styles = parts::read_styles(&mut archive, &book)?;
    let shared = parts::read_shared_texts(&mut archive, &book, limits.shared_bytes)?;
    let (name, part) = (book.sheets[at].name.clone(), book.sheets[at].part.clone());
    let mut remarks = RemarkList::default();
    // Damaged comments do not prevent reading the cells.
    let (comments, cell) = parts::count_comments(&mut archive, &part).unwrap_or_default();
    if comments > 0 {
        remarks.add_many(RemarkKind::Comment, "", comments, || format!("sheet “{name}”, cell {cell}"));
    }
    let xml = XmlReader::new(BufReader::with_capacity(BUFFER, archive.into_entry(&part)?), &part, limits);
    let sheets =
        book.sheets.into_iter().map(|sheet| FileSheet { name: sheet.name, is_hidden: sheet.is_hidden }).collect();
    Ok(OpenedSheet {
        kind: SourceFormat::Xlsx,
        packing: None,
        encoding: None,
        dialect: None,
        sheets,
        sheet: Some(at),
        rows: Box::new(SheetReader::new(xml, name, styles, shared, remarks, limits)),
    })
}
