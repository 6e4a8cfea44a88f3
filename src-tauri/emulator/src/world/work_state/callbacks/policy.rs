//! The policy by which a world sends callbacks: the service's behaviour by default, and failures on purpose.

use std::{collections::BTreeMap, time::Duration};

use axum::http::{HeaderName, HeaderValue};
use hmac::{Hmac, Mac};
use roost_model::time::DueTime;
use roost_ops::{
    callback::{AttemptOutcome, DueCallback},
    job::CallbackTiming,
};
use roost_outbound::{CallFailure, CallbackResponse, TIME_OUT};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::template::CallbackTemplate;
use crate::{
    faults::{CallbackLosses, SeededRandom},
    settings::HumanDuration,
};

/// Durations are on the world's clock, except the timeout, which is real time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
#[schemars(rename = "CallbackPolicy")]
pub(crate) struct CallbackPolicy {
    /// The most retries. Null: as many as there are waits in `backoff`.
    pub retries: Option<u32>,
    /// The wait before each retry. The last one repeats. Null: the setting `callback.retries`.
    pub backoff: Option<Vec<HumanDuration>>,
    /// The largest random addition to a wait: with 0.5, 60s becomes 60s to 90s.
    pub jitter: f64,
    pub timeout: HumanDuration,
    /// Which outcomes are retried.
    pub retry_on: Vec<CallbackOutcome>,
    /// Which of the due callbacks is sent first.
    pub order: CallbackOrder,
    /// Calls in progress at the same time. Null: 16, or 1 when the order is not fifo.
    pub parallel: Option<u16>,
    /// Holds every callback until it is released.
    pub hold: bool,
    /// The wait before the first attempt.
    pub delay: CallbackDelay,
    /// The probability that a delivered callback is sent again.
    pub duplicate: f64,
    /// The probability that a callback is never sent.
    pub drop: f64,
    /// Additional headers.
    pub headers: BTreeMap<String, String>,
    pub sign: CallbackSignature,
    /// Replaces the documented body, from the next attempt on. Signatures cover what is sent.
    pub template: CallbackTemplate,
    /// Determines all random choices. Null: chosen once.
    pub seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CallbackOrder")]
pub(crate) enum CallbackOrder {
    #[default]
    Fifo,
    Lifo,
    Random,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CallbackDelay")]
pub(crate) enum CallbackDelay {
    #[default]
    None,
    Fixed(HumanDuration),
    Uniform {
        min: HumanDuration,
        max: HumanDuration,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CallbackSignature")]
pub(crate) enum CallbackSignature {
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
pub(crate) enum CallbackOutcome {
    Status(u16),
    /// 5 for `5xx`.
    Hundred(u16),
    Error,
}

impl std::str::FromStr for CallbackOutcome {
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

impl std::fmt::Display for CallbackOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status(status) => write!(f, "{status}"),
            Self::Hundred(hundred) => write!(f, "{hundred}xx"),
            Self::Error => f.write_str("error"),
        }
    }
}

impl Serialize for CallbackOutcome {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CallbackOutcome {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "Expected an outcome: a status such as 503, \"5xx\", or \"error\"")]
        enum OutcomeInput {
            Status(u16),
            Text(String),
        }
        let text = match OutcomeInput::deserialize(deserializer)? {
            OutcomeInput::Status(status) => status.to_string(),
            OutcomeInput::Text(text) => text,
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for CallbackOutcome {
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

impl Default for CallbackPolicy {
    fn default() -> Self {
        Self {
            retries: None,
            backoff: None,
            jitter: 0.0,
            timeout: HumanDuration(TIME_OUT),
            retry_on: vec![
                CallbackOutcome::Error,
                CallbackOutcome::Status(408),
                CallbackOutcome::Status(429),
                CallbackOutcome::Hundred(5),
            ],
            order: CallbackOrder::default(),
            parallel: None,
            hold: false,
            delay: CallbackDelay::default(),
            duplicate: 0.0,
            drop: 0.0,
            headers: BTreeMap::new(),
            sign: CallbackSignature::default(),
            template: CallbackTemplate::default(),
            seed: None,
        }
    }
}

/// The most calls under way at once.
const CALLS_MAX: u16 = 16;
/// The most calls under way to one receiver, so that one that does not respond leaves room for the others.
const CALLS_PER_RECEIVER: usize = 6;
const RETRIES_MAX: usize = 1_000;
const HEADERS_MAX: usize = 50;
const TIME_OUT_MAX: HumanDuration = HumanDuration(Duration::from_secs(600));
/// Headers that the connection sets, or on which a reader of the body relies.
const RESERVED_HEADERS: [&str; 7] = [
    "host",
    "content-type",
    "content-length",
    "transfer-encoding",
    "connection",
    "user-agent",
    crate::hooks::ATTEMPT_HEADER,
];

/// The purpose of a random draw. Each purpose draws separately, so that one chance is independent of another.
enum DrawPurpose {
    Delay = 1,
    Drop = 2,
    Duplicate = 3,
    Jitter = 4,
    Order = 5,
}

/// The facts about an attempt that decide what follows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttemptContext {
    pub callback: i64,
    /// Attempts before this one.
    pub earlier: u32,
    /// Whether one of the earlier attempts was delivered.
    pub was_delivered: bool,
    /// Whether the callback is sent twice regardless of chance.
    pub is_twice: bool,
}

impl CallbackPolicy {
    /// Refuses invalid values.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (name, chance) in [("jitter", self.jitter), ("duplicate", self.duplicate), ("drop", self.drop)] {
            if !(0.0..=1.0).contains(&chance) {
                return Err(format!("{name}: expected a number from 0 to 1."));
            }
        }
        let backoff = self.backoff.as_deref().unwrap_or_default();
        let retries = self.retries.map_or(0, |retries| retries as usize);
        for (name, count) in [("retries", retries), ("backoff", backoff.len())] {
            if count > RETRIES_MAX {
                return Err(format!("{name}: expected at most {RETRIES_MAX}, got {count}."));
            }
        }
        if self.timeout.0.is_zero() || self.timeout > TIME_OUT_MAX {
            return Err(format!("timeout: expected more than 0s and at most {TIME_OUT_MAX}."));
        }
        if self.parallel.is_some_and(|parallel| !(1..=CALLS_MAX).contains(&parallel)) {
            return Err(format!("parallel: expected an integer from 1 to {CALLS_MAX}."));
        }
        if matches!(self.delay, CallbackDelay::Uniform { min, max } if min > max) {
            return Err("delay.uniform: min is larger than max.".to_owned());
        }
        if self.headers.len() > HEADERS_MAX {
            return Err(format!("headers: expected at most {HEADERS_MAX}."));
        }
        let signature = match &self.sign {
            CallbackSignature::HmacSha256 { secret, .. } if secret.is_empty() => {
                return Err("sign.hmac_sha256.secret: is empty.".to_owned());
            }
            CallbackSignature::HmacSha256 { header, .. } => Some((header.as_str(), "")),
            CallbackSignature::None => None,
        };
        let given = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in given.chain(signature) {
            let is_header = HeaderName::try_from(name).is_ok() && HeaderValue::try_from(value).is_ok();
            if !is_header || RESERVED_HEADERS.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
                return Err(format!("headers: '{name}' cannot be set."));
            }
        }
        self.template.check()
    }

