//! Commands on custom fields.

use roost_model::custom_field::CustomField;
use roost_ops::{Actor, custom_field as act};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::App,
    commands::{Done, Nothing},
    error::CommandError,
};

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct CustomFieldsAnswer {
    /// In the order of the screen.
    pub fields: Vec<CustomField>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct CustomFieldUses {
    pub number: u32,
    /// The `next` of the last response. Null starts from the beginning.
    pub after: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct CustomFieldAdd {
    pub label: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct CustomFieldRename {
    pub number: u32,
    pub label: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct CustomFieldOrder {
    /// Fields that are not named follow after these.
    pub numbers: Vec<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct CustomFieldRemove {
    pub number: u32,
    /// The label of the field, typed as a confirmation.
    pub typed_label: String,
}

pub(super) fn all(app: &App, _: &Actor, _: Nothing) -> Result<CustomFieldsAnswer, CommandError> {
    Ok(CustomFieldsAnswer { fields: act::read_in_order(&app.core()?)? })
}

pub(super) fn uses(app: &App, _: &Actor, request: CustomFieldUses) -> Result<act::FieldUseCount, CommandError> {
    Ok(act::count_uses(&app.core()?, request.number, request.after.as_deref())?)
}

pub(super) fn add(app: &App, by: &Actor, request: CustomFieldAdd) -> Result<CustomField, CommandError> {
    Ok(act::add(&app.core()?, by, &request.label)?)
}

pub(super) fn rename(app: &App, by: &Actor, request: CustomFieldRename) -> Result<CustomField, CommandError> {
    Ok(act::rename(&app.core()?, by, request.number, &request.label)?)
}

pub(super) fn order(app: &App, by: &Actor, request: CustomFieldOrder) -> Result<CustomFieldsAnswer, CommandError> {
    Ok(CustomFieldsAnswer { fields: act::set_order(&app.core()?, by, &request.numbers)? })
}

pub(super) fn remove(app: &App, by: &Actor, request: CustomFieldRemove) -> Result<Done, CommandError> {
    act::remove_named(&app.core()?, by, request.number, &request.typed_label)?;
    Ok(Done {})
}
