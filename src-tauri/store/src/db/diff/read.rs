//! Single records and pages of them, as they are compared: what an operator looks at and edits.

use roost_model::page::{Page, PageRequest};
use rusqlite::{OptionalExtension, Row, params};
use serde_json::{Map, Value};

use super::{
    made_up,
    resource::{Column, Resource},
};
use crate::{error::Result, tables::custom_fields, tx::ReadTx};

fn select(tx: &ReadTx, resource: Resource) -> Result<(Vec<Column>, String)> {
    let columns = resource.columns(&custom_fields::numbers(tx)?);
    let named: Vec<_> = columns.iter().map(|column| format!("{} AS \"{}\"", column.sql, column.name)).collect();
    let sql = format!("SELECT {} FROM {}", named.join(", "), resource.source());
    Ok((columns, sql))
}

/// The fields that are not empty.
fn fields(row: &Row, columns: &[Column]) -> rusqlite::Result<Map<String, Value>> {
    let mut map = Map::new();
    for (at, column) in columns.iter().enumerate().skip(made_up(columns)) {
        let value = column.value(row.get_ref(at)?);
        if !value.is_null() {
            map.insert(column.name.clone(), value);
        }
    }
    Ok(map)
}

/// In the order of their keys.
pub fn page(
    tx: &ReadTx,
    resource: Resource,
    own_base: &str,
    list: Option<&str>,
    page: PageRequest,
) -> Result<Page<Map<String, Value>>> {
    let (columns, sql) = select(tx, resource)?;
    let only = if resource == Resource::Contacts { "?2 IS NULL OR list_uid = ?2" } else { "?2 IS ?2" };
    let all = format!("SELECT * FROM ({sql}) WHERE (?1 IS ?1) AND ({only})");
    let total_items: i64 = tx
        .conn()
        .prepare(&format!("SELECT count(*) FROM ({all})"))?
        .query_row(params![own_base, list], |row| row.get(0))?;
    let mut statement = tx.conn().prepare(&format!("{all} LIMIT ?3 OFFSET ?4"))?;
    let rows =
        statement.query_map(params![own_base, list, page.size, page.offset() as i64], |row| fields(row, &columns))?;
    Ok(Page { items: rows.collect::<rusqlite::Result<_>>()?, total_items: total_items as u64 })
}

/// One by its key, as a difference tells it.
pub fn one(tx: &ReadTx, resource: Resource, own_base: &str, key: &str) -> Result<Option<Map<String, Value>>> {
    let (columns, sql) = select(tx, resource)?;
    let name = &columns[0].name;
    let is_it = match resource {
        Resource::OptOuts => format!("rtrim({name}) = ?2"),
        Resource::CustomFields | Resource::Jobs => format!("{name} = CAST(?2 AS INTEGER)"),
        _ => format!("{name} = ?2"),
    };
    let mut statement = tx.conn().prepare(&format!("SELECT * FROM ({sql}) WHERE ?1 IS ?1 AND {is_it}"))?;
    Ok(statement.query_row(params![own_base, key], |row| fields(row, &columns)).optional()?)
}
