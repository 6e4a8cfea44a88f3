//! Finds, counts and pages the records that were changed here, in SQL, so that a page costs only what it shows.

use rusqlite::{OptionalExtension, ToSql, params, params_from_iter, types::Value};
use serde::{Deserialize, Serialize};

use super::super::{SyncedTable, changes::SyncChange, contact_columns};
use crate::{
    change_log::ActorKind,
    error::Result,
    row_recorder::{INSERTED_RANGE, range::decode_count},
    tables::parse_stored,
    tx::ReadTx,
};

/// The kind of difference between a record and what both sides agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ChangeKind"))]
#[repr(i64)]
pub enum UnsentKind {
    New = 1,
    Changed = 2,
    Moved = 3,
    Deleted = 4,
}

impl UnsentKind {
    fn from_number(number: i64) -> Self {
        match number {
            1 => Self::New,
            2 => Self::Changed,
            3 => Self::Moved,
            _ => Self::Deleted,
        }
    }
}

/// Restricts the changed records. By default, all of the table.
#[derive(Debug, Clone, Default)]
pub struct UnsentFilter {
    pub kind: Option<UnsentKind>,
    pub list: Option<i64>,
    /// Text that occurs in a value before or after the change, in any case.
    pub text: String,
    pub field: Option<String>,
    pub source: Option<ActorKind>,
    pub since: Option<i64>,
    pub step: Option<i64>,
}

impl UnsentFilter {
    fn is_all(&self) -> bool {
        self.kind.is_none()
            && self.list.is_none()
            && self.text.is_empty()
            && self.field.is_none()
            && self.source.is_none()
            && self.since.is_none()
            && self.step.is_none()
    }
}

/// The query for the changed records up to its condition, with its values.
struct UnsentQuery {
    from: String,
    given: Vec<Value>,
    kind: &'static str,
    list: &'static str,
}

const KIND_OF_CONTACT: &str =
    "CASE WHEN live.id IS NULL THEN 4 WHEN b.cells IS NULL THEN 1 WHEN live.list_id <> b.list THEN 3 ELSE 2 END";
const KIND: &str = "CASE WHEN live.id IS NULL THEN 4 WHEN b.cells IS NULL THEN 1 ELSE 2 END";

fn join_condition(place: SyncedTable) -> &'static str {
    match place {
        SyncedTable::OptOuts => {
            "live.number = substr(b.id, 1, instr(b.id, ' ') - 1) AND live.number || ' ' || live.channel || ' ' || live.scope = b.id"
        }
        _ => "live.id = b.id",
    }
}

/// Returns SQL for a column of the step that last changed a record, apart from the sync.
fn origin_sql(place: SyncedTable, column: &str) -> String {
    let number = place.number();
    match place {
        SyncedTable::OptOuts => format!(
            "(SELECT e.{column} FROM opt_out_events AS e
              WHERE e.number = substr(b.id, 1, instr(b.id, ' ') - 1) AND e.number || ' ' || e.channel || ' ' || e.scope = b.id
                AND e.source <> 'sync' ORDER BY e.id DESC LIMIT 1)"
        ),
        _ => format!(
            "coalesce((SELECT s.{column} FROM row_changes AS r JOIN steps AS s ON s.id = r.step
                       WHERE r.place = {number} AND r.key = b.id AND s.source <> 'sync' ORDER BY r.id DESC LIMIT 1),
                      (SELECT iif(s.source = 'sync', NULL, s.{column}) FROM row_changes AS r JOIN steps AS s ON s.id = r.step
                       WHERE r.place = {number} AND r.kind = {INSERTED_RANGE} AND r.key <= b.id ORDER BY r.key DESC LIMIT 1))"
        ),
    }
}

