//! Shows everything that is known of one number: its records, and the events of its opt-outs.

use roost_model::{
    channel::Channel,
    error::FieldError,
    opt_out::{InboundAsset, OptOutRecordScope, OptOutType},
    phone::Region,
    time::Timestamp,
};
use roost_store::{
    change_log::ActorKind,
    tables::opt_outs::{
        self,
        events::{self, EventAction, OptOutEvent},
    },
};
use serde::Serialize;

use super::{
    NOT_A_NUMBER,
    grid::{AssetNumbers, OptOutRecord, OptOutStates, read_state, to_record},
    read_number,
};
use crate::{core::Core, error::Result};

/// The maximum number of events in one result.
const MAX_EVENTS: u32 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OptOutEventKind {
    /// The record existed when the recording of events began.
    Known,
    Added,
    Removed,
    /// The number was opted out again in the same scope.
    Renewed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OptOutTimelineEntry {
    pub id: i64,
    pub at: Timestamp,
    pub source: ActorKind,
    /// The act that caused the event; `undo` if it was undone.
    pub act: Option<String>,
    pub action: OptOutEventKind,
    pub channel: Channel,
    pub scope: OptOutRecordScope,
    pub scope_number: Option<String>,
    pub kind: OptOutType,
    pub inbound: Option<InboundAsset>,
    pub opted_out_at: Timestamp,
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OptOutTimeline {
    /// The number in E.164 form.
    pub number: String,
    pub region: String,
    pub states: OptOutStates,
    pub records: Vec<OptOutRecord>,
    /// The number of lists that contain the number.
    pub lists: u64,
    /// The events, newest first.
    pub events: Vec<OptOutTimelineEntry>,
}

pub fn read_timeline(core: &Core, number: &str, region: Option<Region>) -> Result<OptOutTimeline> {
    let phone = read_number(number, region).ok_or_else(|| FieldError::new("number", NOT_A_NUMBER, number))?;
    core.read(|tx| {
        let assets = AssetNumbers::read(tx)?;
        let events = events::read_by_number(tx, &phone.e164, MAX_EVENTS)?;
        Ok(OptOutTimeline {
            states: read_state(tx, &phone.e164, &assets)?,
            records: opt_outs::read_by_number(tx, &phone.e164)?
                .into_iter()
                .map(|record| to_record(record, &assets))
                .collect(),
            lists: opt_outs::grid::count_lists_with(tx, &[&phone.e164])?.into_values().sum(),
            events: to_entries(events, &assets),
            number: phone.e164,
            region: phone.region,
        })
    })
}

/// Converts opt-out events to entries. A removal that the same step replaced with a new record counts as a renewal.
fn to_entries(events: Vec<OptOutEvent>, assets: &AssetNumbers) -> Vec<OptOutTimelineEntry> {
    let mut all: Vec<(i64, OptOutTimelineEntry)> = Vec::with_capacity(events.len());
    for event in events {
        let OptOutEvent {
            id, at, source, step, act, action, channel, scope, kind, inbound, opted_out_at, reason, ..
        } = event;
        let mut action = match action {
            EventAction::Known => OptOutEventKind::Known,
            EventAction::Added => OptOutEventKind::Added,
            EventAction::Removed => OptOutEventKind::Removed,
        };
        if action == OptOutEventKind::Added {
            let same = |(entry_step, entry): &(i64, OptOutTimelineEntry)| {
                *entry_step == step
                    && entry.action == OptOutEventKind::Removed
                    && entry.channel == channel
                    && entry.scope == scope
            };
            if let Some(at) = all.iter().rposition(same) {
                all.remove(at);
                action = OptOutEventKind::Renewed;
            }
        }
        let scope_number = assets.scope_number(&scope, inbound.as_ref());
        let entry = OptOutTimelineEntry {
            id,
            at,
            source,
            act,
            action,
            channel,
            scope,
            scope_number,
            kind,
            inbound,
            opted_out_at,
            reason,
        };
        all.push((step, entry));
    }
    all.into_iter().rev().map(|(_, entry)| entry).collect()
}
