//! The steps table: every transaction that changed something, for the timeline, for undo and for the trash.

pub mod log;
pub mod trash;

use roost_model::{
    page::{Page, PageRequest},
    time::Timestamp,
};
use rusqlite::{Row, params, params_from_iter, types::Value};
use serde::{Serialize, Serializer};

use super::{parse_stored, settings};
use crate::{
    change_log::{ActorKind, Noun},
    error::Result,
    row_recorder,
    tx::{ActDescription, ReadTx, WriteTx},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "UndoStepStatus"))]
pub enum StepState {
    Done,
    Undone,
    /// Undone, and something else was done after that.
    Dropped,
    /// Only recorded in the timeline. It cannot be undone.
    Note,
}

roost_model::variant_names! {
    pub(crate) StepState { Done = "done", Undone = "undone", Dropped = "dropped", Note = "note" }
}

/// One step of the undo history: what a transaction did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "UndoStepEntry"))]
pub struct UndoStep {
    pub id: i64,
    pub at: Timestamp,
    pub source: ActorKind,
    /// The name of a command, or `<noun>_<action>`.
    pub act: String,
    /// The name of the thing that the act changed.
    pub subject: Option<String>,
    pub uid: Option<String>,
    /// The number of things that the act changed.
    pub count: u64,
    pub reason: Option<String>,
    pub state: StepState,
    /// The step that this one undid, redid or restored.
    pub of: Option<i64>,
    /// The noun that the step moved into the trash.
    pub trash: Option<Noun>,
    /// The step's recorded rows. `None` when there is nothing to undo or the rows are forgotten. Pages learn only whether
    /// there are any.
    #[serde(rename = "is_remembered", serialize_with = "serialize_presence")]
    #[cfg_attr(feature = "ts", ts(type = "boolean"))]
    pub rows: Option<(i64, i64)>,
}

fn serialize_presence<S: Serializer>(rows: &Option<(i64, i64)>, out: S) -> std::result::Result<S::Ok, S::Error> {
    out.serialize_bool(rows.is_some())
}

/// Steps that can be undone. Other steps are not the account holder's.
const BY_PERSON: &str = "source IN ('user', 'import') AND first_row IS NOT NULL";
const COLUMNS: &str = "id, at, source, act, subject, uid, count, reason, state, of, trash, first_row, last_row";

fn row_to_step(row: &Row) -> rusqlite::Result<UndoStep> {
    let (source, state): (String, String) = (row.get(2)?, row.get(8)?);
    let trash: Option<String> = row.get(10)?;
    Ok(UndoStep {
        id: row.get(0)?,
        at: Timestamp::from_unix(row.get(1)?),
        source: parse_stored(2, ActorKind::parse(&source), &source)?,
        act: row.get(3)?,
        subject: row.get(4)?,
        uid: row.get(5)?,
        count: row.get::<_, i64>(6)? as u64,
        reason: row.get(7)?,
        state: parse_stored(8, StepState::parse(&state), &state)?,
        of: row.get(9)?,
        trash: trash.map(|noun| parse_stored(10, Noun::parse(&noun), &noun)).transpose()?,
        rows: row.get::<_, Option<i64>>(11)?.zip(row.get(12)?),
    })
}

/// Begins a step. Its row exists before its changes, so that opt-out events can refer to it.
pub(crate) fn begin_step(tx: &ReadTx, at: Timestamp, source: ActorKind) -> Result<i64> {
    tx.conn()
        .prepare_cached("INSERT INTO steps (at, source, act, state) VALUES (?1, ?2, '', 'note')")?
        .execute(params![at.unix(), source.as_str()])?;
    Ok(tx.conn().last_insert_rowid())
}

/// Returns the newest step, or 0 before the first.
pub(crate) fn last_step(tx: &ReadTx) -> Result<i64> {
    tx.read_value("SELECT coalesce(max(id), 0) FROM steps", [])
}

/// Deletes a step whose transaction changed nothing.
pub(crate) fn abandon_step(tx: &ReadTx, step: i64) -> Result<()> {
    tx.conn().prepare_cached("DELETE FROM steps WHERE id = ?1")?.execute([step])?;
    Ok(())
}

/// Ends a step with its description and the rows that it changed.
pub(crate) fn end_step(
    tx: &ReadTx,
    step: i64,
    act: &ActDescription,
    name: &str,
    rows: Option<(i64, i64)>,
) -> Result<()> {
    let state = if act.is_note || rows.is_none() { StepState::Note } else { StepState::Done };
    let rows = rows.filter(|_| !act.is_note);
    tx.conn()
        .prepare_cached(
            "UPDATE steps SET act = ?2, subject = ?3, uid = ?4, count = ?5, state = ?6, of = ?7, trash = ?8, first_row = ?9, last_row = ?10 WHERE id = ?1",
        )?
        .execute(params![
            step,
            name,
            act.subject,
            act.uid,
            act.count.unwrap_or(1) as i64,
            state.as_str(),
            act.of,
            act.trash.map(Noun::as_str),
            rows.map(|r| r.0),
            rows.map(|r| r.1)
        ])?;
    Ok(())
}

