//! Contains the acts on custom fields.

use std::collections::BTreeSet;

use roost_model::{
    custom_field::{CustomField, NUMBER_MAX, check_label},
    error::FieldError,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{contacts::search, custom_fields},
    tx::ActDescription,
};
use serde::{Deserialize, Serialize};

use crate::{
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
};

pub fn read_all(core: &Core) -> Result<Vec<CustomField>> {
    core.read(|tx| Ok(custom_fields::read_all(tx)?))
}

/// Returns the fields in the order of the screen.
pub fn read_in_order(core: &Core) -> Result<Vec<CustomField>> {
    core.read(|tx| Ok(custom_fields::read_in_order(tx)?))
}

/// Returns the numbers of the defined fields in ascending order.
pub fn numbers(core: &Core) -> Result<Vec<u32>> {
    core.read(|tx| Ok(custom_fields::defined_numbers(tx)?))
}

/// Removes the fields with which every account file begins, so that a new account has only those that someone adds. This
/// is not a step of the undo history.
pub fn remove_initial(core: &Core) -> Result<()> {
    core.write_quietly(|tx| Ok(custom_fields::clear(tx)?))
}

/// Adds a field with the next number.
pub fn add(core: &Core, by: &Actor, label: &str) -> Result<CustomField> {
    check_label(label)?;
    core.write(by, |tx| {
        let number = custom_fields::next_number(tx)?;
        if number > NUMBER_MAX {
            return Err(Error::conflict(format!("The account has used all {NUMBER_MAX} numbers of custom fields.")));
        }
        let field = CustomField { number, label: label.to_owned() };
        custom_fields::insert(tx, &field)?;
        tx.describe_act(ActDescription::new("custom_field_add").with_subject(label).with_uid(number));
        tx.log_change(ChangeLogEntry::single(Noun::CustomField, ChangeAction::Created, number));
        Ok(field)
    })
}

pub fn rename(core: &Core, by: &Actor, number: u32, label: &str) -> Result<CustomField> {
    check_label(label)?;
    core.write(by, |tx| {
        let field = CustomField { number, label: label.to_owned() };
        if custom_fields::read_all(tx)?.contains(&field) {
            return Ok(field);
        }
        custom_fields::rename(tx, number, label)?.or_not_found(Noun::CustomField, number)?;
        tx.describe_act(ActDescription::new("custom_field_rename").with_subject(label).with_uid(number));
        tx.log_change(ChangeLogEntry::single(Noun::CustomField, ChangeAction::Updated, number));
        Ok(field)
    })
}

/// Sets the order of the fields on the screen. Fields that are not named follow in their previous order.
pub fn set_order(core: &Core, by: &Actor, numbers: &[u32]) -> Result<Vec<CustomField>> {
    core.write(by, |tx| {
        let before: Vec<u32> = custom_fields::read_in_order(tx)?.into_iter().map(|field| field.number).collect();
        let mut wanted: Vec<u32> = Vec::with_capacity(before.len());
        for (i, number) in numbers.iter().enumerate() {
            if !before.contains(number) {
                return Err(FieldError::new(format!("numbers[{i}]"), "The field was not found.", *number).into());
            }
            if !wanted.contains(number) {
                wanted.push(*number);
            }
        }
        wanted.extend(before.iter().filter(|number| !numbers.contains(number)));
        if wanted != before {
            custom_fields::set_order(tx, &wanted)?;
            tx.describe_act(ActDescription::new("custom_field_order").with_count(wanted.len() as u64));
            tx.log_change(ChangeLogEntry::bulk(Noun::CustomField, ChangeAction::Updated, wanted.len() as u64));
        }
        Ok(custom_fields::read_in_order(tx)?)
    })
}

/// The state of a count of values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "CustomFieldUsesAnswer"))]
pub struct FieldUseCount {
    /// Contacts that have a value in the field.
    pub contacts: u64,
    /// Lists with such contacts.
    pub lists: u64,
    /// The cursor at which the count continues, or `None` if it is complete.
    pub next: Option<String>,
}

#[derive(Default, Serialize, Deserialize)]
struct UsesCursor {
    row: i64,
    contacts: u64,
    lists: BTreeSet<i64>,
}

/// The number of contacts counted by one call.
const SLICE: u32 = 40_000;

/// Counts the contacts that hold a value, in slices. Each call returns the count so far.
pub fn count_uses(core: &Core, number: u32, after: Option<&str>) -> Result<FieldUseCount> {
    let mut cursor: UsesCursor = match after {
        None => UsesCursor::default(),
        Some(text) => {
            serde_json::from_str(text).map_err(|_| FieldError::new("after", "is not where a count stood", text))?
        }
    };
    core.read(|tx| {
        custom_fields::defined_numbers(tx)?.contains(&number).or_not_found(Noun::CustomField, number)?;
        let (found, last) = search::count_field_uses(tx, number, cursor.row, SLICE)?;
        for (list, contacts) in found {
            cursor.contacts += contacts;
            cursor.lists.insert(list.number());
        }
        let next = last.map(|row| {
            cursor.row = row;
            serde_json::to_string(&cursor).unwrap_or_default()
        });
        Ok(FieldUseCount { contacts: cursor.contacts, lists: cursor.lists.len() as u64, next })
    })
}

/// Removes a field and its values. Its number is never used again.
pub fn remove(core: &Core, by: &Actor, number: u32) -> Result<()> {
    remove_checked(core, by, number, |_| Ok(()))
}

/// Removes a field if its label was typed correctly.
pub fn remove_named(core: &Core, by: &Actor, number: u32, typed: &str) -> Result<()> {
    remove_checked(core, by, number, |label| {
        if typed.trim() == label.trim() {
            return Ok(());
        }
        Err(FieldError::new("typed_label", "must be the label of the field", typed).into())
    })
}

fn remove_checked(core: &Core, by: &Actor, number: u32, check: impl FnOnce(&str) -> Result<()>) -> Result<()> {
    core.write(by, |tx| {
        let fields = custom_fields::read_all(tx)?;
        let field = fields.iter().find(|field| field.number == number).or_not_found(Noun::CustomField, number)?;
        check(&field.label)?;
        let values = custom_fields::remove(tx, number)?.or_not_found(Noun::CustomField, number)?;
        let act = ActDescription::new("custom_field_remove")
            .with_subject(field.label.as_str())
            .with_uid(number)
            .with_count(values);
        tx.describe_act(act.into_trash(Noun::CustomField));
        tx.log_change(ChangeLogEntry::single(Noun::CustomField, ChangeAction::Deleted, number));
        if values > 0 {
            tx.log_change(ChangeLogEntry::bulk(Noun::Contact, ChangeAction::Updated, values));
        }
        Ok(())
    })
}
