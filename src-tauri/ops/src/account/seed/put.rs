//! Single records past the rules of the interface, in the form of a seed: made, changed, removed; and whole seeds that
//! are merged into what is there. What is left out of a record that is there stays as it is.

use roost_model::{
    asset::Asset,
    channel::Channel,
    id::{AssetId, ContactId, LinkId, ListId, SenderId},
    opt_out::Scope,
    page::{Page, PageRequest},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    db::diff::{self, Resource, overwrite},
    tables::{
        assets, contacts, custom_fields, lists,
        opt_outs::{self, Warrant},
        senders, short_links,
    },
    tx::{ReadTx, WriteTx},
};
use serde_json::{Map, Value};

use super::{
    SeedError, SeedReport,
    apply::{read, use_up, written_base},
    keys,
    node::Node,
    parse::Reader,
    slim,
};
use crate::{
    core::{By, Core},
    error::{Error, OrNotFound},
};

type Result<T> = std::result::Result<T, SeedError>;
type Record = Map<String, Value>;

/// What becomes of a record that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Refuse,
    Change,
}

fn conflict<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::conflict(message).into())
}

/// In the order of their keys; contacts of one list when it is named, and those that have `text` in what they are known by.
pub fn page(
    core: &Core,
    own_base: &str,
    resource: Resource,
    (list, text): (Option<&ListId>, Option<&str>),
    page: PageRequest,
) -> crate::error::Result<Page<Record>> {
    core.read(|tx| Ok(diff::page(tx, resource, own_base, (list.map(ListId::as_str), text), page)?))
}

pub fn one(core: &Core, own_base: &str, resource: Resource, key: &str) -> crate::error::Result<Record> {
    core.read(|tx| diff::one(tx, resource, own_base, key)?.or_not_found(noun(resource), key))
}

/// A new record; one with the same key must not be there.
pub fn make(core: &Core, by: &By, own_base: &str, resource: Resource, record: &Value) -> Result<Record> {
    let reader = Reader { core, now: core.ctx().now(), own_base, written_base: None };
    core.write(by, |tx| {
        let key = write(tx, &reader, resource, record, "", Known::Refuse)?;
        stored(tx, own_base, resource, &key)
    })
}

/// The record with this key as it shall be, made when it is not there.
pub fn put(core: &Core, by: &By, own_base: &str, resource: Resource, key: &str, record: &Value) -> Result<Record> {
    let reader = Reader { core, now: core.ctx().now(), own_base, written_base: None };
    let Value::Object(given) = record else { return Err(SeedError::at("the record", "must be an object")) };
    let mut record = given.clone();
    for (name, value) in key_fields(resource, key)? {
        let before = record.insert(name.to_owned(), value.clone());
        if before.is_some_and(|before| before != value) {
            return Err(SeedError::at(name, format!("differs from {key}, and cannot be changed")));
        }
    }
    core.write(by, |tx| {
        let key = write(tx, &reader, resource, &Value::from(record), "", Known::Change)?;
        stored(tx, own_base, resource, &key)
    })
}

fn stored(tx: &ReadTx, own_base: &str, resource: Resource, key: &str) -> Result<Record> {
    Ok(diff::one(tx, resource, own_base, key)?.or_not_found(noun(resource), key)?)
}

pub fn remove(core: &Core, by: &By, resource: Resource, key: &str) -> Result<()> {
    let now = core.ctx().now();
    core.write(by, |tx| {
        let found = match resource {
            Resource::Senders => senders::delete(tx, &id(key, SenderId::parse)?)?,
            Resource::Assets => assets::delete(tx, &id(key, AssetId::parse)?)?,
            Resource::CustomFields => match key.parse() {
                Ok(number) => custom_fields::remove(tx, number)?.is_some(),
                Err(_) => false,
            },
            Resource::Lists => match lists::row_of(tx, &id(key, ListId::parse)?)? {
                Some(row) => lists::delete(tx, row).map(|()| true)?,
                None => false,
            },
            Resource::Contacts => contacts::delete(tx, &id(key, ContactId::parse)?, now)?.is_some(),
            Resource::OptOuts => {
                let (number, channel, scope) = opt_out_key(key)?;
                opt_outs::with_warrant(tx, Warrant::requested_by_interface(), |door| {
                    door.delete_one(number, channel, &scope)
                })?
            }
            Resource::ShortLinks => short_links::delete(tx, &id(key, LinkId::parse)?)?,
            Resource::Jobs => return no_jobs(),
        };
        found.or_not_found(noun(resource), key)?;
        tx.log(Change::one(noun(resource), Action::Deleted, key));
        Ok(())
    })
}

