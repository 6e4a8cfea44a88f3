//! Magic numbers: phone numbers from a range of fiction that cause a fault wherever they occur in a request.

use roost_wire::{RestError, ValidationError};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::JobFault;
use super::{
    effect::{ConnectionEnd, FaultEffect, Latency},
    request::{IncomingRequest, query_pairs},
    rule::{FaultCommit, FaultRule},
};
use crate::settings::HumanDuration;

/// A magic number and its effect.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "MagicNumber")]
pub(crate) struct MagicNumber {
    pub number: String,
    pub what: &'static str,
    /// The fault rule that it triggers. Null if it affects a job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<FaultRule>,
    /// The fault of the job that the request creates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<JobFault>,
}

/// The digits with which every magic number begins; two more digits follow.
const NUMBER_PREFIX: &str = "4477009009";
const INVALID_ENDING: &str = "01";
const REQUEST_ENDINGS: [(&str, &str); 5] = [
    (INVALID_ENDING, "Rejected as an invalid number"),
    ("03", "Answered after three seconds"),
    ("07", "Rejected as one request too many"),
    ("08", "Rejected because the service is not available"),
    ("09", "Carried out, then the connection closes without a response"),
];

const JOB_FAILS_ENDING: &str = "02";
const JOB_ENDINGS: [(&str, &str); 4] = [
    (JOB_FAILS_ENDING, "Accepted and queued. The job fails to store it"),
    ("04", "The job is done, and its callback never comes"),
    ("05", "The job is done, and its callback comes twice"),
    ("06", "The callback comes before the job's data is visible"),
];

/// Returns the fault of a job whose request contains the number.
pub(crate) fn job_fault(number: &str) -> Option<JobFault> {
    let ending = number.trim_start_matches('+').strip_prefix(NUMBER_PREFIX)?;
    match ending {
        JOB_FAILS_ENDING => Some(JobFault::FailNumbers(vec![format!("+{NUMBER_PREFIX}{JOB_FAILS_ENDING}")])),
        "04" => Some(JobFault::LoseCallback),
        "05" => Some(JobFault::FinishTwice),
        "06" => Some(JobFault::CallbackFirst),
        _ => None,
    }
}

/// Returns the rule for an ending.
fn rule_for_ending(ending: &str) -> FaultRule {
    let status = |status| FaultEffect { status: Some(status), ..FaultEffect::default() };
    let effect = match ending {
        INVALID_ENDING => FaultEffect { error: Some("VALIDATION_ERROR".to_owned()), ..status(400) },
        "03" => FaultEffect { latency: Some(Latency::Fixed(HumanDuration::from_secs(3))), ..FaultEffect::default() },
        "07" => FaultEffect { retry_after: Some(HumanDuration::from_secs(1)), ..status(429) },
        "08" => status(503),
        _ => FaultEffect { line: Some(ConnectionEnd::Empty), ..FaultEffect::default() },
    };
    let commit = if effect.line.is_some() { FaultCommit::After } else { FaultCommit::Before };
    FaultRule { name: Some(format!("magic-9{ending}")), effect, commit, ..FaultRule::default() }
}

/// Lists all magic numbers for the operator.
pub(crate) fn magic_numbers() -> Vec<MagicNumber> {
    let number = |ending: &str| format!("+{NUMBER_PREFIX}{ending}");
    let of_requests = REQUEST_ENDINGS.map(|(ending, what)| MagicNumber {
        number: number(ending),
        what,
        rule: Some(rule_for_ending(ending)),
        job: None,
    });
    let of_jobs = JOB_ENDINGS.map(|(ending, what)| MagicNumber {
        number: number(ending),
        what,
        rule: None,
        job: job_fault(&number(ending)),
    });
    let mut all: Vec<_> = of_requests.into_iter().chain(of_jobs).collect();
    all.sort_by(|a, b| a.number.cmp(&b.number));
    all
}

