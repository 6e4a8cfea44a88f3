//! Routes requests to their operations, and implements senders and lists.

use serde_json::{Value, json};

use super::text::{decode_percent, format_error_time, format_time, is_uid, parse_query};
use super::{HiddenRows, ReadNote, Service, ServiceReply};

/// The sixteen operations, as method and path template.
pub const OPERATIONS: &[&str] = &[
    "GET /assets/v1/senders/",
    "GET /assets/v1/senders/{sender_id}",
    "DELETE /assets/v1/senders/{sender_id}",
    "GET /contacts/v1/lists/",
    "POST /contacts/v1/lists/create",
    "DELETE /contacts/v1/lists/{list_uid}",
    "GET /contacts/v1/contacts/list/{list_uid}",
    "POST /contacts/v1/contacts",
    "DELETE /contacts/v1/contacts/{contact_uid}",
    "GET /contacts/v1/optouts",
    "POST /contacts/v1/optouts",
    "DELETE /contacts/v1/optouts",
    "POST /assets/v1/shortlink",
    "GET /assets/v1/shortlink/{link_id}",
    "POST /assets/v1/shortlink/filter",
    "DELETE /assets/v1/shortlink/{link_id}",
];

/// The family of a path, which decides the shape of its errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathFamily {
    Senders,
    Links,
    Contacts,
}

impl PathFamily {
    fn of_path(path: &str) -> PathFamily {
        if path == "/assets/v1/senders" || path.starts_with("/assets/v1/senders/") {
            PathFamily::Senders
        } else if path == "/contacts" || path.starts_with("/contacts/") {
            PathFamily::Contacts
        } else {
            PathFamily::Links
        }
    }

    pub(super) fn code(self, rest: &str) -> String {
        let prefix = if self == PathFamily::Contacts { "ERR_CNT_" } else { "ERR_AST_" };
        format!("{prefix}{rest}")
    }
}

/// The parts of a request.
pub(super) struct ServiceRequest<'a> {
    pub query: Vec<(String, String)>,
    pub id: String,
    pub body: Option<&'a str>,
    pub json_type: bool,
}

impl ServiceRequest<'_> {
    /// Returns the first value of a parameter.
    pub(super) fn query_parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the first value of a parameter. A blank value counts as absent (D11).
    pub(super) fn required_text(&self, name: &str) -> Option<&str> {
        self.query_parameter(name).filter(|value| !value.trim().is_empty())
    }

    /// Returns the body as a JSON object (D18, D19).
    pub(super) fn parse_object(&self) -> Option<serde_json::Map<String, Value>> {
        if !self.json_type {
            return None;
        }
        match serde_json::from_str(self.body?) {
            Ok(Value::Object(map)) => Some(map),
            _ => None,
        }
    }
}

pub(super) fn json_reply(status: u16, body: &Value) -> ServiceReply {
    ServiceReply {
        status,
        headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
        body: body.to_string(),
    }
}

pub(super) fn no_content() -> ServiceReply {
    ServiceReply { status: 204, headers: Vec::new(), body: String::new() }
}

/// Returns a paged response (D20, D27).
pub(super) fn paged_reply(items: Vec<Value>, page: i64, size: usize, total: usize) -> ServiceReply {
    let pages = total.div_ceil(size.max(1));
    json_reply(
        200,
        &json!({"paging": {"current_page": page, "total_items": total, "total_pages": pages},
                "items": items}),
    )
}

pub(super) fn error_entry(field: &str, message: &str, rejected: Value) -> Value {
    json!({"field": field, "message": message, "rejected_value": rejected})
}

/// The operations of a path: the position in [`OPERATIONS`] for each method.
struct PathMatch {
    methods: &'static [(&'static str, usize)],
    id: String,
}

fn match_path(path: &str) -> Option<PathMatch> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let segments: Vec<String> = path.strip_prefix('/')?.split('/').map(|part| decode_percent(part, false)).collect();
    if segments.iter().any(|part| part.is_empty() || part == "." || part == "..") {
        return None;
    }
    let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
    let (methods, id): (&'static [(&'static str, usize)], &str) = match parts.as_slice() {
        ["assets", "v1", "senders"] => (&[("GET", 0)], ""),
        ["assets", "v1", "senders", id] => (&[("GET", 1), ("DELETE", 2)], id),
        ["contacts", "v1", "lists"] => (&[("GET", 3)], ""),
        ["contacts", "v1", "lists", "create"] => (&[("POST", 4), ("DELETE", 5)], "create"),
        ["contacts", "v1", "lists", id] => (&[("DELETE", 5)], id),
        ["contacts", "v1", "contacts", "list", id] => (&[("GET", 6)], id),
        ["contacts", "v1", "contacts"] => (&[("POST", 7)], ""),
        ["contacts", "v1", "contacts", id] => (&[("DELETE", 8)], id),
        ["contacts", "v1", "optouts"] => (&[("GET", 9), ("POST", 10), ("DELETE", 11)], ""),
        ["assets", "v1", "shortlink"] => (&[("POST", 12)], ""),
        ["assets", "v1", "shortlink", "filter"] => (&[("POST", 14), ("GET", 13), ("DELETE", 15)], "filter"),
        ["assets", "v1", "shortlink", id] => (&[("GET", 13), ("DELETE", 15)], id),
        _ => return None,
    };
    Some(PathMatch { methods, id: id.to_owned() })
}

