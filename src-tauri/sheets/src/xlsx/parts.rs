//! Reads the parts of a workbook around its sheets: the list of sheets, the shared texts and the number formats.

use std::{collections::HashMap, io::BufReader};

use super::{BUFFER, format::Format};
use crate::{
    fault::{Fault, FaultKind},
    packed::archive::Archive,
    write::xlsx::APPLICATION,
    xml::{Piece, Xml},
};

pub struct Book {
    pub sheets: Vec<Named>,
    /// Whether days are counted from 1904.
    pub is_1904: bool,
    /// Whether this program exported the workbook.
    is_of_export: bool,
    styles: Option<String>,
    shared: Option<String>,
}

pub struct Named {
    pub name: String,
    pub is_hidden: bool,
    pub part: String,
}

struct Relation {
    kind: String,
    part: String,
}

type Relations = HashMap<String, Relation>;

/// Reads a part piece by piece.
fn each(archive: &mut Archive, part: &str, visit: &mut dyn FnMut(Piece) -> Result<(), FaultKind>) -> Result<(), Fault> {
    let limits = archive.limits();
    let mut xml = Xml::new(BufReader::with_capacity(BUFFER, archive.file(part)?), part, limits);
    loop {
        match xml.next()? {
            Piece::End => return Ok(()),
            piece => visit(piece).map_err(|kind| Fault::in_part(part, kind))?,
        }
    }
}

/// Reads the references of a part. Nothing outside of the file is ever read.
fn relations(archive: &mut Archive, of: &str) -> Result<Relations, Fault> {
    let (folder, name) = of.rsplit_once('/').unwrap_or(("", of));
    let part = if folder.is_empty() { format!("_rels/{name}.rels") } else { format!("{folder}/_rels/{name}.rels") };
    let (mut found, most) = (HashMap::new(), archive.limits().entries);
    if !archive.has(&part) {
        return Ok(found);
    }
    each(archive, &part, &mut |piece| {
        if let Piece::Open(tag) = piece
            && tag.name() == "Relationship"
            && tag.attribute("TargetMode").as_deref() != Some("External")
            && let (Some(id), Some(target)) = (tag.attribute("Id"), tag.attribute("Target"))
        {
            let kind = tag.attribute("Type").unwrap_or_default();
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            few(found.len(), most)?;
            found.insert(id, Relation { kind, part: resolved(folder, &target) });
        }
        Ok(())
    })?;
    Ok(found)
}

fn few(parts: usize, most: usize) -> Result<(), FaultKind> {
    if parts < most { Ok(()) } else { Err(FaultKind::TooManyParts(most)) }
}

