//! Puts the values of a record into cells. The column of a value is named by the path to it, such as `address.city`.

use std::{borrow::Cow, fmt};

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::{
    block::{
        GrowingRow,
        remark::{RemarkKind, RemarkList},
    },
    error::SheetErrorKind,
    limits::ReadLimits,
    xlsx::{has_all_digits, plain_digits},
};

/// The target of the values of a record.
pub(super) struct RecordCells<'r> {
    pub limits: &'r ReadLimits,
    pub row: &'r mut GrowingRow,
    pub fault: Option<SheetErrorKind>,
    remarks: &'r mut RemarkList,
    /// Whether the value is an element of a list, whose elements share a cell.
    in_list: bool,
}

impl<'r> RecordCells<'r> {
    pub(super) fn new(limits: &'r ReadLimits, row: &'r mut GrowingRow, remarks: &'r mut RemarkList) -> Self {
        Self { limits, row, fault: None, remarks, in_list: false }
    }

    fn put_text(&mut self, path: &str, text: &str) {
        match self.row.add_value(path, text, self.limits) {
            Ok(is_first) => {
                if !is_first && !self.in_list {
                    self.remarks.add(RemarkKind::Doubled, path, text);
                }
            }
            Err(kind) => {
                self.fault.get_or_insert(kind);
            }
        }
    }
}

/// Visits the fields of an object, or the elements of an array, in the order of the file, and puts them into cells.
struct FieldsVisitor<'c, 'r, 'p> {
    path: &'p mut String,
    depth: usize,
    cells: &'c mut RecordCells<'r>,
}

pub(super) fn read_object(
    text: &str,
    path: &mut String,
    depth: usize,
    cells: &mut RecordCells,
) -> serde_json::Result<()> {
    let mut parser = serde_json::Deserializer::from_str(text);
    FieldsVisitor { path, depth, cells }.deserialize(&mut parser)?;
    parser.end()
}

impl<'de> DeserializeSeed<'de> for FieldsVisitor<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for FieldsVisitor<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = 0;
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let value: &'de RawValue = map.next_value()?;
            seen += 1;
            if seen > self.cells.limits.columns {
                self.cells.fault.get_or_insert(SheetErrorKind::TooManyColumns(seen - 1));
            }
            if self.cells.fault.is_some() {
                return Ok(());
            }
            let length = self.path.len();
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(&name);
            put_value(value.get(), self.path, self.depth + 1, self.cells).map_err(serde::de::Error::custom)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut number = 0;
        while let Some(value) = list.next_element::<&'de RawValue>()? {
            if self.cells.fault.is_some() {
                return Ok(());
            }
            let text = value.get();
            let length = self.path.len();
            // Plain values of one field share a cell. Records within a record are numbered.
            let is_plain = !text.starts_with(['{', '[']);
            if !is_plain {
                number += 1;
                self.path.push_str(&format!(".{number}"));
            }
            let was_in_list = std::mem::replace(&mut self.cells.in_list, is_plain);
            put_value(text, self.path, self.depth + 1, self.cells).map_err(serde::de::Error::custom)?;
            self.cells.in_list = was_in_list;
            self.path.truncate(length);
        }
        Ok(())
    }
}

pub(super) fn put_value(
    text: &str,
    path: &mut String,
    depth: usize,
    cells: &mut RecordCells,
) -> serde_json::Result<()> {
    match text.as_bytes().first() {
        Some(b'{' | b'[') if depth >= cells.limits.depth => {
            cells.fault.get_or_insert(SheetErrorKind::TooDeep(cells.limits.depth));
        }
        Some(b'{' | b'[') => read_object(text, path, depth, cells)?,
        Some(b'"') => cells.put_text(path, &serde_json::from_str::<Cow<str>>(text)?),
        Some(b'n') => cells.put_text(path, ""),
        // Numbers, `true` and `false` are taken as written, so that a long number loses no digit. A number with an
        // exponent is written out if all its digits are known.
        _ => {
            let digits = plain_digits(text);
            cells.put_text(path, if text.contains(['e', 'E']) && has_all_digits(&digits) { &digits } else { text });
        }
    }
    Ok(())
}
