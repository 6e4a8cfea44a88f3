//! Writing an account as a seed file: what a seed made from it would make again.

use std::io::Write;

use roost_model::{
    asset::{Asset, DEFAULT_KEYWORDS},
    contact::{Contact, ContactField},
    opt_out::{OptOut, OptOutType},
    page::{PageRequest, SortOrder},
    short_link::ShortLink,
};
use roost_store::{
    tables::{
        assets,
        contacts::{self, Cursor, Of},
        custom_fields, lists, opt_outs, senders, short_links,
    },
    tx::ReadTx,
};
use serde_json::{Map, Value, json};

use crate::{
    core::Core,
    error::{Error, Result},
};

const CHUNK: u32 = 1_000;

/// Writes the whole account, as it stands at one moment.
pub fn export(core: &Core, own_base: &str, out: &mut dyn Write) -> Result<()> {
    core.read(|tx| {
        let mut out = Output { out };
        out.text("{\n\"senders\": [")?;
        out.records(senders::page(tx, PageRequest { number: 1, size: u32::MAX })?.items.iter().map(|s| json!(s)))?;
        out.text("],\n\"assets\": [")?;
        out.records(assets::all(tx)?.iter().map(asset))?;
        out.text("],\n\"custom_fields\": [")?;
        out.records(custom_fields::all(tx)?.iter().map(|field| json!(field)))?;
        out.text("],\n\"lists\": [")?;
        write_lists(tx, &mut out)?;
        out.text("],\n\"optouts\": [")?;
        let mut is_first = true;
        opt_outs::each(tx, |record| out.record(&mut is_first, &opt_out(&record)))?;
        out.text("],\n\"short_links\": [")?;
        let mut links = Vec::new();
        short_links::each(tx, i64::MIN, i64::MAX, SortOrder::Ascending, |link| {
            links.push(short_link(&link, own_base))
        })?;
        out.records(links.into_iter())?;
        out.text("]\n}\n")
    })
}

fn write_lists(tx: &ReadTx, out: &mut Output) -> Result<()> {
    let custom = custom_fields::numbers(tx)?;
    for (i, list) in lists::all(tx)?.into_iter().enumerate() {
        let Some(row) = lists::row_of(tx, &list.uid)? else { continue };
        out.text(if i == 0 { "\n" } else { ",\n" })?;
        let head =
            json!({ "uid": list.uid, "name": list.name, "created_at": list.created_at, "updated_at": list.updated_at })
                .to_string();
        out.text(head.trim_end_matches('}'))?;
        out.text(",\"contacts\":[")?;
        let of = Of { list: &list.uid, row, custom: &custom };
        let (mut cursor, mut is_first) = (None, true);
        loop {
            let chunk = contacts::chunk(tx, of, cursor.as_ref(), CHUNK)?;
            for found in &chunk {
                out.record(&mut is_first, &contact(found, &custom))?;
            }
            match chunk.last() {
                Some(last) if chunk.len() == CHUNK as usize => cursor = Some(Cursor::behind(last)),
                _ => break,
            }
        }
        out.text("]}")?;
    }
    Ok(())
}

fn asset(asset: &Asset) -> Value {
    let mut value = json!({
        "id": asset.id, "channel": asset.channel, "number": asset.number,
        "enforce_account_level_opt_outs": asset.enforce_account_level_opt_outs,
    });
    if asset.keywords != DEFAULT_KEYWORDS {
        value["keywords"] = json!(asset.keywords);
    }
    value
}

fn contact(contact: &Contact, custom: &[u32]) -> Value {
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

fn opt_out(record: &OptOut) -> Value {
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

fn short_link(link: &ShortLink, own_base: &str) -> Value {
    json!({
        "title": link.title, "link_id": link.link_id, "target_url": link.target_url, "short_link_url": link.short_url(own_base),
        "tags": link.tags, "created_at": link.created_at, "track_clicks": link.track_clicks,
    })
}

/// Records one a line, with commas between.
struct Output<'w> {
    out: &'w mut dyn Write,
}

impl Output<'_> {
    fn text(&mut self, text: &str) -> Result<()> {
        self.out
            .write_all(text.as_bytes())
            .map_err(|error| Error::conflict(format!("The export could not be written: {error}")))
    }

    fn record(&mut self, is_first: &mut bool, record: &Value) -> Result<()> {
        self.text(if std::mem::take(is_first) { "\n" } else { ",\n" })?;
        self.text(&record.to_string())
    }

    fn records(&mut self, records: impl Iterator<Item = Value>) -> Result<()> {
        let mut is_first = true;
        for record in records {
            self.record(&mut is_first, &record)?;
        }
        Ok(())
    }
}
