//! Counts and finds matching lines. Also accepts requests in the form of WireMock.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;

use super::{
    super::{error::AdminError, route::AdminRequest},
    MAX_LIMIT, MatcherQuery,
    line::JournalLine,
    lines_since,
    position::JournalPosition,
};
use crate::{
    door::WorldVisit,
    journal::{Matcher, query::verify::counted_lines},
};

/// A matcher, optionally with a position to start at.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalSearchQuery {
    #[serde(rename = "match")]
    matcher: Matcher,
    since: Option<JournalPosition>,
    /// For `find`: return at most this many lines, newest first.
    limit: Option<u16>,
}

/// WireMock sends the matcher itself as the body.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used; the body is read key by key, so that errors have a place")]
enum SearchForm {
    With(JournalSearchQuery),
    Alone(Matcher),
}

/// The body of a search, in either of its forms.
pub struct JournalSearch(JournalSearchQuery);

impl<'de> Deserialize<'de> for JournalSearch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.get("match").is_some() {
            return JournalSearchQuery::deserialize(value).map(Self).map_err(de::Error::custom);
        }
        let matcher = Matcher::read(&value, "match").map_err(de::Error::custom)?;
        Ok(Self(JournalSearchQuery { matcher, since: None, limit: None }))
    }
}

impl MatcherQuery for JournalSearch {
    fn weight(&self) -> usize {
        self.0.matcher.weight()
    }
}

impl JsonSchema for JournalSearch {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "JournalSearch".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        SearchForm::json_schema(generator)
    }
}

#[derive(Serialize, JsonSchema)]
pub struct RequestCount {
    count: usize,
}

pub fn count_requests(
    visit: &WorldVisit,
    _: &AdminRequest,
    JournalSearch(sought): JournalSearch,
) -> Result<RequestCount, AdminError> {
    let found = lines_since(visit.world(), sought.since)?;
    let matcher = &sought.matcher;
    Ok(RequestCount {
        count: counted_lines(matcher, &found.lines).filter(|line| matcher.matches(line.as_ref())).count(),
    })
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FoundRequests")]
pub struct FoundRequests {
    /// How many lines match. `items` are the newest of them.
    count: usize,
    /// Oldest first.
    items: Vec<JournalLine>,
}

pub fn find_requests(
    visit: &WorldVisit,
    _: &AdminRequest,
    JournalSearch(sought): JournalSearch,
) -> Result<FoundRequests, AdminError> {
    let found = lines_since(visit.world(), sought.since)?;
    let matcher = &sought.matcher;
    let fitting: Vec<_> = counted_lines(matcher, &found.lines).filter(|line| matcher.matches(line.as_ref())).collect();
    let limit = usize::from(sought.limit.unwrap_or(100)).min(MAX_LIMIT as usize);
    let newest = &fitting[fitting.len().saturating_sub(limit)..];
    Ok(FoundRequests {
        count: fitting.len(),
        items: newest.iter().map(|line| JournalLine::from_exchange(line, false)).collect(),
    })
}
