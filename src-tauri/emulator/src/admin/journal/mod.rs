//! Reads, awaits, counts, verifies and exports the requests in the journal of a world, and sets how many it stores.

mod events;
mod line;
mod place;
mod query;
mod search;
mod unmatched;
mod verify;

use std::{str::FromStr, sync::Arc};

use roost_wire::{QueryString, openapi::OpenApiDocument, query::parse_integer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

pub use self::{
    events::events,
    query::{Matching, in_turn, read_query},
    search::{count, find},
    unmatched::{closest_routes, unmatched},
    verify::{Verified, Verify, verify},
};
use self::{
    line::Line,
    place::{Place, journal_gap, not_recording, reset_meanwhile},
};
use super::{
    json_of_any_length,
    refused::Refused,
    route::{Asked, Nothing, Whole, read_flag},
    work::origin::links,
};
use crate::{
    door::{
        Visit,
        answer::{HttpResponse, json as json_answer, text},
        bounds::Wait,
    },
    faults::Span,
    journal::{self, Exchange, Journal, JournalLimits, Matcher, Standing},
    world::World,
};

/// The longest time that a request may wait for lines.
const WAIT_MAX: Span = Span(std::time::Duration::from_secs(300));
const LIMIT: i32 = 100;
const LIMIT_MAX: i32 = 1_000;

#[derive(Serialize, JsonSchema)]
pub struct Requests {
    /// How often the world was reset or restored. Sequence numbers start again in each epoch.
    epoch: u64,
    /// The newest line.
    last: u64,
    /// Lines replaced by newer ones since the journal was last cleared.
    dropped: u64,
    /// Requested lines that are no longer stored.
    gap: Option<Missing>,
    /// Whether requests are recorded.
    enabled: bool,
    /// Whether more lines are available now. Ask again with `next`.
    has_more: bool,
    /// Pass this as `since` to continue.
    next: String,
    /// Oldest first.
    items: Vec<Line>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JournalGap")]
struct Missing {
    first: u64,
    last: u64,
}

impl From<journal::Gap> for Missing {
    fn from(gap: journal::Gap) -> Self {
        Self { first: gap.first, last: gap.last }
    }
}

/// Parses a query parameter.
fn parameter<T: FromStr<Err = String>>(query: &QueryString<'_>, name: &str) -> Result<Option<T>, Refused> {
    match query.filled_value(name).map(str::parse) {
        None => Ok(None),
        Some(Ok(value)) => Ok(Some(value)),
        Some(Err(why)) => Err(Refused::bad_query(format!("{name}: {why}."))),
    }
}

fn filter(query: &QueryString<'_>) -> Result<Matcher, Refused> {
    let line = query.filled_value("filter").unwrap_or_default();
    Matcher::filter(line).map_err(|why| Refused::bad_query(format!("{why}.")))
}

fn limit(query: &QueryString<'_>) -> Result<usize, Refused> {
    match query.filled_value("limit") {
        None => Ok(LIMIT as usize),
        Some(text) => parse_integer(text)
            .filter(|n| (1..=LIMIT_MAX).contains(n))
            .and_then(|n| usize::try_from(n).ok())
            .ok_or_else(|| Refused::bad_query(format!("limit must be an integer from 1 to {LIMIT_MAX}."))),
    }
}

/// Waits until the world is removed.
async fn gone(world: &World) {
    loop {
        // The epoch is read first, so that an end between the two checks is not missed.
        let epoch = world.flight.epoch();
        if world.flight.is_gone() {
            return;
        }
        world.flight.ended(epoch).await;
    }
}

/// Waits until the journal changes or there is no reason to wait any longer, and returns whether it changed. Takes a
/// wait permit at the first call.
async fn news(
    world: &World,
    watch: &mut tokio::sync::watch::Receiver<(u64, u64)>,
    until: Option<Instant>,
    wait: &mut Option<Wait>,
) -> Result<bool, Refused> {
    if wait.is_none() {
        *wait = Some(world.wait()?);
    }
    let end = async {
        match until {
            Some(until) => tokio::time::sleep_until(until).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        changed = watch.changed() => Ok(changed.is_ok()),
        () = end => Ok(false),
        () = world.ground.told_to_stop() => Ok(false),
        () = gone(world) => Err(Refused::unknown_world(world.id.as_str())),
    }
}

/// Lists matching lines since a position. With `wait`, waits until there is one.
pub async fn list(whole: Whole) -> Result<Requests, Refused> {
    let Whole { world, asked, .. } = whole;
    let query = QueryString::parse(&asked.query);
    let (filter, limit, is_stable) = (filter(&query)?, limit(&query)?, read_flag(&query, "stable")?);
    let wait = parameter::<Span>(&query, "wait")?;
    if wait.is_some_and(|wait| wait > WAIT_MAX) {
        return Err(Refused::bad_query(format!("wait must be at most {WAIT_MAX}.")));
    }
    let since = parameter::<Place>(&query, "since")?;
    let journal = &world.journal;
    let until = wait.map(|wait| Instant::now() + wait.0);
    let mut watch = journal.watch();
    let epoch = watch_epoch(journal);
    let since = since.map(|place| place.seq(&journal.standing())).transpose()?;
    // Lines that did not match are not checked again.
    let (mut seen, mut gap, mut held) = (0, None::<journal::Gap>, None);
    loop {
        watch.borrow_and_update();
        let found = journal.unseen(since, seen);
        if found.standing.epoch != epoch {
            return Err(reset_meanwhile(&found.standing));
        }
        gap = match (gap, found.gap) {
            (Some(first), Some(next)) => Some(journal::Gap { first: first.first, last: next.last }),
            (first, next) => first.or(next),
        };
        let (matcher, lines) = (filter.clone(), found.lines);
        let fitting = in_turn(&world.ground.room, move || {
            lines.into_iter().filter(|line| matcher.hits(line.as_ref())).collect::<Vec<_>>()
        });
        let fitting = fitting.await?;
        if fitting.is_empty() && until.is_some() {
            if !journal.is_on() {
                return Err(not_recording());
            }
            if news(&world, &mut watch, until, &mut held).await? {
                seen = found.standing.last;
                continue;
            }
        }
        // Without a start position, the newest lines are returned.
        let cut = match since {
            Some(_) => &fitting[..limit.min(fitting.len())],
            None => &fitting[fitting.len().saturating_sub(limit)..],
        };
        let has_more = since.is_some() && cut.len() < fitting.len();
        let Standing { epoch, last, dropped, .. } = found.standing;
        let next = if has_more { cut.last().map_or(last, |line| line.id) } else { last };
        return Ok(Requests {
            epoch,
            last,
            dropped,
            gap: gap.map(Missing::from),
            enabled: journal.is_on(),
            has_more,
            next: format!("{epoch}.{next}"),
            items: cut.iter().map(|line| Line::of(line, is_stable)).collect(),
        });
    }
}

fn watch_epoch(journal: &Journal) -> u64 {
    journal.standing().epoch
}

fn one(world: &World, asked: &Asked) -> Result<Arc<Exchange>, Refused> {
    let seq: u64 =
        asked.parameter().parse().map_err(|_| Refused::invalid("A journal line is identified by its number."))?;
    world.journal.get(seq).ok_or_else(|| {
        let told = format!(
            "There is no line {seq}. It was replaced by a newer one, was removed, or has not been \
         written yet."
        );
        Refused::not_found(told)
    })
}

pub fn get(visit: &Visit, asked: &Asked) -> Result<Line, Refused> {
    let line = one(visit.world(), asked)?;
    let links = links(visit.world(), &visit.core(), &line)?;
    Ok(Line::of(&line, false).with(links))
}

pub async fn curl(whole: Whole) -> Result<HttpResponse, Refused> {
    let line = one(&whole.world, &whole.asked)?;
    Ok(text(format!("{}\n", journal::curl(&line, whole.asked.called_at.server(&whole.world.ground)))))
}

pub async fn http(whole: Whole) -> Result<HttpResponse, Refused> {
    let line = one(&whole.world, &whole.asked)?;
    Ok(text(journal::out::http(&line, whole.asked.called_at.server(&whole.world.ground))))
}

pub async fn har(whole: Whole) -> Result<HttpResponse, Refused> {
    let line = one(&whole.world, &whole.asked)?;
    let archive = journal::out::har([&*line], whole.asked.called_at.server(&whole.world.ground));
    Ok(json_answer(200, archive.to_string()))
}

/// Returns matching lines in one archive.
pub async fn archive(whole: Whole) -> Result<HttpResponse, Refused> {
    let Whole { world, asked, .. } = whole;
    let query = QueryString::parse(&asked.query);
    let filter = filter(&query)?;
    let found = lines_since(&world, parameter::<Place>(&query, "since")?)?;
    let room = world.ground.room.clone();
    // A full journal takes a while.
    let written = in_turn(&room, move || {
        let fitting = found.lines.iter().map(|line| &**line).filter(|line| filter.hits(*line));
        journal::out::har(fitting, asked.called_at.server(&world.ground)).to_string()
    });
    json_of_any_length(&room, 200, written.await?.into()).await
}

pub fn text_schema(_: &mut OpenApiDocument) -> Value {
    json!({ "type": "string" })
}

pub fn har_schema(_: &mut OpenApiDocument) -> Value {
    json!({ "type": "object", "description": "HTTP Archive 1.2", "required": ["log"] })
}

pub fn clear(visit: &Visit, asked: &Asked) -> Result<Nothing, Refused> {
    let query = QueryString::parse(&asked.query);
    let journal = &visit.world().journal;
    match parameter::<Place>(&query, "before")? {
        None => journal.clear(),
        Some(before) => {
            let standing = journal.standing();
            // The position after the last line is valid and means all of them.
            let at = Place { seq: before.seq.saturating_sub(1), ..before };
            journal.clear_before(at.seq(&standing)? + 1);
        }
    }
    Ok(Nothing)
}

/// Returns the lines since a position, or the reason why they are incomplete.
fn lines_since(world: &World, since: Option<Place>) -> Result<journal::Since, Refused> {
    lines_unseen(world, since, 0)
}

/// Returns the lines like [`lines_since`] for a caller who has read those up to `seen`.
fn lines_unseen(world: &World, since: Option<Place>, seen: u64) -> Result<journal::Since, Refused> {
    let journal = &world.journal;
    let since = since.map(|place| place.seq(&journal.standing())).transpose()?;
    let found = journal.unseen(since, seen);
    if !journal.is_on() && found.lines.is_empty() {
        return Err(not_recording());
    }
    match found.gap {
        Some(gap) => Err(journal_gap(gap)),
        None => Ok(found),
    }
}

/// The state of the journal.
#[derive(Serialize, JsonSchema)]
pub struct JournalState {
    /// Whether requests are recorded.
    enabled: bool,
    /// Whether calls of the admin interface are recorded as well; those that match no route always are.
    admin_calls: AdminCalls,
    epoch: u64,
    last: u64,
    lines: usize,
    /// Memory used by the lines, approximately.
    bytes: usize,
    dropped: u64,
    limits: Most,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JournalLimits")]
struct Most {
    lines: usize,
    bytes: usize,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AdminCalls {
    enabled: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalWish {
    /// Whether to record requests.
    enabled: Option<bool>,
    /// Whether to record calls of the admin interface as well, in the journal of the default world.
    admin_calls: Option<AdminCalls>,
    /// The most lines to store.
    #[schemars(range(min = 1, max = 10_000_000))]
    lines: Option<usize>,
    /// The most memory that the lines use. The newest line is always stored.
    #[schemars(range(min = 65_536, max = 17_179_869_184_u64))]
    bytes: Option<usize>,
}

pub fn state(visit: &Visit, _: &Asked) -> Result<JournalState, Refused> {
    let journal = &visit.world().journal;
    let Standing { epoch, last, lines, bytes, dropped, limits } = journal.standing();
    let limits = Most { lines: limits.lines, bytes: limits.bytes };
    let admin_calls = AdminCalls { enabled: journal.takes_admin() };
    Ok(JournalState { enabled: journal.is_on(), admin_calls, epoch, last, lines, bytes, dropped, limits })
}

pub fn change(visit: &Visit, asked: &Asked, wish: JournalWish) -> Result<JournalState, Refused> {
    let journal = &visit.world().journal;
    let now = journal.standing().limits;
    let limits = JournalLimits { lines: wish.lines.unwrap_or(now.lines), bytes: wish.bytes.unwrap_or(now.bytes) };
    if !(1..=10_000_000).contains(&limits.lines) {
        return Err(Refused::invalid("lines: expected an integer from 1 to 10000000."));
    }
    if !(65_536..=17_179_869_184).contains(&(limits.bytes as u64)) {
        return Err(Refused::invalid("bytes: expected an integer from 65536 to 17179869184."));
    }
    journal.limit(limits);
    if let Some(enabled) = wish.enabled {
        journal.record(enabled);
    }
    if let Some(AdminCalls { enabled }) = wish.admin_calls {
        journal.take_admin(enabled);
    }
    state(visit, asked)
}
