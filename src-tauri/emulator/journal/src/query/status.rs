//! Tests on the status of a response.

use serde_json::Value;

use super::{
    facts::FieldValue,
    read::{JsonPlace, MatcherResult},
};

/// Ranges of which one must contain the status; None stands for no response.
#[derive(Debug, Clone)]
pub(super) struct StatusTest {
    ranges: Vec<Option<(u16, u16)>>,
}

const STATUS_KEYS: [&str; 4] = ["equal_to", "in", "at_least", "at_most"];

impl StatusTest {
    /// Reads `200`, `"4xx"`, null, a list of these, `{"in": […]}`, or `{"at_least": 400, "at_most": 499}`.
    pub(super) fn read(at: &JsonPlace<'_>) -> MatcherResult<Self> {
        match at.value {
            Value::Array(_) => {
                Ok(Self { ranges: at.as_items()?.iter().map(read_range).collect::<MatcherResult<_>>()? })
            }
            Value::Object(object) => {
                let mut bounds = (100, 599);
                for (key, value) in object {
                    let below = at.child(key, value);
                    match key.as_str() {
                        "in" | "equal_to" if object.len() == 1 => return Self::read(&below),
                        "in" | "equal_to" => return below.error_here("cannot be combined with other tests"),
                        "at_least" => bounds.0 = read_status(&below)?,
                        "at_most" => bounds.1 = read_status(&below)?,
                        _ => return at.unknown_key_error(key, &STATUS_KEYS),
                    }
                }
                if object.is_empty() {
                    at.error_here("is empty; give at least one test")
                } else {
                    Ok(Self { ranges: vec![Some(bounds)] })
                }
            }
            _ => Ok(Self { ranges: vec![read_range(at)?] }),
        }
    }

    pub(super) fn passes(&self, fact: &FieldValue<'_>) -> bool {
        self.ranges.iter().any(|range| match (range, fact) {
            (Some((first, last)), FieldValue::Number(status)) => (first..=last).contains(&status),
            (None, FieldValue::Absent) => true,
            _ => false,
        })
    }

    pub(super) fn describe_wanted(&self) -> String {
        let one = |range: &Option<(u16, u16)>| match range {
            None => "no answer".to_owned(),
            Some((first, last)) if first == last => first.to_string(),
            Some((first, last)) => format!("{first} to {last}"),
        };
        self.ranges.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

fn read_range(at: &JsonPlace<'_>) -> MatcherResult<Option<(u16, u16)>> {
    match at.value {
        Value::Null => Ok(None),
        Value::String(text) if text == "none" => Ok(None),
        Value::String(text) => match text.as_bytes() {
            [class @ b'1'..=b'5', b'x' | b'X', b'x' | b'X'] => {
                let first = u16::from(class - b'0') * 100;
                Ok(Some((first, first + 99)))
            }
            _ => match text.parse() {
                Ok(status) if (100..600).contains(&status) => Ok(Some((status, status))),
                _ => at.error_here("expected a status such as 200, a class such as 4xx, or none"),
            },
        },
        _ => read_status(at).map(|status| Some((status, status))),
    }
}

fn read_status(at: &JsonPlace<'_>) -> MatcherResult<u16> {
    match at.value.as_u64().and_then(|status| u16::try_from(status).ok()).filter(|status| (100..600).contains(status)) {
        Some(status) => Ok(status),
        None => at.error_here("expected a status from 100 to 599"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_is_named_by_number_class_list_or_bounds() {
        for (test, hits, misses) in [
            (json!(200), vec![Some(200)], vec![Some(201), None]),
            (json!("4xx"), vec![Some(400), Some(499)], vec![Some(500), None]),
            (json!(null), vec![None], vec![Some(200)]),
            (json!("none"), vec![None], vec![Some(200)]),
            (json!([200, "5xx", null]), vec![Some(200), Some(503), None], vec![Some(404)]),
            (json!({ "in": [200, 201] }), vec![Some(201)], vec![Some(202)]),
            (json!({ "at_least": 400 }), vec![Some(400), Some(503)], vec![Some(399), None]),
        ] {
            let read = StatusTest::read(&JsonPlace::new(&test, "status")).unwrap_or_else(|why| panic!("{why}"));
            let fact = |status: &Option<u16>| status.map_or(FieldValue::Absent, FieldValue::Number);
            assert!(hits.iter().all(|status| read.passes(&fact(status))), "{test}");
            assert!(!misses.iter().any(|status| read.passes(&fact(status))), "{test}");
        }
        for faulty in [
            json!(99),
            json!(600),
            json!("6yy"),
            json!("9xx"),
            json!("999"),
            json!({}),
            json!({ "in": [1] }),
            json!(true),
        ] {
            assert!(StatusTest::read(&JsonPlace::new(&faulty, "status")).is_err(), "{faulty}");
        }
    }
}
