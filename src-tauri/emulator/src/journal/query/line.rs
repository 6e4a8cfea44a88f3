//! The fields of a line of the journal, as far as they are recorded.

use roost_wire::QueryString;

use super::facts::{Fact, Facts, Field, in_world};
use crate::journal::{Direction, Exchange, KeptBody, mask};

impl Facts for Exchange {
    fn field(&self, field: Field<'_>) -> Fact<'_> {
        match field {
            Field::Operation => Fact::maybe(self.operation.as_deref()),
            Field::Method => Fact::text(self.method.as_ref()),
            Field::Path => Fact::text(self.in_world(self.path())),
            Field::Url => Fact::text(self.in_world(&self.target)),
            Field::Key => match &self.key {
                None => Fact::Absent,
                Some(shown) => Fact::Secret { shown: shown.into(), print: self.key_print },
            },
            Field::Status => self.status.map_or(Fact::Absent, Fact::Number),
            Field::Direction => Fact::text(self.direction.as_str()),
            Field::Rule => Fact::maybe(self.rule.as_deref()),
            Field::Header(name) => {
                let values: Vec<_> = self.request.headers.all(name).map(Into::into).collect();
                guarded(name, Fact::all(values))
            }
            Field::Query(name) => {
                let query = QueryString::parse(self.target.split_once('?').map_or("", |(_, query)| query));
                guarded(name, Fact::all(query.all_values(name).map(|value| value.to_owned().into()).collect()))
            }
            Field::Body => match &self.request.body {
                KeptBody::None => Fact::Absent,
                KeptBody::Withheld { .. } => Fact::Unknown("it may contain a secret and was not stored".into()),
                KeptBody::Unread { .. } => Fact::Unknown("the request was refused before the body was read".into()),
                body if body.is_whole() => Fact::Bytes(body.kept().into()),
                body => {
                    Fact::Unknown(format!("only {} of {} bytes are stored", body.kept().len(), body.length()).into())
                }
            },
        }
    }

    fn print(&self, secret: &str) -> Option<u64> {
        Some(mask::print(secret))
    }
}

impl Exchange {
    /// Removes the world's prefix from incoming requests only. The address of a receiver has paths of its own.
    fn in_world<'a>(&self, target: &'a str) -> &'a str {
        if self.direction == Direction::In { in_world(target) } else { target }
    }
}

/// Marks values that the journal masks as secrets.
fn guarded<'a>(name: &str, fact: Fact<'a>) -> Fact<'a> {
    match fact {
        Fact::Text(shown) if mask::is_secret(name) => Fact::Secret { shown, print: None },
        Fact::Texts(_) if mask::is_secret(name) => Fact::Unknown("several secrets".into()),
        fact => fact,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::journal::{Matcher, Message};

    #[test]
    fn a_line_is_asked_for_what_it_kept() {
        let line = Exchange {
            method: "POST".into(),
            target: "/x?name=a+b&name=c&api_key=open…".to_owned(),
            key: Some("open…".to_owned()),
            key_print: Some(mask::print("opensesame")),
            rule: Some("slow".into()),
            request: Message {
                headers: [("x-tag", "1"), ("x-token", "abcd…")].into_iter().collect(),
                body: KeptBody::cut(b"{", 70_000),
            },
            ..Exchange::default()
        };
        let misses = |matcher| {
            let verdict = Matcher::read(&matcher, "match").expect("a matcher").test(&line);
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
