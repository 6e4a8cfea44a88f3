//! Shows the state as it was when a request was answered: the present state with every later step undone.

use std::io::Write;

use axum::http::HeaderValue;
use roost_ops::{
    Core, Image,
    seed::{self, SeedFormat},
};
use roost_wire::{QueryString, query::parse_integer};

use super::super::{error::AdminError, journal::missing_line_error, route::AdminRequest};
use crate::{door::WorldVisit, http::response::JSON_TYPE, world::World};

/// Writes the state as a seed, so that it can be read, stored and restored.
pub(crate) fn show_past_state(
    visit: &WorldVisit,
    request: &AdminRequest,
    out: &mut dyn Write,
) -> Result<HeaderValue, AdminError> {
    let query = QueryString::parse(&request.query);
    let wanted = query.filled_value("at").ok_or_else(|| {
        AdminError::bad_query(
            "at is required: the number of a request in the journal, or 0 for the state before the first one.",
        )
    })?;
    let image = image_at(visit, parse_request_number(wanted)?)?;
    let core = Core::from_image(&image, visit.core().ctx().for_seed())?;
    seed::export_as(&core, &visit.rules.short_base, SeedFormat::Json, out)?;
    Ok(JSON_TYPE)
}

/// Parses the number of a journal line.
pub(crate) fn parse_request_number(text: &str) -> Result<u64, AdminError> {
    let number = parse_integer(text).and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| AdminError::bad_query(format!("'{text}' is not a valid request number.")))
}

/// Returns the image of the account as it was when a request was answered.
pub(crate) fn image_at(visit: &WorldVisit, seq: u64) -> Result<Image, AdminError> {
    let step = step_at(visit.world(), seq)?;
    visit.core().image_after(step)?.ok_or_else(|| {
        let message = format!("The changes since request {seq} are no longer all stored.");
        AdminError::conflict(
            "forgotten",
            message,
            "Ask for a later request. A server with --db stores changes for longer.",
        )
    })
}

/// Returns the last step of the account when a request was answered.
fn step_at(world: &World, seq: u64) -> Result<i64, AdminError> {
    if seq == 0 {
        return Ok(world.first_step());
    }
    let line = world.journal.get(seq).ok_or_else(|| missing_line_error(&world.journal, seq))?;
    if line.epoch != world.epoch.epoch() {
        let message = format!("The world was reset or restored after request {seq}.");
        return Err(AdminError::conflict(
            "reset_meanwhile",
            message,
            "Ask for a request of the current epoch, or use a \
         snapshot.",
        ));
    }
    // What its job did is part of what the request did, unless something else changed in between.
    Ok(world.journal.last_step_of_job(line.number, line.step))
}
