//! Senders: their record and the paging of their query.

use roost_model::{page::PageRequest, sender};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    envelope::{RestError, ValidationError},
    query::{QueryString, parse_integer},
};

pub const DEFAULT_PAGE_SIZE: u32 = 25;
pub const MAX_PAGE_SIZE: i32 = 100;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Sender<'a> {
    #[schemars(regex(pattern = r"^ssd_[0-9A-Za-z]{27}$"))]
    pub id: &'a str,
    pub name: &'a str,
    #[schemars(extend("enum" = ["Pending", "Verified"]))]
    pub status: &'static str,
}

impl<'a> From<&'a sender::Sender> for Sender<'a> {
    fn from(sender: &'a sender::Sender) -> Self {
        Self { id: sender.id.as_str(), name: &sender.name, status: sender.status.as_str() }
    }
}

/// Parses the paging. This family reports invalid numbers and numbers out of bounds with the same messages.
pub fn parse_query(query: &QueryString<'_>) -> Result<PageRequest, RestError> {
    let mut entries = Vec::new();
    let mut read = |name, field: &'static str, default, max| match query.filled_value(name) {
        None => default,
        Some(text) => {
            let number = parse_integer(text);
            let message = match number {
                Some(n) if n > max => "must be less than or equal to 100",
                Some(n) if n >= 1 => return n.unsigned_abs(),
                _ => "must be greater than 0",
            };
            entries.push(ValidationError::new(field, message, text));
            default
        }
    };
    let number = read("page_number", "get_all_sms_senders.page_number", 1, i32::MAX);
    let size = read("page_size", "get_all_sms_senders.page_size", DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
    if entries.is_empty() { Ok(PageRequest { number, size }) } else { Err(RestError::Invalid(entries)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(raw: &str) -> Vec<(String, String)> {
        match parse_query(&QueryString::parse(raw)) {
            Err(RestError::Invalid(entries)) => {
                entries.iter().map(|e| (e.field.to_string(), e.message.to_string())).collect()
            }
            other => panic!("{raw}: {other:?}"),
        }
    }

    #[test]
    fn defaults_and_bounds() {
        for (raw, number, size) in
            [("", 1, 25), ("page_number=&page_size=+", 1, 25), ("page_number=3&page_size=100", 3, 100)]
        {
            assert_eq!(parse_query(&QueryString::parse(raw)).expect(raw), PageRequest { number, size });
        }
        let greater = "must be greater than 0".to_owned();
        for raw in ["page_size=0", "page_size=-1", "page_size=x", "page_size=2147483648"] {
            assert_eq!(faults(raw), [("get_all_sms_senders.page_size".to_owned(), greater.clone())], "{raw}");
        }
        assert_eq!(faults("page_size=101")[0].1, "must be less than or equal to 100");
        let both = faults("page_size=0&page_number=0");
        assert_eq!(both[0].0, "get_all_sms_senders.page_number");
        assert_eq!(both[1].0, "get_all_sms_senders.page_size");
    }
}
