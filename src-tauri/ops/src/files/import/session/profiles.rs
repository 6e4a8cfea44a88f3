//! Manages named mappings, which are saved in the account, applied to imports and shared as files.

use roost_model::{
    error::{Fault, has_length, size_between},
    time::Timestamp,
};
use roost_store::{
    change_log::Noun,
    tables::imports::maps::{self, StoredMap},
};

use super::{
    super::mapping::{OpenMapping, Profile, heads::signature},
    Session,
    told::MappingBy,
};
use crate::{
    core::Core,
    error::{Error, Result},
};

const NAME_MAX: usize = 100;
/// Named mappings of an account at most.
const NAMES_MAX: usize = 500;

/// A named mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub name: String,
    /// The names of the columns that it was made for.
    pub columns: Vec<String>,
    pub used_at: Timestamp,
    /// Why it does not match the columns of the given import.
    pub misfit: Option<String>,
}

fn check_name(name: &str) -> Result<String> {
    let name = name.trim();
    if !has_length(name, 1, NAME_MAX) || name.chars().any(char::is_control) {
        return Err(Fault::new("name", size_between(1, NAME_MAX), name).into());
    }
    Ok(name.to_owned())
}

fn named(core: &Core, name: &str) -> Result<(StoredMap, Profile)> {
    let found = core.read(|tx| Ok::<_, Error>(maps::all(tx)?))?.into_iter().find(|map| map.name == name);
    let map = found.ok_or_else(|| Error::conflict(format!("There is no mapping called “{name}” any more.")))?;
    let profile = Profile::read(&map.profile)?;
    Ok((map, profile))
}

fn put(core: &Core, map: &StoredMap) -> Result<()> {
    core.write_quietly(|tx| {
        if !map.name.is_empty() {
            let others = maps::all(tx)?.iter().filter(|other| other.name != map.name).count();
            if others >= NAMES_MAX {
                let told = format!("There are {NAMES_MAX} mappings already. Remove one first.");
                return Err(Fault::new("name", told, map.name.as_str()).into());
            }
        }
        Ok(maps::put(tx, map)?)
    })
}

fn stored(core: &Core, name: &str, heads: &[String], mapping: &OpenMapping) -> Result<StoredMap> {
    let profile = Profile::of(name, heads, mapping).write()?;
    Ok(StoredMap { name: name.to_owned(), signature: signature(heads), profile, used_at: core.ctx().now() })
}

/// Lists the named mappings: those that match `import` first, then the latest used.
pub fn all(core: &Core, import: Option<u64>) -> Result<Vec<Item>> {
    let heads = match import {
        Some(import) => Some(core.imports().get(core, import)?.hold().kept.heads.clone()),
        None => None,
    };
    let mut items = Vec::new();
    for map in core.read(|tx| Ok::<_, Error>(maps::all(tx)?))? {
        // A mapping of a later version must not prevent the others from being listed.
        let Ok(profile) = Profile::read(&map.profile) else { continue };
        let misfit = heads.as_ref().and_then(|heads| profile.open(heads).err()).map(|why| why.to_string());
        items.push(Item { name: map.name, columns: profile.columns, used_at: map.used_at, misfit });
    }
    items.sort_by(|a, b| {
        a.misfit
            .is_some()
            .cmp(&b.misfit.is_some())
            .then_with(|| b.used_at.cmp(&a.used_at))
            .then_with(|| a.name.cmp(&b.name))
    });
    Ok(items)
}

/// Saves the mapping of an import under a name and replaces one of that name.
pub fn save(core: &Core, import: u64, name: &str) -> Result<()> {
    let name = check_name(name)?;
    let session = core.imports().get(core, import)?;
    let (united, mapping) = (session.united()?, session.mapping()?);
    put(core, &stored(core, &name, &united.heads, &mapping)?)?;
    let mut standing = session.hold();
    standing.kept.profile = Some(name);
    drop(standing);
    session.save()
}

/// Applies a named mapping to an import.
pub fn apply(core: &Core, import: u64, name: &str) -> Result<()> {
    let (map, profile) = named(core, name)?;
    let session = core.imports().get(core, import)?;
    session.find_again(core)?;
    session.keep_mapping(core, opened(&session, &profile)?, MappingBy::Profile, Some(map.name.clone()))?;
    put(core, &StoredMap { used_at: core.ctx().now(), ..map })
}

/// Applies a mapping that is not saved in the account, such as one from a file.
pub fn open(core: &Core, import: u64, profile: &Profile) -> Result<()> {
    let session = core.imports().get(core, import)?;
    session.keep_mapping(core, opened(&session, profile)?, MappingBy::Profile, Some(profile.name.clone()))
}

fn opened(session: &Session, profile: &Profile) -> Result<OpenMapping> {
    let united = session.united()?;
    let mut mapping = profile.open(&united.heads)?;
    mapping.ask_again(&united.heads, &united.columns);
    Ok(mapping)
}

/// Remembers the mapping of these columns, so that the next file with them begins with it.
pub(super) fn remember(core: &Core, heads: &[String], mapping: &OpenMapping) -> Result<()> {
    put(core, &stored(core, "", heads, mapping)?)
}

pub fn remove(core: &Core, name: &str) -> Result<()> {
    let was_there = core.write_quietly(|tx| Ok(maps::remove(tx, name)?))?;
    if was_there { Ok(()) } else { Err(Error::NotFound { noun: Noun::Account, uid: name.to_owned() }) }
}

/// Saves a mapping that was shared as a file, under its own name or a numbered one. Returns the name.
pub fn read(core: &Core, text: &str) -> Result<String> {
    let profile = Profile::read(text)?;
    let name = check_name(&profile.name)?;
    let known = core.read(|tx| Ok::<_, Error>(maps::all(tx)?))?;
    // A file of somebody else must not replace a mapping of the account.
    let is_free = |name: &String| known.iter().all(|map| map.name != *name);
    let numbered = (2_u32..).map(|number| format!("{name} ({number})"));
    let Some(name) = std::iter::once(name.clone()).chain(numbered).find(is_free) else {
        return Err(Fault::new("name", "This name is taken.", name).into());
    };
    let profile = Profile { name: name.clone(), ..profile };
    let signature = signature(&profile.columns);
    put(core, &StoredMap { name: name.clone(), signature, profile: profile.write()?, used_at: core.ctx().now() })?;
    Ok(name)
}

/// Returns a mapping as a file to share.
pub fn write(core: &Core, name: &str) -> Result<String> {
    Profile { name: name.to_owned(), ..named(core, name)?.1 }.write()
}
