//! The operator's requests to the journal of a world: list, await, stream, find, count, verify, export and clear its
//! lines, list unmatched requests, and set whether it records and how much it stores.

mod events;
mod line;
mod position;
mod query;
mod search;
mod unmatched;
mod verify;

use std::{borrow::Cow, str::FromStr, sync::Arc};

use roost_journal::{Exchange, JournalGap, JournalLimits, JournalStatus, Matcher};
use roost_wire::{QueryString, RequestPath, openapi::OpenApiDocument, query::parse_integer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

pub use self::unmatched::closest_routes;
pub(crate) use self::{
    events::stream_events,
    position::missing_line_error,
    query::{MatcherQuery, read_query, run_in_turn},
    search::{JournalSearch, count_requests, find_requests},
    unmatched::list_unmatched,
    verify::{VerifyRequest, VerifyResponse, verify_requests},
};
use self::{
    line::JournalLine,
    position::{JournalPosition, gap_error, not_recording_error, reset_error},
};

use super::{
    error::AdminError,
    long_json_response,
    route::{AdminRequest, HostRequest, NoContent, WrittenAnswer, read_flag},
    work::origin::find_links,
};
use crate::{
    access::{WORLD_SEGMENT, WorldId},
    door::WorldVisit,
    hooks::HOOK_SEGMENT,
    http::{
        bounds::WaitPermit,
        response::{HttpResponse, json_response, text_response},
    },
    settings::HumanDuration,
    world::World,
};

/// The longest time that a request may wait for lines.
const WAIT_MAX: HumanDuration = HumanDuration(std::time::Duration::from_secs(300));
const DEFAULT_LIMIT: i32 = 100;
const MAX_LIMIT: i32 = 1_000;

#[derive(Serialize, JsonSchema)]
pub(super) struct RequestPage {
    /// How often the world was reset or restored. Sequence numbers start again in each epoch.
    epoch: u64,
    /// The newest line.
    last: u64,
    /// Lines replaced by newer ones since the journal was last cleared.
    dropped: u64,
    /// Requested lines that are no longer stored.
    gap: Option<JournalGap>,
    /// Whether requests are recorded.
    enabled: bool,
    /// Whether more lines are available now. Ask again with `next`.
    has_more: bool,
    /// Pass this as `since` to continue.
    next: String,
    /// Oldest first.
    items: Vec<JournalLine>,
}

/// Parses a query parameter.
fn parse_parameter<T: FromStr<Err = String>>(query: &QueryString<'_>, name: &str) -> Result<Option<T>, AdminError> {
    match query.filled_value(name).map(str::parse) {
        None => Ok(None),
        Some(Ok(value)) => Ok(Some(value)),
        Some(Err(why)) => Err(AdminError::bad_query(format!("{name}: {why}."))),
    }
}

fn parse_filter(query: &QueryString<'_>) -> Result<Matcher, AdminError> {
    let line = query.filled_value("filter").unwrap_or_default();
    Matcher::from_filter(line).map_err(|why| AdminError::bad_query(format!("{why}.")))
}

fn parse_limit(query: &QueryString<'_>) -> Result<usize, AdminError> {
    match query.filled_value("limit") {
        None => Ok(DEFAULT_LIMIT as usize),
        Some(text) => parse_integer(text)
            .filter(|n| (1..=MAX_LIMIT).contains(n))
            .and_then(|n| usize::try_from(n).ok())
            .ok_or_else(|| AdminError::bad_query(format!("limit must be an integer from 1 to {MAX_LIMIT}."))),
    }
}

/// Waits until the world is removed.
async fn wait_until_removed(world: &World) {
    loop {
        // The epoch is read first, so that an end between the two checks is not missed.
        let epoch = world.epoch.epoch();
        if world.epoch.is_removed() {
            return;
        }
        world.epoch.wait_until_ended(epoch).await;
    }
}

/// Waits until the journal changes or there is no reason to wait any longer, and returns whether it changed. Takes a
/// wait permit at the first call.
async fn wait_for_news(
    world: &World,
    watch: &mut tokio::sync::watch::Receiver<(u64, u64)>,
    until: Option<Instant>,
    wait: &mut Option<WaitPermit>,
) -> Result<bool, AdminError> {
    if wait.is_none() {
        *wait = Some(world.begin_wait()?);
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
        () = world.resources.wait_for_stop() => Ok(false),
        () = wait_until_removed(world) => Err(AdminError::unknown_world(world.id.as_str())),
    }
}

/// Lists matching lines since a position. If there is none, waits for one, at most as long as `wait` says.
pub(super) async fn list_requests(host_request: HostRequest) -> Result<WrittenAnswer<RequestPage>, AdminError> {
    let HostRequest { world, request, .. } = host_request;
    let query = QueryString::parse(&request.query);
    let (filter, limit, is_stable) = (parse_filter(&query)?, parse_limit(&query)?, read_flag(&query, "stable")?);
    let wait = parse_parameter::<HumanDuration>(&query, "wait")?;
    if wait.is_some_and(|wait| wait > WAIT_MAX) {
        return Err(AdminError::bad_query(format!("wait must be at most {WAIT_MAX}.")));
    }
    let since = parse_parameter::<JournalPosition>(&query, "since")?;
    let journal = &world.journal;
    let until = wait.map(|wait| Instant::now() + wait.0);
    let mut watch = journal.watch_position();
    let epoch = journal.status().epoch;
    let since = since.map(|place| place.check_seq(&journal.status())).transpose()?;
    // Lines that did not match are not checked again.
    let (mut seen, mut gap, mut held) = (0, None::<JournalGap>, None);
    loop {
        watch.borrow_and_update();
        let found = journal.read_unseen(since, seen);
        if found.status.epoch != epoch {
            return Err(reset_error(&found.status));
        }
        gap = match (gap, found.gap) {
            (Some(first), Some(next)) => Some(JournalGap { first: first.first, last: next.last }),
            (first, next) => first.or(next),
        };
        let (matcher, lines) = (filter.clone(), found.lines);
        let fitting = run_in_turn(&world.resources.capacity, move || {
            lines.into_iter().filter(|line| matcher.matches(line.as_ref())).collect::<Vec<_>>()
        });
        let fitting = fitting.await?;
        if fitting.is_empty() && until.is_some() {
            if !journal.is_on() {
                return Err(not_recording_error());
            }
            if wait_for_news(&world, &mut watch, until, &mut held).await? {
                seen = found.status.last;
                continue;
            }
        }
        // Without a start position, the newest lines are returned.
        let cut = match since {
            Some(_) => &fitting[..limit.min(fitting.len())],
            None => &fitting[fitting.len().saturating_sub(limit)..],
        };
        let has_more = since.is_some() && cut.len() < fitting.len();
        let JournalStatus { epoch, last, dropped, .. } = found.status;
        let next = if has_more { cut.last().map_or(last, |line| line.id) } else { last };
        let page = RequestPage {
            epoch,
            last,
            dropped,
            gap,
            enabled: journal.is_on(),
            has_more,
            next: format!("{epoch}.{next}"),
            items: cut.iter().map(|line| JournalLine::from_exchange(line, is_stable)).collect(),
        };
        return WrittenAnswer::write(page, &world.resources.capacity).await;
    }
}

fn find_line(world: &World, request: &AdminRequest) -> Result<Arc<Exchange>, AdminError> {
    let seq: u64 = request
        .first_parameter()
        .parse()
        .map_err(|_| AdminError::invalid("A journal line is identified by its number."))?;
    world.journal.get(seq).ok_or_else(|| missing_line_error(&world.journal, seq))
}

pub(super) fn get_request(visit: &WorldVisit, request: &AdminRequest) -> Result<JournalLine, AdminError> {
    let line = find_line(visit.world(), request)?;
    let links = find_links(visit.world(), &visit.core(), &line)?;
    Ok(JournalLine::from_exchange(&line, false).with_links(links))
}

/// Returns a line of this world's journal with a path that names the world. The original request may have named the
/// world by its key or host name, and the exported request may lack both.
fn address_line<'l>(world: &WorldId, line: &'l Exchange) -> Cow<'l, Exchange> {
    let path = RequestPath::parse(&line.target);
    let is_shared =
        path.segments().first().is_some_and(|first| [WORLD_SEGMENT, "__admin", HOOK_SEGMENT].contains(&first.as_ref()));
    if world.as_str() == WorldId::DEFAULT || !line.target.starts_with('/') || is_shared {
        return Cow::Borrowed(line);
    }
    let target = format!("/{WORLD_SEGMENT}/{world}{}", line.target);
    Cow::Owned(Exchange { target, ..line.clone() })
}