fn resolved(folder: &str, target: &str) -> String {
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

pub fn book(archive: &mut Archive) -> Result<Book, Fault> {
    let start = relations(archive, "")?;
    let part_of = |kind: &str| start.values().find(|relation| relation.kind == kind).map(|relation| &relation.part);
    let main = part_of("officeDocument").map_or_else(|| "xl/workbook.xml".to_owned(), String::clone);
    if main.ends_with(".bin") {
        return Err(Fault::of_file(FaultKind::OldWorkbook));
    }
    if !archive.has(&main) {
        return Err(Fault::of_file(FaultKind::NoSheet));
    }
    // A damaged property part does not prevent reading the cells.
    let application = part_of("extended-properties").and_then(|part| application(archive, part).ok());
    let is_of_export = application.is_some_and(|name| name == APPLICATION);
    let (relations, most) = (relations(archive, &main)?, archive.limits().entries);
    let mut book = Book { sheets: Vec::new(), is_1904: false, is_of_export, styles: None, shared: None };
    each(archive, &main, &mut |piece| {
        let Piece::Open(tag) = piece else { return Ok(()) };
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
                    few(book.sheets.len(), most)?;
                    book.sheets.push(Named { name, is_hidden, part: relation.part.clone() });
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    let part_of = |kind: &str| relations.values().find(|relation| relation.kind == kind).map(|r| r.part.clone());
    book.styles = part_of("styles").filter(|part| archive.has(part));
    book.shared = part_of("sharedStrings").filter(|part| archive.has(part));
    Ok(book)
}

/// Returns the program that wrote the workbook.
fn application(archive: &mut Archive, part: &str) -> Result<String, Fault> {
    let (mut name, mut is_in) = (String::new(), false);
    each(archive, part, &mut |piece| {
        match piece {
            Piece::Open(tag) => is_in = tag.name() == "Application",
            Piece::Close(_) => is_in = false,
            Piece::Text(text) if is_in => name.push_str(&text),
            _ => {}
        }
        Ok(())
    })?;
    Ok(name)
}

/// The number format of each style.
#[derive(Default)]
pub struct Styles {
    formats: Vec<Format>,
    /// For each style, the index of its format.
    of_style: Vec<u32>,
    pub is_1904: bool,
    /// Whether this program exported the workbook.
    pub is_of_export: bool,
}

impl Styles {
    pub fn format(&self, style: usize) -> &Format {
        const GENERAL: &Format = &Format::General;
        self.of_style.get(style).and_then(|at| self.formats.get(*at as usize)).unwrap_or(GENERAL)
    }
}

/// Most characters of a format code. Programs write at most 255. With a longer one, numbers are shown as short as
/// possible.
const CODE_MAX: usize = 2_000;

pub fn styles(archive: &mut Archive, book: &Book) -> Result<Styles, Fault> {
    let mut styles = Styles { is_1904: book.is_1904, is_of_export: book.is_of_export, ..Styles::default() };
    let Some(part) = &book.styles else { return Ok(styles) };
    let mut codes: HashMap<u64, String> = HashMap::new();
    let mut places: HashMap<u64, u32> = HashMap::new();
    let (mut in_cells, most) = (false, archive.limits().styles);
    each(archive, part, &mut |piece| {
        match piece {
            Piece::Open(tag) => match tag.name() {
                "numFmt" => {
                    if let (Some(id), Some(code)) = (tag.number("numFmtId"), tag.attribute("formatCode")) {
                        few(codes.len(), most)?;
                        codes.insert(id, if code.len() > CODE_MAX { String::new() } else { code });
                    }
                }
                "cellXfs" => in_cells = true,
                "xf" if in_cells => {
                    few(styles.of_style.len(), most)?;
                    let id = tag.number("numFmtId").unwrap_or(0);
                    let next = styles.formats.len() as u32;
                    let at = *places.entry(id).or_insert(next);
                    if at == next {
                        styles.formats.push(match codes.get(&id) {
                            Some(code) => Format::parse(code),
                            None => Format::built_in(id),
                        });
                    }
                    styles.of_style.push(at);
                }
                _ => {}
            },
            Piece::Close(name) if &*name == "cellXfs" => in_cells = false,
            _ => {}
        }
        Ok(())
    })?;
    Ok(styles)
}

/// Counts the comments on the cells of a sheet, and returns the name of the first such cell: `B7`.
pub fn comments(archive: &mut Archive, sheet: &str) -> Result<(u64, String), Fault> {
    let parts = relations(archive, sheet)?.into_values().filter(|relation| relation.kind == "comments");
    let (mut count, mut first) = (0, None);
    for Relation { part, .. } in parts.collect::<Vec<_>>() {
        if archive.has(&part) {
            each(archive, &part, &mut |piece| {
                if let Piece::Open(tag) = piece
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
pub struct Shared {
    text: String,
    ends: Vec<u32>,
}

impl Shared {
    pub fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)? as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        self.text.get(start..end)
    }
}

pub fn shared(archive: &mut Archive, book: &Book, most: usize) -> Result<Shared, Fault> {
    let mut shared = Shared::default();
    let Some(part) = &book.shared else { return Ok(shared) };
    let mut text = TextOf::default();
    each(archive, part, &mut |piece| {
        match piece {
            Piece::Open(tag) => text.open(tag.name()),
            Piece::Text(piece) if text.is_wanted() => {
                shared.text.push_str(&piece);
                if shared.text.len() > most {
                    return Err(FaultKind::SharedTooLarge(most));
                }
            }
            Piece::Close(name) => {
                text.close(&name);
                if &*name == "si" {
                    let start = shared.ends.last().map_or(0, |end| *end as usize);
                    unescape(&mut shared.text, start);
                    shared.ends.push(shared.text.len() as u32);
                    // A million empty texts take space, too.
                    if shared.ends.len() * size_of::<u32>() > most {
                        return Err(FaultKind::SharedTooLarge(most));
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
pub struct TextOf {
    in_text: bool,
    in_phonetic: bool,
}

impl TextOf {
    pub fn open(&mut self, name: &str) {
        match name {
            "t" => self.in_text = true,
            "rPh" => self.in_phonetic = true,
            _ => {}
        }
    }

    pub fn close(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "rPh" => self.in_phonetic = false,
            _ => {}
        }
    }

    pub fn is_wanted(&self) -> bool {
        self.in_text && !self.in_phonetic
    }
}

/// Replaces codes such as `_x000D_`, which stand for characters that markup cannot hold.
pub fn unescape(text: &mut String, start: usize) {
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
