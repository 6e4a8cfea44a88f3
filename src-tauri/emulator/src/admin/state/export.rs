//! Exports and imports the whole account in several formats.

use std::{io::Write, sync::Arc};

use axum::http::HeaderValue;
use roost_ops::{
    Actor, Core, Ctx, Image,
    overview::{self, AccountCounts},
    seed::{self, RecordExport, SeedFormat},
};
use roost_wire::{QueryString, query::parse_integer};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{
        error::AdminError,
        route::{AdminRequest, HostRequest, read_flag, read_opt_outs},
    },
    RecordCounts,
    record::find_resource,
};
use crate::{
    door::WorldVisit,
    http::{request_body::ReceivedBody, response::JSON_TYPE},
    work::{
        BackupCopy, Replacement, ResetReport, check_removed_count, count_removed_opt_outs, replace_account,
        replace_world,
    },
    world::{WORLD_MAGIC, World, WorldFile, WorldPass, WorldState},
};

/// The first bytes of every SQLite database.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// Writes the account in the requested format and returns the media type.
pub(crate) fn export_account(
    visit: &WorldVisit,
    request: &AdminRequest,
    out: &mut dyn Write,
) -> Result<HeaderValue, AdminError> {
    let query = QueryString::parse(&request.query);
    let (form, media) = match query.filled_value("format") {
        None | Some("json") => (SeedFormat::Json, JSON_TYPE),
        Some("yaml") => (SeedFormat::Yaml, HeaderValue::from_static("application/yaml")),
        Some("ndjson") => (SeedFormat::Lines, HeaderValue::from_static("application/x-ndjson")),
        Some("sqlite") if query.filled_value("record").is_some() => {
            return Err(AdminError::bad_query(
                "An account file contains the whole account. Export a single record as \
             json, yaml or ndjson.",
            ));
        }
        Some("sqlite") => {
            // The copy is a new account file, without the undo history and without pending work.
            let copy = visit.core().copy_in_memory(Ctx::system())?.image()?;
            out.write_all(copy.bytes()).map_err(|error| {
                tracing::error!(%error, "an account could not be exported");
                AdminError::internal()
            })?;
            return Ok(HeaderValue::from_static("application/vnd.sqlite3"));
        }
        Some("world") if query.filled_value("record").is_some() || query.filled_value("contacts").is_some() => {
            return Err(AdminError::bad_query(
                "A world file contains the whole world. Export a single record as json, \
             yaml or ndjson.",
            ));
        }
        Some("world") => {
            let file =
                WorldFile { at: visit.core().ctx().now(), state: WorldState::capture(visit.world(), &visit.core())? };
            file.write(out).map_err(|error| {
                tracing::error!(%error, "a world could not be exported");
                AdminError::internal()
            })?;
            return Ok(HeaderValue::from_static("application/vnd.roost.world"));
        }
        Some(other) => {
            return Err(AdminError::bad_query(format!(
                "format must be json, yaml, ndjson, sqlite or world, got '{other}'."
            )));
        }
    };
    let contacts = match query.filled_value("contacts") {
        None => u64::MAX,
        Some(text) => parse_integer(text)
            .and_then(|count| u64::try_from(count).ok())
            .ok_or_else(|| AdminError::bad_query("contacts must be a non-negative integer."))?,
    };
    let base = &visit.rules.short_base;
    match query.filled_value("record") {
        None if contacts < u64::MAX => {
            return Err(AdminError::bad_query(
                "contacts can only be used with the record of a \
         list.",
            ));
        }
        None => seed::export_as(&visit.core(), base, form, out)?,
        Some(name) => {
            let form_of_name = || AdminError::bad_query("record must be a resource and a key, for example lists/LST_…");
            let (resource_name, key) = name.split_once('/').ok_or_else(form_of_name)?;
            let only = RecordExport { resource: find_resource(resource_name)?, key, contacts };
            seed::export_record(&visit.core(), base, only, form, out)?;
        }
    }
    Ok(media)
}

/// What was imported, and what it replaced.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AccountImportResult {
    /// Contents of the file.
    imported: Option<RecordCounts>,
    /// The previous contents. Only for a replacement.
    replaced: Option<RecordCounts>,
    /// Opt-outs that were present before and are not in the file. Only for a replacement.
    opt_outs_removed: Option<u64>,
    /// Where the previous contents were saved, if the request asked for it.
    copy: Option<BackupCopy>,
    /// Only for a replacement that was carried out.
    reset: Option<ResetReport>,
}

/// The query parameters of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ReplaceQuery {
    /// Only counts and changes nothing.
    is_dry_run: bool,
    /// The number of opt-outs that the caller expects to be removed.
    opt_outs: Option<u64>,
    keeps_copy: bool,
}

impl ReplaceQuery {
    fn parse(query: &QueryString) -> Result<Self, AdminError> {
        Ok(Self {
            is_dry_run: read_flag(query, "dry_run")?,
            opt_outs: read_opt_outs(query)?,
            keeps_copy: read_flag(query, "keep_copy")?,
        })
    }
}

