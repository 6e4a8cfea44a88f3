//! Names the assumptions that shaped a response in its header. Only assumptions that show in the response itself are
//! named.

use axum::http::{HeaderName, HeaderValue};
use roost_wire::{OperationId, QueryString, RestError, ValidationError};

use super::all_behaviours;
use crate::http::response::HttpResponse;

/// The header with the names of the assumptions, separated by commas.
const ASSUMED_HEADER: HeaderName = HeaderName::from_static("x-roost-assumed");

type AssumptionNames = Vec<&'static str>;

/// Appends assumptions to the header of a response.
pub fn add_assumptions(response: &mut HttpResponse, names: &[&str]) {
    if names.is_empty() {
        return;
    }
    let headers = response.headers_mut();
    let before = headers.get(ASSUMED_HEADER).and_then(|value| value.to_str().ok());
    let all: Vec<&str> = before.into_iter().chain(names.iter().copied()).collect();
    if let Ok(value) = HeaderValue::try_from(all.join(", ")) {
        headers.insert(ASSUMED_HEADER, value);
    }
}

/// Returns the name of a row if the response header mentions it.
pub fn find_header_row(name: &str) -> Option<&'static str> {
    all_behaviours().find(|row| row.name == name && row.is_in_header).map(|row| row.name)
}

/// The response of an operation that succeeded.
pub fn assumptions_of_success(id: OperationId, query: &str) -> AssumptionNames {
    match id {
        OperationId::SendersQuery => vec!["senders.query.order"],
        OperationId::ListsCreate => vec!["lists.create.status"],
        OperationId::ContactsCreate => vec!["contacts.create.status"],
        OperationId::ContactsQuery => {
            let query = QueryString::parse(query);
            let has = |name| query.filled_value(name).is_some();
            let paging = match (has("page_number"), has("page_size")) {
                (false, _) => Some("contacts.query.unpaged"),
                (true, false) => Some("contacts.query.default_size"),
                (true, true) => None,
            };
            has("fields").then_some("contacts.query.chosen_fields").into_iter().chain(paging).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the assumptions behind a refusal.
pub fn assumptions_of_refusal(id: OperationId, refusal: &RestError) -> AssumptionNames {
    let name = match (refusal, id) {
        (RestError::Unauthorized, _) => "auth.unauthorized",
        (RestError::Forbidden, _) => "auth.forbidden",
        (RestError::BodyTooLarge, _) => "transport.too_large",
        (RestError::BadBody, _) => "transport.body",
        (RestError::Internal, _) => "errors.server",
        (RestError::SenderNotFound, OperationId::SendersGet) => "senders.unknown",
        (RestError::BadReference(_), OperationId::ContactsQuery) => "contacts.query.unknown_list",
        (RestError::BadReference(_) | RestError::NotFound(_), OperationId::ListsDelete) => "lists.delete.unknown",
        (RestError::BadReference(_) | RestError::NotFound(_), OperationId::ContactsDelete) => "contacts.delete.unknown",
        (RestError::NotFound(_), OperationId::ShortLinksDelete) => "shortlinks.unknown",
        (RestError::BadFormat { name: "start_time" | "end_time", .. }, _) => "optouts.query.times",
        (RestError::Invalid(entries), _) => {
            let mut names: AssumptionNames =
                entries.iter().filter_map(|entry| assumption_of_entry(id, entry)).collect();
            names.dedup();
            return names;
        }
        _ => return Vec::new(),
    };
    vec![name]
}

fn assumption_of_entry(id: OperationId, entry: &ValidationError) -> Option<&'static str> {
    let (field, message) = (entry.field.as_ref(), entry.message.as_ref());
    let name = match (id, field) {
        (OperationId::ListsQuery, "filter.pageNumber")
        | (OperationId::ContactsQuery, "search.pageNumber")
        | (OperationId::OptOutsQuery, "getOptOuts.pageNumber")
        | (OperationId::ShortLinksSearch, "page.page_number") => "paging.page_number",
        (OperationId::SendersQuery, "get_all_sms_senders.page_number") => "senders.query.paging",
        (OperationId::ListsCreate, _) if message == "List name already exists" => "lists.create.same_name",
        (OperationId::ContactsCreate, "createContacts.request.listUid") => "contacts.create.no_list",
        (OperationId::ContactsCreate, "createContacts.request.callbackUrl") => "contacts.create.callback_url",
        (OperationId::ContactsCreate, "createContacts.request.conCreateRequests") if message.starts_with("size") => {
            "contacts.create.too_many"
        }
        (OperationId::OptOutsQuery, "getOptOuts.sortOrder") => "optouts.query.sort_order",
        (OperationId::ShortLinksCreate, "title") => "shortlinks.create.title",
        (OperationId::ShortLinksCreate, "target_url") => "shortlinks.create.target_url",
        (OperationId::ShortLinksCreate, "tags" | "tags[]") => "shortlinks.create.tags",
        (OperationId::ShortLinksSearch, "filter.created_at_start" | "filter.created_at_end") => {
            "shortlinks.search.times"
        }
        _ => return None,
    };
    Some(name)
}
