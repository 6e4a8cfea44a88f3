//! Fills an empty account from a seed, all or nothing.

use std::{collections::HashSet, convert::Infallible, hash::Hash};

use roost_model::{
    asset::Asset,
    custom_field::{self, CustomField},
    short_link::CODE_LEN,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{
        assets, contacts,
        counts::{self, AccountCounts},
        custom_fields, lists, opt_outs, senders, short_links,
    },
    tx::{ReadTx, WriteTx},
};
use serde_json::Value;

use super::{
    SeedError, WHOLE, keys, lazy_json, lines,
    node::{SeedNode, SeedObject},
    parse::RecordParser,
    yaml,
};
use crate::{
    core::{Actor, Core},
    ctx::Ids,
    error::Error,
};

type Result<T> = std::result::Result<T, SeedError>;

/// A set that refuses the second of two equal values.
struct UniqueValues<T>(HashSet<T>);

impl<T: Hash + Eq> UniqueValues<T> {
    fn new() -> Self {
        Self(HashSet::new())
    }

    fn claim(&mut self, node: &SeedNode, key: &str, value: T) -> Result<()> {
        if self.0.insert(value) {
            Ok(())
        } else {
            Err(SeedError::invalid_at(format!("{}.{key}", node.path), "is used twice in this file"))
        }
    }
}

/// Reads a seed into an account that is empty, and returns how many records were added.
pub fn apply(core: &Core, by: &Actor, text: &[u8], default_base: &str) -> Result<AccountCounts> {
    let value = parse_seed(core, text)?;
    let root = SeedNode { path: String::new(), value: &value }.to_object(keys::TOP, |_| false)?;
    let written_base = written_base(&root)?;
    let reader = RecordParser { core, now: core.ctx().now(), default_base, written_base };
    core.write_unrecorded(by, |tx| fill_account(tx, &reader, &root))
}

/// Returns the base of the short URLs of the server that wrote the file.
pub(super) fn written_base<'f>(root: &SeedObject<'f>) -> Result<Option<&'f str>> {
    root.get("short_link_base").map(|node| node.to_text()).transpose()
}

/// Parses a seed into its single object: lines of JSON, JSON if it begins like JSON, otherwise YAML. Reserves every id
/// in the seed, so that this process never generates one of them.
pub(super) fn parse_seed(core: &Core, text: &[u8]) -> Result<Value> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    if text.trim_ascii().is_empty() {
        return Err(SeedError::invalid_at(WHOLE, "is empty"));
    }
    let value: Value = match text.trim_ascii_start().first() {
        Some(b'{') if lines::are_lines(text) => lines::read(text)?,
        Some(b'{' | b'[') => lazy_json::read(text).map_err(|error| {
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            SeedError::invalid_at(
                format!("line {}, column {}", error.line(), error.column()),
                format!("not JSON: {message}"),
            )
        })?,
        _ => yaml::read(text)?,
    };
    if !value.is_object() {
        return Err(SeedError::invalid_at(
            WHOLE,
            "is not a seed: expected one object of JSON or YAML, for example {\"lists\": []}",
        ));
    }
    reserve_ids(core.ctx().ids(), &value);
    Ok(value)
}

fn reserve_ids(ids: &Ids, value: &Value) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| match value {
            Value::String(id) if matches!(name.as_str(), "id" | "uid" | "link_id") => ids.reserve_id(id),
            value => reserve_ids(ids, value),
        }),
        array => {
            let read: std::result::Result<_, Infallible> = lazy_json::visit_items(array, |_, item| {
                reserve_ids(ids, item);
                Ok(())
            });
            let Ok(_) = read;
        }
    }
}

/// Returns whether the account is empty, so that a seed has nothing to replace.
pub fn is_fillable(core: &Core) -> Result<bool> {
    Ok(core.read(|tx| Ok::<_, Error>(is_empty(tx)?))?)
}

fn is_empty(tx: &ReadTx) -> roost_store::error::Result<bool> {
    let held = counts::get(tx)?;
    Ok(held.senders + held.assets + held.lists + held.opt_outs + held.short_links + held.jobs_waiting == 0)
}

fn fill_account(tx: &WriteTx, reader: &RecordParser, root: &SeedObject) -> Result<AccountCounts> {
    if !is_empty(tx)? {
        return Err(SeedError::NotEmpty);
    }
    let mut report = AccountCounts { senders: fill_senders(tx, reader, root)?, ..AccountCounts::default() };
    let assets = fill_assets(tx, reader, root)?;
    report.assets = assets.len() as u64;
    report.custom_fields = fill_custom_fields(tx, reader, root)?;
    (report.lists, report.contacts) = fill_lists(tx, reader, root)?;
    report.opt_outs = fill_opt_outs(tx, reader, root, &assets)?;
    report.short_links = fill_short_links(tx, reader, root)?;
    mark_used_up(tx, root)?;
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
        tx.log_change(ChangeLogEntry::many(noun, ChangeAction::Created, "seed", count));
    }
    Ok(report)
}

fn fill_senders(tx: &WriteTx, reader: &RecordParser, root: &SeedObject) -> Result<u64> {
    let (mut ids, mut names) = (UniqueValues::new(), UniqueValues::new());
    let nodes = root.items("senders")?;
    for node in &nodes {
        let sender = reader.parse_sender(node)?;
        ids.claim(node, "id", sender.id.clone())?;
        names.claim(node, "name", sender.name.to_lowercase())?;
        senders::insert(tx, &sender)?;
    }
    Ok(nodes.len() as u64)
}