/// Returns the position of a request in [`OPERATIONS`], if it is one of them.
pub fn find_operation(method: &str, path: &str) -> Option<usize> {
    let path = path.split('?').next().unwrap_or(path);
    let found = match_path(path)?;
    found.methods.iter().find(|(name, _)| *name == method).map(|(_, position)| *position)
}

impl Service {
    /// Handles one request, with the checks in the order of D6.
    pub(crate) fn handle_request(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Option<&str>,
    ) -> ServiceReply {
        self.read = ReadNote::Nothing;
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let family = PathFamily::of_path(path);
        let Some(found) = match_path(path) else {
            return self.not_found(family, "Requested resource not found");
        };
        let handled_method = if method == "HEAD" { "GET" } else { method };
        if method == "OPTIONS" {
            return ServiceReply { headers: vec![allow_header(&found)], ..no_content() };
        }
        let Some((_, position)) = found.methods.iter().find(|(name, _)| *name == handled_method) else {
            let mut refused = self.plain_error(family, 405, "REQ_003", "METHOD_NOT_ALLOWED", "Method not allowed");
            refused.headers.push(allow_header(&found));
            return refused;
        };
        let key = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("x-auth-key"));
        if key.is_none_or(|(_, value)| value.trim().is_empty()) {
            return self.plain_error(family, 401, "AUTH_001", "UNAUTHORIZED", "Unauthorized");
        }
        if body.is_some_and(|text| text.len() > 67_108_864) {
            return self.plain_error(family, 413, "REQ_004", "PAYLOAD_TOO_LARGE", "Request body too large");
        }
        let request =
            ServiceRequest { query: parse_query(query), id: found.id, body, json_type: accepts_type(headers) };
        let mut answer = self.dispatch_call(*position, &request);
        if method == "HEAD" {
            answer.body.clear();
        }
        answer
    }

    fn dispatch_call(&mut self, position: usize, request: &ServiceRequest) -> ServiceReply {
        match position {
            0 => self.query_senders(request),
            1 => self.get_sender(request),
            2 => self.delete_sender(request),
            3 => self.query_lists(request),
            4 => self.create_list(request),
            5 => self.delete_list(request),
            6 => self.query_contacts(request),
            7 => self.create_contacts(request),
            8 => self.delete_contact(request),
            9 => self.query_opt_outs(request),
            10 => self.create_opt_out(request),
            11 => self.delete_opt_outs(request),
            12 => self.create_link(request),
            13 => self.get_link(request),
            14 => self.search_links(request),
            _ => self.delete_link(request),
        }
    }

    /// Returns an error in shape B. `validation_errors` is null if `validation` is `None`.
    pub(super) fn shape_b(
        &mut self,
        status: u16,
        code: &str,
        error: &str,
        message: &str,
        validation: Option<Vec<Value>>,
    ) -> ServiceReply {
        let trace = format!("{:016x}", self.dice.draw());
        json_reply(
            status,
            &json!({"trace_id": trace, "code": code, "error": error, "message": message,
                    "status": status, "timestamp": format_error_time(self.now()),
                    "validation_errors": validation}),
        )
    }

    /// Returns an error in the shape of its family, without entries.
    pub(super) fn plain_error(
        &mut self,
        family: PathFamily,
        status: u16,
        code: &str,
        error: &str,
        message: &str,
    ) -> ServiceReply {
        if family == PathFamily::Senders {
            return self.shape_a(status, &[json!({"message": message})]);
        }
        self.shape_b(status, &family.code(code), error, message, None)
    }

    pub(super) fn shape_a(&mut self, status: u16, entries: &[Value]) -> ServiceReply {
        let trace = format!("{:016x}", self.dice.draw());
        json_reply(status, &json!({"trace_id": trace, "errors": entries}))
    }

    /// Returns a 404. Shape B has no `validation_errors` key here.
    pub(super) fn not_found(&mut self, family: PathFamily, message: &str) -> ServiceReply {
        if family == PathFamily::Senders {
            return self.shape_a(404, &[json!({"message": message})]);
        }
        let trace = format!("{:016x}", self.dice.draw());
        json_reply(
            404,
            &json!({"trace_id": trace, "code": family.code("NF_003"), "error": "RESOURCE_NOT_FOUND",
                    "message": message, "status": 404,
                    "timestamp": format_error_time(self.now())}),
        )
    }

    pub(super) fn bad_body(&mut self, family: PathFamily) -> ServiceReply {
        self.plain_error(family, 400, "REQ_002", "INVALID_REQUEST_BODY", "Invalid or malformed request body")
    }

    pub(super) fn validation_error(&mut self, family: PathFamily, entries: Vec<Value>) -> ServiceReply {
        let code = family.code("VAL_001");
        self.shape_b(400, &code, "VALIDATION_ERROR", "Request validation failed", Some(entries))
    }

    pub(super) fn bad_uid(&mut self, family: PathFamily, field: &str, uid: &str) -> ServiceReply {
        let message = if family == PathFamily::Contacts {
            format!("Invalid UID format: '{uid}'. UIDs must follow the specified format.")
        } else {
            "Request validation failed".to_owned()
        };
        let entries = vec![error_entry(field, "UID is invalid", json!(uid))];
        self.shape_b(400, &family.code("VAL_001"), "INVALID_UID_FORMAT", &message, Some(entries))
    }

    pub(super) fn not_found_400(&mut self, message: &str) -> ServiceReply {
        self.shape_b(400, "ERR_CNT_VAL_001", "BAD_REQUEST", message, None)
    }

    /// Implements D12: page numbers of family C that are not integers.
    pub(super) fn parse_integers(
        &mut self,
        request: &ServiceRequest,
    ) -> Result<(Option<i64>, Option<i64>), ServiceReply> {
        let mut numbers = [None, None];
        for (slot, name) in numbers.iter_mut().zip(["page_number", "page_size"]) {
            if let Some(text) = request.required_text(name) {
                match text.trim().parse::<i32>() {
                    Ok(number) => *slot = Some(i64::from(number)),
                    Err(_) => {
                        let message = format!("Invalid format for field '{name}'. Expected format: int");
                        return Err(self.shape_b(400, "ERR_CNT_VAL_004", "INVALID_FORMAT", &message, None));
                    }
                }
            }
        }
        let [page, size] = numbers;
        Ok((page, size))
    }

    /// Returns the rows of one page. A drifting page begins one row too late.
    pub(super) fn cut_page<T: Clone>(&self, rows: &[T], page: i64, size: i64) -> Vec<T> {
        let size = usize::try_from(size).unwrap_or(1).max(1);
        let page = usize::try_from(page).unwrap_or(1).max(1);
        let drift = usize::from(self.hiding == HiddenRows::PageStart && page > 1);
        rows.iter().skip((page - 1) * size + drift).take(size - drift.min(size)).cloned().collect()
    }

    fn query_senders(&mut self, request: &ServiceRequest) -> ServiceReply {
        let mut entries = Vec::new();
        let mut numbers = [1, 25];
        for (slot, name) in numbers.iter_mut().zip(["page_number", "page_size"]) {
            let Some(text) = request.required_text(name) else {
                continue;
            };
            let field = format!("get_all_sms_senders.{name}");
            match text.trim().parse::<i32>() {
                Ok(number) if number >= 1 && (name == "page_number" || number <= 100) => {
                    *slot = i64::from(number);
                }
                Ok(number) if number > 100 => {
                    entries.push(json!({"message": "must be less than or equal to 100", "field": field}))
                }
                _ => entries.push(json!({"message": "must be greater than 0", "field": field})),
            }
        }
        if !entries.is_empty() {
            return self.shape_a(400, &entries);
        }
        let [page, size] = numbers;
        let mut rows = self.senders.clone();
        rows.sort_by(|left, right| right.uid.cmp(&left.uid));
        let mut total = rows.len();
        self.hide_rows(&mut rows, &mut total, false);
        let shown = self.cut_page(&rows, page, size);
        self.read = ReadNote::Rows { uids: shown.iter().map(|row| row.uid.clone()).collect() };
        let items = shown.iter().map(|row| json!({"id": row.uid, "name": row.name, "status": row.status})).collect();
        paged_reply(items, page, usize::try_from(size).unwrap_or(1), total)
    }

    fn sender_missing(&mut self) -> ServiceReply {
        self.shape_a(404, &[json!({"message": "Sender not found for the account", "code": 3006})])
    }

    fn get_sender(&mut self, request: &ServiceRequest) -> ServiceReply {
        match self.senders.iter().find(|sender| sender.uid == request.id) {
            Some(sender) => {
                let body = json!({"id": sender.uid, "name": sender.name, "status": sender.status});
                self.read = ReadNote::Rows { uids: vec![sender.uid.clone()] };
                json_reply(200, &body)
            }
            None => self.sender_missing(),
        }
    }

    fn delete_sender(&mut self, request: &ServiceRequest) -> ServiceReply {
        if self.remove_sender(&request.id) { no_content() } else { self.sender_missing() }
    }

    fn query_lists(&mut self, request: &ServiceRequest) -> ServiceReply {
        let (page, size) = match self.parse_integers(request) {
            Ok(numbers) => numbers,
            Err(refused) => return refused,
        };
        let (page, size) = (page.unwrap_or(1), size.unwrap_or(10));
        let sort_by = request.required_text("sort_by").unwrap_or("updated_at");
        let order = request.required_text("sort_order").unwrap_or("DESC");
        let mut entries = Vec::new();
        if page < 1 {
            entries.push(error_entry("filter.pageNumber", "page.number.generic", json!(page)));
        }
        if !(1..=100).contains(&size) {
            entries.push(error_entry("filter.pageSize", "page.size.generic", json!(size)));
        }
        if !["updated_at", "created_at", "name"].contains(&sort_by) {
            entries.push(error_entry("filter.sortBy", "sorting.by.generic", json!(sort_by)));
        }
        if !["ASC", "DESC"].contains(&order) {
            entries.push(error_entry("filter.sortOrder", "sorting.order.generic", json!(order)));
        }
        if !entries.is_empty() {
            return self.validation_error(PathFamily::Contacts, entries);
        }
        let filter = request.required_text("name").map(str::to_lowercase);
        let mut rows: Vec<_> = self
            .lists
            .iter()
            .filter(|list| filter.as_ref().is_none_or(|part| list.name.to_lowercase().contains(part)))
            .cloned()
            .collect();
        match sort_by {
            "name" => rows.sort_by_cached_key(|list| (list.name.to_lowercase(), list.uid.clone())),
            "created_at" => rows.sort_by_cached_key(|list| (list.created / 1000, list.uid.clone())),
            _ => rows.sort_by_cached_key(|list| (list.updated / 1000, list.uid.clone())),
        }
        if order == "DESC" {
            rows.reverse();
        }
        let mut total = rows.len();
        if filter.is_none() {
            self.hide_rows(&mut rows, &mut total, false);
        }
        let shown = self.cut_page(&rows, page, size);
        self.read = ReadNote::Rows { uids: shown.iter().map(|row| row.uid.clone()).collect() };
        let items = shown
            .iter()
            .map(|row| {
                json!({"uid": row.uid, "name": row.name, "created_at": format_time(row.created),
                       "updated_at": format_time(row.updated)})
            })
            .collect();
        paged_reply(items, page, usize::try_from(size).unwrap_or(1), total)
    }

    fn create_list(&mut self, request: &ServiceRequest) -> ServiceReply {
        let Some(body) = request.parse_object() else {
            return self.bad_body(PathFamily::Contacts);
        };
        let given = body.get("name").cloned().unwrap_or(Value::Null);
        let name = given.as_str().filter(|name| !name.trim().is_empty() && name.chars().count() <= 120);
        let Some(name) = name else {
            return self
                .validation_error(PathFamily::Contacts, vec![error_entry("name", "Invalid list name", given.clone())]);
        };
        let uid = self.make_list(name);
        json_reply(200, &json!({"uid": uid, "name": name}))
    }

    fn delete_list(&mut self, request: &ServiceRequest) -> ServiceReply {
        if !is_uid(&request.id, "LST_") {
            return self.bad_uid(PathFamily::Contacts, "deleteList.uid", &request.id);
        }
        if self.remove_list(&request.id) { no_content() } else { self.not_found_400("List not found") }
    }
}

fn allow_header(found: &PathMatch) -> (String, String) {
    let mut methods: Vec<&str> = found.methods.iter().map(|(name, _)| *name).collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.push("OPTIONS");
    ("Allow".to_owned(), methods.join(", "))
}

/// Implements D18: the media type is JSON or absent, in UTF-8.
fn accepts_type(headers: &[(String, String)]) -> bool {
    let given = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let Some((_, value)) = given else { return true };
    let lower = value.to_ascii_lowercase();
    let mut parts = lower.split(';').map(str::trim);
    let kind = parts.next().unwrap_or("");
    let json =
        kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json")) || kind.is_empty();
    json && parts.all(|part| part.strip_prefix("charset=").is_none_or(|charset| charset.trim_matches('"') == "utf-8"))
}
