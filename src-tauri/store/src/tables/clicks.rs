//! Reads and writes the clicks table.

use std::collections::HashMap;

use roost_model::{
    id::LinkId,
    page::{Page, PageRequest},
    short_link::Click,
    time::Timestamp,
};
use rusqlite::params;

use crate::{
    error::Result,
    tables::short_links::LinkRow,
    tx::{ReadTx, WriteTx},
};

pub fn insert(tx: &WriteTx, link: LinkRow, click: &Click) -> Result<()> {
    tx.execute_sql(
        "INSERT INTO clicks (link_id, title, short_link_url, target_url, recipient, device, browser, operating_system, campaign_uid, time)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            link.0,
            click.title,
            click.short_link_url,
            click.target_url,
            click.recipient,
            click.device,
            click.browser,
            click.operating_system,
            click.campaign_uid,
            click.time.unix()
        ],
    )?;
    Ok(())
}

/// Reads a page of a link's clicks, newest first.
pub fn read_page(tx: &ReadTx, uid: &LinkId, link: LinkRow, page: PageRequest) -> Result<Page<Click>> {
    let total: i64 = tx.read_value("SELECT count(*) FROM clicks WHERE link_id = ?1", [link.0])?;
    let mut statement = tx.conn().prepare_cached(
        "SELECT title, short_link_url, target_url, recipient, device, browser, operating_system, campaign_uid, time
         FROM clicks WHERE link_id = ?1 ORDER BY time DESC, id DESC LIMIT ?2 OFFSET ?3",
    )?;
    let rows = statement.query_map(params![link.0, page.size, page.offset() as i64], |r| {
        Ok(Click {
            link_id: uid.clone(),
            title: r.get(0)?,
            short_link_url: r.get(1)?,
            target_url: r.get(2)?,
            recipient: r.get(3)?,
            device: r.get(4)?,
            browser: r.get(5)?,
            operating_system: r.get(6)?,
            campaign_uid: r.get(7)?,
            time: Timestamp::from_unix(r.get(8)?),
        })
    })?;
    Ok(Page { items: rows.collect::<rusqlite::Result<_>>()?, total_items: total as u64 })
}

/// Numbers of clicks by the value of one trait, the most frequent value first. `None` stands for clicks whose value is
/// unknown.
pub type TraitShares = Vec<(Option<String>, u64)>;

/// Most values of a trait that are returned.
const SHARES_MAX: usize = 50;

/// Counts the clicks of a link by device, by browser and by operating system in one pass.
pub fn count_by_trait(tx: &ReadTx, link: LinkRow) -> Result<[TraitShares; 3]> {
    let mut statement =
        tx.conn().prepare_cached("SELECT device, browser, operating_system FROM clicks WHERE link_id = ?1")?;
    let mut rows = statement.query([link.0])?;
    let mut counts: [(HashMap<String, u64>, u64); 3] = Default::default();
    while let Some(row) = rows.next()? {
        for (at, (known, unknown)) in counts.iter_mut().enumerate() {
            let text = row.get_ref(at)?.as_str_or_null().map_err(rusqlite::Error::from)?;
            match text.map(|text| (text, known.get_mut(text))) {
                Some((_, Some(count))) => *count += 1,
                Some((text, None)) => drop(known.insert(text.to_owned(), 1)),
                None => *unknown += 1,
            }
        }
    }
    Ok(counts.map(|(known, unknown)| {
        let unknown = (unknown > 0).then_some((None, unknown));
        let mut shares: TraitShares =
            known.into_iter().map(|(text, count)| (Some(text), count)).chain(unknown).collect();
        shares.sort_by(|(a, many), (b, more)| more.cmp(many).then_with(|| a.cmp(b)));
        shares.truncate(SHARES_MAX);
        shares
    }))
}

/// Counts clicks by day, numbered from 1970 in UTC, beginning with `from_day`. Days without clicks are left out.
pub fn count_by_day(tx: &ReadTx, link: LinkRow, from_day: i64) -> Result<Vec<(i64, u64)>> {
    tx.read_rows(
        "SELECT time / 86400 AS day, count(*) FROM clicks WHERE link_id = ?1 AND time >= ?2 * 86400 GROUP BY day ORDER BY day",
        [link.0, from_day],
        |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)),
    )
}
