//! Commands that summarize the account.

use roost_model::time::Timestamp;
use roost_ops::{
    Actor,
    overview::{AccountCounts, RecentActivity},
};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::App,
    commands::{Nothing, account::Account},
    error::CommandError,
};

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct Overview {
    pub account: Account,
    pub counts: AccountCounts,
}

pub(crate) fn get(app: &App, _: &Actor, _: Nothing) -> Result<Overview, CommandError> {
    let counts = roost_ops::overview::get(&app.core()?)?;
    Ok(Overview { account: Account::from_app(app)?, counts })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OverviewRecentGet {
    /// The start of each of the last days in the user's time zone, today last. At most 366.
    pub days: Vec<Timestamp>,
}

/// Recent additions, and the work that waits for the user.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OverviewRecent {
    #[serde(flatten)]
    pub recent: RecentActivity,
    /// Records that wait to be sent to the service. Zero if the account has no connection.
    pub changes: u64,
    /// Conflicts that a pull left open.
    pub questions: u64,
    /// Whether the account could not be copied before the last large change.
    pub has_failed_copy: bool,
}

pub(crate) fn recent(app: &App, _: &Actor, request: OverviewRecentGet) -> Result<OverviewRecent, CommandError> {
    let core = app.core()?;
    let recent = roost_ops::overview::read_recent(&core, &request.days)?;
    let status = app.sync()?.status()?;
    let (changes, questions, has_failed_copy) = (status.changes, status.conflicts, core.has_failed_copy());
    Ok(OverviewRecent { recent, changes, questions, has_failed_copy })
}
