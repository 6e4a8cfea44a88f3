//! Replaces the number wherever rows about something else mention it, in every table that has texts.

use rusqlite::{
    Connection, ToSql, params_from_iter,
    types::{Value, ValueRef},
};

use super::{super::number_text::ERASED, Eraser};
use crate::{error::Result, tables::sync::SyncedTable};

/// Tables that other parts of an erasure treat, or that hold nothing of a person.
const TREATED: &[&str] = &[
    "assets",
    "asset_keywords",
    "audit",
    "connection",
    "opt_outs",
    "opt_out_door",
    "row_changes",
    "sync_lease",
    "sync_plans",
    "sync_plan_steps",
    "sync_steps",
];
/// Tables in which a row that contains the number is the person's own.
const OWN_ROWS: [&str; 2] = ["import_rejects", "sync_seen"];

/// A table with the columns that an update names.
struct TextTable {
    name: String,
    columns: Vec<TextColumn>,
}

struct TextColumn {
    name: String,
    is_key: bool,
    may_be_empty: bool,
}

/// A row with the values that take the place of others.
struct ReplacedRow {
    keys: Vec<Value>,
    values: Vec<(usize, Value)>,
}

impl TextTable {
    fn read(conn: &Connection, name: &str) -> Result<Self> {
        let mut statement =
            conn.prepare_cached("SELECT name, pk > 0, \"notnull\" = 0 FROM pragma_table_info(?1) ORDER BY cid")?;
        let columns = statement.query_map([name], |row| {
            Ok(TextColumn { name: row.get(0)?, is_key: row.get(1)?, may_be_empty: row.get(2)? })
        })?;
        Ok(Self { name: name.to_owned(), columns: columns.collect::<rusqlite::Result<_>>()? })
    }

    fn has_column(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    fn keys(&self) -> impl Iterator<Item = (usize, &TextColumn)> {
        self.columns.iter().enumerate().filter(|(_, column)| column.is_key)
    }

    fn select_sql(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        // What the sync knows about an opt-out is needed for as long as the opt-out is.
        let condition = match self.name.starts_with("sync_") && self.has_column("place") {
            true => format!(" WHERE place <> {}", SyncedTable::OptOuts as i64),
            false => String::new(),
        };
        format!("SELECT {} FROM {}{condition}", names.join(", "), self.name)
    }

    fn key_condition(&self, first: usize) -> String {
        let parts: Vec<String> =
            self.keys().enumerate().map(|(at, (_, key))| format!("{} IS ?{}", key.name, at + first)).collect();
        parts.join(" AND ")
    }
}

impl Eraser<'_> {
    pub(super) fn replace_mentions(&mut self) -> Result<()> {
        self.empty_clicks()?;
        for name in self.tables.clone() {
            if !TREATED.contains(&name.as_str()) {
                let table = TextTable::read(self.tx.conn(), &name)?;
                let found = self.find_mentions(&table)?;
                self.write_replaced(&table, &found)?;
            }
        }
        Ok(())
    }

    /// A click stays in the statistics of its link, without the person.
    fn empty_clicks(&mut self) -> Result<()> {
        if !self.has_table("clicks") {
            return Ok(());
        }
        let conn = self.tx.conn();
        let mut statement = conn.prepare("SELECT id, recipient FROM clicks WHERE recipient IS NOT NULL")?;
        let (mut rows, mut found) = (statement.query([])?, Vec::new());
        while let Some(row) = rows.next()? {
            if self.wanted.is_in(row.get_ref(1)?) {
                found.push(row.get::<_, i64>(0)?);
            }
        }
        let sql =
            "UPDATE clicks SET recipient = NULL, device = NULL, browser = NULL, operating_system = NULL WHERE id = ?1";
        for id in &found {
            conn.prepare_cached(sql)?.execute([id])?;
        }
        self.counts.add_erased("clicks", found.len());
        Ok(())
    }

    fn find_mentions(&self, table: &TextTable) -> Result<Vec<ReplacedRow>> {
        let mut statement = self.tx.conn().prepare(&table.select_sql())?;
        let (mut rows, mut found) = (statement.query([])?, Vec::new());
        while let Some(row) = rows.next()? {
            // The events of the number itself are treated with its opt-outs.
            if table.name == "opt_out_events" && row.get_ref("number")?.as_str().ok() == Some(self.wanted.e164) {
                continue;
            }
            let mut values = Vec::new();
            for (at, column) in table.columns.iter().enumerate() {
                if let ValueRef::Text(bytes) = row.get_ref(at)?
                    && let Some(text) = self.replace_in_cell(bytes)
                {
                    let is_whole = column.may_be_empty && text == ERASED;
                    values.push((at, if is_whole { Value::Null } else { Value::Text(text) }));
                }
            }
            if !values.is_empty() {
                let keys = table.keys().map(|(at, _)| row.get(at)).collect::<rusqlite::Result<_>>()?;
                found.push(ReplacedRow { keys, values });
            }
        }
        Ok(found)
    }

    /// Returns a text without the number, or `None` if the number is not in it. Numbers of JSON are not phone numbers.
    pub(super) fn replace_in_cell(&self, bytes: &[u8]) -> Option<String> {
        if !self.wanted.is_in_bytes(bytes) {
            return None;
        }
        let text = String::from_utf8_lossy(bytes);
        let is_json = text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        if is_json { self.wanted.replace_in_json(&text) } else { self.wanted.replace_in(&text) }
    }

    fn write_replaced(&mut self, table: &TextTable, found: &[ReplacedRow]) -> Result<()> {
        let conn = self.tx.conn();
        if OWN_ROWS.contains(&table.name.as_str()) {
            let sql = format!("DELETE FROM {} WHERE {}", table.name, table.key_condition(1));
            for row in found {
                conn.prepare_cached(&sql)?.execute(params_from_iter(&row.keys))?;
            }
            self.counts.add_erased(&table.name, found.len());
            return Ok(());
        }
        if table.name == "contacts" {
            for row in found {
                if let [Value::Integer(id)] = row.keys.as_slice() {
                    self.counts.mentioned_at_service += u64::from(self.is_mentioned_at_service(*id)?);
                }
            }
        }
        for row in found {
            let sets: Vec<String> = row
                .values
                .iter()
                .enumerate()
                .map(|(n, (at, _))| format!("{} = ?{}", table.columns[*at].name, n + 1))
                .collect();
            let condition = table.key_condition(row.values.len() + 1);
            let sql = format!("UPDATE OR REPLACE {} SET {} WHERE {condition}", table.name, sets.join(", "));
            let values: Vec<&dyn ToSql> = row
                .values
                .iter()
                .map(|(_, value)| value as &dyn ToSql)
                .chain(row.keys.iter().map(|key| key as &dyn ToSql))
                .collect();
            conn.prepare_cached(&sql)?.execute(values.as_slice())?;
        }
        self.counts.add_replaced(&table.name, found.len());
        Ok(())
    }
}
