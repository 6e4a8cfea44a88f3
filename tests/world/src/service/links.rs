//! Short links: creation, reading, search, deletion.

use serde_json::{Map, Value, json};

use super::routes::{PathFamily, ServiceRequest, error_entry, json_reply, no_content, paged_reply};
use super::text::{format_time, is_uid, parse_time};
use super::{LinkRecord, ReadNote, Service, ServiceReply};

fn link_json(link: &LinkRecord) -> Value {
    json!({"title": link.title, "link_id": link.uid, "target_url": link.target,
           "short_link_url": format!("https://sl.example/{}", link.code), "tags": link.tags,
           "created_at": format_time(link.created), "track_clicks": link.track})
}

fn is_url(text: &str) -> bool {
    text.len() <= 2048
        && ["http://", "https://"].iter().any(|start| {
            text.strip_prefix(start)
                .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', '#']) && !rest.contains(' '))
        })
}

fn is_tag(text: &str) -> bool {
    (1..=50).contains(&text.chars().count())
        && text.chars().all(|character| character.is_alphanumeric() || " -_".contains(character))
}

/// Returns an optional text of a JSON object, or `Err(())` if it has another type.
fn parse_text<'a>(map: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, ()> {
    match map.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(()),
    }
}

/// Returns an optional array of texts.
fn parse_texts(map: &Map<String, Value>, name: &str) -> Result<Vec<String>, ()> {
    match map.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(|item| item.as_str().map(str::to_owned).ok_or(())).collect(),
        Some(_) => Err(()),
    }
}

/// Returns an optional object.
fn parse_group(map: &Map<String, Value>, name: &str) -> Result<Map<String, Value>, ()> {
    match map.get(name) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(group)) => Ok(group.clone()),
        Some(_) => Err(()),
    }
}

/// Returns whether one edit turns one word into the other (D127).
fn is_one_edit_apart(left: &str, right: &str) -> bool {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let start = left.iter().zip(&right).take_while(|(one, two)| one == two).count();
    let end = left.iter().rev().zip(right.iter().rev()).take_while(|(one, two)| one == two).count();
    let (short, long) = (left.len().min(right.len()), left.len().max(right.len()));
    if long - short > 1 {
        return false;
    }
    if start + end + 1 >= long {
        return true;
    }
    let swapped = (left.get(start), left.get(start + 1)) == (right.get(start + 1), right.get(start));
    short == long && swapped && start + end + 2 >= long
}

fn matches_words(link: &LinkRecord, query: &str) -> bool {
    let places: Vec<String> = std::iter::once(&link.title).chain(&link.tags).map(|text| text.to_lowercase()).collect();
    query.to_lowercase().split_whitespace().all(|word| {
        places.iter().any(|place| {
            place.contains(word)
                || (word.chars().count() >= 4
                    && place
                        .split(|character: char| !character.is_alphanumeric())
                        .any(|other| is_one_edit_apart(word, other)))
        })
    })
}

/// A valid search.
struct LinkSearch {
    query: String,
    tags: Vec<String>,
    start: Option<i64>,
    end: Option<i64>,
    ascending: bool,
    page: i64,
    size: i64,
}

/// Implements D131: an integer or its decimal text.
fn parse_page_part(group: &Map<String, Value>, name: &str, default: i64) -> Result<i64, ()> {
    match group.get(name) {
        None | Some(Value::Null) => Ok(default),
        Some(Value::Number(number)) => number.as_i64().ok_or(()),
        Some(Value::String(text)) => text.trim().parse().map_err(|_| ()),
        Some(_) => Err(()),
    }
}

