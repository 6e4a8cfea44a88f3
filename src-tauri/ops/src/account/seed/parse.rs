//! Parses single records of a seed file: checks them and fills in the values that were left out.

use roost_model::{
    asset::{self, Asset, DEFAULT_KEYWORDS},
    channel::Channel,
    contact::{ATTRIBUTES, CUSTOM_MAX, Contact, ContactField},
    custom_field::{self, CustomField},
    error::{FieldError, has_length, size_message},
    id::{AssetId, ContactId, LinkId, ListId, SenderId},
    list::{self, List},
    opt_out::{InboundAsset, OptOut, OptOutRecordScope, OptOutType},
    phone::{self, Phone, Region},
    sender::{self, Sender, SenderStatus},
    short_link::{self, CODE_LEN, ShortLink, check_parts, is_web_address},
    time::Timestamp,
};

use super::{
    SeedError, keys,
    node::{SeedNode, SeedObject},
};
use crate::{asset::check_keywords, core::Core};

type Result<T> = std::result::Result<T, SeedError>;

const ISO: &str = "a time such as 2026-01-05T09:00:00Z";
const PLAIN: &str = "a time such as 2026-01-05 09:00:00";

/// Converts a field error of the model into a seed error at the path of the record's key.
fn to_seed_error(object: &SeedObject, fault: FieldError) -> SeedError {
    let path = if object.path.is_empty() { fault.path } else { format!("{}.{}", object.path, fault.path) };
    SeedError::invalid_at(path, fault.message)
}

fn accepts_no_key(_: &str) -> bool {
    false
}

pub(super) struct RecordParser<'c> {
    pub core: &'c Core,
    pub now: Timestamp,
    /// The server's own base of short URLs.
    pub default_base: &'c str,
    /// The base of the server that wrote the file. Its own links become own links of this server.
    pub written_base: Option<&'c str>,
}

