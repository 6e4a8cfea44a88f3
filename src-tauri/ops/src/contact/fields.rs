//! Lists the fields of a contact that people fill in, and checks values by the rule of each field.

use std::collections::BTreeMap;

use roost_model::{
    contact::{Attribute, CUSTOM_MAX, Contact, ContactError, ContactField, NUMBER_MAX, email},
    custom_field::CustomField,
    error::{FieldError, has_length, size_message},
    id::ListId,
    phone::{self, Phone, Region},
    time::date::parse_date,
};
use roost_store::{
    change_log::Noun,
    tables::{
        contacts::{grid::scan, list_view},
        custom_fields, lists,
    },
    tx::ReadTx,
    watch::Watch,
};
use serde::Serialize;

use roost_spelling::number::read_number;

use crate::{
    account::{country_in, parse_country},
    core::Core,
    ctx::Ctx,
    error::{Error, OrNotFound, Result},
};

/// The maximum length in bytes of any spelling of a number.
const SPELLING_MAX: usize = 200;

/// The way in which a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum FieldKind {
    /// A phone number in any spelling.
    Number,
    Text,
    /// A text that should be a date.
    Date,
}

/// A field that people can fill in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FieldInfo {
    /// The name as it appears in contacts: `phone_number`, `title`, `field_3`.
    pub name: String,
    pub kind: FieldKind,
    /// The maximum number of characters.
    pub limit: u32,
    /// The label of a custom field.
    pub label: Option<String>,
}

fn field_info(field: ContactField, kind: FieldKind, limit: usize, label: Option<String>) -> FieldInfo {
    FieldInfo { name: field.name().into_owned(), kind, limit: limit as u32, label }
}

fn attribute_kind(attribute: Attribute) -> FieldKind {
    if attribute == Attribute::DateOfBirth { FieldKind::Date } else { FieldKind::Text }
}

/// The number of contacts examined to find out which custom fields hold dates.
const DATE_SAMPLE_SIZE: u32 = 1_000;

/// Returns every field. A custom field counts as a date field if most of its values in the list are dates.
pub fn read_list_fields(core: &Core, list: &ListId) -> Result<Vec<FieldInfo>> {
    let mut fields = read_fields(core)?;
    let dates = core.read(|tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let count = lists::get(tx, list)?.map_or(0, |list| list.contact_count);
        let custom: Vec<ContactField> =
            custom_fields::defined_numbers(tx)?.into_iter().map(ContactField::Custom).collect();
        // In a short list the newest contacts are representative; in a long one they all come from one import.
        let ids = match count {
            _ if custom.is_empty() => Vec::new(),
            ..MIN_SPREAD_SIZE => list_view::newest_ids(tx, row, 0, DATE_SAMPLE_SIZE)?,
            MIN_SPREAD_SIZE.. => scan::sample_ids(tx, row, DATE_SAMPLE_SIZE.into())?,
        };
        let mut found = vec![(0_usize, 0_usize); custom.len()];
        scan::visit_by_ids(tx, row, &ids, &custom, &Watch::default(), &mut |_, row| {
            for (at, (filled, dates)) in found.iter_mut().enumerate() {
                let Some(text) = scan::text_bytes(row, scan::FIRST_COLUMN + at)? else { continue };
                *filled += 1;
                *dates += usize::from(std::str::from_utf8(text).is_ok_and(|text| parse_date(text).is_some()));
            }
            Ok(())
        })?;
        let has_dates = |(field, (filled, dates)): (&ContactField, (usize, usize))| {
            (dates * 2 > filled).then(|| field.name().into_owned())
        };
        Ok(custom.iter().zip(found).filter_map(has_dates).collect::<Vec<String>>())
    })?;
    for field in fields.iter_mut().filter(|field| dates.contains(&field.name)) {
        field.kind = FieldKind::Date;
    }
    Ok(fields)
}

/// The size from which a list is sampled at many places.
const MIN_SPREAD_SIZE: u64 = 20_000;

