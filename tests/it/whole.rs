//! Checks of a closed account file, with SQLite alone.

use std::path::Path;

use rusqlite::{Connection, Row, types::ValueRef};

fn open_raw(file: &Path) -> Connection {
    Connection::open(file).unwrap()
}

fn read_texts(conn: &Connection, sql: &str) -> Vec<String> {
    let mut statement = conn.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}

/// Returns every row of a query with every value as text.
pub(crate) fn read_rows(file: &Path, sql: &str) -> Vec<Vec<Option<String>>> {
    let conn = open_raw(file);
    let mut statement = conn.prepare(sql).unwrap();
    let columns = statement.column_count();
    let text = |value: ValueRef| match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Text(text) => Some(String::from_utf8(text.to_vec()).unwrap()),
        ValueRef::Real(_) | ValueRef::Blob(_) => panic!("no text: {value:?}"),
    };
    let read = |row: &Row| (0..columns).map(|i| row.get_ref(i).map(text)).collect();
    statement.query_map([], read).unwrap().collect::<rusqlite::Result<_>>().unwrap()
}

/// Checks that the file is intact, its references and counts are right, and no job is half done.
pub(crate) fn assert_whole(file: &Path) {
    let conn = open_raw(file);
    assert_eq!(read_texts(&conn, "PRAGMA integrity_check"), ["ok"]);
    let dangling: i64 = conn.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0)).unwrap();
    assert_eq!(dangling, 0, "references that lead nowhere");
    // Each query returns the errors that it finds, so all results must be empty.
    let faults = [
        "SELECT l.uid || ' counts ' || l.contact_count FROM lists l
         WHERE l.contact_count <> (SELECT count(*) FROM contacts c WHERE c.list_id = l.id)",
        "SELECT 'job ' || id || ' is done without its outcomes' FROM jobs j WHERE state = 'done'
         AND contact_count <> (SELECT count(*) FROM job_outcomes o WHERE o.job_id = j.id)",
        "SELECT 'job ' || id || ' waits with outcomes' FROM jobs j WHERE state = 'queued'
         AND EXISTS (SELECT 1 FROM job_outcomes o WHERE o.job_id = j.id)",
        "SELECT 'job ' || id || ' waits without its contacts' FROM jobs WHERE state = 'queued' AND contacts IS NULL",
        "SELECT 'job ' || j.id || ' owes the wrong number of callbacks' FROM jobs j
         WHERE (SELECT count(*) FROM callbacks c WHERE c.job_id = j.id) <> (j.state = 'done' AND j.callback_url IS NOT NULL)",
        "SELECT 'callback ' || c.id || ' has lost an attempt' FROM callbacks c
         WHERE c.attempts <> (SELECT count(*) FROM callback_attempts a WHERE a.callback_id = c.id)",
        "SELECT 'callback ' || c.id || ' is delivered without a try that says so' FROM callbacks c WHERE c.state = 'delivered'
         AND NOT EXISTS (SELECT 1 FROM callback_attempts a WHERE a.callback_id = c.id AND a.status BETWEEN 200 AND 299)",
    ];
    for sql in faults {
        assert_eq!(read_texts(&conn, sql), [""; 0], "{sql}");
    }
}

pub(crate) fn list_names(file: &Path) -> Vec<String> {
    read_texts(&open_raw(file), "SELECT name FROM lists ORDER BY id")
}
