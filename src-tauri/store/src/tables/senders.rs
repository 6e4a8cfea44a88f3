//! Reads and writes the senders table.

use roost_model::{
    id::SenderId,
    page::{Page, PageRequest},
    sender::{Sender, SenderStatus},
};
use rusqlite::{Row, params};

use super::{parse_stored, parse_stored_id};
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

fn row_to_sender(row: &Row) -> rusqlite::Result<Sender> {
    let (id, status): (String, String) = (row.get(0)?, row.get(2)?);
    Ok(Sender {
        id: parse_stored_id(0, SenderId::parse(&id))?,
        name: row.get(1)?,
        status: parse_stored(2, SenderStatus::parse(&status), &status)?,
    })
}

/// Reads a page of senders, newest first, which is the descending order of their ids.
pub fn read_page(tx: &ReadTx, page: PageRequest) -> Result<Page<Sender>> {
    let total_items: i64 = tx.read_value("SELECT count(*) FROM senders", [])?;
    let items = tx.read_rows(
        "SELECT id, name, status FROM senders ORDER BY id DESC LIMIT ?1 OFFSET ?2",
        params![page.size, page.offset() as i64],
        row_to_sender,
    )?;
    Ok(Page { items, total_items: total_items as u64 })
}

pub fn get(tx: &ReadTx, id: &SenderId) -> Result<Option<Sender>> {
    tx.find_row("SELECT id, name, status FROM senders WHERE id = ?1", [id.as_str()], row_to_sender)
}

pub fn is_name_taken(tx: &ReadTx, name: &str) -> Result<bool> {
    tx.has_row("SELECT 1 FROM senders WHERE name_folded = ?1", [name.to_lowercase()])
}

pub fn insert(tx: &WriteTx, sender: &Sender) -> Result<()> {
    tx.conn()
        .prepare_cached("INSERT INTO senders (id, name, name_folded, status) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![sender.id.as_str(), sender.name, sender.name.to_lowercase(), sender.status.as_str()])?;
    Ok(())
}

pub fn set_status(tx: &WriteTx, id: &SenderId, status: SenderStatus) -> Result<()> {
    tx.execute_sql("UPDATE senders SET status = ?2 WHERE id = ?1", params![id.as_str(), status.as_str()])?;
    Ok(())
}

/// Deletes a sender and returns whether it existed.
pub fn delete(tx: &WriteTx, id: &SenderId) -> Result<bool> {
    Ok(tx.execute_sql("DELETE FROM senders WHERE id = ?1", [id.as_str()])? > 0)
}

/// Reads a page of the senders with this part in their name and with this status, newest first.
pub fn find_page(
    tx: &ReadTx,
    name: Option<&str>,
    status: Option<SenderStatus>,
    page: PageRequest,
) -> Result<Page<Sender>> {
    const CONDITION: &str = "(?1 IS NULL OR instr(name_folded, ?1) > 0) AND (?2 IS NULL OR status = ?2)";
    let (name, status) = (name.map(str::to_lowercase), status.map(SenderStatus::as_str));
    let total: i64 =
        tx.read_value(&format!("SELECT count(*) FROM senders WHERE {CONDITION}"), params![name, status])?;
    let sql = format!("SELECT id, name, status FROM senders WHERE {CONDITION} ORDER BY id DESC LIMIT ?3 OFFSET ?4");
    let items = tx.read_rows(&sql, params![name, status, page.size, page.offset() as i64], row_to_sender)?;
    Ok(Page { items, total_items: total as u64 })
}

pub fn find_by_name(tx: &ReadTx, name: &str) -> Result<Option<Sender>> {
    tx.find_row("SELECT id, name, status FROM senders WHERE name_folded = ?1", [name.to_lowercase()], row_to_sender)
}
