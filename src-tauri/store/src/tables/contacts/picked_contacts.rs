//! Works on many existing contacts at once: picks them into a temporary table, then deletes, moves or copies them with
//! one statement each.

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
};

use roost_model::{
    contact::{Attribute, ContactField},
    id::{ContactId, ListId},
    time::Timestamp,
};
use rusqlite::{params, params_from_iter};
use serde::{Deserialize, Serialize};

use super::{
    list_view::{self, ContactFilter},
    order,
};
use crate::{
    error::Result,
    tables::{
        batch::MatchKey,
        lists::{self, ListRow, facts::SetOp},
        parse_stored_id,
    },
    tx::WriteTx,
};

/// Rows between two checks for cancellation.
const CANCEL_CHECK_ROWS: usize = 1_000;

/// The treatment of a contact whose phone number is already in the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridDuplicates"))]
pub enum DuplicatePolicy {
    /// The other list then has the number twice.
    Keep,
    /// The contact stays in its list.
    Skip,
    /// The values of the contact go into the one that has the number.
    Merge,
}

/// Whether the contacts leave the list that they are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferKind {
    /// The contacts keep their uid and times.
    Move,
    /// New contacts are created.
    Copy,
}

/// Numbers of contacts that a transfer placed, merged and skipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TransferCounts {
    /// Contacts that were added to the list.
    pub placed: u64,
    /// Contacts that were merged into others.
    pub merged: u64,
    pub skipped: u64,
}

/// The rule by which a list is split into parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitRule {
    /// Parts of this many contacts. The last part may have fewer.
    Size(u64),
    /// This many parts of nearly equal size.
    Parts(u64),
    /// One part for each value, whatever its case. The part without a value comes last.
    Field(ContactField),
}

/// The contacts of an act, in order. Only one value may exist at a time, because all use the same table.
pub struct PickedContacts<'t, 'c> {
    tx: &'t WriteTx<'c>,
    /// Whole lists are picked oldest first, but their copies must be listed newest first, like the originals.
    has_lists: Cell<bool>,
}

