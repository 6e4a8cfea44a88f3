//! Splits a list into parts.

use roost_model::{
    contact::ContactField,
    error::Fault,
    id::ListId,
    list::{List, check_name},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{
        batch::Key,
        contacts::{
            picked::{self, Cut, Duplicates, Picked, Way},
            view::Which,
        },
        lists::{self, ListRow},
        steps::Act,
    },
    tx::ReadTx,
};
use serde::Serialize;

use super::{insert, log_removed};
use crate::{
    contact::{fields, place},
    core::{By, Core},
    error::{OrNotFound, Result},
};

/// The maximum number of lists that one act creates.
pub const PARTS_MAX: u64 = 200;

/// The way in which a list is split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SplitBy {
    Size(u64),
    Parts(u64),
    /// By the values of the field with this name.
    Field(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
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
pub struct Part {
    pub name: String,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
}

struct Plan {
    row: ListRow,
    list: List,
    cut: Cut,
    parts: Vec<Part>,
}

fn plan(tx: &ReadTx, split: &Split) -> Result<Plan> {
    let row = lists::row_of(tx, &split.list)?.or_not_found(Noun::List, &split.list)?;
    let list = lists::get(tx, &split.list)?.or_not_found(Noun::List, &split.list)?;
    let total = list.contact_count;
    if total == 0 {
        return Err(Fault::new("uid", "The list holds no contacts to cut.", split.list.as_str()).into());
    }
    let (cut, sizes): (Cut, Vec<(Option<String>, u64)>) = match &split.by {
        SplitBy::Size(size) => {
            positive("by.size", *size)?;
            let parts = few_enough("by.size", total.div_ceil(*size))?;
            (Cut::Size(*size), (0..parts).map(|n| (None, (*size).min(total - n * size))).collect())
        }
        SplitBy::Parts(parts) => {
            positive("by.parts", *parts)?;
            let parts = few_enough("by.parts", *parts)?.min(total);
            // Contact i of n goes into part i * parts / n, counted from 0.
            let first = |part: u64| (part * total).div_ceil(parts);
            (Cut::Parts(parts), (0..parts).map(|n| (None, first(n + 1) - first(n))).collect())
        }
        SplitBy::Field(name) => {
            let field = fields::sortable(tx, name, "by.field")?;
            if matches!(field, ContactField::Uid | ContactField::CreatedAt | ContactField::UpdatedAt) {
                return Err(
                    Fault::new("by.field", "A list can be cut by fields that hold texts.", name.as_str()).into()
                );
            }
            let values = picked::parts_by_value(tx, row, field, PARTS_MAX as usize + 1)?;
            few_enough("by.field", values.len() as u64)?;
            (Cut::Field(field), values)
        }
    };
    let mut parts = Vec::with_capacity(sizes.len());
    for (n, (value, count)) in (1..).zip(sizes) {
        let value = value.filter(|value| !value.is_empty()).unwrap_or_else(|| split.empty_value.clone());
        let name = named(&split.names, &list.name, n, &value);
        check_name(&name).map_err(|fault| Fault { path: "names".to_owned(), ..fault })?;
        parts.push(Part { name, count });
    }
    Ok(Plan { row, list, cut, parts })
}

/// Fills the template in one pass, so that braces in a value stay unchanged.
fn named(template: &str, list: &str, n: u64, value: &str) -> String {
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

fn positive(path: &str, n: u64) -> Result<()> {
    if n > 0 { Ok(()) } else { Err(Fault::new(path, "must be at least 1", n).into()) }
}

fn few_enough(path: &str, parts: u64) -> Result<u64> {
    if parts <= PARTS_MAX {
        return Ok(parts);
    }
    Err(Fault::new(path, format!("would make more than {PARTS_MAX} lists"), parts).into())
}

/// Returns the parts that a split would create.
pub fn preview_split(core: &Core, split: &Split) -> Result<Vec<Part>> {
    core.read(|tx| Ok(plan(tx, split)?.parts))
}

/// Splits a list, the oldest contacts first. Returns the new lists in order.
pub fn split(core: &Core, by: &By, split: &Split) -> Result<Vec<List>> {
    core.write(by, |tx| {
        let Plan { row, list, cut, parts } = plan(tx, split)?;
        let mut made = Vec::with_capacity(parts.len());
        for part in &parts {
            made.push(insert(core, tx, &part.name)?);
        }
        let targets: Vec<ListRow> = made.iter().map(|(_, row)| *row).collect();
        let picked = Picked::none(tx)?;
        picked.add(row, &Which::default(), &[], Key::Phone)?;
        picked.send_parts(&targets, cut)?;
        let way = if split.delete_source { Way::Move } else { Way::Copy };
        place(core, tx, &picked, way, Duplicates::Keep)?;
        if split.delete_source {
            lists::delete(tx, row)?;
            log_removed(tx, &list);
        }
        tx.act(Act::new("list_split").subject(list.name).uid(&list.uid).count(parts.len() as u64));
        for ((list, _), part) in made.iter().zip(&parts) {
            tx.log(Change::many(Noun::Contact, Action::Created, &list.uid, part.count));
        }
        made.iter().map(|(list, _)| lists::get(tx, &list.uid)?.or_not_found(Noun::List, &list.uid)).collect()
    })
}
