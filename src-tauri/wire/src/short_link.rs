//! Short links: records, creation, and the three groups of the search.

use std::borrow::Cow;

use roost_model::{
    id::LinkId,
    page::{PageRequest, SortOrder},
    short_link::{self, LinkParts, LinkQuery, check_parts},
    time::TimeBound,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    body::{self, JsonObject},
    envelope::{RejectedValue, RestError, ValidationError},
};

pub const DEFAULT_PAGE_SIZE: i32 = 25;
pub const MAX_PAGE_SIZE: i32 = 100;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShortLink<'a> {
    pub title: &'a str,
    #[schemars(regex(pattern = r"^shl_[0-9A-Za-z]{27}$"))]
    pub link_id: &'a str,
    pub target_url: &'a str,
    pub short_link_url: String,
    pub tags: &'a [String],
    #[schemars(extend("format" = "date-time"))]
    pub created_at: String,
    pub track_clicks: bool,
}

impl<'a> ShortLink<'a> {
    pub fn from_link(link: &'a short_link::ShortLink, default_base: &str) -> Self {
        Self {
            title: &link.title,
            link_id: link.link_id.as_str(),
            target_url: &link.target_url,
            short_link_url: link.short_url(default_base),
            tags: &link.tags,
            created_at: link.created_at.to_iso(),
            track_clicks: link.track_clicks,
        }
    }
}

pub fn parse_id(field: &'static str, id: &str) -> Result<LinkId, RestError> {
    LinkId::parse(id).map_err(|e| RestError::BadUid { field, given: e.given })
}

pub fn not_found(id: &LinkId) -> RestError {
    RestError::NotFound(format!("Short link with id '{id}' not found"))
}

/// Body of a request that creates a short link.
#[derive(JsonSchema)]
pub struct ShortLinkCreate {
    /// Trimmed before it is stored. 1 to 100 characters after trimming.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub title: String,
    /// Absolute http or https address with a host.
    #[schemars(length(min = 1), regex(pattern = r"^\s*[hH][tT][tT][pP][sS]?://[^/]"))]
    pub target_url: String,
    /// Letters and digits of any script, space, - and _. 1 to 50 characters each, at most 10 different ones.
    pub tags: Option<Vec<String>>,
    #[schemars(extend("default" = true))]
    pub track_clicks: Option<bool>,
}

pub fn parse_create(json: &[u8]) -> Result<LinkParts, RestError> {
    let object = JsonObject::read(body::body_text(json)?, &["title", "target_url", "tags", "track_clicks"])?;
    let (title, target) = (object.read_string("title")?, object.read_string("target_url")?);
    let tags: Vec<String> = object.read_strings("tags")?.unwrap_or_default().into_iter().map(Cow::into_owned).collect();
    let track_clicks = object.read_boolean("track_clicks")?.unwrap_or(true);
    check_parts(title.as_deref(), target.as_deref(), &tags, track_clicks)
        .map_err(|faults| RestError::Invalid(faults.into_iter().map(ValidationError::from).collect()))
}

