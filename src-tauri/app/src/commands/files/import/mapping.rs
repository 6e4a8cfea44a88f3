//! Commands on the mapping of an import's columns, and on saved mappings.

use roost_imports::{
    mapping::OpenMapping,
    session::{ImportMapped, ImportTable, profiles},
};
use roost_model::time::Timestamp;
use roost_ops::Actor;
use serde::{Deserialize, Serialize};

use super::ImportId;
use crate::{accounts::App, commands::Done, error::CommandError};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportMap {
    pub import: u64,
    pub mapping: OpenMapping,
}

/// A saved mapping.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportProfileItem {
    pub name: String,
    /// The names of the columns that it was made for.
    pub columns: Vec<String>,
    pub used_at: Timestamp,
    /// The reason why it does not match the named import. Null if it matches or if no import was named.
    pub misfit: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportProfiles {
    /// Matching profiles first, then the most recently used.
    pub items: Vec<ImportProfileItem>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportProfileList {
    pub import: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportProfileKey {
    pub import: u64,
    pub name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportProfileName {
    pub name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportProfileRead {
    /// The text of a file that `import_profile_write` wrote.
    pub text: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportProfileText {
    /// The suggested name of the file, without an extension.
    pub name: String,
    pub text: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportProfileNamed {
    pub name: String,
}

pub(crate) fn columns(app: &App, _: &Actor, request: ImportId) -> Result<ImportTable, CommandError> {
    let account = app.account()?;
    Ok(account.imports().describe_table(&account.core, request.import)?)
}

pub(crate) fn map(app: &App, _: &Actor, request: ImportMap) -> Result<ImportMapped, CommandError> {
    let account = app.account()?;
    Ok(account.imports().set_mapping(&account.core, request.import, request.mapping)?)
}

pub(crate) fn profile_list(app: &App, _: &Actor, request: ImportProfileList) -> Result<ImportProfiles, CommandError> {
    let account = app.account()?;
    let items = profiles::list_profiles(&account.core, account.imports(), request.import)?;
    let item = |item: profiles::SavedMapping| {
        let profiles::SavedMapping { name, columns, used_at, mismatch: misfit } = item;
        ImportProfileItem { name, columns, used_at, misfit }
    };
    Ok(ImportProfiles { items: items.into_iter().map(item).collect() })
}

pub(crate) fn profile_save(app: &App, _: &Actor, request: ImportProfileKey) -> Result<Done, CommandError> {
    let account = app.account()?;
    profiles::save_profile(&account.core, account.imports(), request.import, &request.name)?;
    Ok(Done {})
}

pub(crate) fn profile_use(app: &App, _: &Actor, request: ImportProfileKey) -> Result<ImportTable, CommandError> {
    let account = app.account()?;
    profiles::apply_saved(&account.core, account.imports(), request.import, &request.name)?;
    Ok(account.imports().describe_table(&account.core, request.import)?)
}

pub(crate) fn profile_remove(app: &App, _: &Actor, request: ImportProfileName) -> Result<Done, CommandError> {
    profiles::remove_profile(&app.core()?, &request.name)?;
    Ok(Done {})
}

pub(crate) fn profile_read(
    app: &App,
    _: &Actor,
    request: ImportProfileRead,
) -> Result<ImportProfileNamed, CommandError> {
    Ok(ImportProfileNamed { name: profiles::add_shared(&app.core()?, &request.text)? })
}

pub(crate) fn profile_write(
    app: &App,
    _: &Actor,
    request: ImportProfileName,
) -> Result<ImportProfileText, CommandError> {
    let text = profiles::write_profile(&app.core()?, &request.name)?;
    Ok(ImportProfileText { name: format!("{}.roost-map", request.name), text })
}
