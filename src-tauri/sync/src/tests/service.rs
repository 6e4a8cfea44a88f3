//! A service in this process: the interface's own parsing with the acts of `ops` behind it, and every fault of a
//! network and a remote machine, derived from a seed.

use std::{
    collections::VecDeque,
    ops::ControlFlow,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use futures_util::stream;
use roost_model::{id::SenderId, opt_out::AssetFields, opt_out::OptOutType, time::Timestamp};
use roost_ops::{
    Actor, Core, Ctx, Error,
    contact::{self, QueryPart},
    ctx::Clock,
    custom_field, job, list, opt_out, sender, short_link,
};
use roost_outbound::{CallFailure, ServiceRequest, ServiceResponse};
use roost_wire::{
    OperationId, QueryString, RequestPath, RestError, Route, ValidationError, body, contact as wire_contact,
    find_route, list as wire_list, opt_out as wire_opt_out,
    paging::{Paged, Paging, to_bytes},
    sender as wire_sender, short_link as wire_link,
};
use tokio::time::Instant;

use crate::remote::{ReplyFuture, ServiceTransport};

/// The time without a response after which a response is lost.
pub(super) const SILENCE: Duration = Duration::from_secs(30);

/// Numbers that look random and are the same for the same seed.
pub(super) struct SeededDice(u64);

impl SeededDice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }
}

/// The faults, each once in this many requests, or never if 0.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ServiceFaults {
    /// The request never arrives.
    pub lost: u64,
    /// The request takes effect, and its response is lost.
    pub unheard: u64,
    pub throttled: u64,
    pub broken: u64,
    /// A page of contacts lacks its last row.
    pub truncated: u64,
    /// The most seconds that a job may wait.
    pub job_delay: u64,
    /// The most bytes of a request; 0 means no limit.
    pub most_bytes: usize,
}

/// The beginning of short addresses.
const SHORT_BASE: &str = "https://s.example/";

pub(super) struct TestService {
    pub core: Core,
    state: Mutex<TestServiceState>,
}

struct TestServiceState {
    dice: SeededDice,
    faults: ServiceFaults,
    /// The times at which waiting jobs may begin.
    jobs: VecDeque<Instant>,
    /// The operation of every request that arrived.
    seen: Vec<OperationId>,
    /// The number of requests until the connection is cut for good.
    cut_in: Option<u64>,
    /// The first name of contacts that are refused, and whether the refusal names their positions.
    disliked: Option<(String, bool)>,
}

