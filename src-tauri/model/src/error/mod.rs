//! Describes what can be wrong with a value, in words and in codes that a caller acts on.

pub mod shell;

use serde::Serialize;
use serde_json::Value;

/// The reason why a request failed. Each code exists because a caller acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ErrorCode {
    /// The request breaks a rule. `details` holds the errors, and the form shows them at their fields.
    Invalid,
    /// The record does not exist any more. The screen refreshes.
    NotFound,
    /// The act is valid but not in the present state, for example because a name or a number is in use.
    Conflict,
    /// The command does not exist because the page and the core have different versions. The page reloads.
    UnknownCommand,
    /// No account is open. The page offers to create or open one.
    NoAccount,
    /// This front door cannot do it, for example show a native dialog in a browser. The page takes another way.
    Unsupported,
    /// A person cancelled the act while it ran. Nothing was changed.
    Cancelled,
    /// Another process has the account file open.
    Locked,
    /// A newer Roost wrote the account file. The person must upgrade.
    TooNew,
    /// The schema of the account file was not created by Roost. The person must restore a backup.
    Altered,
    /// The account file is damaged. The page offers to set it aside.
    Corrupt,
    /// The account file is no longer where it was opened. Writes are refused until it is back.
    Displaced,
    /// The file or its folder is read-only.
    ReadOnly,
    /// The device has no space left.
    DiskFull,
    /// Any other failure. The log has the cause.
    Internal,
}

/// One broken rule: where it was broken, which rule it is, and which value was given.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "FieldFault"))]
pub struct FieldError {
    /// Path in the request, such as `name` or `contacts[3].title`.
    pub path: String,
    /// The rule in words.
    pub message: String,
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub rejected: Value,
}

impl FieldError {
    pub fn new(path: impl Into<String>, message: impl Into<String>, rejected: impl Into<Value>) -> Self {
        Self { path: path.into(), message: message.into(), rejected: rejected.into() }
    }
}

/// Returns the message of the length rule, which all texts with a limit share.
pub fn size_message(min: usize, max: usize) -> String {
    format!("size must be between {min} and {max}")
}

/// Returns whether `text` has between `min` and `max` characters, counted as code points.
pub fn has_length(text: &str, min: usize, max: usize) -> bool {
    // A code point takes one to four bytes, so most texts need no counting.
    if text.len() < min || text.len() > max.saturating_mul(4) {
        return false;
    }
    if text.len() <= max && min <= 1 {
        return true;
    }
    let chars = text.chars().count();
    (min..=max).contains(&chars)
}

#[cfg(test)]
mod tests {
    use super::has_length;

    #[test]
    fn length_counts_code_points_not_bytes() {
        assert!(has_length(&"é".repeat(120), 1, 120));
        assert!(!has_length(&"é".repeat(121), 1, 120));
        assert!(has_length(&"🐦".repeat(30), 1, 30));
        assert!(!has_length(&"🐦".repeat(31), 1, 30));
        assert!(!has_length("", 1, 30));
        assert!(has_length("\0", 1, 30));
        assert!(!has_length("é", 2, 3), "two bytes are one character");
    }
}
