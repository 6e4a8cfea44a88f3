//! Lists and changes the custom fields of contacts.

use roost_model::custom_field;
use roost_ops::{Actor, custom_field as act};
use roost_wire::paging::Paged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    refused::Refused,
    route::{Asked, Nothing},
};
use crate::door::Visit;

#[derive(Serialize, JsonSchema)]
pub struct CustomField {
    number: u32,
    label: String,
}

impl From<custom_field::CustomField> for CustomField {
    fn from(field: custom_field::CustomField) -> Self {
        Self { number: field.number, label: field.label }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomFieldLabel {
    #[schemars(length(min = 1, max = 100), regex(pattern = r"\S"))]
    label: String,
}

fn number(asked: &Asked) -> Result<u32, Refused> {
    asked.parameter().parse().map_err(|_| Refused::invalid("A custom field is identified by its number."))
}

pub fn list(visit: &Visit, asked: &Asked) -> Result<Paged<CustomField>, Refused> {
    asked.page_of(act::read_all(&visit.core())?.into_iter().map(CustomField::from))
}

pub fn add(visit: &Visit, _: &Asked, request: CustomFieldLabel) -> Result<CustomField, Refused> {
    Ok(act::add(&visit.core(), &Actor::operator(), &request.label)?.into())
}

pub fn rename(visit: &Visit, asked: &Asked, request: CustomFieldLabel) -> Result<CustomField, Refused> {
    Ok(act::rename(&visit.core(), &Actor::operator(), number(asked)?, &request.label)?.into())
}

pub fn remove(visit: &Visit, asked: &Asked) -> Result<Nothing, Refused> {
    act::remove(&visit.core(), &Actor::operator(), number(asked)?)?;
    Ok(Nothing)
}
