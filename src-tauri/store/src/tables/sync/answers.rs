//! Stores what a person decided about single records, and about whole columns.

use rusqlite::{ToSql, params, types::FromSql};

use super::SyncedTable;
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

/// A person's answer to a question. `answer` is JSON, and `about` is a field or another subject of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncAnswer<I> {
    pub id: I,
    pub about: String,
    pub answer: String,
}

/// The subject for a record that is still to be deleted at the service. Its answer is the number of the record that
/// replaced it.
pub const SUPERSEDED_BY: &str = "superseded_by";

/// The subject for a record whose deletion was sent to the service, which may have received it.
pub const DELETION_SENT: &str = "deletion_sent";

/// Returns whether the deletion of a record was sent, and the record has not been seen at the service since.
pub fn is_deletion_sent(tx: &ReadTx, place: SyncedTable, id: i64) -> Result<bool> {
    Ok(read_of_record(tx, place, id)?.iter().any(|one| one.about == DELETION_SENT))
}

/// Returns the records that have an answer about this subject.
pub fn find_about(tx: &ReadTx, place: SyncedTable, about: &str) -> Result<Vec<i64>> {
    let mut statement =
        tx.conn().prepare_cached("SELECT id FROM sync_answers WHERE place = ?1 AND about = ?2 ORDER BY id")?;
    let rows = statement.query_map(params![place.number(), about], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the record that replaced this one, if any.
pub fn find_successor(tx: &ReadTx, place: SyncedTable, id: i64) -> Result<Option<i64>> {
    let found = read_of_record(tx, place, id)?.into_iter().find(|one| one.about == SUPERSEDED_BY);
    Ok(found.and_then(|one| one.answer.parse().ok()))
}

pub fn read_all<I: FromSql>(tx: &ReadTx, place: SyncedTable) -> Result<Vec<SyncAnswer<I>>> {
    tx.read_rows(
        "SELECT id, about, answer FROM sync_answers WHERE place = ?1 ORDER BY id, about",
        [place.number()],
        |row| Ok(SyncAnswer { id: row.get(0)?, about: row.get(1)?, answer: row.get(2)? }),
    )
}

/// Stores an answer, or removes it when `answer` is `None`.
pub fn set_answer(tx: &WriteTx, place: SyncedTable, id: &impl ToSql, about: &str, answer: Option<&str>) -> Result<()> {
    match answer {
        Some(answer) => tx.execute_sql(
            "INSERT OR REPLACE INTO sync_answers (place, id, about, answer) VALUES (?1, ?2, ?3, ?4)",
            params![place.number(), id, about, answer],
        )?,
        None => tx.execute_sql(
            "DELETE FROM sync_answers WHERE place = ?1 AND id = ?2 AND about = ?3",
            params![place.number(), id, about],
        )?,
    };
    Ok(())
}

pub fn read_of_record<I: FromSql + ToSql>(tx: &ReadTx, place: SyncedTable, id: I) -> Result<Vec<SyncAnswer<I>>> {
    tx.read_rows(
        "SELECT id, about, answer FROM sync_answers WHERE place = ?1 AND id = ?2",
        params![place.number(), id],
        |row| Ok(SyncAnswer { id: row.get(0)?, about: row.get(1)?, answer: row.get(2)? }),
    )
}

/// Removes the answers about a record whose questions are settled. Answers that say what to do with the record stay.
pub fn remove_settled(tx: &WriteTx, place: SyncedTable, id: &impl ToSql) -> Result<()> {
    tx.conn()
        .prepare_cached("DELETE FROM sync_answers WHERE place = ?1 AND id = ?2 AND about NOT IN ('choice', 'held', 'superseded_by')")?
        .execute(params![place.number(), id])?;
    Ok(())
}

/// Removes the choice for a record that has been carried out. A choice to keep a difference here stays.
pub fn remove_done_choice(tx: &WriteTx, place: SyncedTable, id: &impl ToSql) -> Result<()> {
    tx.execute_sql(
        "DELETE FROM sync_answers WHERE place = ?1 AND id = ?2 AND about = 'choice' AND answer <> '\"keep_local\"'",
        params![place.number(), id],
    )?;
    Ok(())
}

/// Removes the choices to keep a difference where there is no difference any more, so that they do not apply to the
/// next one.
pub fn remove_obsolete_choices(tx: &WriteTx) -> Result<()> {
    tx.execute_sql(
        "DELETE FROM sync_answers WHERE about = 'choice' AND answer IN ('\"keep_local\"', '\"alias\"')
         AND NOT EXISTS (SELECT 1 FROM sync_base AS b WHERE b.place = sync_answers.place AND b.id = sync_answers.id)",
        [],
    )?;
    Ok(())
}

/// Returns each column with its rule. The column '' stands for deletions.
pub fn read_rules(tx: &ReadTx) -> Result<Vec<(String, String)>> {
    tx.read_rows("SELECT field, rule FROM sync_rules ORDER BY field", [], |row| Ok((row.get(0)?, row.get(1)?)))
}

pub fn set_rule(tx: &WriteTx, field: &str, rule: Option<&str>) -> Result<()> {
    match rule {
        Some(rule) => {
            tx.execute_sql("INSERT OR REPLACE INTO sync_rules (field, rule) VALUES (?1, ?2)", [field, rule])?
        }
        None => tx.execute_sql("DELETE FROM sync_rules WHERE field = ?1", [field])?,
    };
    Ok(())
}
