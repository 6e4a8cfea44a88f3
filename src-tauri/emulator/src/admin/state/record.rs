//! Records as they are stored, edited past the rules of the interface. Every edit is a step of the account like any other.

use std::collections::BTreeMap;

use roost_model::id::ListId;
use roost_ops::{
    By, Resource,
    seed::{self, SeedError},
};
use roost_wire::{
    Query,
    paging::{Paged, Paging},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::{
    refused::Refused,
    route::{Asked, Nothing},
};
use crate::door::Visit;

/// A record in the form of a seed; a contact says by list_uid in which list it is.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StateRecord")]
pub struct Record {
    #[serde(flatten)]
    fields: BTreeMap<String, Value>,
}

impl From<Map<String, Value>> for Record {
    fn from(fields: Map<String, Value>) -> Self {
        Self { fields: fields.into_iter().collect() }
    }
}

impl From<Record> for Value {
    fn from(record: Record) -> Self {
        Self::Object(record.fields.into_iter().collect())
    }
}

/// A record is no seed: what is wrong with it is told as such.
fn told(error: SeedError) -> Refused {
    match error {
        SeedError::Core(error) => error.into(),
        SeedError::Faulty { path, message } if path.is_empty() => Refused::invalid(format!("The record: {message}.")),
        faulty => Refused::invalid(format!("{faulty}.")),
    }
}

fn resource(asked: &Asked) -> Result<Resource, Refused> {
    let name = asked.parameter();
    Resource::ALL.into_iter().find(|resource| resource.name() == name).ok_or_else(|| {
        let all = Resource::ALL.map(Resource::name).join(", ");
        Refused::not_found(format!("There is no resource '{name}'; there are {all}."))
    })
}

fn key(asked: &Asked) -> &str {
    asked.parameters.get(1).map_or("", String::as_str)
}

pub fn list(visit: &Visit, asked: &Asked) -> Result<Paged<Record>, Refused> {
    let (resource, page) = (resource(asked)?, asked.page()?);
    let query = Query::parse(&asked.query);
    let list = query.filled("list_uid").map(ListId::parse).transpose();
    let list = list.map_err(|why| Refused::bad_query(format!("list_uid: {why}.")))?;
    if list.is_some() && resource != Resource::Contacts {
        return Err(Refused::bad_query("list_uid is for contacts."));
    }
    let found = seed::page(&visit.core(), &visit.rules.short_base, resource, list.as_ref(), page)?;
    let items = found.items.into_iter().map(Record::from).collect();
    Ok(Paged { paging: Paging::of(page, found.total_items), items })
}

pub fn get(visit: &Visit, asked: &Asked) -> Result<Record, Refused> {
    Ok(seed::one(&visit.core(), &visit.rules.short_base, resource(asked)?, key(asked))?.into())
}

pub fn make(visit: &Visit, asked: &Asked, record: Record) -> Result<Record, Refused> {
    let base = &visit.rules.short_base;
    let made = seed::make(&visit.core(), &By::operator(), base, resource(asked)?, &record.into());
    made.map(Record::from).map_err(told)
}

pub fn put(visit: &Visit, asked: &Asked, record: Record) -> Result<Record, Refused> {
    let base = &visit.rules.short_base;
    let stored = seed::put(&visit.core(), &By::operator(), base, resource(asked)?, key(asked), &record.into());
    stored.map(Record::from).map_err(told)
}

pub fn remove(visit: &Visit, asked: &Asked) -> Result<Nothing, Refused> {
    seed::remove(&visit.core(), &By::operator(), resource(asked)?, key(asked)).map_err(told)?;
    Ok(Nothing)
}
