//! The columns of an export: fields of contacts, the name of their list, and their opt-outs.

use std::borrow::Cow;

use roost_model::{channel::Channel, contact::ContactField, error::Fault};
use roost_store::{tables::custom_fields, tx::ReadTx};

use super::Format;
use crate::{
    contact,
    core::Core,
    error::{Error, Result},
};

/// The name of the column that holds the name of the list.
pub const LIST: &str = "list";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    List,
    Field(ContactField),
    /// Whether the contact has opted out of a channel: `yes` or `no`.
    OptedOut(Channel),
}

/// The values of a column of opt-outs: the first for a contact that opted out, the second for any other.
pub const OPTED_OUT: [&str; 2] = ["yes", "no"];

impl Column {
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::List => Cow::Borrowed(LIST),
            Self::Field(field) => field.name(),
            Self::OptedOut(Channel::Sms) => Cow::Borrowed("opted_out_sms"),
            Self::OptedOut(Channel::WhatsApp) => Cow::Borrowed("opted_out_whatsapp"),
        }
    }

    /// Returns the column that exports give this name.
    pub fn of_export(name: &str) -> Option<Self> {
        let others = [Self::List].into_iter().chain(Channel::ALL.map(Self::OptedOut));
        let other = others.into_iter().find(|column| column.name() == name);
        other.or_else(|| ContactField::parse(name, |_| true).map(Self::Field))
    }
}

/// Parses the names of columns. A field has the same name as in records of contacts.
pub fn parse(tx: &ReadTx, names: &[String]) -> Result<Vec<Column>> {
    let custom = custom_fields::numbers(tx)?;
    let (mut columns, mut faults) = (Vec::with_capacity(names.len()), Vec::new());
    let mut fault = |at: usize, message: String, name: &str| {
        faults.push(Fault::new(format!("columns[{at}]"), message, name));
    };
    for (at, name) in names.iter().enumerate() {
        let column = match name.as_str() {
            LIST => Some(Column::List),
            name => ContactField::parse(name, |number| custom.contains(&number)).map(Column::Field),
        };
        match column {
            Some(column) if columns.contains(&column) => {
                fault(at, format!("The field “{name}” is named twice. Leave one of them out."), name);
            }
            Some(column) => columns.push(column),
            None => fault(at, format!("Unknown field “{name}”. The fields are: {}.", known_names(&custom)), name),
        }
    }
    if names.is_empty() {
        faults.push(Fault::new("columns", "Choose a field.", names.to_vec()));
    }
    if faults.is_empty() { Ok(columns) } else { Err(Error::Invalid { faults }) }
}

/// Lists the names that a column may have, for an error message.
fn known_names(custom: &[u32]) -> String {
    let custom = custom.iter().copied().map(ContactField::Custom);
    let fields = ContactField::BEFORE_CUSTOM.into_iter().chain(custom);
    let fields = fields.chain([ContactField::CreatedAt, ContactField::UpdatedAt]).map(Column::Field);
    let names = std::iter::once(Column::List).chain(fields).map(|column| column.name().into_owned());
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the names of all fields that people fill in, in the order of records.
pub fn usual(core: &Core) -> Result<Vec<String>> {
    Ok(contact::fields::all(core)?.into_iter().map(|field| field.name).collect())
}

/// Returns every field of a contact, because a seed leaves nothing out.
pub fn whole(tx: &ReadTx) -> Result<Vec<Column>> {
    let custom = custom_fields::numbers(tx)?.into_iter().map(ContactField::Custom);
    let fields = ContactField::BEFORE_CUSTOM.into_iter().chain(custom);
    let fields = fields.chain([ContactField::CreatedAt, ContactField::UpdatedAt]);
    Ok(fields.map(Column::Field).collect())
}

/// Returns whether a format can hold a column.
pub fn is_carried(column: Column, format: Format) -> bool {
    match format {
        Format::Cards(_) => !matches!(
            column,
            Column::Field(
                ContactField::PhoneRegion
                    | ContactField::WhatsappRegion
                    | ContactField::CreatedAt
                    | ContactField::UpdatedAt
            )
        ),
        Format::Csv(_) | Format::Xlsx | Format::Jsonl | Format::Seed => true,
    }
}