impl UnsentQuery {
    fn build(tx: &ReadTx, place: SyncedTable, wanted: &UnsentFilter) -> Result<Self> {
        let (kind, list) = match place {
            SyncedTable::Contacts => (KIND_OF_CONTACT, "coalesce(live.list_id, b.list)"),
            _ => (KIND, "NULL"),
        };
        let number = place.number();
        let mut from = format!(
            "FROM sync_base AS b LEFT JOIN {} AS live ON {} WHERE b.place = {number}",
            place.table(),
            join_condition(place)
        );
        // Senders come only from the service, so one that was created here is not a change to send.
        if place == SyncedTable::Senders {
            from.push_str(" AND live.id IS NULL AND b.cells IS NOT NULL");
        }
        let mut found = Self { from, given: Vec::new(), kind, list };
        if wanted.is_all() {
            return Ok(found);
        }
        if let Some(wanted) = wanted.kind {
            found.add_and(&format!("{kind} = ?"), Value::from(wanted as i64));
        }
        if let Some(wanted) = wanted.list {
            found.add_and(&format!("{list} IS ?"), Value::from(wanted));
        }
        let cells = super::super::cells_sql(tx.conn(), place, "live")?;
        if !wanted.text.is_empty() {
            let within = |cells: &str| {
                format!("EXISTS (SELECT 1 FROM json_each({cells}) AS j WHERE instr(roost_folded(j.value), ?) > 0)")
            };
            found.add_and(
                &format!("(b.cells IS NOT NULL AND {}", within("b.cells")),
                Value::from(wanted.text.to_lowercase()),
            );
            found.add_or(
                &format!("live.id IS NOT NULL AND {})", within(&cells)),
                Value::from(wanted.text.to_lowercase()),
            );
        }
        if let Some(field) = &wanted.field {
            let path = format!("$.\"{}\"", field.replace('"', ""));
            found.add_and("json_extract(coalesce(b.cells, '{}'), ?)", Value::from(path.clone()));
            found.add_is_not(&format!("json_extract(iif(live.id IS NULL, '{{}}', {cells}), ?)"), Value::from(path));
        }
        if let Some(source) = wanted.source {
            found.add_and(&format!("{} = ?", origin_sql(place, "source")), Value::from(source.as_str().to_owned()));
        }
        if let Some(since) = wanted.since {
            found.add_and(&format!("{} >= ?", origin_sql(place, "at")), Value::from(since));
        }
        if let Some(step) = wanted.step {
            found.add_step_condition(tx, place, step)?;
        }
        Ok(found)
    }

    fn add_and(&mut self, condition: &str, given: Value) {
        self.add_part(" AND ", condition, given);
    }

    fn add_or(&mut self, condition: &str, given: Value) {
        self.add_part(" OR ", condition, given);
    }

    fn add_is_not(&mut self, other: &str, given: Value) {
        self.add_part(" IS NOT ", other, given);
    }

    fn add_part(&mut self, how: &str, what: &str, given: Value) {
        self.from.push_str(how);
        self.from.push_str(what);
        self.given.push(given);
    }

    /// Restricts the query to records that a step changed, including those that it inserted as a range.
    fn add_step_condition(&mut self, tx: &ReadTx, place: SyncedTable, step: i64) -> Result<()> {
        if place == SyncedTable::OptOuts {
            let changed =
                "EXISTS (SELECT 1 FROM opt_out_events AS e WHERE e.number = substr(b.id, 1, instr(b.id, ' ') - 1)
                           AND e.number || ' ' || e.channel || ' ' || e.scope = b.id AND e.step = ?)";
            self.add_and(changed, Value::from(step));
            return Ok(());
        }
        let number = place.number();
        let changed = format!(
            "(EXISTS (SELECT 1 FROM row_changes AS r WHERE r.place = {number} AND r.key = b.id AND r.step = ?)"
        );
        self.add_and(&changed, Value::from(step));
        let mut statement = tx.conn().prepare_cached(
            "SELECT r.key, r.data FROM steps AS s JOIN row_changes AS r ON r.id BETWEEN s.first_row AND s.last_row
             WHERE s.id = ?1 AND r.step = ?1 AND r.place = ?2 AND r.kind = ?3",
        )?;
        let ranges = statement.query_map(params![step, number, INSERTED_RANGE], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?))
        })?;
        for range in ranges {
            let (first, data) = range?;
            self.from.push_str(&format!(" OR b.id BETWEEN {first} AND {}", first + decode_count(&data) - 1));
        }
        self.from.push(')');
        Ok(())
    }
}

fn is_held_sql(place: SyncedTable) -> String {
    let number = place.number();
    format!("EXISTS (SELECT 1 FROM sync_answers AS h WHERE h.place = {number} AND h.id = b.id AND h.about = 'held')")
}

/// The number of changes of one kind in one list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnsentCount {
    pub list: Option<i64>,
    pub kind: UnsentKind,
    pub count: u64,
    pub held: u64,
}

