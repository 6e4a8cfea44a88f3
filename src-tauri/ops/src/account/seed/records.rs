//! Creates, changes and removes single records in the form of a seed without the rules of the interface, and merges
//! whole seeds into an account. Fields that are left out of an existing record stay unchanged.

use roost_model::{
    asset::Asset,
    channel::Channel,
    id::{AssetId, ContactId, LinkId, ListId, SenderId},
    opt_out::OptOutRecordScope,
    page::{Page, PageRequest},
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    db::diff::{self, AccountResource, overwrite},
    tables::{
        assets, contacts,
        counts::AccountCounts,
        custom_fields, lists,
        opt_outs::{self, Warrant},
        senders, short_links,
    },
    tx::{ReadTx, WriteTx},
};
use serde_json::{Map, Value};

use super::{
    SeedError,
    apply::{mark_used_up, parse_seed, written_base},
    keys,
    node::SeedNode,
    parse::RecordParser,
};
use crate::{
    core::{Actor, Core},
    error::{Error, OrNotFound},
};

type Result<T> = std::result::Result<T, SeedError>;
type JsonRecord = Map<String, Value>;

/// What to do if the record already exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IfExists {
    Refuse,
    Change,
}

fn conflict<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::conflict(message).into())
}

/// Returns a page of records in the order of their keys. Contacts can be limited to one list, and records to those
/// whose identifying texts contain `text`.
pub fn read_record_page(
    core: &Core,
    default_base: &str,
    resource: AccountResource,
    (list, text): (Option<&ListId>, Option<&str>),
    page: PageRequest,
) -> crate::error::Result<Page<JsonRecord>> {
    core.read(|tx| Ok(diff::read_page(tx, resource, default_base, (list.map(ListId::as_str), text), page)?))
}

pub fn read_record(
    core: &Core,
    default_base: &str,
    resource: AccountResource,
    key: &str,
) -> crate::error::Result<JsonRecord> {
    core.read(|tx| diff::find_record(tx, resource, default_base, key)?.or_not_found(to_noun(resource), key))
}

/// Creates a record. Fails if a record with the same key exists.
pub fn create_record(
    core: &Core,
    by: &Actor,
    default_base: &str,
    resource: AccountResource,
    record: &Value,
) -> Result<JsonRecord> {
    let reader = RecordParser { core, now: core.ctx().now(), default_base, written_base: None };
    core.write(by, |tx| {
        let key = write_record(tx, &reader, resource, record, "", IfExists::Refuse)?;
        read_stored(tx, default_base, resource, &key)
    })
}

/// Writes the record with this key, and creates it if it does not exist.
pub fn put_record(
    core: &Core,
    by: &Actor,
    default_base: &str,
    resource: AccountResource,
    key: &str,
    record: &Value,
) -> Result<JsonRecord> {
    let reader = RecordParser { core, now: core.ctx().now(), default_base, written_base: None };
    let Value::Object(given) = record else { return Err(SeedError::invalid_at("the record", "must be an object")) };
    let mut record = given.clone();
    for (name, value) in key_fields(resource, key)? {
        let before = record.insert(name.to_owned(), value.clone());
        if before.is_some_and(|before| before != value) {
            return Err(SeedError::invalid_at(name, format!("differs from {key}, and cannot be changed")));
        }
    }
    core.write(by, |tx| {
        let key = write_record(tx, &reader, resource, &Value::from(record), "", IfExists::Change)?;
        read_stored(tx, default_base, resource, &key)
    })
}

fn read_stored(tx: &ReadTx, default_base: &str, resource: AccountResource, key: &str) -> Result<JsonRecord> {
    Ok(diff::find_record(tx, resource, default_base, key)?.or_not_found(to_noun(resource), key)?)
}

pub fn remove_record(core: &Core, by: &Actor, resource: AccountResource, key: &str) -> Result<()> {
    let now = core.ctx().now();
    core.write(by, |tx| {
        let found = match resource {
            AccountResource::Senders => senders::delete(tx, &parse_id(key, SenderId::parse)?)?,
            AccountResource::Assets => assets::delete(tx, &parse_id(key, AssetId::parse)?)?,
            AccountResource::CustomFields => match key.parse() {
                Ok(number) => custom_fields::remove(tx, number)?.is_some(),
                Err(_) => false,
            },
            AccountResource::Lists => match lists::row_of(tx, &parse_id(key, ListId::parse)?)? {
                Some(row) => lists::delete(tx, row).map(|()| true)?,
                None => false,
            },
            AccountResource::Contacts => contacts::delete(tx, &parse_id(key, ContactId::parse)?, now)?.is_some(),
            AccountResource::OptOuts => {
                let (number, channel, scope) = parse_opt_out_key(key)?;
                opt_outs::with_warrant(tx, Warrant::requested_by_interface(), |door| {
                    door.delete_one(number, channel, &scope)
                })?
            }
            AccountResource::ShortLinks => short_links::delete(tx, &parse_id(key, LinkId::parse)?)?,
            AccountResource::Jobs => return refuse_jobs(),
        };
        found.or_not_found(to_noun(resource), key)?;
        tx.log_change(ChangeLogEntry::single(to_noun(resource), ChangeAction::Deleted, key));
        Ok(())
    })
}

