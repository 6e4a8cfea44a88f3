//! Reads the parts of a workbook around its sheets: the list of sheets, the shared texts and the number formats.

use std::{collections::HashMap, io::BufReader};

use super::{BUFFER, format::NumberFormat};
use crate::{
    error::{SheetError, SheetErrorKind},
    packed::archive::Archive,
    write::workbook::APPLICATION,
    xml::{XmlPiece, XmlReader},
};

pub(super) struct WorkbookParts {
    pub sheets: Vec<WorkbookSheet>,
    /// Whether days are counted from 1904.
    pub is_1904: bool,
    /// Whether this program exported the workbook.
    is_of_export: bool,
    styles: Option<String>,
    shared: Option<String>,
}

pub(super) struct WorkbookSheet {
    pub name: String,
    pub is_hidden: bool,
    pub part: String,
}

struct PartRelation {
    kind: String,
    part: String,
}

type PartRelations = HashMap<String, PartRelation>;

/// Reads a part piece by piece.
fn read_pieces(
    archive: &mut Archive,
    part: &str,
    visit: &mut dyn FnMut(XmlPiece) -> Result<(), SheetErrorKind>,
) -> Result<(), SheetError> {
    let limits = archive.limits();
    let mut xml = XmlReader::new(BufReader::with_capacity(BUFFER, archive.open_entry(part)?), part, limits);
    loop {
        match xml.next()? {
            XmlPiece::End => return Ok(()),
            piece => visit(piece).map_err(|kind| SheetError::in_part(part, kind))?,
        }
    }
}

/// Reads the references of a part. Nothing outside of the file is ever read.
fn read_relations(archive: &mut Archive, source: &str) -> Result<PartRelations, SheetError> {
    let (folder, name) = source.rsplit_once('/').unwrap_or(("", source));
    let part = if folder.is_empty() { format!("_rels/{name}.rels") } else { format!("{folder}/_rels/{name}.rels") };
    let (mut found, most) = (HashMap::new(), archive.limits().entries);
    if !archive.has_entry(&part) {
        return Ok(found);
    }
    read_pieces(archive, &part, &mut |piece| {
        if let XmlPiece::Open(tag) = piece
            && tag.name() == "Relationship"
            && tag.attribute("TargetMode").as_deref() != Some("External")
            && let (Some(id), Some(target)) = (tag.attribute("Id"), tag.attribute("Target"))
        {
            let kind = tag.attribute("Type").unwrap_or_default();
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            check_count(found.len(), most)?;
            found.insert(id, PartRelation { kind, part: resolve_target(folder, &target) });
        }
        Ok(())
    })?;
    Ok(found)
}

fn check_count(parts: usize, most: usize) -> Result<(), SheetErrorKind> {
    if parts < most { Ok(()) } else { Err(SheetErrorKind::TooManyParts(most)) }
}