fn find_addressed_line(host_request: &HostRequest) -> Result<Exchange, AdminError> {
    let line = find_line(&host_request.world, &host_request.request)?;
    Ok(address_line(&host_request.world.id, &line).into_owned())
}

pub(super) async fn show_curl(host_request: HostRequest) -> Result<HttpResponse, AdminError> {
    let line = find_addressed_line(&host_request)?;
    let url = host_request.request.called_at.server(&host_request.world.resources);
    Ok(text_response(format!("{}\n", roost_journal::to_curl(&line, url))))
}

pub(super) async fn show_http(host_request: HostRequest) -> Result<HttpResponse, AdminError> {
    let line = find_addressed_line(&host_request)?;
    let url = host_request.request.called_at.server(&host_request.world.resources);
    Ok(text_response(roost_journal::out::to_http_file(&line, url)))
}

pub(super) async fn show_har(host_request: HostRequest) -> Result<HttpResponse, AdminError> {
    let line = find_addressed_line(&host_request)?;
    let url = host_request.request.called_at.server(&host_request.world.resources);
    let archive = roost_journal::out::to_har([line], url);
    Ok(json_response(200, archive.to_string()))
}

/// Returns matching lines in one archive.
pub(super) async fn show_archive(host_request: HostRequest) -> Result<HttpResponse, AdminError> {
    let HostRequest { world, request, .. } = host_request;
    let query = QueryString::parse(&request.query);
    let filter = parse_filter(&query)?;
    let found = lines_since(&world, parse_parameter::<JournalPosition>(&query, "since")?)?;
    let room = world.resources.capacity.clone();
    // Rendering a full journal takes a while, so it gets a thread of its own.
    let written = run_in_turn(&room, move || {
        let fitting = found.lines.iter().map(|line| &**line).filter(|line| filter.matches(*line));
        let addressed = fitting.map(|line| address_line(&world.id, line));
        roost_journal::out::to_har(addressed, request.called_at.server(&world.resources)).to_string()
    });
    long_json_response(&room, 200, written.await?.into()).await
}

