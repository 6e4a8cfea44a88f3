//! Counts and finds matching lines. Also accepts requests in the form of WireMock.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;

use super::{
    super::{refused::Refused, route::Asked},
    LIMIT_MAX, Matching,
    line::Line,
    lines_since,
    place::Place,
};
use crate::{
    door::Visit,
    journal::{Matcher, query::verify::counted},
};

/// A matcher, optionally with a position to start at.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sought {
    #[serde(rename = "match")]
    matcher: Matcher,
    since: Option<Place>,
    /// For `find`: return at most this many lines, newest first.
    limit: Option<u16>,
}

/// WireMock sends the matcher itself as the body.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used; the body is read key by key, so that errors have a place")]
enum EitherSought {
    With(Sought),
    Alone(Matcher),
}

/// The body of a search, in either of its forms.
pub struct Search(Sought);

impl<'de> Deserialize<'de> for Search {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.get("match").is_some() {
            return Sought::deserialize(value).map(Self).map_err(de::Error::custom);
        }
        let matcher = Matcher::read(&value, "match").map_err(de::Error::custom)?;
        Ok(Self(Sought { matcher, since: None, limit: None }))
    }
}

impl Matching for Search {
    fn weight(&self) -> usize {
        self.0.matcher.weight()
    }
}

impl JsonSchema for Search {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "JournalSearch".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        EitherSought::json_schema(generator)
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Counted {
    count: usize,
}

pub fn count(visit: &Visit, _: &Asked, Search(sought): Search) -> Result<Counted, Refused> {
    let found = lines_since(visit.world(), sought.since)?;
    let matcher = &sought.matcher;
    Ok(Counted { count: counted(matcher, &found.lines).filter(|line| matcher.hits(line.as_ref())).count() })
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FoundRequests")]
pub struct FoundLines {
    /// How many lines match. `items` are the newest of them.
    count: usize,
    /// Oldest first.
    items: Vec<Line>,
}

pub fn find(visit: &Visit, _: &Asked, Search(sought): Search) -> Result<FoundLines, Refused> {
    let found = lines_since(visit.world(), sought.since)?;
    let matcher = &sought.matcher;
    let fitting: Vec<_> = counted(matcher, &found.lines).filter(|line| matcher.hits(line.as_ref())).collect();
    let limit = usize::from(sought.limit.unwrap_or(100)).min(LIMIT_MAX as usize);
    let newest = &fitting[fitting.len().saturating_sub(limit)..];
    Ok(FoundLines { count: fitting.len(), items: newest.iter().map(|line| Line::of(line, false)).collect() })
}
