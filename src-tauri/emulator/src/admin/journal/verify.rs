//! Verifies that expected requests arrived, waits for them if asked to, and reports the nearest lines if they did not.

use std::{borrow::Cow, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;
use tokio::time::Instant;

use super::{
    super::{refused::Refused, route::Whole},
    Matching, WAIT_MAX, in_turn,
    line::Near,
    lines_unseen, news, not_recording,
    place::{Place, reset_meanwhile},
};
use crate::{
    door::answer::{HttpResponse, json},
    faults::Span,
    journal::{
        Matcher,
        query::{
            nearest,
            verify::{Outcome, Times, counted, order, times},
        },
    },
};

/// Which requests are expected.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct Verify {
    /// A matcher. With `order`, a list of matchers.
    #[serde(rename = "match")]
    matchers: Matchers,
    /// How many requests. Default: at least one.
    times: Option<Times>,
    /// Only lines after this one. Default: since the journal was last cleared.
    since: Option<Place>,
    /// How long to wait, at most 300s. With `exactly` 0 or `at_most`, the check always waits this long, because a later
    /// request can still break it.
    timeout: Option<Span>,
    /// Shown when the check fails.
    message: Option<String>,
    /// Whether the requests must come in this order. Others may come between them.
    #[serde(default)]
    order: bool,
}

/// One matcher, or a list of matchers.
struct Matchers {
    all: Arc<[Matcher]>,
    is_list: bool,
}

impl Matching for Verify {
    fn weight(&self) -> usize {
        self.matchers.all.iter().map(Matcher::weight).sum()
    }
}

impl<'de> Deserialize<'de> for Matchers {
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

impl JsonSchema for Matchers {
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
pub struct Verified {
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
    nearest: Vec<Near>,
}

/// Verifies that requests arrived: 202 if they did, 406 if not.
pub async fn verify(whole: Whole, wish: Verify) -> Result<HttpResponse, Refused> {
    let Whole { world, .. } = whole;
    let Verify { matchers: Matchers { all, is_list }, times: wanted, since, timeout, message, order: in_order } = wish;
    if is_list != in_order || all.is_empty() || (in_order && wanted.is_some()) {
        let told = "match: with order, give a list of matchers and no times; without order, give one matcher.";
        return Err(Refused::invalid(told));
    }
    let wanted = wanted.unwrap_or_default();
    wanted.check().map_err(Refused::invalid)?;
    let timeout = timeout.unwrap_or_default();
    if timeout > WAIT_MAX {
        return Err(Refused::invalid(format!("timeout: expected at most {WAIT_MAX}, got {timeout}.")));
    }
    let until = Instant::now() + timeout.0;
    let (journal, room) = (&world.journal, &world.ground.room);
    let mut watch = journal.watch();
    let epoch = journal.standing().epoch;
    // The last line that was checked, and the matching lines up to it.
    let (mut seen, mut before, mut held) = (0, Vec::new(), None);
    loop {
        watch.borrow_and_update();
        if timeout.0.is_zero() || journal.is_on() {
            let found = lines_unseen(&world, since, seen)?;
            if found.standing.epoch != epoch {
                return Err(reset_meanwhile(&found.standing));
            }
            if before.first().is_some_and(|id| *id <= found.begin) {
                // The journal was emptied meanwhile, so earlier matches no longer count.
                (seen, before) = (0, Vec::new());
                continue;
            }
            let (matchers, lines) = (all.clone(), found.lines);
            let judged = in_turn(room, move || match in_order {
                true => order(&matchers, before, &lines),
                false => times(&matchers[0], wanted, before, &lines),
            });
            let judged = judged.await?;
            let is_open = match judged.outcome {
                Outcome::NotYet => true,
                Outcome::Holds => !in_order && wanted.is_settled_late(),
                Outcome::Never => false,
            };
            let waits = is_open && Instant::now() < until;
            if waits {
                if news(&world, &mut watch, Some(until), &mut held).await? {
                    (seen, before) = (found.standing.last, judged.lines);
                    continue;
                }
                if world.ground.has_stopped() && Instant::now() < until {
                    return Err(Refused::stopping());
                }
            }
            let verified = judged.outcome == Outcome::Holds;
            let near = match judged.outcome {
                Outcome::NotYet => {
                    let (matchers, open, whole) = (all.clone(), judged.open, journal.since(Some(found.begin)));
                    let near = in_turn(room, move || {
                        let open = &matchers[open];
                        nearest(open, counted(open, &whole.lines).filter(|line| line.id <= found.standing.last))
                    });
                    near.await?.into_iter().map(Near::from).collect()
                }
                _ => Vec::new(),
            };
            let answer = Verified {
                verified,
                message,
                matched: judged.lines.len(),
                wanted: match in_order {
                    true => format!("{} in this order", all.len()),
                    false => wanted.words(),
                },
                lines: judged.lines,
                nearest: near,
            };
            return Ok(json(if verified { 202 } else { 406 }, roost_wire::paging::to_bytes(&answer)));
        }
        return Err(not_recording());
    }
}

impl From<crate::journal::query::Near> for Near {
    fn from(near: crate::journal::query::Near) -> Self {
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