/// Creates the missing records and changes the existing ones, all or nothing, as one step.
pub fn merge_seed(core: &Core, by: &Actor, text: &[u8], default_base: &str) -> Result<AccountCounts> {
    let value = parse_seed(core, text)?;
    let root = SeedNode { path: String::new(), value: &value }.to_object(keys::TOP, |_| false)?;
    let written_base = written_base(&root)?;
    let reader = RecordParser { core, now: core.ctx().now(), default_base, written_base };
    core.write(by, |tx| {
        let each = |part: &'static str, resource: AccountResource| -> Result<u64> {
            let nodes = root.items(part)?;
            for node in &nodes {
                write_record(tx, &reader, resource, node.value, &node.path, IfExists::Change)?;
            }
            Ok(nodes.len() as u64)
        };
        let mut report = AccountCounts {
            senders: each("senders", AccountResource::Senders)?,
            assets: each("assets", AccountResource::Assets)?,
            custom_fields: each("custom_fields", AccountResource::CustomFields)?,
            ..AccountCounts::default()
        };
        for node in root.items("lists")? {
            let object = node.to_object(keys::LIST, |_| false)?;
            let fields = node.value.as_object().into_iter().flatten().filter(|(name, _)| *name != "contacts");
            let head = Value::Object(fields.map(|(name, value)| (name.clone(), value.clone())).collect());
            let list = write_record(tx, &reader, AccountResource::Lists, &head, &node.path, IfExists::Change)?;
            report.contacts += object.visit_items("contacts", |node| {
                let mut contact = node.value.clone();
                if let Some(contact) = contact.as_object_mut() {
                    contact.insert("list_uid".to_owned(), list.clone().into());
                }
                write_record(tx, &reader, AccountResource::Contacts, &contact, &node.path, IfExists::Change)?;
                Ok(())
            })?;
            report.lists += 1;
        }
        report.opt_outs = each("opt_outs", AccountResource::OptOuts)?;
        report.short_links = each("short_links", AccountResource::ShortLinks)?;
        mark_used_up(tx, &root)?;
        Ok(report)
    })
}

pub(super) fn to_noun(resource: AccountResource) -> Noun {
    match resource {
        AccountResource::Senders => Noun::Sender,
        AccountResource::Assets => Noun::Asset,
        AccountResource::CustomFields => Noun::CustomField,
        AccountResource::Lists => Noun::List,
        AccountResource::Contacts => Noun::Contact,
        AccountResource::OptOuts => Noun::OptOut,
        AccountResource::ShortLinks => Noun::ShortLink,
        AccountResource::Jobs => Noun::Job,
    }
}

fn refuse_jobs<T>() -> Result<T> {
    conflict("Jobs are created by requests to the interface, and cannot be edited.")
}

fn parse_id<T, E: std::fmt::Display>(text: &str, parse: impl FnOnce(&str) -> std::result::Result<T, E>) -> Result<T> {
    parse(text).map_err(|error| SeedError::invalid_at(text, error.to_string()))
}

/// Parses a key such as `+447700900001 SMS`, followed by the asset if the opt-out is for one asset only.
fn parse_opt_out_key(key: &str) -> Result<(&str, Channel, OptOutRecordScope)> {
    let mut parts = key.split(' ');
    let number = parts.next().unwrap_or_default();
    let channel = parts.next().and_then(Channel::parse);
    let scope = parts
        .next()
        .map_or(Ok(OptOutRecordScope::Account), |text| parse_id(text, AssetId::parse).map(OptOutRecordScope::Asset))?;
    match channel {
        Some(channel) => Ok((number, channel, scope)),
        None => Err(SeedError::invalid_at(
            key,
            "is not a valid opt-out key. Use '+447700900001 SMS', followed by its asset if it \
             has one",
        )),
    }
}

