//! Compares the schema of a file with the one that this program creates.

use std::{collections::BTreeMap, path::Path};

use rusqlite::Connection;

use crate::{error::Result, migrations::Migrations};

/// Returns the statements of the schema by name. The columns of custom fields belong to the account, so they are left
/// out.
fn read_statements(conn: &Connection) -> rusqlite::Result<BTreeMap<String, String>> {
    let mut statement =
        conn.prepare("SELECT name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    rows.map(|row| row.map(|(name, sql)| (name, without_custom_fields(&sql)))).collect()
}

fn without_custom_fields(sql: &str) -> String {
    let words: Vec<&str> = sql.split_whitespace().collect();
    let mut kept = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let is_field = words[at].strip_prefix("field_").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
        // The comma before an added column belongs to it: `, field_4 TEXT`.
        if is_field {
            at += 2;
            continue;
        }
        kept.push(words[at].trim_matches([',', ')']));
        at += 1;
    }
    kept.retain(|word| !word.is_empty());
    kept.join(" ")
}

/// Describes the first difference from the schema that the migrations create, or returns `None`.
pub(crate) fn find_difference(conn: &Connection, steps: &Migrations) -> Result<Option<String>> {
    let mut ideal = Connection::open_in_memory()?;
    steps.run_missing(&mut ideal, Path::new(":memory:"))?;
    let (found, ideal) = (read_statements(conn)?, read_statements(&ideal)?);
    let names = ideal.keys().chain(found.keys());
    Ok(names.into_iter().find(|name| found.get(*name) != ideal.get(*name)).map(|name| {
        match (found.get(name), ideal.get(name)) {
            (None, _) => format!("the schema has no {name}"),
            (_, None) => format!("the schema has {name}, which is not Roost's"),
            _ => format!("{name} in the schema was changed"),
        }
    }))
}
