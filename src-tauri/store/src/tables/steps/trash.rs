//! The trash: the steps that deleted records which are still deleted.

use roost_model::page::{Page, PageRequest};
use rusqlite::{params, types::Value};

use super::{UndoStep, counted_page, forget_rows};
use crate::{
    change_log::Noun,
    error::Result,
    row_recorder::{DELETED, INSERTED, tracked_tables::TrackedTable},
    tx::{ReadTx, WriteTx},
};

/// The nouns whose records may return by another way than the trash, such as a pull, and the tables of their records.
const RESTORABLE_TABLES: [(Noun, &str); 4] =
    [(Noun::Sender, "senders"), (Noun::List, "lists"), (Noun::Contact, "contacts"), (Noun::ShortLink, "short_links")];

/// Returns the condition that the record of a recorded deletion has not returned since, not even to be deleted again.
fn still_gone_sql() -> String {
    let tables: Vec<String> = RESTORABLE_TABLES
        .iter()
        .filter_map(|(_, table)| {
            let place = TrackedTable::find_by_name(table)?.number;
            Some(format!("WHEN {place} THEN NOT EXISTS (SELECT 1 FROM {table} WHERE {table}.id = gone.key)"))
        })
        .collect();
    format!(
        "(CASE gone.place {} ELSE 0 END AND NOT EXISTS (
             SELECT 1 FROM row_changes AS later JOIN steps AS last ON last.id = later.step
             WHERE later.place = gone.place AND later.key = gone.key AND later.id > gone.id
               AND later.kind IN ({INSERTED}, {DELETED}) AND last.state = 'done'))",
        tables.join(" ")
    )
}

/// Returns the condition that a step is in the trash.
fn in_trash_sql() -> String {
    let nouns: Vec<String> = RESTORABLE_TABLES.iter().map(|(noun, _)| format!("'{}'", noun.as_str())).collect();
    format!(
        "trash IS NOT NULL AND first_row IS NOT NULL AND state = 'done'
         AND NOT EXISTS (SELECT 1 FROM steps AS later WHERE later.id = steps.restored_by AND later.state = 'done')
         AND (trash NOT IN ({}) OR EXISTS (
             SELECT 1 FROM row_changes AS gone WHERE gone.id BETWEEN first_row AND last_row AND gone.step = steps.id
               AND gone.kind = {DELETED} AND {}))",
        nouns.join(", "),
        still_gone_sql()
    )
}

/// Reads a page of the trash, newest first. A step counts only the records that are still deleted.
pub fn read_page(tx: &ReadTx, noun: Option<Noun>, page: PageRequest) -> Result<Page<UndoStep>> {
    let condition = format!("{} AND (?1 IS NULL OR trash = ?1)", in_trash_sql());
    let noun = noun.map_or(Value::Null, |noun| noun.as_str().to_owned().into());
    let mut found = counted_page(tx, &condition, vec![noun], page)?;
    for step in &mut found.items {
        step.count = count_gone(tx, step)?;
    }
    Ok(found)
}

/// Returns a step of the trash with the number of its records that are still deleted.
pub fn find(tx: &ReadTx, id: i64) -> Result<Option<UndoStep>> {
    let Some(mut step) = super::find_where(tx, &format!("id = ?1 AND {}", in_trash_sql()), &[&id])? else {
        return Ok(None);
    };
    step.count = count_gone(tx, &step)?;
    Ok(Some(step))
}

fn count_gone(tx: &ReadTx, step: &UndoStep) -> Result<u64> {
    let (Some((first, last)), Some(noun)) = (step.rows, step.trash) else { return Ok(step.count) };
    // A list counts the contacts that were deleted with it.
    let noun = if noun == Noun::List { Noun::Contact } else { noun };
    let table = RESTORABLE_TABLES.iter().find(|(known, _)| *known == noun).map(|(_, table)| *table);
    let Some(place) = table.and_then(TrackedTable::find_by_name) else { return Ok(step.count) };
    let (deleted, restorable): (i64, i64) = tx
        .conn()
        .prepare_cached(&format!(
            "SELECT count(*), coalesce(sum({}), 0) FROM row_changes AS gone
             WHERE gone.id BETWEEN ?1 AND ?2 AND gone.step = ?3 AND gone.kind = {DELETED} AND gone.place = ?4",
            still_gone_sql()
        ))?
        .query_row(params![first, last, step.id, place.number], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // The count of some acts describes other records than these.
    Ok(if deleted as u64 == step.count { restorable as u64 } else { step.count })
}

/// Deletes permanently what a step moved into the trash.
pub fn purge(tx: &WriteTx, step: &UndoStep) -> Result<()> {
    forget_rows(tx, step)
}
