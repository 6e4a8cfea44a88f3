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
    let refused = AdminError::invalid(format!("Invalid record: {message}."));
    match message.strip_prefix('\'').and_then(|rest| rest.split_once("' is missing")) {
        Some((field, _)) => refused.at_path(field),
        None => refused,
    }
}

fn requested_resource(request: &AdminRequest) -> Result<AccountResource, AdminError> {
    find_resource(request.first_parameter())
}

pub(super) fn find_resource(name: &str) -> Result<AccountResource, AdminError> {
    AccountResource::parse(name).ok_or_else(|| {
        let all = AccountResource::ALL.map(AccountResource::as_str).join(", ");
        AdminError::not_found(format!("Unknown resource '{name}'. Resources: {all}."))
    })
}

fn record_key(request: &AdminRequest) -> &str {
    request.parameters.get(1).map_or("", String::as_str)
}

pub(crate) fn list_records(visit: &WorldVisit, request: &AdminRequest) -> Result<Paged<StateRecord>, AdminError> {
    let (resource, page) = (requested_resource(request)?, request.page_request()?);
    let query = QueryString::parse(&request.query);
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

pub(crate) fn get_record(visit: &WorldVisit, request: &AdminRequest) -> Result<StateRecord, AdminError> {
    Ok(seed::read_record(&visit.core(), &visit.rules.short_base, requested_resource(request)?, record_key(request))?
        .into())
}

pub(crate) fn create_record(
    visit: &WorldVisit,
    request: &AdminRequest,
    record: StateRecord,
) -> Result<StateRecord, AdminError> {
    let base = &visit.rules.short_base;
    let created =
        seed::create_record(&visit.core(), &Actor::operator(), base, requested_resource(request)?, &record.into());
    created.map(StateRecord::from).map_err(to_admin_error)
}

pub(crate) fn change_record(
    visit: &WorldVisit,
    request: &AdminRequest,
    record: StateRecord,
) -> Result<StateRecord, AdminError> {
    let base = &visit.rules.short_base;
    let stored = seed::put_record(
        &visit.core(),
        &Actor::operator(),
        base,
        requested_resource(request)?,
        record_key(request),
        &record.into(),
    );
    stored.map(StateRecord::from).map_err(to_admin_error)
}

pub(crate) fn remove_record(visit: &WorldVisit, request: &AdminRequest) -> Result<NoContent, AdminError> {
    seed::remove_record(&visit.core(), &Actor::operator(), requested_resource(request)?, record_key(request))
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

pub(crate) fn list_steps(visit: &WorldVisit, request: &AdminRequest) -> Result<Paged<RecordStep>, AdminError> {
    let found = seed::read_record_steps(&visit.core(), requested_resource(request)?, record_key(request))?;
    let to_record_step = |step: &UndoStep| RecordStep {
        step: step.id,
        at: step.at.to_iso(),
        is_undone: step.state == StepState::Undone,
    };
    request.paginate(found.iter().map(to_record_step))
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
    admin_request: &AdminRequest,
    request: StepTurnRequest,
) -> Result<StepTurnResult, AdminError> {
    turn_step(visit, admin_request, request, StepState::Undone)
}

pub(crate) fn redo_step(
    visit: &WorldVisit,
    admin_request: &AdminRequest,
    request: StepTurnRequest,
) -> Result<StepTurnResult, AdminError> {
    turn_step(visit, admin_request, request, StepState::Done)
}

fn turn_step(
    visit: &WorldVisit,
    admin_request: &AdminRequest,
    request: StepTurnRequest,
    to: StepState,
) -> Result<StepTurnResult, AdminError> {
    let fields = |record: StateRecord| record.fields.into_iter().collect::<Map<String, Value>>();
    let record = request.record.map(|record| record.map(fields));
    let (resource, key) = (requested_resource(admin_request)?, record_key(admin_request));
    let turn = RecordStepToggle { resource, key, step: request.step, record: record.as_ref().map(Option::as_ref), to };
    let turned = seed::toggle_record_step(&visit.core(), &Actor::operator(), &visit.rules.short_base, turn)?;
    Ok(StepTurnResult { record: turned.map(StateRecord::from) })
}
