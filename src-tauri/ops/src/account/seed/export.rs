//! Writes an account as a seed file. A seed applied from this file recreates the account. The formats differ only in
//! form.

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
    db::diff::{self, AccountResource},
    error::StoreError,
    tables::{
        assets,
        contacts::{self, ContactCursor, ContactScope},
        custom_fields, lists, opt_outs, senders, short_links,
    },
    tx::ReadTx,
    watch::Watch,
};
use serde_json::{Map, Value, json};

use super::{
    records::to_noun,
    writer::{SeedFormat, SeedWriter},
};
use crate::{
    core::Core,
    error::{Error, OrNotFound, Result},
};

const CHUNK: u32 = 1_000;

/// Writes the whole account as it is at one moment.
pub fn export(core: &Core, default_base: &str, out: &mut dyn Write) -> Result<()> {
    core.read(|tx| write_seed(tx, default_base, &Watch::default(), out).map(drop))
}

/// Writes the account in any format, with the numbers and codes that are used up. An account created from it continues
/// exactly as this one would.
pub fn export_as(core: &Core, default_base: &str, form: SeedFormat, out: &mut dyn Write) -> Result<()> {
    core.read(|tx| {
        let mut out = SeedWriter::new(form, out);
        write_parts(tx, default_base, &Watch::default(), &mut out)?;
        out.finish(&used_up(tx)?, own_link_base(tx, default_base)?)
    })
}

/// A request to export one record with the records it depends on.
#[derive(Debug, Clone, Copy)]
pub struct RecordExport<'o> {
    pub resource: AccountResource,
    pub key: &'o str,
    /// The maximum number of contacts of a list; the newest are exported.
    pub contacts: u64,
}

/// Writes a seed that recreates one record. A list is written with its contacts and a contact with its list, both with
/// the custom fields. An opt-out is written with the asset that received it.
pub fn export_record(
    core: &Core,
    default_base: &str,
    only: RecordExport,
    form: SeedFormat,
    out: &mut dyn Write,
) -> Result<()> {
    let RecordExport { resource, key, contacts: most } = only;
    if resource == AccountResource::Jobs {
        return Err(Error::conflict("Jobs are created by requests to the interface, and are not part of seeds."));
    }
    core.read(|tx| {
        let mut record = diff::find_record(tx, resource, default_base, key)?.or_not_found(to_noun(resource), key)?;
        let mut out = SeedWriter::new(form, out);
        if matches!(resource, AccountResource::Lists | AccountResource::Contacts) {
            out.begin_part("custom_fields")?;
            out.write_records(custom_fields::read_all(tx)?.iter().map(|field| json!(field)))?;
        }
        match resource {
            AccountResource::Lists => {
                out.begin_part("lists")?;
                let custom = custom_fields::defined_numbers(tx)?;
                if let Some(list) = lists::read_all(tx)?.into_iter().find(|list| list.uid.as_str() == key) {
                    write_list(tx, &list, (&custom, most), &Watch::default(), &mut out)?;
                }
            }
            AccountResource::Contacts => {
                out.begin_part("lists")?;
                let asset_id = record.remove("list_uid").unwrap_or_default();
                let uid = asset_id.as_str().unwrap_or_default();
                let list =
                    diff::find_record(tx, AccountResource::Lists, default_base, uid)?.or_not_found(Noun::List, uid)?;
                out.begin_list(&list.into(), uid)?;
                out.write_contact(&record.into())?;
                out.end_list()?;
            }
            AccountResource::OptOuts => {
                let asset_id = record.get("asset_id").and_then(Value::as_str);
                let asset = asset_id
                    .map(|id| diff::find_record(tx, AccountResource::Assets, default_base, id))
                    .transpose()?
                    .flatten();
                if let Some(asset) = asset {
                    out.begin_part("assets")?;
                    out.write_record(&asset.into())?;
                }
                out.begin_part("opt_outs")?;
                out.write_record(&record.into())?;
            }
            _ => {
                out.begin_part(resource.as_str())?;
                out.write_record(&record.into())?;
            }
        }
        out.finish(&Map::new(), (resource == AccountResource::ShortLinks).then_some(default_base))
    })
}

/// Writes the account like `export`, with progress and cancelling through `watch`, and returns the number of contacts.
pub fn write_seed(tx: &ReadTx, default_base: &str, watch: &Watch, out: &mut dyn Write) -> Result<u64> {
    let mut out = SeedWriter::new(SeedFormat::Json, out);
    let written = write_parts(tx, default_base, watch, &mut out)?;
    // Without a base, the links of an export for people keep the full address that was given out.
    out.finish(&Map::new(), None)?;
    Ok(written)
}

