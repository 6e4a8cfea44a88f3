//! What can be wrong with a value, in words and in codes that somebody acts on.

use serde::Serialize;
use serde_json::Value;

/// Why a request failed, as the front doors tell it. Each case is here because a caller acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ErrorCode {
    /// The request breaks a rule; `details` holds the faults. The form shows them at their fields.
    Invalid,
    /// The thing is gone; the screen refreshes.
    NotFound,
    /// The act is fine in itself but not in this state (a taken name, a used number).
    Conflict,
    /// No such command: page and core differ in version; reload.
    UnknownCommand,
    /// No account is open; the page offers to make or to open one.
    NoAccount,
    /// This door cannot do it (a native dialog asked for in a browser); the page takes another way.
    Unsupported,
    /// Somebody ended the act while it ran; nothing was changed.
    Cancelled,
    /// Another process holds the account file.
    Locked,
    /// The account file was written by a newer Roost; upgrade.
    TooNew,
    /// The account file's schema is not one Roost made; restore a backup.
    Altered,
    /// The account file is damaged; the page offers to set it aside.
    Corrupt,
    /// The account file is no longer where it was opened; whoever works on it waits until it is back.
    Displaced,
    /// The file or its folder cannot be written.
    ReadOnly,
    /// No room left on the device.
    DiskFull,
    /// Anything else; the log has the cause.
    Internal,
}

/// One broken rule: where, which, and what was given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fault {
    /// Where in the request: `name`, `contacts[3].title`.
    pub path: String,
    /// The rule, in its own words.
    pub message: String,
    /// What was given; null when nothing was.
    pub rejected: Value,
}

impl Fault {
    pub fn new(path: impl Into<String>, message: impl Into<String>, rejected: impl Into<Value>) -> Self {
        Self { path: path.into(), message: message.into(), rejected: rejected.into() }
    }
}

/// The words of the length rule, shared by every text with one.
pub fn size_between(min: usize, max: usize) -> String {
    format!("size must be between {min} and {max}")
}

/// Whether `text` has between `min` and `max` characters (code points).
pub fn has_length(text: &str, min: usize, max: usize) -> bool {
    // A code point takes one to four bytes, so most texts are settled without counting.
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
