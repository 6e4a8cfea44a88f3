//! Edits stored records without the rules of the interface. Every edit is a step of the account like any other.

use std::collections::BTreeMap;

use roost_model::id::ListId;
use roost_ops::{
    AccountResource, Actor,
    history::{StepState, UndoStep},
    seed::{self, RecordStepToggle, SeedError},
};
use roost_wire::{
    QueryString,
    paging::{Paged, Paging},
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::super::{
    refused::Refused,
    route::{Asked, Nothing},
};
use crate::door::Visit;

/// A record in the form that seeds use. A contact names its list in list_uid.
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

/// Reports an error of a record at its field, because the caller did not send a whole seed.
fn told(error: SeedError) -> Refused {
    let SeedError::Invalid { path, message } = error else { return error.into() };
    if !path.is_empty() {
        return Refused::invalid(format!("{path}: {message}.")).at_place(&path);
    }
    let told = Refused::invalid(format!("Invalid record: {message}."));
    match message.strip_prefix('\'').and_then(|rest| rest.split_once("' is missing")) {
        Some((field, _)) => told.at_place(field),
        None => told,
    }
}

fn resource(asked: &Asked) -> Result<AccountResource, Refused> {
    resource_of(asked.parameter())
}

pub(super) fn resource_of(name: &str) -> Result<AccountResource, Refused> {
    AccountResource::ALL.into_iter().find(|resource| resource.name() == name).ok_or_else(|| {
        let all = AccountResource::ALL.map(AccountResource::name).join(", ");
        Refused::not_found(format!("Unknown resource '{name}'. Resources: {all}."))
    })
}

fn key(asked: &Asked) -> &str {
    asked.parameters.get(1).map_or("", String::as_str)
}

pub fn list(visit: &Visit, asked: &Asked) -> Result<Paged<Record>, Refused> {
    let (resource, page) = (resource(asked)?, asked.page()?);
    let query = QueryString::parse(&asked.query);
    let list = query.filled_value("list_uid").map(ListId::parse).transpose();
    let list = list.map_err(|why| Refused::bad_query(format!("list_uid: {why}.")))?;
    if list.is_some() && resource != AccountResource::Contacts {
        return Err(Refused::bad_query("list_uid can only be used with contacts."));
    }
    let wanted = (list.as_ref(), query.filled_value("q"));
    let found = seed::read_record_page(&visit.core(), &visit.rules.short_base, resource, wanted, page)?;
    let items = found.items.into_iter().map(Record::from).collect();
    Ok(Paged { paging: Paging::for_page(page, found.total_items), items })
}

pub fn get(visit: &Visit, asked: &Asked) -> Result<Record, Refused> {
    Ok(seed::read_record(&visit.core(), &visit.rules.short_base, resource(asked)?, key(asked))?.into())
}

pub fn make(visit: &Visit, asked: &Asked, record: Record) -> Result<Record, Refused> {
    let base = &visit.rules.short_base;
    let made = seed::create_record(&visit.core(), &Actor::operator(), base, resource(asked)?, &record.into());
    made.map(Record::from).map_err(told)
}

pub fn change(visit: &Visit, asked: &Asked, record: Record) -> Result<Record, Refused> {
    let base = &visit.rules.short_base;
    let stored =
        seed::put_record(&visit.core(), &Actor::operator(), base, resource(asked)?, key(asked), &record.into());
    stored.map(Record::from).map_err(told)
}

pub fn remove(visit: &Visit, asked: &Asked) -> Result<Nothing, Refused> {
    seed::remove_record(&visit.core(), &Actor::operator(), resource(asked)?, key(asked)).map_err(told)?;
    Ok(Nothing)
}

/// An edit made through the admin interface, which can be undone and redone.
#[derive(Serialize, JsonSchema)]
pub struct RecordStep {
    step: i64,
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// Whether it was undone and can be redone.
    is_undone: bool,
}

pub fn steps(visit: &Visit, asked: &Asked) -> Result<Paged<RecordStep>, Refused> {
    let found = seed::read_record_steps(&visit.core(), resource(asked)?, key(asked))?;
    let told = |step: &UndoStep| RecordStep {
        step: step.id,
        at: step.at.to_iso(),
        is_undone: step.state == StepState::Undone,
    };
    asked.page_of(found.iter().map(told))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnWish {
    step: i64,
    /// The record as you last saw it; null if it did not exist. Nothing is done if it is different now. When left out,
    /// only a change made since the edit prevents this.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "Option<Record>")]
    record: Option<Option<Record>>,
}

/// Set if a value was given, even null, which differs from a missing field.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<Record>>, D::Error> {
    Option::deserialize(from).map(Some)
}

#[derive(Serialize, JsonSchema)]
pub struct Turned {
    /// The current record. Null: it does not exist.
    record: Option<Record>,
}

pub fn undo(visit: &Visit, asked: &Asked, wish: TurnWish) -> Result<Turned, Refused> {
    turn(visit, asked, wish, StepState::Undone)
}

pub fn redo(visit: &Visit, asked: &Asked, wish: TurnWish) -> Result<Turned, Refused> {
    turn(visit, asked, wish, StepState::Done)
}

fn turn(visit: &Visit, asked: &Asked, wish: TurnWish, to: StepState) -> Result<Turned, Refused> {
    let fields = |record: Record| record.fields.into_iter().collect::<Map<String, Value>>();
    let record = wish.record.map(|record| record.map(fields));
    let (resource, key) = (resource(asked)?, key(asked));
    let turn = RecordStepToggle { resource, key, step: wish.step, record: record.as_ref().map(Option::as_ref), to };
    let turned = seed::toggle_record_step(&visit.core(), &Actor::operator(), &visit.rules.short_base, turn)?;
    Ok(Turned { record: turned.map(Record::from) })
}
