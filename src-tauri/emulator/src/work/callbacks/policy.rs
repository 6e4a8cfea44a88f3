//! The policy by which a world sends callbacks: the service's behaviour by default, and failures on purpose.

use std::{collections::BTreeMap, time::Duration};

use axum::http::{HeaderName, HeaderValue};
use hmac::{Hmac, Mac};
use roost_model::time::Timestamp;
use roost_ops::{
    callback::{AttemptOutcome, DueCallback},
    job::CallbackTiming,
};
use roost_outbound::{CallFailure, CallbackResponse, TIME_OUT};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::template::Template;
use crate::faults::{Draw, Losses, Span};

/// Times are whole seconds on the world's clock, except the timeout, which is real time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
#[schemars(rename = "CallbackPolicy")]
pub struct Policy {
    /// The most retries. Null: as many as there are waits in `backoff`.
    pub retries: Option<u32>,
    /// The wait before each retry. The last one repeats. Null: the setting `callback.retries`.
    pub backoff: Option<Vec<Span>>,
    /// The largest random addition to a wait: with 0.5, 60s becomes 60s to 90s.
    pub jitter: f64,
    pub timeout: Span,
    /// Which outcomes are retried.
    pub retry_on: Vec<Outcome>,
    /// Which of the due callbacks is sent first.
    pub order: Order,
    /// Calls in progress at the same time. Null: 16, or 1 when the order is not fifo.
    pub parallel: Option<u16>,
    /// Holds every callback until it is released.
    pub hold: bool,
    /// The wait before the first attempt.
    pub delay: Delay,
    /// The probability that a delivered callback is sent again.
    pub duplicate: f64,
    /// The probability that a callback is never sent.
    pub drop: f64,
    /// Additional headers.
    pub headers: BTreeMap<String, String>,
    pub sign: Sign,
    /// Replaces the documented body, from the next attempt on. Signatures cover what is sent.
    pub template: Template,
    /// Determines all random choices. Null: chosen once.
    pub seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CallbackOrder")]
pub enum Order {
    #[default]
    Fifo,
    Lifo,
    Random,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CallbackDelay")]
pub enum Delay {
    #[default]
    None,
    Fixed(Span),
    Uniform {
        min: Span,
        max: Span,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CallbackSignature")]
pub enum Sign {
    #[default]
    None,
    /// `sha256=` and the HMAC of the body in hexadecimal.
    HmacSha256 {
        secret: String,
        #[serde(default = "signature_header")]
        header: String,
    },
}

fn signature_header() -> String {
    "x-signature".to_owned()
}

/// The outcome of an attempt: a status, a class of statuses, or no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Status(u16),
    /// 5 for `5xx`.
    Hundred(u16),
    Error,
}

impl std::str::FromStr for Outcome {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || {
            format!(
                "'{text}' is not a valid outcome. Use a status such as 503, a class such as 5xx, or \
         error"
            )
        };
        if text == "error" {
            return Ok(Self::Error);
        }
        if let Some(hundred) = text.strip_suffix("xx") {
            return hundred.parse().ok().filter(|h| (3..=5).contains(h)).map(Self::Hundred).ok_or_else(refused);
        }
        text.parse().ok().filter(|status| (300..=599).contains(status)).map(Self::Status).ok_or_else(refused)
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status(status) => write!(f, "{status}"),
            Self::Hundred(hundred) => write!(f, "{hundred}xx"),
            Self::Error => f.write_str("error"),
        }
    }
}

impl Serialize for Outcome {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "an outcome: a status such as 503, \"5xx\", or \"error\"")]
        enum Given {
            Status(u16),
            Text(String),
        }
        let text = match Given::deserialize(deserializer)? {
            Given::Status(status) => status.to_string(),
            Given::Text(text) => text,
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Outcome {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CallbackOutcome".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A status, a class such as 5xx, or error for an attempt without a response.",
            "anyOf": [
                { "type": "integer", "minimum": 300, "maximum": 599 },
                { "type": "string", "pattern": "^([345]([0-9]{2}|xx)|error)$" },
            ],
        })
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            retries: None,
            backoff: None,
            jitter: 0.0,
            timeout: Span(TIME_OUT),
            retry_on: vec![Outcome::Error, Outcome::Status(408), Outcome::Status(429), Outcome::Hundred(5)],
            order: Order::default(),
            parallel: None,
            hold: false,
            delay: Delay::default(),
            duplicate: 0.0,
            drop: 0.0,
            headers: BTreeMap::new(),
            sign: Sign::default(),
            template: Template::default(),
            seed: None,
        }
    }
}

