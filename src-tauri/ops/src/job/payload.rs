//! Stores the contacts of a waiting job as one compact text, with parsed numbers and without empty attributes.

use std::borrow::Cow;

use roost_model::{
    contact::{ATTRIBUTES, ValidContact},
    phone::Phone,
};
use serde::{Deserialize, Serialize};

/// One contact: phone, WhatsApp number, attributes and custom fields. It is written as an array, because field names
/// would be most of the text.
#[derive(Serialize, Deserialize)]
struct PayloadRow<'a>(
    #[serde(borrow)] Option<PayloadNumber<'a>>,
    #[serde(borrow)] Option<PayloadNumber<'a>>,
    /// Attributes by their index.
    #[serde(borrow)]
    Vec<(usize, PayloadText<'a>)>,
    /// Custom fields by their number.
    #[serde(borrow)]
    Vec<(u32, PayloadText<'a>)>,
);

/// A number in E.164 form and its region.
type PayloadNumber<'a> = (PayloadText<'a>, PayloadText<'a>);

/// A text that is copied on reading only if it has escapes.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct PayloadText<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> From<&'a str> for PayloadText<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

fn to_payload_number(phone: Option<&Phone>) -> Option<PayloadNumber<'_>> {
    phone.map(|p| (p.e164.as_str().into(), p.region.as_str().into()))
}

fn to_phone(number: Option<PayloadNumber>) -> Option<Phone> {
    number.map(|(e164, region)| Phone { e164: e164.0.into_owned(), region: region.0.into_owned() })
}

/// Writes the contacts of a request as one JSON text.
pub(super) fn write(contacts: &[ValidContact]) -> Vec<u8> {
    let rows: Vec<PayloadRow> = contacts
        .iter()
        .map(|contact| {
            let attributes = contact.attributes.iter().enumerate();
            PayloadRow(
                to_payload_number(contact.phone.as_ref()),
                to_payload_number(contact.whatsapp.as_ref()),
                attributes.filter_map(|(i, text)| text.as_deref().map(|text| (i, text.into()))).collect(),
                contact.custom.iter().map(|(number, text)| (*number, (&**text).into())).collect(),
            )
        })
        .collect();
    // Texts and numbers can always be written as JSON.
    serde_json::to_vec(&rows).unwrap_or_default()
}

/// Reads the contacts of a request. They borrow from the text.
pub(super) fn read(text: &[u8]) -> serde_json::Result<Vec<ValidContact<'_>>> {
    let rows: Vec<PayloadRow> = serde_json::from_slice(text)?;
    let contacts = rows.into_iter().map(|PayloadRow(number, whatsapp, attributes, custom)| {
        let mut contact =
            ValidContact { phone: to_phone(number), whatsapp: to_phone(whatsapp), ..ValidContact::default() };
        for (i, text) in attributes {
            if i < ATTRIBUTES {
                contact.attributes[i] = Some(text.0);
            }
        }
        contact.custom = custom.into_iter().map(|(number, text)| (number, text.0)).collect();
        contact
    });
    Ok(contacts.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_model::contact::Attribute;

    #[test]
    fn contacts_come_back_byte_for_byte() {
        let mut contact = ValidContact {
            phone: Some(Phone { e164: "+447700900001".into(), region: "GB".into() }),
            ..ValidContact::default()
        };
        contact.attributes[Attribute::Title as usize] = Some(Cow::Borrowed("a\0b\u{1}\"\\ 🐦 \u{202e}שלום"));
        contact.custom.push((7, Cow::Borrowed("=1+1'; DROP TABLE contacts;--")));
        let empty = ValidContact { whatsapp: contact.phone.clone(), ..ValidContact::default() };
        let contacts = vec![contact, empty];
        let stored = write(&contacts);
        assert_eq!(read(&stored).expect("readable"), contacts);
    }
}
