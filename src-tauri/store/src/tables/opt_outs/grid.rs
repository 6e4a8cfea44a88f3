//! Reads the opt_outs table as people search it: by part of a number and by scope, with the origin of each record.

use std::collections::{HashMap, HashSet};

use roost_model::{
    channel::Channel,
    id::AssetId,
    opt_out::{OptOut, OptOutType},
    page::{Page, PageRequest, SortOrder},
    time::TimeBound,
};
use rusqlite::{OptionalExtension, params, params_from_iter, types::Value};
use serde::Deserialize;

use super::{COLUMNS, row_to_opt_out, scope_text};
use crate::{change_log::ActorKind, error::Result, tables::parse_stored, tx::ReadTx};

/// Part of a number, as far as the person knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NumberPart {
    /// A plus and the first digits.
    Start(String),
    /// Digits anywhere in the number.
    Within(String),
    /// A text that no number can contain.
    Impossible,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "OptOutScope"))]
pub enum ScopeKind {
    Account,
    Asset,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptOutGridQuery {
    pub number: Option<NumberPart>,
    pub kind: Option<OptOutType>,
    pub channel: Option<Channel>,
    pub scope: Option<ScopeKind>,
    /// The asset that the record is scoped to or was received by.
    pub asset: Option<AssetId>,
    /// Part of that asset's number.
    pub inbound_number: Option<NumberPart>,
    pub from: Option<TimeBound>,
    pub to: Option<TimeBound>,
    pub order: SortOrder,
    pub page: PageRequest,
}

impl OptOutGridQuery {
    fn is_all(&self) -> bool {
        let Self { number, kind, channel, scope, asset, inbound_number, from, to, order: _, page: _ } = self;
        (number, inbound_number, kind, channel, scope) == (&None, &None, &None, &None, &None)
            && asset.is_none()
            && (from, to) == (&None, &None)
    }

