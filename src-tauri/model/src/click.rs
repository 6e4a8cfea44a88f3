//! Clicks: one record each time a tracked short link was opened.

use serde::Serialize;

use crate::{id::LinkId, time::Timestamp};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Click {
    pub link_id: LinkId,
    /// Title, short URL and target as they were at that time.
    pub title: String,
    pub short_link_url: String,
    pub target_url: String,
    pub recipient: Option<String>,
    pub device: Option<String>,
    pub browser: Option<String>,
    pub operating_system: Option<String>,
    pub campaign_uid: Option<String>,
    pub time: Timestamp,
}
