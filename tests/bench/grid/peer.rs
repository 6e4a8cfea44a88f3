//! The peer of P5: bare SQLite that finds the same rows, reads the same texts and writes the same cell.

use std::{error::Error, hint::black_box, path::Path, time::Instant};

use rusqlite::{Connection, types::ValueRef};

use super::elapsed_ms;

const ORDER: &str = "ORDER BY lastname IS NULL, lastname COLLATE NOCASE, created_at DESC, id";

pub(super) struct SqlitePeer {
    conn: Connection,
    columns: Vec<String>,
}

impl SqlitePeer {
    /// Opens the account with `columns` by their field names.
    pub(super) fn open(path: &Path, columns: &[String]) -> Result<Self, Box<dyn Error>> {
        let conn = Connection::open(path)?;
        conn.execute_batch(
            "PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY; PRAGMA threads = 2; PRAGMA synchronous = FULL;",
        )?;
        let stored = |name: &String| match name.as_str() {
            "phone_number" => "phone".to_owned(),
            "whatsapp_id" => "whatsapp".to_owned(),
            name => name.to_owned(),
        };
        Ok(Self { conn, columns: columns.iter().map(stored).collect() })
    }

    /// Returns the IDs in order, by SQLite's own plan or by a full table scan, whichever is faster.
    pub(super) fn time_ids(&self, condition: &str) -> Result<(f64, Vec<i64>), Box<dyn Error>> {
        let mut best = (f64::MAX, Vec::new());
        for how in ["", "NOT INDEXED"] {
            let sql = format!("SELECT id FROM contacts {how} WHERE list_id = 1 AND ({condition}) {ORDER}");
            let begun = Instant::now();
            let ids: Vec<i64> = self.conn.prepare(&sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            let took = elapsed_ms(begun);
            if took < best.0 {
                best = (took, ids);
            }
        }
        Ok(best)
    }

    /// Returns the condition that any of the columns contains a text.
    pub(super) fn contains_condition(&self, text: &str) -> String {
        let each: Vec<String> = self.columns.iter().map(|column| format!("{column} LIKE '%{text}%'")).collect();
        each.join(" OR ")
    }

    /// Reads the texts of some rows.
    pub(super) fn time_window(&self, ids: &[i64]) -> Result<f64, Box<dyn Error>> {
        let begun = Instant::now();
        let sql = format!("SELECT {} FROM contacts WHERE id = ?1", self.columns.join(", "));
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut texts = Vec::new();
        for id in ids {
            let mut rows = statement.query([id])?;
            while let Some(row) = rows.next()? {
                for at in 0..self.columns.len() {
                    if let ValueRef::Text(text) = row.get_ref(at)? {
                        texts.extend_from_slice(text);
                    }
                }
            }
        }
        black_box(texts);
        Ok(elapsed_ms(begun))
    }

    /// Writes one cell, with the same durability as ours.
    pub(super) fn time_edit(&self, id: i64, city: &str) -> Result<f64, Box<dyn Error>> {
        let begun = Instant::now();
        let mut statement = self.conn.prepare_cached("UPDATE contacts SET city = ?1, updated_at = ?2 WHERE id = ?3")?;
        statement.execute((city, 1_767_700_000, id))?;
        Ok(elapsed_ms(begun))
    }

    /// Sets a value in all rows after inserting what an undo needs, with the page cache of such an act, and returns the
    /// seconds.
    pub(super) fn time_set(&self, city: &str) -> Result<f64, Box<dyn Error>> {
        self.conn.execute_batch("PRAGMA cache_size = -32768")?;
        let begun = Instant::now();
        self.conn.execute_batch(&format!(
            "BEGIN IMMEDIATE;
             INSERT INTO row_changes (step, place, kind, key, data)
             SELECT 1, 6, 2, id, CAST(city || '{city}' AS BLOB) FROM contacts ORDER BY id;
             UPDATE contacts SET city = '{city}', updated_at = 1767700000;
             COMMIT;"
        ))?;
        Ok(begun.elapsed().as_secs_f64())
    }
}
