//! Reads and writes the opt_outs table.

pub mod events;
pub mod grid;
mod warrant;

use std::collections::HashSet;

use roost_model::{
    channel::Channel,
    id::AssetId,
    opt_out::{AssetFields, InboundAsset, OptOut, OptOutQuery, OptOutRecordScope, OptOutType},
    page::Page,
    time::Timestamp,
};
use rusqlite::{Connection, Row, params, params_from_iter, types::Value};

pub use self::warrant::{OptOutRemover, Warrant, with_warrant};
use super::{parse_stored, parse_stored_id};
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

/// The end of the scope of a record that blocks a number because the service has an opt-out of a channel or an asset
/// that this program does not know.
pub const UNKNOWN_ASSET: &str = "_000000000000000000000000001";

const COLUMNS: &str = "number, channel, scope, kind, asset_id, asset_number, time";

/// Parses a stored scope: empty for the account, otherwise an asset's id.
fn parse_scope(column: usize, text: &str) -> rusqlite::Result<OptOutRecordScope> {
    if text.is_empty() {
        Ok(OptOutRecordScope::Account)
    } else {
        Ok(OptOutRecordScope::Asset(parse_stored_id(column, AssetId::parse(text))?))
    }
}

fn row_to_opt_out(row: &Row) -> rusqlite::Result<OptOut> {
    let (channel, scope, kind): (String, String, String) = (row.get(1)?, row.get(2)?, row.get(3)?);
    let asset: Option<String> = row.get(4)?;
    let asset = asset.map(|id| parse_stored_id(4, AssetId::parse(&id))).transpose()?;
    let number: Option<String> = row.get(5)?;
    Ok(OptOut {
        number: row.get(0)?,
        channel: parse_stored(1, Channel::parse(&channel), &channel)?,
        scope: parse_scope(2, &scope)?,
        kind: parse_stored(3, OptOutType::parse(&kind), &kind)?,
        inbound: asset.map(|asset_id| InboundAsset { asset_id, number }),
        time: Timestamp::from_unix(row.get(6)?),
    })
}

fn scope_text(scope: &OptOutRecordScope) -> &str {
    match scope {
        OptOutRecordScope::Account => "",
        OptOutRecordScope::Asset(id) => id.as_str(),
    }
}

/// Returns the conditions of a query, and their values in the same order.
fn conditions_sql(query: &OptOutQuery) -> (String, Vec<Value>) {
    let mut sql = vec!["1 = 1".to_owned()];
    let mut values: Vec<Value> = Vec::new();
    let mut add = |condition: &str, value: Value| {
        values.push(value);
        sql.push(condition.replace('?', &format!("?{}", values.len())));
    };
    if let Some(number) = &query.number {
        add("number = ?", number.clone().into());
    }
    if let Some(kind) = query.kind {
        add("kind = ?", kind.as_str().to_owned().into());
    }
    if let Some(channel) = query.channel {
        add("channel = ?", channel.as_str().to_owned().into());
    }
    let shows_asset = match query.fields {
        AssetFields::Keyword => "kind = 'keyword'",
        AssetFields::Asset => "(kind = 'keyword' OR scope <> '')",
    };
    if let Some(asset) = &query.asset {
        add(&format!("{shows_asset} AND asset_id = ?"), asset.as_str().to_owned().into());
    }
    if let Some(number) = &query.inbound_number {
        let bare = number.strip_prefix('+').unwrap_or(number).to_owned();
        add(&format!("{shows_asset} AND ltrim(asset_number, '+') = ?"), bare.into());
    }
    if let Some(from) = query.from {
        add("time >= ?", from.at_or_after().into());
    }
    if let Some(to) = query.to {
        add("time <= ?", to.at_or_before().into());
    }
    (sql.join(" AND "), values)
}

pub fn read_page(tx: &ReadTx, query: &OptOutQuery) -> Result<Page<OptOut>> {
    let (filter, mut values) = conditions_sql(query);
    let total: i64 =
        tx.read_value(&format!("SELECT count(*) FROM opt_outs WHERE {filter}"), params_from_iter(&values))?;
    let direction = query.order.as_str();
    let (size, offset) = (values.len() + 1, values.len() + 2);
    values.extend([Value::from(query.page.size), Value::from(query.page.offset() as i64)]);
    let sql = format!(
        "SELECT {COLUMNS} FROM opt_outs WHERE {filter} ORDER BY time {direction}, id {direction} LIMIT ?{size} OFFSET ?{offset}"
    );
    Ok(Page { items: tx.read_rows(&sql, params_from_iter(&values), row_to_opt_out)?, total_items: total as u64 })
}

