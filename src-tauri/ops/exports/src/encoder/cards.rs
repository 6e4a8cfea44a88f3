//! Writes contacts as vCards. Fields without a vCard property become `X-ROOST-…` properties, which other programs
//! ignore.

use std::{borrow::Cow, collections::HashMap, io};

use roost_model::{
    contact::{Attribute, ContactField},
    list::List,
};
use roost_sheets::write::cards::{self, CardVersion, OPTED_OUT_OF};

use super::{super::columns::ExportColumn, RecordEncoder};

pub(super) struct CardEncoder {
    version: CardVersion,
    at: HashMap<ContactField, usize>,
    custom: Vec<(String, usize)>,
    /// The property of each column of opt-outs, and the position of the column.
    opted_out: Vec<(String, usize)>,
    /// The name of the current list; `None` if the export has no column for it.
    list: Option<String>,
    out: Vec<u8>,
}

impl CardEncoder {
    pub(super) fn new(version: CardVersion, columns: &[ExportColumn]) -> Self {
        let fields = columns.iter().enumerate().filter_map(|(at, column)| match column {
            ExportColumn::Field(field) => Some((*field, at)),
            ExportColumn::List | ExportColumn::OptedOut(_) => None,
        });
        let custom = fields.clone().filter_map(|(field, at)| match field {
            ContactField::Custom(number) => Some((format!("X-ROOST-FIELD-{number}"), at)),
            _ => None,
        });
        let opted_out = columns.iter().enumerate().filter_map(|(at, column)| match column {
            ExportColumn::OptedOut(channel) => Some((format!("{OPTED_OUT_OF}{}", channel.as_str()), at)),
            ExportColumn::Field(_) | ExportColumn::List => None,
        });
        let opted_out = opted_out.collect();
        let list = columns.contains(&ExportColumn::List).then(String::new);
        Self { version, custom: custom.collect(), at: fields.collect(), opted_out, list, out: Vec::new() }
    }
}

/// Returns whether a text has the form `1985-04-12`, which the property `BDAY` requires.
fn is_iso_date(text: &str) -> bool {
    let is_right = |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    text.len() == 10 && text.bytes().enumerate().all(is_right)
}

/// Returns whether other programs would accept a text as a telephone number.
fn is_number(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | ' ' | '(' | ')' | '-' | '.' | '/');
    text.contains(|c: char| c.is_ascii_digit()) && text.chars().all(is_part)
}

impl RecordEncoder for CardEncoder {
    fn begin_list(&mut self, list: &List) -> io::Result<()> {
        if let Some(name) = &mut self.list {
            name.clone_from(&list.name);
        }
        Ok(())
    }

    fn encode_row(&mut self, cells: &[Cow<str>]) -> io::Result<()> {
        let field = |field: ContactField| self.at.get(&field).and_then(|at| cells.get(*at)).map_or("", |cell| &**cell);
        let attribute_text = |attribute| field(ContactField::Attribute(attribute));
        let [title, first, last] = [Attribute::Title, Attribute::Firstname, Attribute::Lastname].map(attribute_text);
        let [company, email, alternate] =
            [Attribute::CompanyName, Attribute::EmailAddress, Attribute::AlternatePhone].map(attribute_text);
        let [phone, whatsapp, uid] =
            [ContactField::PhoneNumber, ContactField::WhatsappId, ContactField::Uid].map(field);
        let mut cards = cards::CardWriter::new(&mut self.out);
        cards.begin_card(self.version);
        let named: Vec<&str> = [title, first, last].into_iter().filter(|part| !part.trim().is_empty()).collect();
        let shown = [named.join(" ").as_str(), company, phone, whatsapp, email, uid, "-"]
            .into_iter()
            .find(|text| !text.trim().is_empty())
            .unwrap_or_default()
            .to_owned();
        cards.write_text("FN", &shown);
        cards.write_parts("N", &[last, first, "", title, ""]);
        let mut put = |name: &str, text: &str| {
            if !text.is_empty() {
                cards.write_text(name, text);
            }
        };
        put("ORG", company);
        put("TEL;TYPE=cell", phone);
        put("TEL;TYPE=x-whatsapp", whatsapp);
        put(
            if is_number(alternate) { "TEL;TYPE=home;X-ROOST-ALTERNATE=1" } else { "X-ROOST-ALTERNATE-PHONE" },
            alternate,
        );
        put("EMAIL", email);
        let birthday = attribute_text(Attribute::DateOfBirth);
        match (is_iso_date(birthday), self.version) {
            (true, CardVersion::V4) => put("BDAY", &birthday.replace('-', "")),
            (true, CardVersion::V3) => put("BDAY", birthday),
            (false, _) => put("X-ROOST-DATE-OF-BIRTH", birthday),
        }
        for (name, at) in self.custom.iter().chain(&self.opted_out) {
            put(name, cells.get(*at).map_or("", |cell| &**cell));
        }
        put("CATEGORIES", self.list.as_deref().unwrap_or_default());
        put(if self.version == CardVersion::V4 { "UID;VALUE=text" } else { "UID" }, uid);
        let address = [
            "",
            attribute_text(Attribute::Address2),
            attribute_text(Attribute::Address1),
            attribute_text(Attribute::City),
            attribute_text(Attribute::State),
            attribute_text(Attribute::Zip),
            attribute_text(Attribute::Country),
        ];
        if address.iter().any(|part| !part.is_empty()) {
            cards.write_parts("ADR", &address);
        }
        cards.end_card();
        Ok(())
    }

    fn buffered_bytes(&self) -> usize {
        self.out.len()
    }

    fn take_bytes(&mut self) -> io::Result<Vec<u8>> {
        Ok(std::mem::take(&mut self.out))
    }
}
