//! The assets table, and the keywords that each asset listens for.

use roost_model::{asset::Asset, channel::Channel, id::AssetId};
use rusqlite::{OptionalExtension, Row, params};

use super::{parse_stored, parse_stored_id};
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

fn row_to_asset(row: &Row) -> rusqlite::Result<Asset> {
    let (id, channel): (String, String) = (row.get(0)?, row.get(1)?);
    Ok(Asset {
        id: parse_stored_id(0, AssetId::parse(&id))?,
        channel: parse_stored(1, Channel::parse(&channel), &channel)?,
        number: row.get(2)?,
        enforce_account_level_opt_outs: row.get(3)?,
        keywords: Vec::new(),
    })
}

fn with_keywords(tx: &ReadTx, mut asset: Asset) -> Result<Asset> {
    let mut statement =
        tx.conn().prepare_cached("SELECT keyword FROM asset_keywords WHERE asset_id = ?1 ORDER BY position")?;
    asset.keywords = statement.query_map([asset.id.as_str()], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(asset)
}

pub fn read_all(tx: &ReadTx) -> Result<Vec<Asset>> {
    let mut statement = tx
        .conn()
        .prepare_cached("SELECT id, channel, number, enforce_account_level_opt_outs FROM assets ORDER BY id")?;
    let rows: Vec<Asset> = statement.query_map([], row_to_asset)?.collect::<rusqlite::Result<_>>()?;
    rows.into_iter().map(|asset| with_keywords(tx, asset)).collect()
}

pub fn get(tx: &ReadTx, id: &AssetId) -> Result<Option<Asset>> {
    let mut statement = tx
        .conn()
        .prepare_cached("SELECT id, channel, number, enforce_account_level_opt_outs FROM assets WHERE id = ?1")?;
    statement.query_row([id.as_str()], row_to_asset).optional()?.map(|asset| with_keywords(tx, asset)).transpose()
}

pub fn is_number_taken(tx: &ReadTx, channel: Channel, number: &str) -> Result<bool> {
    tx.has_row("SELECT 1 FROM assets WHERE channel = ?1 AND number = ?2", [channel.as_str(), number])
}

pub fn insert(tx: &WriteTx, asset: &Asset) -> Result<()> {
    tx.execute_sql(
        "INSERT INTO assets (id, channel, number, enforce_account_level_opt_outs) VALUES (?1, ?2, ?3, ?4)",
        params![asset.id.as_str(), asset.channel.as_str(), asset.number, asset.enforce_account_level_opt_outs],
    )?;
    set_keywords(tx, &asset.id, &asset.keywords)
}

pub fn set_keywords(tx: &WriteTx, id: &AssetId, keywords: &[String]) -> Result<()> {
    tx.execute_sql("DELETE FROM asset_keywords WHERE asset_id = ?1", [id.as_str()])?;
    let mut insert =
        tx.conn().prepare_cached("INSERT INTO asset_keywords (asset_id, position, keyword) VALUES (?1, ?2, ?3)")?;
    for (position, keyword) in keywords.iter().enumerate() {
        insert.execute(params![id.as_str(), position as i64, keyword])?;
    }
    Ok(())
}

pub fn set_enforcement(tx: &WriteTx, id: &AssetId, on: bool) -> Result<()> {
    tx.execute_sql("UPDATE assets SET enforce_account_level_opt_outs = ?2 WHERE id = ?1", params![id.as_str(), on])?;
    Ok(())
}

/// Deletes an asset and returns whether it existed. Its opt-out records stay.
pub fn delete(tx: &WriteTx, id: &AssetId) -> Result<bool> {
    Ok(tx.execute_sql("DELETE FROM assets WHERE id = ?1", [id.as_str()])? > 0)
}