/// Counts the changes by list and kind.
pub fn count_by_kind(tx: &ReadTx, place: SyncedTable, wanted: &UnsentFilter) -> Result<Vec<UnsentCount>> {
    let UnsentQuery { from, given, kind, list } = UnsentQuery::build(tx, place, wanted)?;
    let held = is_held_sql(place);
    let sql =
        format!("SELECT {list} AS of_list, {kind} AS kind, count(*), sum({held}) {from} GROUP BY 1, 2 ORDER BY 1, 2");
    tx.read_rows(&sql, params_from_iter(given), |row| {
        Ok(UnsentCount {
            list: row.get(0)?,
            kind: UnsentKind::from_number(row.get(1)?),
            count: row.get::<_, i64>(2)? as u64,
            held: row.get::<_, i64>(3)? as u64,
        })
    })
}

/// Counts the edited contacts for each column, by the name under which the column is sent. Columns without an edit are
/// left out.
pub fn count_by_column(tx: &ReadTx, wanted: &UnsentFilter) -> Result<Vec<(String, u64)>> {
    let UnsentQuery { from, given, .. } = UnsentQuery::build(tx, SyncedTable::Contacts, wanted)?;
    let columns = contact_columns(tx.conn())?;
    let sums: Vec<String> = columns
        .iter()
        .map(|(name, column)| format!("sum(coalesce(b.cells ->> '{name}', '') <> coalesce(live.{column}, ''))"))
        .collect();
    let sql = format!("SELECT {} {from} AND b.cells IS NOT NULL AND live.id IS NOT NULL", sums.join(", "));
    let mut statement = tx.conn().prepare(&sql)?;
    let found: Vec<u64> = statement.query_row(params_from_iter(given), |row| {
        (0..columns.len()).map(|at| Ok(row.get::<_, Option<i64>>(at)?.unwrap_or(0) as u64)).collect()
    })?;
    Ok(columns.into_iter().map(|(name, _)| name).zip(found).filter(|(_, count)| *count > 0).collect())
}

/// Counts the changes by the kind of caller that made the last one.
pub fn count_by_source(tx: &ReadTx, place: SyncedTable, wanted: &UnsentFilter) -> Result<Vec<(ActorKind, u64)>> {
    let UnsentQuery { from, given, .. } = UnsentQuery::build(tx, place, wanted)?;
    let sql = format!("SELECT {} AS source, count(*) {from} GROUP BY 1", origin_sql(place, "source"));
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let rows = statement
        .query_map(params_from_iter(given), |row| Ok((row.get::<_, Option<String>>(0)?, row.get::<_, i64>(1)?)))?;
    let mut counts = Vec::new();
    for row in rows {
        let (source, count) = row?;
        counts.extend(source.and_then(|source| ActorKind::parse(&source)).map(|source| (source, count as u64)));
    }
    Ok(counts)
}

/// One changed record: its id, how it differs, and whether it is held back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsentRow {
    pub id: String,
    pub kind: UnsentKind,
    pub is_held: bool,
}

/// Reads `count` changed records, beginning at row `from_row`.
pub fn read_page(
    tx: &ReadTx,
    place: SyncedTable,
    wanted: &UnsentFilter,
    from_row: u32,
    count: u32,
) -> Result<Vec<UnsentRow>> {
    let UnsentQuery { from, mut given, kind, .. } = UnsentQuery::build(tx, place, wanted)?;
    let sql =
        format!("SELECT CAST(b.id AS TEXT), {kind}, {} {from} ORDER BY b.id LIMIT ? OFFSET ?", is_held_sql(place));
    given.extend([Value::from(i64::from(count)), Value::from(i64::from(from_row))]);
    tx.read_rows(&sql, params_from_iter(given), |row| {
        Ok(UnsentRow { id: row.get(0)?, kind: UnsentKind::from_number(row.get(1)?), is_held: row.get(2)? })
    })
}

/// Returns the ids of all matching records.
pub fn read_ids(tx: &ReadTx, place: SyncedTable, wanted: &UnsentFilter) -> Result<Vec<String>> {
    let UnsentQuery { from, given, .. } = UnsentQuery::build(tx, place, wanted)?;
    tx.read_rows(&format!("SELECT CAST(b.id AS TEXT) {from} ORDER BY b.id"), params_from_iter(given), |row| row.get(0))
}

/// The step that last changed a record, apart from the sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeOrigin {
    pub step: i64,
    pub at: i64,
    pub source: ActorKind,
}

