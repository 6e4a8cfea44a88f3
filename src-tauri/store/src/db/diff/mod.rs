//! Compares two images. Both are walked side by side in the order of their keys, so that only one row of each is in
//! memory, however many rows there are.

pub mod overwrite;
mod read;
mod resource;

use std::cmp::Ordering;

use rusqlite::{Connection, Row, types::ValueRef};
use serde_json::{Map, Value, json};

use self::resource::{DiffColumn, read_field_numbers};
pub use self::{
    read::{find_record, read_page},
    resource::AccountResource,
};
use crate::{
    error::{Result, StoreError},
    image::Image,
    open,
    tables::counts::AccountCounts,
    tx::ReadTx,
};

/// A record as one of the images has it.
pub struct DiffRecord<'r> {
    row: &'r Row<'r>,
    columns: &'r [DiffColumn],
}

/// A difference between the images in one record.
pub enum RecordDifference<'r> {
    Added(DiffRecord<'r>),
    Removed(DiffRecord<'r>),
    Changed { before: DiffRecord<'r>, after: DiffRecord<'r> },
}

/// The fields that a comparison skips. `(resource, None)` skips the whole resource.
pub type IgnoredFields = Vec<(AccountResource, Option<String>)>;

/// Returns the names of a resource's fields, without the custom fields that an account defines.
pub fn field_names(resource: AccountResource) -> Vec<String> {
    resource.columns(&[]).into_iter().skip(1).map(|column| column.name).collect()
}

impl DiffRecord<'_> {
    pub fn key(&self) -> Result<String> {
        Ok(match self.row.get_ref(0)? {
            ValueRef::Integer(number) => number.to_string(),
            other => String::from_utf8_lossy(other.as_bytes().unwrap_or_default()).trim_end().to_owned(),
        })
    }

    /// Returns the fields that are not empty.
    pub fn to_fields(&self) -> Result<Map<String, Value>> {
        let mut map = Map::new();
        for (at, column) in self.columns.iter().enumerate().skip(computed_column_count(self.columns)) {
            let value = column.format_value(self.row.get_ref(at)?);
            if !value.is_null() {
                map.insert(column.name.clone(), value);
            }
        }
        Ok(map)
    }

    /// Returns the fields in which `after` differs from this record, each with both values.
    pub fn changed_fields(
        &self,
        after: &DiffRecord,
        ignored: &IgnoredFields,
        resource: AccountResource,
    ) -> Result<Map<String, Value>> {
        let mut map = Map::new();
        for (at, column) in self.columns.iter().enumerate().skip(1) {
            let (here, there) = (self.row.get_ref(at)?, after.row.get_ref(at)?);
            if here != there && !is_ignored(ignored, resource, &column.name) {
                let both = json!({ "before": column.format_value(here), "after": column.format_value(there) });
                map.insert(column.name.clone(), both);
            }
        }
        Ok(map)
    }
}

/// Returns how many leading columns are computed rather than stored. An opt-out has no id, so its key is computed from
/// its fields.
fn computed_column_count(columns: &[DiffColumn]) -> usize {
    usize::from(columns.first().is_some_and(|column| column.name == "optout"))
}

fn is_ignored(ignored: &IgnoredFields, resource: AccountResource, field: &str) -> bool {
    ignored.iter().any(|(ignored_resource, name)| {
        *ignored_resource == resource && name.as_deref().is_none_or(|name| name == field)
    })
}

/// Visits every difference, resource by resource, each in the order of its keys. `default_base` is the start of short
/// URLs whose link has no base of its own.
pub fn visit_differences<E: From<StoreError>>(
    before: &Image,
    after: &Image,
    default_base: &str,
    ignored: &IgnoredFields,
    mut visit: impl FnMut(AccountResource, RecordDifference) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let (before, after) = (open::load_image(before)?, open::load_image(after)?);
    compare_databases(&before, &after, default_base, ignored, &mut visit)
}

/// Counts the records of each kind that two accounts do not have in common: those that only one of them has, and those
/// that have other values in the other. The time of the last update is no value, and jobs are not compared.
pub fn count_differing(before: &ReadTx, after: &ReadTx) -> Result<AccountCounts> {
    let updated_at = || Some("updated_at".to_owned());
    let ignored = vec![
        (AccountResource::Jobs, None),
        (AccountResource::Lists, updated_at()),
        (AccountResource::Contacts, updated_at()),
    ];
    let mut found = AccountCounts::default();
    let mut count = |resource: AccountResource, _: RecordDifference| {
        *match resource {
            AccountResource::Senders => &mut found.senders,
            AccountResource::Assets => &mut found.assets,
            AccountResource::CustomFields => &mut found.custom_fields,
            AccountResource::Lists => &mut found.lists,
            AccountResource::Contacts => &mut found.contacts,
            AccountResource::OptOuts => &mut found.opt_outs,
            AccountResource::ShortLinks => &mut found.short_links,
            AccountResource::Jobs => &mut found.jobs_waiting,
        } += 1;
        Ok::<_, StoreError>(())
    };
    compare_databases(before.conn(), after.conn(), "", &ignored, &mut count)?;
    Ok(found)
}

