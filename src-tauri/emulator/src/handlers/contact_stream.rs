//! All contacts of a list in one answer, made while it is sent: a million of them take no more memory than a hundred.

use std::ops::ControlFlow;

use axum::body::Body;
use roost_ops::contact::{self, Part};
use roost_wire::{
    Refusal,
    contact::{ContactQuery, RecordWriter},
    paging::Paging,
};

use super::contact::{core_query, unknown_list};
use crate::{
    door::{Visit, answer::Answer, error::refusal_or},
    work::{Pipe, pipe},
};

const PIECE: usize = 64 * 1024;

pub async fn answer(visit: &Visit, wanted: ContactQuery) -> Result<Answer, Refusal> {
    let (out, mut drain) = pipe(Some(visit.pass().another()));
    let core = visit.core();
    tokio::task::spawn_blocking(move || {
        let made = write_all(&core, &wanted, &out);
        out.end(made);
    });
    // A short list is one piece, and then an answer like any other.
    let first = drain.next().await?;
    if drain.has_ended() {
        return Ok(Answer::Json(200, first.unwrap_or_default()));
    }
    Ok(Answer::Stream(Body::from_stream(drain.stream(first))))
}

fn write_all(core: &roost_ops::Core, wanted: &ContactQuery, out: &Pipe) -> Result<Vec<u8>, Refusal> {
    let mut buffer = Vec::new();
    let mut writer = RecordWriter::new(Some(&[]), &[]);
    let mut visit = |part: Part<'_>| {
        match part {
            Part::Head { total_items, custom_fields } => {
                writer = RecordWriter::new(wanted.fields.as_deref(), custom_fields);
                writer.head(Paging::whole(total_items), &mut buffer);
            }
            Part::Contact(contact) => writer.record(contact, &mut buffer),
        }
        if buffer.len() < PIECE {
            return ControlFlow::Continue(());
        }
        out.send(std::mem::replace(&mut buffer, Vec::with_capacity(PIECE + PIECE / 8)))
    };
    contact::query(core, &core_query(wanted), &mut visit).map_err(refusal_or(unknown_list))?;
    writer.foot(&mut buffer);
    Ok(buffer)
}
