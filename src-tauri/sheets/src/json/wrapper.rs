//! Detects an object around a list of records, as interfaces return it: `{"count":2,"results":[{…},{…}]}`.

use std::borrow::Cow;

use serde_json::Value;

use super::RecordScan;

/// Names of the list of records in the responses of programs.
const LIST_NAMES: [&str; 20] = [
    "contacts",
    "data",
    "items",
    "results",
    "records",
    "people",
    "persons",
    "customers",
    "users",
    "members",
    "subscribers",
    "recipients",
    "entries",
    "rows",
    "values",
    "value",
    "list",
    "content",
    "response",
    "payload",
];
/// The maximum number of objects around the list.
const DEPTH_MAX: usize = 3;
/// The maximum length of a text that is searched for the end of an object with one field.
const LOOK_AHEAD_MAX: usize = 1 << 20;

/// A value beside the list.
#[derive(Debug)]
pub(super) struct SiblingValue {
    pub name: String,
    /// Number of plain values in it that are not empty.
    pub values: u64,
    pub example: String,
}

pub(super) enum DetectedWrapper {
    /// The object is a record.
    None,
    /// More text is needed.
    Unknown,
    List {
        /// Where the first record begins.
        at: usize,
        /// Number of objects around the list.
        depth: usize,
        /// Name of the list.
        name: String,
        siblings: Vec<SiblingValue>,
    },
}

/// Determines whether the object that begins here wraps a list.
pub(super) fn detect_wrapper(text: &str, is_last: bool) -> DetectedWrapper {
    let (mut at, mut depth, mut siblings) = (1, 1, Vec::new());
    loop {
        at = skip_blanks(text, at);
        let (name, value) = match parse_field(text, at) {
            Ok(Some(found)) => found,
            Ok(None) => return DetectedWrapper::None,
            Err(TextTooShort) => return DetectedWrapper::Unknown,
        };
        let Some(begin) = text.as_bytes().get(value) else { return DetectedWrapper::Unknown };
        let is_known = LIST_NAMES.contains(&name.to_ascii_lowercase().as_str());
        let inner = skip_blanks(text, value + 1);
        match begin {
            b'[' => match text.as_bytes().get(inner) {
                None => return DetectedWrapper::Unknown,
                Some(b'{') if is_known => {
                    return DetectedWrapper::List { at: inner, depth, name: name.into_owned(), siblings };
                }
                Some(b'{') if depth == 1 && siblings.is_empty() => match is_only_field(text, value) {
                    Some(true) => return DetectedWrapper::List { at: inner, depth, name: name.into_owned(), siblings },
                    Some(false) => {}
                    None if !is_last && text.len() < LOOK_AHEAD_MAX => return DetectedWrapper::Unknown,
                    None => return DetectedWrapper::None,
                },
                Some(_) => {}
            },
            b'{' if is_known && depth < DEPTH_MAX => {
                depth += 1;
                at = value + 1;
                continue;
            }
            _ => {}
        }
        let Some(end) = value_end(text, value) else { return DetectedWrapper::Unknown };
        siblings.push(describe_sibling(&name, &text[value..end]));
        at = end;
    }
}

/// Returns the field of an object at the beginning of the text, and its length. Returns `None` if no field begins
/// there, or if the text ends before the field does.
pub(super) fn parse_sibling(text: &str) -> Option<(SiblingValue, usize)> {
    let (name, value) = parse_field(text, 0).ok()??;
    let end = value_end(text, value)?;
    Some((describe_sibling(&name, &text[value..end]), end))
}

/// The text is too short to decide.
pub(super) struct TextTooShort;

/// Returns the name of the field that begins here, and where its value begins. Returns `None` if no field begins here.
pub(super) fn parse_field(text: &str, at: usize) -> Result<Option<(Cow<'_, str>, usize)>, TextTooShort> {
    match text.as_bytes().get(at) {
        None => return Err(TextTooShort),
        Some(b'"') => {}
        Some(_) => return Ok(None),
    }
    let end = text_end(text, at).ok_or(TextTooShort)?;
    let colon = skip_blanks(text, end);
    let value = skip_blanks(text, colon + 1);
    match (text.as_bytes().get(colon), serde_json::from_str(&text[at..end])) {
        (None, _) => Err(TextTooShort),
        (Some(b':'), Ok(name)) => Ok(Some((name, value))),
        _ => Ok(None),
    }
}

/// Returns whether the object ends right after the list that begins here, or `None` if the text is too short to tell.
fn is_only_field(text: &str, list: usize) -> Option<bool> {
    let end = skip_blanks(text, value_end(text, list)?);
    text.as_bytes().get(end).map(|byte| *byte == b'}')
}

/// Returns the next position with neither white space nor a comma.
pub(super) fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b',').count()
}

/// Returns the position after the closing quote.
fn text_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut from = at + 1;
    loop {
        let found = from + memchr::memchr2(b'"', b'\\', bytes.get(from..)?)?;
        if bytes[found] == b'"' {
            return Some(found + 1);
        }
        from = found + 2;
    }
}

fn value_end(text: &str, at: usize) -> Option<usize> {
    match text.as_bytes().get(at)? {
        b'"' => text_end(text, at),
        b'{' | b'[' => RecordScan::default().find_end(&text.as_bytes()[at..]).map(|length| at + length),
        _ => text.as_bytes()[at..].iter().position(|byte| matches!(byte, b',' | b'}' | b']')).map(|length| at + length),
    }
}

fn describe_sibling(name: &str, text: &str) -> SiblingValue {
    let values = serde_json::from_str(text).map_or(1, |value| count_values(&value));
    SiblingValue { name: name.to_owned(), values, example: text.trim().trim_matches('"').to_owned() }
}

fn count_values(value: &Value) -> u64 {
    match value {
        Value::Null => 0,
        Value::String(text) => u64::from(!text.trim().is_empty()),
        Value::Array(values) => values.iter().map(count_values).sum(),
        Value::Object(fields) => fields.values().map(count_values).sum(),
        _ => 1,
    }
}