/// The most calls under way at once.
const PARALLEL: u16 = 16;
/// The most calls under way to one receiver, so that one that does not respond leaves room for the others.
const PER_RECEIVER: usize = 6;
const RETRIES_MAX: usize = 1_000;
const HEADERS_MAX: usize = 50;
const TIME_OUT_MAX: Span = Span(Duration::from_secs(600));
/// Headers that the connection sets, or on which a reader of the body relies.
const OURS: [&str; 7] =
    ["host", "content-type", "content-length", "transfer-encoding", "connection", "user-agent", crate::hooks::TRY];

/// The purpose of a random draw. Each purpose draws separately, so that one chance is independent of another.
enum Chance {
    Delay = 1,
    Drop = 2,
    Duplicate = 3,
    Jitter = 4,
    Order = 5,
}

/// The facts about an attempt that decide what follows it.
#[derive(Debug, Clone, Copy)]
pub struct Tried {
    pub callback: i64,
    /// Attempts before this one.
    pub earlier: u32,
    /// Whether one of the earlier attempts was delivered.
    pub was_delivered: bool,
    /// Whether the callback is sent twice regardless of chance.
    pub is_twice: bool,
}

impl Policy {
    /// Refuses invalid values.
    pub fn check(&self) -> Result<(), String> {
        for (name, chance) in [("jitter", self.jitter), ("duplicate", self.duplicate), ("drop", self.drop)] {
            if !(0.0..=1.0).contains(&chance) {
                return Err(format!("{name}: expected a number from 0 to 1."));
            }
        }
        let backoff = self.backoff.as_deref().unwrap_or_default();
        if backoff.len() > RETRIES_MAX || self.retries.is_some_and(|retries| retries as usize > RETRIES_MAX) {
            return Err(format!("retries, backoff: expected at most {RETRIES_MAX}."));
        }
        if self.timeout.0.is_zero() || self.timeout > TIME_OUT_MAX {
            return Err(format!("timeout: expected more than 0s and at most {TIME_OUT_MAX}."));
        }
        if self.parallel.is_some_and(|parallel| !(1..=PARALLEL).contains(&parallel)) {
            return Err(format!("parallel: expected an integer from 1 to {PARALLEL}."));
        }
        let delays = match self.delay {
            Delay::None => vec![],
            Delay::Fixed(delay) => vec![delay],
            Delay::Uniform { min, max } if min > max => return Err("delay: min is larger than max.".to_owned()),
            Delay::Uniform { min, max } => vec![min, max],
        };
        if let Some(span) = backoff.iter().chain(&delays).find(|span| span.0.subsec_nanos() > 0) {
            return Err(format!("{span}: callbacks are scheduled in whole seconds."));
        }
        if self.headers.len() > HEADERS_MAX {
            return Err(format!("headers: expected at most {HEADERS_MAX}."));
        }
        let signature = match &self.sign {
            Sign::HmacSha256 { secret, .. } if secret.is_empty() => return Err("secret: is empty.".to_owned()),
            Sign::HmacSha256 { header, .. } => Some((header.as_str(), "")),
            Sign::None => None,
        };
        let given = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in given.chain(signature) {
            let is_header = HeaderName::try_from(name).is_ok() && HeaderValue::try_from(value).is_ok();
            if !is_header || OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
                return Err(format!("headers: '{name}' cannot be set."));
            }
        }
        self.template.check()
    }

    pub fn is_chance(&self) -> bool {
        self.jitter > 0.0
            || self.duplicate > 0.0
            || self.drop > 0.0
            || self.order == Order::Random
            || matches!(self.delay, Delay::Uniform { .. })
    }

    /// Combines the policy with the losses of a profile; the larger loss applies.
    pub fn with_losses(&self, losses: Losses, seed: u64) -> Self {
        let (drop, duplicate) = (self.drop.max(losses.drop), self.duplicate.max(losses.duplicate));
        Self { drop, duplicate, seed: self.seed.or(Some(seed)), ..self.clone() }
    }

    fn draw(&self, what: Chance, of: i64, count: u32) -> Draw {
        let event = of.unsigned_abs().wrapping_mul(64).wrapping_add(u64::from(count)).wrapping_mul(8);
        Draw::of(self.seed.unwrap_or_default(), event.wrapping_add(what as u64))
    }

    /// Returns when the callback of a job is first due.
    pub fn owes(&self, job: i64) -> CallbackTiming {
        if self.hold {
            return CallbackTiming::Held;
        }
        let seconds = match self.delay {
            Delay::None => return CallbackTiming::AtOnce,
            Delay::Fixed(delay) => delay.0.as_secs(),
            Delay::Uniform { min, max } => {
                let spread = (max.0 - min.0).as_secs();
                min.0.as_secs() + self.draw(Chance::Delay, job, 0).below(spread + 1)
            }
        };
        CallbackTiming::After(u32::try_from(seconds).unwrap_or(u32::MAX))
    }

    /// Whether a callback is never sent. The answer is always the same for one callback.
    pub fn drops(&self, callback: i64) -> bool {
        self.drop > 0.0 && self.draw(Chance::Drop, callback, 0).unit() < self.drop
    }

    /// Returns the most calls under way to one receiver. A number set by the operator applies to each receiver alike.
    pub fn per_receiver(&self) -> usize {
        if self.parallel.is_none() && self.order == Order::Fifo { PER_RECEIVER } else { self.parallel() }
    }

    pub fn parallel(&self) -> usize {
        let default = if self.order == Order::Fifo { PARALLEL } else { 1 };
        self.parallel.unwrap_or(default).into()
    }

    /// Sorts due callbacks into the order in which they are sent. Expects the one that has been due longest first.
    pub fn arrange(&self, due: &mut [DueCallback]) {
        match self.order {
            Order::Fifo => {}
            Order::Lifo => due.sort_unstable_by_key(|due| std::cmp::Reverse(due.id)),
            Order::Random => due.sort_by_cached_key(|due| self.draw(Chance::Order, due.id, 0).next()),
        }
    }

    /// Returns the headers that the policy adds.
    pub fn headers(&self, body: &str) -> Vec<(String, String)> {
        let mut headers: Vec<_> = self.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        if let Sign::HmacSha256 { secret, header } = &self.sign {
            headers.push((header.clone(), signature(secret, body)));
        }
        headers
    }

    /// Decides what follows an attempt. Any 2xx is a success; only failures that can pass are retried.
    pub fn follows(
        &self,
        sent: &Result<CallbackResponse, CallFailure>,
        tried: Tried,
        waits: &[u32],
        now: Timestamp,
    ) -> AttemptOutcome {
        let after = |seconds: u64| {
            let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
            AttemptOutcome::RetryAt(Timestamp::from_unix(now.unix().saturating_add(seconds)))
        };
        let may_pass = match sent {
            Ok(answer) if (200..300).contains(&answer.status) => {
                let is_twice = tried.is_twice
                    || self.duplicate > 0.0 && self.draw(Chance::Duplicate, tried.callback, 0).unit() < self.duplicate;
                return if is_twice && !tried.was_delivered { after(0) } else { AttemptOutcome::Delivered };
            }
            Ok(answer) => self.retry_on.iter().any(|outcome| match outcome {
                Outcome::Status(status) => *status == answer.status,
                Outcome::Hundred(hundred) => *hundred == answer.status / 100,
                Outcome::Error => false,
            }),
            Err(failure) => failure.is_worth_retrying() && self.retry_on.contains(&Outcome::Error),
        };
        match self.wait(tried, waits).filter(|_| may_pass) {
            Some(wait) => after(wait),
            None => AttemptOutcome::GivenUp,
        }
    }

    /// Returns the seconds before the next attempt, or None if there is none.
    fn wait(&self, tried: Tried, waits: &[u32]) -> Option<u64> {
        let waits: Vec<u64> = match &self.backoff {
            Some(backoff) => backoff.iter().map(|span| span.0.as_secs()).collect(),
            None => waits.iter().map(|seconds| u64::from(*seconds)).collect(),
        };
        let most = self.retries.map_or(waits.len(), |retries| retries as usize);
        let earlier = usize::try_from(tried.earlier).ok().filter(|earlier| *earlier < most)?;
        let wait = waits.get(earlier).or(waits.last()).copied().unwrap_or(60);
        if self.jitter == 0.0 {
            return Some(wait);
        }
        let unit = self.draw(Chance::Jitter, tried.callback, tried.earlier).unit();
        Some(Duration::from_secs(wait).mul_f64(1.0 + self.jitter * unit).as_secs())
    }
}