    /// Returns whether the query restricts only the number, the channel and the scope.
    fn is_only_by_number(&self) -> bool {
        let Self { kind, asset, inbound_number, from, to, .. } = self;
        (kind, inbound_number, from, to) == (&None, &None, &None, &None) && asset.is_none()
    }
}

fn conditions_sql(query: &OptOutGridQuery) -> (String, Vec<Value>) {
    let mut sql = vec!["1 = 1".to_owned()];
    let mut values: Vec<Value> = Vec::new();
    let mut add = |condition: &str, value: Value| {
        values.push(value);
        sql.push(condition.replace('?', &format!("?{}", values.len())));
    };
    for (column, part) in [("number", &query.number), ("asset_number", &query.inbound_number)] {
        match part {
            None => {}
            // In ASCII, the colon follows the nine.
            Some(NumberPart::Start(start)) => {
                add(&format!("{column} >= ? AND {column} < ? || ':'"), start.clone().into());
            }
            Some(NumberPart::Within(digits)) => add(&format!("instr({column}, ?) > 0"), digits.clone().into()),
            Some(NumberPart::Impossible) => add("? > 0", 0.into()),
        }
    }
    if let Some(kind) = query.kind {
        add("kind = ?", kind.as_str().to_owned().into());
    }
    if let Some(channel) = query.channel {
        add("channel = ?", channel.as_str().to_owned().into());
    }
    match query.scope {
        None => {}
        Some(ScopeKind::Account) => add("scope = ?", String::new().into()),
        Some(ScopeKind::Asset) => add("scope <> ?", String::new().into()),
    }
    if let Some(asset) = &query.asset {
        add("asset_id = ?", asset.as_str().to_owned().into());
    }
    if let Some(from) = query.from {
        add("time >= ?", from.at_or_after().into());
    }
    if let Some(to) = query.to {
        add("time <= ?", to.at_or_before().into());
    }
    (sql.join(" AND "), values)
}

pub fn read_page(tx: &ReadTx, query: &OptOutGridQuery) -> Result<Page<OptOut>> {
    let (ids, total) = if query.is_all() { ids_by_time(tx, query)? } else { matching_ids(tx, query)? };
    let sql = format!("SELECT {COLUMNS} FROM opt_outs WHERE id = ?1");
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let items = ids.into_iter().map(|id| statement.query_row([id], row_to_opt_out));
    Ok(Page { items: items.collect::<rusqlite::Result<_>>()?, total_items: total })
}

/// Returns one page of all records, straight from the index on time.
fn ids_by_time(tx: &ReadTx, query: &OptOutGridQuery) -> Result<(Vec<i64>, u64)> {
    let total: i64 = tx.read_value("SELECT count(*) FROM opt_outs", [])?;
    let direction = query.order.as_str();
    let sql = format!("SELECT id FROM opt_outs ORDER BY time {direction}, id {direction} LIMIT ?1 OFFSET ?2");
    Ok((tx.read_rows(&sql, [i64::from(query.page.size), query.page.offset() as i64], |row| row.get(0))?, total as u64))
}

/// Returns one page of the matching records. All records are read once in the order of the file: those that were
/// counted need not be read again in the order of time.
fn matching_ids(tx: &ReadTx, query: &OptOutGridQuery) -> Result<(Vec<i64>, u64)> {
    let (filter, values) = conditions_sql(query);
    let (offset, size) = (query.page.offset() as usize, query.page.size as usize);
    let is_descending = query.order == SortOrder::Descending;
    if query.is_only_by_number() {
        // Two indexes that cover the query are shorter than the table.
        let mut statement = tx.conn().prepare_cached(&format!("SELECT id FROM opt_outs WHERE {filter}"))?;
        let fits: HashSet<i64> =
            statement.query_map(params_from_iter(&values), |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        if fits.len() <= offset {
            return Ok((Vec::new(), fits.len() as u64));
        }
        let direction = if is_descending { "DESC" } else { "ASC" };
        let sql = format!("SELECT id FROM opt_outs ORDER BY time {direction}, id {direction}");
        let mut statement = tx.conn().prepare_cached(&sql)?;
        let in_time = statement.query_map([], |row| row.get(0))?;
        let fitting = in_time.filter(|id| !matches!(id, Ok(id) if !fits.contains(id)));
        let page = fitting.skip(offset).take(size).collect::<rusqlite::Result<_>>()?;
        return Ok((page, fits.len() as u64));
    }
    let mut statement = tx.conn().prepare_cached(&format!("SELECT time, id FROM opt_outs WHERE {filter}"))?;
    let rows = statement.query_map(params_from_iter(&values), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut all: Vec<(i64, i64)> = rows.collect::<rusqlite::Result<_>>()?;
    all.sort_unstable();
    if is_descending {
        all.reverse();
    }
    Ok((all.iter().skip(offset).take(size).map(|(_, id)| *id).collect(), all.len() as u64))
}

/// Returns who added a record, and the reason. A record that was removed and restored keeps those that it had before.
pub fn read_origin(tx: &ReadTx, record: &OptOut) -> Result<Option<(ActorKind, Option<String>)>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT source, reason FROM opt_out_events AS e
         WHERE number = ?1 AND channel = ?2 AND scope = ?3 AND action <> 'removed'
         ORDER BY (kind = ?4 AND opted_out_at = ?5) DESC,
                  EXISTS (SELECT 1 FROM steps WHERE steps.id = e.step
                          AND act IN ('undo', 'redo', 'trash_restore', 'changes_discard')),
                  id DESC
         LIMIT 1",
    )?;
    let key = params![
        record.number,
        record.channel.as_str(),
        scope_text(&record.scope),
        record.kind.as_str(),
        record.time.unix()
    ];
    Ok(statement
        .query_row(key, |row| {
            let source: String = row.get(0)?;
            Ok((parse_stored(0, ActorKind::parse(&source), &source)?, row.get(1)?))
        })
        .optional()?)
}

/// Counts the lists in which each of these numbers occurs, as either kind of number. Numbers that occur in no list are
/// left out. The numbers are looked up list by list and in order, so that neighbours in an index are read one after the
/// other.
pub fn count_lists_with(tx: &ReadTx, numbers: &[&str]) -> Result<HashMap<String, u64>> {
    let mut statement = tx.conn().prepare_cached(
        "WITH wanted (number) AS MATERIALIZED (SELECT DISTINCT value FROM json_each(?1) ORDER BY value)
         SELECT number, count(*) FROM lists CROSS JOIN wanted
         WHERE EXISTS (SELECT 1 FROM contacts WHERE list_id = lists.id AND phone = number)
            OR EXISTS (SELECT 1 FROM contacts WHERE list_id = lists.id AND whatsapp = number)
         GROUP BY number",
    )?;
    let wanted = serde_json::to_string(numbers).unwrap_or_default();
    let rows = statement.query_map([wanted], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
