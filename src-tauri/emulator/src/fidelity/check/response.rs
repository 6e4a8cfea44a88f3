//! A response of the checked service, as the questions of the check read it.

use serde_json::Value;

use super::report::CallEvidence;
use crate::client::InterfaceResponse;

#[derive(Debug, Clone)]
pub(super) struct CheckResponse {
    pub status: u16,
    pub retry_after: Option<String>,
    /// Null if the body is not JSON.
    pub body: Value,
    pub is_empty: bool,
    pub evidence: CallEvidence,
}

/// The most characters of a response that a report holds as evidence.
const EVIDENCE_CHARS_MAX: usize = 600;

impl CheckResponse {
    pub(super) fn new(answered: InterfaceResponse, evidence: CallEvidence) -> Self {
        let InterfaceResponse { status, retry_after, body } = answered;
        let text = String::from_utf8_lossy(&body);
        let answer = mask_numbers(&text).chars().take(EVIDENCE_CHARS_MAX).collect();
        Self {
            status,
            retry_after,
            body: serde_json::from_str(&text).unwrap_or_default(),
            is_empty: text.trim().is_empty(),
            evidence: CallEvidence { status: Some(status), answer, ..evidence },
        }
    }

    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub(super) fn text_field(&self, name: &str) -> &str {
        self.body[name].as_str().unwrap_or_default()
    }

    /// Whether the response is a refusal with this status, code and error.
    pub(super) fn is_refusal(&self, status: u16, code: &str, error: &str) -> bool {
        self.status == status && self.text_field("code") == code && self.text_field("error") == error
    }

    /// Returns field and message of each entry of a refusal, in either of the two shapes.
    pub(super) fn error_entries(&self) -> Vec<(&str, &str)> {
        let entries = self.body["validation_errors"].as_array().or_else(|| self.body["errors"].as_array());
        entries
            .into_iter()
            .flatten()
            .map(|entry| (entry["field"].as_str().unwrap_or_default(), entry["message"].as_str().unwrap_or_default()))
            .collect()
    }

    pub(super) fn has_entry(&self, field: &str, message: &str) -> bool {
        self.status == 400 && self.error_entries().contains(&(field, message))
    }

    pub(super) fn error_fields(&self) -> Vec<&str> {
        self.error_entries().into_iter().map(|(field, _)| field).collect()
    }

    pub(super) fn items(&self) -> &[Value] {
        self.body["items"].as_array().map_or(&[], Vec::as_slice)
    }

    pub(super) fn total_items(&self) -> Option<u64> {
        self.body["paging"]["total_items"].as_u64()
    }

    /// Describes the response in one sentence, for a row that expected something else.
    pub(super) fn describe(&self) -> String {
        let texts = [self.text_field("code"), self.text_field("error"), self.text_field("message")];
        let texts: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        let entries: Vec<String> =
            self.error_entries().iter().map(|(field, message)| format!("{field}: {message}")).collect();
        let parts = [texts.join(", "), entries.join("; ")];
        let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        match parts.is_empty() {
            true => format!("The response was {}.", self.status),
            false => format!("The response was {}: {}.", self.status, parts.join(" | ")),
        }
    }
}

/// Masks every run of seven or more digits, because it can be a person's number.
pub(super) fn mask_numbers(text: &str) -> String {
    const NUMBER_DIGITS_MIN: usize = 7;
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let (digits, after_digits) = from.split_at(from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len()));
        masked.push_str(before);
        if digits.len() >= NUMBER_DIGITS_MIN {
            masked.push_str(&digits[..3]);
            masked.push('…');
        } else {
            masked.push_str(digits);
        }
        rest = after_digits;
    }
    masked + rest
}

/// Whether an object has exactly these keys.
pub(super) fn has_keys(object: &Value, keys: &[&str]) -> bool {
    object
        .as_object()
        .is_some_and(|object| object.len() == keys.len() && keys.iter().all(|key| object.contains_key(*key)))
}

/// Whether a text has the form of the pattern, in which 0 stands for any digit.
pub(super) fn matches_pattern(text: &str, pattern: &str) -> bool {
    text.len() == pattern.len()
        && text.bytes().zip(pattern.bytes()).all(|(byte, like)| match like {
            b'0' => byte.is_ascii_digit(),
            _ => byte == like,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phone_numbers_are_masked_after_their_first_digits() {
        assert_eq!(mask_numbers("number=%2B447700900123&page_size=1000"), "number=%2B447…&page_size=1000");
        assert_eq!(mask_numbers(r#"{"a":"+447700900123","b":"2026-01-05"}"#), r#"{"a":"+447…","b":"2026-01-05"}"#);
    }

    #[test]
    fn forms_are_compared_character_by_character() {
        assert!(matches_pattern("2026-01-05T09:00:00Z", "0000-00-00T00:00:00Z"));
        assert!(!matches_pattern("2026-01-05 09:00:00", "0000-00-00T00:00:00Z"));
        assert!(!matches_pattern("2026-01-05T09:00:00+", "0000-00-00T00:00:00Z"));
    }
}
