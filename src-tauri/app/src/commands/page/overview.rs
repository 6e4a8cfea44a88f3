//! Commands that summarize the account.

use roost_model::time::Timestamp;
use roost_ops::{Actor, overview::RecentActivity};
use serde::{Deserialize, Serialize};

use crate::{accounts::App, commands::account::Account, error::CommandError};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OverviewGet {}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Overview {
    pub account: Account,
    pub counts: OverviewCounts,
}

/// The number of records of each kind.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OverviewCounts {
    pub senders: u64,
    pub assets: u64,
    pub custom_fields: u64,
    pub lists: u64,
    pub contacts: u64,
    pub opt_outs: u64,
    pub short_links: u64,
    pub jobs_waiting: u64,
}

impl From<roost_ops::overview::AccountCounts> for OverviewCounts {
    fn from(counts: roost_ops::overview::AccountCounts) -> Self {
        let roost_ops::overview::AccountCounts {
            senders,
            assets,
            custom_fields,
            lists,
            contacts,
            opt_outs,
            short_links,
            jobs_waiting,
        } = counts;
        Self { senders, assets, custom_fields, lists, contacts, opt_outs, short_links, jobs_waiting }
    }
}

pub fn get(app: &App, _: &Actor, _: OverviewGet) -> Result<Overview, CommandError> {
    let counts = roost_ops::overview::get(&app.core()?)?;
    Ok(Overview { account: Account::from_app(app)?, counts: counts.into() })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OverviewRecentGet {
    /// The start of each of the last days in the user's time zone, today last. At most 366.
    pub days: Vec<Timestamp>,
}

/// Recent additions, and the work that waits for the user.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OverviewRecent {
    #[serde(flatten)]
    pub recent: RecentActivity,
    /// Records that wait to be sent to the service. Zero if the account has no connection.
    pub changes: u64,
    /// Conflicts that a pull left open.
    pub questions: u64,
}

pub fn recent(app: &App, _: &Actor, request: OverviewRecentGet) -> Result<OverviewRecent, CommandError> {
    let recent = roost_ops::overview::read_recent(&app.core()?, &request.days)?;
    let status = app.sync()?.status()?;
    Ok(OverviewRecent { recent, changes: status.changes, questions: status.conflicts })
}
