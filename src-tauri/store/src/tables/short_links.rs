//! The short_links table, and the codes that were ever used.

use std::collections::HashMap;

use roost_model::{id::LinkId, page::SortOrder, short_link::ShortLink, time::Timestamp};
use rusqlite::{Row, params};

use super::{parse_stored, parse_stored_id};
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

/// The row of a link in the database, to which clicks refer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkRow(pub(crate) i64);

impl LinkRow {
    pub fn number(self) -> i64 {
        self.0
    }
}

const COLUMNS: &str = "uid, title, target_url, code, base, tags, created_at, track_clicks, id";

fn row_to_link(row: &Row) -> rusqlite::Result<(LinkRow, ShortLink)> {
    let (uid, tags): (String, String) = (row.get(0)?, row.get(5)?);
    let link = ShortLink {
        link_id: parse_stored_id(0, LinkId::parse(&uid))?,
        title: row.get(1)?,
        target_url: row.get(2)?,
        code: row.get(3)?,
        base: row.get(4)?,
        tags: parse_stored(5, serde_json::from_str(&tags).ok(), &tags)?,
        created_at: Timestamp::from_unix(row.get(6)?),
        track_clicks: row.get(7)?,
    };
    Ok((LinkRow(row.get(8)?), link))
}

pub fn get(tx: &ReadTx, uid: &LinkId) -> Result<Option<(LinkRow, ShortLink)>> {
    tx.find_row(&format!("SELECT {COLUMNS} FROM short_links WHERE uid = ?1"), [uid.as_str()], row_to_link)
}

pub fn find_by_code(tx: &ReadTx, code: &str) -> Result<Option<(LinkRow, ShortLink)>> {
    tx.find_row(&format!("SELECT {COLUMNS} FROM short_links WHERE code = ?1"), [code], row_to_link)
}

/// Reads a link by its row.
pub fn read_by_row(tx: &ReadTx, link: LinkRow) -> Result<ShortLink> {
    let sql = format!("SELECT {COLUMNS} FROM short_links WHERE id = ?1");
    Ok(tx.read_row(&sql, [link.0], row_to_link)?.1)
}

/// Visits the titles of the links created between two seconds (inclusive), sorted by creation time and then by id,
/// together with the result of `read` for the link's tags. Equal tags are read once.
pub fn visit_titles<T>(
    tx: &ReadTx,
    from: i64,
    to: i64,
    order: SortOrder,
    read: impl Fn(&[String]) -> T,
    mut visit: impl FnMut(LinkRow, &str, &T),
) -> Result<()> {
    let direction = order.as_str();
    let sql = format!(
        "SELECT id, title, tags FROM short_links WHERE created_at BETWEEN ?1 AND ?2 ORDER BY created_at {direction}, uid {direction}"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let mut rows = statement.query([from, to])?;
    let mut known: HashMap<String, T> = HashMap::new();
    while let Some(row) = rows.next()? {
        let text = |at: usize| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
        let (link, title, tags) = (LinkRow(row.get(0)?), text(1)?, text(2)?);
        if let Some(value) = known.get(tags) {
            visit(link, title, value);
            continue;
        }
        let names: Vec<String> = parse_stored(2, serde_json::from_str(tags).ok(), tags)?;
        visit(link, title, known.entry(tags.to_owned()).or_insert_with(|| read(&names)));
    }
    Ok(())
}

/// Finds links by a part of their texts, or by their code or uid, newest first. The link with the code comes before all
/// others.
pub fn search_links(tx: &ReadTx, text: &str, most: usize) -> Result<Vec<ShortLink>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM short_links
         WHERE uid = ?1 OR code = ?1 OR roost_finds(?2, NULL, NULL, NULL, title, target_url, code) OR (tags <> '[]' AND
             EXISTS (SELECT 1 FROM json_each(tags) WHERE roost_finds(?2, NULL, NULL, NULL, value)))
         ORDER BY code = ?1 DESC, created_at DESC, uid DESC LIMIT ?3"
    );
    tx.read_rows(&sql, params![text, text.to_lowercase(), most as i64], |row| row_to_link(row).map(|(_, link)| link))
}