    pub(crate) fn has_chance(&self) -> bool {
        self.jitter > 0.0
            || self.duplicate > 0.0
            || self.drop > 0.0
            || self.order == CallbackOrder::Random
            || matches!(self.delay, CallbackDelay::Uniform { .. })
    }

    /// Combines the policy with the losses of a profile; the larger loss applies.
    pub(crate) fn with_losses(&self, losses: CallbackLosses, seed: u64) -> Self {
        let (drop, duplicate) = (self.drop.max(losses.drop), self.duplicate.max(losses.duplicate));
        Self { drop, duplicate, seed: self.seed.or(Some(seed)), ..self.clone() }
    }

    fn draw_for(&self, what: DrawPurpose, subject: i64, count: u32) -> SeededRandom {
        let event = subject.unsigned_abs().wrapping_mul(64).wrapping_add(u64::from(count)).wrapping_mul(8);
        SeededRandom::for_event(self.seed.unwrap_or_default(), event.wrapping_add(what as u64))
    }

    /// Returns when the callback of a job is first due.
    pub(crate) fn owed_for(&self, job: i64) -> CallbackTiming {
        if self.hold {
            return CallbackTiming::Held;
        }
        match self.delay {
            CallbackDelay::None => CallbackTiming::AtOnce,
            CallbackDelay::Fixed(delay) => CallbackTiming::After(delay.0),
            CallbackDelay::Uniform { min, max } => {
                let spread = max.as_millis().saturating_sub(min.as_millis());
                let more = self.draw_for(DrawPurpose::Delay, job, 0).next_below(spread + 1);
                CallbackTiming::After(min.0 + Duration::from_millis(more))
            }
        }
    }

