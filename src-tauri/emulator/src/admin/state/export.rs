//! The whole account going out in several forms, and coming in.

use std::io::Write;

use axum::http::HeaderValue;
use roost_ops::{
    By, Core, Ctx, Image, Resource,
    diff::{self, Ask},
    overview,
    seed::{self, Form, Only, SeedReport},
};
use roost_wire::{Query, query::parse_integer};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{
        refused::Refused,
        route::{Asked, Whole, read_flag},
    },
    Held,
    record::resource_of,
};
use crate::{
    door::{Visit, answer::JSON, intake::Received},
    world::{Pass, Reset, World, replace},
};

/// What a comparison of opt-outs has no use for.
const ALL_BUT_OPT_OUTS: &str = "senders, assets, custom_fields, lists, contacts, short_links, jobs";
/// How snapshots that an import takes begin, and how many of them are kept.
const BEFORE_IMPORT: &str = "before-import-";
const COPIES_MAX: usize = 5;
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

/// How much was imported, and what was removed to make room for it.
#[derive(Serialize, JsonSchema)]
pub struct Imported {
    /// What the file held.
    imported: Option<Held>,
    /// What was there before. Of a replacement.
    replaced: Option<Held>,
    /// Opt-outs that were there before and are not in the file. Of a replacement.
    opt_outs_removed: Option<u64>,
    /// Where what was there before is kept, if the request asked for it.
    copy: Option<KeptCopy>,
    /// Of a replacement that was not only tried.
    reset: Option<Reset>,
}

/// A copy of the account that was replaced: a file beside the account file, or a snapshot of a world in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeptCopy {
    file: Option<String>,
    snapshot: Option<String>,
}

/// What the query says of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Replacement {
    /// Only counts.
    is_dry_run: bool,
    /// How many opt-outs may be removed; any number where it is not said.
    opt_outs: Option<u64>,
    keeps_copy: bool,
}

impl Replacement {
    fn parse(query: &Query) -> Result<Self, Refused> {
        let opt_outs = query.filled("opt_outs").map(|text| {
            let count = parse_integer(text).and_then(|count| u64::try_from(count).ok());
            count.ok_or_else(|| Refused::bad_query(format!("opt_outs is a non-negative integer, got '{text}'.")))
        });
        Ok(Self {
            is_dry_run: read_flag(query, "dry_run")?,
            opt_outs: opt_outs.transpose()?,
            keeps_copy: read_flag(query, "keep_copy")?,
        })
    }
}

/// In the place of everything that is there, or merged into it; what reset goes back to stays what it was.
pub async fn import(whole: Whole) -> Result<Imported, Refused> {
    let Whole { world, asked, .. } = whole;
    let query = Query::parse(&asked.query);
    let wanted = Replacement::parse(&query)?;
    match query.filled("mode") {
        Some("replace") => {}
        Some("merge") if wanted != Replacement { is_dry_run: false, opt_outs: None, keeps_copy: false } => {
            return Err(Refused::bad_query("dry_run, opt_outs and keep_copy are for mode=replace."));
        }
        Some("merge") => return merge(Pass::enter(world).await, asked.body).await,
        Some(_) | None => return Err(Refused::bad_query("mode is replace or merge.")),
    }
    let base = world.rules().short_base.clone();
    let core = world.core.clone();
    let counted = tokio::task::spawn_blocking(move || {
        let (image, _) = read(&asked.body, &base, &core)?;
        let counted = count_replacement(&core, &image, base)?;
        Ok::<_, Refused>((image, counted))
    });
    let (image, mut told) = counted.await.map_err(|_| Refused::internal())??;
    let removed = told.opt_outs_removed.unwrap_or_default();
    if let Some(confirmed) = wanted.opt_outs.filter(|confirmed| *confirmed != removed) {
        let message =
            format!("{removed} opt-outs would be removed, and {confirmed} were confirmed. Nothing was changed.");
        return Err(Refused::conflict("unconfirmed", message, "Send opt_outs with the number that would be removed."));
    }
    if wanted.is_dry_run {
        return Ok(told);
    }
    if wanted.keeps_copy {
        let world = world.clone();
        let kept = tokio::task::spawn_blocking(move || keep_copy(&world));
        told.copy = Some(kept.await.map_err(|_| Refused::internal())??);
    }
    told.reset = Some(replace(&world, image, None, false).await?);
    Ok(told)
}

/// What an image would remove and add.
fn count_replacement(core: &Core, image: &Image, own_base: String) -> Result<Imported, Refused> {
    let ask = Ask { own_base, ignored: diff::ignored(ALL_BUT_OPT_OUTS).unwrap_or_default(), limit: 0 };
    let found = diff::between(&core.image()?, image, &ask)?;
    let held = |core: &Core| Ok::<_, Refused>(Held::from(overview::get(core)?));
    Ok(Imported {
        imported: Some(held(&Core::from_image(image, core.ctx().for_seed())?)?),
        replaced: Some(held(core)?),
        opt_outs_removed: Some(found.of(Resource::OptOuts).removed.count),
        copy: None,
        reset: None,
    })
}

/// Keeps what a world holds: beside the account file, or as a snapshot where there is no file.
fn keep_copy(world: &World) -> Result<KeptCopy, Refused> {
    if let Some(path) = world.core.keep_copy()? {
        return Ok(KeptCopy { file: Some(path.to_string_lossy().into_owned()), snapshot: None });
    }
    let snapshot = world.keep_snapshot(BEFORE_IMPORT, COPIES_MAX)?;
    Ok(KeptCopy { file: None, snapshot: Some(snapshot) })
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
    let imported = Some(report.into());
    Ok(Imported { imported, replaced: None, opt_outs_removed: None, copy: None, reset: None })
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
