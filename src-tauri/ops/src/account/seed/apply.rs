//! Filling an empty account from a seed, all or nothing.

use std::{collections::HashSet, hash::Hash};

use roost_model::{
    asset::Asset,
    custom_field::{self, CustomField},
    short_link::CODE_LEN,
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{assets, contacts, counts, custom_fields, lists, opt_outs, senders, short_links},
    tx::{ReadTx, WriteTx},
};
use serde_json::Value;

use super::{
    SeedError, WHOLE, keys, lines,
    node::{Node, Object},
    parse::Reader,
    slim, yaml,
};
use crate::{
    core::{By, Core},
    ctx::Ids,
    error::Error,
};

type Result<T> = std::result::Result<T, SeedError>;

/// How much was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeedReport {
    pub senders: u64,
    pub assets: u64,
    pub custom_fields: u64,
    pub lists: u64,
    pub contacts: u64,
    pub opt_outs: u64,
    pub short_links: u64,
}

/// Refuses the second of two equal values.
struct Once<T>(HashSet<T>);

impl<T: Hash + Eq> Once<T> {
    fn new() -> Self {
        Self(HashSet::new())
    }

    fn take(&mut self, node: &Node, key: &str, value: T) -> Result<()> {
        if self.0.insert(value) {
            Ok(())
        } else {
            Err(SeedError::at(format!("{}.{key}", node.path), "is used twice in this file"))
        }
    }
}

/// Reads a seed into an account that holds nothing yet.
pub fn apply(core: &Core, by: &By, text: &[u8], own_base: &str) -> Result<SeedReport> {
    let value = read(core, text)?;
    let root = Node { path: String::new(), value: &value }.object(keys::TOP, |_| false)?;
    let written_base = written_base(&root)?;
    let reader = Reader { core, now: core.ctx().now(), own_base, written_base };
    core.write_unrecorded(by, |tx| fill(tx, &reader, &root))
}

/// What the short URLs of the file begin with whose server wrote it.
pub(super) fn written_base<'f>(root: &Object<'f>) -> Result<Option<&'f str>> {
    root.get("short_link_base").map(|node| node.text()).transpose()
}

/// The one object that a seed is: JSON when it begins like that, or lines of it, otherwise YAML. No id that stands in it is made here.
pub(super) fn read(core: &Core, text: &[u8]) -> Result<Value> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    if text.trim_ascii().is_empty() {
        return Err(SeedError::at(WHOLE, "is empty"));
    }
    let value: Value = match text.trim_ascii_start().first() {
        Some(b'{') if lines::are_lines(text) => lines::read(text)?,
        Some(b'{' | b'[') => slim::read(text).map_err(|error| {
            let said = error.to_string();
            let said = said.split(" at line ").next().unwrap_or_default();
            SeedError::at(format!("line {}, column {}", error.line(), error.column()), format!("not JSON: {said}"))
        })?,
        _ => yaml::read(text)?,
    };
    if !value.is_object() {
        return Err(SeedError::at(
            WHOLE,
            "is not a seed: expected one object of JSON or YAML, for example {\"lists\": []}",
        ));
    }
    avoid(core.ctx().ids(), &value);
    Ok(value)
}

fn avoid(ids: &Ids, value: &Value) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| match value {
            Value::String(id) if matches!(name.as_str(), "id" | "uid" | "link_id") => ids.avoid(id),
            value => avoid(ids, value),
        }),
        Value::Array(items) => items.iter().for_each(|item| avoid(ids, &slim::whole(item))),
        _ => {}
    }
}

/// Whether an account holds nothing that a seed would have to replace.
pub fn is_fillable(core: &Core) -> Result<bool> {
    Ok(core.read(|tx| Ok::<_, Error>(is_empty(tx)?))?)
}

fn is_empty(tx: &ReadTx) -> roost_store::error::Result<bool> {
    let held = counts::get(tx)?;
    Ok(held.senders + held.assets + held.lists + held.opt_outs + held.short_links + held.jobs_waiting == 0)
}

fn fill(tx: &WriteTx, reader: &Reader, root: &Object) -> Result<SeedReport> {
    if !is_empty(tx)? {
        return Err(SeedError::NotEmpty);
    }
    let mut report = SeedReport { senders: fill_senders(tx, reader, root)?, ..SeedReport::default() };
    let assets = fill_assets(tx, reader, root)?;
    report.assets = assets.len() as u64;
    report.custom_fields = fill_custom_fields(tx, reader, root)?;
    (report.lists, report.contacts) = fill_lists(tx, reader, root)?;
    report.opt_outs = fill_opt_outs(tx, reader, root, &assets)?;
    report.short_links = fill_short_links(tx, reader, root)?;
    use_up(tx, root)?;
    let made = [
        (Noun::Sender, report.senders),
        (Noun::Asset, report.assets),
        (Noun::CustomField, report.custom_fields),
        (Noun::List, report.lists),
        (Noun::Contact, report.contacts),
        (Noun::OptOut, report.opt_outs),
        (Noun::ShortLink, report.short_links),
    ];
    for (noun, count) in made.into_iter().filter(|(_, count)| *count > 0) {
        tx.log(Change::many(noun, Action::Created, "seed", count));
    }
    Ok(report)
}