fn compare_databases<E: From<StoreError>>(
    before: &Connection,
    after: &Connection,
    default_base: &str,
    ignored: &IgnoredFields,
    visit: &mut impl FnMut(AccountResource, RecordDifference) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let custom = [read_field_numbers(before)?, read_field_numbers(after)?];
    let mut all = custom.concat();
    all.sort_unstable();
    all.dedup();
    for resource in AccountResource::ALL {
        if ignored.iter().any(|(ignored_resource, field)| *ignored_resource == resource && field.is_none()) {
            continue;
        }
        let columns = resource.columns(&all);
        let [here, there] = custom.each_ref().map(|defined| build_query(resource, &columns, defined));
        compare_resource((before, &here), (after, &there), default_base, (resource, &columns, ignored), visit)?;
    }
    Ok(())
}

/// Builds the query that reads one side. A custom field that this side does not define reads as empty.
fn build_query(resource: AccountResource, columns: &[DiffColumn], defined: &[u32]) -> String {
    let is_there = |column: &DiffColumn| match column.name.strip_prefix("field_").and_then(|n| n.parse().ok()) {
        Some(number) => defined.contains(&number),
        None => true,
    };
    let columns: Vec<_> = columns.iter().map(|c| if is_there(c) { c.sql.as_str() } else { "NULL" }).collect();
    format!("SELECT {} FROM {}", columns.join(", "), resource.table_clause())
}

fn compare_resource<E: From<StoreError>>(
    (before, here): (&Connection, &str),
    (after, there): (&Connection, &str),
    default_base: &str,
    (resource, columns, ignored): (AccountResource, &[DiffColumn], &IgnoredFields),
    visit: &mut impl FnMut(AccountResource, RecordDifference) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let sql = |error: rusqlite::Error| E::from(error.into());
    let mut statements = (before.prepare(here).map_err(sql)?, after.prepare(there).map_err(sql)?);
    for statement in [&mut statements.0, &mut statements.1] {
        if statement.parameter_count() > 0 {
            statement.raw_bind_parameter(1, default_base).map_err(sql)?;
        }
    }
    let (mut left, mut right) = (statements.0.raw_query(), statements.1.raw_query());
    let (mut old, mut new) = (left.next().map_err(sql)?, right.next().map_err(sql)?);
    loop {
        let order = match (old, new) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => compare_keys(old, new).map_err(sql)?,
        };
        match (old, new) {
            (Some(old), _) if order == Ordering::Less => {
                visit(resource, RecordDifference::Removed(DiffRecord { row: old, columns }))?
            }
            (_, Some(new)) if order == Ordering::Greater => {
                visit(resource, RecordDifference::Added(DiffRecord { row: new, columns }))?
            }
            (Some(old), Some(new)) if rows_differ(old, new, (resource, columns, ignored)).map_err(sql)? => {
                let (before, after) = (DiffRecord { row: old, columns }, DiffRecord { row: new, columns });
                visit(resource, RecordDifference::Changed { before, after })?;
            }
            _ => {}
        }
        if order != Ordering::Greater {
            old = left.next().map_err(sql)?;
        }
        if order != Ordering::Less {
            new = right.next().map_err(sql)?;
        }
    }
}

fn compare_keys(old: &Row, new: &Row) -> rusqlite::Result<Ordering> {
    Ok(match (old.get_ref(0)?, new.get_ref(0)?) {
        (ValueRef::Integer(old), ValueRef::Integer(new)) => old.cmp(&new),
        (old, new) => old.as_bytes().unwrap_or_default().cmp(new.as_bytes().unwrap_or_default()),
    })
}

fn rows_differ(
    old: &Row,
    new: &Row,
    (resource, columns, ignored): (AccountResource, &[DiffColumn], &IgnoredFields),
) -> rusqlite::Result<bool> {
    for (at, column) in columns.iter().enumerate().skip(1) {
        if old.get_ref(at)? != new.get_ref(at)? && !is_ignored(ignored, resource, &column.name) {
            return Ok(true);
        }
    }
    Ok(false)
}
