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
    By, Core, Ctx, Error,
    contact::{self, Part},
    ctx::Clock,
    custom_field, job, list, opt_out, sender, short_link,
};
use roost_outbound::{Failure, Reply, Request};
use roost_wire::{
    Entry, OperationId, Path, Query, Refusal, Route, body, contact as wire_contact, list as wire_list,
    opt_out as wire_opt_out,
    paging::{Paged, Paging, to_bytes},
    route, sender as wire_sender, short_link as wire_link,
};
use tokio::time::Instant;

use crate::remote::{Carried, Remote};

/// The time without a response after which a response is lost.
pub const SILENCE: Duration = Duration::from_secs(30);

/// Numbers that look random and are the same for the same seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }
}

/// The faults, each once in this many requests, or never if 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
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
const SHORT: &str = "https://s.example/";

pub struct Service {
    pub core: Core,
    state: Mutex<State>,
}

struct State {
    dice: Dice,
    faults: Faults,
    /// The times at which waiting jobs may begin.
    jobs: VecDeque<Instant>,
    /// The operation of every request that arrived.
    seen: Vec<OperationId>,
    /// The number of requests until the connection is cut for good.
    cut_in: Option<u64>,
    /// The first name of contacts that are refused, and whether the refusal names their positions.
    disliked: Option<(String, bool)>,
}