fn signature(secret: &str, body: &str) -> String {
    // HMAC accepts a key of any length, so this never fails.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return String::new() };
    mac.update(body.as_bytes());
    let digits = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("sha256={digits}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn policy(given: Value) -> Policy {
        let policy: Policy = serde_json::from_value(given).expect("a policy");
        policy.check().expect("a policy that can be");
        policy
    }

    fn told(status: u16) -> Result<CallbackResponse, CallFailure> {
        Ok(CallbackResponse { status, body: Vec::new() })
    }

    fn tried(earlier: u32) -> Tried {
        Tried { callback: 1, earlier, was_delivered: false, is_twice: false }
    }

    fn follows(
        policy: &Policy,
        sent: Result<CallbackResponse, CallFailure>,
        earlier: u32,
        waits: &[u32],
    ) -> AttemptOutcome {
        policy.follows(&sent, tried(earlier), waits, Timestamp::from_unix(1_000))
    }

    fn at(unix: i64) -> AttemptOutcome {
        AttemptOutcome::RetryAt(Timestamp::from_unix(unix))
    }

    #[test]
    fn only_what_may_pass_is_tried_again_and_not_for_ever() {
        let policy = Policy::default();
        let after = |sent, earlier| follows(&policy, sent, earlier, &[60, 120]);
        assert_eq!(after(told(204), 0), AttemptOutcome::Delivered);
        assert_eq!(after(told(299), 9), AttemptOutcome::Delivered);
        for status in [408, 429, 500, 503, 599] {
            assert_eq!(after(told(status), 0), at(1_060), "{status}");
        }
        assert_eq!(after(told(500), 1), at(1_120));
        assert_eq!(after(told(500), 2), AttemptOutcome::GivenUp);
        for status in [301, 302, 400, 404, 410, 600] {
            assert_eq!(after(told(status), 0), AttemptOutcome::GivenUp, "{status}");
        }
        assert_eq!(after(Err(CallFailure::TimedOut(TIME_OUT)), 0), at(1_060));
        assert_eq!(after(Err(CallFailure::Refused(String::new())), 0), AttemptOutcome::GivenUp);
        assert_eq!(follows(&policy, told(500), 0, &[]), AttemptOutcome::GivenUp);
    }

    #[test]
    fn retries_and_their_waits_are_as_told() {
        let told_so = policy(json!({ "backoff": ["1s", "10s"], "retries": 4, "retry_on": [404, "4xx"] }));
        let waits: Vec<_> = (0..5).map(|earlier| follows(&told_so, told(404), earlier, &[60])).collect();
        assert_eq!(waits, [at(1_001), at(1_010), at(1_010), at(1_010), AttemptOutcome::GivenUp]);
        assert_eq!(follows(&told_so, told(500), 0, &[60]), AttemptOutcome::GivenUp);
        assert_eq!(follows(&told_so, Err(CallFailure::TimedOut(TIME_OUT)), 0, &[60]), AttemptOutcome::GivenUp);
        assert_eq!(follows(&policy(json!({ "retries": 0 })), told(500), 0, &[60]), AttemptOutcome::GivenUp);
        assert_eq!(follows(&policy(json!({ "backoff": [] })), told(500), 0, &[60]), AttemptOutcome::GivenUp);
    }

    #[test]
    fn chance_is_settled_by_the_seed() {
        let of = |seed: u64| {
            policy(json!({ "jitter": 1.0, "drop": 0.5, "duplicate": 0.5, "order": "random", "seed": seed }))
        };
        let picture = |policy: &Policy| {
            let mut order: Vec<_> = (1..50).map(|id| DueCallback { id, url: String::new() }).collect();
            policy.arrange(&mut order);
            let dropped: Vec<_> = (1..50).filter(|id| policy.drops(*id)).collect();
            (follows(policy, told(500), 0, &[1_000]), dropped, order)
        };
        assert_eq!(picture(&of(1)), picture(&of(1)));
        assert_ne!(picture(&of(1)), picture(&of(2)));
        let AttemptOutcome::RetryAt(at) = picture(&of(1)).0 else { panic!("no retry") };
        assert!((2_000..3_000).contains(&at.unix()), "{at:?}");
        let dropped = picture(&of(3)).1.len();
        assert!((10..40).contains(&dropped), "{dropped}");
        let uniform = policy(json!({ "delay": { "uniform": { "min": "1s", "max": "3s" } }, "seed": 1 }));
        let delays: std::collections::HashSet<_> = (0..100).map(|job| format!("{:?}", uniform.owes(job))).collect();
        assert_eq!(delays, ["After(1)", "After(2)", "After(3)"].map(str::to_owned).into());
    }

    #[test]
    fn a_profile_makes_nothing_better() {
        let losses = Losses { drop: 0.2, duplicate: 0.1 };
        let own = policy(json!({ "drop": 0.5, "seed": 1 })).with_losses(losses, 2);
        assert_eq!((own.drop, own.duplicate, own.seed), (0.5, 0.1, Some(1)));
        let none = Policy::default().with_losses(losses, 2);
        assert_eq!((none.drop, none.duplicate, none.seed), (0.2, 0.1, Some(2)));
    }

    #[test]
    fn a_duplicate_is_one_more_and_no_third() {
        let always = policy(json!({ "duplicate": 1.0 }));
        assert_eq!(follows(&always, told(200), 0, &[]), at(1_000));
        let again = Tried { was_delivered: true, ..tried(1) };
        assert_eq!(always.follows(&told(200), again, &[], Timestamp::from_unix(1_000)), AttemptOutcome::Delivered);
    }

    #[test]
    fn the_signature_is_that_of_the_standard() {
        // RFC 4231, test case 2.
        let want = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(signature("Jefe", "what do ya want for nothing?"), want);
        let signs = policy(json!({ "sign": { "hmac_sha256": { "secret": "Jefe" } }, "headers": { "x-a": "b" } }));
        let headers = signs.headers("what do ya want for nothing?");
        assert_eq!(headers, [("x-a".to_owned(), "b".to_owned()), ("x-signature".to_owned(), want.to_owned())]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for given in [
            json!({ "drop": 1.5 }),
            json!({ "jitter": -0.1 }),
            json!({ "backoff": ["500ms"] }),
            json!({ "timeout": "0s" }),
            json!({ "timeout": "11m" }),
            json!({ "parallel": 0 }),
            json!({ "parallel": 17 }),
            json!({ "delay": { "uniform": { "min": "3s", "max": "1s" } } }),
            json!({ "headers": { "Content-Type": "text/plain" } }),
            json!({ "headers": { "a b": "c" } }),
            json!({ "retry_on": ["2xx"] }),
            json!({ "retry_on": [200] }),
            json!({ "order": "filo" }),
            json!({ "sign": { "hmac_sha256": { "secret": "" } } }),
            json!({ "sign": { "hmac_sha256": { "secret": "s", "header": "host" } } }),
            json!({ "template": { "json": "{{x" } }),
            json!({ "dropp": 1 }),
        ] {
            let read = serde_json::from_value::<Policy>(given.clone());
            assert!(read.map_err(|why| why.to_string()).and_then(|policy| policy.check()).is_err(), "{given}");
        }
    }
}
