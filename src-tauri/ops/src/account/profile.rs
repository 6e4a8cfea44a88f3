//! Reads and changes the name and colour of the account, and handles its file while it is closed.

use std::path::{Path, PathBuf};

use roost_model::error::{FieldError, has_length, size_message};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    files::{closed, output::resolve_links},
    tables::settings,
    tx::ActDescription,
    upkeep::backup,
};
use serde::{Deserialize, Serialize};

use crate::{
    core::{Actor, Core},
    error::Result,
};

const NAME: &str = "account.name";
const COLOUR: &str = "account.colour";
/// The maximum number of characters in an account's name.
pub const NAME_MAX: usize = 60;

/// The colour that distinguishes accounts at a glance. The page has a shade of it for every theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum AccountColour {
    #[default]
    Teal,
    Blue,
    Violet,
    Pink,
    Red,
    Orange,
    Yellow,
    Green,
}

roost_model::variant_names! {
    pub AccountColour {
        Teal = "teal", Blue = "blue", Violet = "violet", Pink = "pink", Red = "red", Orange = "orange",
        Yellow = "yellow", Green = "green",
    }
}

/// The name and colour of an account. The name is `None` if the account was never named.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccountProfile {
    pub name: Option<String>,
    pub colour: AccountColour,
}

impl AccountProfile {
    pub(super) fn from_settings(setting: impl Fn(&str) -> Result<Option<String>>) -> Result<Self> {
        let colour = setting(COLOUR)?.as_deref().and_then(AccountColour::parse).unwrap_or_default();
        Ok(Self { name: setting(NAME)?, colour })
    }
}

/// Returns an account's name as it is stored: without surrounding spaces, and with single spaces between its words.
pub fn check_name(raw: &str) -> std::result::Result<String, FieldError> {
    let name = raw.trim().split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if !has_length(&name, 1, NAME_MAX) {
        return Err(FieldError::new("name", size_message(1, NAME_MAX), raw));
    }
    if name.chars().any(char::is_control) {
        return Err(FieldError::new("name", "must not contain line breaks or other control characters", raw));
    }
    Ok(name)
}

pub fn read_profile(core: &Core) -> Result<AccountProfile> {
    core.read(|tx| AccountProfile::from_settings(|key| Ok(settings::get(tx, key)?)))
}

/// Reads the name and colour from an account file that is closed or open in another process.
pub fn read_file_profile(path: &Path) -> AccountProfile {
    let colour = closed::read_setting(path, COLOUR).as_deref().and_then(AccountColour::parse).unwrap_or_default();
    AccountProfile { name: closed::read_setting(path, NAME), colour }
}

/// Names a new account or a copy. This is not a step of the undo history, because there is no earlier state to return
/// to.
pub fn set_initial_profile(core: &Core, name: &str, colour: AccountColour) -> Result<()> {
    let name = check_name(name)?;
    core.write_quietly(|tx| {
        settings::set(tx, NAME, &name)?;
        settings::set(tx, COLOUR, colour.as_str())?;
        Ok(())
    })
}

pub fn rename(core: &Core, by: &Actor, name: &str) -> Result<()> {
    let name = check_name(name)?;
    set_setting(core, by, "account_rename", NAME, &name, &name)
}

pub fn recolour(core: &Core, by: &Actor, colour: AccountColour) -> Result<()> {
    set_setting(core, by, "account_recolour", COLOUR, colour.as_str(), colour.as_str())
}

pub(super) fn set_setting(
    core: &Core,
    by: &Actor,
    act: &'static str,
    key: &str,
    value: &str,
    subject: &str,
) -> Result<()> {
    core.write(by, |tx| {
        if settings::get(tx, key)?.as_deref() == Some(value) {
            return Ok(());
        }
        settings::set(tx, key, value)?;
        tx.describe_act(ActDescription::new(act).with_subject(subject));
        tx.log_change(ChangeLogEntry::single(Noun::Account, ChangeAction::Updated, key));
        Ok(())
    })
}

/// Returns whether a file may be an account. The program never touches a file of another program.
pub fn could_be_account(path: &Path) -> Result<bool> {
    Ok(closed::may_be_account(path)?)
}

/// Fails if any process has the file open as an account.
pub fn check_closed(path: &Path) -> Result<()> {
    Ok(closed::check_closed(path)?)
}

/// Copies an account file, open or closed, with all its content over an empty file that the caller has created.
pub fn copy_file(from: &Path, to: &Path) -> Result<()> {
    Ok(closed::copy_account(from, to)?)
}

/// Returns whether copies of an account of this name lie beside it, sound or not.
pub fn has_copies(path: &Path) -> bool {
    !backup::list_copies(&resolve_links(path)).is_empty()
}

/// Moves a damaged account file aside and returns its new path. Nothing is deleted.
pub fn set_aside(path: &Path) -> Result<PathBuf> {
    Ok(closed::set_aside(path)?)
}