/// Visits every record in the order of creation.
pub fn visit_all<E: From<crate::error::StoreError>>(
    tx: &ReadTx,
    mut visit: impl FnMut(OptOut) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let sql = |e: rusqlite::Error| E::from(e.into());
    let mut statement =
        tx.conn().prepare_cached(&format!("SELECT {COLUMNS} FROM opt_outs ORDER BY id")).map_err(sql)?;
    for row in statement.query_map([], row_to_opt_out).map_err(sql)? {
        visit(row.map_err(sql)?)?;
    }
    Ok(())
}

/// Reads the records of a damaged file: from both ends of the table, and what the ledger knows besides. Returns whether
/// the whole table was read.
pub(crate) fn salvage_all(conn: &Connection) -> (Vec<OptOut>, bool) {
    let (mut found, mut events) = (Vec::new(), Vec::new());
    let is_whole = salvage_rows(conn, COLUMNS, "opt_outs NOT INDEXED ORDER BY id", &mut found);
    if !is_whole {
        salvage_rows(conn, COLUMNS, "opt_outs NOT INDEXED ORDER BY id DESC", &mut found);
        let columns = "number, channel, scope, kind, asset_id, asset_number, opted_out_at, id, action";
        for order in ["id", "id DESC"] {
            salvage_rows(conn, columns, &format!("opt_out_events NOT INDEXED ORDER BY {order}"), &mut events);
        }
        // The newest event of a number is the one that counts.
        events.sort_by_key(|(_, event)| std::cmp::Reverse(event.clone().map_or(0, |(id, _)| id)));
    }
    let mut seen = HashSet::new();
    let key = |record: &OptOut| (record.number.clone(), record.channel, record.scope.clone());
    found.retain(|(record, _)| seen.insert(key(record)));
    let is_removed = |event: &Option<(i64, String)>| event.as_ref().is_some_and(|(_, action)| action == "removed");
    events.retain(|(record, event)| seen.insert(key(record)) && !is_removed(event));
    (found.into_iter().chain(events).map(|(record, _)| record).collect(), is_whole)
}

/// A record that was read from a damaged table, with the id and the action if it is one of the ledger.
type SalvagedRow = (OptOut, Option<(i64, String)>);

/// Reads rows until SQLite cannot go on, and returns whether all were read.
fn salvage_rows(conn: &Connection, columns: &str, source: &str, found: &mut Vec<SalvagedRow>) -> bool {
    let mut read = || -> rusqlite::Result<bool> {
        let (mut statement, mut is_whole) = (conn.prepare(&format!("SELECT {columns} FROM {source}"))?, true);
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            match row_to_opt_out(row) {
                Ok(record) => found.push((record, row.get(7).and_then(|id| Ok((id, row.get(8)?))).ok())),
                Err(_) => is_whole = false,
            }
        }
        Ok(is_whole)
    };
    read().unwrap_or(false)
}

/// Replaces the record with the same number, channel and scope. The new record counts as added.
pub fn replace(tx: &WriteTx, record: &OptOut) -> Result<()> {
    if exists(tx, &record.number, record.channel, &record.scope)? {
        remove_for_renewal(tx, record)?;
    }
    insert(tx, record)?;
    Ok(())
}

/// Visits the numbers that are opted out of a channel in any scope, in ascending order.
pub fn visit_numbers(tx: &ReadTx, channel: Channel, mut visit: impl FnMut(&str)) -> Result<()> {
    let mut statement =
        tx.conn().prepare_cached("SELECT DISTINCT number FROM opt_outs WHERE channel = ?1 ORDER BY number")?;
    let mut rows = statement.query([channel.as_str()])?;
    while let Some(row) = rows.next()? {
        visit(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?);
    }
    Ok(())
}

