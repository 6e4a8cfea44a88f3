//! Magic numbers: phone numbers from a range of fiction that cause a fault wherever they occur in a request.

use roost_wire::{RestError, ValidationError};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    asked::{Request, pairs},
    effect::{Effect, Latency, Line},
    rule::{Commit, Rule},
    span::Span,
};
use crate::work::JobFault;

/// A magic number and its effect.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "MagicNumber")]
pub struct Magic {
    pub number: String,
    pub what: &'static str,
    /// The fault rule that it triggers. Null if it affects a job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rule>,
    /// The fault of the job that the request creates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<JobFault>,
}

/// The digits with which every magic number begins; two more digits follow.
const BEGINNING: &str = "4477009009";
const INVALID: &str = "01";
const ENDINGS: [(&str, &str); 5] = [
    (INVALID, "Rejected as an invalid number"),
    ("03", "Answered after three seconds"),
    ("07", "Rejected as one request too many"),
    ("08", "Rejected because the service is not available"),
    ("09", "Carried out, then the connection closes without a response"),
];

const FAILS: &str = "02";
const OF_JOBS: [(&str, &str); 4] = [
    (FAILS, "Accepted and queued. The job fails to store it"),
    ("04", "The job is done, and its callback never comes"),
    ("05", "The job is done, and its callback comes twice"),
    ("06", "The callback comes before the job's data is visible"),
];

/// Returns the fault of a job whose request contains the number.
pub fn job(number: &str) -> Option<JobFault> {
    let ending = number.trim_start_matches('+').strip_prefix(BEGINNING)?;
    match ending {
        FAILS => Some(JobFault::FailNumbers(vec![format!("+{BEGINNING}{FAILS}")])),
        "04" => Some(JobFault::LoseCallback),
        "05" => Some(JobFault::FinishTwice),
        "06" => Some(JobFault::CallbackFirst),
        _ => None,
    }
}

/// Returns the rule for an ending.
fn rule(ending: &str) -> Rule {
    let status = |status| Effect { status: Some(status), ..Effect::default() };
    let effect = match ending {
        INVALID => Effect { error: Some("VALIDATION_ERROR".to_owned()), ..status(400) },
        "03" => Effect { latency: Some(Latency::Fixed(Span::of_secs(3))), ..Effect::default() },
        "07" => Effect { retry_after: Some(Span::of_secs(1)), ..status(429) },
        "08" => status(503),
        _ => Effect { line: Some(Line::Empty), ..Effect::default() },
    };
    let commit = if effect.line.is_some() { Commit::After } else { Commit::Before };
    Rule { name: Some(format!("magic-9{ending}")), effect, commit, ..Rule::default() }
}

/// Lists all magic numbers for the operator.
pub fn all() -> Vec<Magic> {
    let number = |ending: &str| format!("+{BEGINNING}{ending}");
    let of_requests =
        ENDINGS.map(|(ending, what)| Magic { number: number(ending), what, rule: Some(rule(ending)), job: None });
    let of_jobs =
        OF_JOBS.map(|(ending, what)| Magic { number: number(ending), what, rule: None, job: job(&number(ending)) });
    let mut all: Vec<_> = of_requests.into_iter().chain(of_jobs).collect();
    all.sort_by(|a, b| a.number.cmp(&b.number));
    all
}

/// Returns the rule of the first magic number in a request. If the number is the invalid one, returns also the refusal
/// that names its places.
pub fn find(request: &Request<'_>) -> Option<(Rule, Option<RestError>)> {
    let ending = ending(&String::from_utf8_lossy(request.body))
        .or_else(|| pairs(request.query()).find_map(|(_, value)| ending(&value)))?;
    let refusal = (ending == INVALID).then(|| RestError::Invalid(places(request)));
    Some((rule(ending), refusal))
}

/// Returns the ending of the first magic number in a text.
fn ending(text: &str) -> Option<&'static str> {
    text.match_indices(BEGINNING).find_map(|(at, _)| {
        let is_digit = |text: Option<&u8>| text.is_some_and(u8::is_ascii_digit);
        let (before, after) = (&text.as_bytes()[..at], &text.as_bytes()[at + BEGINNING.len()..]);
        let stands_alone = !is_digit(before.last()) && !is_digit(after.get(2));
        ENDINGS.iter().map(|(ending, _)| *ending).find(|ending| stands_alone && after.starts_with(ending.as_bytes()))
    })
}

/// Returns an entry for every place that holds the invalid number.
fn places(request: &Request<'_>) -> Vec<ValidationError> {
    let mut found = Vec::new();
    if let Ok(body) = serde_json::from_slice::<Value>(request.body) {
        collect(&body, String::new(), &mut found);
    }
    found.extend(pairs(request.query()).filter(|(_, value)| ending(value) == Some(INVALID)));
    found.into_iter().map(|(place, given)| ValidationError::new(place, "Invalid phone number.", given)).collect()
}

fn collect(value: &Value, place: String, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) if ending(text) == Some(INVALID) => found.push((place, text.clone())),
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                collect(item, format!("{place}[{n}]"), found);
            }
        }
        Value::Object(keys) => {
            for (key, value) in keys {
                let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
                collect(value, place, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use roost_wire::OperationId;

    use super::{super::asked::tests::head, *};

    fn found(target: &str, body: &str) -> Option<(String, Vec<String>)> {
        let parts = head(target, &[]);
        let operation = OperationId::ContactsCreate.operation();
        let (rule, refusal) = find(&Request { operation, parts: &parts, key: b"k", body: body.as_bytes() })?;
        let places = match refusal {
            Some(RestError::Invalid(entries)) => entries.iter().map(|entry| entry.field.to_string()).collect(),
            _ => Vec::new(),
        };
        Some((rule.name?, places))
    }

    #[test]
    fn the_list_is_of_rules_that_can_be() {
        for magic in all() {
            assert_ne!(magic.rule.is_some(), magic.job.is_some(), "{}", magic.number);
            magic.rule.iter().for_each(|rule| rule.check().unwrap_or_else(|why| panic!("{}: {why}", magic.number)));
        }
    }

    #[test]
    fn numbers_are_found_where_they_stand_alone() {
        let name = |name: &str, places: &[&str]| {
            Some((name.to_owned(), places.iter().map(|place| (*place).to_owned()).collect()))
        };
        let body = r#"{"contacts":[{"phone_number":"+447700900001"},{"phone_number":"+447700900901"}]}"#;
        assert_eq!(found("/a", body), name("magic-901", &["contacts[1].phone_number"]));
        assert_eq!(found("/a?search=%2B447700900901", ""), name("magic-901", &["search"]));
        assert_eq!(found("/a?search=447700900908", ""), name("magic-908", &[]));
        assert_eq!(found("/a", r#"["+447700900909"]"#), name("magic-909", &[]));
        for body in ["+447700900902", "+4477009009011", "1447700900901", "+447700900900", "+44770090090"] {
            assert_eq!(found("/a", body), None, "{body}");
        }
    }
}
