//! Lines that fit, counted and found; asked for as WireMock asks, too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    super::{refused::Refused, route::Asked},
    LIMIT_MAX,
    line::Line,
    lines_since,
    place::Place,
};
use crate::{
    door::Visit,
    journal::{Matcher, query::verify::counted},
};

/// What is looked for: a matcher, alone or with a place to begin at.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sought {
    #[serde(rename = "match")]
    matcher: Matcher,
    since: Option<Place>,
    /// Of `find`: the newest so many.
    limit: Option<u16>,
}

/// WireMock asks with the matcher itself.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is wanted: it is read key by key, so that faults have a place")]
enum EitherSought {
    With(Sought),
    Alone(Matcher),
}

#[derive(Deserialize)]
#[serde(transparent)]
pub struct Search(Value);

impl JsonSchema for Search {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "JournalSearch".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        EitherSought::json_schema(generator)
    }
}

impl Search {
    fn read(self) -> Result<Sought, Refused> {
        if self.0.get("match").is_some() {
            return serde_json::from_value(self.0).map_err(|why| Refused::bad_body(&why.to_string()));
        }
        let matcher = Matcher::read(&self.0, "match").map_err(|why| Refused::bad_body(&why.to_string()))?;
        Ok(Sought { matcher, since: None, limit: None })
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Counted {
    count: usize,
}

pub fn count(visit: &Visit, _: &Asked, search: Search) -> Result<Counted, Refused> {
    let sought = search.read()?;
    let found = lines_since(visit.world(), sought.since)?;
    let matcher = &sought.matcher;
    Ok(Counted { count: counted(matcher, &found.lines).filter(|line| matcher.hits(line.as_ref())).count() })
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FoundRequests")]
pub struct FoundLines {
    /// How many fit; `requests` are the newest of them.
    count: usize,
    /// Oldest first.
    requests: Vec<Line>,
}

pub fn find(visit: &Visit, _: &Asked, search: Search) -> Result<FoundLines, Refused> {
    let sought = search.read()?;
    let found = lines_since(visit.world(), sought.since)?;
    let matcher = &sought.matcher;
    let fitting: Vec<_> = counted(matcher, &found.lines).filter(|line| matcher.hits(line.as_ref())).collect();
    let limit = usize::from(sought.limit.unwrap_or(100)).min(LIMIT_MAX as usize);
    let newest = &fitting[fitting.len().saturating_sub(limit)..];
    Ok(FoundLines { count: fitting.len(), requests: newest.iter().map(|line| Line::of(line, false)).collect() })
}
