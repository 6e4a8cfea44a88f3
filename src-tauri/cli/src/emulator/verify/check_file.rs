//! Reads a file of checks, and finds the line of a place in it.

use std::{fmt, path::Path};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;
use serde_saphyr::Spanned;

use super::super::target;
use crate::failure::{CliFailure, read_failure};

/// The checks of a file, with their line numbers.
pub(super) struct CheckFile {
    /// The format in which it was read.
    pub form: &'static str,
    pub checks: Vec<Value>,
    /// None if the lines are not known.
    lines: Option<Spanned<FilePlace>>,
}

/// A value of the file, with the lines of its members.
enum FilePlace {
    Object(Vec<(Spanned<String>, Spanned<FilePlace>)>),
    List(Vec<Spanned<FilePlace>>),
    Scalar,
}

impl CheckFile {
    pub(super) fn read(path: &Path) -> Result<Self, CliFailure> {
        let failure = |why: &dyn fmt::Display| CliFailure::new(format!("the checks {}: {why}", path.display()));
        let text = target::read_input(path).map_err(|why| read_failure(path, &why))?;
        let (form, read) = match text.trim_ascii_start().first() {
            None => return Err(failure(&"the file is empty, so nothing was checked")),
            Some(b'{' | b'[') => (
                "JSON",
                serde_json::from_slice(&text).map_err(|why| {
                    failure(&format!("not valid JSON (line {}, column {})", why.line(), why.column()))
                })?,
            ),
            Some(_) => (
                "YAML",
                // A drawing of the place would not fit on a line.
                serde_saphyr::from_slice(&text).map_err(|why: serde_saphyr::Error| {
                    failure(&format!("not valid YAML: {}", why.without_snippet()))
                })?,
            ),
        };
        // JSON is YAML too, except for rare cases, in which the lines are not known.
        let lines = serde_saphyr::from_slice(&text).ok();
        match read {
            Value::Array(checks) if checks.is_empty() => Err(failure(&"the list is empty, so nothing was checked")),
            Value::Array(checks) => Ok(Self { form, checks, lines }),
            check @ Value::Object(_) => Ok(Self { form, checks: vec![check], lines }),
            _ => Err(failure(&format!("read as {form}, it is neither a check nor a list of checks"))),
        }
    }

    /// Returns the line of a member of a check, or of the innermost part of its pointer that is there.
    pub(super) fn line_of(&self, check: usize, pointer: &str) -> Option<u64> {
        let root = self.lines.as_ref()?;
        let mut place = match &root.value {
            FilePlace::List(checks) => checks.get(check)?,
            _ => root,
        };
        let mut line = place.referenced.line();
        for segment in pointer.split('/').skip(1) {
            let name = segment.replace("~1", "/").replace("~0", "~");
            let found = match &place.value {
                FilePlace::Object(members) => {
                    members.iter().find(|(key, _)| key.value == name).map(|(key, value)| (key.referenced.line(), value))
                }
                FilePlace::List(items) => {
                    let item = name.parse::<usize>().ok().and_then(|index| items.get(index));
                    item.map(|item| (item.referenced.line(), item))
                }
                FilePlace::Scalar => None,
            };
            let Some((found_line, value)) = found else { break };
            (line, place) = (found_line, value);
        }
        (line > 0).then_some(line)
    }
}

impl<'de> Deserialize<'de> for FilePlace {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FilePlaceVisitor)
    }
}

struct FilePlaceVisitor;

impl<'de> Visitor<'de> for FilePlaceVisitor {
    type Value = FilePlace;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FilePlace, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(FilePlace::Object(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<FilePlace, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(FilePlace::List(items))
    }

    fn visit_bool<E>(self, _: bool) -> Result<FilePlace, E> {
        Ok(FilePlace::Scalar)
    }

    fn visit_i64<E>(self, _: i64) -> Result<FilePlace, E> {
        Ok(FilePlace::Scalar)
    }

    fn visit_u64<E>(self, _: u64) -> Result<FilePlace, E> {
        Ok(FilePlace::Scalar)
    }

    fn visit_f64<E>(self, _: f64) -> Result<FilePlace, E> {
        Ok(FilePlace::Scalar)
    }

    fn visit_str<E>(self, _: &str) -> Result<FilePlace, E> {
        Ok(FilePlace::Scalar)
    }

    fn visit_unit<E>(self) -> Result<FilePlace, E> {
        Ok(FilePlace::Scalar)
    }
}