/// Returns the fields that a key determines.
fn key_fields(resource: AccountResource, key: &str) -> Result<Vec<(&'static str, Value)>> {
    Ok(match resource {
        AccountResource::Senders | AccountResource::Assets => vec![("id", key.into())],
        AccountResource::CustomFields => {
            let number: u32 =
                key.parse().map_err(|_| SeedError::invalid_at(key, "is not a valid custom field number"))?;
            vec![("number", number.into())]
        }
        AccountResource::Lists | AccountResource::Contacts => vec![("uid", key.into())],
        AccountResource::ShortLinks => vec![("link_id", key.into())],
        AccountResource::OptOuts => {
            let (number, channel, scope) = parse_opt_out_key(key)?;
            let mut fields = vec![
                ("number", number.into()),
                ("channel", channel.as_str().into()),
                ("account_level_opt_out", scope.is_account().into()),
            ];
            if let OptOutRecordScope::Asset(asset) = scope {
                fields.push(("asset_id", asset.as_str().into()));
            }
            fields
        }
        AccountResource::Jobs => return refuse_jobs(),
    })
}

/// Writes one record, replacing the one with the same key if it exists. Returns the key.
fn write_record(
    tx: &WriteTx,
    reader: &RecordParser,
    resource: AccountResource,
    given: &Value,
    path: &str,
    known: IfExists,
) -> Result<String> {
    let before = match record_key(resource, given) {
        Some(key) => diff::find_record(tx, resource, reader.default_base, &key)?,
        None => None,
    };
    if known == IfExists::Refuse && before.is_some() {
        return conflict("This record already exists. Change it with PUT.");
    }
    let record = merge_fields(before.as_ref(), given);
    let is_there = before.is_some();
    if let (Some(key), true) = (record_key(resource, given), before.is_some_and(|before| Value::from(before) == record))
    {
        return Ok(key);
    }
    let node = SeedNode { path: path.to_owned(), value: &record };
    let key = match resource {
        AccountResource::Senders => write_sender(tx, reader, &node, is_there)?,
        AccountResource::Assets => write_asset(tx, reader, &node, is_there)?,
        AccountResource::CustomFields => write_custom_field(tx, reader, &node, is_there)?,
        AccountResource::Lists => write_list(tx, reader, &node, is_there)?,
        AccountResource::Contacts => write_contact(tx, reader, &record, path)?,
        AccountResource::OptOuts => write_opt_out(tx, reader, &node, known)?,
        AccountResource::ShortLinks => write_short_link(tx, reader, &node, is_there)?,
        AccountResource::Jobs => return refuse_jobs(),
    };
    let action = if is_there { ChangeAction::Updated } else { ChangeAction::Created };
    tx.log_change(ChangeLogEntry::single(to_noun(resource), action, &key));
    Ok(key)
}

/// Returns the key that a record carries in its fields.
fn record_key(resource: AccountResource, given: &Value) -> Option<String> {
    let name = match resource {
        AccountResource::Senders | AccountResource::Assets | AccountResource::Jobs => "id",
        AccountResource::CustomFields => return given["number"].as_u64().map(|number| number.to_string()),
        AccountResource::Lists | AccountResource::Contacts => "uid",
        AccountResource::ShortLinks => "link_id",
        AccountResource::OptOuts => {
            let text = |name: &str| given[name].as_str();
            let asset = text("asset_id").or_else(|| text("inbound_asset_id"));
            let is_account = given["account_level_opt_out"].as_bool().unwrap_or(asset.is_none());
            let scope = asset.filter(|_| !is_account).map(|asset| format!(" {asset}")).unwrap_or_default();
            // This is the stored spelling. A number in another spelling is resolved when the record is parsed, and all
            // its fields are replaced.
            return Some(format!("{} {}{scope}", text("number")?, text("channel")?));
        }
    };
    given[name].as_str().map(str::to_owned)
}

/// Returns the existing record with the given fields written over it.
fn merge_fields(before: Option<&JsonRecord>, given: &Value) -> Value {
    match (before, given) {
        (Some(before), Value::Object(given)) => {
            let mut all = before.clone();
            all.extend(given.iter().map(|(name, value)| (name.clone(), value.clone())));
            all.into()
        }
        _ => given.clone(),
    }
}

fn write_sender(tx: &WriteTx, reader: &RecordParser, node: &SeedNode, is_there: bool) -> Result<String> {
    let sender = reader.parse_sender(node)?;
    if senders::find_by_name(tx, &sender.name)?.is_some_and(|other| other.id != sender.id) {
        return conflict(format!("The account already has a sender {}.", sender.name));
    }
    if is_there {
        senders::delete(tx, &sender.id)?;
    }
    senders::insert(tx, &sender)?;
    Ok(sender.id.to_string())
}

