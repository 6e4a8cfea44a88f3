//! Stores the contacts of a waiting job as one compact text, with parsed numbers and without empty attributes.

use std::borrow::Cow;

use roost_model::{
    contact::{ATTRIBUTES, ValidContact},
    phone::Phone,
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct PayloadRow<'a>(
    #[serde(borrow)] Option<(PayloadText<'a>, PayloadText<'a>)>,
    #[serde(borrow)] Option<(PayloadText<'a>, PayloadText<'a>)>,
    #[serde(borrow)] Vec<(usize, PayloadText<'a>)>,
    #[serde(borrow)] Vec<(u32, PayloadText<'a>)>,
);

/// A text that is copied on reading only if it has escapes.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct PayloadText<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> From<&'a str> for PayloadText<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

fn phone_to_parts(phone: Option<&Phone>) -> Option<(PayloadText<'_>, PayloadText<'_>)> {
    phone.map(|p| (p.e164.as_str().into(), p.region.as_str().into()))
}

fn parts_to_phone(parts: Option<(PayloadText, PayloadText)>) -> Option<Phone> {
    parts.map(|(e164, region)| Phone { e164: e164.0.into_owned(), region: region.0.into_owned() })
}

pub(super) fn write(contacts: &[ValidContact]) -> Vec<u8> {
    let rows: Vec<PayloadRow> = contacts
        .iter()
        .map(|contact| {
            let attributes = contact.attributes.iter().enumerate();
            PayloadRow(
                phone_to_parts(contact.phone.as_ref()),
                phone_to_parts(contact.whatsapp.as_ref()),
                attributes.filter_map(|(i, text)| text.as_deref().map(|text| (i, text.into()))).collect(),
                contact.custom.iter().map(|(number, text)| (*number, (&**text).into())).collect(),
            )
        })
        .collect();
    // Texts and numbers can always be written as JSON.
    serde_json::to_vec(&rows).unwrap_or_default()
}

pub(super) fn read(text: &[u8]) -> serde_json::Result<Vec<ValidContact<'_>>> {
    let rows: Vec<PayloadRow> = serde_json::from_slice(text)?;
    let contacts = rows.into_iter().map(|PayloadRow(number, whatsapp, attributes, custom)| {
        let mut contact = ValidContact {
            phone: parts_to_phone(number),
            whatsapp: parts_to_phone(whatsapp),
            ..ValidContact::default()
        };
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