/// Adds what is not there and changes what is, all of it or nothing, as one step.
pub fn merge(core: &Core, by: &By, text: &[u8], own_base: &str) -> Result<SeedReport> {
    let value = read(core, text)?;
    let root = Node { path: String::new(), value: &value }.object(keys::TOP, |_| false)?;
    let written_base = written_base(&root)?;
    let reader = Reader { core, now: core.ctx().now(), own_base, written_base };
    core.write(by, |tx| {
        let each = |part: &'static str, resource: Resource| -> Result<u64> {
            let nodes = root.items(part)?;
            for node in &nodes {
                write(tx, &reader, resource, node.value, &node.path, Known::Change)?;
            }
            Ok(nodes.len() as u64)
        };
        let mut report = SeedReport {
            senders: each("senders", Resource::Senders)?,
            assets: each("assets", Resource::Assets)?,
            custom_fields: each("custom_fields", Resource::CustomFields)?,
            ..SeedReport::default()
        };
        for node in root.items("lists")? {
            let object = node.object(keys::LIST, |_| false)?;
            let mut head = node.value.clone();
            head.as_object_mut().and_then(|head| head.remove("contacts"));
            let list = write(tx, &reader, Resource::Lists, &head, &node.path, Known::Change)?;
            for node in object.items("contacts")? {
                let mut contact = slim::whole(node.value).into_owned();
                if let Some(contact) = contact.as_object_mut() {
                    contact.insert("list_uid".to_owned(), list.clone().into());
                }
                write(tx, &reader, Resource::Contacts, &contact, &node.path, Known::Change)?;
                report.contacts += 1;
            }
            report.lists += 1;
        }
        report.opt_outs = each("opt_outs", Resource::OptOuts)?;
        report.short_links = each("short_links", Resource::ShortLinks)?;
        use_up(tx, &root)?;
        Ok(report)
    })
}

pub(super) fn noun(resource: Resource) -> Noun {
    match resource {
        Resource::Senders => Noun::Sender,
        Resource::Assets => Noun::Asset,
        Resource::CustomFields => Noun::CustomField,
        Resource::Lists => Noun::List,
        Resource::Contacts => Noun::Contact,
        Resource::OptOuts => Noun::OptOut,
        Resource::ShortLinks => Noun::ShortLink,
        Resource::Jobs => Noun::Job,
    }
}

fn no_jobs<T>() -> Result<T> {
    conflict("Jobs are created by requests to the interface, and cannot be edited.")
}

fn id<T, E: std::fmt::Display>(text: &str, parse: impl FnOnce(&str) -> std::result::Result<T, E>) -> Result<T> {
    parse(text).map_err(|error| SeedError::at(text, error.to_string()))
}

/// `+447700900001 SMS`, with the asset behind it where it is for one alone.
fn opt_out_key(key: &str) -> Result<(&str, Channel, Scope)> {
    let mut parts = key.split(' ');
    let number = parts.next().unwrap_or_default();
    let channel = parts.next().and_then(Channel::parse);
    let scope = parts.next().map_or(Ok(Scope::Account), |text| id(text, AssetId::parse).map(Scope::Asset))?;
    match channel {
        Some(channel) => Ok((number, channel, scope)),
        None => Err(SeedError::at(
            key,
            "is not a valid opt-out key. Use '+447700900001 SMS', followed by its asset if it \
             has one",
        )),
    }
}

