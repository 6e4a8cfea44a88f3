//! Builds the OpenAPI document of the interface itself.

use serde_json::{Map, Value, json};

use super::{OpenApiDocument, json_body, json_response, parameters};
use crate::{
    contact,
    envelope::schema::{ErrorSchema, NotFoundErrorSchema, SenderErrors},
    list,
    operation::{Family, OPERATIONS, Operation, OperationId},
    opt_out, paging, sender, short_link,
};

/// Returns the OpenAPI 3.1 document of the sixteen operations.
pub fn interface_document() -> Value {
    let mut document = OpenApiDocument::default();
    for operation in &OPERATIONS {
        let described = describe_operation(&mut document, operation);
        document.add_operation(operation.method.as_str(), operation.path, described);
    }
    let info = json!({
        "title": "Messaging asset and contact management",
        "version": "1",
        "description": "Senders, lists, contacts, opt-outs and short links of a messaging account.",
    });
    document.finish(info, ("key", json!({ "type": "apiKey", "in": "header", "name": "X-AUTH-KEY" })))
}

fn describe_operation(document: &mut OpenApiDocument, operation: &Operation) -> Value {
    let mut described = json!({
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.group.as_str()],
        "parameters": parameters::describe_parameters(operation),
    });
    if let Some(schema) = request_body_schema(document, operation.id) {
        described["requestBody"] = json_body(schema);
    }
    let mut responses = Map::new();
    for (status, answer) in success_responses(document, operation.id) {
        responses.insert(status.to_string(), answer);
    }
    for status in error_statuses(operation) {
        responses.insert(status.to_string(), error_response(document, operation.family, status));
    }
    described["responses"] = Value::Object(responses);
    if operation.id == OperationId::ContactsCreate {
        described["callbacks"] =
            json!({ "ended": { "{$request.body#/callback_url}": { "post": describe_callback(document) } } });
    }
    described
}

/// Describes the request that is posted to the callback address of a job.
fn describe_callback(document: &mut OpenApiDocument) -> Value {
    json!({
        "summary": "The job has ended.",
        "requestBody": json_body(document.response_schema::<contact::JobEnded<'static>>()),
        "responses": { "2XX": { "description": "Received. After any other status, the callback is repeated a few \
         times." } },
    })
}

fn request_body_schema(document: &mut OpenApiDocument, id: OperationId) -> Option<Value> {
    Some(match id {
        OperationId::ListsCreate => document.request_schema::<list::ListCreate>(),
        OperationId::ContactsCreate => document.request_schema::<contact::ContactsCreate>(),
        OperationId::OptOutsCreate => document.request_schema::<opt_out::OptOutsCreate>(),
        OperationId::OptOutsDelete => document.request_schema::<opt_out::OptOutsDelete>(),
        OperationId::ShortLinksCreate => document.request_schema::<short_link::ShortLinkCreate>(),
        OperationId::ShortLinksSearch => document.request_schema::<short_link::ShortLinkSearch>(),
        _ => return None,
    })
}

/// Returns the response of every success status, including those that a setting can choose.
fn success_responses(document: &mut OpenApiDocument, id: OperationId) -> Vec<(u16, Value)> {
    let (statuses, schema): (&[u16], Value) = match id {
        OperationId::SendersQuery => (&[200], document.response_schema::<paging::Paged<sender::Sender<'static>>>()),
        OperationId::SendersGet => (&[200], document.response_schema::<sender::Sender<'static>>()),
        OperationId::ListsQuery => (&[200], document.response_schema::<paging::Paged<list::List<'static>>>()),
        OperationId::ListsCreate => (&[200, 201], document.response_schema::<list::CreatedList<'static>>()),
        // The query may leave fields out of records, so the schema requires none of them.
        OperationId::ContactsQuery => (&[200], contacts_page(document)),
        OperationId::ContactsCreate => {
            (&[200, 201, 202], document.response_schema::<contact::QueuedContacts<'static>>())
        }
        OperationId::OptOutsQuery => (&[200], document.response_schema::<paging::Paged<opt_out::OptOut<'static>>>()),
        OperationId::OptOutsCreate => (&[201], document.response_schema::<opt_out::Created>()),
        OperationId::OptOutsDelete => (&[200, 201, 202], document.response_schema::<opt_out::Removed>()),
        OperationId::ShortLinksCreate | OperationId::ShortLinksGet => {
            (&[200], document.response_schema::<short_link::ShortLink<'static>>())
        }
        OperationId::ShortLinksSearch => {
            (&[200], document.response_schema::<paging::Paged<short_link::ShortLink<'static>>>())
        }
        OperationId::SendersDelete
        | OperationId::ListsDelete
        | OperationId::ContactsDelete
        | OperationId::ShortLinksDelete => return vec![(204, json!({ "description": "Deleted." }))],
    };
    statuses.iter().map(|status| (*status, json_response("Done.", schema.clone()))).collect()
}

fn contacts_page(document: &mut OpenApiDocument) -> Value {
    // A request's schema is used, because it allows keys to be left out.
    let record = document.request_schema::<contact::Contact>();
    let paging = document.response_schema::<paging::Paging>();
    json!({
        "type": "object",
        "properties": { "paging": paging, "items": { "type": "array", "items": record } },
        "required": ["paging", "items"],
    })
}

fn error_statuses(operation: &Operation) -> Vec<u16> {
    let mut statuses = vec![401, 403, 413, 429, 500];
    let has_body = request_body_schema(&mut OpenApiDocument::default(), operation.id).is_some();
    let is_senders_one = matches!(operation.id, OperationId::SendersGet | OperationId::SendersDelete);
    if (has_body || !parameters::describe_parameters(operation).is_empty()) && !is_senders_one {
        statuses.push(400);
    }
    if operation.parameter().is_some() {
        // An empty parameter, or one of dots, makes another path, which may be unknown or have other methods.
        statuses.extend([404, 405]);
    }
    statuses.sort_unstable();
    statuses
}

fn error_response(document: &mut OpenApiDocument, family: Family, status: u16) -> Value {
    let schema = match (family, status) {
        (Family::Senders, _) => document.response_schema::<SenderErrors>(),
        (_, 404) => document.response_schema::<NotFoundErrorSchema>(),
        _ => document.response_schema::<ErrorSchema>(),
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
    let mut answer = json_response(description, schema);
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