impl RecordParser<'_> {
    pub(super) fn parse_sender(&self, node: &SeedNode) -> Result<Sender> {
        let object = node.to_object(keys::SENDER, accepts_no_key)?;
        let name = object.require("name")?.to_text()?;
        let kind = sender::check_name(name).map_err(|fault| to_seed_error(&object, fault))?;
        let status = match object.get("status") {
            Some(node) => node.parse_text("Pending or Verified", SenderStatus::parse)?,
            None if kind == sender::SenderKind::Numeric => SenderStatus::Verified,
            None => SenderStatus::Pending,
        };
        let id = match object.get("id") {
            Some(node) => node.parse_text("ssd_ and 27 letters or digits", |t| SenderId::parse(t).ok())?,
            None => SenderId::new(self.core.ctx().ksuid(self.now)),
        };
        Ok(Sender { id, name: name.to_owned(), status })
    }

    pub(super) fn parse_asset(&self, node: &SeedNode) -> Result<Asset> {
        let object = node.to_object(keys::ASSET, accepts_no_key)?;
        let id = object
            .get("id")
            .map(|node| node.parse_text("num_ or wbp_ and 27 letters or digits", |t| AssetId::parse(t).ok()))
            .transpose()?;
        let channel =
            object.get("channel").map(|node| node.parse_text("SMS or WHATSAPP", Channel::parse)).transpose()?;
        let channel = match (channel, &id) {
            (Some(channel), Some(id)) if id.channel() != channel => {
                return object.require("channel")?.fail("does not match the id's prefix");
            }
            (Some(channel), _) => channel,
            (None, Some(id)) => id.channel(),
            (None, None) => return node.fail("'channel' is missing"),
        };
        let number = asset::check_number(channel, object.require("number")?.to_text()?)
            .map_err(|fault| to_seed_error(&object, fault))?;
        let keywords = match object.get("keywords") {
            Some(node) => {
                let texts = node.items()?.iter().map(|n| n.to_text().map(str::to_owned)).collect::<Result<Vec<_>>>()?;
                let (kept, faults) = check_keywords(&texts);
                faults.into_iter().next().map_or(Ok(kept), |fault| Err(to_seed_error(&object, fault)))?
            }
            None => DEFAULT_KEYWORDS.map(str::to_owned).to_vec(),
        };
        Ok(Asset {
            id: id.unwrap_or_else(|| AssetId::new(channel, self.core.ctx().ksuid(self.now))),
            channel,
            number,
            enforce_account_level_opt_outs: object
                .get("enforce_account_level_opt_outs")
                .map_or(Ok(false), |n| n.to_flag())?,
            keywords,
        })
    }

    /// Parses a custom field: a label, which takes the number `next`, or a number with its label.
    pub(super) fn parse_custom_field(&self, node: &SeedNode, next: u32) -> Result<CustomField> {
        let (number, label) = if node.value.is_string() {
            (next, SeedNode { path: node.path.clone(), value: node.value })
        } else {
            let object = node.to_object(keys::CUSTOM_FIELD, accepts_no_key)?;
            let number = object.require("number")?;
            let in_range = number.value.as_u64().filter(|n| (1..=u64::from(custom_field::NUMBER_MAX)).contains(n));
            let Some(found) = in_range else {
                return number.fail(format!("must be a number from 1 to {}", custom_field::NUMBER_MAX));
            };
            (found as u32, object.require("label")?)
        };
        let text = label.to_text()?;
        custom_field::check_label(text).map_err(|fault| SeedError::invalid_at(label.path.clone(), fault.message))?;
        Ok(CustomField { number, label: text.to_owned() })
    }

    /// Parses a list without its contacts.
    pub(super) fn parse_list(&self, object: &SeedObject) -> Result<List> {
        let name = object.require("name")?.to_text()?;
        list::check_name(name).map_err(|fault| to_seed_error(object, fault))?;
        let time = |key: &str| object.get(key).map(|node| node.parse_text(ISO, Timestamp::parse_iso)).transpose();
        let created_at = time("created_at")?.unwrap_or(self.now);
        let uid = match object.get("uid") {
            Some(node) => node.parse_text("LST_ and 27 letters or digits", |t| ListId::parse(t).ok())?,
            None => ListId::new(self.core.ctx().ksuid(self.now)),
        };
        Ok(List {
            uid,
            name: name.to_owned(),
            contact_count: 0,
            created_at,
            updated_at: time("updated_at")?.unwrap_or(created_at),
        })
    }

    pub(super) fn parse_contact(&self, node: &SeedNode, list: &ListId, custom_fields: &[u32]) -> Result<Contact> {
        let known = |key: &str| ContactField::parse(key, |n| custom_fields.contains(&n)).is_some();
        let mut names: Vec<_> = ContactField::BEFORE_CUSTOM.iter().map(|f| f.name()).collect();
        names.extend(["created_at".into(), "updated_at".into()]);
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let object = node.to_object(&names, known)?;
        let mut contact = Contact {
            uid: match object.get("uid") {
                Some(node) => node.parse_text("CON_ and 27 letters or digits", |t| ContactId::parse(t).ok())?,
                None => ContactId::new(self.core.ctx().ksuid(self.now)),
            },
            list: list.clone(),
            phone: parse_number(&object, "phone_number", "phone_region")?,
            whatsapp: parse_number(&object, "whatsapp_id", "whatsapp_region")?,
            attributes: [const { None }; ATTRIBUTES],
            custom: vec![None; custom_fields.len()],
            created_at: object
                .get("created_at")
                .map_or(Ok(self.now), |n| n.parse_text(PLAIN, Timestamp::parse_plain))?,
            updated_at: object.get("updated_at").map(|n| n.parse_text(PLAIN, Timestamp::parse_plain)).transpose()?,
        };
        if contact.phone.is_none() && contact.whatsapp.is_none() {
            return node.fail("phone_number or whatsapp_id is required");
        }
        for key in object.keys() {
            let (slot, max) = match ContactField::parse(key, |_| true) {
                Some(ContactField::Attribute(attribute)) => {
                    (&mut contact.attributes[attribute as usize], attribute.max())
                }
                Some(ContactField::Custom(number)) => match custom_fields.iter().position(|n| *n == number) {
                    Some(at) => (&mut contact.custom[at], CUSTOM_MAX),
                    None => continue,
                },
                _ => continue,
            };
            let Some(node) = object.get(key) else { continue };
            let text = node.to_text()?;
            if !has_length(text, 1, max) {
                return node.fail(size_message(1, max));
            }
            *slot = Some(text.to_owned());
        }
        Ok(contact)
    }

    pub(super) fn parse_opt_out(&self, node: &SeedNode, assets: &[Asset]) -> Result<OptOut> {
        let object = node.to_object(keys::OPT_OUT, accepts_no_key)?;
        let number = object
            .require("number")?
            .parse_text("a valid number in E.164 form", |t| phone::parse_international(t).map(|p| p.e164))?;
        let kind = object.get("opt_out_type").map_or(Ok(OptOutType::ApiImport), |n| {
            n.parse_text("keyword, web_opt_out, account_import or api_import", OptOutType::parse)
        })?;
        let asset = match (object.get("inbound_asset_id"), object.get("asset_id")) {
            (Some(inbound), Some(own)) if inbound.value != own.value => {
                return own.fail("is a different asset than 'inbound_asset_id'");
            }
            (Some(node), _) | (None, Some(node)) => {
                Some((node.parse_text("num_ or wbp_ and 27 letters or digits", |t| AssetId::parse(t).ok())?, node))
            }
            (None, None) => None,
        };
        let channel = match (object.get("channel"), &asset) {
            (Some(node), _) => node.parse_text("SMS or WHATSAPP", Channel::parse)?,
            (None, Some((id, _))) => id.channel(),
            (None, None) => Channel::Sms,
        };
        if let Some((id, node)) = &asset
            && id.channel() != channel
        {
            return node.fail("is an asset of the other channel");
        }
        if kind == OptOutType::Keyword && asset.is_none() {
            return node.fail("a keyword opt-out needs 'inbound_asset_id'");
        }
        let is_account_level = object.get("account_level_opt_out").map_or(Ok(asset.is_none()), |n| n.to_flag())?;
        let scope = match (is_account_level, &asset) {
            (true, _) => OptOutRecordScope::Account,
            (false, Some((id, _))) => OptOutRecordScope::Asset(id.clone()),
            (false, None) => return node.fail("an opt-out of one asset needs 'asset_id'"),
        };
        let given = object.get("inbound_number");
        if let (Some(number), None) = (&given, &asset) {
            return number.fail("needs an asset, but none is given");
        }
        let given = given.map(|n| n.to_text().map(str::to_owned)).transpose()?;
        let known_number = |id: &AssetId| assets.iter().find(|a| a.id == *id).map(|a| a.number.clone());
        let inbound =
            asset.map(|(asset_id, _)| InboundAsset { number: given.or_else(|| known_number(&asset_id)), asset_id });
        let time = object.get("opt_out_time").map_or(Ok(self.now), |n| n.parse_text(ISO, Timestamp::parse_iso))?;
        Ok(OptOut { number, channel, scope, kind, inbound, time })
    }

    pub(super) fn parse_short_link(&self, node: &SeedNode) -> Result<ShortLink> {
        let object = node.to_object(keys::SHORT_LINK, accepts_no_key)?;
        let text = |key: &str| object.get(key).map(|n| n.to_text()).transpose();
        let tags = object.items("tags")?.iter().map(|n| n.to_text().map(str::to_owned)).collect::<Result<Vec<_>>>()?;
        let track_clicks = object.get("track_clicks").map_or(Ok(true), |n| n.to_flag())?;
        let parts = check_parts(text("title")?, text("target_url")?, &tags, track_clicks).map_err(|faults| {
            faults.into_iter().next().map_or_else(
                || SeedError::invalid_at(node.path.clone(), "is not valid"),
                |fault| to_seed_error(&object, fault),
            )
        })?;
        let (base, code) = match object.get("short_link_url") {
            None => (None, self.core.ctx().code(CODE_LEN)),
            Some(node) => node.parse_text("an address that ends in / and 6 letters or digits", |url| {
                let (base, code) = url.rsplit_once('/')?;
                let fits =
                    code.len() == CODE_LEN && code.bytes().all(|b| b.is_ascii_alphanumeric()) && is_web_address(base);
                let is_own = base == self.default_base || Some(base) == self.written_base;
                fits.then(|| ((!is_own).then(|| base.to_owned()), code.to_owned()))
            })?,
        };
        let link_id = match object.get("link_id") {
            Some(node) => node.parse_text("shl_ and 27 letters or digits", |t| LinkId::parse(t).ok())?,
            None => LinkId::new(self.core.ctx().ksuid(self.now)),
        };
        let created_at = object.get("created_at").map_or(Ok(self.now), |n| n.parse_text(ISO, Timestamp::parse_iso))?;
        let short_link::LinkParts { title, target_url, tags, track_clicks } = parts;
        Ok(ShortLink { link_id, title, target_url, code, base, tags, created_at, track_clicks })
    }
}

/// Parses a number and its region. If the region is missing, it follows from the number.
fn parse_number(object: &SeedObject, key: &str, region_key: &str) -> Result<Option<Phone>> {
    let Some(node) = object.get(key) else { return Ok(None) };
    let region = object
        .get(region_key)
        .map(|n| {
            n.parse_text("a region of two capital letters, or 001", |t| {
                Some(t.to_owned()).filter(|t| t == "001" || Region::parse(t).is_some())
            })
        })
        .transpose()?;
    let read_in = region.as_deref().and_then(Region::parse).unwrap_or_else(Region::gb);
    let mut phone = node.parse_text("a valid phone number", |t| phone::parse_contact_number(t, read_in))?;
    if let Some(region) = region {
        phone.region = region;
    }
    Ok(Some(phone))
}