pub(super) fn text_schema(_: &mut OpenApiDocument) -> Value {
    json!({ "type": "string" })
}

pub(super) fn har_schema(_: &mut OpenApiDocument) -> Value {
    json!({ "type": "object", "description": "HTTP Archive 1.2", "required": ["log"] })
}

pub(super) fn clear_requests(visit: &WorldVisit, request: &AdminRequest) -> Result<NoContent, AdminError> {
    let query = QueryString::parse(&request.query);
    let journal = &visit.world().journal;
    match parse_parameter::<JournalPosition>(&query, "before")? {
        None => journal.clear(),
        Some(before) => {
            let status = journal.status();
            // A position just after the last line is valid, too, and clears all lines.
            let at = JournalPosition { seq: before.seq.saturating_sub(1), ..before };
            journal.clear_before(at.check_seq(&status)? + 1);
        }
    }
    Ok(NoContent)
}

/// Returns the lines since a position, or the reason why they are incomplete.
fn lines_since(world: &World, since: Option<JournalPosition>) -> Result<roost_journal::JournalLines, AdminError> {
    lines_after(world, since, 0)
}

/// Does the same as [`lines_since`], but leaves out the lines up to `seen`, which the caller has already read.
fn lines_after(
    world: &World,
    since: Option<JournalPosition>,
    seen: u64,
) -> Result<roost_journal::JournalLines, AdminError> {
    let journal = &world.journal;
    let since = since.map(|place| place.check_seq(&journal.status())).transpose()?;
    let found = journal.read_unseen(since, seen);
    if !journal.is_on() && found.lines.is_empty() {
        return Err(not_recording_error());
    }
    match found.gap {
        Some(gap) => Err(gap_error(gap)),
        None => Ok(found),
    }
}

/// The state of the journal.
#[derive(Serialize, JsonSchema)]
pub(super) struct JournalState {
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
    limits: JournalLimitFields,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JournalLimits")]
struct JournalLimitFields {
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
pub(super) struct JournalChange {
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

pub(super) fn get_journal(visit: &WorldVisit, _: &AdminRequest) -> Result<JournalState, AdminError> {
    let journal = &visit.world().journal;
    let JournalStatus { epoch, last, lines, bytes, dropped, limits } = journal.status();
    let limits = JournalLimitFields { lines: limits.lines, bytes: limits.bytes };
    let admin_calls = AdminCalls { enabled: journal.records_admin() };
    Ok(JournalState { enabled: journal.is_on(), admin_calls, epoch, last, lines, bytes, dropped, limits })
}

pub(super) fn change_journal(
    visit: &WorldVisit,
    request: &AdminRequest,
    change: JournalChange,
) -> Result<JournalState, AdminError> {
    let journal = &visit.world().journal;
    let now = journal.status().limits;
    let limits = JournalLimits { lines: change.lines.unwrap_or(now.lines), bytes: change.bytes.unwrap_or(now.bytes) };
    if !(1..=10_000_000).contains(&limits.lines) {
        return Err(AdminError::invalid("lines: expected an integer from 1 to 10000000."));
    }
    if !(65_536..=17_179_869_184).contains(&(limits.bytes as u64)) {
        return Err(AdminError::invalid("bytes: expected an integer from 65536 to 17179869184."));
    }
    journal.set_limits(limits);
    if let Some(enabled) = change.enabled {
        journal.set_recording(enabled);
    }
    if let Some(AdminCalls { enabled }) = change.admin_calls {
        journal.set_admin_recording(enabled);
    }
    get_journal(visit, request)
}
