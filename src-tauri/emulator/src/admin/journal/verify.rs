//! Verifies that expected requests arrived, waits for them if asked to, and reports the nearest lines if they did not.

use std::{borrow::Cow, sync::Arc};

use roost_journal::{
    Matcher,
    query::{
        find_nearest,
        verify::{VerifyStatus, VerifyTimes, count_matches, counted_lines, match_order},
    },
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;
use tokio::time::Instant;

use super::{
    super::{error::AdminError, route::HostRequest},
    MatcherQuery, WAIT_MAX,
    line::NearLineEntry,
    lines_after, not_recording_error,
    position::{JournalPosition, reset_error},
    read_query, run_in_turn, wait_for_news,
};
use crate::{
    http::response::{HttpResponse, json_response},
    settings::HumanDuration,
};

const CLEARED_BY_RESET: &str =
    "The last reset, restore or seed of the world cleared the journal, so earlier requests are not counted.";
const CLEARED: &str = "The journal was cleared, so earlier requests are not counted.";

/// Which requests are expected.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) struct VerifyRequest {
    /// A matcher. With `order`, a list of matchers.
    #[serde(rename = "match")]
    matchers: MatcherList,
    /// How many requests. Default: at least one.
    times: Option<VerifyTimes>,
    /// Only lines after this one. Default: since the journal was last cleared.
    since: Option<JournalPosition>,
    /// How long to wait, at most 300s. With `exactly` 0 or `at_most`, a check that holds waits this long, because a later
    /// request can still break it.
    timeout: Option<HumanDuration>,
    /// Shown when the check fails.
    message: Option<String>,
    /// Whether the requests must come in this order. Others may come between them.
    #[serde(default)]
    order: bool,
}

/// One matcher, or a list of matchers.
struct MatcherList {
    all: Arc<[Matcher]>,
    is_list: bool,
}

impl MatcherQuery for VerifyRequest {
    fn weight(&self) -> usize {
        self.matchers.all.iter().map(Matcher::weight).sum()
    }
}

impl<'de> Deserialize<'de> for MatcherList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let read = match &value {
            Value::Array(_) => Matcher::read_list(&value, "match"),
            one => Matcher::read(one, "match").map(|matcher| vec![matcher]),
        };
        let all = read.map_err(de::Error::custom)?;
        Ok(Self { all: all.into(), is_list: value.is_array() })
    }
}

impl JsonSchema for MatcherList {
    fn schema_name() -> Cow<'static, str> {
        "Matchers".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<Matcher>();
        json_schema!({ "anyOf": [one, { "type": "array", "minItems": 1, "items": one }] })
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Verified")]
pub(crate) struct VerifyResponse {
    verified: bool,
    /// The check as it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    matched: usize,
    /// The expectation in words.
    wanted: String,
    /// Numbers of the matching lines.
    lines: Vec<u64>,
    /// If too few requests matched: lines that nearly match, with their differences.
    nearest: Vec<NearLineEntry>,
    /// Why earlier requests were not counted, if the journal was cleared since.
    note: Option<&'static str>,
}

/// Verifies that requests arrived: 202 if they did, 406 if not.
pub(crate) async fn verify_requests(host_request: HostRequest) -> Result<HttpResponse, AdminError> {
    let HostRequest { world, request: admin_request, .. } = host_request;
    let room = world.resources.capacity.clone();
    let (request, _room) = run_in_turn(&world.resources.capacity, move || read_query(&admin_request, &room)).await??;
    let VerifyRequest {
        matchers: MatcherList { all, is_list },
        times: wanted,
        since,
        timeout,
        message,
        order: in_order,
    } = request;
    if is_list != in_order || all.is_empty() || (in_order && wanted.is_some()) {
        let refusal = "match: with order, give a list of matchers and no times; without order, give one matcher.";
        return Err(AdminError::invalid(refusal));
    }
    let wanted = wanted.unwrap_or_default();
    wanted.check_bounds().map_err(AdminError::invalid)?;
    let timeout = timeout.unwrap_or_default();
    if timeout > WAIT_MAX {
        return Err(AdminError::invalid(format!("timeout: expected at most {WAIT_MAX}, got {timeout}.")));
    }
    let until = Instant::now() + timeout.0;
    let (journal, room) = (&world.journal, &world.resources.capacity);
    let mut watch = journal.watch_position();
    let epoch = journal.status().epoch;
    // The last line that was checked, and the matching lines up to it.
    let (mut seen, mut before, mut held) = (0, Vec::new(), None);
    loop {
        watch.borrow_and_update();
        if timeout.0.is_zero() || journal.is_on() {
            let found = lines_after(&world, since, seen)?;
            if found.status.epoch != epoch {
                return Err(reset_error(&found.status));
            }
            if before.first().is_some_and(|id| *id <= found.begin) {
                // The journal was emptied meanwhile, so earlier matches no longer count.
                (seen, before) = (0, Vec::new());
                continue;
            }
            let (matchers, lines) = (all.clone(), found.lines);
            let result = run_in_turn(room, move || match in_order {
                true => match_order(&matchers, before, &lines),
                false => count_matches(&matchers[0], wanted, before, &lines),
            });
            let result = result.await?;
            let is_open = match result.status {
                VerifyStatus::NotYet => true,
                VerifyStatus::Holds => !in_order && wanted.needs_full_wait(),
                VerifyStatus::Never => false,
            };
            let waits = is_open && Instant::now() < until;
            if waits {
                if wait_for_news(&world, &mut watch, Some(until), &mut held).await? {
                    (seen, before) = (found.status.last, result.lines);
                    continue;
                }
                if world.resources.has_stopped() && Instant::now() < until {
                    return Err(AdminError::stopping());
                }
            }
            let verified = result.status == VerifyStatus::Holds;
            let near = match result.status {
                VerifyStatus::NotYet => {
                    let (matchers, open, page) = (all.clone(), result.open, journal.read_since(Some(found.begin)));
                    let near = run_in_turn(room, move || {
                        let open = &matchers[open];
                        find_nearest(open, counted_lines(open, &page.lines).filter(|line| line.id <= found.status.last))
                    });
                    near.await?.into_iter().map(NearLineEntry::from).collect()
                }
                _ => Vec::new(),
            };
            let answer = VerifyResponse {
                verified,
                message,
                matched: result.lines.len(),
                wanted: match in_order {
                    true => format!("{} in this order", all.len()),
                    false => wanted.describe(),
                },
                lines: result.lines,
                nearest: near,
                note: match (since, epoch, found.begin) {
                    (None, 1.., 0) if !verified => Some(CLEARED_BY_RESET),
                    (None, _, 1..) if !verified => Some(CLEARED),
                    _ => None,
                },
            };
            return Ok(json_response(if verified { 202 } else { 406 }, roost_wire::paging::to_bytes(&answer)));
        }
        return Err(not_recording_error());
    }
}

impl From<roost_journal::query::NearLine> for NearLineEntry {
    fn from(near: roost_journal::query::NearLine) -> Self {
        let line = &near.line;
        Self {
            seq: line.id,
            number: line.number,
            method: line.method.to_string(),
            url: line.target.clone(),
            operation: line.operation.as_deref().map(str::to_owned),
            status: line.status,
            misses: near.misses,
        }
    }
}
