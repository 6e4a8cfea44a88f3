//! Commands on an account file that cannot be used.

use std::path::Path;

use roost_model::time::Timestamp;
use roost_ops::{Actor, account::backup::AccountCopy};
use serde::{Deserialize, Serialize};

use super::{Account, AccountPath, file_name, required_text};
use crate::{
    accounts::{AccountLoss, App},
    error::CommandError,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AccountRestore {
    /// The account file.
    pub path: String,
    /// A copy that account_way_back returned for it.
    pub copy: String,
}

/// A sound copy beside an account file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct SoundCopy {
    pub path: String,
    /// The file name without its folder.
    pub file: String,
    /// When it was made.
    pub at: Timestamp,
    /// The name of the account that it is a copy of.
    pub name: Option<String>,
    pub lists: u64,
    pub contacts: u64,
    pub opt_outs: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct AccountWayBack {
    pub loss: AccountLoss,
    /// The file name without its folder.
    pub file: String,
    /// The copies that may take its place, the newest first.
    pub copies: Vec<SoundCopy>,
}

impl SoundCopy {
    fn from_copy(copy: &AccountCopy) -> Option<Self> {
        let summary = copy.summary.as_ref().filter(|_| copy.is_sound)?;
        let counts = &summary.counts;
        Some(Self {
            path: required_text(&copy.path),
            file: file_name(&copy.path),
            at: parse_copy_date(&copy.date)?,
            name: summary.profile.name.clone(),
            lists: counts.lists,
            contacts: counts.contacts,
            opt_outs: counts.opt_outs,
        })
    }
}

/// Parses the UTC time in the name of a copy, such as `20260105-090000`.
pub(super) fn parse_copy_date(date: &str) -> Option<Timestamp> {
    let part = |from: usize, to: usize| date.get(from..to);
    let day = format!("{}-{}-{}", part(0, 4)?, part(4, 6)?, part(6, 8)?);
    Timestamp::parse_iso(&format!("{day}T{}:{}:{}Z", part(9, 11)?, part(11, 13)?, part(13, 15)?))
}

pub(crate) fn find_way_back(app: &App, _: &Actor, request: AccountPath) -> Result<AccountWayBack, CommandError> {
    let path = Path::new(&request.path);
    let (loss, copies) = app.find_way_back(path)?;
    Ok(AccountWayBack { loss, file: file_name(path), copies: copies.iter().filter_map(SoundCopy::from_copy).collect() })
}

pub(crate) fn restore(app: &App, by: &Actor, request: AccountRestore) -> Result<Account, CommandError> {
    app.restore_account(by, Path::new(&request.path), Path::new(&request.copy))?;
    Account::from_app(app)
}

pub(crate) fn start_empty(app: &App, by: &Actor, request: AccountPath) -> Result<Account, CommandError> {
    app.start_empty(by, Path::new(&request.path))?;
    Account::from_app(app)
}
