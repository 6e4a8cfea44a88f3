//! Refusals as the contract writes them, and the comparison of an answer with what was expected.

use serde_json::{Value, json};

use crate::http::Answer;

/// Stands for a trace id or the time of an error, whatever it is.
pub const ANY: &str = "#";

/// Family of short links, and of every path that belongs to nobody.
pub const L: &str = "AST";
/// Family of lists, contacts and opt-outs.
pub const C: &str = "CNT";

/// Status and body of an answer; no body means an empty one.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    pub status: u16,
    pub body: Option<Value>,
}

impl Expected {
    pub fn new(status: u16, body: Value) -> Self {
        Self { status, body: Some(body) }
    }

    pub fn empty(status: u16) -> Self {
        Self { status, body: None }
    }
}

/// Shape A.
pub fn shape_a(status: u16, errors: Value) -> Expected {
    Expected::new(status, json!({ "trace_id": ANY, "errors": errors }))
}

/// Shape A with one entry that has a message alone.
pub fn message_only(status: u16, message: &str) -> Expected {
    shape_a(status, json!([{ "message": message }]))
}

/// Shape B with `validation_errors` null, or without the key where the thing does not exist.
pub fn shape_b(status: u16, family: &str, code: &str, error: &str, message: &str) -> Expected {
    let mut body = json!({
        "trace_id": ANY, "code": format!("ERR_{family}_{code}"), "error": error, "message": message,
        "status": status, "timestamp": ANY, "validation_errors": null,
    });
    if code == "NF_003" {
        body.as_object_mut().map(|map| map.remove("validation_errors"));
    }
    Expected::new(status, body)
}

/// Shape B with entries `(field, message, rejected_value)`.
pub fn with_entries(expected: Expected, entries: &[(&str, &str, Value)]) -> Expected {
    let entry = |(field, message, rejected): &(&str, &str, Value)| json!({ "field": field, "message": message, "rejected_value": rejected });
    let mut body = expected.body.unwrap_or_default();
    body["validation_errors"] = entries.iter().map(entry).collect();
    Expected::new(expected.status, body)
}

/// `VE{field: message}`
pub fn invalid(family: &str, entries: &[(&str, &str, Value)]) -> Expected {
    with_entries(shape_b(400, family, "VAL_001", "VALIDATION_ERROR", "Request validation failed"), entries)
}

/// A broken rule of lists, contacts and opt-outs that is reported by its message alone.
pub fn invalid_message(message: &str) -> Expected {
    shape_b(400, C, "VAL_001", "VALIDATION_ERROR", message)
}

/// The same without a trace id.
pub fn untraced(message: &str) -> Expected {
    let mut expected = invalid_message(message);
    if let Some(body) = &mut expected.body {
        body["trace_id"] = "no-trace-id".into();
    }
    expected
}

/// `UID{field}`
pub fn malformed_uid(family: &str, field: &str, given: &str) -> Expected {
    let message = if family == C {
        format!("Invalid UID format: '{given}'. UIDs must follow the specified format.")
    } else {
        "Request validation failed".to_owned()
    };
    let expected = shape_b(400, family, "VAL_001", "INVALID_UID_FORMAT", &message);
    with_entries(expected, &[(field, "UID is invalid", given.into())])
}

/// `BAD_BODY`
pub fn bad_body(family: &str) -> Expected {
    shape_b(400, family, "REQ_002", "INVALID_REQUEST_BODY", "Invalid or malformed request body")
}

/// 400 `INVALID_FORMAT`
pub fn bad_format(field: &str, wanted: &str) -> Expected {
    let message = format!("Invalid format for field '{field}'. Expected format: {wanted}");
    shape_b(400, C, "VAL_004", "INVALID_FORMAT", &message)
}

/// 400 `BAD_REQUEST`: something the request names does not exist.
pub fn unknown(message: &str) -> Expected {
    shape_b(400, C, "VAL_001", "BAD_REQUEST", message)
}

/// 404 `RESOURCE_NOT_FOUND`
pub fn not_found(family: &str, message: &str) -> Expected {
    shape_b(404, family, "NF_003", "RESOURCE_NOT_FOUND", message)
}

