//! Reads a table by columns, as pandas writes it: `{"Phone":{"0":"…","1":"…"},"City":{"0":"…","1":"…"}}`.

use std::{borrow::Cow, collections::HashMap, fmt};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::wrapper::{parse_field, skip_blanks};

/// A table by columns with the rows that were not returned yet.
pub(super) struct ColumnTable {
    pub names: Vec<String>,
    /// For each row, the column and the value of each cell.
    pub rows: std::vec::IntoIter<Vec<(usize, String)>>,
    /// The line on which the table begins.
    pub line: u64,
}

/// Returns whether an object begins like such a table: its first value is an object whose first name is a number.
pub(super) fn is_column_table(text: &str) -> bool {
    let first = |at| parse_field(text, skip_blanks(text, at)).ok().flatten();
    let Some((_, column)) = first(1) else { return false };
    text.as_bytes().get(column) == Some(&b'{') && first(column + 1).is_some_and(|(name, _)| is_number(&name))
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

impl ColumnTable {
    /// Parses a table. Returns `None` if the object is a record.
    pub(super) fn parse(text: &str, line: u64) -> Option<Self> {
        if !is_column_table(text) {
            return None;
        }
        let columns: ObjectEntries = serde_json::from_str(text).ok()?;
        let (mut names, mut rows) = (Vec::new(), Vec::<Vec<(usize, String)>>::new());
        let mut places: HashMap<Cow<str>, usize> = HashMap::new();
        for (column, (name, cells)) in columns.0.into_iter().enumerate() {
            names.push(name.into_owned());
            let cells: ObjectEntries = serde_json::from_str(cells.get()).ok()?;
            for (row, value) in cells.0 {
                if !is_number(&row) {
                    return None;
                }
                let at = *places.entry(row).or_insert(rows.len());
                if at == rows.len() {
                    rows.push(Vec::new());
                }
                rows[at].push((column, value.get().to_owned()));
            }
        }
        Some(Self { names, rows: rows.into_iter(), line })
    }
}

/// The fields of an object in the order of the file.
struct ObjectEntries<'t>(Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'de> Deserialize<'de> for ObjectEntries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = ObjectEntries<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(ObjectEntries(entries))
    }
}