/// Visits the links created between two seconds (inclusive), sorted by creation time and then by id.
pub fn visit_links(tx: &ReadTx, from: i64, to: i64, order: SortOrder, mut visit: impl FnMut(ShortLink)) -> Result<()> {
    let direction = order.as_str();
    let sql = format!(
        "SELECT {COLUMNS} FROM short_links WHERE created_at BETWEEN ?1 AND ?2 ORDER BY created_at {direction}, uid {direction}"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    for row in statement.query_map([from, to], row_to_link)? {
        visit(row?.1);
    }
    Ok(())
}

/// Reads one page of the same links.
pub fn read_page(
    tx: &ReadTx,
    from: i64,
    to: i64,
    order: SortOrder,
    page: roost_model::page::PageRequest,
) -> Result<(Vec<ShortLink>, u64)> {
    let direction = order.as_str();
    let total: i64 =
        tx.read_value("SELECT count(*) FROM short_links WHERE created_at BETWEEN ?1 AND ?2", [from, to])?;
    let sql = format!(
        "SELECT {COLUMNS} FROM short_links WHERE created_at BETWEEN ?1 AND ?2 ORDER BY created_at {direction}, uid {direction} LIMIT ?3 OFFSET ?4"
    );
    let rows = tx.read_rows(&sql, params![from, to, page.size, page.offset() as i64], |r| {
        row_to_link(r).map(|(_, link)| link)
    })?;
    Ok((rows, total as u64))
}

/// Reserves a code for ever. Returns false when it was used before.
pub fn reserve_code(tx: &WriteTx, code: &str) -> Result<bool> {
    Ok(tx.execute_sql("INSERT OR IGNORE INTO short_codes (code) VALUES (?1)", [code])? > 0)
}

/// Returns the codes that were used and have no link any more, in ascending order.
pub fn orphan_codes(tx: &ReadTx) -> Result<Vec<String>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT code FROM short_codes WHERE code NOT IN (SELECT code FROM short_links) ORDER BY code",
    )?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

pub fn insert(tx: &WriteTx, link: &ShortLink) -> Result<()> {
    let tags = serde_json::Value::from(link.tags.clone()).to_string();
    tx.execute_sql(
        "INSERT INTO short_links (uid, title, target_url, code, base, tags, created_at, track_clicks) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            link.link_id.as_str(),
            link.title,
            link.target_url,
            link.code,
            link.base,
            tags,
            link.created_at.unix(),
            link.track_clicks
        ],
    )?;
    Ok(())
}

/// Deletes a link with its clicks. Its code stays reserved.
pub fn delete(tx: &WriteTx, uid: &LinkId) -> Result<bool> {
    Ok(tx.execute_sql("DELETE FROM short_links WHERE uid = ?1", [uid.as_str()])? > 0)
}

/// Counts the clicks on a link.
pub fn count_clicks(tx: &ReadTx, link: LinkRow) -> Result<u64> {
    Ok(tx.read_value::<i64>("SELECT count(*) FROM clicks WHERE link_id = ?1", [link.0])? as u64)
}

/// Returns every tag with the number of its links, the most used first.
pub fn count_tags(tx: &ReadTx) -> Result<Vec<(String, u64)>> {
    tx.read_rows(
        "SELECT value, count(*) AS links FROM short_links, json_each(tags) WHERE tags <> '[]' GROUP BY value ORDER BY links DESC, value",
        [],
        |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)),
    )
}

/// Finds the links whose target satisfies `is_wanted`, newest first.
pub fn find_by_target(tx: &ReadTx, is_wanted: impl Fn(&str) -> bool, most: usize) -> Result<Vec<(LinkRow, ShortLink)>> {
    let mut found = Vec::new();
    let sql = format!("SELECT {COLUMNS} FROM short_links ORDER BY created_at DESC, uid DESC");
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if is_wanted(row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?) {
            found.push(row_to_link(row)?);
            if found.len() == most {
                break;
            }
        }
    }
    Ok(found)
}
