//! Writes contact records straight to bytes. The keys are built once per response.

use roost_model::{
    contact::{ContactField, ContactValues},
    time::Timestamp,
};
use schemars::JsonSchema;

use crate::paging::{self, PageWriter, Paging};

/// A contact as the query returns it.
#[derive(JsonSchema)]
#[schemars(extend("patternProperties" = { "^field_[1-9][0-9]*$": { "type": ["string", "null"] } }, "additionalProperties" = false))]
#[expect(dead_code, reason = "only the schema is used; RecordWriter writes the records")]
pub struct Contact {
    uid: Option<String>,
    phone_number: Option<String>,
    phone_region: Option<String>,
    whatsapp_id: Option<String>,
    whatsapp_region: Option<String>,
    alternate_phone: Option<String>,
    title: Option<String>,
    firstname: Option<String>,
    lastname: Option<String>,
    company_name: Option<String>,
    email_address: Option<String>,
    date_of_birth: Option<String>,
    address_1: Option<String>,
    address_2: Option<String>,
    city: Option<String>,
    state: Option<String>,
    zip: Option<String>,
    country: Option<String>,
    #[schemars(regex(pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$"))]
    created_at: Option<String>,
    #[schemars(regex(pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$"))]
    updated_at: Option<String>,
}

/// Response to the contact query. `fields` leaves keys out.
#[derive(JsonSchema)]
#[schemars(inline)]
pub struct ContactsPage {
    pub paging: Paging,
    pub items: Vec<Contact>,
}

/// Writes the records of one response.
pub struct RecordWriter {
    /// The text `"uid":` of each column, and where its value is found.
    columns: Vec<(Vec<u8>, ColumnSource)>,
    page: PageWriter,
}

#[derive(Clone, Copy)]
enum ColumnSource {
    Field(ContactField),
    /// Position among the record's custom values.
    Custom(usize),
    /// A custom field that was removed after it was requested.
    Removed,
}

impl RecordWriter {
    /// Prepares a response. Without `fields`, every field is written, with `custom_fields` in their order.
    pub fn new(fields: Option<&[ContactField]>, custom_fields: &[u32]) -> Self {
        let column = |first: bool, field: ContactField| {
            let source = match field {
                ContactField::Custom(n) => {
                    custom_fields.iter().position(|c| *c == n).map_or(ColumnSource::Removed, ColumnSource::Custom)
                }
                _ => ColumnSource::Field(field),
            };
            let key = format!("{}\"{}\":", if first { '{' } else { ',' }, field.name());
            (key.into_bytes(), source)
        };
        let all: Vec<ContactField>;
        let fields = match fields {
            Some(fields) => fields,
            None => {
                let custom = custom_fields.iter().copied().map(ContactField::Custom);
                let times = [ContactField::CreatedAt, ContactField::UpdatedAt];
                all = ContactField::BEFORE_CUSTOM.into_iter().chain(custom).chain(times).collect();
                &all
            }
        };
        Self {
            columns: fields.iter().enumerate().map(|(i, f)| column(i == 0, *f)).collect(),
            page: PageWriter::default(),
        }
    }

    /// Writes the beginning of the response.
    pub fn write_head(&mut self, paging: Paging, out: &mut Vec<u8>) {
        self.page.write_head(paging, out);
    }

    pub fn write_record(&mut self, contact: &impl ContactValues, out: &mut Vec<u8>) {
        self.separate(out);
        self.write_values(contact, out);
    }

    /// Separates the next record from the one before it.
    pub fn separate(&mut self, out: &mut Vec<u8>) {
        self.page.separate(out);
    }

    /// Writes a record alone.
    pub fn write_values(&self, contact: &impl ContactValues, out: &mut Vec<u8>) {
        for (key, source) in &self.columns {
            out.extend_from_slice(key);
            match source {
                ColumnSource::Field(field) => write_field(contact, *field, out),
                ColumnSource::Custom(at) => write_text(contact.custom(*at), out),
                ColumnSource::Removed => write_text(None, out),
            }
        }
        out.push(b'}');
    }

    /// Writes the end of the response.
    pub fn write_foot(&self, out: &mut Vec<u8>) {
        self.page.write_foot(out);
    }
}