pub fn read_origin(tx: &ReadTx, place: SyncedTable, id: &str) -> Result<Option<ChangeOrigin>> {
    let step = origin_sql(place, if place == SyncedTable::OptOuts { "step" } else { "id" });
    let sql = format!(
        "SELECT {step}, {}, {} FROM (SELECT ?1 AS id) AS b",
        origin_sql(place, "at"),
        origin_sql(place, "source")
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let read = |row: &rusqlite::Row| -> rusqlite::Result<Option<ChangeOrigin>> {
        let (Some(step), Some(at), Some(source)) = (row.get(0)?, row.get(1)?, row.get::<_, Option<String>>(2)?) else {
            return Ok(None);
        };
        Ok(Some(ChangeOrigin { step, at, source: parse_stored(2, ActorKind::parse(&source), &source)? }))
    };
    Ok(statement.query_row([id_to_value(place, id)], read)?)
}

fn id_to_value(place: SyncedTable, id: &str) -> Value {
    match place {
        SyncedTable::Senders | SyncedTable::OptOuts => Value::from(id.to_owned()),
        SyncedTable::Lists | SyncedTable::Contacts | SyncedTable::ShortLinks => {
            id.parse::<i64>().map_or(Value::Null, Value::from)
        }
    }
}

/// Reads a record by its id as text. Returns `None` if the id must be a number and is not.
pub fn find_record(tx: &ReadTx, place: SyncedTable, id: &str) -> Result<Option<SyncChange<String>>> {
    Ok(match place {
        SyncedTable::Senders | SyncedTable::OptOuts => {
            Some(super::super::changes::read_record(tx, place, id.to_owned())?)
        }
        SyncedTable::Lists | SyncedTable::Contacts | SyncedTable::ShortLinks => {
            let Ok(number) = id.parse::<i64>() else { return Ok(None) };
            let SyncChange { list, was_in, uid, base, local, at_service, .. } =
                super::super::changes::read_record(tx, place, number)?;
            Some(SyncChange { id: id.to_owned(), list, was_in, uid, base, local, at_service })
        }
    })
}

/// Returns the reasons that the service gave when it refused a record, as JSON.
pub fn read_refusal_reasons(tx: &ReadTx, place: SyncedTable, id: &str) -> Result<Option<String>> {
    let mut statement = tx.conn().prepare_cached("SELECT faults FROM sync_quarantine WHERE place = ?1 AND id = ?2")?;
    let given: [&dyn ToSql; 2] = [&place.number(), &id_to_value(place, id)];
    Ok(statement.query_row(given, |row| row.get(0)).optional()?)
}

/// Counts the records that are held back, and those that the service refused and nobody has changed since.
pub fn count_waiting(tx: &ReadTx) -> Result<(u64, u64)> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT (SELECT count(*) FROM sync_answers WHERE about = 'held'), (SELECT count(*) FROM sync_quarantine)",
    )?;
    Ok(statement.query_row([], |row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64)))?)
}

/// Counts the changes in a table.
pub fn count_changes(tx: &ReadTx, place: SyncedTable) -> Result<u64> {
    let UnsentQuery { from, given, .. } = UnsentQuery::build(tx, place, &UnsentFilter::default())?;
    // Only for senders does the query depend on the record itself.
    let from =
        if place == SyncedTable::Senders { from } else { format!("FROM sync_base WHERE place = {}", place.number()) };
    Ok(tx.read_value::<i64>(&format!("SELECT count(*) {from}"), params_from_iter(given))? as u64)
}

/// Counts the changes that match a filter, in one query.
pub fn count_matching(tx: &ReadTx, place: SyncedTable, wanted: &UnsentFilter) -> Result<u64> {
    let UnsentQuery { from, given, .. } = UnsentQuery::build(tx, place, wanted)?;
    Ok(tx.read_value::<i64>(&format!("SELECT count(*) {from}"), params_from_iter(given))? as u64)
}

/// Returns the ids of records of the service that could not be merged, after one id.
pub fn unmerged_ids(tx: &ReadTx, place: SyncedTable, behind: Option<&str>, most: u32) -> Result<Vec<String>> {
    let sql =
        "SELECT CAST(id AS TEXT) FROM sync_remote WHERE place = ?1 AND (?2 IS NULL OR id > ?2) ORDER BY id LIMIT ?3";
    let behind = behind.map_or(Value::Null, |id| id_to_value(place, id));
    tx.read_rows(sql, params![place.number(), behind, most], |row| row.get(0))
}
