//! Sends all contacts of a list in one response, with the same memory for a million contacts as for a hundred.

use std::{io::Write as _, ops::ControlFlow};

use axum::body::Body;
use roost_ops::contact::{self, QueryPart};
use roost_wire::{
    RestError,
    contact::{ContactQuery, RecordWriter},
    paging::Paging,
};

use super::contact::{to_core_query, unknown_list_refusal};
use crate::{
    door::WorldVisit,
    http::{error::rest_error_or, response::OperationResponse},
    work::{LongResponseError, SpoolWriter, make_long_response},
};

const PIECE_BYTES: usize = 64 * 1024;

pub(super) async fn stream_contacts(visit: &WorldVisit, wanted: ContactQuery) -> Result<OperationResponse, RestError> {
    let core = visit.core();
    let response =
        make_long_response(&visit.world().resources.capacity, move |out| write_all(&core, &wanted, out)).await;
    let (mut spool, ()) = response.map_err(|why| match why {
        LongResponseError::BoundReached(_) => RestError::Busy,
        LongResponseError::Failed(refusal) => refusal,
        LongResponseError::Broken => RestError::Internal,
    })?;
    Ok(match spool.take_short() {
        Some(body) => OperationResponse::Json(200, body),
        None => OperationResponse::Stream(Body::from_stream(spool.into_stream(Some(visit.pass().new_pass())))),
    })
}

fn write_all(core: &roost_ops::Core, wanted: &ContactQuery, out: &mut SpoolWriter) -> Result<(), RestError> {
    let mut buffer = Vec::with_capacity(PIECE_BYTES + PIECE_BYTES / 8);
    let mut writer = RecordWriter::new(Some(&[]), &[]);
    let mut failed = None;
    let mut visit = |part: QueryPart<'_>| {
        match part {
            QueryPart::Head { total_items, custom_fields } => {
                writer = RecordWriter::new(wanted.fields.as_deref(), custom_fields);
                writer.write_head(Paging::single_page(total_items), &mut buffer);
            }
            QueryPart::Contact(contact) => writer.write_record(contact, &mut buffer),
        }
        if buffer.len() >= PIECE_BYTES {
            failed = out.write_all(&buffer).err();
            buffer.clear();
        }
        if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    contact::visit_contacts(core, &to_core_query(wanted), &mut visit).map_err(rest_error_or(unknown_list_refusal))?;
    writer.write_foot(&mut buffer);
    let written = failed.map_or_else(|| out.write_all(&buffer), Err);
    written.map_err(|_| RestError::Internal)
}
