//! The opt_out_events table: every addition and removal of an opt-out. Triggers write it, and no row ever changes.

use roost_model::{
    channel::Channel,
    id::AssetId,
    opt_out::{InboundAsset, OptOutRecordScope, OptOutType},
    time::{TimeBound, Timestamp},
};
use rusqlite::{Row, params};

use super::parse_scope;
use crate::{
    change_log::ActorKind,
    error::{Result, StoreError},
    tables::{parse_stored, parse_stored_id},
    tx::ReadTx,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventAction {
    /// The opt-out existed when the recording of events began.
    Known,
    Added,
    Removed,
}

impl EventAction {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "known" => Self::Known,
            "added" => Self::Added,
            "removed" => Self::Removed,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptOutEvent {
    pub id: i64,
    pub at: Timestamp,
    pub source: ActorKind,
    pub step: i64,
    /// The act of the step. `None` when the opt-out existed before, or the step is forgotten.
    pub act: Option<String>,
    pub action: EventAction,
    pub number: String,
    pub channel: Channel,
    pub scope: OptOutRecordScope,
    pub kind: OptOutType,
    pub inbound: Option<InboundAsset>,
    pub opted_out_at: Timestamp,
    pub reason: Option<String>,
    /// What allowed a removal, in the spelling of the database.
    pub warrant: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventQuery {
    /// The number in E.164.
    pub number: Option<String>,
    pub channel: Option<Channel>,
    pub from: Option<TimeBound>,
    pub to: Option<TimeBound>,
}

const COLUMNS: &str = "e.id, e.at, e.source, e.step, e.action, e.number, e.channel, e.scope, e.kind, e.asset_id, e.asset_number, \
     e.opted_out_at, e.reason, e.warrant, (SELECT nullif(act, '') FROM steps WHERE steps.id = e.step)";

fn row_to_event(row: &Row) -> rusqlite::Result<OptOutEvent> {
    let text = |at: usize| row.get::<_, String>(at);
    let (source, action, channel, scope, kind) = (text(2)?, text(4)?, text(6)?, text(7)?, text(8)?);
    let asset: Option<String> = row.get(9)?;
    let asset = asset.map(|id| parse_stored_id(9, AssetId::parse(&id))).transpose()?;
    let number: Option<String> = row.get(10)?;
    Ok(OptOutEvent {
        id: row.get(0)?,
        at: Timestamp::from_unix(row.get(1)?),
        source: parse_stored(2, ActorKind::parse(&source), &source)?,
        step: row.get(3)?,
        act: row.get(14)?,
        action: parse_stored(4, EventAction::parse(&action), &action)?,
        number: row.get(5)?,
        channel: parse_stored(6, Channel::parse(&channel), &channel)?,
        scope: parse_scope(7, &scope)?,
        kind: parse_stored(8, OptOutType::parse(&kind), &kind)?,
        inbound: asset.map(|asset_id| InboundAsset { asset_id, number }),
        opted_out_at: Timestamp::from_unix(row.get(11)?),
        reason: row.get(12)?,
        warrant: row.get(13)?,
    })
}

/// Reads the last events of a number, oldest first.
pub fn read_by_number(tx: &ReadTx, number: &str, most: u32) -> Result<Vec<OptOutEvent>> {
    let sql = format!("SELECT {COLUMNS} FROM opt_out_events e WHERE e.number = ?1 ORDER BY e.id DESC LIMIT ?2");
    let mut events: Vec<OptOutEvent> = tx.read_rows(&sql, params![number, most], row_to_event)?;
    events.reverse();
    Ok(events)
}

/// Visits every event that matches a query, in the order in which they happened.
pub fn visit_events<E: From<StoreError>>(
    tx: &ReadTx,
    query: &EventQuery,
    mut visit: impl FnMut(OptOutEvent) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let sql = |e: rusqlite::Error| E::from(e.into());
    // There are two statements, because one with an optional number would not use its index.
    let by_number = if query.number.is_some() { "e.number = ?1" } else { "?1 IS NULL" };
    let text = format!(
        "SELECT {COLUMNS} FROM opt_out_events e
         WHERE {by_number} AND (?2 IS NULL OR e.channel = ?2) AND e.at BETWEEN ?3 AND ?4 ORDER BY e.id"
    );
    let mut statement = tx.conn().prepare_cached(&text).map_err(sql)?;
    let values = params![
        query.number,
        query.channel.map(Channel::as_str),
        query.from.map_or(i64::MIN, TimeBound::at_or_after),
        query.to.map_or(i64::MAX, TimeBound::at_or_before)
    ];
    for row in statement.query_map(values, row_to_event).map_err(sql)? {
        visit(row.map_err(sql)?)?;
    }
    Ok(())
}
