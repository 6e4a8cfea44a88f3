//! Sends all contacts of a list in one response, with the same memory for a million contacts as for a hundred.

use std::{io::Write as _, ops::ControlFlow};

use axum::body::Body;
use roost_ops::contact::{self, QueryPart};
use roost_wire::{
    RestError,
    contact::{ContactQuery, RecordWriter},
    paging::Paging,
};

use super::contact::{core_query, unknown_list};
use crate::{
    door::{Visit, answer::Answer, error::refusal_or},
    work::{NotMade, SpoolWriter, make_long_answer},
};

const PIECE: usize = 64 * 1024;

pub async fn answer(visit: &Visit, wanted: ContactQuery) -> Result<Answer, RestError> {
    let core = visit.core();
    let made = make_long_answer(&visit.world().ground.room, move |out| write_all(&core, &wanted, out)).await;
    let (mut spool, ()) = made.map_err(|why| match why {
        NotMade::NoRoom(_) => RestError::Busy,
        NotMade::Failed(refusal) => refusal,
        NotMade::Broken => RestError::Internal,
    })?;
    Ok(match spool.short() {
        Some(body) => Answer::Json(200, body),
        None => Answer::Stream(Body::from_stream(spool.into_stream(Some(visit.pass().another())))),
    })
}

fn write_all(core: &roost_ops::Core, wanted: &ContactQuery, out: &mut SpoolWriter) -> Result<(), RestError> {
    let mut buffer = Vec::with_capacity(PIECE + PIECE / 8);
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
        if buffer.len() >= PIECE {
            failed = out.write_all(&buffer).err();
            buffer.clear();
        }
        if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    contact::visit_contacts(core, &core_query(wanted), &mut visit).map_err(refusal_or(unknown_list))?;
    writer.write_foot(&mut buffer);
    let written = failed.map_or_else(|| out.write_all(&buffer), Err);
    written.map_err(|_| RestError::Internal)
}
