//! Reads workbooks of the Office Open XML format row by row, with the text that a person sees in each cell.

mod format;
mod parts;
mod sheet;
#[cfg(test)]
mod tests;

use std::io::BufReader;

pub use self::format::{has_all_digits, plain_digits};
use self::sheet::Cells;
use crate::{
    fault::{Fault, FaultKind},
    packed::archive::Archive,
    remark::{RemarkKind, Remarks},
    source::{Kind, Opened, Options, Sheet},
    xml::Xml,
};

const BUFFER: usize = 64 << 10;

pub fn open(mut archive: Archive, options: &Options) -> Result<Opened, Fault> {
    let limits = archive.limits();
    let book = parts::book(&mut archive)?;
    let wanted = match &options.sheet {
        Some(name) => book.sheets.iter().position(|sheet| sheet.name == *name),
        None => book.sheets.iter().position(|sheet| !sheet.is_hidden).or(Some(0).filter(|_| !book.sheets.is_empty())),
    };
    let at =
        wanted.ok_or_else(|| Fault::of_file(options.sheet.clone().map_or(FaultKind::NoSheet, FaultKind::SheetGone)))?;
    let styles = parts::styles(&mut archive, &book)?;
    let shared = parts::shared(&mut archive, &book, limits.shared_bytes)?;
    let (name, part) = (book.sheets[at].name.clone(), book.sheets[at].part.clone());
    let mut remarks = Remarks::default();
    // Damaged comments do not prevent reading the cells.
    let (comments, cell) = parts::comments(&mut archive, &part).unwrap_or_default();
    if comments > 0 {
        remarks.add_many(RemarkKind::Comment, "", comments, || format!("sheet “{name}”, cell {cell}"));
    }
    let xml = Xml::new(BufReader::with_capacity(BUFFER, archive.into_file(&part)?), &part, limits);
    let sheets = book.sheets.into_iter().map(|sheet| Sheet { name: sheet.name, is_hidden: sheet.is_hidden }).collect();
    Ok(Opened {
        kind: Kind::Xlsx,
        packing: None,
        encoding: None,
        dialect: None,
        sheets,
        sheet: Some(at),
        rows: Box::new(Cells::new(xml, name, styles, shared, remarks, limits)),
    })
}
