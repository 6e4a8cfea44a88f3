//! Writing an account as a seed file: what a seed made from it would make again. The forms differ in nothing but form.

use std::io::Write;

use roost_model::{
    asset::{Asset, DEFAULT_KEYWORDS},
    contact::{Contact, ContactField},
    list::List,
    opt_out::{OptOut, OptOutType},
    page::{PageRequest, SortOrder},
    short_link::ShortLink,
};
use roost_store::{
    change_log::Noun,
    db::diff::{self, Resource},
    error::Error as StoreError,
    tables::{
        assets,
        contacts::{self, Cursor, Of},
        custom_fields, lists, opt_outs, senders, short_links,
    },
    tx::ReadTx,
    watch::Watch,
};
use serde_json::{Map, Value, json};

use super::{
    form::{Form, Output},
    put::noun,
};
use crate::{
    core::Core,
    error::{Error, OrNotFound, Result},
};

const CHUNK: u32 = 1_000;

/// Writes the whole account, as it stands at one moment.
pub fn export(core: &Core, own_base: &str, out: &mut dyn Write) -> Result<()> {
    core.read(|tx| write(tx, own_base, &Watch::default(), out).map(drop))
}

/// The same in another form, and with what is used up: an account made from it goes on as this one would.
pub fn export_as(core: &Core, own_base: &str, form: Form, out: &mut dyn Write) -> Result<()> {
    core.read(|tx| {
        let mut out = Output::new(form, out);
        parts(tx, own_base, &Watch::default(), &mut out)?;
        out.end(&used_up(tx)?, base_of_links(tx, own_base)?)
    })
}

/// One record with what belongs to it.
#[derive(Debug, Clone, Copy)]
pub struct Only<'o> {
    pub resource: Resource,
    pub key: &'o str,
    /// As many contacts of a list at most, the newest.
    pub contacts: u64,
}

/// A seed that makes one record again: a list with its contacts, a contact with its list, both with the custom fields;
/// an opt-out with the asset it came in at.
pub fn export_only(core: &Core, own_base: &str, only: Only, form: Form, out: &mut dyn Write) -> Result<()> {
    let Only { resource, key, contacts: most } = only;
    if resource == Resource::Jobs {
        return Err(Error::conflict("Jobs are created by requests to the interface, and are not part of seeds."));
    }
    core.read(|tx| {
        let mut record = diff::one(tx, resource, own_base, key)?.or_not_found(noun(resource), key)?;
        let mut out = Output::new(form, out);
        if matches!(resource, Resource::Lists | Resource::Contacts) {
            out.part("custom_fields")?;
            out.records(custom_fields::all(tx)?.iter().map(|field| json!(field)))?;
        }
        match resource {
            Resource::Lists => {
                out.part("lists")?;
                let custom = custom_fields::numbers(tx)?;
                if let Some(list) = lists::all(tx)?.into_iter().find(|list| list.uid.as_str() == key) {
                    write_list(tx, &list, (&custom, most), &Watch::default(), &mut out)?;
                }
            }
            Resource::Contacts => {
                out.part("lists")?;
                let of = record.remove("list_uid").unwrap_or_default();
                let uid = of.as_str().unwrap_or_default();
                let list = diff::one(tx, Resource::Lists, own_base, uid)?.or_not_found(Noun::List, uid)?;
                out.list(&list.into(), uid)?;
                out.contact(&record.into())?;
                out.end_list()?;
            }
            Resource::OptOuts => {
                let of = record.get("asset_id").and_then(Value::as_str);
                let asset = of.map(|id| diff::one(tx, Resource::Assets, own_base, id)).transpose()?.flatten();
                if let Some(asset) = asset {
                    out.part("assets")?;
                    out.record(&asset.into())?;
                }
                out.part("opt_outs")?;
                out.record(&record.into())?;
            }
            _ => {
                out.part(resource.name())?;
                out.record(&record.into())?;
            }
        }
        out.end(&Map::new(), (resource == Resource::ShortLinks).then_some(own_base))
    })
}

/// The same as `export`, looked on through `watch`; answers how many contacts there are in it.
pub(crate) fn write(tx: &ReadTx, own_base: &str, watch: &Watch, out: &mut dyn Write) -> Result<u64> {
    let mut out = Output::new(Form::Json, out);
    let written = parts(tx, own_base, watch, &mut out)?;
    // Links of a file for people keep the address they were given out with.
    out.end(&Map::new(), None)?;
    Ok(written)
}

/// Told where there is a link of it, so that whoever reads the file knows which links were the writer's own.
fn base_of_links<'b>(tx: &ReadTx, own_base: &'b str) -> Result<Option<&'b str>> {
    let mut has_own = false;
    short_links::each(tx, i64::MIN, i64::MAX, SortOrder::Ascending, |link| has_own |= link.base.is_none())?;
    Ok(has_own.then_some(own_base))
}