impl TestService {
    pub(super) fn new(seed: u64) -> Arc<Self> {
        let ctx = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_600_000)), seed);
        let state = TestServiceState {
            dice: SeededDice::new(seed),
            faults: ServiceFaults::default(),
            jobs: VecDeque::new(),
            seen: Vec::new(),
            cut_in: None,
            disliked: None,
        };
        Arc::new(Self { core: Core::in_memory(ctx).expect("a database"), state: Mutex::new(state) })
    }

    fn lock_state(&self) -> std::sync::MutexGuard<'_, TestServiceState> {
        self.state.lock().expect("nobody panicked")
    }

    pub(super) fn set_faults(&self, faults: ServiceFaults) {
        self.lock_state().faults = faults;
    }

    /// Refuses contacts with this first name from now on. `by_place` makes the refusal name their positions.
    pub(super) fn refuse_name(&self, name: Option<&str>, by_place: bool) {
        self.lock_state().disliked = name.map(|name| (name.to_owned(), by_place));
    }

    /// Returns how many requests of an operation arrived.
    pub(super) fn request_count(&self, id: OperationId) -> usize {
        self.lock_state().seen.iter().filter(|seen| **seen == id).count()
    }

    /// Lets this many requests arrive and no more.
    pub(super) fn cut_after(&self, requests: Option<u64>) {
        self.lock_state().cut_in = requests;
    }

    /// Runs every job whose time has come, or all jobs.
    pub(super) fn run_jobs(&self, all: bool) {
        loop {
            let now = Instant::now();
            {
                let mut state = self.lock_state();
                if !state.jobs.front().is_some_and(|at| all || *at <= now) {
                    return;
                }
                state.jobs.pop_front();
            }
            self.core.ctx().advance(1);
            job::run_next(&self.core).expect("a job");
        }
    }

    fn answer_request(&self, request: &ServiceRequest) -> Result<(u16, Vec<u8>), CallFailure> {
        self.run_jobs(false);
        self.core.ctx().advance(1);
        let target = request.url.strip_prefix("http://service.test").unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = RequestPath::parse(path);
        let Route::Operation { operation, parameter } = find_route(request.method, &path) else {
            return Ok((404, b"{}".to_vec()));
        };
        let fate = {
            let mut state = self.lock_state();
            if let Some(left) = &mut state.cut_in {
                if *left == 0 {
                    return Err(CallFailure::NoConnection("cut".to_owned()));
                }
                *left -= 1;
            }
            state.seen.push(operation.id);
            let faults = state.faults;
            let fates = [faults.lost, faults.unheard, faults.throttled, faults.broken, faults.truncated];
            let hits: Vec<usize> =
                (0..fates.len()).filter(|at| fates[*at] > 0 && state.dice.below(fates[*at]) == 0).collect();
            hits.first().copied()
        };
        match fate {
            Some(0) => return Err(CallFailure::Broken("lost on the way".to_owned())),
            Some(2) => return Ok((429, b"{\"code\":\"X\",\"error\":\"TOO_MANY_REQUESTS\"}".to_vec())),
            Some(3) => return Ok((502, b"<html>".to_vec())),
            _ => {}
        }
        let sent = request.body.as_deref().unwrap_or_default();
        let most = self.lock_state().faults.most_bytes;
        if most > 0 && sent.len() > most {
            return Ok((413, b"<html>".to_vec()));
        }
        if let (OperationId::ContactsCreate, Some(refusal)) = (operation.id, self.find_refusal(sent)) {
            return Ok((400, refusal));
        }
        let done = self.carry_out(operation.id, parameter, query, sent);
        if fate == Some(1) {
            return Err(CallFailure::TimedOut(SILENCE));
        }
        let (status, mut body) =
            done.unwrap_or_else(|refusal| (refusal.status(), refusal.to_body(operation.family, "t", "t")));
        if operation.id == OperationId::ContactsQuery && fate == Some(4) {
            body = drop_last_row(&body);
        }
        Ok((status, body))
    }

    /// Returns the refusal of a request that has disliked contacts.
    fn find_refusal(&self, sent: &[u8]) -> Option<Vec<u8>> {
        let (name, by_place) = self.lock_state().disliked.clone()?;
        let body: serde_json::Value = serde_json::from_slice(sent).ok()?;
        let rows = body["contacts"].as_array()?;
        let bad: Vec<usize> = (0..rows.len()).filter(|at| rows[*at]["firstname"] == name.as_str()).collect();
        let place = |at: &usize| {
            serde_json::json!({
                "field": format!("createContacts.request.conCreateRequests[{at}].firstname"),
                "message": "not a name", "code": "VALIDATION_ERROR",
            })
        };
        let entries: Vec<serde_json::Value> = if by_place { bad.iter().map(place).collect() } else { Vec::new() };
        let refusal = serde_json::json!({ "code": "ERR_CON_VAL_001", "error": "VALIDATION_ERROR", "message": "no",
            "trace_id": "0123456789abcdef", "validation_errors": entries });
        (!bad.is_empty()).then(|| refusal.to_string().into_bytes())
    }

    fn carry_out(
        &self,
        id: OperationId,
        parameter: &str,
        query: &str,
        sent: &[u8],
    ) -> Result<(u16, Vec<u8>), RestError> {
        let (core, by, query) = (&self.core, &Actor::interface(), QueryString::parse(query));
        let missing =
            |message: &'static str| move |error: Error| to_refusal_or(error, RestError::BadReference(message));
        Ok(match id {
            OperationId::ListsQuery => {
                let params = wire_list::parse_query(&query)?;
                let page = params.page;
                let wanted = list::ListQuery { name: params.name, sort: params.sort, order: params.order, page };
                let found = list::read_page(core, &wanted).map_err(to_refusal)?;
                let items: Vec<wire_list::List> = found.items.iter().map(wire_list::List::from).collect();
                (200, to_bytes(&Paged { paging: Paging::for_page(page, found.total_items), items }))
            }
            OperationId::ListsCreate => {
                let name = wire_list::parse_create(sent)?;
                let made = list::create(core, by, &name, list::UniqueNames::Off).map_err(to_refusal)?;
                (200, to_bytes(&wire_list::CreatedList { uid: made.uid.as_str(), name: &made.name }))
            }
            OperationId::ListsDelete => {
                let uid = wire_list::parse_delete(parameter)?;
                list::delete(core, by, &uid).map_err(missing(wire_list::NOT_FOUND))?;
                (204, Vec::new())
            }
            OperationId::ContactsQuery => (200, self.contact_page(parameter, &query)?),
            OperationId::ContactsCreate => {
                let defined = custom_field::numbers(core).map_err(to_refusal)?;
                let request = wire_contact::parse_create(body::body_text(sent)?, &defined)?;
                let new = job::NewJob {
                    list: request.list,
                    merge_type: request.merge_type,
                    callback_url: None,
                    correlation_id: None,
                    contacts: request.contacts,
                };
                job::enqueue(core, by, new).map_err(missing(wire_list::NOT_FOUND))?;
                let mut state = self.lock_state();
                let delay = state.faults.job_delay;
                let wait = if delay == 0 { 0 } else { state.dice.below(delay) };
                let after = state.jobs.back().copied().unwrap_or_else(Instant::now);
                let at = after.max(Instant::now() + Duration::from_secs(wait));
                state.jobs.push_back(at);
                (200, b"{\"message\":\"queued\"}".to_vec())
            }
            OperationId::ContactsDelete => {
                let uid = wire_contact::parse_delete(parameter)?;
                contact::delete(core, by, &uid).map_err(missing(wire_contact::NOT_FOUND))?;
                (204, Vec::new())
            }
            OperationId::OptOutsQuery => {
                let params = wire_opt_out::parse_query(&query)?;
                let (page, fields) = (params.page, AssetFields::default());
                let wanted = opt_out::OptOutQuery {
                    number: params.number,
                    kind: params.kind,
                    channel: params.channel,
                    asset: params.asset,
                    inbound_number: None,
                    from: params.from,
                    to: params.to,
                    order: params.order,
                    page,
                    fields,
                };
                let found = opt_out::read_page(core, &wanted).map_err(to_refusal)?;
                let items: Vec<_> =
                    found.items.iter().map(|record| wire_opt_out::OptOut::from_record(record, fields)).collect();
                (200, to_bytes(&Paged { paging: Paging::for_page(page, found.total_items), items }))
            }
            OperationId::OptOutsCreate => {
                let wanted = wire_opt_out::parse_create(sent, wire_opt_out::ProcessedEntries::default())?;
                let entries: Vec<_> = wanted
                    .iter()
                    .map(|entry| opt_out::OptOutEntry {
                        number: &entry.number,
                        channel: entry.channel.as_deref(),
                        asset_id: entry.asset_id.as_deref(),
                    })
                    .collect();
                let outcomes = opt_out::create(core, by, &entries, OptOutType::ApiImport).map_err(to_refusal)?;
                let items = outcomes.into_iter().map(|outcome| match outcome.result {
                    Ok(record) => wire_opt_out::CreateOutcome::success(&record),
                    Err(fault) => {
                        wire_opt_out::CreateOutcome::failure(outcome.number, outcome.channel, fault.message())
                    }
                });
                (201, to_bytes(&wire_opt_out::Created::from_outcomes(items.collect())))
            }
            OperationId::OptOutsDelete => {
                let wanted = wire_opt_out::parse_delete(sent)?;
                let removal = opt_out::OptOutRemovalRequest {
                    numbers: &wanted.numbers,
                    channel: wanted.channel,
                    asset: wanted.asset.as_ref(),
                };
                let outcomes = opt_out::delete(core, by, &removal).map_err(to_refusal)?;
                let items = outcomes.into_iter().map(|outcome| match outcome.result {
                    Ok(_) => wire_opt_out::RemovalOutcome::success(outcome.number),
                    Err(fault) => wire_opt_out::RemovalOutcome::failure(outcome.number, fault.message()),
                });
                (200, to_bytes(&wire_opt_out::Removed::from_outcomes(items.collect())))
            }
            OperationId::SendersQuery => {
                let page = wire_sender::parse_query(&query)?;
                let found = sender::read_page(core, page).map_err(to_refusal)?;
                let items: Vec<wire_sender::Sender> = found.items.iter().map(wire_sender::Sender::from).collect();
                (200, to_bytes(&Paged { paging: Paging::for_page(page, found.total_items), items }))
            }
            OperationId::SendersGet => {
                let id = SenderId::parse(parameter).map_err(|_| RestError::SenderNotFound)?;
                let found = sender::get(core, &id).map_err(|error| to_refusal_or(error, RestError::SenderNotFound))?;
                (200, to_bytes(&wire_sender::Sender::from(&found)))
            }
            OperationId::SendersDelete => {
                let id = SenderId::parse(parameter).map_err(|_| RestError::SenderNotFound)?;
                sender::delete(core, by, &id).map_err(|error| to_refusal_or(error, RestError::SenderNotFound))?;
                (204, Vec::new())
            }
            OperationId::ShortLinksCreate => {
                let link = short_link::create(core, by, wire_link::parse_create(sent)?).map_err(to_refusal)?;
                (200, to_bytes(&wire_link::ShortLink::from_link(&link, SHORT_BASE)))
            }
            OperationId::ShortLinksSearch => {
                let wanted = wire_link::parse_search(sent)?;
                let page = wanted.page;
                let link_query = short_link::LinkQuery {
                    query: wanted.query,
                    tags: wanted.tags,
                    from: wanted.from,
                    to: wanted.to,
                    order: wanted.order,
                    page,
                };
                let found = short_link::search(core, &link_query).map_err(to_refusal)?;
                let items = found.items.iter().map(|link| wire_link::ShortLink::from_link(link, SHORT_BASE)).collect();
                (200, to_bytes(&Paged { paging: Paging::for_page(page, found.total_items), items }))
            }
            OperationId::ShortLinksGet => {
                let id = wire_link::parse_id("id", parameter)?;
                let link =
                    short_link::get(core, &id).map_err(|error| to_refusal_or(error, wire_link::not_found(&id)))?;
                (200, to_bytes(&wire_link::ShortLink::from_link(&link, SHORT_BASE)))
            }
            OperationId::ShortLinksDelete => {
                let id = wire_link::parse_id("id", parameter)?;
                short_link::delete(core, by, &id).map_err(|error| to_refusal_or(error, wire_link::not_found(&id)))?;
                (204, Vec::new())
            }
        })
    }

    fn contact_page(&self, list: &str, query: &QueryString<'_>) -> Result<Vec<u8>, RestError> {
        let wanted = wire_contact::parse_query(list, query, |_| true)?;
        let mut out = Vec::new();
        let mut writer = wire_contact::RecordWriter::new(Some(&[]), &[]);
        let mut visit = |part: QueryPart<'_>| {
            match part {
                QueryPart::Head { total_items, custom_fields } => {
                    writer = wire_contact::RecordWriter::new(wanted.fields.as_deref(), custom_fields);
                    let paging = wanted
                        .page
                        .map_or(Paging::single_page(total_items), |page| Paging::for_page(page, total_items));
                    writer.write_head(paging, &mut out);
                }
                QueryPart::Contact(contact) => writer.write_record(contact, &mut out),
            }
            ControlFlow::Continue(())
        };
        let contact_query =
            contact::ContactQuery { list: wanted.list.clone(), search: wanted.search.clone(), page: wanted.page };
        contact::visit_contacts(&self.core, &contact_query, &mut visit)
            .map_err(|error| to_refusal_or(error, RestError::BadReference(wire_list::NOT_FOUND)))?;
        writer.write_foot(&mut out);
        Ok(out)
    }
}

