//! Shows the state as it was when a request was answered: the present state with every later step taken back.

use std::io::Write;

use axum::http::HeaderValue;
use roost_ops::{
    Core, Image,
    seed::{self, SeedFormat},
};
use roost_wire::{QueryString, query::parse_integer};

use super::super::{refused::Refused, route::Asked};
use crate::{
    door::{Visit, answer::JSON},
    world::World,
};

/// Writes the state as a seed, so that it can be read, stored and restored.
pub fn show(visit: &Visit, asked: &Asked, out: &mut dyn Write) -> Result<HeaderValue, Refused> {
    let query = QueryString::parse(&asked.query);
    let wanted = query.filled_value("at").ok_or_else(|| {
        Refused::bad_query(
            "at is missing: the number of a request of the journal, or 0 for what was there before the first.",
        )
    })?;
    let image = image_at(visit, number(wanted)?)?;
    let core = Core::from_image(&image, visit.core().ctx().for_seed())?;
    seed::export_as(&core, &visit.rules.short_base, SeedFormat::Json, out)?;
    Ok(JSON)
}

/// Parses the number of a journal line.
pub fn number(text: &str) -> Result<u64, Refused> {
    let number = parse_integer(text).and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| Refused::bad_query(format!("'{text}' is not the number of a request.")))
}

/// Returns the image of the account as it was when a request was answered.
pub fn image_at(visit: &Visit, seq: u64) -> Result<Image, Refused> {
    let step = step_at(visit.world(), seq)?;
    visit.core().image_after(step)?.ok_or_else(|| {
        let told = format!("Not every change since request {seq} is remembered any more.");
        Refused::conflict("forgotten", told, "Ask for a later one. A server on an account file remembers for longer.")
    })
}

/// Returns the last step of the account when a request was answered.
fn step_at(world: &World, seq: u64) -> Result<i64, Refused> {
    if seq == 0 {
        return Ok(world.first_step());
    }
    let told =
        || Refused::not_found(format!("There is no request {seq} in the journal, or it gave way to newer ones."));
    let line = world.journal.get(seq).ok_or_else(told)?;
    if line.epoch != world.flight.epoch() {
        let told = format!("The world was put back since request {seq}, which is of another epoch.");
        return Err(Refused::conflict("reset_meanwhile", told, "Ask for a request of this epoch, or for a snapshot."));
    }
    Ok(line.step)
}
