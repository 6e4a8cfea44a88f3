//! The clicks table.

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
    tx.conn()
        .prepare_cached(
            "INSERT INTO clicks (link_id, title, short_link_url, target_url, recipient, device, browser, operating_system, campaign_uid, time)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
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
        ])?;
    Ok(())
}

/// A link's clicks, newest first.
pub fn page(tx: &ReadTx, uid: &LinkId, link: LinkRow, page: PageRequest) -> Result<Page<Click>> {
    let total: i64 = tx
        .conn()
        .prepare_cached("SELECT count(*) FROM clicks WHERE link_id = ?1")?
        .query_row([link.0], |r| r.get(0))?;
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