/// Imports a seed, an account file or a world, and replaces or merges. The seed that a reset restores stays the same.
pub(crate) async fn import_account(host_request: HostRequest) -> Result<AccountImportResult, AdminError> {
    let HostRequest { world, request, .. } = host_request;
    let query = QueryString::parse(&request.query);
    let wanted = ReplaceQuery::parse(&query)?;
    match (query.filled_value("format"), query.filled_value("mode")) {
        (None, _) => {}
        (Some("world"), None | Some("replace")) => return import_world_file(world, request.body, wanted).await,
        (Some("world"), Some(_)) => {
            return Err(AdminError::bad_query(
                "A world file replaces everything. Leave mode out, or use mode=replace.",
            ));
        }
        (Some(other), _) => {
            return Err(AdminError::bad_query(format!(
                "format must be world, got '{other}'. Leave it out for a seed or an account file."
            )));
        }
    }
    match query.filled_value("mode") {
        Some("replace") => {}
        Some("merge") if wanted != ReplaceQuery { is_dry_run: false, opt_outs: None, keeps_copy: false } => {
            return Err(AdminError::bad_query("dry_run, opt_outs and keep_copy can only be used with mode=replace."));
        }
        Some("merge") => return merge_seed(WorldPass::enter(world).await, request.body).await,
        Some(_) | None => return Err(AdminError::bad_query("mode must be replace or merge.")),
    }
    let base = world.active_settings().short_base.clone();
    let core = world.core.clone();
    let counted = tokio::task::spawn_blocking(move || {
        let (image, _) = read_image(&request.body, &base, &core)?;
        let counted = count_replacement(&core, &image, base)?;
        Ok::<_, AdminError>((image, counted))
    });
    let (image, mut result) = counted.await.map_err(|_| AdminError::internal())??;
    let removed = result.opt_outs_removed.unwrap_or_default();
    if !wanted.is_dry_run || wanted.opt_outs.is_some() {
        check_removed_count(&world, removed, wanted.opt_outs)?;
    }
    if wanted.is_dry_run {
        return Ok(result);
    }
    let mut reset = replace_account(&world, image, Replacement::Import, wanted.keeps_copy).await?;
    result.copy = reset.copy.take();
    result.reset = Some(reset);
    Ok(result)
}

/// Replaces this world by the one in the file. Its keys and the seed that a reset restores stay the same.
async fn import_world_file(
    world: Arc<World>,
    body: ReceivedBody,
    wanted: ReplaceQuery,
) -> Result<AccountImportResult, AdminError> {
    let (core, base) = (world.core.clone(), world.active_settings().short_base.clone());
    let counted = tokio::task::spawn_blocking(move || {
        let state = WorldFile::read(&body)?.state;
        let counts = count_replacement(&core, &state.image, base)?;
        Ok::<_, AdminError>((state, counts))
    });
    let (state, mut counts) = counted.await.map_err(|_| AdminError::internal())??;
    if !wanted.is_dry_run || wanted.opt_outs.is_some() {
        check_removed_count(&world, counts.opt_outs_removed.unwrap_or_default(), wanted.opt_outs)?;
    }
    if wanted.is_dry_run {
        return Ok(counts);
    }
    let mut reset = replace_world(&world, state, wanted.keeps_copy).await?;
    counts.copy = reset.copy.take();
    counts.reset = Some(reset);
    Ok(counts)
}

/// Counts what an image would remove and add.
fn count_replacement(core: &Core, image: &Image, default_base: String) -> Result<AccountImportResult, AdminError> {
    let removed = count_removed_opt_outs(core, image, default_base)?;
    let count_records = |core: &Core| Ok::<_, AdminError>(RecordCounts::from(overview::get(core)?));
    Ok(AccountImportResult {
        imported: Some(count_records(&Core::from_image(image, core.ctx().for_seed())?)?),
        replaced: Some(count_records(core)?),
        opt_outs_removed: Some(removed),
        copy: None,
        reset: None,
    })
}

/// Merges a seed as one act, which belongs to the epoch in which it began.
async fn merge_seed(pass: WorldPass, body: ReceivedBody) -> Result<AccountImportResult, AdminError> {
    if body.starts_with(SQLITE_MAGIC) {
        return Err(AdminError::cannot_merge());
    }
    let merged = tokio::task::spawn_blocking(move || {
        let visit = WorldVisit::new(pass, false);
        seed::merge_seed(&visit.core(), &Actor::operator(), &body, &visit.rules.short_base)
    });
    let report = merged.await.map_err(|_| AdminError::internal())??;
    let imported = Some(report.into());
    Ok(AccountImportResult { imported, replaced: None, opt_outs_removed: None, copy: None, reset: None })
}

/// Reads an account file or a seed, completely or not at all, for `core` to hold.
pub(crate) fn read_image(
    body: &[u8],
    default_base: &str,
    core: &Core,
) -> Result<(Image, Option<AccountCounts>), AdminError> {
    if body.starts_with(WORLD_MAGIC) {
        return Err(AdminError::bad_seed("this is a world file; import it with format=world"));
    }
    if body.starts_with(SQLITE_MAGIC) {
        let image = Image::check(body).and_then(|image| image.without_work());
        return Ok((image.map_err(|error| AdminError::bad_seed(error.to_string()))?, None));
    }
    read_seed(body, default_base, core).map(|(image, report)| (image, Some(report)))
}

/// Creates the account that a seed describes, for `core` to hold.
pub(crate) fn read_seed(text: &[u8], default_base: &str, core: &Core) -> Result<(Image, AccountCounts), AdminError> {
    let fresh = Core::from_image(Image::empty().map_err(roost_ops::Error::from)?, core.ctx().for_seed())?;
    let report = seed::apply(&fresh, &Actor::operator(), text, default_base)?;
    core.ctx().ids().reserve_ids_of(fresh.ctx().ids());
    Ok((fresh.image()?, report))
}
