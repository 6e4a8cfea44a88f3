//! Handlers of the operations on contacts.

use std::ops::ControlFlow;

use roost_ops::{
    Actor, Core,
    contact::{self, QueryPart},
    custom_field, job,
};
use roost_wire::{
    QueryString, RestError, body,
    contact::{
        ContactQuery, NOT_FOUND, QUEUED_MESSAGE, QueuedContacts, RecordWriter, parse_create, parse_delete, parse_query,
    },
    list,
    paging::{Paging, to_bytes},
};

use super::{contact_stream, unknown_on_delete_refusal};
use crate::door::{
    OperationCall,
    error::{rest_error_or, to_rest_error},
    response::OperationResponse,
};

pub async fn query(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let asked = QueryString::parse(call.query);
    // Custom fields matter only to a caller that names fields.
    let defined = match asked.first_value("fields") {
        None => Vec::new(),
        Some(_) => call.visit.read(|core| custom_field::numbers(core).map_err(to_rest_error)).await?,
    };
    let wanted = parse_query(call.parameter, &asked, |number| defined.contains(&number))?;
    if wanted.page.is_none() && wanted.search.is_none() {
        return contact_stream::stream_contacts(call.visit, wanted).await;
    }
    Ok(OperationResponse::ok(call.visit.read(move |core| write_page(core, &wanted)).await?))
}

/// Converts the query of the interface to a query of the core.
pub(super) fn to_core_query(wanted: &ContactQuery) -> contact::ContactQuery {
    contact::ContactQuery { list: wanted.list.clone(), search: wanted.search.clone(), page: wanted.page }
}

pub(super) fn unknown_list_refusal() -> RestError {
    RestError::BadReference(list::NOT_FOUND)
}

/// Writes one page, or all contacts with one number.
fn write_page(core: &Core, wanted: &ContactQuery) -> Result<Vec<u8>, RestError> {
    let mut out = Vec::with_capacity(32 * 1024);
    let mut writer = RecordWriter::new(Some(&[]), &[]);
    let mut visit = |part: QueryPart<'_>| {
        match part {
            QueryPart::Head { total_items, custom_fields } => {
                writer = RecordWriter::new(wanted.fields.as_deref(), custom_fields);
                let paging =
                    wanted.page.map_or(Paging::single_page(total_items), |page| Paging::for_page(page, total_items));
                writer.write_head(paging, &mut out);
            }
            QueryPart::Contact(contact) => writer.write_record(contact, &mut out),
        }
        ControlFlow::Continue(())
    };
    contact::visit_contacts(core, &to_core_query(wanted), &mut visit).map_err(rest_error_or(unknown_list_refusal))?;
    writer.write_foot(&mut out);
    Ok(out)
}

pub async fn create(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let sent = call.body;
    let (world, epoch, cause) = (call.visit.world().clone(), call.visit.pass().epoch(), call.visit.cause());
    let queue = move |core: &Core| {
        let (desk, queued_at) = (world.work.job_tracker(), core.ctx().due_now());
        queue_job(core, &sent, |job| {
            desk.record_queue_time(job, queued_at);
            if let Some(number) = cause {
                desk.origins().record_origin(epoch, number, job);
            }
        })
    };
    let queued = call.visit.run_blocking(queue).await?;
    Ok(OperationResponse::Json(call.visit.rules.settings.contact_create, queued.into()))
}

/// Returns the response. Calls `record` before a worker can see the job, because it may run at once.
fn queue_job(core: &Core, sent: &[u8], record: impl FnOnce(i64)) -> Result<Vec<u8>, RestError> {
    let defined = custom_field::numbers(core).map_err(to_rest_error)?;
    let request = parse_create(body::body_text(sent)?, &defined)?;
    let new = job::NewJob {
        list: request.list,
        merge_type: request.merge_type,
        callback_url: request.callback_url.as_deref(),
        correlation_id: request.correlation_id.as_deref(),
        contacts: request.contacts,
    };
    let job = job::enqueue_then(core, &Actor::interface(), new, record).map_err(rest_error_or(unknown_list_refusal))?;
    let (message, code) = QUEUED_MESSAGE;
    let answer = QueuedContacts { list_id: job.list_id.as_str(), list_name: &job.list_name, message, code };
    Ok(to_bytes(&answer))
}

pub async fn delete(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let uid = parse_delete(call.parameter)?;
    let rules = call.visit.rules.clone();
    let missing = rest_error_or(move || unknown_on_delete_refusal(&rules.settings, NOT_FOUND));
    call.visit.run_blocking(move |core| contact::delete(core, &Actor::interface(), &uid).map_err(missing)).await?;
    Ok(OperationResponse::NoContent)
}