/// Returns the rule of the first magic number in a request. If the number is the invalid one, returns also the refusal
/// that names its places.
pub(super) fn find_in_request(request: &IncomingRequest<'_>) -> Option<(FaultRule, Option<RestError>)> {
    let ending = find_ending(&String::from_utf8_lossy(request.body))
        .or_else(|| query_pairs(request.query()).find_map(|(_, value)| find_ending(&value)))?;
    let refusal = (ending == INVALID_ENDING).then(|| RestError::Invalid(invalid_entries(request)));
    Some((rule_for_ending(ending), refusal))
}

/// Returns the ending of the first magic number in a text.
fn find_ending(text: &str) -> Option<&'static str> {
    text.match_indices(NUMBER_PREFIX).find_map(|(at, _)| {
        let is_digit = |text: Option<&u8>| text.is_some_and(u8::is_ascii_digit);
        let (before, after) = (&text.as_bytes()[..at], &text.as_bytes()[at + NUMBER_PREFIX.len()..]);
        let stands_alone = !is_digit(before.last()) && !is_digit(after.get(2));
        REQUEST_ENDINGS
            .iter()
            .map(|(ending, _)| *ending)
            .find(|ending| stands_alone && after.starts_with(ending.as_bytes()))
    })
}

/// Returns an entry for every place that holds the invalid number.
fn invalid_entries(request: &IncomingRequest<'_>) -> Vec<ValidationError> {
    let mut found = Vec::new();
    if let Ok(body) = serde_json::from_slice::<Value>(request.body) {
        collect_invalid(&body, String::new(), &mut found);
    }
    found.extend(query_pairs(request.query()).filter(|(_, value)| find_ending(value) == Some(INVALID_ENDING)));
    found.into_iter().map(|(place, given)| ValidationError::new(place, "Invalid phone number.", given)).collect()
}

fn collect_invalid(value: &Value, place: String, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) if find_ending(text) == Some(INVALID_ENDING) => found.push((place, text.clone())),
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                collect_invalid(item, format!("{place}[{n}]"), found);
            }
        }
        Value::Object(keys) => {
            for (key, value) in keys {
                let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
                collect_invalid(value, place, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use roost_wire::OperationId;

    use super::{super::request::tests::request_head, *};

    fn find_magic(target: &str, body: &str) -> Option<(String, Vec<String>)> {
        let parts = request_head(target, &[]);
        let operation = OperationId::ContactsCreate.operation();
        let (rule, refusal) =
            find_in_request(&IncomingRequest { operation, parts: &parts, key: b"k", body: body.as_bytes() })?;
        let places = match refusal {
            Some(RestError::Invalid(entries)) => entries.iter().map(|entry| entry.field.to_string()).collect(),
            _ => Vec::new(),
        };
        Some((rule.name?, places))
    }

    #[test]
    fn every_magic_number_has_either_a_valid_rule_or_a_job_fault() {
        for magic in magic_numbers() {
            assert_ne!(magic.rule.is_some(), magic.job.is_some(), "{}", magic.number);
            magic.rule.iter().for_each(|rule| rule.check().unwrap_or_else(|why| panic!("{}: {why}", magic.number)));
        }
    }

    #[test]
    fn a_magic_number_is_not_found_within_a_longer_number() {
        let name = |name: &str, places: &[&str]| {
            Some((name.to_owned(), places.iter().map(|place| (*place).to_owned()).collect()))
        };
        let body = r#"{"contacts":[{"phone_number":"+447700900001"},{"phone_number":"+447700900901"}]}"#;
        assert_eq!(find_magic("/a", body), name("magic-901", &["contacts[1].phone_number"]));
        assert_eq!(find_magic("/a?search=%2B447700900901", ""), name("magic-901", &["search"]));
        assert_eq!(find_magic("/a?search=447700900908", ""), name("magic-908", &[]));
        assert_eq!(find_magic("/a", r#"["+447700900909"]"#), name("magic-909", &[]));
        for body in ["+447700900902", "+4477009009011", "1447700900901", "+447700900900", "+44770090090"] {
            assert_eq!(find_magic("/a", body), None, "{body}");
        }
    }
}
