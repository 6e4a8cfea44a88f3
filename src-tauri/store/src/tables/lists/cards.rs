//! Reads lists as people see them: with the account holder's own alias, note and pin, which are never sent to the
//! service.

use roost_model::{
    id::ListId,
    list::List,
    page::{Page, PageRequest, SortOrder},
    time::Timestamp,
};
use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use super::{ListRow, row_to_list};
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

/// A list with the account holder's own notes on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ListCard {
    #[serde(flatten)]
    pub list: List,
    /// A name that the account holder gave the list. It is never sent.
    pub alias: Option<String>,
    pub note: Option<String>,
    pub pinned_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ListSort"))]
pub enum CardSort {
    UpdatedAt,
    CreatedAt,
    Name,
    ContactCount,
}

/// Restricts and sorts lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardQuery {
    /// Part of the name or the alias, or the whole uid.
    pub text: Option<String>,
    pub sort: CardSort,
    pub order: SortOrder,
    pub page: PageRequest,
}

/// The account holder's notes on one list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListNote {
    pub alias: Option<String>,
    pub note: Option<String>,
    pub pinned_at: Option<Timestamp>,
}

const FROM: &str = "lists LEFT JOIN list_notes ON list_id = id";
const COLUMNS: &str = "uid, name, contact_count, created_at, updated_at, alias, note, pinned_at";
const MATCHES: &str = "(?1 = '' OR instr(name_folded, ?1) > 0 OR instr(roost_folded(alias), ?1) > 0 OR uid = ?2)";

fn row_to_card(row: &Row) -> rusqlite::Result<ListCard> {
    Ok(ListCard {
        list: row_to_list(row)?,
        alias: row.get(5)?,
        note: row.get(6)?,
        pinned_at: row.get::<_, Option<i64>>(7)?.map(Timestamp::from_unix),
    })
}

pub fn read_page(tx: &ReadTx, query: &CardQuery) -> Result<Page<ListCard>> {
    let column = match query.sort {
        CardSort::UpdatedAt => "updated_at",
        CardSort::CreatedAt => "created_at",
        CardSort::Name => "name_folded",
        CardSort::ContactCount => "contact_count",
    };
    let direction = match query.order {
        SortOrder::Ascending => "ASC",
        SortOrder::Descending => "DESC",
    };
    let exact = query.text.as_deref().unwrap_or_default().trim();
    let folded = exact.to_lowercase();
    let total: i64 = tx.read_value(&format!("SELECT count(*) FROM {FROM} WHERE {MATCHES}"), [&folded, exact])?;
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE {MATCHES} ORDER BY {column} {direction}, uid {direction} LIMIT ?3 OFFSET ?4"
    );
    let items = tx.read_rows(&sql, params![folded, exact, query.page.size, query.page.offset() as i64], row_to_card)?;
    Ok(Page { items, total_items: total as u64 })
}

/// Finds lists by name, alias or uid. Matches of the whole name come first, then of its beginning, then of any part.
pub fn find_cards(tx: &ReadTx, text: &str, most: usize) -> Result<Vec<ListCard>> {
    let folded = text.trim().to_lowercase();
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE {MATCHES}
         ORDER BY CASE instr(name_folded, ?1) WHEN 0 THEN 3 WHEN 1 THEN name_folded <> ?1 ELSE 2 END, name_folded, id LIMIT ?3"
    );
    tx.read_rows(&sql, params![folded, text.trim(), most as i64], row_to_card)
}

/// Reads the pinned lists in the order in which they were pinned.
pub fn read_pinned(tx: &ReadTx) -> Result<Vec<ListCard>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM list_notes JOIN lists ON list_id = id WHERE pinned_at IS NOT NULL ORDER BY pinned_at, id"
    );
    tx.read_rows(&sql, [], row_to_card)
}

pub fn get(tx: &ReadTx, uid: &ListId) -> Result<Option<ListCard>> {
    tx.find_row(&format!("SELECT {COLUMNS} FROM {FROM} WHERE uid = ?1"), [uid.as_str()], row_to_card)
}

/// Stores the notes on a list, or deletes them when they are empty.
pub fn set_note(tx: &WriteTx, list: ListRow, note: &ListNote) -> Result<()> {
    if *note == ListNote::default() {
        tx.execute_sql("DELETE FROM list_notes WHERE list_id = ?1", [list.0])?;
        return Ok(());
    }
    tx.execute_sql(
        "INSERT INTO list_notes (list_id, alias, note, pinned_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (list_id) DO UPDATE SET alias = excluded.alias, note = excluded.note, pinned_at = excluded.pinned_at",
        params![list.0, note.alias, note.note, note.pinned_at.map(Timestamp::unix)],
    )?;
    Ok(())
}
