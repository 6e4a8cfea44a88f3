//! Commands on the copies of the open account, and on the check of its file.

use std::path::Path;

use roost_model::{channel::Channel, opt_out::OptOut, time::Timestamp};
use roost_ops::{
    Actor,
    account::{
        backup::{self, AccountCopy, CopyReason, FaultArea},
        restore::{self, ComparedAccount},
    },
    output::Overwrite,
    overview::AccountCounts,
};
use serde::{Deserialize, Serialize};

use super::{Account, file_name, required_text, rescue::parse_copy_date};
use crate::{
    accounts::App,
    commands::{
        Nothing,
        desktop::{FileOutcome, FileSaved, choose_target},
    },
    desktop::FileKind,
    error::CommandError,
};

/// Most of the opt-outs that a copy lacks that are listed.
const LISTED_MAX: usize = 10;

/// Why a copy was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum CopyOccasion {
    Backup,
    Daily,
    LargeChange,
    Pull,
    Replacement,
    Upgrade,
}

impl From<CopyReason> for CopyOccasion {
    fn from(reason: CopyReason) -> Self {
        match reason {
            CopyReason::Backup => Self::Backup,
            CopyReason::Daily => Self::Daily,
            CopyReason::BulkAct => Self::LargeChange,
            CopyReason::Pull => Self::Pull,
            CopyReason::Replacement => Self::Replacement,
            CopyReason::Upgrade(_) => Self::Upgrade,
        }
    }
}

/// A copy beside the open account.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ListedCopy {
    pub path: String,
    /// The file name without its folder.
    pub file: String,
    /// When it was made.
    pub at: Timestamp,
    pub occasion: CopyOccasion,
    pub bytes: u64,
    /// The name of the account that it is a copy of.
    pub name: Option<String>,
    /// What it holds. Null if it is damaged.
    pub counts: Option<AccountCounts>,
}

impl ListedCopy {
    fn from_copy(copy: &AccountCopy) -> Option<Self> {
        Some(Self {
            path: required_text(&copy.path),
            file: file_name(&copy.path),
            at: parse_copy_date(&copy.date)?,
            occasion: copy.reason.into(),
            bytes: copy.bytes,
            name: copy.summary.as_ref().and_then(|summary| summary.profile.name.clone()),
            counts: copy.summary.as_ref().filter(|_| copy.is_sound).map(|summary| summary.counts),
        })
    }
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AccountCopies {
    /// The newest first.
    pub copies: Vec<ListedCopy>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AccountCopyMade {
    pub path: String,
    /// The file name without its folder.
    pub file: String,
}

/// Something that the check found.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct CheckFault {
    pub area: FaultArea,
    pub detail: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AccountCheck {
    pub at: Timestamp,
    pub faults: Vec<CheckFault>,
    /// The newest undamaged copy beside a damaged account.
    pub sound_copy: Option<String>,
}

/// A path that account_copies or account_pick returned.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AccountCopyPath {
    pub copy: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AccountCopyRestore {
    /// A path that account_copies or account_pick returned.
    pub copy: String,
    /// Whether the copy may be one of another account.
    pub other_account: bool,
}

/// An opt-out that a copy lacks.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct LackingOptOut {
    pub number: String,
    pub channel: Channel,
}

/// How a copy differs from the open account.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AccountRestorePreview {
    pub now: ComparedAccount,
    pub restored: ComparedAccount,
    /// How many records only one of the two has, or both with other values.
    pub differing: AccountCounts,
    /// Whether the records of another account would take the place of the account's own.
    pub is_other_account: bool,
    /// The number of opt-outs that the copy lacks. They stay in force.
    pub missing_opt_outs: u64,
    /// The first ten of them.
    pub first_missing: Vec<LackingOptOut>,
    /// The number of opt-outs of the copy that the account does not have. They will be in force.
    pub returning_opt_outs: u64,
    /// When something was erased that the copy may still hold.
    pub newer_erasures: Vec<Timestamp>,
}

pub(crate) fn list(app: &App, _: &Actor, _: Nothing) -> Result<AccountCopies, CommandError> {
    let copies = backup::list_copies(&app.account_file()?);
    Ok(AccountCopies { copies: copies.iter().filter_map(ListedCopy::from_copy).collect() })
}

pub(crate) fn back_up(app: &App, _: &Actor, _: Nothing) -> Result<AccountCopyMade, CommandError> {
    let copy = backup::back_up(&app.account_file()?).map_err(CommandError::opening)?;
    Ok(AccountCopyMade { path: required_text(&copy), file: file_name(&copy) })
}

pub(crate) fn save(app: &App, _: &Actor, _: Nothing) -> Result<FileSaved, CommandError> {
    let file = app.account_file()?;
    if !app.has_desktop() {
        return Ok(FileSaved { outcome: FileOutcome::Unsupported, path: None });
    }
    let name = format!("{} {}", Account::from_app(app)?.name, &app.now().to_iso()[..10]);
    let Some(path) = choose_target(app, &name, FileKind::Account)? else {
        return Ok(FileSaved { outcome: FileOutcome::Cancelled, path: None });
    };
    backup::back_up_to(&file, &path, Overwrite::Allowed).map_err(CommandError::opening)?;
    Ok(FileSaved { outcome: FileOutcome::Saved, path: Some(required_text(&path)) })
}

