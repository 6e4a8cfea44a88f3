//! Accounts to begin with. All of it is invented; numbers are from the ranges reserved for fiction.

use serde_json::{Value, json};

/// An identifier whose last characters are `tail`.
pub fn id(prefix: &str, tail: &str) -> String {
    let body = "36AbCdEfGhIjKlMnOpQrStUvWx0";
    assert!(tail.len() < body.len());
    format!("{prefix}{}{tail}", &body[..body.len() - tail.len()])
}

/// The `n`th mobile number reserved for fiction.
pub fn mobile(n: usize) -> String {
    assert!(n < 1_000, "the range has a thousand numbers");
    format!("+44770090{:04}", n)
}

/// A list with these contacts.
pub fn list(uid: &str, name: &str, contacts: Value) -> Value {
    json!({ "uid": uid, "name": name, "created_at": "2026-01-05T09:00:00Z", "updated_at": "2026-01-05T09:00:00Z", "contacts": contacts })
}

/// A list of `count` contacts with mobile numbers, made one a second.
pub fn filled_list(uid: &str, name: &str, count: usize) -> Value {
    let contact = |n: usize| {
        json!({
            "uid": id("CON_", &format!("{n:05}")),
            "phone_number": mobile(n),
            "created_at": format!("2026-01-05 09:{:02}:{:02}", n / 60, n % 60),
        })
    };
    list(uid, name, (0..count).map(contact).collect())
}

pub fn sms_asset(tail: &str, number: &str) -> Value {
    json!({ "id": id("num_", tail), "channel": "SMS", "number": number })
}

pub fn whatsapp_asset(tail: &str, number: &str) -> Value {
    json!({ "id": id("wbp_", tail), "channel": "WHATSAPP", "number": number })
}

/// An account-level opt-out made through the interface.
pub fn opt_out(number: &str, channel: &str, time: &str) -> Value {
    json!({ "number": number, "channel": channel, "account_level_opt_out": true, "opt_out_type": "api_import", "opt_out_time": time })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_ids_and_numbers_have_their_form() {
        assert_eq!(id("LST_", "1").len(), 31);
        assert_eq!(id("CON_", "00042"), "CON_36AbCdEfGhIjKlMnOpQrSt00042");
        assert_eq!((mobile(0), mobile(999)), ("+447700900000".to_owned(), "+447700900999".to_owned()));
    }
}