fn resolve_target(folder: &str, target: &str) -> String {
    let path = match target.strip_prefix('/') {
        Some(whole) => whole.to_owned(),
        None => format!("{folder}/{target}"),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

pub(super) fn read_workbook(archive: &mut Archive) -> Result<WorkbookParts, SheetError> {
    let start = read_relations(archive, "")?;
    let part_of = |kind: &str| start.values().find(|relation| relation.kind == kind).map(|relation| &relation.part);
    let main = part_of("officeDocument").map_or_else(|| "xl/workbook.xml".to_owned(), String::clone);
    if main.ends_with(".bin") {
        return Err(SheetError::for_file(SheetErrorKind::OldWorkbook));
    }
    if !archive.has_entry(&main) {
        return Err(SheetError::for_file(SheetErrorKind::NoSheet));
    }
    // A damaged property part does not prevent reading the cells.
    let application = part_of("extended-properties").and_then(|part| read_application(archive, part).ok());
    let is_of_export = application.is_some_and(|name| name == APPLICATION);
    let (relations, most) = (read_relations(archive, &main)?, archive.limits().entries);
    let mut book = WorkbookParts { sheets: Vec::new(), is_1904: false, is_of_export, styles: None, shared: None };
    read_pieces(archive, &main, &mut |piece| {
        let XmlPiece::Open(tag) = piece else { return Ok(()) };
        match tag.name() {
            "workbookPr" => {
                book.is_1904 = matches!(tag.attribute("date1904").as_deref(), Some("1" | "true"));
            }
            "sheet" => {
                let relation = tag.attribute_of_any_prefix("id").and_then(|id| relations.get(&id));
                // Other kinds are charts and macros.
                if let Some(relation) = relation.filter(|relation| relation.kind == "worksheet") {
                    let is_hidden = tag.attribute("state").is_some_and(|state| state != "visible");
                    let name = tag.attribute("name").unwrap_or_default();
                    check_count(book.sheets.len(), most)?;
                    book.sheets.push(WorkbookSheet { name, is_hidden, part: relation.part.clone() });
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    let part_of = |kind: &str| relations.values().find(|relation| relation.kind == kind).map(|r| r.part.clone());
    book.styles = part_of("styles").filter(|part| archive.has_entry(part));
    book.shared = part_of("sharedStrings").filter(|part| archive.has_entry(part));
    Ok(book)
}

/// Returns the program that wrote the workbook.
fn read_application(archive: &mut Archive, part: &str) -> Result<String, SheetError> {
    let (mut name, mut is_in) = (String::new(), false);
    read_pieces(archive, part, &mut |piece| {
        match piece {
            XmlPiece::Open(tag) => is_in = tag.name() == "Application",
            XmlPiece::Close(_) => is_in = false,
            XmlPiece::Text(text) if is_in => name.push_str(&text),
            _ => {}
        }
        Ok(())
    })?;
    Ok(name)
}

/// The number format of each style.
#[derive(Default)]
pub(super) struct CellStyles {
    formats: Vec<NumberFormat>,
    /// For each style, the index of its format.
    of_style: Vec<u32>,
    pub is_1904: bool,
    /// Whether this program exported the workbook.
    pub is_of_export: bool,
}

impl CellStyles {
    pub(super) fn format_of(&self, style: usize) -> &NumberFormat {
        const GENERAL: &NumberFormat = &NumberFormat::General;
        self.of_style.get(style).and_then(|at| self.formats.get(*at as usize)).unwrap_or(GENERAL)
    }
}

/// Most characters of a format code. Programs write at most 255. With a longer one, numbers are shown as short as
/// possible.
const CODE_MAX: usize = 2_000;

pub(super) fn read_styles(archive: &mut Archive, book: &WorkbookParts) -> Result<CellStyles, SheetError> {
    let mut styles = CellStyles { is_1904: book.is_1904, is_of_export: book.is_of_export, ..CellStyles::default() };
    let Some(part) = &book.styles else { return Ok(styles) };
    let mut codes: HashMap<u64, String> = HashMap::new();
    let mut places: HashMap<u64, u32> = HashMap::new();
    let (mut in_cells, most) = (false, archive.limits().styles);
    read_pieces(archive, part, &mut |piece| {
        match piece {
            XmlPiece::Open(tag) => match tag.name() {
                "numFmt" => {
                    if let (Some(id), Some(code)) = (tag.number_attribute("numFmtId"), tag.attribute("formatCode")) {
                        check_count(codes.len(), most)?;
                        codes.insert(id, if code.len() > CODE_MAX { String::new() } else { code });
                    }
                }
                "cellXfs" => in_cells = true,
                "xf" if in_cells => {
                    check_count(styles.of_style.len(), most)?;
                    let id = tag.number_attribute("numFmtId").unwrap_or(0);
                    let next = styles.formats.len() as u32;
                    let at = *places.entry(id).or_insert(next);
                    if at == next {
                        styles.formats.push(match codes.get(&id) {
                            Some(code) => NumberFormat::parse(code),
                            None => NumberFormat::built_in(id),
                        });
                    }
                    styles.of_style.push(at);
                }
                _ => {}
            },
            XmlPiece::Close(name) if &*name == "cellXfs" => in_cells = false,
            _ => {}
        }
        Ok(())
    })?;
    Ok(styles)
}

/// Counts the comments on the cells of a sheet, and returns the name of the first such cell: `B7`.
pub(super) fn count_comments(archive: &mut Archive, sheet: &str) -> Result<(u64, String), SheetError> {
    let parts = read_relations(archive, sheet)?.into_values().filter(|relation| relation.kind == "comments");
    let (mut count, mut first) = (0, None);
    for PartRelation { part, .. } in parts.collect::<Vec<_>>() {
        if archive.has_entry(&part) {
            read_pieces(archive, &part, &mut |piece| {
                if let XmlPiece::Open(tag) = piece
                    && tag.name() == "comment"
                {
                    count += 1;
                    first = first.take().or_else(|| tag.attribute("ref"));
                }
                Ok(())
            })?;
        }
    }
    Ok((count, first.unwrap_or_default()))
}

/// Texts that cells refer to by number.
#[derive(Default)]
pub(super) struct SharedTexts {
    text: String,
    ends: Vec<u32>,
}

impl SharedTexts {
    pub(super) fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)? as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        self.text.get(start..end)
    }
}

pub(super) fn read_shared_texts(
    archive: &mut Archive,
    book: &WorkbookParts,
    most: usize,
) -> Result<SharedTexts, SheetError> {
    let mut shared = SharedTexts::default();
    let Some(part) = &book.shared else { return Ok(shared) };
    let mut text = TextScope::default();
    read_pieces(archive, part, &mut |piece| {
        match piece {
            XmlPiece::Open(tag) => text.open_tag(tag.name()),
            XmlPiece::Text(piece) if text.is_wanted() => {
                shared.text.push_str(&piece);
                if shared.text.len() > most {
                    return Err(SheetErrorKind::SharedTooLarge(most));
                }
            }
            XmlPiece::Close(name) => {
                text.close_tag(&name);
                if &*name == "si" {
                    let start = shared.ends.last().map_or(0, |end| *end as usize);
                    unescape_codes(&mut shared.text, start);
                    shared.ends.push(shared.text.len() as u32);
                    // A million empty texts take space, too.
                    if shared.ends.len() * size_of::<u32>() > most {
                        return Err(SheetErrorKind::SharedTooLarge(most));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(shared)
}

/// Distinguishes the text of a cell from its phonetic guide.
#[derive(Default)]
pub(super) struct TextScope {
    in_text: bool,
    in_phonetic: bool,
}

impl TextScope {
    pub(super) fn open_tag(&mut self, name: &str) {
        match name {
            "t" => self.in_text = true,
            "rPh" => self.in_phonetic = true,
            _ => {}
        }
    }

    pub(super) fn close_tag(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "rPh" => self.in_phonetic = false,
            _ => {}
        }
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.in_text && !self.in_phonetic
    }
}

/// Replaces codes such as `_x000D_`, which stand for characters that markup cannot hold.
pub(super) fn unescape_codes(text: &mut String, start: usize) {
    if !text[start..].contains("_x") {
        return;
    }
    let mut out = String::with_capacity(text.len() - start);
    let mut rest = &text[start..];
    while let Some(at) = rest.find("_x") {
        out.push_str(&rest[..at]);
        let code = rest.get(at + 2..at + 7).and_then(|code| code.strip_suffix('_'));
        // The parser of numbers accepts a sign, but a code has only digits.
        let code = code.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match code.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32) {
            Some(c) => {
                out.push(c);
                rest = &rest[at + 7..];
            }
            None => {
                out.push_str("_x");
                rest = &rest[at + 2..];
            }
        }
    }
    out.push_str(rest);
    text.truncate(start);
    text.push_str(&out);
}