fn parts(tx: &ReadTx, own_base: &str, watch: &Watch, out: &mut Output) -> Result<u64> {
    out.part("senders")?;
    out.records(senders::page(tx, PageRequest { number: 1, size: u32::MAX })?.items.iter().map(|s| json!(s)))?;
    out.part("assets")?;
    out.records(assets::all(tx)?.iter().map(asset))?;
    out.part("custom_fields")?;
    out.records(custom_fields::all(tx)?.iter().map(|field| json!(field)))?;
    out.part("lists")?;
    let written = write_lists(tx, watch, out)?;
    out.part("opt_outs")?;
    opt_outs::each(tx, |record| out.record(&opt_out(&record)))?;
    out.part("short_links")?;
    let mut links = Vec::new();
    short_links::each(tx, i64::MIN, i64::MAX, SortOrder::Ascending, |link| links.push(short_link(&link, own_base)))?;
    out.records(links.into_iter())?;
    Ok(written)
}

fn write_lists(tx: &ReadTx, watch: &Watch, out: &mut Output) -> Result<u64> {
    let mut written = 0;
    let custom = custom_fields::numbers(tx)?;
    for list in lists::all(tx)? {
        written += write_list(tx, &list, (&custom, u64::MAX), watch, out)?;
    }
    Ok(written)
}

/// With the custom fields of these numbers, and so many contacts at most.
fn write_list(tx: &ReadTx, list: &List, (custom, most): (&[u32], u64), watch: &Watch, out: &mut Output) -> Result<u64> {
    let Some(row) = lists::row_of(tx, &list.uid)? else { return Ok(0) };
    let head =
        json!({ "uid": list.uid, "name": list.name, "created_at": list.created_at, "updated_at": list.updated_at });
    out.list(&head, list.uid.as_str())?;
    let of = Of { list: &list.uid, row, custom };
    let (mut cursor, mut written) = (None, 0);
    while written < most {
        let size = (most - written).min(u64::from(CHUNK)) as u32;
        let chunk = contacts::chunk(tx, of, cursor.as_ref(), size)?;
        for found in &chunk {
            out.contact(&contact(found, custom))?;
        }
        if watch.is_cancelled() {
            return Err(StoreError::Cancelled.into());
        }
        watch.add_rows(chunk.len() as u64);
        written += chunk.len() as u64;
        match chunk.last() {
            Some(last) if chunk.len() == size as usize => cursor = Some(Cursor::behind(last)),
            _ => break,
        }
    }
    out.end_list()?;
    Ok(written)
}

/// What is gone and is never given out again: the number of a removed custom field behind the others, codes of links.
fn used_up(tx: &ReadTx) -> Result<Map<String, Value>> {
    let mut map = Map::new();
    let last = custom_fields::next_number(tx)?.saturating_sub(1);
    if custom_fields::numbers(tx)?.last().is_none_or(|defined| *defined < last) && last > 0 {
        map.insert("custom_field_number".into(), last.into());
    }
    let codes = short_links::codes_of_none(tx)?;
    if !codes.is_empty() {
        map.insert("short_link_codes".into(), codes.into());
    }
    Ok(map)
}

pub(super) fn asset(asset: &Asset) -> Value {
    let mut value = json!({
        "id": asset.id, "channel": asset.channel, "number": asset.number,
        "enforce_account_level_opt_outs": asset.enforce_account_level_opt_outs,
    });
    if asset.keywords != DEFAULT_KEYWORDS {
        value["keywords"] = json!(asset.keywords);
    }
    value
}

pub(crate) fn contact(contact: &Contact, custom: &[u32]) -> Value {
    let mut map = Map::new();
    let mut put = |field: ContactField, text: Option<&str>| {
        if let Some(text) = text {
            map.insert(field.name().into_owned(), text.into());
        }
    };
    put(ContactField::Uid, Some(contact.uid.as_str()));
    put(ContactField::PhoneNumber, contact.phone.as_ref().map(|p| p.e164.as_str()));
    put(ContactField::PhoneRegion, contact.phone.as_ref().map(|p| p.region.as_str()));
    put(ContactField::WhatsappId, contact.whatsapp.as_ref().map(|p| p.e164.as_str()));
    put(ContactField::WhatsappRegion, contact.whatsapp.as_ref().map(|p| p.region.as_str()));
    for field in ContactField::BEFORE_CUSTOM {
        if let ContactField::Attribute(attribute) = field {
            put(field, contact.attribute(attribute));
        }
    }
    for (number, text) in custom.iter().zip(&contact.custom) {
        put(ContactField::Custom(*number), text.as_deref());
    }
    put(ContactField::CreatedAt, Some(&contact.created_at.plain()));
    put(ContactField::UpdatedAt, contact.updated_at.map(|t| t.plain()).as_deref());
    Value::Object(map)
}

pub(crate) fn opt_out(record: &OptOut) -> Value {
    let mut value = json!({
        "number": record.number, "channel": record.channel, "account_level_opt_out": record.scope.is_account(),
        "opt_out_type": record.kind, "opt_out_time": record.time,
    });
    if let Some(inbound) = &record.inbound {
        let key = if record.kind == OptOutType::Keyword { "inbound_asset_id" } else { "asset_id" };
        value[key] = json!(inbound.asset_id);
        if let Some(number) = &inbound.number {
            value["inbound_number"] = json!(number);
        }
    }
    value
}

pub(super) fn short_link(link: &ShortLink, own_base: &str) -> Value {
    json!({
        "title": link.title, "link_id": link.link_id, "target_url": link.target_url, "short_link_url": link.short_url(own_base),
        "tags": link.tags, "created_at": link.created_at, "track_clicks": link.track_clicks,
    })
}
