//! Commands on the request journal of the local server: a page of entries, and one entry in full.

use roost_emulator::{Exchange, JournalTime, RecordedBody, RecordedMessage, to_curl};
use roost_model::error::ErrorCode;
use roost_ops::Actor;
use serde::{Deserialize, Serialize};

use super::effects::{self, RequestEffects};
use crate::{accounts::App, error::CommandError, reading::check_range};

/// The maximum number of entries that a page can request at once.
const LIMIT_MAX: u32 = 500;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ServerRequests {
    /// The number of newest entries to skip.
    pub skip: u32,
    pub limit: u32,
    /// Only requests that began by this time, in microseconds since 1970 by the system's clock. New requests then do
    /// not move the entries of a page.
    pub until: Option<i64>,
    /// Null means all worlds.
    pub world: Option<String>,
    /// Only requests that a fault rule matched.
    pub is_ruled: bool,
    /// Part of the address, method, operation, key or reason, whatever its letter case.
    pub text: Option<String>,
    /// An operation, or a group of operations such as `lists` or `admin`.
    pub operation: Option<String>,
    pub status: Option<StatusClass>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum StatusClass {
    #[serde(rename = "2xx")]
    Success,
    #[serde(rename = "3xx")]
    Redirect,
    #[serde(rename = "4xx")]
    Refused,
    #[serde(rename = "5xx")]
    Failed,
    /// No response was sent.
    #[serde(rename = "none")]
    None,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ServerRequestPage {
    pub is_recording: bool,
    /// The number of matching entries on all pages.
    pub matching: u32,
    /// Entries that were removed to make room for newer ones.
    pub dropped: u64,
    /// Newest first.
    pub items: Vec<RequestLine>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RequestLine {
    pub world: String,
    /// The number of the entry in the journal of its world.
    pub id: u64,
    /// The start of the request by the clock of its world, with nanoseconds.
    pub at: String,
    /// The start by the system's clock, in microseconds since 1970.
    pub real_at: i64,
    /// `in` for a request, `out` for a callback.
    pub direction: String,
    pub method: String,
    /// The path and query. For a callback, the whole address.
    pub target: String,
    pub operation: Option<String>,
    pub status: Option<u16>,
    pub micros: u64,
    pub bytes_in: u64,
    pub bytes_out: u64,
    /// The first characters of the key.
    pub key: Option<String>,
    pub refused: Option<RequestRefused>,
    /// The fault rule that matched the request.
    pub rule: Option<String>,
    /// The number of the attempt, for a callback.
    pub attempt: Option<u32>,
    pub job: Option<i64>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RequestRefused {
    /// One of gate, world, route, method, key, limits, fault, parsing, validation, not_found, conflict, server, receiver,
    /// caller.
    pub check: String,
    pub words: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ServerRequest {
    pub world: String,
    pub id: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct FullRequest {
    pub line: RequestLine,
    pub request: RequestMessage,
    pub response: RequestMessage,
    /// The first broken rules, with the fields that broke them.
    pub faults: Vec<RequestFault>,
    pub faults_total: u32,
    /// The response that would have been sent without the fault rule.
    pub meant: Option<IntendedCall>,
    pub effects: RequestEffects,
    /// The same request as a shell command, with variables in place of secrets.
    pub curl: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct IntendedCall {
    pub status: u16,
    pub body: RequestBody,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RequestFault {
    pub path: String,
    pub message: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RequestMessage {
    /// Names and values. Secrets are masked.
    pub headers: Vec<(String, String)>,
    pub body: RequestBody,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RequestBody {
    pub state: BodyState,
    pub text: String,
    /// The full length of the body, even if only a part is stored.
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum BodyState {
    None,
    Whole,
    /// Only the beginning is stored.
    Cut,
    /// The body was not stored, because it may hold a secret.
    Withheld,
    /// The request was refused before its body was read.
    Unread,
}

impl RequestLine {
    pub(crate) fn from_exchange(world: &str, exchange: &Exchange) -> Self {
        Self {
            world: world.to_owned(),
            id: exchange.id,
            at: exchange.at.to_iso(),
            real_at: to_micros(exchange.real_at),
            rule: exchange.rule.as_deref().map(str::to_owned),
            direction: exchange.direction.as_str().to_owned(),
            method: exchange.method.clone().into_owned(),
            target: exchange.target.clone(),
            operation: exchange.operation.as_deref().map(str::to_owned),
            status: exchange.status,
            micros: exchange.micros,
            bytes_in: exchange.request.body.length(),
            bytes_out: exchange.response.body.length(),
            key: exchange.key.clone(),
            refused: exchange.why.as_ref().map(|why| RequestRefused {
                check: why.check.as_str().to_owned(),
                words: why.words.clone().into_owned(),
            }),
            attempt: exchange.attempt,
            job: exchange.job,
        }
    }
}

fn to_micros(at: JournalTime) -> i64 {
    at.unix.saturating_mul(1_000_000).saturating_add(i64::from(at.nanos / 1_000))
}

impl From<&RecordedBody> for RequestBody {
    fn from(body: &RecordedBody) -> Self {
        let state = match body {
            RecordedBody::None => BodyState::None,
            RecordedBody::Withheld { .. } => BodyState::Withheld,
            RecordedBody::Unread { .. } => BodyState::Unread,
            RecordedBody::Recorded { .. } if body.is_whole() => BodyState::Whole,
            RecordedBody::Recorded { .. } => BodyState::Cut,
        };
        Self { state, text: String::from_utf8_lossy(body.bytes()).into_owned(), bytes: body.length() }
    }
}

impl From<&RecordedMessage> for RequestMessage {
    fn from(message: &RecordedMessage) -> Self {
        let headers = message.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { headers, body: (&message.body).into() }
    }
}

impl StatusClass {
    fn contains(self, status: Option<u16>) -> bool {
        match self {
            Self::Success => status.is_some_and(|status| (200..300).contains(&status)),
            Self::Redirect => status.is_some_and(|status| (300..400).contains(&status)),
            Self::Refused => status.is_some_and(|status| (400..500).contains(&status)),
            Self::Failed => status.is_some_and(|status| status >= 500),
            Self::None => status.is_none(),
        }
    }
}

impl ServerRequests {
    fn matches(&self, line: &Exchange) -> bool {
        let operation = line.operation.as_deref().unwrap_or_default();
        let is_of = |wanted: &str| {
            operation == wanted || operation.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'))
        };
        let holds = |text: &str| {
            let text = text.to_lowercase();
            let rule = line.rule.as_deref().unwrap_or_default();
            let words = line.why.as_ref().map_or("", |why| why.words.as_ref());
            [line.method.as_ref(), &line.target, operation, line.key.as_deref().unwrap_or_default(), words, rule]
                .iter()
                .any(|part| part.to_lowercase().contains(&text))
        };
        self.status.is_none_or(|class| class.contains(line.status))
            && self.until.is_none_or(|until| to_micros(line.real_at) <= until)
            && (!self.is_ruled || line.rule.is_some())
            && self.operation.as_deref().is_none_or(is_of)
            && self.text.as_deref().is_none_or(holds)
    }
}

pub(crate) fn page(app: &App, _: &Actor, request: ServerRequests) -> Result<ServerRequestPage, CommandError> {
    check_range("limit", request.limit, LIMIT_MAX)?;
    let (skip, limit) = (request.skip as usize, request.limit as usize);
    let (mut matching, mut dropped, mut lines) = (0, 0, Vec::new());
    let wanted = |world: &str| request.world.as_deref().is_none_or(|only| only == world);
    for (world, journal) in app.server().journals().into_iter().filter(|(world, _)| wanted(world)) {
        let found = journal.read_page(None, skip.saturating_add(limit), |line| request.matches(line));
        matching += found.matching;
        dropped += found.dropped;
        lines.extend(found.lines.into_iter().map(|line| (world.clone(), line)));
    }
    // Each world's entries are already sorted. Entries of several worlds are sorted by their start.
    if request.world.is_none() {
        lines.sort_by_key(|(_, line)| std::cmp::Reverse((line.real_at.unix, line.real_at.nanos)));
    }
    Ok(ServerRequestPage {
        is_recording: app.server().journal().is_on(),
        matching: u32::try_from(matching).unwrap_or(u32::MAX),
        dropped,
        items: lines
            .iter()
            .skip(skip)
            .take(limit)
            .map(|(world, line)| RequestLine::from_exchange(world, line))
            .collect(),
    })
}

pub(crate) fn full_request(app: &App, _: &Actor, request: ServerRequest) -> Result<FullRequest, CommandError> {
    let server = app.server();
    let journal = server.journals().into_iter().find(|(world, _)| *world == request.world).map(|(_, journal)| journal);
    let found = journal.and_then(|journal| Some((journal.get(request.id)?, journal)));
    let (exchange, journal) = found.ok_or_else(|| {
        let message = format!("Request {} is no longer kept. Newer requests replaced it.", request.id);
        CommandError::new(ErrorCode::NotFound, message)
    })?;
    let why = exchange.why.as_ref();
    let fault = |fault: &roost_emulator::RequestViolation| RequestFault {
        path: fault.path.clone().into_owned(),
        message: fault.message.clone().into_owned(),
    };
    Ok(FullRequest {
        line: RequestLine::from_exchange(&request.world, &exchange),
        meant: exchange.meant.as_ref().map(|(status, body)| IntendedCall { status: *status, body: body.into() }),
        effects: effects::find_effects(app, &request.world, &journal, &exchange)?,
        request: RequestMessage::from(&exchange.request),
        response: RequestMessage::from(&exchange.response),
        faults: why.map(|why| why.faults.iter().map(fault).collect()).unwrap_or_default(),
        faults_total: why.map_or(0, |why| u32::try_from(why.faults_total).unwrap_or(u32::MAX)),
        curl: to_curl(&exchange, &server.url()),
    })
}
