//! Counts the records of every kind in an account.

use serde::Serialize;
pub mod recent;

use crate::{error::Result, tables::contacts, tx::ReadTx};

/// The number of records of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "OverviewCounts"))]
pub struct AccountCounts {
    pub senders: u64,
    pub assets: u64,
    pub custom_fields: u64,
    pub lists: u64,
    pub contacts: u64,
    pub opt_outs: u64,
    pub short_links: u64,
    pub jobs_waiting: u64,
}

pub fn get(tx: &ReadTx) -> Result<AccountCounts> {
    let count =
        |from: &str| -> Result<u64> { Ok(tx.read_value::<i64>(&format!("SELECT count(*) FROM {from}"), [])? as u64) };
    Ok(AccountCounts {
        senders: count("senders")?,
        assets: count("assets")?,
        custom_fields: count("custom_fields WHERE removed = 0")?,
        lists: count("lists")?,
        contacts: contacts::count(tx)?,
        opt_outs: count("opt_outs")?,
        short_links: count("short_links")?,
        jobs_waiting: count("jobs WHERE state = 'queued'")?,
    })
}