/// The fields that a key stands for.
fn key_fields(resource: Resource, key: &str) -> Result<Vec<(&'static str, Value)>> {
    Ok(match resource {
        Resource::Senders | Resource::Assets => vec![("id", key.into())],
        Resource::CustomFields => {
            let number: u32 = key.parse().map_err(|_| SeedError::at(key, "is not a valid custom field number"))?;
            vec![("number", number.into())]
        }
        Resource::Lists | Resource::Contacts => vec![("uid", key.into())],
        Resource::ShortLinks => vec![("link_id", key.into())],
        Resource::OptOuts => {
            let (number, channel, scope) = opt_out_key(key)?;
            let mut fields = vec![
                ("number", number.into()),
                ("channel", channel.as_str().into()),
                ("account_level_opt_out", scope.is_account().into()),
            ];
            if let Scope::Asset(asset) = scope {
                fields.push(("asset_id", asset.as_str().into()));
            }
            fields
        }
        Resource::Jobs => return no_jobs(),
    })
}

/// Writes one record, over the one with its key where there is one. Answers the key.
fn write(tx: &WriteTx, reader: &Reader, resource: Resource, given: &Value, path: &str, known: Known) -> Result<String> {
    let before = match named(resource, given) {
        Some(key) => diff::one(tx, resource, reader.own_base, &key)?,
        None => None,
    };
    if known == Known::Refuse && before.is_some() {
        return conflict("This record already exists. Change it with PUT.");
    }
    let record = over(before.as_ref(), given);
    let is_there = before.is_some();
    if let (Some(key), true) = (named(resource, given), before.is_some_and(|before| Value::from(before) == record)) {
        return Ok(key);
    }
    let node = Node { path: path.to_owned(), value: &record };
    let key = match resource {
        Resource::Senders => sender(tx, reader, &node, is_there)?,
        Resource::Assets => asset(tx, reader, &node, is_there)?,
        Resource::CustomFields => custom_field(tx, reader, &node, is_there)?,
        Resource::Lists => list(tx, reader, &node, is_there)?,
        Resource::Contacts => contact(tx, reader, &record, path)?,
        Resource::OptOuts => opt_out(tx, reader, &node, known)?,
        Resource::ShortLinks => short_link(tx, reader, &node, is_there)?,
        Resource::Jobs => return no_jobs(),
    };
    let action = if is_there { Action::Updated } else { Action::Created };
    tx.log(Change::one(noun(resource), action, &key));
    Ok(key)
}

/// The key a record names itself by.
fn named(resource: Resource, given: &Value) -> Option<String> {
    let name = match resource {
        Resource::Senders | Resource::Assets | Resource::Jobs => "id",
        Resource::CustomFields => return given["number"].as_u64().map(|number| number.to_string()),
        Resource::Lists | Resource::Contacts => "uid",
        Resource::ShortLinks => "link_id",
        Resource::OptOuts => {
            let text = |name: &str| given[name].as_str();
            let asset = text("asset_id").or_else(|| text("inbound_asset_id"));
            let is_account = given["account_level_opt_out"].as_bool().unwrap_or(asset.is_none());
            let scope = asset.filter(|_| !is_account).map(|asset| format!(" {asset}")).unwrap_or_default();
            // As it is stored; one that is written otherwise is settled by reading it, and nothing of it stays.
            return Some(format!("{} {}{scope}", text("number")?, text("channel")?));
        }
    };
    given[name].as_str().map(str::to_owned)
}

/// What was there, with what is given over it.
fn over(before: Option<&Record>, given: &Value) -> Value {
    match (before, given) {
        (Some(before), Value::Object(given)) => {
            let mut all = before.clone();
            all.extend(given.iter().map(|(name, value)| (name.clone(), value.clone())));
            all.into()
        }
        _ => given.clone(),
    }
}

fn sender(tx: &WriteTx, reader: &Reader, node: &Node, is_there: bool) -> Result<String> {
    let sender = reader.sender(node)?;
    if senders::by_name(tx, &sender.name)?.is_some_and(|other| other.id != sender.id) {
        return conflict(format!("The account already has a sender {}.", sender.name));
    }
    if is_there {
        senders::delete(tx, &sender.id)?;
    }
    senders::insert(tx, &sender)?;
    Ok(sender.id.to_string())
}