impl<'t, 'c> PickedContacts<'t, 'c> {
    pub fn empty(tx: &'t WriteTx<'c>) -> Result<Self> {
        tx.conn().execute_batch(
            "CREATE TEMP TABLE IF NOT EXISTS picked (position INTEGER PRIMARY KEY, contact INTEGER NOT NULL UNIQUE,
                 source INTEGER NOT NULL, target INTEGER, key TEXT, uid TEXT, gives INTEGER NOT NULL DEFAULT 0);
             CREATE INDEX IF NOT EXISTS temp.picked_by_key ON picked (key, position) WHERE key IS NOT NULL;
             DELETE FROM temp.picked;",
        )?;
        Ok(Self { tx, has_lists: Cell::new(false) })
    }

    /// Picks contacts by uid. Contacts that no longer exist are skipped.
    pub fn from_uids(tx: &'t WriteTx<'c>, uids: &[ContactId]) -> Result<Self> {
        let picked = Self::empty(tx)?;
        let mut insert = tx.conn().prepare(
            "INSERT OR IGNORE INTO temp.picked (contact, source, key) SELECT id, list_id, phone FROM main.contacts WHERE uid = ?1",
        )?;
        for (at, uid) in uids.iter().enumerate() {
            insert.execute([uid.as_str()])?;
            if at % CANCEL_CHECK_ROWS == 0 {
                tx.check_cancelled()?;
            }
        }
        Ok(picked)
    }

    /// Picks rows of a list in the given order. Rows that were deleted or moved meanwhile are skipped.
    pub fn from_rows(tx: &'t WriteTx<'c>, list: ListRow, contacts: &[i64]) -> Result<Self> {
        let picked = Self::empty(tx)?;
        for part in contacts.chunks(CANCEL_CHECK_ROWS) {
            tx.check_cancelled()?;
            let ids = serde_json::to_string(part).unwrap_or_default();
            picked.execute_sql(
                "INSERT OR IGNORE INTO temp.picked (contact, source, key)
                 SELECT c.id, c.list_id, c.phone FROM json_each(?1) AS w CROSS JOIN main.contacts AS c ON c.id = w.value
                 WHERE +c.list_id = ?2 ORDER BY w.key",
                params![ids, list.0],
            )?;
        }
        Ok(picked)
    }

    /// Adds the matching contacts of a list, oldest first, after those that are picked already.
    pub fn add_list(&self, list: ListRow, which: &ContactFilter, custom: &[u32], key: MatchKey) -> Result<()> {
        let (condition, values) = list_view::condition_sql(list, which, custom);
        let sql = format!(
            "INSERT INTO temp.picked (contact, source, key)
             SELECT c.id, c.list_id, c.{} FROM main.contacts AS c WHERE {condition} ORDER BY c.created_at, c.uid",
            key.column()
        );
        self.tx.conn().prepare(&sql)?.execute(params_from_iter(values))?;
        self.has_lists.set(true);
        Ok(())
    }

    pub fn count(&self) -> Result<u64> {
        let count: i64 = self.tx.conn().query_row("SELECT count(*) FROM temp.picked", [], |row| row.get(0))?;
        Ok(count as u64)
    }

    /// Returns the lists that the picked contacts are in, with the number of contacts in each.
    pub fn source_lists(&self) -> Result<Vec<(ListRow, ListId, u64)>> {
        let mut statement = self.tx.conn().prepare(
            "SELECT l.id, l.uid, n FROM (SELECT source, count(*) AS n FROM temp.picked GROUP BY source)
             CROSS JOIN main.lists AS l ON l.id = source ORDER BY l.id",
        )?;
        let rows = statement.query_map([], |row| {
            let uid: String = row.get(1)?;
            Ok((ListRow(row.get(0)?), parse_stored_id(1, ListId::parse(&uid))?, row.get::<_, i64>(2)? as u64))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn execute_sql(&self, sql: &str, values: impl rusqlite::Params) -> Result<u64> {
        Ok(self.tx.conn().prepare(sql)?.execute(values)? as u64)
    }

    pub fn delete(&self, at: Timestamp) -> Result<()> {
        self.tx.expect_rows(self.count()?);
        let sources = self.source_lists()?;
        self.execute_sql("DELETE FROM main.contacts WHERE id IN (SELECT contact FROM temp.picked)", [])?;
        sources.iter().try_for_each(|(list, _, count)| lists::touch(self.tx, *list, at, -(*count as i64)))
    }

    /// Removes the contacts that are in this list already.
    pub fn exclude_list(&self, list: ListRow) -> Result<u64> {
        self.execute_sql("DELETE FROM temp.picked WHERE source = ?1", [list.0])
    }

    pub fn set_target(&self, list: ListRow) -> Result<()> {
        self.execute_sql("UPDATE temp.picked SET target = ?1", [list.0]).map(drop)
    }

    /// Assigns a target list to each part, in order.
    pub fn set_part_targets(&self, targets: &[ListRow], cut: SplitRule) -> Result<()> {
        let parts = self.number_parts(cut)?;
        let mut update = self.tx.conn().prepare("UPDATE temp.picked SET target = ?2 WHERE target = ?1")?;
        // The numbers of parts are negative, so that none is taken for a list.
        for (part, list) in (0..parts).zip(targets) {
            update.execute([-1 - part as i64, list.0])?;
        }
        Ok(())
    }

    fn number_parts(&self, cut: SplitRule) -> Result<u64> {
        let total = self.count()?;
        match cut {
            SplitRule::Size(size) => {
                self.execute_sql("UPDATE temp.picked SET target = -1 - (position - 1) / ?1", [size as i64])?;
                Ok(total.div_ceil(size.max(1)))
            }
            SplitRule::Parts(parts) => {
                let parts = parts.min(total);
                self.execute_sql(
                    "UPDATE temp.picked SET target = -1 - (position - 1) * ?1 / ?2",
                    [parts as i64, total.max(1) as i64],
                )?;
                Ok(parts)
            }
            SplitRule::Field(field) => {
                let column = list_view::column_name(field);
                self.tx.conn().execute_batch(&format!(
                    "DROP TABLE IF EXISTS temp.part;
                     CREATE TEMP TABLE part (number INTEGER PRIMARY KEY, value TEXT);
                     INSERT INTO temp.part (value) SELECT DISTINCT coalesce(trim(roost_folded({column})), '') AS value
                     FROM temp.picked CROSS JOIN main.contacts ON id = contact ORDER BY value = '', value"
                ))?;
                self.execute_sql(
                    &format!(
                        "UPDATE temp.picked SET target = (SELECT -number FROM temp.part WHERE value =
                             (SELECT coalesce(trim(roost_folded({column})), '') FROM main.contacts WHERE id = contact))"
                    ),
                    [],
                )?;
                let parts: i64 = self.tx.conn().query_row("SELECT count(*) FROM temp.part", [], |row| row.get(0))?;
                Ok(parts as u64)
            }
        }
    }

    /// Removes all contacts that are not in the result of a set operation. The contacts were picked from `lists`, in
    /// this order.
    pub fn apply_set_operation(
        &self,
        lists: &[ListRow],
        key: MatchKey,
        op: SetOp,
        takes_those_without: bool,
    ) -> Result<()> {
        let column = key.column();
        let first = lists.first().map_or(0, |list| list.0);
        if !takes_those_without {
            self.execute_sql("DELETE FROM temp.picked WHERE key IS NULL", [])?;
        }
        if op != SetOp::Union {
            self.execute_sql("DELETE FROM temp.picked WHERE source <> ?1", [first])?;
        }
        let has = match op {
            SetOp::Union => None,
            SetOp::Intersect => Some("NOT EXISTS"),
            SetOp::Subtract => Some("EXISTS"),
        };
        if let Some(has) = has {
            for other in &lists[1.min(lists.len())..] {
                let sql = format!(
                    "DELETE FROM temp.picked WHERE key IS NOT NULL
                     AND {has} (SELECT 1 FROM main.contacts WHERE list_id = ?1 AND {column} = key)"
                );
                self.execute_sql(&sql, [other.0])?;
            }
        }
        self.execute_sql(&format!("DELETE FROM temp.picked WHERE {NOT_FIRST}"), []).map(drop)
    }

    /// Transfers the picked contacts to their targets and updates the counts and times of all lists.
    pub fn transfer_contacts(
        &self,
        way: TransferKind,
        duplicates: DuplicatePolicy,
        at: Timestamp,
        custom: &[u32],
        new_uid: impl FnMut() -> ContactId,
    ) -> Result<TransferCounts> {
        let mut counts = TransferCounts::default();
        let is_there = format!(
            "key IS NOT NULL AND (EXISTS (SELECT 1 FROM main.contacts AS c WHERE c.list_id = target AND c.phone = key) OR {NOT_FIRST})"
        );
        match duplicates {
            DuplicatePolicy::Keep => {}
            DuplicatePolicy::Skip => {
                counts.skipped = self.execute_sql(&format!("DELETE FROM temp.picked WHERE {is_there}"), [])?
            }
            DuplicatePolicy::Merge => {
                counts.merged = self.execute_sql(&format!("UPDATE temp.picked SET gives = 1 WHERE {is_there}"), [])?;
            }
        }
        let total = self.count()?;
        counts.placed = total - counts.merged;
        self.tx.expect_rows(total);
        let sources = self.source_lists()?;
        match way {
            TransferKind::Move => {
                self.execute_sql(
                    "UPDATE main.contacts SET list_id = (SELECT target FROM temp.picked WHERE contact = contacts.id)
                     WHERE id IN (SELECT contact FROM temp.picked WHERE gives = 0)",
                    [],
                )?;
            }
            TransferKind::Copy => self.copy_contacts(at, custom, new_uid)?,
        }
        if counts.merged > 0 {
            self.merge_values(at, custom)?;
        }
        self.touch_lists(way, at, &sources)?;
        Ok(counts)
    }

    /// Deletes the contacts that were merged into others, after a move.
    pub fn delete_merged(&self, at: Timestamp) -> Result<()> {
        let mut statement =
            self.tx.conn().prepare("SELECT source, count(*) FROM temp.picked WHERE gives = 1 GROUP BY source")?;
        let sources: Vec<(i64, i64)> =
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
        self.execute_sql(
            "DELETE FROM main.contacts WHERE id IN (SELECT contact FROM temp.picked WHERE gives = 1)",
            [],
        )?;
        sources.into_iter().try_for_each(|(list, count)| lists::touch(self.tx, ListRow(list), at, -count))
    }

    /// Returns the rows that are still picked.
    pub fn contact_rows(&self) -> Result<Vec<i64>> {
        let mut statement = self.tx.conn().prepare("SELECT contact FROM temp.picked ORDER BY position")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    fn touch_lists(&self, way: TransferKind, at: Timestamp, sources: &[(ListRow, ListId, u64)]) -> Result<()> {
        let count = |column: &str| -> Result<Vec<(i64, i64)>> {
            let sql = format!("SELECT {column}, sum(gives = 0) FROM temp.picked GROUP BY {column}");
            let mut statement = self.tx.conn().prepare(&sql)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        };
        for (list, added) in count("target")? {
            lists::touch(self.tx, ListRow(list), at, added)?;
        }
        if way == TransferKind::Move && !sources.is_empty() {
            for (list, removed) in count("source")? {
                lists::touch(self.tx, ListRow(list), at, -removed)?;
            }
        }
        Ok(())
    }

    fn copy_contacts(&self, at: Timestamp, custom: &[u32], mut new_uid: impl FnMut() -> ContactId) -> Result<()> {
        let conn = self.tx.conn();
        let positions: Vec<i64> = conn
            .prepare("SELECT position FROM temp.picked WHERE gives = 0 ORDER BY position")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let mut update = conn.prepare("UPDATE temp.picked SET uid = ?2 WHERE position = ?1")?;
        for (n, position) in positions.into_iter().enumerate() {
            update.execute(params![position, new_uid().as_str()])?;
            if n % CANCEL_CHECK_ROWS == 0 {
                self.tx.check_cancelled()?;
            }
        }
        let columns = content_columns(custom);
        let sql = format!(
            "INSERT INTO main.contacts (uid, list_id, created_at, {}) SELECT p.uid, p.target, ?1, c.{}
             FROM temp.picked AS p CROSS JOIN main.contacts AS c ON c.id = p.contact WHERE p.gives = 0
             ORDER BY {}p.position",
            columns.join(", "),
            columns.join(", c."),
            if self.has_lists.get() { "c.created_at DESC, " } else { "" }
        );
        self.execute_sql(&sql, [at.unix()]).map(drop)
    }

    /// Merges the values of the picked duplicates into every contact of the target with their number. For each field,
    /// the last value that is not empty wins.
    fn merge_values(&self, at: Timestamp, custom: &[u32]) -> Result<()> {
        let columns: Vec<String> = content_columns(custom).into_iter().filter(|c| !c.starts_with("phone")).collect();
        let expressions: Vec<String> = columns.iter().map(|c| format!("max(c.{c} IS NOT NULL)")).collect();
        let sql = format!(
            "SELECT {} FROM temp.picked AS p CROSS JOIN main.contacts AS c ON c.id = p.contact WHERE p.gives = 1",
            expressions.join(", ")
        );
        let brought: Vec<bool> =
            self.tx.conn().query_row(&sql, [], |row| (0..columns.len()).map(|i| row.get(i)).collect())?;
        let mut sets = vec!["updated_at = ?1".to_owned()];
        for (column, _) in columns.iter().zip(brought).filter(|(_, brought)| *brought) {
            // A region belongs to its number, so both come from the same contact.
            let with = if column == "whatsapp_region" { "whatsapp" } else { column };
            sets.push(format!(
                "{column} = coalesce((SELECT g.{column} FROM temp.picked AS p CROSS JOIN main.contacts AS g ON g.id = p.contact
                     WHERE p.key = contacts.phone AND p.gives = 1 AND g.{with} IS NOT NULL ORDER BY p.position DESC LIMIT 1), {column})"
            ));
        }
        let sql = format!(
            "UPDATE main.contacts SET {} WHERE id IN (SELECT c.id FROM temp.picked AS p CROSS JOIN main.contacts AS c
                 ON c.list_id = p.target AND c.phone = p.key WHERE p.gives = 1)",
            sets.join(", ")
        );
        self.execute_sql(&sql, [at.unix()]).map(drop)
    }
}

