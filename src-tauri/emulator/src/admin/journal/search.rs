//! Counts and finds matching lines. Also accepts requests in the form of WireMock.

use std::fmt;

use roost_journal::{Matcher, query::verify::counted_lines};
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use super::{
    super::{error::AdminError, route::AdminRequest},
    MAX_LIMIT, MatcherQuery,
    line::JournalLine,
    lines_since,
    position::JournalPosition,
    read_query,
};
use crate::door::WorldVisit;

/// A matcher, optionally with a position to start at.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct JournalSearchQuery {
    #[schemars(rename = "match")]
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
pub(crate) struct JournalSearch(JournalSearchQuery);

/// Reads the query field by field, so that an error names its field. All other fields form the matcher.
struct JournalSearchVisitor;

impl<'de> Visitor<'de> for JournalSearchVisitor {
    type Value = JournalSearch;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let (mut matcher, mut since, mut limit, mut alone) = (None, None, None, Map::new());
        while let Some(name) = fields.next_key::<String>()? {
            match name.as_str() {
                "match" => matcher = Some(fields.next_value()?),
                "since" => since = fields.next_value()?,
                "limit" => limit = fields.next_value()?,
                _ => drop(alone.insert(name, fields.next_value()?)),
            }
        }
        let matcher = match (matcher, alone.keys().next().cloned()) {
            (Some(matcher), None) => matcher,
            (Some(_), Some(other)) => return Err(de::Error::unknown_field(&other, &["match", "since", "limit"])),
            (None, _) if since.is_some() || limit.is_some() => return Err(de::Error::missing_field("match")),
            (None, _) => Matcher::read(&Value::Object(alone), "").map_err(de::Error::custom)?,
        };
        Ok(JournalSearch(JournalSearchQuery { matcher, since, limit }))
    }
}

impl<'de> Deserialize<'de> for JournalSearch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(JournalSearchVisitor)
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
pub(crate) struct RequestCount {
    count: usize,
}

pub(crate) fn count_requests(visit: &WorldVisit, request: &AdminRequest) -> Result<RequestCount, AdminError> {
    let (JournalSearch(sought), _room) = read_query(request, &visit.world().resources.capacity)?;
    let found = lines_since(visit.world(), sought.since)?;
    let matcher = &sought.matcher;
    Ok(RequestCount {
        count: counted_lines(matcher, &found.lines).filter(|line| matcher.matches(line.as_ref())).count(),
    })
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FoundRequests")]
pub(crate) struct FoundRequests {
    /// How many lines match. `items` are the newest of them.
    count: usize,
    /// Oldest first.
    items: Vec<JournalLine>,
}

pub(crate) fn find_requests(visit: &WorldVisit, request: &AdminRequest) -> Result<FoundRequests, AdminError> {
    let (JournalSearch(sought), _room) = read_query(request, &visit.world().resources.capacity)?;
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