pub(crate) fn check(app: &App, _: &Actor, _: Nothing) -> Result<AccountCheck, CommandError> {
    let found = backup::check_file(&app.account_file()?).map_err(CommandError::opening)?;
    let faults = found.faults.into_iter().map(|fault| CheckFault { area: fault.area, detail: fault.detail });
    Ok(AccountCheck { at: app.now(), faults: faults.collect(), sound_copy: found.sound_copy.as_deref().map(file_name) })
}

pub(crate) fn restore_preview(
    app: &App,
    _: &Actor,
    request: AccountCopyPath,
) -> Result<AccountRestorePreview, CommandError> {
    app.check_closable()?;
    let (core, file) = (app.core()?, app.account_file()?);
    let difference =
        restore::compare_with_copy(&core, &file, Path::new(&request.copy)).map_err(CommandError::opening)?;
    let now = difference.now.ok_or_else(CommandError::no_account)?;
    let missing = &difference.missing_opt_outs;
    let to_lacking = |record: &OptOut| LackingOptOut { number: record.number.clone(), channel: record.channel };
    let erasures = difference.newer_erasures.iter();
    Ok(AccountRestorePreview {
        now,
        restored: difference.restored,
        differing: difference.differing,
        is_other_account: difference.is_other_account,
        missing_opt_outs: missing.len() as u64,
        first_missing: missing.iter().take(LISTED_MAX).map(to_lacking).collect(),
        returning_opt_outs: difference.returning_opt_outs,
        newer_erasures: erasures.filter_map(|erasure| Timestamp::parse_iso(&erasure.at)).collect(),
    })
}

pub(crate) fn restore(app: &App, by: &Actor, request: AccountCopyRestore) -> Result<Account, CommandError> {
    app.restore_copy(by, Path::new(&request.copy), request.other_account)?;
    Account::from_app(app)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use roost_model::error::ErrorCode;
    use roost_ops::{Core, Ctx};
    use serde_json::json;

    use super::*;
    use crate::commands::desktop::tests::FakeDesktop;

    /// An account file with a list, as a console has it.
    fn app_on_file() -> (tempfile::TempDir, PathBuf, App) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop.roost");
        let app = App::with_core(Core::open(&file, Ctx::system()).unwrap(), &file);
        app.dispatch("list_create", json!({ "name": "Guests" }), None).unwrap();
        (folder, file, app)
    }

    #[test]
    fn a_backup_of_the_open_account_is_listed_with_what_it_holds() {
        let (_folder, file, app) = app_on_file();
        assert_eq!(app.dispatch("account_copies", json!({}), None).unwrap(), json!({ "copies": [] }));
        let made = app.dispatch("account_back_up", json!({}), None).unwrap();
        let damaged = file.with_file_name("shop.roost.daily-20260105-090507.backup");
        fs::write(&damaged, "damaged").unwrap();
        let copies = app.dispatch("account_copies", json!({}), None).unwrap()["copies"].clone();
        assert_eq!((&copies[0]["file"], &copies[0]["occasion"]), (&made["file"], &json!("backup")));
        assert_eq!((&copies[0]["counts"]["lists"], &copies[1]["counts"]), (&json!(1), &json!(null)));
        assert_eq!((&copies[1]["at"], &copies[1]["occasion"]), (&json!("2026-01-05T09:05:07Z"), &json!("daily")));
    }

    #[test]
    fn a_copy_is_saved_where_the_person_says_but_not_over_the_account() {
        let (folder, file, app) = app_on_file();
        let save = |app: &App| app.dispatch("account_save_copy", json!({}), None);
        assert_eq!(save(&app).unwrap(), json!({ "outcome": "unsupported", "path": null }));
        let place = folder.path().join("elsewhere");
        app.set_desktop(FakeDesktop { chosen: Some(place.clone()), ..FakeDesktop::default() });
        assert_eq!(save(&app).unwrap(), json!({ "outcome": "saved", "path": place.with_extension("roost") }));
        assert_eq!(backup::summarize_file(&place.with_extension("roost")).unwrap().counts.lists, 1);
        let app = App::with_core(app.core().unwrap(), &file);
        app.set_desktop(FakeDesktop { chosen: Some(file), ..FakeDesktop::default() });
        assert_eq!(save(&app).unwrap_err().code, ErrorCode::Invalid);
        let app = App::with_core(app.core().unwrap(), &folder.path().join("shop.roost"));
        app.set_desktop(FakeDesktop::default());
        assert_eq!(save(&app).unwrap(), json!({ "outcome": "cancelled", "path": null }));
    }

    #[test]
    fn the_check_of_a_sound_account_that_is_open_finds_nothing() {
        let (_folder, _, app) = app_on_file();
        let found = app.dispatch("account_check", json!({}), None).unwrap();
        assert_eq!((&found["faults"], &found["sound_copy"]), (&json!([]), &json!(null)));
        assert!(found["at"].is_string());
    }

    #[test]
    fn an_account_in_memory_has_no_copies_and_nothing_to_check() {
        let app = App::with_core(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"));
        let number = json!({ "number": "+447700900001", "region": null });
        for (command, request) in [
            ("account_copies", json!({})),
            ("account_back_up", json!({})),
            ("account_save_copy", json!({})),
            ("account_check", json!({})),
            ("account_restore_preview", json!({ "copy": "shop.roost" })),
            ("account_held", number.clone()),
            ("account_erase_preview", number),
        ] {
            assert_eq!(app.dispatch(command, request, None).unwrap_err().code, ErrorCode::Unsupported, "{command}");
        }
    }
}