/// Returns every field in the order of the screen.
pub fn read_fields(core: &Core) -> Result<Vec<FieldInfo>> {
    let custom = core.read(|tx| Ok(custom_fields::read_in_order(tx)?))?;
    let numbers = [ContactField::PhoneNumber, ContactField::WhatsappId];
    let texts = ContactField::BEFORE_CUSTOM.into_iter().filter_map(|field| match field {
        ContactField::Attribute(attribute) => Some(field_info(field, attribute_kind(attribute), attribute.max(), None)),
        _ => None,
    });
    let custom = custom.into_iter().map(|CustomField { number, label }| {
        field_info(ContactField::Custom(number), FieldKind::Text, CUSTOM_MAX, Some(label))
    });
    Ok(numbers
        .map(|field| field_info(field, FieldKind::Number, NUMBER_MAX, None))
        .into_iter()
        .chain(texts)
        .chain(custom)
        .collect())
}

/// Values by field name; null empties a field.
pub type FieldValues = BTreeMap<String, Option<String>>;

/// Checked values ready to be stored: columns with their texts.
pub type CheckedFields = Vec<(ContactField, Option<String>)>;

/// Returns the region in which numbers without a country code are read: the given one, or that of the account.
pub fn choose_region(tx: &ReadTx, ctx: &Ctx, given: Option<&str>) -> Result<Region> {
    match given {
        Some(code) => Ok(parse_country(code).map_err(|fault| FieldError { path: "region".to_owned(), ..fault })?),
        None => Ok(country_in(tx, ctx)?.region),
    }
}

/// Returns the region in which a contact's number is read: the usual region, or that of the contact's own number if the
/// text is a valid number only there.
pub fn region_near(text: &str, usual: Region, own: Option<Region>) -> Region {
    let is_of = |region| read_number(text, region).is_some();
    own.filter(|own| *own != usual && !is_of(usual) && is_of(*own)).unwrap_or(usual)
}

/// Returns the region of a contact's number, or `None` if the number belongs to no country.
pub fn own_region(contact: &Contact) -> Option<Region> {
    Region::parse(&contact.phone.as_ref().or(contact.whatsapp.as_ref())?.region)
}

/// Checks every value by the rule of its field, and returns all errors with the names of their fields.
pub fn check_values(values: &FieldValues, custom: &[u32], region: impl Fn(&str) -> Region) -> Result<CheckedFields> {
    let (mut settled, mut faults) = (CheckedFields::new(), Vec::new());
    for (name, value) in values {
        match ContactField::parse(name, |number| custom.contains(&number)) {
            Some(field) => match check_cell(field, value.as_deref(), &region) {
                Ok(mut columns) => settled.append(&mut columns),
                Err(fault) => faults.push(fault),
            },
            None => faults.push(FieldError::new(name, "The field was not found.", value.clone())),
        }
    }
    if faults.is_empty() { Ok(settled) } else { Err(Error::Invalid { faults }) }
}

/// Checks what a person entered into a field, and returns the columns to store or the error. This is stricter than the
/// service, which also accepts likely mistakes.
pub fn check_cell(
    field: ContactField,
    value: Option<&str>,
    region: impl Fn(&str) -> Region,
) -> std::result::Result<CheckedFields, FieldError> {
    if let Some(text) = value
        && is_invalid_email(field, text)
    {
        let message = format!("{text:?} is not a valid e-mail address. Correct it, or clear the field.");
        return Err(FieldError::new(field.name(), message, text));
    }
    let (mut settled, mut faults) = (CheckedFields::new(), Vec::new());
    match number_fields(field) {
        // An empty number needs no region.
        Some(fields) if value.is_none() => settled.extend(fields.map(|field| (field, None))),
        Some(fields) => check_number(&field.name(), value, region, fields, &mut settled, &mut faults),
        None => match text_limit(field) {
            Some(max) => check_text(field, &value.map(str::to_owned), max, &mut settled, &mut faults),
            None => faults.push(FieldError::new(field.name(), NOT_SETTABLE, value)),
        },
    }
    faults.pop().map_or(Ok(settled), Err)
}

pub const EMAIL: ContactField = ContactField::Attribute(Attribute::EmailAddress);

/// Returns whether a text is an invalid value of the field for e-mail addresses.
pub fn is_invalid_email(field: ContactField, text: &str) -> bool {
    field == EMAIL && !email::is_email_address(text)
}

/// Returns the maximum number of characters of a text field, or `None` for other fields.
fn text_limit(field: ContactField) -> Option<usize> {
    match field {
        ContactField::Attribute(attribute) => Some(attribute.max()),
        ContactField::Custom(_) => Some(CUSTOM_MAX),
        _ => None,
    }
}