/// Drops the undone steps, because a person did something new and they can no longer be redone.
pub(crate) fn drop_undone(tx: &ReadTx) -> Result<()> {
    let sql = format!("SELECT {COLUMNS} FROM steps WHERE {BY_PERSON} AND state = 'undone'");
    let undone: Vec<UndoStep> = tx.read_rows(&sql, [], row_to_step)?;
    for step in undone {
        forget_rows(tx, &step)?;
        tx.conn().prepare_cached("UPDATE steps SET state = 'dropped' WHERE id = ?1")?.execute([step.id])?;
    }
    Ok(())
}

/// Deletes the recorded rows of a step. It stays in the timeline.
pub(crate) fn forget_rows(tx: &ReadTx, step: &UndoStep) -> Result<()> {
    if let Some((first, last)) = step.rows {
        row_recorder::forget_rows(tx.conn(), step.id, first, last)?;
        tx.conn()
            .prepare_cached("UPDATE steps SET first_row = NULL, last_row = NULL WHERE id = ?1")?
            .execute([step.id])?;
    }
    Ok(())
}

fn find_where(tx: &ReadTx, condition: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Option<UndoStep>> {
    let sql = format!("SELECT {COLUMNS} FROM steps WHERE {condition}");
    tx.find_row(&sql, values, row_to_step)
}

pub fn get(tx: &ReadTx, id: i64) -> Result<Option<UndoStep>> {
    find_where(tx, "id = ?1", &[&id])
}

/// Returns the step that the next undo reverses. Steps before the last restore from a copy are out of its reach, because
/// what a person did last was the restore.
pub fn next_to_undo(tx: &ReadTx) -> Result<Option<UndoStep>> {
    let restore = settings::last_restore(tx)?.step;
    find_where(tx, &format!("{BY_PERSON} AND state = 'done' AND id > ?1 ORDER BY id DESC LIMIT 1"), &[&restore])
}

/// Returns the step that the next redo repeats.
pub fn next_to_redo(tx: &ReadTx) -> Result<Option<UndoStep>> {
    let restore = settings::last_restore(tx)?.step;
    find_where(tx, &format!("{BY_PERSON} AND state = 'undone' AND id > ?1 ORDER BY id LIMIT 1"), &[&restore])
}

/// Drops a step that cannot be undone any more, so that the next undo skips it.
pub fn drop_step(tx: &WriteTx, step: &UndoStep) -> Result<()> {
    tx.execute_sql("UPDATE steps SET state = 'dropped' WHERE id = ?1", [step.id])?;
    Ok(())
}

/// Restricts the steps of the timeline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepQuery {
    pub source: Option<ActorKind>,
    pub noun: Option<Noun>,
    /// Part of the act or its subject, or a whole uid.
    pub text: Option<String>,
    pub uid: Option<String>,
    pub from: Option<i64>,
    pub to: Option<i64>,
}

/// Reads a page of the timeline, newest first.
pub fn read_page(tx: &ReadTx, query: &StepQuery, page: PageRequest) -> Result<Page<UndoStep>> {
    let (mut sql, mut values) = ("act <> ''".to_owned(), Vec::<Value>::new());
    let mut add = |condition: &str, value: Value| {
        values.push(value);
        sql.push_str(" AND ");
        sql.push_str(&condition.replace('?', &format!("?{}", values.len())));
    };
    if let Some(source) = query.source {
        add("source = ?", source.as_str().to_owned().into());
    }
    if let Some(noun) = query.noun {
        add("id IN (SELECT step FROM changes WHERE noun = ?)", noun.as_str().to_owned().into());
    }
    if let Some(text) = &query.text {
        add(
            "(instr(lower(coalesce(subject, '')), lower(?)) > 0 OR instr(act, lower(?)) > 0 OR uid = ?)",
            text.clone().into(),
        );
    }
    if let Some(uid) = &query.uid {
        add("(uid = ? OR id IN (SELECT step FROM changes WHERE uid = ?))", uid.clone().into());
    }
    if let Some(from) = query.from {
        add("at >= ?", from.into());
    }
    if let Some(to) = query.to {
        add("at <= ?", to.into());
    }
    counted_page(tx, &sql, values, page)
}

fn counted_page(tx: &ReadTx, condition: &str, mut values: Vec<Value>, page: PageRequest) -> Result<Page<UndoStep>> {
    let total: i64 =
        tx.read_value(&format!("SELECT count(*) FROM steps WHERE {condition}"), params_from_iter(&values))?;
    let (size, offset) = (values.len() + 1, values.len() + 2);
    values.extend([Value::from(page.size), Value::from(page.offset() as i64)]);
    let sql = format!("SELECT {COLUMNS} FROM steps WHERE {condition} ORDER BY id DESC LIMIT ?{size} OFFSET ?{offset}");
    Ok(Page { items: tx.read_rows(&sql, params_from_iter(&values), row_to_step)?, total_items: total as u64 })
}

/// Forgets the rows of people's steps made before `at`, and of other steps that end before `row`.
pub(crate) fn forget_older(tx: &WriteTx, at: i64, row: i64) -> Result<()> {
    let sql = format!(
        "SELECT {COLUMNS} FROM steps WHERE first_row IS NOT NULL
         AND ((source IN ('user', 'import') AND at < ?1) OR (source NOT IN ('user', 'import') AND last_row < ?2))"
    );
    let old: Vec<UndoStep> = tx.read_rows(&sql, [at, row], row_to_step)?;
    old.iter().try_for_each(|step| forget_rows(tx, step))
}
