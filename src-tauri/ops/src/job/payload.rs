//! Stores the contacts of a waiting job as one compact text, with parsed numbers and without empty attributes.

use std::borrow::Cow;

use roost_model::{
    contact::{ATTRIBUTES, SettledContact},
    phone::Phone,
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Row<'a>(
    #[serde(borrow)] Option<(Cow<'a, str>, Cow<'a, str>)>,
    #[serde(borrow)] Option<(Cow<'a, str>, Cow<'a, str>)>,
    #[serde(borrow)] Vec<(usize, Cow<'a, str>)>,
    #[serde(borrow)] Vec<(u32, Cow<'a, str>)>,
);

fn parts(phone: Option<&Phone>) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    phone.map(|p| (Cow::Borrowed(p.e164.as_str()), Cow::Borrowed(p.region.as_str())))
}

fn phone(parts: Option<(Cow<str>, Cow<str>)>) -> Option<Phone> {
    parts.map(|(e164, region)| Phone { e164: e164.into_owned(), region: region.into_owned() })
}

pub fn write(contacts: &[SettledContact]) -> Vec<u8> {
    let rows: Vec<Row> = contacts
        .iter()
        .map(|contact| {
            let attributes = contact.attributes.iter().enumerate();
            Row(
                parts(contact.phone.as_ref()),
                parts(contact.whatsapp.as_ref()),
                attributes.filter_map(|(i, text)| text.as_deref().map(|text| (i, Cow::Borrowed(text)))).collect(),
                contact.custom.iter().map(|(number, text)| (*number, Cow::Borrowed(text.as_ref()))).collect(),
            )
        })
        .collect();
    // Texts and numbers can always be written as JSON.
    serde_json::to_vec(&rows).unwrap_or_default()
}

pub fn read(text: &[u8]) -> serde_json::Result<Vec<SettledContact<'static>>> {
    let rows: Vec<Row> = serde_json::from_slice(text)?;
    let contacts = rows.into_iter().map(|Row(number, whatsapp, attributes, custom)| {
        let mut contact =
            SettledContact { phone: phone(number), whatsapp: phone(whatsapp), ..SettledContact::default() };
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
        let mut contact = SettledContact {
            phone: Some(Phone { e164: "+447700900001".into(), region: "GB".into() }),
            ..SettledContact::default()
        };
        contact.attributes[Attribute::Title as usize] = Some(Cow::Borrowed("a\0b\u{1}\"\\ 🐦 \u{202e}שלום"));
        contact.custom.push((7, Cow::Borrowed("=1+1'; DROP TABLE contacts;--")));
        let empty = SettledContact { whatsapp: contact.phone.clone(), ..SettledContact::default() };
        let contacts = vec![contact, empty];
        assert_eq!(read(&write(&contacts)).expect("readable"), contacts);
    }
}