fn asset(tx: &WriteTx, reader: &Reader, node: &Node, is_there: bool) -> Result<String> {
    let asset = reader.asset(node)?;
    let is_taken =
        |other: &Asset| other.id != asset.id && other.channel == asset.channel && other.number == asset.number;
    if assets::all(tx)?.iter().any(is_taken) {
        return conflict(format!("The account already has an asset {} on {}.", asset.number, asset.channel.as_str()));
    }
    if is_there {
        assets::delete(tx, &asset.id)?;
    }
    assets::insert(tx, &asset)?;
    Ok(asset.id.to_string())
}

fn custom_field(tx: &WriteTx, reader: &Reader, node: &Node, is_there: bool) -> Result<String> {
    let next = custom_fields::next_number(tx)?;
    let field = reader.custom_field(node, next)?;
    if is_there {
        custom_fields::rename(tx, field.number, &field.label)?;
    } else if let Some(same) =
        custom_fields::all(tx)?.into_iter().find(|f| node.value.is_string() && f.label == field.label)
    {
        return Ok(same.number.to_string());
    } else if field.number < next {
        return conflict(format!("Custom field {} was removed, and its number is not reused.", field.number));
    } else {
        custom_fields::insert(tx, &field)?;
    }
    Ok(field.number.to_string())
}

fn list(tx: &WriteTx, reader: &Reader, node: &Node, is_there: bool) -> Result<String> {
    let object = node.object(&keys::LIST[..keys::LIST.len() - 1], |_| false)?;
    let list = reader.list(&object)?;
    if is_there {
        overwrite::list(tx, &list)?;
    } else {
        lists::insert(tx, &list)?;
    }
    Ok(list.uid.to_string())
}

fn contact(tx: &WriteTx, reader: &Reader, record: &Value, path: &str) -> Result<String> {
    let mut record = record.clone();
    let of = record.as_object_mut().and_then(|record| record.remove("list_uid"));
    let Some(Value::String(of)) = of else {
        return Err(SeedError::at(path, "'list_uid' is missing: the contact's list"));
    };
    let of = id(&of, ListId::parse)?;
    let row = lists::row_of(tx, &of)?.or_not_found(Noun::List, &of)?;
    let custom = custom_fields::numbers(tx)?;
    let contact = reader.contact(&Node { path: path.to_owned(), value: &record }, &of, &custom)?;
    match contacts::view::list_of(tx, &contact.uid)? {
        Some(other) if other != row => return conflict(format!("{} is in another list.", contact.uid)),
        Some(_) => overwrite::contact(tx, &contact, &custom)?,
        None => {
            contacts::Inserter::new(tx, row, &custom)?.insert(&contact)?;
            lists::add_count(tx, row, 1)?;
        }
    }
    Ok(contact.uid.to_string())
}

fn opt_out(tx: &WriteTx, reader: &Reader, node: &Node, known: Known) -> Result<String> {
    let record = reader.opt_out(node, &assets::all(tx)?)?;
    if known == Known::Refuse && opt_outs::exists(tx, &record.number, record.channel, &record.scope)? {
        return conflict("This record already exists. Change it with PUT.");
    }
    opt_outs::replace(tx, &record)?;
    let scope = match &record.scope {
        Scope::Account => String::new(),
        Scope::Asset(asset) => format!(" {asset}"),
    };
    Ok(format!("{} {}{scope}", record.number, record.channel.as_str()))
}

fn short_link(tx: &WriteTx, reader: &Reader, node: &Node, is_there: bool) -> Result<String> {
    let link = reader.short_link(node)?;
    if short_links::by_code(tx, &link.code)?.is_some_and(|(_, other)| other.link_id != link.link_id) {
        return conflict(format!("Another link already has the code {}.", link.code));
    }
    // Past the rules: a code that was given out before may come again.
    short_links::take_code(tx, &link.code)?;
    if is_there {
        overwrite::short_link(tx, &link)?;
    } else {
        short_links::insert(tx, &link)?;
    }
    Ok(link.link_id.to_string())
}
