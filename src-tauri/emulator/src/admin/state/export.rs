//! The whole account going out in several forms, and coming in.

use std::io::Write;

use axum::http::HeaderValue;
use roost_ops::{
    By, Core, Ctx, Image,
    seed::{self, Form, Only, SeedReport},
};
use roost_wire::{Query, query::parse_integer};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{
        refused::Refused,
        route::{Asked, Whole},
    },
    Held,
    record::resource_of,
};
use crate::{
    door::{Visit, answer::JSON, intake::Received},
    world::{Pass, Reset, replace},
};

/// How every SQLite database begins.
const DATABASE: &[u8] = b"SQLite format 3\0";

/// Answers what type the text is of.
pub fn export(visit: &Visit, asked: &Asked, out: &mut dyn Write) -> Result<HeaderValue, Refused> {
    let query = Query::parse(&asked.query);
    let (form, media) = match query.filled("format") {
        None | Some("json") => (Form::Json, JSON),
        Some("yaml") => (Form::Yaml, HeaderValue::from_static("application/yaml")),
        Some("ndjson") => (Form::Lines, HeaderValue::from_static("application/x-ndjson")),
        Some("sqlite") if query.filled("record").is_some() => {
            return Err(Refused::bad_query("An account file holds the whole account; one record comes as a seed."));
        }
        Some("sqlite") => {
            // An account file of its own: neither the memory of what was done nor the work that waits.
            let copy = visit.core().copy_in_memory(Ctx::system())?.image()?;
            out.write_all(copy.bytes()).map_err(|error| {
                tracing::error!(%error, "an account could not be written out");
                Refused::internal()
            })?;
            return Ok(HeaderValue::from_static("application/vnd.sqlite3"));
        }
        Some(other) => {
            return Err(Refused::bad_query(format!("format is json, yaml, ndjson or sqlite, and not '{other}'.")));
        }
    };
    let contacts = match query.filled("contacts") {
        None => u64::MAX,
        Some(text) => parse_integer(text)
            .and_then(|count| u64::try_from(count).ok())
            .ok_or_else(|| Refused::bad_query("contacts is a whole number."))?,
    };
    let base = &visit.rules.short_base;
    match query.filled("record") {
        None if contacts < u64::MAX => return Err(Refused::bad_query("contacts is for the record of a list.")),
        None => seed::export_as(&visit.core(), base, form, out)?,
        Some(name) => {
            let form_of_name = || Refused::bad_query("record is a resource and a key: lists/LST_…");
            let (of, key) = name.split_once('/').ok_or_else(form_of_name)?;
            let only = Only { resource: resource_of(of)?, key, contacts };
            seed::export_only(&visit.core(), base, only, form, out)?;
        }
    }
    Ok(media)
}

/// How much came in, and what ended to make room for it.
#[derive(Serialize, JsonSchema)]
pub struct Imported {
    /// What it held; nothing of an account file, which is not counted.
    imported: Option<Held>,
    /// Of a replacement.
    reset: Option<Reset>,
}

/// In the place of everything that is there, or merged into it; what reset goes back to stays what it was.
pub async fn import(whole: Whole) -> Result<Imported, Refused> {
    let Whole { world, asked, .. } = whole;
    match Query::parse(&asked.query).filled("mode") {
        Some("replace") => {}
        Some("merge") => return merge(Pass::enter(world).await, asked.body).await,
        Some(_) | None => return Err(Refused::bad_query("mode is replace or merge.")),
    }
    let base = world.rules().short_base.clone();
    let core = world.core.clone();
    let read = tokio::task::spawn_blocking(move || read(&asked.body, &base, &core));
    let (image, report) = read.await.map_err(|_| Refused::internal())??;
    let reset = replace(&world, image, None, false).await?;
    Ok(Imported { imported: report.map(Held::from), reset: Some(reset) })
}

/// One step of the account, which belongs to the epoch it began in.
async fn merge(pass: Pass, body: Received) -> Result<Imported, Refused> {
    if body.starts_with(DATABASE) {
        return Err(Refused::bad_query("An account file replaces what is there; merge takes a seed."));
    }
    let merged = tokio::task::spawn_blocking(move || {
        let visit = Visit::new(pass, false);
        seed::merge(&visit.core(), &By::operator(), &body, &visit.rules.short_base)
    });
    let report = merged.await.map_err(|_| Refused::internal())??;
    Ok(Imported { imported: Some(report.into()), reset: None })
}

/// The account that these bytes are, whole or not at all, for `core` to hold.
pub fn read(body: &[u8], own_base: &str, core: &Core) -> Result<(Image, Option<SeedReport>), Refused> {
    if body.starts_with(DATABASE) {
        let image = Image::check(body).and_then(|image| image.without_work());
        return Ok((image.map_err(|error| Refused::bad_seed(error.to_string()))?, None));
    }
    read_seed(body, own_base, core).map(|(image, report)| (image, Some(report)))
}

/// The account that a seed makes, for `core` to hold.
pub fn read_seed(text: &[u8], own_base: &str, core: &Core) -> Result<(Image, SeedReport), Refused> {
    let fresh = Core::from_image(Image::empty().map_err(roost_ops::Error::from)?, core.ctx().for_seed())?;
    let report = seed::apply(&fresh, &By::operator(), text, own_base)?;
    core.ctx().ids().avoid_those_of(fresh.ctx().ids());
    Ok((fresh.image()?, report))
}
