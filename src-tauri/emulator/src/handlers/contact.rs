//! Handlers of the operations on contacts.

use std::ops::ControlFlow;

use roost_model::page::PageRequest;
use roost_ops::{
    Actor, Core,
    contact::{self, ListReader, QueryPart},
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
use crate::{
    door::OperationCall,
    http::{
        error::{rest_error_or, to_rest_error},
        response::OperationResponse,
    },
    world::{ContactRecords, KeptRecords},
};

/// A record of the usual length, so that the text of a page is seldom copied while it grows.
const RECORD_BYTES: usize = 640;

pub(crate) async fn query(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let query = QueryString::parse(call.query);
    // Custom fields matter only to a caller that names fields.
    let defined = match query.first_value("fields") {
        None => Vec::new(),
        Some(_) => call.visit.read(|core| custom_field::numbers(core).map_err(to_rest_error)).await?,
    };
    let wanted = parse_query(call.parameter, &query, |number| defined.contains(&number))?;
    let body = match wanted.page {
        _ if wanted.search.is_some() => call.visit.read(move |core| write_found(core, &wanted)).await?,
        None => return contact_stream::stream_contacts(call.visit, wanted).await,
        Some(page) => {
            let world = call.visit.world().clone();
            let write = move |core: &Core| {
                write_page(core, &world.contact_records, &wanted, page).map_err(rest_error_or(unknown_list_refusal))
            };
            call.visit.read(write).await?
        }
    };
    Ok(OperationResponse::ok(body))
}

/// Converts the query of the interface to a query of the core.
pub(super) fn to_core_query(wanted: &ContactQuery) -> contact::ContactQuery {
    contact::ContactQuery { list: wanted.list.clone(), search: wanted.search.clone(), page: wanted.page }
}

pub(super) fn unknown_list_refusal() -> RestError {
    RestError::BadReference(list::NOT_FOUND)
}

/// Writes one page of a list. The records of all fields are kept.
fn write_page(
    core: &Core,
    records: &ContactRecords,
    wanted: &ContactQuery,
    page: PageRequest,
) -> Result<Vec<u8>, roost_ops::Error> {
    let mut out = Vec::with_capacity(RECORD_BYTES * page.size as usize);
    contact::read_list(core, &wanted.list, |list| {
        let mut writer = RecordWriter::new(wanted.fields.as_deref(), list.custom_fields());
        writer.write_head(Paging::for_page(page, list.total_items()), &mut out);
        let state = list.contacts_state().filter(|_| wanted.fields.is_none());
        let mut cache = state.map(|state| records.lock_at(state, list.custom_fields()));
        for id in find_page(list, cache.as_deref_mut(), page)? {
            writer.separate(&mut out);
            if let Some(record) = cache.as_ref().and_then(|cache| cache.get(id)) {
                out.extend_from_slice(record);
                continue;
            }
            let begin = out.len();
            list.read_record(id, |contact| writer.write_values(contact, &mut out))?;
            if let Some(cache) = &mut cache {
                cache.insert(id, &out[begin..]);
            }
        }
        writer.write_foot(&mut out);
        Ok(())
    })?;
    Ok(out)
}

/// Returns the rows of the contacts of a page. A page that was read before, or that follows one, is found without
/// counting the contacts before it.
fn find_page(
    list: &ListReader,
    cache: Option<&mut KeptRecords>,
    page: PageRequest,
) -> Result<Vec<i64>, roost_ops::Error> {
    let (number, offset) = (list.number(), page.offset());
    let Some(cache) = cache else { return list.newest_ids(offset, page.size) };
    let ids = match (offset, cache.start(number, offset)) {
        (0, _) => list.newest_ids(0, page.size)?,
        (_, Some(before)) => list.ids_after(before, page.size)?,
        (_, None) => {
            let mut ids = list.newest_ids(offset - 1, page.size + 1)?;
            if ids.is_empty() {
                return Ok(ids);
            }
            cache.insert_start(number, offset, ids.remove(0));
            ids
        }
    };
    if let Some(last) = ids.last().filter(|_| ids.len() == page.size as usize) {
        cache.insert_start(number, offset + u64::from(page.size), *last);
    }
    Ok(ids)
}

/// Writes the contacts with one number.
fn write_found(core: &Core, wanted: &ContactQuery) -> Result<Vec<u8>, RestError> {
    let mut out = Vec::new();
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

pub(crate) async fn create(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let sent = call.body;
    let size = sent.len();
    let (world, epoch, cause) = (call.visit.world().clone(), call.visit.pass().epoch(), call.visit.cause());
    let queue = move |core: &Core| {
        let (tracker, queued_at) = (world.work.job_tracker(), core.ctx().due_now());
        queue_job(core, &sent, |job| {
            tracker.record_queue_time(job, queued_at);
            if let Some(number) = cause {
                tracker.origins().record_origin(epoch, number, job);
            }
        })
    };
    let queued = call.visit.write_sized(size, queue).await?;
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

pub(crate) async fn delete(call: OperationCall<'_>) -> Result<OperationResponse, RestError> {
    let uid = parse_delete(call.parameter)?;
    let rules = call.visit.rules.clone();
    let missing = rest_error_or(move || unknown_on_delete_refusal(&rules.settings, NOT_FOUND));
    call.visit.write(move |core| contact::delete(core, &Actor::interface(), &uid).map_err(missing)).await?;
    Ok(OperationResponse::NoContent)
}