const NOT_FIRST: &str = "key IS NOT NULL AND EXISTS (SELECT 1 FROM temp.picked AS e WHERE e.key = picked.key AND e.position < picked.position)";

/// Returns the columns with a contact's content, without its ids and times.
fn content_columns(custom: &[u32]) -> Vec<String> {
    let numbers = ["phone", "phone_region", "whatsapp", "whatsapp_region"].map(str::to_owned);
    let attributes = Attribute::ALL.map(|attribute| attribute.name().to_owned());
    numbers.into_iter().chain(attributes).chain(custom.iter().map(|n| format!("field_{n}"))).collect()
}

/// Returns the values and sizes of the parts that splitting a list by a field gives, in their order. Each value is
/// spelled as in one of the contacts.
pub fn parts_by_value(
    tx: &crate::tx::ReadTx,
    list: ListRow,
    field: ContactField,
    most: usize,
) -> Result<Vec<(Option<String>, u64)>> {
    // Most values occur many times, each in the same spelling.
    let (mut spellings, mut without) = (HashMap::<String, u64>::new(), 0);
    order::visit_field(tx, list, field, |value| match value.map(|text| (text, spellings.get_mut(text))) {
        Some((_, Some(count))) => *count += 1,
        Some((text, None)) => drop(spellings.insert(text.to_owned(), 1)),
        None => without += 1,
    })?;
    let all = spellings.into_iter().map(|(spelling, count)| (Some(spelling), count));
    let mut parts: BTreeMap<(bool, String), (Option<String>, u64)> = BTreeMap::new();
    for (spelling, count) in all.chain((without > 0).then_some((None, without))) {
        let folded = spelling.as_deref().map(|text| text.trim_matches(' ').to_lowercase()).unwrap_or_default();
        let (shown, total) = parts.entry((folded.is_empty(), folded)).or_default();
        *total += count;
        *shown = match (shown.take(), spelling) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    let shown = |text: String| text.trim_matches(' ').to_owned();
    Ok(parts.into_values().take(most).map(|(value, count)| (value.map(shown), count)).collect())
}
