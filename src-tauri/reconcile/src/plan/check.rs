//! Checks contacts at least as strictly as the service does, because one bad row makes it refuse a request of ten
//! thousand.

use roost_model::error::{has_length, size_message};
use serde::{Deserialize, Serialize};

use crate::row::{ContactRow, SyncField};

/// A rule of the service that a contact breaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleViolation {
    /// `None` if the rule concerns the contact as a whole.
    pub field: Option<SyncField>,
    pub message: String,
}

/// Returns the rules of the service that `send` breaks. `whole` is the contact as it will be afterwards.
pub fn find_violations(send: &ContactRow, whole: &ContactRow) -> Vec<RuleViolation> {
    let mut found = Vec::new();
    if whole.get(SyncField::Phone).is_none() && whole.get(SyncField::Whatsapp).is_none() {
        found.push(RuleViolation {
            field: None,
            message: "Either phone_number or whatsapp_number must be given.".to_owned(),
        });
    }
    for (field, text) in send.iter() {
        if !has_length(text, 1, field.max_length()) {
            found.push(RuleViolation { field: Some(field), message: size_message(1, field.max_length()) });
        } else if field.is_number() && !is_e164(text) {
            found.push(RuleViolation { field: Some(field), message: "Invalid phone number.".to_owned() });
        }
    }
    found
}

/// Returns whether the text is a number in E.164 form. Numbers are normalised when they are typed; this check catches
/// any other path.
fn is_e164(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(|digits| {
        (5..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0')
    })
}

#[cfg(test)]
mod tests {
    use roost_model::contact::Attribute;

    use super::*;

    #[test]
    fn each_rule_is_reported_at_its_field() {
        let long = "x".repeat(31);
        let bad = ContactRow::default()
            .with_value(SyncField::Phone, "07700900001")
            .with_value(SyncField::Attribute(Attribute::Title), &long)
            .with_value(SyncField::Custom(1), &"é".repeat(500));
        let faults: Vec<_> =
            find_violations(&bad, &bad).into_iter().map(|fault| (fault.field, fault.message)).collect();
        assert_eq!(
            faults,
            [
                (Some(SyncField::Phone), "Invalid phone number.".to_owned()),
                (Some(SyncField::Attribute(Attribute::Title)), size_message(1, 30)),
            ]
        );
        let none = ContactRow::default().with_value(SyncField::Custom(1), "x");
        assert_eq!(find_violations(&none, &none)[0].field, None);
        let good = ContactRow::default().with_value(SyncField::Whatsapp, "+447700900001");
        assert!(find_violations(&good, &good).is_empty());
    }
}
