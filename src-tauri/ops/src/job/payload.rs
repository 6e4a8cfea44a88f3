//! Stores the contacts of a waiting job as one compact text, with parsed numbers and without empty attributes.

use std::borrow::Cow;

use roost_model::{
    contact::{ATTRIBUTES, ValidContact},
    phone::Phone,
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct PayloadRow<'a>(
    #[serde(borrow)] Option<(Cow<'a, str>, Cow<'a, str>)>,
    #[serde(borrow)] Option<(Cow<'a, str>, Cow<'a, str>)>,
    #[serde(borrow)] Vec<(usize, Cow<'a, str>)>,
    #[serde(borrow)] Vec<(u32, Cow<'a, str>)>,
);

fn phone_to_parts(phone: Option<&Phone>) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    phone.map(|p| (Cow::Borrowed(p.e164.as_str()), Cow::Borrowed(p.region.as_str())))
}

fn parts_to_phone(parts: Option<(Cow<str>, Cow<str>)>) -> Option<Phone> {
    parts.map(|(e164, region)| Phone { e164: e164.into_owned(), region: region.into_owned() })
}

pub(super) fn write(contacts: &[ValidContact]) -> Vec<u8> {
    let rows: Vec<PayloadRow> = contacts
        .iter()
        .map(|contact| {
            let attributes = contact.attributes.iter().enumerate();
            PayloadRow(
                phone_to_parts(contact.phone.as_ref()),
                phone_to_parts(contact.whatsapp.as_ref()),
                attributes.filter_map(|(i, text)| text.as_deref().map(|text| (i, Cow::Borrowed(text)))).collect(),
                contact.custom.iter().map(|(number, text)| (*number, Cow::Borrowed(text.as_ref()))).collect(),
            )
        })
        .collect();
    // Texts and numbers can always be written as JSON.
    serde_json::to_vec(&rows).unwrap_or_default()
}

pub(super) fn read(text: &[u8]) -> serde_json::Result<Vec<ValidContact<'static>>> {
    let rows: Vec<PayloadRow> = serde_json::from_slice(text)?;
    let contacts = rows.into_iter().map(|PayloadRow(number, whatsapp, attributes, custom)| {
        let mut contact = ValidContact {
            phone: parts_to_phone(number),
            whatsapp: parts_to_phone(whatsapp),
            ..ValidContact::default()
        };
        for (i, text) in attributes {
            if i < ATTRIBUTES {
                contact.attributes[i] = Some(Cow::Owned(text.into_owned()));
            }
        }
        contact.custom = custom.into_iter().map(|(number, text)| (number, Cow::Owned(text.into_owned()))).collect();
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
        assert_eq!(read(&write(&contacts)).expect("readable"), contacts);
    }
}
