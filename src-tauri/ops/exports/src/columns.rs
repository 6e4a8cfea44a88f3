//! The columns of an export: fields of contacts, the name of their list, and their opt-outs.

use std::borrow::Cow;

use roost_model::{channel::Channel, contact::ContactField, error::FieldError};
use roost_store::{tables::custom_fields, tx::ReadTx};

use super::FileFormat;
use roost_ops::{
    contact,
    core::Core,
    error::{Error, Result},
};

/// The name of the column that holds the name of the list.
pub const LIST_COLUMN: &str = "list";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportColumn {
    List,
    Field(ContactField),
    /// Whether the contact has opted out of a channel: `yes` or `no`.
    OptedOut(Channel),
}

/// The values of a column of opt-outs: the first for a contact that opted out, the second for any other.
pub const OPTED_OUT_VALUES: [&str; 2] = ["yes", "no"];

impl ExportColumn {
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::List => Cow::Borrowed(LIST_COLUMN),
            Self::Field(field) => field.name(),
            Self::OptedOut(Channel::Sms) => Cow::Borrowed("opted_out_sms"),
            Self::OptedOut(Channel::WhatsApp) => Cow::Borrowed("opted_out_whatsapp"),
        }
    }

    /// Returns the column that exports give this name.
    pub fn from_export_name(name: &str) -> Option<Self> {
        let others = [Self::List].into_iter().chain(Channel::ALL.map(Self::OptedOut));
        let other = others.into_iter().find(|column| column.name() == name);
        other.or_else(|| ContactField::parse(name, |_| true).map(Self::Field))
    }
}

/// Parses the names of columns. A field has the same name as in records of contacts.
pub fn parse(tx: &ReadTx, names: &[String]) -> Result<Vec<ExportColumn>> {
    let custom = custom_fields::defined_numbers(tx)?;
    let (mut columns, mut faults) = (Vec::with_capacity(names.len()), Vec::new());
    let mut fault = |at: usize, message: String, name: &str| {
        faults.push(FieldError::new(format!("columns[{at}]"), message, name));
    };
    for (at, name) in names.iter().enumerate() {
        let column = match name.as_str() {
            LIST_COLUMN => Some(ExportColumn::List),
            name => ContactField::parse(name, |number| custom.contains(&number)).map(ExportColumn::Field),
        };
        match column {
            Some(column) if columns.contains(&column) => {
                fault(at, format!("The field “{name}” is listed twice. Remove one of them."), name);
            }
            Some(column) => columns.push(column),
            None => fault(at, format!("Unknown field “{name}”. The fields are: {}.", known_names(&custom)), name),
        }
    }
    if names.is_empty() {
        faults.push(FieldError::new("columns", "Choose a field.", names.to_vec()));
    }
    if faults.is_empty() { Ok(columns) } else { Err(Error::Invalid { faults }) }
}

/// Lists the names that a column may have, for an error message.
fn known_names(custom: &[u32]) -> String {
    let custom = custom.iter().copied().map(ContactField::Custom);
    let fields = ContactField::BEFORE_CUSTOM.into_iter().chain(custom);
    let fields = fields.chain([ContactField::CreatedAt, ContactField::UpdatedAt]).map(ExportColumn::Field);
    let names = std::iter::once(ExportColumn::List).chain(fields).map(|column| column.name().into_owned());
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the names of all fields that people fill in, in the order of records.
pub fn default_columns(core: &Core) -> Result<Vec<String>> {
    Ok(contact::fields::read_fields(core)?.into_iter().map(|field| field.name).collect())
}

/// Returns every field of a contact, because a seed leaves nothing out.
pub fn all_columns(tx: &ReadTx) -> Result<Vec<ExportColumn>> {
    let custom = custom_fields::defined_numbers(tx)?.into_iter().map(ContactField::Custom);
    let fields = ContactField::BEFORE_CUSTOM.into_iter().chain(custom);
    let fields = fields.chain([ContactField::CreatedAt, ContactField::UpdatedAt]);
    Ok(fields.map(ExportColumn::Field).collect())
}

/// Returns whether a format can hold a column.
pub fn is_supported(column: ExportColumn, format: FileFormat) -> bool {
    match format {
        FileFormat::Cards(_) => !matches!(
            column,
            ExportColumn::Field(
                ContactField::PhoneRegion
                    | ContactField::WhatsappRegion
                    | ContactField::CreatedAt
                    | ContactField::UpdatedAt
            )
        ),
        FileFormat::Csv(_) | FileFormat::Xlsx | FileFormat::Jsonl | FileFormat::Seed => true,
    }
}