/// Returns the two columns of a number field.
pub fn number_fields(field: ContactField) -> Option<[ContactField; 2]> {
    match field {
        ContactField::PhoneNumber => Some([ContactField::PhoneNumber, ContactField::PhoneRegion]),
        ContactField::WhatsappId => Some([ContactField::WhatsappId, ContactField::WhatsappRegion]),
        _ => None,
    }
}

/// Returns whether people can fill in the field.
pub fn is_settable(field: ContactField) -> bool {
    number_fields(field).is_some() || text_limit(field).is_some()
}

/// The message for a field that cannot be set.
pub const NOT_SETTABLE: &str = "This field is computed from others and cannot be set.";

fn check_text(
    field: ContactField,
    value: &Option<String>,
    max: usize,
    settled: &mut CheckedFields,
    faults: &mut Vec<FieldError>,
) {
    match value {
        Some(text) if !has_length(text, 1, max) => {
            faults.push(FieldError::new(field.name(), size_message(1, max), text.as_str()));
        }
        value => settled.push((field, value.clone())),
    }
}

fn check_number(
    name: &str,
    value: Option<&str>,
    region: impl Fn(&str) -> Region,
    fields: [ContactField; 2],
    settled: &mut CheckedFields,
    faults: &mut Vec<FieldError>,
) {
    let Some(raw) = value else {
        settled.extend(fields.map(|field| (field, None)));
        return;
    };
    // Spaces, brackets and prefixes such as `tel:` belong to the usual spellings of a number and do not count towards
    // the limit.
    let read = (raw.len() <= SPELLING_MAX).then(|| read_number(raw, region(raw))).flatten();
    let message = match read {
        Some(Phone { e164, region }) => {
            settled.extend(fields.into_iter().zip([e164, region]).map(|(field, text)| (field, Some(text))));
            return;
        }
        None if has_length(&phone::without_separators(raw), 1, NUMBER_MAX) => ContactError::InvalidNumber.message(),
        None => size_message(1, NUMBER_MAX),
    };
    faults.push(FieldError::new(name, message, raw));
}

/// Returns the error for a contact without any number.
pub fn no_number_error() -> Error {
    FieldError::new("phone_number", ContactError::NoNumber.message(), serde_json::Value::Null).into()
}

/// Returns the value of a contact's field.
pub fn field_value(contact: &Contact, field: ContactField, custom: &[u32]) -> Option<String> {
    let phone = |phone: &Option<Phone>| phone.clone();
    match field {
        ContactField::PhoneNumber => phone(&contact.phone).map(|p| p.e164),
        ContactField::PhoneRegion => phone(&contact.phone).map(|p| p.region),
        ContactField::WhatsappId => phone(&contact.whatsapp).map(|p| p.e164),
        ContactField::WhatsappRegion => phone(&contact.whatsapp).map(|p| p.region),
        ContactField::Attribute(attribute) => contact.attribute(attribute).map(str::to_owned),
        ContactField::Custom(number) => {
            let at = custom.iter().position(|n| *n == number)?;
            contact.custom.get(at).cloned().flatten()
        }
        ContactField::Uid | ContactField::CreatedAt | ContactField::UpdatedAt => None,
    }
}

/// Returns every stored field in the order of records.
pub fn stored_fields(custom: &[u32]) -> Vec<ContactField> {
    let before = ContactField::BEFORE_CUSTOM.into_iter().filter(|field| *field != ContactField::Uid);
    before.chain(custom.iter().map(|number| ContactField::Custom(*number))).collect()
}

/// Returns the field by which a table can be sorted or filtered.
pub fn find_sortable_field(tx: &ReadTx, name: &str, path: &str) -> Result<ContactField> {
    let custom = custom_fields::defined_numbers(tx)?;
    ContactField::parse(name, |number| custom.contains(&number))
        .ok_or_else(|| FieldError::new(path, "The field was not found.", name).into())
}

/// Returns the name of a contact as the timeline may store it.
pub fn contact_title(contact: &Contact) -> String {
    let name = [Attribute::Firstname, Attribute::Lastname].map(|a| contact.attribute(a).unwrap_or_default()).join(" ");
    let name = name.trim();
    let number = contact.phone.as_ref().or(contact.whatsapp.as_ref()).map(|p| p.e164.clone());
    if name.is_empty() { number.unwrap_or_default() } else { name.to_owned() }
}