fn fill_senders(tx: &WriteTx, reader: &Reader, root: &Object) -> Result<u64> {
    let (mut ids, mut names) = (Once::new(), Once::new());
    let nodes = root.items("senders")?;
    for node in &nodes {
        let sender = reader.sender(node)?;
        ids.take(node, "id", sender.id.clone())?;
        names.take(node, "name", sender.name.to_lowercase())?;
        senders::insert(tx, &sender)?;
    }
    Ok(nodes.len() as u64)
}

fn fill_assets(tx: &WriteTx, reader: &Reader, root: &Object) -> Result<Vec<Asset>> {
    let (mut ids, mut numbers) = (Once::new(), Once::new());
    let mut made = Vec::new();
    for node in root.items("assets")? {
        let asset = reader.asset(&node)?;
        ids.take(&node, "id", asset.id.clone())?;
        numbers.take(&node, "number", (asset.channel, asset.number.clone()))?;
        assets::insert(tx, &asset)?;
        made.push(asset);
    }
    Ok(made)
}

fn fill_custom_fields(tx: &WriteTx, reader: &Reader, root: &Object) -> Result<u64> {
    let Some(node) = root.get("custom_fields") else { return Ok(0) };
    custom_fields::clear(tx)?;
    let (mut numbers, mut next) = (Once::new(), 1);
    let nodes = node.items()?;
    for node in &nodes {
        let field = reader.custom_field(node, next)?;
        numbers.take(node, "number", field.number)?;
        next = next.max(field.number + 1);
        custom_fields::insert(tx, &field)?;
    }
    Ok(nodes.len() as u64)
}

fn fill_lists(tx: &WriteTx, reader: &Reader, root: &Object) -> Result<(u64, u64)> {
    let (mut list_uids, mut contact_uids) = (Once::new(), Once::new());
    let custom = custom_fields::numbers(tx)?;
    let mut contacts_made = 0;
    let nodes = root.items("lists")?;
    for node in &nodes {
        let object = node.object(keys::LIST, |_| false)?;
        let list = reader.list(&object)?;
        list_uids.take(node, "uid", list.uid.clone())?;
        let row = lists::insert(tx, &list)?;
        let mut inserter = contacts::Inserter::new(tx, row, &custom)?;
        let contacts = object.items("contacts")?;
        for node in &contacts {
            let value = slim::whole(node.value);
            let node = &Node { path: node.path.clone(), value: &value };
            let contact = reader.contact(node, &list.uid, &custom)?;
            contact_uids.take(node, "uid", contact.uid.clone())?;
            inserter.insert(&contact)?;
        }
        lists::add_count(tx, row, contacts.len() as u64)?;
        contacts_made += contacts.len() as u64;
    }
    Ok((nodes.len() as u64, contacts_made))
}

fn fill_opt_outs(tx: &WriteTx, reader: &Reader, root: &Object, assets: &[Asset]) -> Result<u64> {
    let mut identities = Once::new();
    let nodes = root.items("opt_outs")?;
    for node in &nodes {
        let record = reader.opt_out(node, assets)?;
        identities.take(node, "number", (record.number.clone(), record.channel, record.scope.clone()))?;
        opt_outs::replace(tx, &record)?;
    }
    Ok(nodes.len() as u64)
}

fn fill_short_links(tx: &WriteTx, reader: &Reader, root: &Object) -> Result<u64> {
    let mut ids = Once::new();
    let nodes = root.items("short_links")?;
    for node in &nodes {
        let link = reader.short_link(node)?;
        ids.take(node, "link_id", link.link_id.clone())?;
        if !short_links::take_code(tx, &link.code)? {
            return Err(SeedError::at(format!("{}.short_link_url", node.path), "is used twice in this file"));
        }
        short_links::insert(tx, &link)?;
    }
    Ok(nodes.len() as u64)
}

/// Takes numbers and codes that were used once, so that they are never given out again.
pub(super) fn use_up(tx: &WriteTx, root: &Object) -> Result<()> {
    let Some(node) = root.get("used_up") else { return Ok(()) };
    let object = node.object(keys::USED_UP, |_| false)?;
    if let Some(node) = object.get("custom_field_number") {
        let in_range = node.value.as_u64().filter(|n| (1..=u64::from(custom_field::NUMBER_MAX)).contains(n));
        let Some(number) = in_range else {
            return node.fault(format!("must be a number from 1 to {}", custom_field::NUMBER_MAX));
        };
        let number = number as u32;
        if number >= custom_fields::next_number(tx)? {
            custom_fields::insert(tx, &CustomField { number, label: "removed".to_owned() })?;
            custom_fields::remove(tx, number)?;
        }
    }
    for node in object.items("short_link_codes")? {
        let code = node.text()?;
        if code.len() != CODE_LEN || !code.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return node.fault(format!("must be {CODE_LEN} letters or digits"));
        }
        short_links::take_code(tx, code)?;
    }
    Ok(())
}
