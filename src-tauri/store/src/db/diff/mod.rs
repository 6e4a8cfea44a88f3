//! Compares two images. Both are walked side by side in the order of their keys, so that only one row of each is in
//! memory, however many rows there are.

pub mod overwrite;
mod read;
mod resource;

use std::cmp::Ordering;

use rusqlite::{Connection, Row, types::ValueRef};
use serde_json::{Map, Value, json};

use self::resource::{Column, custom_fields};
pub use self::{
    read::{one, page},
    resource::Resource,
};
use crate::{db::image::Image, error::Result, open};

/// A record as one of the images has it.
pub struct Record<'r> {
    row: &'r Row<'r>,
    columns: &'r [Column],
}

/// A difference between the images in one record.
pub enum Difference<'r> {
    Added(Record<'r>),
    Removed(Record<'r>),
    Changed { before: Record<'r>, after: Record<'r> },
}

/// The fields that a comparison skips. `(resource, None)` skips the whole resource.
pub type Ignored = Vec<(Resource, Option<String>)>;

/// Returns the names of a resource's fields, without the custom fields that an account defines.
pub fn fields(resource: Resource) -> Vec<String> {
    resource.columns(&[]).into_iter().skip(1).map(|column| column.name).collect()
}

impl Record<'_> {
    pub fn key(&self) -> Result<String> {
        Ok(match self.row.get_ref(0)? {
            ValueRef::Integer(number) => number.to_string(),
            other => String::from_utf8_lossy(other.as_bytes().unwrap_or_default()).trim_end().to_owned(),
        })
    }

    /// Returns the fields that are not empty.
    pub fn fields(&self) -> Result<Map<String, Value>> {
        let mut map = Map::new();
        for (at, column) in self.columns.iter().enumerate().skip(made_up(self.columns)) {
            let value = column.value(self.row.get_ref(at)?);
            if !value.is_null() {
                map.insert(column.name.clone(), value);
            }
        }
        Ok(map)
    }

    /// Returns the fields in which `after` differs from this record, each with both values.
    pub fn changes(&self, after: &Record, ignored: &Ignored, resource: Resource) -> Result<Map<String, Value>> {
        let mut map = Map::new();
        for (at, column) in self.columns.iter().enumerate().skip(1) {
            let (here, there) = (self.row.get_ref(at)?, after.row.get_ref(at)?);
            if here != there && !is_ignored(ignored, resource, &column.name) {
                let both = json!({ "before": column.value(here), "after": column.value(there) });
                map.insert(column.name.clone(), both);
            }
        }
        Ok(map)
    }
}

/// Returns how many leading columns are computed rather than stored. An opt-out has no id, so its key is computed from
/// its fields.
fn made_up(columns: &[Column]) -> usize {
    usize::from(columns.first().is_some_and(|column| column.name == "optout"))
}

fn is_ignored(ignored: &Ignored, resource: Resource, field: &str) -> bool {
    ignored.iter().any(|(of, name)| *of == resource && name.as_deref().is_none_or(|name| name == field))
}

/// Visits every difference, resource by resource, each in the order of its keys. `own_base` is the start of short URLs
/// whose link has no base of its own.
pub fn between<E: From<crate::error::Error>>(
    before: &Image,
    after: &Image,
    own_base: &str,
    ignored: &Ignored,
    mut visit: impl FnMut(Resource, Difference) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let (before, after) = (open::loaded(before)?, open::loaded(after)?);
    let custom = [custom_fields(&before)?, custom_fields(&after)?];
    let mut all = custom.concat();
    all.sort_unstable();
    all.dedup();
    for resource in Resource::ALL {
        if ignored.iter().any(|(of, field)| *of == resource && field.is_none()) {
            continue;
        }
        let columns = resource.columns(&all);
        let [here, there] = custom.each_ref().map(|defined| select(resource, &columns, defined));
        walk((&before, &here), (&after, &there), own_base, (resource, &columns, ignored), &mut visit)?;
    }
    Ok(())
}

/// Builds the query that reads one side. A custom field that this side does not define reads as empty.
fn select(resource: Resource, columns: &[Column], defined: &[u32]) -> String {
    let is_there = |column: &Column| match column.name.strip_prefix("field_").and_then(|n| n.parse().ok()) {
        Some(number) => defined.contains(&number),
        None => true,
    };
    let columns: Vec<_> = columns.iter().map(|c| if is_there(c) { c.sql.as_str() } else { "NULL" }).collect();
    format!("SELECT {} FROM {}", columns.join(", "), resource.source())
}

fn walk<E: From<crate::error::Error>>(
    (before, here): (&Connection, &str),
    (after, there): (&Connection, &str),
    own_base: &str,
    (resource, columns, ignored): (Resource, &[Column], &Ignored),
    visit: &mut impl FnMut(Resource, Difference) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let sql = |error: rusqlite::Error| E::from(error.into());
    let mut statements = (before.prepare(here).map_err(sql)?, after.prepare(there).map_err(sql)?);
    for statement in [&mut statements.0, &mut statements.1] {
        if statement.parameter_count() > 0 {
            statement.raw_bind_parameter(1, own_base).map_err(sql)?;
        }
    }
    let (mut left, mut right) = (statements.0.raw_query(), statements.1.raw_query());
    let (mut old, mut new) = (left.next().map_err(sql)?, right.next().map_err(sql)?);
    loop {
        let order = match (old, new) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => by_key(old, new).map_err(sql)?,
        };
        match (old, new) {
            (Some(old), _) if order == Ordering::Less => {
                visit(resource, Difference::Removed(Record { row: old, columns }))?
            }
            (_, Some(new)) if order == Ordering::Greater => {
                visit(resource, Difference::Added(Record { row: new, columns }))?
            }
            (Some(old), Some(new)) if differ(old, new, (resource, columns, ignored)).map_err(sql)? => {
                let (before, after) = (Record { row: old, columns }, Record { row: new, columns });
                visit(resource, Difference::Changed { before, after })?;
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

fn by_key(old: &Row, new: &Row) -> rusqlite::Result<Ordering> {
    Ok(match (old.get_ref(0)?, new.get_ref(0)?) {
        (ValueRef::Integer(old), ValueRef::Integer(new)) => old.cmp(&new),
        (old, new) => old.as_bytes().unwrap_or_default().cmp(new.as_bytes().unwrap_or_default()),
    })
}

fn differ(
    old: &Row,
    new: &Row,
    (resource, columns, ignored): (Resource, &[Column], &Ignored),
) -> rusqlite::Result<bool> {
    for (at, column) in columns.iter().enumerate().skip(1) {
        if old.get_ref(at)? != new.get_ref(at)? && !is_ignored(ignored, resource, &column.name) {
            return Ok(true);
        }
    }
    Ok(false)
}
