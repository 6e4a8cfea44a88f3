//! Counts a link's clicks by day, device, browser and operating system.

use std::collections::HashMap;

use roost_model::{error::FieldError, id::LinkId, time::Timestamp};
use roost_store::{
    change_log::Noun,
    tables::{clicks, short_links},
};
use serde::Serialize;

use crate::{
    core::Core,
    error::{OrNotFound, Result},
};

/// The number of days in a leap year.
pub const DAYS_MAX: u32 = 366;
const DAY: i64 = 86_400;

/// The clicks of one day in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ClickDay {
    /// The day, such as `2026-01-05`.
    pub day: String,
    pub clicks: u64,
}

/// The clicks with one device, browser or operating system; without a name if it is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ClickShare {
    pub name: Option<String>,
    pub clicks: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ClickSeries {
    /// The number of all clicks.
    pub total: u64,
    pub in_days: u64,
    /// All days of the period, today last.
    pub days: Vec<ClickDay>,
    pub devices: Vec<ClickShare>,
    pub browsers: Vec<ClickShare>,
    pub operating_systems: Vec<ClickShare>,
}

/// Counts the clicks of the last days, and all clicks by device, browser and operating system.
pub fn read_click_series(core: &Core, uid: &LinkId, days: u32) -> Result<ClickSeries> {
    if !(1..=DAYS_MAX).contains(&days) {
        return Err(FieldError::new("days", format!("must be between 1 and {DAYS_MAX}"), days).into());
    }
    core.read(|tx| {
        let (row, _) = short_links::get(tx, uid)?.or_not_found(Noun::ShortLink, uid)?;
        let today = core.ctx().now().unix().div_euclid(DAY);
        let first = today - i64::from(days) + 1;
        let by_day: HashMap<i64, u64> = clicks::count_by_day(tx, row, first)?.into_iter().collect();
        let days: Vec<ClickDay> = (first..=today)
            .map(|day| ClickDay {
                day: Timestamp::from_unix(day * DAY).to_iso()[..10].to_owned(),
                clicks: by_day.get(&day).copied().unwrap_or_default(),
            })
            .collect();
        let [devices, browsers, operating_systems] = clicks::count_by_trait(tx, row)?
            .map(|shares| shares.into_iter().map(|(name, clicks)| ClickShare { name, clicks }).collect());
        Ok(ClickSeries {
            total: short_links::count_clicks(tx, row)?,
            in_days: days.iter().map(|day| day.clicks).sum(),
            days,
            devices,
            browsers,
            operating_systems,
        })
    })
}
