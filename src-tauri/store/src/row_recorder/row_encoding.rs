//! Encodes the rows that are recorded: values one after the other, each with its type.
//!
//! A whole row is its values in the order of the table's columns. A change is, for each changed column, its position,
//! its old value and its new value. Columns are only ever added at the end, so old images stay readable.

use rusqlite::types::{Value, ValueRef};

const NULL: u8 = 0;
const INTEGER: u8 = 1;
const REAL: u8 = 2;
const TEXT: u8 = 3;
const BLOB: u8 = 4;

/// The change of one column of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ColumnChange<V = Value> {
    pub column: usize,
    pub old: V,
    pub new: V,
}

fn write_length(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push((n as u8) | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn write_value(out: &mut Vec<u8>, value: ValueRef) {
    let bytes = |out: &mut Vec<u8>, tag, bytes: &[u8]| {
        out.push(tag);
        write_length(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
    };
    match value {
        ValueRef::Null => out.push(NULL),
        ValueRef::Integer(n) => {
            out.push(INTEGER);
            out.extend_from_slice(&n.to_le_bytes());
        }
        ValueRef::Real(n) => {
            out.push(REAL);
            out.extend_from_slice(&n.to_le_bytes());
        }
        ValueRef::Text(text) => bytes(out, TEXT, text),
        ValueRef::Blob(blob) => bytes(out, BLOB, blob),
    }
}

/// Encodes a row with these values.
pub(crate) fn encode_row<'v>(values: impl Iterator<Item = ValueRef<'v>>) -> Vec<u8> {
    let mut out = Vec::with_capacity(160);
    for value in values {
        write_value(&mut out, value);
    }
    out
}

/// Appends a column whose value changed. An unchanged column adds nothing.
pub(crate) fn encode_change(out: &mut Vec<u8>, column: usize, old: ValueRef, new: ValueRef) {
    if old != new {
        write_length(out, column as u64);
        write_value(out, old);
        write_value(out, new);
    }
}

struct ImageReader<'a>(&'a [u8]);

impl<'a> ImageReader<'a> {
    fn take_bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(len)?;
        self.0 = tail;
        Some(head)
    }

    fn read_length(&mut self) -> Option<usize> {
        let mut n = 0_u64;
        for shift in (0..63).step_by(7) {
            let byte = self.take_bytes(1)?[0];
            n |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return usize::try_from(n).ok();
            }
        }
        None
    }

    fn read_value(&mut self) -> Option<ValueRef<'a>> {
        Some(match self.take_bytes(1)?[0] {
            NULL => ValueRef::Null,
            INTEGER => ValueRef::Integer(i64::from_le_bytes(self.take_bytes(8)?.try_into().ok()?)),
            REAL => ValueRef::Real(f64::from_le_bytes(self.take_bytes(8)?.try_into().ok()?)),
            TEXT => {
                let len = self.read_length()?;
                std::str::from_utf8(self.take_bytes(len)?).ok()?.into()
            }
            BLOB => {
                let len = self.read_length()?;
                self.take_bytes(len)?.into()
            }
            _ => return None,
        })
    }
}

/// Decodes a row and borrows its values from the image. Returns `None` when the image is damaged.
pub(crate) fn borrow_row(image: &[u8]) -> Option<Vec<ValueRef<'_>>> {
    let mut reader = ImageReader(image);
    let mut values = Vec::with_capacity(32);
    while !reader.0.is_empty() {
        values.push(reader.read_value()?);
    }
    Some(values)
}

/// Decodes a row into owned values. Returns `None` when the image is damaged.
pub(crate) fn read_row(image: &[u8]) -> Option<Vec<Value>> {
    borrow_row(image)?.into_iter().map(|value| value.try_into().ok()).collect()
}

/// Decodes the changed columns and borrows their values from the data. Returns `None` when the data is damaged.
pub(crate) fn borrow_changes(note: &[u8]) -> Option<Vec<ColumnChange<ValueRef<'_>>>> {
    let mut reader = ImageReader(note);
    let mut changes = Vec::new();
    while !reader.0.is_empty() {
        changes.push(ColumnChange {
            column: reader.read_length()?,
            old: reader.read_value()?,
            new: reader.read_value()?,
        });
    }
    Some(changes)
}

/// Decodes the changed columns into owned values. Returns `None` when the data is damaged.
pub(crate) fn read_changes(note: &[u8]) -> Option<Vec<ColumnChange>> {
    let changes = borrow_changes(note)?.into_iter();
    changes
        .map(|c| Some(ColumnChange { column: c.column, old: c.old.try_into().ok()?, new: c.new.try_into().ok()? }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Value> {
        vec![
            Value::Null,
            Value::Integer(i64::MIN),
            Value::Real(-0.5),
            Value::Text("a\0b 🐦 \u{202e}".into()),
            Value::Text("x".repeat(300)),
            Value::Blob(vec![0, 255]),
        ]
    }

    #[test]
    fn every_kind_of_value_comes_back() {
        let row = samples();
        let image = encode_row(row.iter().map(ValueRef::from));
        assert_eq!(read_row(&image), Some(row.clone()));
        for end in 1..image.len() {
            assert_ne!(read_row(&image[..end]).as_ref(), Some(&row), "cut at {end}");
        }
    }

    #[test]
    fn only_what_changed_is_noted() {
        let (old, new) = (samples(), {
            let mut row = samples();
            row[3] = Value::Null;
            row[5] = Value::Integer(7);
            row
        });
        let mut note = Vec::new();
        for (column, (old, new)) in old.iter().zip(&new).enumerate() {
            encode_change(&mut note, 200 + column, old.into(), new.into());
        }
        let changes = read_changes(&note).unwrap();
        assert_eq!(changes.iter().map(|c| c.column).collect::<Vec<_>>(), [203, 205]);
        assert_eq!((&changes[0].old, &changes[0].new), (&old[3], &Value::Null));
    }
}
