//! Senders: the names from which messages are sent.

use serde::{Deserialize, Serialize};

use crate::{error::FieldError, id::SenderId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SenderStatus {
    Pending,
    Verified,
}

crate::variant_names! { pub SenderStatus { Pending = "Pending", Verified = "Verified" } }

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Sender {
    pub id: SenderId,
    pub name: String,
    pub status: SenderStatus,
}

/// The kind of a sender's name. A numeric one needs no review, because the number was bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SenderKind {
    Alphanumeric,
    Numeric,
}

/// Returns the kind of a sender's name, or the rule that the name breaks.
pub fn check_name(name: &str) -> Result<SenderKind, FieldError> {
    if name.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty() {
        let numeric = match name.len() {
            5 => matches!(name.as_bytes()[0], b'6'..=b'8'),
            11 => name.starts_with("07"),
            12 => name.starts_with("44"),
            _ => false,
        };
        return if numeric {
            Ok(SenderKind::Numeric)
        } else {
            Err(FieldError::new(
                "name",
                "A numeric sender is 5 digits starting 6, 7 or 8, 11 digits starting 07, or 12 digits starting 44.",
                name,
            ))
        };
    }
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'.' | b'-' | b'_' | b'&');
    let fits = (3..=11).contains(&name.len())
        && name.bytes().all(allowed)
        && name.bytes().any(|b| b.is_ascii_alphabetic())
        && name.trim() == name;
    if fits {
        Ok(SenderKind::Alphanumeric)
    } else {
        Err(FieldError::new(
            "name",
            "A sender name has 3 to 11 letters, digits, spaces or . - _ &, at least one letter, and no space at either end.",
            name,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules() {
        for good in ["Roost", "A-1", "Fish & Co", "abcdefghijk", "a.b", "1a2"] {
            assert_eq!(check_name(good), Ok(SenderKind::Alphanumeric), "{good}");
        }
        for good in ["60000", "70000", "80000", "07700900001", "447700900001"] {
            assert_eq!(check_name(good), Ok(SenderKind::Numeric), "{good}");
        }
        for bad in ["", "ab", "abcdefghijkl", " abc", "abc ", "...", "Café", "a+b", "50000", "123456", "08000900001"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