/// Body of a search for short links.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
pub struct ShortLinkSearch {
    filter: Option<SearchFilter>,
    sort: Option<SearchSort>,
    page: Option<SearchPage>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct SearchFilter {
    /// Fuzzy search in titles and tags.
    query: Option<String>,
    /// Every one of these tags, exactly.
    tags: Option<Vec<String>>,
    #[schemars(regex(pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$"))]
    created_at_start: Option<String>,
    #[schemars(regex(pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$"))]
    created_at_end: Option<String>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct SearchSort {
    #[schemars(extend("enum" = ["created_at", null]))]
    sort_by: Option<String>,
    #[schemars(extend("enum" = ["ASC", "DESC", null]))]
    sort_order: Option<String>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct SearchPage {
    page_number: Option<WholeNumber>,
    page_size: Option<WholeNumber>,
}

/// A JSON integer, or a text with its decimal digits.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema is used")]
enum WholeNumber {
    Integer(#[schemars(range(min = 1, max = 2_147_483_647))] i32),
    Text(#[schemars(regex(pattern = r"^[+-]?[0-9]+$"))] String),
}

pub fn parse_search(json: &[u8]) -> Result<LinkQuery, RestError> {
    let object = JsonObject::read(body::body_text(json)?, &["filter", "sort", "page"])?;
    let filter = object.read_object("filter", &["query", "tags", "created_at_start", "created_at_end"])?;
    let sort = object.read_object("sort", &["sort_by", "sort_order"])?;
    let page = object.read_object("page", &["page_number", "page_size"])?;
    let text = |group: &Option<JsonObject<'_>>, key| {
        group.as_ref().map_or(Ok(None), |g| g.read_string(key).map(|t| t.map(Cow::into_owned)))
    };
    let query = text(&filter, "query")?;
    let tags = filter.as_ref().map_or(Ok(None), |f| f.read_strings("tags"))?.unwrap_or_default();
    let (start, end) = (text(&filter, "created_at_start")?, text(&filter, "created_at_end")?);
    let (sort_by, sort_order) = (text(&sort, "sort_by")?, text(&sort, "sort_order")?);
    let number = whole_number(&page, "page_number", 1)?;
    let size = whole_number(&page, "page_size", DEFAULT_PAGE_SIZE)?;

    let mut entries = Vec::new();
    let from = time_bound("filter.created_at_start", start, &mut entries);
    let to = time_bound("filter.created_at_end", end, &mut entries);
    if let Some(other) = sort_by.filter(|by| by != "created_at") {
        entries.push(ValidationError::new("sort.sort_by", "Sort By must be created_at", other));
    }
    let order = sort_order.as_deref().map_or(Some(SortOrder::Descending), SortOrder::parse).unwrap_or_else(|| {
        entries.push(ValidationError::new("sort.sort_order", "Sort Order must be ASC or DESC", sort_order));
        SortOrder::Descending
    });
    if number.value < 1 {
        entries.push(number.to_error("page.page_number", "must be greater than 0"));
    }
    if size.value < 1 {
        entries.push(size.to_error("page.page_size", "must be greater than 0"));
    } else if size.value > MAX_PAGE_SIZE {
        entries.push(size.to_error("page.page_size", "must be less than or equal to 100"));
    }
    if !entries.is_empty() {
        return Err(RestError::Invalid(entries));
    }
    Ok(LinkQuery {
        query: query.filter(|q| !q.trim().is_empty()),
        tags: tags.into_iter().map(Cow::into_owned).collect(),
        from,
        to,
        order,
        page: PageRequest { number: number.value.unsigned_abs(), size: size.value.unsigned_abs() },
    })
}

fn time_bound(field: &'static str, given: Option<String>, entries: &mut Vec<ValidationError>) -> Option<TimeBound> {
    let given = given?;
    let bound = TimeBound::parse(&given);
    if bound.is_none() {
        entries.push(ValidationError::new(field, "Invalid date-time. Use ISO 8601 UTC with a Z suffix.", given));
    }
    bound
}

/// A number of the page group, with the value as received.
struct PageNumber<'a> {
    value: i32,
    received: Option<&'a RawValue>,
}

impl PageNumber<'_> {
    fn to_error(&self, field: &'static str, message: &'static str) -> ValidationError {
        let rejected = self.received.map_or(RejectedValue::from(self.value), |raw| RejectedValue::Raw(raw.to_owned()));
        ValidationError { field: field.into(), message: message.into(), rejected_value: rejected }
    }
}

fn whole_number<'a>(
    page: &Option<JsonObject<'a>>,
    key: &'static str,
    default: i32,
) -> Result<PageNumber<'a>, RestError> {
    let Some(received) = page.as_ref().and_then(|p| p.given_value(key)) else {
        return Ok(PageNumber { value: default, received: None });
    };
    let text = received.get();
    let value = if text.starts_with('"') {
        serde_json::from_str::<String>(text).map_err(|_| RestError::BadBody)?.parse()
    } else {
        text.parse()
    };
    value.map(|value| PageNumber { value, received: Some(received) }).map_err(|_| RestError::BadParameterType)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(json: &str, parse: impl Fn(&[u8]) -> Result<(), RestError>) -> String {
        match parse(json.as_bytes()) {
            Err(RestError::Invalid(entries)) => serde_json::to_string(&entries).expect("json"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn creation_reports_every_fault_in_order() {
        let found =
            entries(r#"{"title":" ","target_url":"shop","tags":["a!b"," ok "]}"#, |b| parse_create(b).map(drop));
        let want = r#"[{"field":"title","message":"must not be blank","rejected_value":" "},{"field":"target_url","message":"Invalid URL.","rejected_value":"shop"},{"field":"tags[]","message":"Invalid tag.","rejected_value":"a!b"}]"#;
        assert_eq!(found, want);
        let parts =
            parse_create(br#"{"title":"x","target_url":"https://shop.example","tags":null,"track_clicks":null}"#)
                .expect("fine");
        assert!(parts.track_clicks && parts.tags.is_empty());
        for bad in [r#"{"title":1}"#, r#"{"title":"x","tags":"x"}"#, r#"{"tags":[null]}"#, r#"{"track_clicks":"true"}"#]
        {
            assert!(matches!(parse_create(bad.as_bytes()), Err(RestError::BadBody)), "{bad}");
        }
    }

    #[test]
    fn absent_and_null_groups_are_defaults() {
        for body in [
            "{}",
            r#"{"filter":null,"sort":null,"page":null}"#,
            r#"{"filter":{"query":" "},"sort":{},"page":{"page_size":null}}"#,
        ] {
            let query = parse_search(body.as_bytes()).expect(body);
            assert_eq!(query.page, PageRequest { number: 1, size: 25 });
            assert_eq!((query.query, query.order), (None, SortOrder::Descending));
        }
        for bad in ["", "[]", r#"{"filter":[]}"#, r#"{"sort":"x"}"#, r#"{"filter":{"tags":[1]}}"#] {
            assert!(matches!(parse_search(bad.as_bytes()), Err(RestError::BadBody)), "{bad}");
        }
    }

    #[test]
    fn pages_are_integers_or_their_text() {
        let page = parse_search(br#"{"page":{"page_number":"2","page_size":100}}"#).expect("fine").page;
        assert_eq!(page, PageRequest { number: 2, size: 100 });
        for bad in ["1.0", "true", "\"\"", "\" 1\"", "\"x\"", "[]", "{}", "2147483648"] {
            let body = format!(r#"{{"page":{{"page_size":{bad}}},"sort":{{"sort_order":"UP"}}}}"#);
            assert!(matches!(parse_search(body.as_bytes()), Err(RestError::BadParameterType)), "{bad}");
        }
    }

    #[test]
    fn search_faults_keep_their_order_and_types() {
        let body = r#"{"filter":{"created_at_start":"","created_at_end":"2026-02-30T00:00:00Z"},"sort":{"sort_by":"title","sort_order":"UP"},"page":{"page_number":0,"page_size":"101"}}"#;
        let found: Vec<serde_json::Value> =
            serde_json::from_str(&entries(body, |b| parse_search(b).map(drop))).expect("json");
        let reported: Vec<_> =
            found.iter().map(|e| (e["field"].as_str().unwrap_or_default(), e["rejected_value"].to_string())).collect();
        assert_eq!(
            reported,
            [
                ("filter.created_at_start", r#""""#.to_owned()),
                ("filter.created_at_end", r#""2026-02-30T00:00:00Z""#.to_owned()),
                ("sort.sort_by", r#""title""#.to_owned()),
                ("sort.sort_order", r#""UP""#.to_owned()),
                ("page.page_number", "0".to_owned()),
                ("page.page_size", r#""101""#.to_owned()),
            ]
        );
    }
}