/// Returns a page without its last row.
fn drop_last_row(body: &[u8]) -> Vec<u8> {
    let Ok(mut answer) = serde_json::from_slice::<serde_json::Value>(body) else { return body.to_vec() };
    if let Some(items) = answer["items"].as_array_mut() {
        items.pop();
    }
    answer.to_string().into_bytes()
}

fn to_refusal(error: Error) -> RestError {
    to_refusal_or(error, RestError::Internal)
}

fn to_refusal_or(error: Error, missing: RestError) -> RestError {
    match error {
        Error::Invalid { faults } => RestError::Invalid(faults.into_iter().map(ValidationError::from).collect()),
        Error::NotFound { .. } => missing,
        _ => RestError::Internal,
    }
}

impl ServiceTransport for TestService {
    fn carry_request(&self, request: ServiceRequest) -> ReplyFuture<'_> {
        Box::pin(async move {
            // The network lies between, so a request may be cut off before or after its effect.
            tokio::time::sleep(Duration::from_millis(3)).await;
            let answered = self.answer_request(&request);
            tokio::time::sleep(Duration::from_millis(3)).await;
            let (status, body) = answered?;
            let body = Box::pin(stream::iter([Ok(Bytes::from(body))]));
            Ok(ServiceResponse { status, retry_after: None, date: None, body })
        })
    }
}
