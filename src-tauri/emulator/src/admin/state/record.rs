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
    error::AdminError,
    route::{AdminRequest, NoContent},
};
use crate::door::WorldVisit;

/// A record in the form that seeds use. A contact names its list in list_uid.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StateRecord")]
pub struct StateRecord {
    #[serde(flatten)]
    fields: BTreeMap<String, Value>,
}

impl From<Map<String, Value>> for StateRecord {
    fn from(fields: Map<String, Value>) -> Self {
        Self { fields: fields.into_iter().collect() }
    }
}

impl From<StateRecord> for Value {
    fn from(record: StateRecord) -> Self {
        Self::Object(record.fields.into_iter().collect())
    }
}

/// Reports an error of a record at its field, because the caller did not send a whole seed.
fn to_admin_error(error: SeedError) -> AdminError {
    let SeedError::Invalid { path, message } = error else { return error.into() };
    if !path.is_empty() {
        return AdminError::invalid(format!("{path}: {message}.")).at_path(&path);
    }
    let told = AdminError::invalid(format!("Invalid record: {message}."));
    match message.strip_prefix('\'').and_then(|rest| rest.split_once("' is missing")) {
        Some((field, _)) => told.at_path(field),
        None => told,
    }
}

fn requested_resource(asked: &AdminRequest) -> Result<AccountResource, AdminError> {
    find_resource(asked.first_parameter())
}

pub(super) fn find_resource(name: &str) -> Result<AccountResource, AdminError> {
    AccountResource::ALL.into_iter().find(|resource| resource.name() == name).ok_or_else(|| {
        let all = AccountResource::ALL.map(AccountResource::name).join(", ");
        AdminError::not_found(format!("Unknown resource '{name}'. Resources: {all}."))
    })
}

fn record_key(asked: &AdminRequest) -> &str {
    asked.parameters.get(1).map_or("", String::as_str)
}

pub(crate) fn list_records(visit: &WorldVisit, asked: &AdminRequest) -> Result<Paged<StateRecord>, AdminError> {
    let (resource, page) = (requested_resource(asked)?, asked.page_request()?);
    let query = QueryString::parse(&asked.query);
    let list = query.filled_value("list_uid").map(ListId::parse).transpose();
    let list = list.map_err(|why| AdminError::bad_query(format!("list_uid: {why}.")))?;
    if list.is_some() && resource != AccountResource::Contacts {
        return Err(AdminError::bad_query("list_uid can only be used with contacts."));
    }
    let wanted = (list.as_ref(), query.filled_value("q"));
    let found = seed::read_record_page(&visit.core(), &visit.rules.short_base, resource, wanted, page)?;
    let items = found.items.into_iter().map(StateRecord::from).collect();
    Ok(Paged { paging: Paging::for_page(page, found.total_items), items })
}

pub(crate) fn get_record(visit: &WorldVisit, asked: &AdminRequest) -> Result<StateRecord, AdminError> {
    Ok(seed::read_record(&visit.core(), &visit.rules.short_base, requested_resource(asked)?, record_key(asked))?.into())
}

pub(crate) fn create_record(
    visit: &WorldVisit,
    asked: &AdminRequest,
    record: StateRecord,
) -> Result<StateRecord, AdminError> {
    let base = &visit.rules.short_base;
    let made = seed::create_record(&visit.core(), &Actor::operator(), base, requested_resource(asked)?, &record.into());
    made.map(StateRecord::from).map_err(to_admin_error)
}

pub(crate) fn change_record(
    visit: &WorldVisit,
    asked: &AdminRequest,
    record: StateRecord,
) -> Result<StateRecord, AdminError> {
    let base = &visit.rules.short_base;
    let stored = seed::put_record(
        &visit.core(),
        &Actor::operator(),
        base,
        requested_resource(asked)?,
        record_key(asked),
        &record.into(),
    );
    stored.map(StateRecord::from).map_err(to_admin_error)
}

pub(crate) fn remove_record(visit: &WorldVisit, asked: &AdminRequest) -> Result<NoContent, AdminError> {
    seed::remove_record(&visit.core(), &Actor::operator(), requested_resource(asked)?, record_key(asked))
        .map_err(to_admin_error)?;
    Ok(NoContent)
}

/// An edit made through the admin interface, which can be undone and redone.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RecordStep {
    step: i64,
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// Whether it was undone and can be redone.
    is_undone: bool,
}

pub(crate) fn list_steps(visit: &WorldVisit, asked: &AdminRequest) -> Result<Paged<RecordStep>, AdminError> {
    let found = seed::read_record_steps(&visit.core(), requested_resource(asked)?, record_key(asked))?;
    let told = |step: &UndoStep| RecordStep {
        step: step.id,
        at: step.at.to_iso(),
        is_undone: step.state == StepState::Undone,
    };
    asked.paginate(found.iter().map(told))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepTurnRequest {
    step: i64,
    /// The record as you last saw it; null if it did not exist. Nothing is done if it is different now. When left out,
    /// only a change made since the edit prevents this.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "Option<StateRecord>")]
    record: Option<Option<StateRecord>>,
}

/// Set if a value was given, even null, which differs from a missing field.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<StateRecord>>, D::Error> {
    Option::deserialize(from).map(Some)
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct StepTurnResult {
    /// The current record. Null: it does not exist.
    record: Option<StateRecord>,
}

pub(crate) fn undo_step(
    visit: &WorldVisit,
    asked: &AdminRequest,
    wish: StepTurnRequest,
) -> Result<StepTurnResult, AdminError> {
    turn_step(visit, asked, wish, StepState::Undone)
}

pub(crate) fn redo_step(
    visit: &WorldVisit,
    asked: &AdminRequest,
    wish: StepTurnRequest,
) -> Result<StepTurnResult, AdminError> {
    turn_step(visit, asked, wish, StepState::Done)
}

fn turn_step(
    visit: &WorldVisit,
    asked: &AdminRequest,
    wish: StepTurnRequest,
    to: StepState,
) -> Result<StepTurnResult, AdminError> {
    let fields = |record: StateRecord| record.fields.into_iter().collect::<Map<String, Value>>();
    let record = wish.record.map(|record| record.map(fields));
    let (resource, key) = (requested_resource(asked)?, record_key(asked));
    let turn = RecordStepToggle { resource, key, step: wish.step, record: record.as_ref().map(Option::as_ref), to };
    let turned = seed::toggle_record_step(&visit.core(), &Actor::operator(), &visit.rules.short_base, turn)?;
    Ok(StepTurnResult { record: turned.map(StateRecord::from) })
}
