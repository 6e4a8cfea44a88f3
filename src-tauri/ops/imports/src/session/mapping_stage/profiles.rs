//! Manages named mappings, which are saved in the account, applied to imports and shared as files. Also remembers,
//! without a name, the last mapping that was used for the same columns.

use roost_model::{
    error::{FieldError, has_length, size_message},
    time::Timestamp,
};
use roost_store::{
    change_log::Noun,
    tables::imports::maps::{self, StoredMapping},
};

use super::super::{
    super::mapping::{MappingProfile, OpenMapping, field_suggestions::column_signature},
    ImportSession, ImportSessions,
    reports::MappingBy,
};
use roost_ops::{
    core::Core,
    error::{Error, Result},
};

const NAME_MAX: usize = 100;
/// The maximum number of named mappings in an account.
const NAMES_MAX: usize = 500;

/// A named mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedMapping {
    pub name: String,
    /// The names of the columns that it was made for.
    pub columns: Vec<String>,
    pub used_at: Timestamp,
    /// Why it does not match the columns of the given import.
    pub mismatch: Option<String>,
}

fn check_name(name: &str) -> Result<String> {
    let name = name.trim();
    if !has_length(name, 1, NAME_MAX) || name.chars().any(char::is_control) {
        return Err(FieldError::new("name", size_message(1, NAME_MAX), name).into());
    }
    Ok(name.to_owned())
}

fn find_profile(core: &Core, name: &str) -> Result<(StoredMapping, MappingProfile)> {
    let found = core.read(|tx| Ok::<_, Error>(maps::read_named(tx)?))?.into_iter().find(|map| map.name == name);
    let map = found.ok_or_else(|| Error::conflict(format!("There is no mapping called “{name}” any more.")))?;
    let profile = MappingProfile::read(&map.profile)?;
    Ok((map, profile))
}

fn store_profile(core: &Core, map: &StoredMapping) -> Result<()> {
    core.write_quietly(|tx| {
        if !map.name.is_empty() {
            let others = maps::read_named(tx)?.iter().filter(|other| other.name != map.name).count();
            if others >= NAMES_MAX {
                let message = format!("There are {NAMES_MAX} mappings already. Remove one first.");
                return Err(FieldError::new("name", message, map.name.as_str()).into());
            }
        }
        Ok(maps::save_mapping(tx, map)?)
    })
}

fn to_stored(core: &Core, name: &str, heads: &[String], mapping: &OpenMapping) -> Result<StoredMapping> {
    let profile = MappingProfile::from_mapping(name, heads, mapping).write()?;
    Ok(StoredMapping { name: name.to_owned(), signature: column_signature(heads), profile, used_at: core.ctx().now() })
}

/// Lists the named mappings. Those that match `import` come first, and among these the last used.
pub fn list_profiles(core: &Core, imports: &ImportSessions, import: Option<u64>) -> Result<Vec<SavedMapping>> {
    let heads = match import {
        Some(import) => Some(imports.get(core, import)?.lock_state().kept.heads.clone()),
        None => None,
    };
    let mut items = Vec::new();
    for map in core.read(|tx| Ok::<_, Error>(maps::read_named(tx)?))? {
        // A mapping that a later version wrote must not prevent the others from being listed.
        let Ok(profile) = MappingProfile::read(&map.profile) else { continue };
        let misfit = heads.as_ref().and_then(|heads| profile.to_open_mapping(heads).err()).map(|why| why.to_string());
        items.push(SavedMapping { name: map.name, columns: profile.columns, used_at: map.used_at, mismatch: misfit });
    }
    items.sort_by(|a, b| {
        a.mismatch
            .is_some()
            .cmp(&b.mismatch.is_some())
            .then_with(|| b.used_at.cmp(&a.used_at))
            .then_with(|| a.name.cmp(&b.name))
    });
    Ok(items)
}

/// Saves the mapping of an import under a name and replaces one of that name.
pub fn save_profile(core: &Core, imports: &ImportSessions, import: u64, name: &str) -> Result<()> {
    let name = check_name(name)?;
    let session = imports.get(core, import)?;
    let (combined, mapping) = (session.require_combined()?, session.require_mapping()?);
    store_profile(core, &to_stored(core, &name, &combined.heads, &mapping)?)?;
    let mut state = session.lock_state();
    state.kept.profile = Some(name);
    drop(state);
    session.save_state()
}

/// Applies a named mapping to an import.
pub fn apply_saved(core: &Core, imports: &ImportSessions, import: u64, name: &str) -> Result<()> {
    let (map, profile) = find_profile(core, name)?;
    let session = imports.get(core, import)?;
    session.ensure_loaded(core)?;
    session.store_mapping(core, open_profile(&session, &profile)?, MappingBy::Profile, Some(map.name.clone()))?;
    store_profile(core, &StoredMapping { used_at: core.ctx().now(), ..map })
}

/// Applies a mapping that is not saved in the account, such as one from a file.
pub fn apply_profile(core: &Core, imports: &ImportSessions, import: u64, profile: &MappingProfile) -> Result<()> {
    let session = imports.get(core, import)?;
    session.store_mapping(core, open_profile(&session, profile)?, MappingBy::Profile, Some(profile.name.clone()))
}

fn open_profile(session: &ImportSession, profile: &MappingProfile) -> Result<OpenMapping> {
    let combined = session.require_combined()?;
    let mut mapping = profile.to_open_mapping(&combined.heads)?;
    mapping.ask_again(&combined.heads, &combined.columns);
    Ok(mapping)
}

/// Remembers the mapping of these columns, so that the next file with them begins with it.
pub(in super::super) fn remember_mapping(core: &Core, heads: &[String], mapping: &OpenMapping) -> Result<()> {
    store_profile(core, &to_stored(core, "", heads, mapping)?)
}

pub fn remove_profile(core: &Core, name: &str) -> Result<()> {
    let was_there = core.write_quietly(|tx| Ok(maps::remove(tx, name)?))?;
    if was_there { Ok(()) } else { Err(Error::NotFound { noun: Noun::Account, uid: name.to_owned() }) }
}

/// Saves a mapping that was shared as a file, under its own name or a numbered one. Returns the name.
pub fn add_shared(core: &Core, text: &str) -> Result<String> {
    let profile = MappingProfile::read(text)?;
    let name = check_name(&profile.name)?;
    let known = core.read(|tx| Ok::<_, Error>(maps::read_named(tx)?))?;
    // A file from somebody else must not replace a mapping of the account.
    let is_free = |name: &String| known.iter().all(|map| map.name != *name);
    let numbered = (2_u32..).map(|number| format!("{name} ({number})"));
    let Some(name) = std::iter::once(name.clone()).chain(numbered).find(is_free) else {
        return Err(FieldError::new("name", "This name is taken.", name).into());
    };
    let profile = MappingProfile { name: name.clone(), ..profile };
    let signature = column_signature(&profile.columns);
    store_profile(
        core,
        &StoredMapping { name: name.clone(), signature, profile: profile.write()?, used_at: core.ctx().now() },
    )?;
    Ok(name)
}

/// Returns a mapping as a file to share.
pub fn write_profile(core: &Core, name: &str) -> Result<String> {
    MappingProfile { name: name.to_owned(), ..find_profile(core, name)?.1 }.write()
}