fn fill_assets(tx: &WriteTx, reader: &RecordParser, root: &SeedObject) -> Result<Vec<Asset>> {
    let (mut ids, mut numbers) = (UniqueValues::new(), UniqueValues::new());
    let mut made = Vec::new();
    for node in root.items("assets")? {
        let asset = reader.parse_asset(&node)?;
        ids.claim(&node, "id", asset.id.clone())?;
        numbers.claim(&node, "number", (asset.channel, asset.number.clone()))?;
        assets::insert(tx, &asset)?;
        made.push(asset);
    }
    Ok(made)
}

fn fill_custom_fields(tx: &WriteTx, reader: &RecordParser, root: &SeedObject) -> Result<u64> {
    let Some(node) = root.get("custom_fields") else { return Ok(0) };
    custom_fields::clear(tx)?;
    let (mut numbers, mut next) = (UniqueValues::new(), 1);
    let nodes = node.items()?;
    for node in &nodes {
        let field = reader.parse_custom_field(node, next)?;
        numbers.claim(node, "number", field.number)?;
        next = next.max(field.number + 1);
        custom_fields::insert(tx, &field)?;
    }
    Ok(nodes.len() as u64)
}

fn fill_lists(tx: &WriteTx, reader: &RecordParser, root: &SeedObject) -> Result<(u64, u64)> {
    let (mut list_uids, mut contact_uids) = (UniqueValues::new(), UniqueValues::new());
    let custom = custom_fields::defined_numbers(tx)?;
    let mut contacts_made = 0;
    let nodes = root.items("lists")?;
    for node in &nodes {
        let object = node.to_object(keys::LIST, |_| false)?;
        let list = reader.parse_list(&object)?;
        list_uids.claim(node, "uid", list.uid.clone())?;
        let row = lists::insert(tx, &list)?;
        let mut inserter = contacts::ContactInserter::new(tx, row, &custom)?;
        let made = object.visit_items("contacts", |node| {
            let contact = reader.parse_contact(node, &list.uid, &custom)?;
            contact_uids.claim(node, "uid", to_inline_text(contact.uid.as_str()))?;
            inserter.insert(&contact)?;
            Ok(())
        })?;
        lists::add_count(tx, row, made)?;
        contacts_made += made;
    }
    Ok((nodes.len() as u64, contacts_made))
}

/// The length of a contact's id.
const CONTACT_UID_LEN: usize = 31;

/// Returns an id as a value without memory of its own: of a hundred thousand small texts, an allocator returns little.
fn to_inline_text(uid: &str) -> [u8; CONTACT_UID_LEN] {
    let mut inline = [0; CONTACT_UID_LEN];
    inline.iter_mut().zip(uid.bytes()).for_each(|(to, byte)| *to = byte);
    inline
}

fn fill_opt_outs(tx: &WriteTx, reader: &RecordParser, root: &SeedObject, assets: &[Asset]) -> Result<u64> {
    let mut identities = UniqueValues::new();
    let nodes = root.items("opt_outs")?;
    for node in &nodes {
        let record = reader.parse_opt_out(node, assets)?;
        identities.claim(node, "number", (record.number.clone(), record.channel, record.scope.clone()))?;
        opt_outs::replace(tx, &record)?;
    }
    Ok(nodes.len() as u64)
}

fn fill_short_links(tx: &WriteTx, reader: &RecordParser, root: &SeedObject) -> Result<u64> {
    let mut ids = UniqueValues::new();
    let nodes = root.items("short_links")?;
    for node in &nodes {
        let link = reader.parse_short_link(node)?;
        ids.claim(node, "link_id", link.link_id.clone())?;
        if !short_links::reserve_code(tx, &link.code)? {
            return Err(SeedError::invalid_at(format!("{}.short_link_url", node.path), "is used twice in this file"));
        }
        short_links::insert(tx, &link)?;
    }
    Ok(nodes.len() as u64)
}

/// Marks field numbers and link codes as used, so that they are never assigned again.
pub(super) fn mark_used_up(tx: &WriteTx, root: &SeedObject) -> Result<()> {
    let Some(node) = root.get("used_up") else { return Ok(()) };
    let object = node.to_object(keys::USED_UP, |_| false)?;
    if let Some(node) = object.get("custom_field_number") {
        let in_range = node.value.as_u64().filter(|n| (1..=u64::from(custom_field::NUMBER_MAX)).contains(n));
        let Some(number) = in_range else {
            return node.fail(format!("must be a number from 1 to {}", custom_field::NUMBER_MAX));
        };
        let number = number as u32;
        if number >= custom_fields::next_number(tx)? {
            custom_fields::insert(tx, &CustomField { number, label: "removed".to_owned() })?;
            custom_fields::remove(tx, number)?;
        }
    }
    for node in object.items("short_link_codes")? {
        let code = node.to_text()?;
        if code.len() != CODE_LEN || !code.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return node.fail(format!("must be {CODE_LEN} letters or digits"));
        }
        short_links::reserve_code(tx, code)?;
    }
    Ok(())
}