    /// Whether a callback is never sent. The answer is always the same for one callback.
    pub(crate) fn is_dropped(&self, callback: i64) -> bool {
        self.drop > 0.0 && self.draw_for(DrawPurpose::Drop, callback, 0).next_unit() < self.drop
    }

    /// Returns the most calls under way to one receiver. A number set by the operator applies to each receiver alike.
    pub(crate) fn calls_per_receiver(&self) -> usize {
        if self.parallel.is_none() && self.order == CallbackOrder::Fifo {
            CALLS_PER_RECEIVER
        } else {
            self.calls_at_once()
        }
    }

    pub(crate) fn calls_at_once(&self) -> usize {
        let default = if self.order == CallbackOrder::Fifo { CALLS_MAX } else { 1 };
        self.parallel.unwrap_or(default).into()
    }

    /// Sorts due callbacks into the order in which they are sent. Expects the one that has been due longest first.
    pub(crate) fn sort_due(&self, due: &mut [DueCallback]) {
        match self.order {
            CallbackOrder::Fifo => {}
            CallbackOrder::Lifo => due.sort_unstable_by_key(|due| std::cmp::Reverse(due.id)),
            CallbackOrder::Random => due.sort_by_cached_key(|due| self.draw_for(DrawPurpose::Order, due.id, 0).next()),
        }
    }

    /// Returns the headers that the policy adds.
    pub(crate) fn extra_headers(&self, body: &str) -> Vec<(String, String)> {
        let mut headers: Vec<_> = self.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        if let CallbackSignature::HmacSha256 { secret, header } = &self.sign {
            headers.push((header.clone(), sign_body(secret, body)));
        }
        headers
    }

    /// Decides what follows an attempt. Any 2xx is a success; only failures that can pass are retried.
    pub(crate) fn next_after(
        &self,
        sent: &Result<CallbackResponse, CallFailure>,
        tried: AttemptContext,
        waits: &[u32],
        now: DueTime,
    ) -> AttemptOutcome {
        let after = |wait: Duration| AttemptOutcome::RetryAt(now.add_delay(wait));
        let may_pass = match sent {
            Ok(answer) if (200..300).contains(&answer.status) => {
                let is_twice = tried.is_twice
                    || self.duplicate > 0.0
                        && self.draw_for(DrawPurpose::Duplicate, tried.callback, 0).next_unit() < self.duplicate;
                return if is_twice && !tried.was_delivered {
                    after(Duration::ZERO)
                } else {
                    AttemptOutcome::Delivered
                };
            }
            Ok(answer) => self.retry_on.iter().any(|outcome| match outcome {
                CallbackOutcome::Status(status) => *status == answer.status,
                CallbackOutcome::Hundred(hundred) => *hundred == answer.status / 100,
                CallbackOutcome::Error => false,
            }),
            Err(failure) => failure.is_worth_retrying() && self.retry_on.contains(&CallbackOutcome::Error),
        };
        match self.retry_wait(tried, waits).filter(|_| may_pass) {
            Some(wait) => after(wait),
            None => AttemptOutcome::GivenUp,
        }
    }

