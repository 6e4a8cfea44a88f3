//! Inbound assets: the SMS numbers and WhatsApp profiles to which recipients reply.

use serde::Serialize;

use crate::{
    channel::Channel,
    error::{FieldError, has_length, size_message},
    id::AssetId,
    phone,
};

pub const KEYWORD_MAX: usize = 50;
/// Keywords that a new asset listens for.
pub const DEFAULT_KEYWORDS: [&str; 2] = ["STOP", "UNSUBSCRIBE"];

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Asset {
    pub id: AssetId,
    pub channel: Channel,
    /// An E.164 number, or the digits of a short code.
    pub number: String,
    pub enforce_account_level_opt_outs: bool,
    pub keywords: Vec<String>,
}

/// Validates the number of an asset: E.164, or for SMS a short code of five digits.
pub fn check_number(channel: Channel, raw: &str) -> Result<String, FieldError> {
    let text = phone::without_separators(raw);
    let is_short_code = text.len() == 5 && text.bytes().all(|b| b.is_ascii_digit());
    if channel == Channel::Sms && is_short_code {
        return Ok(text);
    }
    phone::parse_international(&text).map(|p| p.e164).ok_or_else(|| {
        let message = match channel {
            Channel::Sms => "An SMS number is a valid number in E.164 form or a short code of 5 digits.",
            Channel::WhatsApp => "A WhatsApp number is a valid number in E.164 form.",
        };
        FieldError::new("number", message, raw)
    })
}

/// Validates a keyword and returns it trimmed. Keywords are compared without regard to case.
pub fn check_keyword(raw: &str) -> Result<String, FieldError> {
    let keyword = raw.trim();
    if has_length(keyword, 1, KEYWORD_MAX) {
        Ok(keyword.to_owned())
    } else {
        Err(FieldError::new("keyword", size_message(1, KEYWORD_MAX), raw))
    }
}

/// Returns whether two keywords are the same to a recipient.
pub fn is_same_keyword(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}