/// 400 `MISSING_REQUIRED_FIELD`
pub fn missing(name: &str, field: &str, message: &str, rejected: Value) -> Expected {
    let expected = shape_b(400, C, "VAL_001", "MISSING_REQUIRED_FIELD", &format!("Required field '{name}' is missing"));
    with_entries(expected, &[(field, message, rejected)])
}

impl Answer {
    /// Fails unless status and body are the expected ones; keys and values, not their order.
    #[track_caller]
    pub fn is(&self, expected: &Expected) {
        let differs = match &expected.body {
            _ if self.status != expected.status => Some(format!("the status is to be {}", expected.status)),
            None if self.body.is_empty() => None,
            None => Some("the body is to be empty".to_owned()),
            Some(body) => difference(body, &self.json(), ""),
        };
        if let Some(differs) = differs {
            let body = expected.body.as_ref().map(Value::to_string).unwrap_or_default();
            panic!("{differs}{}--- expected\n{} {body}\n", self.shown(), expected.status);
        }
    }
}

/// Where two values first differ. Trace ids and error times are compared by their form.
pub fn difference(expected: &Value, actual: &Value, at: &str) -> Option<String> {
    match (expected, actual) {
        (Value::Object(wanted), Value::Object(found)) => {
            let lacking =
                wanted.keys().find(|key| !found.contains_key(*key)).map(|key| format!("{at}/{key} is lacking"));
            let extra =
                found.keys().find(|key| !wanted.contains_key(*key)).map(|key| format!("{at}/{key} is not expected"));
            lacking.or(extra).or_else(|| {
                wanted
                    .iter()
                    .find_map(|(key, value)| member_difference(key, value, &found[key], &format!("{at}/{key}")))
            })
        }
        (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => {
            wanted.iter().zip(found).enumerate().find_map(|(i, (w, f))| difference(w, f, &format!("{at}/{i}")))
        }
        _ if expected == actual => None,
        _ => Some(format!("{at} is to be {expected} and is {actual}")),
    }
}

fn member_difference(key: &str, expected: &Value, actual: &Value, at: &str) -> Option<String> {
    let fits = match (key, expected.as_str()) {
        ("trace_id", Some(text)) if text == ANY || is_trace_id(text) => actual.as_str().is_some_and(is_trace_id),
        ("timestamp", Some(text)) if text == ANY || is_error_time(text) => actual.as_str().is_some_and(is_error_time),
        _ => return difference(expected, actual, at),
    };
    (!fits).then(|| format!("{at} does not match the samples: {actual}"))
}

/// Sixteen lower-case hex digits.
pub fn is_trace_id(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// `2026-01-05T09:00:00.123456789Z`
pub fn is_error_time(text: &str) -> bool {
    let form = "dddd-dd-ddTdd:dd:dd.dddddddddZ";
    text.len() == form.len()
        && text.bytes().zip(form.bytes()).all(|(b, f)| if f == b'd' { b.is_ascii_digit() } else { b == f })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found() {
        let wanted = json!({ "trace_id": "#", "a": [1, { "b": null }] });
        let good = json!({ "a": [1, { "b": null }], "trace_id": "0123456789abcdef" });
        assert_eq!(difference(&wanted, &good, ""), None);
        for (bad, place) in [
            (json!({ "trace_id": "0123456789abcdef", "a": [1, {}] }), "/a/1/b is lacking"),
            (json!({ "trace_id": "0123456789abcdef", "a": [1, { "b": null }], "c": 1 }), "/c is not expected"),
            (json!({ "trace_id": "0123456789ABCDEF", "a": [1, { "b": null }] }), "/trace_id does not match"),
            (json!({ "trace_id": "0123456789abcdef", "a": [1] }), "/a is to be"),
            (json!({ "trace_id": "0123456789abcdef", "a": ["1", { "b": null }] }), "/a/0 is to be 1"),
        ] {
            let found = difference(&wanted, &bad, "").unwrap_or_default();
            assert!(found.contains(place), "{found}");
        }
    }

    #[test]
    fn only_the_times_of_errors_are_compared_by_form() {
        let sent = json!({ "timestamp": "2026-01-05T09:12:41Z" });
        assert!(difference(&sent, &json!({ "timestamp": "2026-01-05T09:12:42Z" }), "").is_some());
        assert!(is_error_time("2026-01-05T09:00:00.123456789Z"));
        assert!(!is_error_time("2026-01-05T09:00:00.123Z"));
    }
}