    /// Returns the wait before the next attempt, or None if there is none.
    fn retry_wait(&self, tried: AttemptContext, waits: &[u32]) -> Option<Duration> {
        let waits: Vec<Duration> = match &self.backoff {
            Some(backoff) => backoff.iter().map(|span| span.0).collect(),
            None => waits.iter().map(|seconds| Duration::from_secs((*seconds).into())).collect(),
        };
        let most = self.retries.map_or(waits.len(), |retries| retries as usize);
        let earlier = usize::try_from(tried.earlier).ok().filter(|earlier| *earlier < most)?;
        let wait = waits.get(earlier).or(waits.last()).copied().unwrap_or(Duration::from_secs(60));
        if self.jitter == 0.0 {
            return Some(wait);
        }
        let unit = self.draw_for(DrawPurpose::Jitter, tried.callback, tried.earlier).next_unit();
        let millis = wait.mul_f64(1.0 + self.jitter * unit).as_millis();
        Some(Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX)))
    }
}

fn sign_body(secret: &str, body: &str) -> String {
    // HMAC accepts a key of any length, so this never fails.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return String::new() };
    mac.update(body.as_bytes());
    let digits = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("sha256={digits}")
}

#[cfg(test)]
mod tests {
    use roost_model::time::Timestamp;
    use serde_json::{Value, json};

    use super::*;

    fn read_policy(given: Value) -> CallbackPolicy {
        let policy: CallbackPolicy = serde_json::from_value(given).expect("a policy");
        policy.check().expect("a policy that can be");
        policy
    }

    fn response_with(status: u16) -> Result<CallbackResponse, CallFailure> {
        Ok(CallbackResponse { status, body: Vec::new() })
    }

    fn context_with(earlier: u32) -> AttemptContext {
        AttemptContext { callback: 1, earlier, was_delivered: false, is_twice: false }
    }

    fn next_with(
        policy: &CallbackPolicy,
        sent: Result<CallbackResponse, CallFailure>,
        earlier: u32,
        waits: &[u32],
    ) -> AttemptOutcome {
        policy.next_after(&sent, context_with(earlier), waits, at_second(1_000))
    }

    fn at_second(unix: i64) -> DueTime {
        Timestamp::from_unix(unix).into()
    }

    fn retry_at(unix: i64) -> AttemptOutcome {
        AttemptOutcome::RetryAt(at_second(unix))
    }

    #[test]
    fn only_temporary_failures_are_retried_and_only_as_often_as_the_backoff_allows() {
        let policy = CallbackPolicy::default();
        let after = |sent, earlier| next_with(&policy, sent, earlier, &[60, 120]);
        assert_eq!(after(response_with(204), 0), AttemptOutcome::Delivered);
        assert_eq!(after(response_with(299), 9), AttemptOutcome::Delivered);
        for status in [408, 429, 500, 503, 599] {
            assert_eq!(after(response_with(status), 0), retry_at(1_060), "{status}");
        }
        assert_eq!(after(response_with(500), 1), retry_at(1_120));
        assert_eq!(after(response_with(500), 2), AttemptOutcome::GivenUp);
        for status in [301, 302, 400, 404, 410, 600] {
            assert_eq!(after(response_with(status), 0), AttemptOutcome::GivenUp, "{status}");
        }
        assert_eq!(after(Err(CallFailure::TimedOut(TIME_OUT)), 0), retry_at(1_060));
        assert_eq!(after(Err(CallFailure::Refused(String::new())), 0), AttemptOutcome::GivenUp);
        assert_eq!(next_with(&policy, response_with(500), 0, &[]), AttemptOutcome::GivenUp);
    }

    #[test]
    fn retries_and_their_waits_follow_the_policy() {
        let policy = read_policy(json!({ "backoff": ["1s", "10s"], "retries": 4, "retry_on": [404, "4xx"] }));
        let waits: Vec<_> = (0..5).map(|earlier| next_with(&policy, response_with(404), earlier, &[60])).collect();
        assert_eq!(
            waits,
            [retry_at(1_001), retry_at(1_010), retry_at(1_010), retry_at(1_010), AttemptOutcome::GivenUp]
        );
        assert_eq!(next_with(&policy, response_with(500), 0, &[60]), AttemptOutcome::GivenUp);
        assert_eq!(next_with(&policy, Err(CallFailure::TimedOut(TIME_OUT)), 0, &[60]), AttemptOutcome::GivenUp);
        assert_eq!(
            next_with(&read_policy(json!({ "retries": 0 })), response_with(500), 0, &[60]),
            AttemptOutcome::GivenUp
        );
        assert_eq!(
            next_with(&read_policy(json!({ "backoff": [] })), response_with(500), 0, &[60]),
            AttemptOutcome::GivenUp
        );
    }