fn write_field(contact: &impl ContactValues, field: ContactField, out: &mut Vec<u8>) {
    match field {
        ContactField::CreatedAt => write_time(Some(contact.created_at()), out),
        ContactField::UpdatedAt => write_time(contact.updated_at(), out),
        _ => write_text(contact.text(field), out),
    }
}

fn write_time(time: Option<Timestamp>, out: &mut Vec<u8>) {
    let Some(time) = time else { return write_text(None, out) };
    out.push(b'"');
    out.extend_from_slice(&time.to_plain_ascii());
    out.push(b'"');
}

fn write_text(text: Option<&str>, out: &mut Vec<u8>) {
    match text {
        None => out.extend_from_slice(b"null"),
        Some(text) => paging::write_text(text, out),
    }
}

#[cfg(test)]
mod tests {
    use roost_model::{
        contact::Contact as Record,
        id::{ContactId, ListId},
        phone::Phone,
    };

    use super::*;

    fn record() -> Record {
        let mut record = Record {
            uid: ContactId::parse("CON_36AbCdEfGhIjKlMnOpQrStUvWx1").expect("well formed"),
            list: ListId::parse("LST_36AbCdEfGhIjKlMnOpQrStUvWx1").expect("well formed"),
            phone: Some(Phone { e164: "+447700900001".to_owned(), region: "GB".to_owned() }),
            whatsapp: None,
            attributes: Default::default(),
            custom: vec![None, Some("gold".to_owned()), None],
            created_at: Timestamp::parse_plain("2026-01-05 09:12:40").expect("well formed"),
            updated_at: None,
        };
        for (name, value) in [("title", "Ms"), ("firstname", "Ada"), ("lastname", "By\"rne\n\0é")] {
            record.attributes[roost_model::contact::Attribute::parse(name).expect("known") as usize] =
                Some(value.to_owned());
        }
        record
    }

    fn written(fields: Option<&[ContactField]>, records: &[Record]) -> String {
        let mut writer = RecordWriter::new(fields, &[1, 2, 3]);
        let mut out = Vec::new();
        writer.write_head(Paging::single_page(records.len() as u64), &mut out);
        for record in records {
            writer.write_record(record, &mut out);
        }
        writer.write_foot(&mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_record_has_the_keys_and_the_order_of_the_sample() {
        let want = r#"{"paging":{"current_page":1,"total_items":1,"total_pages":1},"items":[{"uid":"CON_36AbCdEfGhIjKlMnOpQrStUvWx1","phone_number":"+447700900001","phone_region":"GB","whatsapp_id":null,"whatsapp_region":null,"alternate_phone":null,"title":"Ms","firstname":"Ada","lastname":"By\"rne\n\u0000é","company_name":null,"email_address":null,"date_of_birth":null,"address_1":null,"address_2":null,"city":null,"state":null,"zip":null,"country":null,"field_1":null,"field_2":"gold","field_3":null,"created_at":"2026-01-05 09:12:40","updated_at":null}]}"#;
        assert_eq!(written(None, &[record()]), want);
        assert_eq!(written(None, &[]), r#"{"paging":{"current_page":1,"total_items":0,"total_pages":0},"items":[]}"#);
    }

    #[test]
    fn wanted_fields_alone_are_written() {
        let fields = [ContactField::Custom(2), ContactField::Uid, ContactField::Custom(9)];
        let text = written(Some(&fields), &[record(), record()]);
        let one = r#"{"field_2":"gold","uid":"CON_36AbCdEfGhIjKlMnOpQrStUvWx1","field_9":null}"#;
        assert!(text.ends_with(&format!("[{one},{one}]}}")), "{text}");
    }

    #[test]
    fn the_schema_names_every_key_that_is_written() {
        let schema = schemars::schema_for!(Contact);
        let properties = schema.get("properties").and_then(|p| p.as_object()).expect("properties");
        let fields = ContactField::BEFORE_CUSTOM.into_iter().chain([ContactField::CreatedAt, ContactField::UpdatedAt]);
        let names: std::collections::BTreeSet<String> = fields.map(|f| f.name().into_owned()).collect();
        assert_eq!(properties.keys().cloned().collect::<std::collections::BTreeSet<_>>(), names);
    }
}
