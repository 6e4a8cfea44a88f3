//! The account at a glance.

use roost_model::time::Timestamp;
use roost_ops::{By, overview::Recent};
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
    pub counts: Counts,
}

/// How many there are of everything.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Counts {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub senders: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub assets: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub custom_fields: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub lists: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub contacts: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub opt_outs: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub short_links: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub jobs_waiting: u64,
}

impl From<roost_ops::overview::Counts> for Counts {
    fn from(counts: roost_ops::overview::Counts) -> Self {
        let roost_ops::overview::Counts {
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

pub fn get(app: &App, _: &By, _: OverviewGet) -> Result<Overview, CommandError> {
    let counts = roost_ops::overview::get(&app.core()?)?;
    Ok(Overview { account: Account::of(app)?, counts: counts.into() })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OverviewRecentGet {
    /// When the last days began where the person is, today last: at most 366.
    pub days: Vec<Timestamp>,
}

/// What came in lately, and what waits for a person.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OverviewRecent {
    #[serde(flatten)]
    pub recent: Recent,
    /// Records to be sent to the service; none where the account belongs to none.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub changes: u64,
    /// Questions that a pull left.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub questions: u64,
}

pub fn recent(app: &App, _: &By, request: OverviewRecentGet) -> Result<OverviewRecent, CommandError> {
    let recent = roost_ops::overview::recent(&app.core()?, &request.days)?;
    let status = app.sync()?.status()?;
    Ok(OverviewRecent { recent, changes: status.changes, questions: status.conflicts })
}