    #[test]
    fn chance_is_settled_by_the_seed() {
        let policy_with_seed = |seed: u64| {
            read_policy(json!({ "jitter": 1.0, "drop": 0.5, "duplicate": 0.5, "order": "random", "seed": seed }))
        };
        let picture = |policy: &CallbackPolicy| {
            let mut order: Vec<_> = (1..50).map(|id| DueCallback { id, url: String::new() }).collect();
            policy.sort_due(&mut order);
            let dropped: Vec<_> = (1..50).filter(|id| policy.is_dropped(*id)).collect();
            (next_with(policy, response_with(500), 0, &[1_000]), dropped, order)
        };
        assert_eq!(picture(&policy_with_seed(1)), picture(&policy_with_seed(1)));
        assert_ne!(picture(&policy_with_seed(1)), picture(&policy_with_seed(2)));
        let AttemptOutcome::RetryAt(at) = picture(&policy_with_seed(1)).0 else { panic!("no retry") };
        assert!((2_000..3_000).contains(&at.to_second().unix()), "{at:?}");
        let dropped = picture(&policy_with_seed(3)).1.len();
        assert!((10..40).contains(&dropped), "{dropped}");
        let uniform = read_policy(json!({ "delay": { "uniform": { "min": "1s", "max": "3s" } }, "seed": 1 }));
        let delays: std::collections::BTreeSet<u128> = (0..100)
            .map(|job| match uniform.owed_for(job) {
                CallbackTiming::After(delay) => delay.as_millis(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(delays.len() > 90 && delays.iter().all(|millis| (1_000..=3_000).contains(millis)), "{delays:?}");
    }

    #[test]
    fn waits_are_exact_to_the_millisecond() {
        let policy = read_policy(json!({ "backoff": ["500ms"], "delay": { "fixed": "250ms" } }));
        let now = at_second(1_000).add_delay(Duration::from_nanos(920_000_001));
        let next = policy.next_after(&response_with(500), context_with(0), &[60], now);
        assert_eq!(next, AttemptOutcome::RetryAt(now.add_delay(Duration::from_millis(500))));
        assert_eq!(policy.owed_for(1), CallbackTiming::After(Duration::from_millis(250)));
    }

    #[test]
    fn a_profile_never_lowers_the_losses_of_the_policy() {
        let losses = CallbackLosses { drop: 0.2, duplicate: 0.1 };
        let own = read_policy(json!({ "drop": 0.5, "seed": 1 })).with_losses(losses, 2);
        assert_eq!((own.drop, own.duplicate, own.seed), (0.5, 0.1, Some(1)));
        let none = CallbackPolicy::default().with_losses(losses, 2);
        assert_eq!((none.drop, none.duplicate, none.seed), (0.2, 0.1, Some(2)));
    }

    #[test]
    fn a_duplicated_callback_is_sent_exactly_twice() {
        let always = read_policy(json!({ "duplicate": 1.0 }));
        assert_eq!(next_with(&always, response_with(200), 0, &[]), retry_at(1_000));
        let again = AttemptContext { was_delivered: true, ..context_with(1) };
        assert_eq!(always.next_after(&response_with(200), again, &[], at_second(1_000)), AttemptOutcome::Delivered);
    }

    #[test]
    fn the_signature_is_that_of_the_standard() {
        // RFC 4231, test case 2.
        let want = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(sign_body("Jefe", "what do ya want for nothing?"), want);
        let signs = read_policy(json!({ "sign": { "hmac_sha256": { "secret": "Jefe" } }, "headers": { "x-a": "b" } }));
        let headers = signs.extra_headers("what do ya want for nothing?");
        assert_eq!(headers, [("x-a".to_owned(), "b".to_owned()), ("x-signature".to_owned(), want.to_owned())]);
    }

    #[test]
    fn an_invalid_callback_policy_is_refused() {
        for given in [
            json!({ "drop": 1.5 }),
            json!({ "jitter": -0.1 }),
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
            let read = serde_json::from_value::<CallbackPolicy>(given.clone());
            assert!(read.map_err(|why| why.to_string()).and_then(|policy| policy.check()).is_err(), "{given}");
        }
    }
}
