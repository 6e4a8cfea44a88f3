//! Checks contacts at least as strictly as the service does, because one bad row makes it refuse a request of ten
//! thousand.

use roost_model::error::{has_length, size_between};
use serde::{Deserialize, Serialize};

use crate::row::{Field, Row};

/// A rule of the service that a contact breaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// `None` if the rule concerns the contact as a whole.
    pub field: Option<Field>,
    pub message: String,
}

/// Returns the rules of the service that `send` breaks. `whole` is the contact as it will be afterwards.
pub fn faults(send: &Row, whole: &Row) -> Vec<Fault> {
    let mut found = Vec::new();
    if whole.get(Field::Phone).is_none() && whole.get(Field::Whatsapp).is_none() {
        found.push(Fault { field: None, message: "Either phone_number or whatsapp_number must be given.".to_owned() });
    }
    for (field, text) in send.iter() {
        if !has_length(text, 1, field.max()) {
            found.push(Fault { field: Some(field), message: size_between(1, field.max()) });
        } else if field.is_number() && !is_e164(text) {
            found.push(Fault { field: Some(field), message: "Invalid phone number.".to_owned() });
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
    fn each_rule_is_told_at_its_field() {
        let long = "x".repeat(31);
        let bad = Row::default()
            .with(Field::Phone, "07700900001")
            .with(Field::Attribute(Attribute::Title), &long)
            .with(Field::Custom(1), &"é".repeat(500));
        let told: Vec<_> = faults(&bad, &bad).into_iter().map(|fault| (fault.field, fault.message)).collect();
        assert_eq!(
            told,
            [
                (Some(Field::Phone), "Invalid phone number.".to_owned()),
                (Some(Field::Attribute(Attribute::Title)), size_between(1, 30)),
            ]
        );
        let none = Row::default().with(Field::Custom(1), "x");
        assert_eq!(faults(&none, &none)[0].field, None);
        let good = Row::default().with(Field::Whatsapp, "+447700900001");
        assert!(faults(&good, &good).is_empty());
    }
}