impl Service {
    pub(super) fn create_link(&mut self, request: &ServiceRequest) -> ServiceReply {
        let Some(body) = request.parse_object() else {
            return self.bad_body(PathFamily::Links);
        };
        let track = match body.get("track_clicks") {
            None | Some(Value::Null) => Some(true),
            Some(Value::Bool(track)) => Some(*track),
            Some(_) => None,
        };
        let parts = (parse_text(&body, "title"), parse_text(&body, "target_url"), parse_texts(&body, "tags"), track);
        let (Ok(title), Ok(target), Ok(given), Some(track)) = parts else {
            return self.bad_body(PathFamily::Links);
        };
        let mut entries = Vec::new();
        let trimmed = title.map_or("", str::trim);
        if trimmed.is_empty() {
            entries.push(error_entry("title", "must not be blank", json!(title)));
        } else if trimmed.chars().count() > 100 {
            entries.push(error_entry("title", "size must be between 1 and 100", json!(title)));
        }
        let url = target.map_or("", str::trim);
        if !is_url(url) {
            entries.push(error_entry("target_url", "Invalid URL.", json!(target)));
        }
        let mut tags: Vec<String> = Vec::new();
        for tag in given {
            let tag = tag.trim().to_owned();
            if !is_tag(&tag) {
                entries.push(error_entry("tags[]", "Invalid tag.", json!(tag)));
            } else if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        if tags.len() > 10 {
            entries.push(error_entry("tags", "size must be between 0 and 10", json!(tags)));
        }
        if !entries.is_empty() {
            return self.validation_error(PathFamily::Links, entries);
        }
        let link = self.make_link(trimmed, url, tags, track);
        json_reply(200, &link_json(&link))
    }

    fn link_missing(&mut self, uid: &str) -> ServiceReply {
        self.not_found(PathFamily::Links, &format!("Short link with id '{uid}' not found"))
    }

    pub(super) fn get_link(&mut self, request: &ServiceRequest) -> ServiceReply {
        if !is_uid(&request.id, "shl_") {
            return self.bad_uid(PathFamily::Links, "get_short_link_by_id.id", &request.id);
        }
        match self.links.iter().find(|link| link.uid == request.id) {
            Some(link) => {
                let body = link_json(link);
                self.read = ReadNote::Rows { uids: vec![request.id.clone()] };
                json_reply(200, &body)
            }
            None => self.link_missing(&request.id),
        }
    }

    pub(super) fn delete_link(&mut self, request: &ServiceRequest) -> ServiceReply {
        if !is_uid(&request.id, "shl_") {
            return self.bad_uid(PathFamily::Links, "delete_short_link_by_id.id", &request.id);
        }
        if self.remove_link(&request.id) { no_content() } else { self.link_missing(&request.id) }
    }

    fn parse_link_search(&mut self, body: &Map<String, Value>) -> Result<LinkSearch, ServiceReply> {
        let groups = (parse_group(body, "filter"), parse_group(body, "sort"), parse_group(body, "page"));
        let (Ok(filter), Ok(sort), Ok(page)) = groups else {
            return Err(self.bad_body(PathFamily::Links));
        };
        let texts = (
            parse_text(&filter, "query"),
            parse_texts(&filter, "tags"),
            parse_text(&filter, "created_at_start"),
            parse_text(&filter, "created_at_end"),
            parse_text(&sort, "sort_by"),
            parse_text(&sort, "sort_order"),
        );
        let (Ok(query), Ok(tags), Ok(from), Ok(to), Ok(sort_by), Ok(order)) = texts else {
            return Err(self.bad_body(PathFamily::Links));
        };
        let numbers = (parse_page_part(&page, "page_number", 1), parse_page_part(&page, "page_size", 25));
        let (Ok(number), Ok(size)) = numbers else {
            let message = "Invalid parameter type provided";
            return Err(self.shape_b(400, "ERR_AST_VAL_004", "INVALID_PARAMETER_TYPE", message, None));
        };
        let mut entries = Vec::new();
        let (start, end) = (from.and_then(parse_time), to.and_then(parse_time));
        for (name, given, read) in [("created_at_start", from, start), ("created_at_end", to, end)] {
            if given.is_some() && read.is_none() {
                let message = "Invalid date-time. Use ISO 8601 UTC with a Z suffix.";
                entries.push(error_entry(&format!("filter.{name}"), message, json!(given)));
            }
        }
        if sort_by.is_some_and(|field| field != "created_at") {
            entries.push(error_entry("sort.sort_by", "Sort By must be created_at", json!(sort_by)));
        }
        let order = order.unwrap_or("DESC");
        if !["ASC", "DESC"].contains(&order) {
            entries.push(error_entry("sort.sort_order", "Sort Order must be ASC or DESC", json!(order)));
        }
        if number < 1 {
            entries.push(error_entry("page.page_number", "must be greater than 0", json!(number)));
        }
        if size < 1 {
            entries.push(error_entry("page.page_size", "must be greater than 0", json!(size)));
        } else if size > 100 {
            entries.push(error_entry("page.page_size", "must be less than or equal to 100", json!(size)));
        }
        if !entries.is_empty() {
            return Err(self.validation_error(PathFamily::Links, entries));
        }
        Ok(LinkSearch {
            query: query.unwrap_or("").to_owned(),
            tags,
            start,
            end,
            ascending: order == "ASC",
            page: number,
            size,
        })
    }

    pub(super) fn search_links(&mut self, request: &ServiceRequest) -> ServiceReply {
        let Some(body) = request.parse_object() else {
            return self.bad_body(PathFamily::Links);
        };
        let search = match self.parse_link_search(&body) {
            Ok(search) => search,
            Err(refused) => return refused,
        };
        let mut rows: Vec<LinkRecord> = self
            .links
            .iter()
            .filter(|link| {
                let created = link.created.div_euclid(1000) * 1000;
                matches_words(link, &search.query)
                    && search.tags.iter().all(|tag| link.tags.contains(tag))
                    && search.start.is_none_or(|start| created >= start)
                    && search.end.is_none_or(|end| created <= end)
            })
            .cloned()
            .collect();
        rows.sort_by(|left, right| {
            (left.created.div_euclid(1000), &left.uid).cmp(&(right.created.div_euclid(1000), &right.uid))
        });
        if !search.ascending {
            rows.reverse();
        }
        let mut total = rows.len();
        if search.query.trim().is_empty() && search.tags.is_empty() {
            self.hide_rows(&mut rows, &mut total, false);
        }
        let shown = self.cut_page(&rows, search.page, search.size);
        self.read = ReadNote::Rows { uids: shown.iter().map(|link| link.uid.clone()).collect() };
        let items = shown.iter().map(link_json).collect();
        paged_reply(items, search.page, usize::try_from(search.size).unwrap_or(1), total)
    }
}
