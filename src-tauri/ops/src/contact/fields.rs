//! Lists the fields of a contact that people fill in, and checks values by the rule of each field.

use std::collections::BTreeMap;

use roost_model::{
    contact::{Attribute, CUSTOM_MAX, Contact, ContactFault, ContactField, NUMBER_MAX, email},
    custom_field::CustomField,
    error::{Fault, has_length, size_between},
    id::ListId,
    phone::{self, Phone, Region},
    time::date::parse_date,
};
use roost_store::{
    change_log::Noun,
    tables::{
        contacts::{grid::scan, view},
        custom_fields, lists,
    },
    tx::ReadTx,
    watch::Watch,
};
use serde::Serialize;

use crate::{
    account::{country_in, parse_country},
    core::Core,
    ctx::Ctx,
    error::{Error, OrNotFound, Result},
    files::import::number::spelling::read_number,
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

fn info(field: ContactField, kind: FieldKind, limit: usize, label: Option<String>) -> FieldInfo {
    FieldInfo { name: field.name().into_owned(), kind, limit: limit as u32, label }
}

fn kind(attribute: Attribute) -> FieldKind {
    if attribute == Attribute::DateOfBirth { FieldKind::Date } else { FieldKind::Text }
}

/// The number of contacts examined to find out which custom fields hold dates.
const LOOKED_AT: u32 = 1_000;

/// Returns every field. A custom field counts as a date field if most of its values in the list are dates.
pub fn of_list(core: &Core, list: &ListId) -> Result<Vec<FieldInfo>> {
    let mut fields = all(core)?;
    let dates = core.read(|tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let count = lists::get(tx, list)?.map_or(0, |list| list.contact_count);
        let custom: Vec<ContactField> = custom_fields::numbers(tx)?.into_iter().map(ContactField::Custom).collect();
        // In a short list the newest contacts are representative; in a long one they all come from one import.
        let ids = match count {
            _ if custom.is_empty() => Vec::new(),
            ..SPREAD_FROM => view::newest(tx, row, 0, LOOKED_AT)?,
            SPREAD_FROM.. => scan::sample(tx, row, LOOKED_AT.into())?,
        };
        let mut found = vec![(0_usize, 0_usize); custom.len()];
        scan::by_ids(tx, row, &ids, &custom, &Watch::default(), &mut |_, row| {
            for (at, (filled, dates)) in found.iter_mut().enumerate() {
                let Some(text) = scan::text(row, scan::FIRST_COLUMN + at)? else { continue };
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
const SPREAD_FROM: u64 = 20_000;

/// Returns every field in the order of the screen.
pub fn all(core: &Core) -> Result<Vec<FieldInfo>> {
    let custom = core.read(|tx| Ok(custom_fields::in_order(tx)?))?;
    let numbers = [ContactField::PhoneNumber, ContactField::WhatsappId];
    let texts = ContactField::BEFORE_CUSTOM.into_iter().filter_map(|field| match field {
        ContactField::Attribute(attribute) => Some(info(field, kind(attribute), attribute.max(), None)),
        _ => None,
    });
    let custom = custom.into_iter().map(|CustomField { number, label }| {
        info(ContactField::Custom(number), FieldKind::Text, CUSTOM_MAX, Some(label))
    });
    Ok(numbers
        .map(|field| info(field, FieldKind::Number, NUMBER_MAX, None))
        .into_iter()
        .chain(texts)
        .chain(custom)
        .collect())
}

/// Values by field name; null empties a field.
pub type FieldValues = BTreeMap<String, Option<String>>;

/// Checked values ready to be stored: columns with their texts.
pub(crate) type Settled = Vec<(ContactField, Option<String>)>;

/// Returns the region in which numbers without a country code are read: the given one, or that of the account.
pub(crate) fn region(tx: &ReadTx, ctx: &Ctx, given: Option<&str>) -> Result<Region> {
    match given {
        Some(code) => Ok(parse_country(code).map_err(|fault| Fault { path: "region".to_owned(), ..fault })?),
        None => Ok(country_in(tx, ctx)?.region),
    }
}

/// Returns the region in which a contact's number is read: the usual region, or that of the contact's own number if the
/// text is a valid number only there.
pub(crate) fn region_near(text: &str, usual: Region, own: Option<Region>) -> Region {
    let is_of = |region| read_number(text, region).is_some();
    own.filter(|own| *own != usual && !is_of(usual) && is_of(*own)).unwrap_or(usual)
}

/// Returns the region of a contact's number, or `None` if the number belongs to no country.
pub(super) fn own_region(contact: &Contact) -> Option<Region> {
    Region::parse(&contact.phone.as_ref().or(contact.whatsapp.as_ref())?.region)
}

/// Checks every value by the rule of its field, and returns all errors with the names of their fields.
pub(super) fn settle(values: &FieldValues, custom: &[u32], region: impl Fn(&str) -> Region) -> Result<Settled> {
    let (mut settled, mut faults) = (Settled::new(), Vec::new());
    for (name, value) in values {
        match ContactField::parse(name, |number| custom.contains(&number)) {
            Some(field) => match settle_value(field, value.as_deref(), &region) {
                Ok(mut columns) => settled.append(&mut columns),
                Err(fault) => faults.push(fault),
            },
            None => faults.push(Fault::new(name, "There is no such field.", value.clone())),
        }
    }
    if faults.is_empty() { Ok(settled) } else { Err(Error::Invalid { faults }) }
}

/// Checks what a person typed into a cell, and returns the columns to store or the error. This is stricter than the
/// service, which also accepts likely mistakes.
pub(crate) fn settle_one(
    field: ContactField,
    value: Option<&str>,
    region: impl Fn(&str) -> Region,
) -> std::result::Result<Settled, Fault> {
    match value {
        Some(text) if field == EMAIL && !email::is_email_address(text) => {
            let told = format!("{text:?} is not a valid e-mail address. Correct it, or empty the field.");
            Err(Fault::new(field.name(), told, text))
        }
        value => settle_value(field, value, region),
    }
}

/// Checks one value by the rule of its field.
fn settle_value(
    field: ContactField,
    value: Option<&str>,
    region: impl Fn(&str) -> Region,
) -> std::result::Result<Settled, Fault> {
    let (mut settled, mut faults) = (Settled::new(), Vec::new());
    match number_fields(field) {
        // An empty number needs no region.
        Some(fields) if value.is_none() => settled.extend(fields.map(|field| (field, None))),
        Some(fields) => number(&field.name(), value, region, fields, &mut settled, &mut faults),
        None => match limit(field) {
            Some(max) => text(field, &value.map(str::to_owned), max, &mut settled, &mut faults),
            None => faults.push(Fault::new(field.name(), FOLLOWS, value)),
        },
    }
    faults.pop().map_or(Ok(settled), Err)
}

pub(super) const EMAIL: ContactField = ContactField::Attribute(Attribute::EmailAddress);

/// Returns the maximum number of characters of a text field, or `None` for other fields.
fn limit(field: ContactField) -> Option<usize> {
    match field {
        ContactField::Attribute(attribute) => Some(attribute.max()),
        ContactField::Custom(_) => Some(CUSTOM_MAX),
        _ => None,
    }
}

/// Returns the two columns of a number field.
pub(crate) fn number_fields(field: ContactField) -> Option<[ContactField; 2]> {
    match field {
        ContactField::PhoneNumber => Some([ContactField::PhoneNumber, ContactField::PhoneRegion]),
        ContactField::WhatsappId => Some([ContactField::WhatsappId, ContactField::WhatsappRegion]),
        _ => None,
    }
}

/// Returns whether people can fill in the field.
pub(crate) fn is_settable(field: ContactField) -> bool {
    number_fields(field).is_some() || limit(field).is_some()
}

/// The message for a field that cannot be set.
pub(crate) const FOLLOWS: &str = "This field follows from others and cannot be set.";

fn text(field: ContactField, value: &Option<String>, max: usize, settled: &mut Settled, faults: &mut Vec<Fault>) {
    match value {
        Some(text) if !has_length(text, 1, max) => {
            faults.push(Fault::new(field.name(), size_between(1, max), text.as_str()));
        }
        value => settled.push((field, value.clone())),
    }
}

fn number(
    name: &str,
    value: Option<&str>,
    region: impl Fn(&str) -> Region,
    fields: [ContactField; 2],
    settled: &mut Settled,
    faults: &mut Vec<Fault>,
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
        None if has_length(&phone::without_separators(raw), 1, NUMBER_MAX) => ContactFault::InvalidNumber.message(),
        None => size_between(1, NUMBER_MAX),
    };
    faults.push(Fault::new(name, message, raw));
}

/// Returns the error for a contact without any number.
pub(crate) fn no_number() -> Error {
    Fault::new("phone_number", ContactFault::NoNumber.message(), serde_json::Value::Null).into()
}

/// Returns the value of a contact's field.
pub(super) fn value(contact: &Contact, field: ContactField, custom: &[u32]) -> Option<String> {
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
pub(super) fn kept(custom: &[u32]) -> Vec<ContactField> {
    let before = ContactField::BEFORE_CUSTOM.into_iter().filter(|field| *field != ContactField::Uid);
    before.chain(custom.iter().map(|number| ContactField::Custom(*number))).collect()
}

/// Returns the field by which a table can be sorted or filtered.
pub(crate) fn sortable(tx: &ReadTx, name: &str, path: &str) -> Result<ContactField> {
    let custom = custom_fields::numbers(tx)?;
    ContactField::parse(name, |number| custom.contains(&number))
        .ok_or_else(|| Fault::new(path, "There is no such field.", name).into())
}

/// Returns the name of a contact as the time line may store it.
pub(crate) fn title(contact: &Contact) -> String {
    let name = [Attribute::Firstname, Attribute::Lastname].map(|a| contact.attribute(a).unwrap_or_default()).join(" ");
    let name = name.trim();
    let number = contact.phone.as_ref().or(contact.whatsapp.as_ref()).map(|p| p.e164.clone());
    if name.is_empty() { number.unwrap_or_default() } else { name.to_owned() }
}
