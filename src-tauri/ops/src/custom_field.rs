//! Acts on custom fields.

use roost_model::custom_field::{CustomField, NUMBER_MAX, check_label};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::custom_fields,
};

use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
};

pub fn all(core: &Core) -> Result<Vec<CustomField>> {
    core.read(|tx| Ok(custom_fields::all(tx)?))
}

/// Numbers of the defined fields, rising.
pub fn numbers(core: &Core) -> Result<Vec<u32>> {
    core.read(|tx| Ok(custom_fields::numbers(tx)?))
}

/// Adds a field under the next number.
pub fn add(core: &Core, by: &By, label: &str) -> Result<CustomField> {
    check_label(label)?;
    core.write(by, |tx| {
        let number = custom_fields::next_number(tx)?;
        if number > NUMBER_MAX {
            return Err(Error::conflict(format!("The account has used all {NUMBER_MAX} numbers of custom fields.")));
        }
        let field = CustomField { number, label: label.to_owned() };
        custom_fields::insert(tx, &field)?;
        tx.log(Change::one(Noun::CustomField, Action::Created, number));
        Ok(field)
    })
}

pub fn rename(core: &Core, by: &By, number: u32, label: &str) -> Result<CustomField> {
    check_label(label)?;
    core.write(by, |tx| {
        custom_fields::rename(tx, number, label)?.or_not_found(Noun::CustomField, number)?;
        tx.log(Change::one(Noun::CustomField, Action::Updated, number));
        Ok(CustomField { number, label: label.to_owned() })
    })
}

/// Removes a field and its values; its number is never used again.
pub fn remove(core: &Core, by: &By, number: u32) -> Result<()> {
    core.write(by, |tx| {
        custom_fields::remove(tx, number)?.or_not_found(Noun::CustomField, number)?;
        tx.log(Change::one(Noun::CustomField, Action::Deleted, number));
        Ok(())
    })
}
