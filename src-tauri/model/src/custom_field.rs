//! Custom fields: the `field_<n>` keys of contacts, with a label for people.

use serde::{Deserialize, Serialize};

use crate::error::{FieldError, has_length, size_message};

pub const LABEL_MAX: usize = 100;
/// Above this number, the row of a contact could exceed the number of columns that SQLite allows.
pub const NUMBER_MAX: u32 = 1_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CustomField {
    pub number: u32,
    pub label: String,
}

pub fn check_label(label: &str) -> Result<(), FieldError> {
    if has_length(label, 1, LABEL_MAX) && !label.trim().is_empty() {
        Ok(())
    } else {
        Err(FieldError::new("label", size_message(1, LABEL_MAX), label))
    }
}

/// Parses `field_<n>`. Zero and numbers with leading zeros do not name a field.
pub fn parse_key(key: &str) -> Option<u32> {
    let digits = key.strip_prefix("field_")?;
    let plain = !digits.starts_with('0') && digits.len() <= 4 && digits.bytes().all(|b| b.is_ascii_digit());
    if plain { digits.parse().ok().filter(|n| *n <= NUMBER_MAX) } else { None }
}

#[cfg(test)]
mod tests {
    use super::parse_key;

    #[test]
    fn only_plain_numbers_name_a_field() {
        assert_eq!(parse_key("field_1"), Some(1));
        assert_eq!(parse_key("field_1000"), Some(1000));
        for bad in
            ["field_", "field_0", "field_01", "field_+1", "field_1001", "field_1 ", "Field_1", "field_99999999999"]
        {
            assert_eq!(parse_key(bad), None, "{bad}");
        }
    }
}