/// Returns `default_base` if any link uses it, so that whoever reads the file knows which links belong to the server
/// that wrote it.
fn own_link_base<'b>(tx: &ReadTx, default_base: &'b str) -> Result<Option<&'b str>> {
    let mut has_own = false;
    short_links::visit_links(tx, i64::MIN, i64::MAX, SortOrder::Ascending, |link| has_own |= link.base.is_none())?;
    Ok(has_own.then_some(default_base))
}

fn write_parts(tx: &ReadTx, default_base: &str, watch: &Watch, out: &mut SeedWriter) -> Result<u64> {
    out.begin_part("senders")?;
    out.write_records(
        senders::read_page(tx, PageRequest { number: 1, size: u32::MAX })?.items.iter().map(|s| json!(s)),
    )?;
    out.begin_part("assets")?;
    out.write_records(assets::read_all(tx)?.iter().map(asset_to_json))?;
    out.begin_part("custom_fields")?;
    out.write_records(custom_fields::read_all(tx)?.iter().map(|field| json!(field)))?;
    out.begin_part("lists")?;
    let written = write_lists(tx, watch, out)?;
    out.begin_part("opt_outs")?;
    opt_outs::visit_all(tx, |record| out.write_record(&opt_out_to_json(&record)))?;
    out.begin_part("short_links")?;
    let mut links = Vec::new();
    short_links::visit_links(tx, i64::MIN, i64::MAX, SortOrder::Ascending, |link| {
        links.push(short_link_to_json(&link, default_base))
    })?;
    out.write_records(links.into_iter())?;
    Ok(written)
}

fn write_lists(tx: &ReadTx, watch: &Watch, out: &mut SeedWriter) -> Result<u64> {
    let mut written = 0;
    let custom = custom_fields::defined_numbers(tx)?;
    for list in lists::read_all(tx)? {
        written += write_list(tx, &list, (&custom, u64::MAX), watch, out)?;
    }
    Ok(written)
}

/// Writes a list with the custom fields of the given numbers and at most `most` contacts.
fn write_list(
    tx: &ReadTx,
    list: &List,
    (custom, most): (&[u32], u64),
    watch: &Watch,
    out: &mut SeedWriter,
) -> Result<u64> {
    let Some(row) = lists::row_of(tx, &list.uid)? else { return Ok(0) };
    let head =
        json!({ "uid": list.uid, "name": list.name, "created_at": list.created_at, "updated_at": list.updated_at });
    out.begin_list(&head, list.uid.as_str())?;
    let scope = ContactScope { list: &list.uid, row, custom };
    let (mut cursor, mut written) = (None, 0);
    while written < most {
        let size = (most - written).min(u64::from(CHUNK)) as u32;
        let chunk = contacts::read_chunk(tx, scope, cursor.as_ref(), size)?;
        for found in &chunk {
            out.write_contact(&contact_to_json(found, custom))?;
        }
        if watch.is_cancelled() {
            return Err(StoreError::Cancelled.into());
        }
        watch.add_rows(chunk.len() as u64);
        written += chunk.len() as u64;
        match chunk.last() {
            Some(last) if chunk.len() == size as usize => cursor = Some(ContactCursor::after_contact(last)),
            _ => break,
        }
    }
    out.end_list()?;
    Ok(written)
}

/// Returns what must never be assigned again: the highest number of a removed custom field, and the codes of removed
/// links.
fn used_up(tx: &ReadTx) -> Result<Map<String, Value>> {
    let mut map = Map::new();
    let last = custom_fields::next_number(tx)?.saturating_sub(1);
    if custom_fields::defined_numbers(tx)?.last().is_none_or(|defined| *defined < last) && last > 0 {
        map.insert("custom_field_number".into(), last.into());
    }
    let codes = short_links::orphan_codes(tx)?;
    if !codes.is_empty() {
        map.insert("short_link_codes".into(), codes.into());
    }
    Ok(map)
}

pub(super) fn asset_to_json(asset: &Asset) -> Value {
    let mut value = json!({
        "id": asset.id, "channel": asset.channel, "number": asset.number,
        "enforce_account_level_opt_outs": asset.enforce_account_level_opt_outs,
    });
    if asset.keywords != DEFAULT_KEYWORDS {
        value["keywords"] = json!(asset.keywords);
    }
    value
}

pub fn contact_to_json(contact: &Contact, custom: &[u32]) -> Value {
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
    put(ContactField::CreatedAt, Some(&contact.created_at.to_plain()));
    put(ContactField::UpdatedAt, contact.updated_at.map(|t| t.to_plain()).as_deref());
    Value::Object(map)
}

pub fn opt_out_to_json(record: &OptOut) -> Value {
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

pub(super) fn short_link_to_json(link: &ShortLink, default_base: &str) -> Value {
    json!({
        "title": link.title, "link_id": link.link_id, "target_url": link.target_url, "short_link_url": link.short_url(default_base),
        "tags": link.tags, "created_at": link.created_at, "track_clicks": link.track_clicks,
    })
}
