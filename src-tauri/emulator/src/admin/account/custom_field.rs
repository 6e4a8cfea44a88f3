//! Lists and changes the custom fields of contacts.

use roost_model::custom_field;
use roost_ops::{Actor, custom_field as act};
use roost_wire::paging::Paged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    error::AdminError,
    route::{AdminRequest, NoContent},
};
use crate::door::WorldVisit;

#[derive(Serialize, JsonSchema)]
pub(crate) struct CustomField {
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
pub(crate) struct CustomFieldLabel {
    #[schemars(length(min = 1, max = 100), regex(pattern = r"\S"))]
    label: String,
}

fn parse_number(request: &AdminRequest) -> Result<u32, AdminError> {
    request.first_parameter().parse().map_err(|_| AdminError::invalid("A custom field is identified by its number."))
}

pub(crate) fn list_custom_fields(visit: &WorldVisit, request: &AdminRequest) -> Result<Paged<CustomField>, AdminError> {
    request.paginate(act::read_all(&visit.core())?.into_iter().map(CustomField::from))
}

pub(crate) fn add_custom_field(
    visit: &WorldVisit,
    _: &AdminRequest,
    request: CustomFieldLabel,
) -> Result<CustomField, AdminError> {
    Ok(act::add(&visit.core(), &Actor::operator(), &request.label)?.into())
}

pub(crate) fn rename_custom_field(
    visit: &WorldVisit,
    admin_request: &AdminRequest,
    request: CustomFieldLabel,
) -> Result<CustomField, AdminError> {
    Ok(act::rename(&visit.core(), &Actor::operator(), parse_number(admin_request)?, &request.label)?.into())
}

pub(crate) fn remove_custom_field(visit: &WorldVisit, request: &AdminRequest) -> Result<NoContent, AdminError> {
    act::remove(&visit.core(), &Actor::operator(), parse_number(request)?)?;
    Ok(NoContent)
}