/// Reads the records of one number by channel, the account's first.
pub fn read_by_number(tx: &ReadTx, number: &str) -> Result<Vec<OptOut>> {
    let mut statement = tx
        .conn()
        .prepare_cached(&format!("SELECT {COLUMNS} FROM opt_outs WHERE number = ?1 ORDER BY channel, scope"))?;
    Ok(statement.query_map([number], row_to_opt_out)?.collect::<rusqlite::Result<_>>()?)
}

/// Returns the stored scopes of a number's records on a channel.
pub fn read_scopes(tx: &ReadTx, number: &str, channel: Channel) -> Result<Vec<String>> {
    let mut statement =
        tx.conn().prepare_cached("SELECT scope FROM opt_outs WHERE number = ?1 AND channel = ?2 ORDER BY scope")?;
    Ok(statement.query_map([number, channel.as_str()], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

pub fn get(tx: &ReadTx, number: &str, channel: Channel, scope: &OptOutRecordScope) -> Result<Option<OptOut>> {
    let sql = format!("SELECT {COLUMNS} FROM opt_outs WHERE number = ?1 AND channel = ?2 AND scope = ?3");
    tx.find_row(&sql, params![number, channel.as_str(), scope_text(scope)], row_to_opt_out)
}

pub fn exists(tx: &ReadTx, number: &str, channel: Channel, scope: &OptOutRecordScope) -> Result<bool> {
    let mut statement =
        tx.conn().prepare_cached("SELECT 1 FROM opt_outs WHERE number = ?1 AND channel = ?2 AND scope = ?3")?;
    Ok(statement.exists(params![number, channel.as_str(), scope_text(scope)])?)
}

/// Counts the records that are scoped to an asset, and all records that name the asset.
pub fn count_by_asset(tx: &ReadTx, asset: &AssetId) -> Result<(u64, u64)> {
    let (scoped, behind): (i64, i64) = tx
        .conn()
        .prepare_cached("SELECT coalesce(sum(scope = ?1), 0), count(*) FROM opt_outs WHERE asset_id = ?1")?
        .query_row([asset.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok((scoped as u64, behind as u64))
}

/// Finds a record by its stored key and returns it with its row.
pub(crate) fn find_with_row(tx: &ReadTx, number: &str, channel: &str, scope: &str) -> Result<Option<(i64, OptOut)>> {
    let sql = format!("SELECT {COLUMNS}, id FROM opt_outs WHERE number = ?1 AND channel = ?2 AND scope = ?3");
    tx.find_row(&sql, [number, channel, scope], |row| Ok((row.get(7)?, row_to_opt_out(row)?)))
}

/// Removes a record that an older one of the same number, channel and scope replaces in the same transaction.
pub(crate) fn remove_for_renewal(tx: &WriteTx, record: &OptOut) -> Result<()> {
    warrant::with_warrant(tx, Warrant::renewed(), |door| {
        door.delete_one(&record.number, record.channel, &record.scope).map(drop)
    })
}

/// Stores how the service has a record. The type and the time here stay unchanged.
pub fn set_service_values(tx: &WriteTx, scope: &OptOutRecordScope, record: &OptOut) -> Result<()> {
    tx.execute_sql(
        "UPDATE opt_outs SET service_kind = ?4, service_time = ?5, service_number = ?6
         WHERE number = ?1 AND channel = ?2 AND scope = ?3",
        params![
            record.number,
            record.channel.as_str(),
            scope_text(scope),
            record.kind.as_str(),
            record.time.unix(),
            record.inbound.as_ref().and_then(|inbound| inbound.number.as_deref())
        ],
    )?;
    Ok(())
}

/// Adds a record unless one with the same number, channel and scope exists. Returns whether it was added.
pub fn insert(tx: &WriteTx, record: &OptOut) -> Result<bool> {
    let inbound = record.inbound.as_ref();
    let added = tx.execute_sql(
        "INSERT INTO opt_outs (number, channel, scope, kind, asset_id, asset_number, time) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (number, channel, scope) DO NOTHING",
        params![
            record.number,
            record.channel.as_str(),
            scope_text(&record.scope),
            record.kind.as_str(),
            inbound.map(|i| i.asset_id.as_str()),
            inbound.and_then(|i| i.number.as_deref()),
            record.time.unix()
        ],
    )?;
    Ok(added > 0)
}
