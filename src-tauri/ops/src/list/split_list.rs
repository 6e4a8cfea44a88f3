//! Splits a list into parts.

use roost_model::{
    contact::ContactField,
    error::FieldError,
    id::ListId,
    list::{List, check_name},
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{
        batch::MatchKey,
        contacts::{
            list_view::ContactFilter,
            picked_contacts::{self, DuplicatePolicy, PickedContacts, SplitRule, TransferKind},
        },
        lists::{self, ListRow},
    },
    tx::{ActDescription, ReadTx},
};
use serde::{Deserialize, Serialize};

use super::{insert_empty, log_removed};
use crate::{
    contact::{fields, place_picked},
    core::{Actor, Core},
    error::{OrNotFound, Result},
};

/// The maximum number of lists that one act creates.
pub const PARTS_MAX: u64 = 200;

/// The way in which a list is split.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ListSplitBy"))]
pub enum SplitBy {
    /// The number of contacts in each part. The last part may have fewer.
    Size(u64),
    /// The number of parts. Their sizes differ by one at most.
    Parts(u64),
    /// One part for each value of the field with this name, whatever its letter case.
    Field(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSplitRequest {
    pub list: ListId,
    pub by: SplitBy,
    /// The template for names of the parts: `{name}` is the name of the list, `{n}` the number of the part, `{value}`
    /// the value of the field.
    pub names: String,
    /// The text that replaces an empty value.
    pub empty_value: String,
    /// Whether the contacts are moved to the parts and the list is deleted. Otherwise the parts hold copies.
    pub delete_source: bool,
}

/// A part that the split would create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SplitPart {
    pub name: String,
    pub count: u64,
}

struct SplitPlan {
    row: ListRow,
    list: List,
    cut: SplitRule,
    parts: Vec<SplitPart>,
}

fn plan_split(tx: &ReadTx, split: &ListSplitRequest) -> Result<SplitPlan> {
    let row = lists::row_of(tx, &split.list)?.or_not_found(Noun::List, &split.list)?;
    let list = lists::get(tx, &split.list)?.or_not_found(Noun::List, &split.list)?;
    let total = list.contact_count;
    if total == 0 {
        return Err(FieldError::new("uid", "The list has no contacts to split.", split.list.as_str()).into());
    }
    let (cut, sizes): (SplitRule, Vec<(Option<String>, u64)>) = match &split.by {
        SplitBy::Size(size) => {
            check_positive("by.size", *size)?;
            let parts = check_part_count("by.size", total.div_ceil(*size))?;
            (SplitRule::Size(*size), (0..parts).map(|n| (None, (*size).min(total - n * size))).collect())
        }
        SplitBy::Parts(parts) => {
            check_positive("by.parts", *parts)?;
            let parts = check_part_count("by.parts", *parts)?.min(total);
            // Contact i of n goes into part i * parts / n, counted from 0.
            let first = |part: u64| (part * total).div_ceil(parts);
            (SplitRule::Parts(parts), (0..parts).map(|n| (None, first(n + 1) - first(n))).collect())
        }
        SplitBy::Field(name) => {
            let field = fields::find_sortable_field(tx, name, "by.field")?;
            if matches!(field, ContactField::Uid | ContactField::CreatedAt | ContactField::UpdatedAt) {
                return Err(FieldError::new(
                    "by.field",
                    "A list can only be split by a field that holds text.",
                    name.as_str(),
                )
                .into());
            }
            let values = picked_contacts::parts_by_value(tx, row, field, PARTS_MAX as usize + 1)?;
            check_part_count("by.field", values.len() as u64)?;
            (SplitRule::Field(field), values)
        }
    };
    let mut parts = Vec::with_capacity(sizes.len());
    for (n, (value, count)) in (1..).zip(sizes) {
        let value = value.filter(|value| !value.is_empty()).unwrap_or_else(|| split.empty_value.clone());
        let name = fill_template(&split.names, &list.name, n, &value);
        check_name(&name).map_err(|fault| FieldError { path: "names".to_owned(), ..fault })?;
        parts.push(SplitPart { name, count });
    }
    Ok(SplitPlan { row, list, cut, parts })
}

/// Fills the template in one pass, so that braces in a value stay unchanged.
fn fill_template(template: &str, list: &str, n: u64, value: &str) -> String {
    let mut name = String::with_capacity(template.len() + list.len());
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let (before, behind) = rest.split_at(at);
        name.push_str(before);
        let known = [("{name}", list.to_owned()), ("{n}", n.to_string()), ("{value}", value.to_owned())];
        match known.iter().find(|(place, _)| behind.starts_with(place)) {
            Some((place, text)) => {
                name.push_str(text);
                rest = &behind[place.len()..];
            }
            None => {
                name.push('{');
                rest = &behind[1..];
            }
        }
    }
    name.push_str(rest);
    name
}

fn check_positive(path: &str, n: u64) -> Result<()> {
    if n > 0 { Ok(()) } else { Err(FieldError::new(path, "must be at least 1", n).into()) }
}

fn check_part_count(path: &str, parts: u64) -> Result<u64> {
    if parts <= PARTS_MAX {
        return Ok(parts);
    }
    Err(FieldError::new(path, format!("would create more than {PARTS_MAX} lists"), parts).into())
}

/// Returns the parts that a split would create.
pub fn preview_split(core: &Core, split: &ListSplitRequest) -> Result<Vec<SplitPart>> {
    core.read(|tx| Ok(plan_split(tx, split)?.parts))
}

/// Splits a list, the oldest contacts first. Returns the new lists in order.
pub fn split(core: &Core, by: &Actor, split: &ListSplitRequest) -> Result<Vec<List>> {
    core.write(by, |tx| {
        let SplitPlan { row, list, cut, parts } = plan_split(tx, split)?;
        let mut made = Vec::with_capacity(parts.len());
        for part in &parts {
            made.push(insert_empty(core, tx, &part.name)?);
        }
        let targets: Vec<ListRow> = made.iter().map(|(_, row)| *row).collect();
        let picked = PickedContacts::empty(tx)?;
        picked.add_list(row, &ContactFilter::default(), &[], MatchKey::Phone)?;
        picked.set_part_targets(&targets, cut)?;
        let way = if split.delete_source { TransferKind::Move } else { TransferKind::Copy };
        place_picked(core, tx, &picked, way, DuplicatePolicy::Keep)?;
        if split.delete_source {
            lists::delete(tx, row)?;
            log_removed(tx, &list);
        }
        tx.describe_act(
            ActDescription::new("list_split")
                .with_subject(list.name)
                .with_uid(&list.uid)
                .with_count(parts.len() as u64),
        );
        for ((list, _), part) in made.iter().zip(&parts) {
            tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Created, &list.uid, part.count));
        }
        made.iter().map(|(list, _)| lists::get(tx, &list.uid)?.or_not_found(Noun::List, &list.uid)).collect()
    })
}