impl Service {
    pub fn new(seed: u64) -> Arc<Self> {
        let ctx = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_600_000)), seed);
        let state = State {
            dice: Dice::new(seed),
            faults: Faults::default(),
            jobs: VecDeque::new(),
            seen: Vec::new(),
            cut_in: None,
            disliked: None,
        };
        Arc::new(Self { core: Core::in_memory(ctx).expect("a database"), state: Mutex::new(state) })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("nobody panicked")
    }

    pub fn faults(&self, faults: Faults) {
        self.state().faults = faults;
    }

    /// Refuses contacts with this first name from now on. `by_place` makes the refusal name their positions.
    pub fn dislike(&self, name: Option<&str>, by_place: bool) {
        self.state().disliked = name.map(|name| (name.to_owned(), by_place));
    }

    /// Returns how many requests of an operation arrived.
    pub fn requests(&self, id: OperationId) -> usize {
        self.state().seen.iter().filter(|seen| **seen == id).count()
    }

    /// Lets this many requests arrive and no more.
    pub fn cut_in(&self, requests: Option<u64>) {
        self.state().cut_in = requests;
    }

    /// Runs every job whose time has come, or all jobs.
    pub fn work(&self, all: bool) {
        loop {
            let now = Instant::now();
            {
                let mut state = self.state();
                if !state.jobs.front().is_some_and(|at| all || *at <= now) {
                    return;
                }
                state.jobs.pop_front();
            }
            self.core.ctx().advance(1);
            job::run_next(&self.core).expect("a job");
        }
    }

    fn answer(&self, request: &Request) -> Result<(u16, Vec<u8>), Failure> {
        self.work(false);
        self.core.ctx().advance(1);
        let target = request.url.strip_prefix("http://service.test").unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = Path::parse(path);
        let Route::Operation { operation, parameter } = route(request.method, &path) else {
            return Ok((404, b"{}".to_vec()));
        };
        let fate = {
            let mut state = self.state();
            if let Some(left) = &mut state.cut_in {
                if *left == 0 {
                    return Err(Failure::NoConnection("cut".to_owned()));
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
            Some(0) => return Err(Failure::Broken("lost on the way".to_owned())),
            Some(2) => return Ok((429, b"{\"code\":\"X\",\"error\":\"TOO_MANY_REQUESTS\"}".to_vec())),
            Some(3) => return Ok((502, b"<html>".to_vec())),
            _ => {}
        }
        let sent = request.body.as_deref().unwrap_or_default();
        let most = self.state().faults.most_bytes;
        if most > 0 && sent.len() > most {
            return Ok((413, b"<html>".to_vec()));
        }
        if let (OperationId::ContactsCreate, Some(refusal)) = (operation.id, self.dislikes(sent)) {
            return Ok((400, refusal));
        }
        let done = self.done(operation.id, parameter, query, sent);
        if fate == Some(1) {
            return Err(Failure::TimedOut(SILENCE));
        }
        let (status, mut body) =
            done.unwrap_or_else(|refusal| (refusal.status(), refusal.body(operation.family, "t", "t")));
        if operation.id == OperationId::ContactsQuery && fate == Some(4) {
            body = shortened(&body);
        }
        Ok((status, body))
    }

    /// Returns the refusal of a request that has disliked contacts.
    fn dislikes(&self, sent: &[u8]) -> Option<Vec<u8>> {
        let (name, by_place) = self.state().disliked.clone()?;
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
        let told = serde_json::json!({ "code": "ERR_CON_VAL_001", "error": "VALIDATION_ERROR", "message": "no",
            "trace_id": "0123456789abcdef", "validation_errors": entries });
        (!bad.is_empty()).then(|| told.to_string().into_bytes())
    }

    fn done(&self, id: OperationId, parameter: &str, query: &str, sent: &[u8]) -> Result<(u16, Vec<u8>), Refusal> {
        let (core, by, query) = (&self.core, &By::interface(), Query::parse(query));
        let missing = |message: &'static str| move |error: Error| told(error, Refusal::BadReference(message));
        Ok(match id {
            OperationId::ListsQuery => {
                let asked = wire_list::parse_query(&query)?;
                let page = asked.page;
                let wanted = list::ListQuery { name: asked.name, sort: asked.sort, order: asked.order, page };
                let found = list::page(core, &wanted).map_err(plain)?;
                let items: Vec<wire_list::List> = found.items.iter().map(wire_list::List::from).collect();
                (200, to_bytes(&Paged { paging: Paging::of(page, found.total_items), items }))
            }
            OperationId::ListsCreate => {
                let name = wire_list::parse_create(sent)?;
                let made = list::create(core, by, &name, list::UniqueNames::Off).map_err(plain)?;
                (200, to_bytes(&wire_list::CreatedList { uid: made.uid.as_str(), name: &made.name }))
            }
            OperationId::ListsDelete => {
                let uid = wire_list::parse_delete(parameter)?;
                list::delete(core, by, &uid).map_err(missing(wire_list::NOT_FOUND))?;
                (204, Vec::new())
            }
            OperationId::ContactsQuery => (200, self.contacts(parameter, &query)?),
            OperationId::ContactsCreate => {
                let defined = custom_field::numbers(core).map_err(plain)?;
                let asked = wire_contact::parse_create(body::text(sent)?, &defined)?;
                let new = job::NewJob {
                    list: asked.list,
                    merge_type: asked.merge_type,
                    callback_url: None,
                    correlation_id: None,
                    contacts: asked.contacts,
                };
                job::enqueue(core, by, new).map_err(missing(wire_list::NOT_FOUND))?;
                let mut state = self.state();
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
                let asked = wire_opt_out::parse_query(&query)?;
                let (page, fields) = (asked.page, AssetFields::default());
                let wanted = opt_out::OptOutQuery {
                    number: asked.number,
                    kind: asked.kind,
                    channel: asked.channel,
                    asset: asked.asset,
                    inbound_number: None,
                    from: asked.from,
                    to: asked.to,
                    order: asked.order,
                    page,
                    fields,
                };
                let found = opt_out::page(core, &wanted).map_err(plain)?;
                let items: Vec<_> = found.items.iter().map(|record| wire_opt_out::OptOut::of(record, fields)).collect();
                (200, to_bytes(&Paged { paging: Paging::of(page, found.total_items), items }))
            }
            OperationId::OptOutsCreate => {
                let wanted = wire_opt_out::parse_create(sent, wire_opt_out::Entries::default())?;
                let entries: Vec<_> = wanted
                    .iter()
                    .map(|entry| opt_out::OptOutEntry {
                        number: &entry.number,
                        channel: entry.channel.as_deref(),
                        asset_id: entry.asset_id.as_deref(),
                    })
                    .collect();
                let outcomes = opt_out::create(core, by, &entries, OptOutType::ApiImport).map_err(plain)?;
                let items = outcomes.into_iter().map(|outcome| match outcome.result {
                    Ok(record) => wire_opt_out::CreateOutcome::success(&record),
                    Err(fault) => {
                        wire_opt_out::CreateOutcome::failure(outcome.number, outcome.channel, fault.message())
                    }
                });
                (201, to_bytes(&wire_opt_out::Created::of(items.collect())))
            }
            OperationId::OptOutsDelete => {
                let wanted = wire_opt_out::parse_delete(sent)?;
                let removal = opt_out::Removal {
                    numbers: &wanted.numbers,
                    channel: wanted.channel,
                    asset: wanted.asset.as_ref(),
                };
                let outcomes = opt_out::delete(core, by, &removal).map_err(plain)?;
                let items = outcomes.into_iter().map(|outcome| match outcome.result {
                    Ok(_) => wire_opt_out::RemovalOutcome::success(outcome.number),
                    Err(fault) => wire_opt_out::RemovalOutcome::failure(outcome.number, fault.message()),
                });
                (200, to_bytes(&wire_opt_out::Removed::of(items.collect())))
            }
            OperationId::SendersQuery => {
                let page = wire_sender::parse_query(&query)?;
                let found = sender::page(core, page).map_err(plain)?;
                let items: Vec<wire_sender::Sender> = found.items.iter().map(wire_sender::Sender::from).collect();
                (200, to_bytes(&Paged { paging: Paging::of(page, found.total_items), items }))
            }
            OperationId::SendersGet => {
                let id = SenderId::parse(parameter).map_err(|_| Refusal::SenderNotFound)?;
                let found = sender::get(core, &id).map_err(|error| told(error, Refusal::SenderNotFound))?;
                (200, to_bytes(&wire_sender::Sender::from(&found)))
            }
            OperationId::SendersDelete => {
                let id = SenderId::parse(parameter).map_err(|_| Refusal::SenderNotFound)?;
                sender::delete(core, by, &id).map_err(|error| told(error, Refusal::SenderNotFound))?;
                (204, Vec::new())
            }
            OperationId::ShortLinksCreate => {
                let link = short_link::create(core, by, wire_link::parse_create(sent)?).map_err(plain)?;
                (200, to_bytes(&wire_link::ShortLink::of(&link, SHORT)))
            }
            OperationId::ShortLinksSearch => {
                let wanted = wire_link::parse_search(sent)?;
                let page = wanted.page;
                let asked = short_link::LinkQuery {
                    query: wanted.query,
                    tags: wanted.tags,
                    from: wanted.from,
                    to: wanted.to,
                    order: wanted.order,
                    page,
                };
                let found = short_link::search(core, &asked).map_err(plain)?;
                let items = found.items.iter().map(|link| wire_link::ShortLink::of(link, SHORT)).collect();
                (200, to_bytes(&Paged { paging: Paging::of(page, found.total_items), items }))
            }
            OperationId::ShortLinksGet => {
                let id = wire_link::parse_id("id", parameter)?;
                let link = short_link::get(core, &id).map_err(|error| told(error, wire_link::not_found(&id)))?;
                (200, to_bytes(&wire_link::ShortLink::of(&link, SHORT)))
            }
            OperationId::ShortLinksDelete => {
                let id = wire_link::parse_id("id", parameter)?;
                short_link::delete(core, by, &id).map_err(|error| told(error, wire_link::not_found(&id)))?;
                (204, Vec::new())
            }
        })
    }

    fn contacts(&self, list: &str, query: &Query<'_>) -> Result<Vec<u8>, Refusal> {
        let wanted = wire_contact::parse_query(list, query, |_| true)?;
        let mut out = Vec::new();
        let mut writer = wire_contact::RecordWriter::new(Some(&[]), &[]);
        let mut visit = |part: Part<'_>| {
            match part {
                Part::Head { total_items, custom_fields } => {
                    writer = wire_contact::RecordWriter::new(wanted.fields.as_deref(), custom_fields);
                    let paging = wanted.page.map_or(Paging::whole(total_items), |page| Paging::of(page, total_items));
                    writer.head(paging, &mut out);
                }
                Part::Contact(contact) => writer.record(contact, &mut out),
            }
            ControlFlow::Continue(())
        };
        let asked =
            contact::ContactQuery { list: wanted.list.clone(), search: wanted.search.clone(), page: wanted.page };
        contact::query(&self.core, &asked, &mut visit)
            .map_err(|error| told(error, Refusal::BadReference(wire_list::NOT_FOUND)))?;
        writer.foot(&mut out);
        Ok(out)
    }
}

/// Returns a page without its last row.
fn shortened(body: &[u8]) -> Vec<u8> {
    let Ok(mut answer) = serde_json::from_slice::<serde_json::Value>(body) else { return body.to_vec() };
    if let Some(items) = answer["items"].as_array_mut() {
        items.pop();
    }
    answer.to_string().into_bytes()
}

fn plain(error: Error) -> Refusal {
    told(error, Refusal::Internal)
}

fn told(error: Error, missing: Refusal) -> Refusal {
    match error {
        Error::Invalid { faults } => Refusal::Invalid(faults.into_iter().map(Entry::from).collect()),
        Error::NotFound { .. } => missing,
        _ => Refusal::Internal,
    }
}

impl Remote for Service {
    fn carry(&self, request: Request) -> Carried<'_> {
        Box::pin(async move {
            // The network lies between, so a request may be cut off before or after its effect.
            tokio::time::sleep(Duration::from_millis(3)).await;
            let answered = self.answer(&request);
            tokio::time::sleep(Duration::from_millis(3)).await;
            let (status, body) = answered?;
            let body = Box::pin(stream::iter([Ok(Bytes::from(body))]));
            Ok(Reply { status, retry_after: None, date: None, body })
        })
    }
}
