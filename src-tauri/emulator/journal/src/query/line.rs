//! The fields of a line of the journal, as far as they are recorded.

use roost_wire::QueryString;

use super::facts::{FieldValue, MatchField, MatchSource, path_in_world};
use crate::{Direction, Exchange, RecordedBody, mask};

impl MatchSource for Exchange {
    fn read_field(&self, field: MatchField<'_>) -> FieldValue<'_> {
        match field {
            MatchField::Operation => FieldValue::from_optional(self.operation.as_deref()),
            MatchField::Method => FieldValue::from_text(self.method.as_ref()),
            MatchField::Path => FieldValue::from_text(self.path_in_world(self.path())),
            MatchField::Url => FieldValue::from_text(self.path_in_world(&self.target)),
            MatchField::Key => match &self.key {
                None => FieldValue::Absent,
                Some(shown) => FieldValue::Secret { shown: shown.into(), print: self.key_print },
            },
            MatchField::Status => self.status.map_or(FieldValue::Absent, FieldValue::Number),
            MatchField::Direction => FieldValue::from_text(self.direction.as_str()),
            MatchField::Rule => FieldValue::from_optional(self.rule.as_deref()),
            MatchField::Header(name) => {
                let values: Vec<_> = self.request.headers.values_of(name).map(Into::into).collect();
                mask_secret_value(name, FieldValue::from_values(values))
            }
            MatchField::Query(name) => {
                let query = QueryString::parse(self.target.split_once('?').map_or("", |(_, query)| query));
                mask_secret_value(
                    name,
                    FieldValue::from_values(query.all_values(name).map(|value| value.to_owned().into()).collect()),
                )
            }
            MatchField::Body => match &self.request.body {
                RecordedBody::None => FieldValue::Absent,
                RecordedBody::Withheld { .. } => {
                    FieldValue::Unknown("it may contain a secret and was not stored".into())
                }
                RecordedBody::Unread { .. } => {
                    FieldValue::Unknown("the request was refused before the body was read".into())
                }
                body if body.is_whole() => FieldValue::Bytes(body.bytes().into()),
                body => FieldValue::Unknown(
                    format!("only {} of {} bytes are stored", body.bytes().len(), body.length()).into(),
                ),
            },
        }
    }

    fn secret_fingerprint(&self, secret: &str) -> Option<u64> {
        Some(mask::fingerprint_secret(secret))
    }
}

impl Exchange {
    /// Removes the world's prefix from incoming requests only. The address of a receiver has paths of its own.
    fn path_in_world<'a>(&self, target: &'a str) -> &'a str {
        if self.direction == Direction::In { path_in_world(target) } else { target }
    }
}

/// Marks values that the journal masks as secrets.
fn mask_secret_value<'a>(name: &str, fact: FieldValue<'a>) -> FieldValue<'a> {
    match fact {
        FieldValue::Text(shown) if mask::is_secret(name) => FieldValue::Secret { shown, print: None },
        FieldValue::Texts(_) if mask::is_secret(name) => FieldValue::Unknown("several secrets".into()),
        fact => fact,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Matcher, RecordedMessage};

    #[test]
    fn a_line_is_matched_by_what_it_stores() {
        let line = Exchange {
            method: "POST".into(),
            target: "/x?name=a+b&name=c&api_key=open…".to_owned(),
            key: Some("open…".to_owned()),
            key_print: Some(mask::fingerprint_secret("opensesame")),
            rule: Some("slow".into()),
            request: RecordedMessage {
                headers: [("x-tag", "1"), ("x-token", "abcd…")].into_iter().collect(),
                body: RecordedBody::from_beginning(b"{", 70_000),
            },
            ..Exchange::default()
        };
        let misses = |matcher| {
            let verdict = Matcher::read(&matcher, "match").expect("a matcher").explain_match(&line);
            verdict.misses.into_iter().map(|miss| miss.found).collect::<Vec<_>>()
        };
        let all = json!({
            "path": "/x", "query": { "name": "c", "api_key": "open*" }, "key": "opensesame", "rule": "slow",
            "status": null, "headers": { "X-Tag": "1", "x-token": "ab*" }, "operation": { "absent": true }
        });
        assert_eq!(misses(all), [""; 0]);
        assert_eq!(misses(json!({ "key": "opensesamf" })), ["open…"]);
        assert_eq!(misses(json!({ "headers": { "x-token": "abcdefgh" } })), ["abcd…"]);
        assert_eq!(misses(json!({ "body": { "contains": "{" } })), ["unknown: only 1 of 70000 bytes are stored"]);
    }
}
