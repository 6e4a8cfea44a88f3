//! Custom fields of contacts.

use roost_model::custom_field;
use roost_ops::{By, custom_field as act};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    refused::Refused,
    route::{Asked, Nothing},
};
use crate::world::World;

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

#[derive(Serialize, JsonSchema)]
pub struct CustomFields {
    items: Vec<CustomField>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomFieldLabel {
    #[schemars(length(min = 1, max = 100), regex(pattern = r"\S"))]
    label: String,
}

fn number(asked: &Asked) -> Result<u32, Refused> {
    asked.parameter().parse().map_err(|_| Refused::invalid("A custom field is named by its number."))
}

pub fn list(world: &World, _: &Asked) -> Result<CustomFields, Refused> {
    Ok(CustomFields { items: act::all(&world.core)?.into_iter().map(CustomField::from).collect() })
}

pub fn add(world: &World, _: &Asked, request: CustomFieldLabel) -> Result<CustomField, Refused> {
    Ok(act::add(&world.core, &By::operator(), &request.label)?.into())
}

pub fn rename(world: &World, asked: &Asked, request: CustomFieldLabel) -> Result<CustomField, Refused> {
    Ok(act::rename(&world.core, &By::operator(), number(asked)?, &request.label)?.into())
}

pub fn remove(world: &World, asked: &Asked) -> Result<Nothing, Refused> {
    act::remove(&world.core, &By::operator(), number(asked)?)?;
    Ok(Nothing)
}
