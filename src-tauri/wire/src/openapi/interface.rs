//! The document of the interface itself.

use serde_json::{Map, Value, json};

use super::{Document, json_answer, json_body, parameters};
use crate::{
    contact,
    envelope::schema::{Error, NotFoundError, SenderErrors},
    list,
    operation::{Family, OPERATIONS, Operation, OperationId},
    opt_out, paging, sender, short_link,
};

/// OpenAPI 3.1 of the sixteen operations.
pub fn document() -> Value {
    let mut document = Document::default();
    for operation in &OPERATIONS {
        let described = describe(&mut document, operation);
        document.add(operation.method.as_str(), operation.path, described);
    }
    let info = json!({
        "title": "Messaging asset and contact management",
        "version": "1",
        "description": "Senders, lists, contacts, opt-outs and short links of a messaging account.",
    });
    document.finish(info, ("key", json!({ "type": "apiKey", "in": "header", "name": "X-AUTH-KEY" })))
}

fn describe(document: &mut Document, operation: &Operation) -> Value {
    let mut described = json!({
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.group.as_str()],
        "parameters": parameters::of(operation),
    });
    if let Some(schema) = request_schema(document, operation.id) {
        described["requestBody"] = json_body(schema);
    }
    let mut responses = Map::new();
    for (status, answer) in successes(document, operation.id) {
        responses.insert(status.to_string(), answer);
    }
    for status in refusals(operation) {
        responses.insert(status.to_string(), refusal(document, operation.family, status));
    }
    described["responses"] = Value::Object(responses);
    if operation.id == OperationId::ContactsCreate {
        described["callbacks"] = json!({ "ended": { "{$request.body#/callback_url}": { "post": told(document) } } });
    }
    described
}

/// What comes to the address that a job was given.
fn told(document: &mut Document) -> Value {
    json!({
        "summary": "The job has ended.",
        "requestBody": json_body(document.answer::<contact::JobEnded<'static>>()),
        "responses": { "2XX": { "description": "Received. After any other status, the callback is repeated a few \
         times." } },
    })
}

fn request_schema(document: &mut Document, id: OperationId) -> Option<Value> {
    Some(match id {
        OperationId::ListsCreate => document.request::<list::ListCreate>(),
        OperationId::ContactsCreate => document.request::<contact::ContactsCreate>(),
        OperationId::OptOutsCreate => document.request::<opt_out::OptOutsCreate>(),
        OperationId::OptOutsDelete => document.request::<opt_out::OptOutsDelete>(),
        OperationId::ShortLinksCreate => document.request::<short_link::ShortLinkCreate>(),
        OperationId::ShortLinksSearch => document.request::<short_link::ShortLinkSearch>(),
        _ => return None,
    })
}

/// Every status of success, those that a setting can ask for included.
fn successes(document: &mut Document, id: OperationId) -> Vec<(u16, Value)> {
    let (statuses, schema): (&[u16], Value) = match id {
        OperationId::SendersQuery => (&[200], document.answer::<paging::Paged<sender::Sender<'static>>>()),
        OperationId::SendersGet => (&[200], document.answer::<sender::Sender<'static>>()),
        OperationId::ListsQuery => (&[200], document.answer::<paging::Paged<list::List<'static>>>()),
        OperationId::ListsCreate => (&[200, 201], document.answer::<list::CreatedList<'static>>()),
        // Fields may be left out of records by the query, so here nothing is required of them.
        OperationId::ContactsQuery => (&[200], contacts_page(document)),
        OperationId::ContactsCreate => (&[200, 201, 202], document.answer::<contact::QueuedContacts<'static>>()),
        OperationId::OptOutsQuery => (&[200], document.answer::<paging::Paged<opt_out::OptOut<'static>>>()),
        OperationId::OptOutsCreate => (&[201], document.answer::<opt_out::Created>()),
        OperationId::OptOutsDelete => (&[200, 201, 202], document.answer::<opt_out::Removed>()),
        OperationId::ShortLinksCreate | OperationId::ShortLinksGet => {
            (&[200], document.answer::<short_link::ShortLink<'static>>())
        }
        OperationId::ShortLinksSearch => (&[200], document.answer::<paging::Paged<short_link::ShortLink<'static>>>()),
        OperationId::SendersDelete
        | OperationId::ListsDelete
        | OperationId::ContactsDelete
        | OperationId::ShortLinksDelete => return vec![(204, json!({ "description": "Deleted." }))],
    };
    statuses.iter().map(|status| (*status, json_answer("Done.", schema.clone()))).collect()
}

fn contacts_page(document: &mut Document) -> Value {
    // Read as a request's schema would be: a key left out is no fault.
    let record = document.request::<contact::Contact>();
    let paging = document.answer::<paging::Paging>();
    json!({
        "type": "object",
        "properties": { "paging": paging, "items": { "type": "array", "items": record } },
        "required": ["paging", "items"],
    })
}

fn refusals(operation: &Operation) -> Vec<u16> {
    let mut statuses = vec![401, 403, 413, 429, 500];
    let has_body = request_schema(&mut Document::default(), operation.id).is_some();
    let is_senders_one = matches!(operation.id, OperationId::SendersGet | OperationId::SendersDelete);
    if (has_body || !parameters::of(operation).is_empty()) && !is_senders_one {
        statuses.push(400);
    }
    if operation.parameter().is_some() {
        // An empty or dot parameter makes another path, which may be unknown or have other methods.
        statuses.extend([404, 405]);
    }
    statuses.sort_unstable();
    statuses
}

fn refusal(document: &mut Document, family: Family, status: u16) -> Value {
    let schema = match (family, status) {
        (Family::Senders, _) => document.answer::<SenderErrors>(),
        (_, 404) => document.answer::<NotFoundError>(),
        _ => document.answer::<Error>(),
    };
    let description = match status {
        400 => "The request is invalid.",
        401 => "The key is missing or unknown.",
        403 => "The key does not permit this.",
        404 => "Not found.",
        405 => "The path does not support this method.",
        413 => "The body is larger than 64 MiB.",
        429 => "Too many requests per second.",
        _ => "The server failed.",
    };
    let mut answer = json_answer(description, schema);
    match status {
        429 => {
            answer["headers"] =
                json!({ "Retry-After": { "schema": { "type": "integer", "minimum": 1 }, "required": true } })
        }
        405 => answer["headers"] = json!({ "Allow": { "schema": { "type": "string" }, "required": true } }),
        _ => {}
    }
    answer
}
