//! Reads single records and pages of them in the form in which they are compared, for an operator who looks at them and
//! edits them.

use roost_model::page::{Page, PageRequest};
use rusqlite::{OptionalExtension, Row, params};
use serde_json::{Map, Value};

use super::{
    computed_column_count,
    resource::{AccountResource, DiffColumn},
};
use crate::{error::Result, tables::custom_fields, tx::ReadTx};

fn build_query(tx: &ReadTx, resource: AccountResource) -> Result<(Vec<DiffColumn>, String)> {
    let columns = resource.columns(&custom_fields::defined_numbers(tx)?);
    let named: Vec<_> = columns.iter().map(|column| format!("{} AS \"{}\"", column.sql, column.name)).collect();
    let sql = format!("SELECT {} FROM {}", named.join(", "), resource.table_clause());
    Ok((columns, sql))
}

/// Returns the fields that are not empty.
fn read_fields(row: &Row, columns: &[DiffColumn]) -> rusqlite::Result<Map<String, Value>> {
    let mut map = Map::new();
    for (at, column) in columns.iter().enumerate().skip(computed_column_count(columns)) {
        let value = column.format_value(row.get_ref(at)?);
        if !value.is_null() {
            map.insert(column.name.clone(), value);
        }
    }
    Ok(map)
}

/// Reads a page of records in the order of their keys. With `text`, reads only records that contain it, in any case, in
/// a column that identifies them.
pub fn read_page(
    tx: &ReadTx,
    resource: AccountResource,
    default_base: &str,
    (list, text): (Option<&str>, Option<&str>),
    page: PageRequest,
) -> Result<Page<Map<String, Value>>> {
    let columns = resource.columns(&custom_fields::defined_numbers(tx)?);
    let read: Vec<_> = columns.iter().map(|column| column.sql.as_str()).collect();
    let (table, order) = resource.table_clause().split_once(" ORDER BY ").unwrap_or((resource.table_clause(), "1"));
    // The base of short URLs is bound in every query that reads columns. The conditions that are not used are bound in
    // a form that is always true.
    let mut from = format!("{table} {} ?1 IS ?1", if table.contains(" WHERE ") { "AND" } else { "WHERE" });
    if list.is_some() && resource == AccountResource::Contacts {
        from.push_str(" AND list_id = (SELECT id FROM lists WHERE uid = ?2)");
    }
    if text.is_some() {
        let known_by = resource.search_columns().join(", ");
        from.push_str(&format!(" AND roost_finds(?3, NULL, NULL, NULL, {known_by})"));
    }
    let from = format!("{from} AND ?2 IS ?2 AND ?3 IS ?3");
    let text = text.map(str::to_lowercase);
    let total_items: i64 = tx
        .conn()
        .prepare(&format!("SELECT count(*) FROM {from}"))?
        .query_row(params![default_base, list, text], |row| row.get(0))?;
    let sql = format!("SELECT {} FROM {from} ORDER BY {order} LIMIT ?4 OFFSET ?5", read.join(", "));
    let mut statement = tx.conn().prepare(&sql)?;
    let values = params![default_base, list, text, page.size, page.offset() as i64];
    let rows = statement.query_map(values, |row| read_fields(row, &columns))?;
    Ok(Page { items: rows.collect::<rusqlite::Result<_>>()?, total_items: total_items as u64 })
}

/// Reads the record with this key, which is written as differences write it.
pub fn find_record(
    tx: &ReadTx,
    resource: AccountResource,
    default_base: &str,
    key: &str,
) -> Result<Option<Map<String, Value>>> {
    let (columns, sql) = build_query(tx, resource)?;
    let name = &columns[0].name;
    let is_it = match resource {
        AccountResource::OptOuts => format!("rtrim({name}) = ?2"),
        AccountResource::CustomFields | AccountResource::Jobs => format!("{name} = CAST(?2 AS INTEGER)"),
        _ => format!("{name} = ?2"),
    };
    let mut statement = tx.conn().prepare(&format!("SELECT * FROM ({sql}) WHERE ?1 IS ?1 AND {is_it}"))?;
    Ok(statement.query_row(params![default_base, key], |row| read_fields(row, &columns)).optional()?)
}