fn write_asset(tx: &WriteTx, reader: &RecordParser, node: &SeedNode, is_there: bool) -> Result<String> {
    let asset = reader.parse_asset(node)?;
    let is_taken =
        |other: &Asset| other.id != asset.id && other.channel == asset.channel && other.number == asset.number;
    if assets::read_all(tx)?.iter().any(is_taken) {
        return conflict(format!("The account already has an asset {} on {}.", asset.number, asset.channel.as_str()));
    }
    if is_there {
        assets::delete(tx, &asset.id)?;
    }
    assets::insert(tx, &asset)?;
    Ok(asset.id.to_string())
}

fn write_custom_field(tx: &WriteTx, reader: &RecordParser, node: &SeedNode, is_there: bool) -> Result<String> {
    let next = custom_fields::next_number(tx)?;
    let field = reader.parse_custom_field(node, next)?;
    if is_there {
        custom_fields::rename(tx, field.number, &field.label)?;
    } else if let Some(same) =
        custom_fields::read_all(tx)?.into_iter().find(|f| node.value.is_string() && f.label == field.label)
    {
        return Ok(same.number.to_string());
    } else if field.number < next {
        return conflict(format!("Custom field {} was removed, and its number is not reused.", field.number));
    } else {
        custom_fields::insert(tx, &field)?;
    }
    Ok(field.number.to_string())
}

fn write_list(tx: &WriteTx, reader: &RecordParser, node: &SeedNode, is_there: bool) -> Result<String> {
    let object = node.to_object(&keys::LIST[..keys::LIST.len() - 1], |_| false)?;
    let list = reader.parse_list(&object)?;
    if is_there {
        overwrite::replace_list(tx, &list)?;
    } else {
        lists::insert(tx, &list)?;
    }
    Ok(list.uid.to_string())
}

fn write_contact(tx: &WriteTx, reader: &RecordParser, record: &Value, path: &str) -> Result<String> {
    let mut record = record.clone();
    let list = record.as_object_mut().and_then(|record| record.remove("list_uid"));
    let Some(Value::String(list)) = list else {
        return Err(SeedError::invalid_at(path, "'list_uid' is missing: the contact's list"));
    };
    let list = parse_id(&list, ListId::parse)?;
    let row = lists::row_of(tx, &list)?.or_not_found(Noun::List, &list)?;
    let custom = custom_fields::defined_numbers(tx)?;
    let contact = reader.parse_contact(&SeedNode { path: path.to_owned(), value: &record }, &list, &custom)?;
    match contacts::list_view::list_of(tx, &contact.uid)? {
        Some(other) if other != row => return conflict(format!("{} is in another list.", contact.uid)),
        Some(_) => overwrite::replace_contact(tx, &contact, &custom)?,
        None => {
            contacts::ContactInserter::new(tx, row, &custom)?.insert(&contact)?;
            lists::add_count(tx, row, 1)?;
        }
    }
    Ok(contact.uid.to_string())
}

fn write_opt_out(tx: &WriteTx, reader: &RecordParser, node: &SeedNode, known: IfExists) -> Result<String> {
    let record = reader.parse_opt_out(node, &assets::read_all(tx)?)?;
    if known == IfExists::Refuse && opt_outs::exists(tx, &record.number, record.channel, &record.scope)? {
        return conflict("This record already exists. Change it with PUT.");
    }
    opt_outs::replace(tx, &record)?;
    let scope = match &record.scope {
        OptOutRecordScope::Account => String::new(),
        OptOutRecordScope::Asset(asset) => format!(" {asset}"),
    };
    Ok(format!("{} {}{scope}", record.number, record.channel.as_str()))
}

fn write_short_link(tx: &WriteTx, reader: &RecordParser, node: &SeedNode, is_there: bool) -> Result<String> {
    let link = reader.parse_short_link(node)?;
    if short_links::find_by_code(tx, &link.code)?.is_some_and(|(_, other)| other.link_id != link.link_id) {
        return conflict(format!("Another link already has the code {}.", link.code));
    }
    // The operator may reuse a code that was given out before, contrary to the rules of the interface.
    short_links::reserve_code(tx, &link.code)?;
    if is_there {
        overwrite::replace_short_link(tx, &link)?;
    } else {
        short_links::insert(tx, &link)?;
    }
    Ok(link.link_id.to_string())
}
