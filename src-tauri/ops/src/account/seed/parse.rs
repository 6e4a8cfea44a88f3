//! One record of a seed file each: read, checked, completed with what was left out.

use roost_model::{
    asset::{self, Asset, DEFAULT_KEYWORDS},
    channel::Channel,
    contact::{ATTRIBUTES, CUSTOM_MAX, Contact, ContactField},
    custom_field::{self, CustomField},
    error::{Fault, has_length, size_between},
    id::{AssetId, ContactId, LinkId, ListId, SenderId},
    list::{self, List},
    opt_out::{Inbound, OptOut, OptOutType, Scope},
    phone::{self, Phone, Region},
    sender::{self, Sender, SenderStatus},
    short_link::{self, CODE_LEN, ShortLink, check_parts, is_web_address},
    time::Timestamp,
};

use super::{
    SeedError, keys,
    node::{Node, Object},
};
use crate::{asset::keep_keywords, core::Core};

type Result<T> = std::result::Result<T, SeedError>;

const ISO: &str = "a time such as 2026-01-05T09:00:00Z";
const PLAIN: &str = "a time such as 2026-01-05 09:00:00";

/// A model's complaint, at the place of the record's key it is about.
fn placed(object: &Object, fault: Fault) -> SeedError {
    let path = if object.path.is_empty() { fault.path } else { format!("{}.{}", object.path, fault.path) };
    SeedError::at(path, fault.message)
}

fn no_more(_: &str) -> bool {
    false
}

pub struct Reader<'c> {
    pub core: &'c Core,
    pub now: Timestamp,
    /// The server's own base of short URLs.
    pub own_base: &'c str,
    /// The same of the server that wrote the file: what was its own is this one's own now.
    pub written_base: Option<&'c str>,
}

impl Reader<'_> {
    pub fn sender(&self, node: &Node) -> Result<Sender> {
        let object = node.object(keys::SENDER, no_more)?;
        let name = object.need("name")?.text()?;
        let kind = sender::check_name(name).map_err(|fault| placed(&object, fault))?;
        let status = match object.get("status") {
            Some(node) => node.parsed("Pending or Verified", SenderStatus::parse)?,
            None if kind == sender::SenderKind::Numeric => SenderStatus::Verified,
            None => SenderStatus::Pending,
        };
        let id = match object.get("id") {
            Some(node) => node.parsed("ssd_ and 27 letters or digits", |t| SenderId::parse(t).ok())?,
            None => SenderId::new(self.core.ctx().ksuid(self.now)),
        };
        Ok(Sender { id, name: name.to_owned(), status })
    }

    pub fn asset(&self, node: &Node) -> Result<Asset> {
        let object = node.object(keys::ASSET, no_more)?;
        let id = object
            .get("id")
            .map(|node| node.parsed("num_ or wbp_ and 27 letters or digits", |t| AssetId::parse(t).ok()))
            .transpose()?;
        let channel = object.get("channel").map(|node| node.parsed("SMS or WHATSAPP", Channel::parse)).transpose()?;
        let channel = match (channel, &id) {
            (Some(channel), Some(id)) if id.channel() != channel => {
                return object.need("channel")?.fault("does not match the id's prefix");
            }
            (Some(channel), _) => channel,
            (None, Some(id)) => id.channel(),
            (None, None) => return node.fault("'channel' is missing"),
        };
        let number =
            asset::check_number(channel, object.need("number")?.text()?).map_err(|fault| placed(&object, fault))?;
        let keywords = match object.get("keywords") {
            Some(node) => {
                let texts = node.items()?.iter().map(|n| n.text().map(str::to_owned)).collect::<Result<Vec<_>>>()?;
                let (kept, faults) = keep_keywords(&texts);
                faults.into_iter().next().map_or(Ok(kept), |fault| Err(placed(&object, fault)))?
            }
            None => DEFAULT_KEYWORDS.map(str::to_owned).to_vec(),
        };
        Ok(Asset {
            id: id.unwrap_or_else(|| AssetId::new(channel, self.core.ctx().ksuid(self.now))),
            channel,
            number,
            enforce_account_level_opt_outs: object
                .get("enforce_account_level_opt_outs")
                .map_or(Ok(false), |n| n.flag())?,
            keywords,
        })
    }

    /// A label, which takes the next number, or a number and its label.
    pub fn custom_field(&self, node: &Node, next: u32) -> Result<CustomField> {
        let (number, label) = if node.value.is_string() {
            (next, Node { path: node.path.clone(), value: node.value })
        } else {
            let object = node.object(keys::CUSTOM_FIELD, no_more)?;
            let number = object.need("number")?;
            let in_range = number.value.as_u64().filter(|n| (1..=u64::from(custom_field::NUMBER_MAX)).contains(n));
            let Some(found) = in_range else {
                return number.fault(format!("must be a number from 1 to {}", custom_field::NUMBER_MAX));
            };
            (found as u32, object.need("label")?)
        };
        let text = label.text()?;
        custom_field::check_label(text).map_err(|fault| SeedError::at(label.path.clone(), fault.message))?;
        Ok(CustomField { number, label: text.to_owned() })
    }

    /// A list without its contacts.
    pub fn list(&self, object: &Object) -> Result<List> {
        let name = object.need("name")?.text()?;
        list::check_name(name).map_err(|fault| placed(object, fault))?;
        let time = |key: &str| object.get(key).map(|node| node.parsed(ISO, Timestamp::parse_iso)).transpose();
        let created_at = time("created_at")?.unwrap_or(self.now);
        let uid = match object.get("uid") {
            Some(node) => node.parsed("LST_ and 27 letters or digits", |t| ListId::parse(t).ok())?,
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

    pub fn contact(&self, node: &Node, list: &ListId, custom_fields: &[u32]) -> Result<Contact> {
        let known = |key: &str| ContactField::parse(key, |n| custom_fields.contains(&n)).is_some();
        let mut names: Vec<_> = ContactField::BEFORE_CUSTOM.iter().map(|f| f.name()).collect();
        names.extend(["created_at".into(), "updated_at".into()]);
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let object = node.object(&names, known)?;
        let mut contact = Contact {
            uid: match object.get("uid") {
                Some(node) => node.parsed("CON_ and 27 letters or digits", |t| ContactId::parse(t).ok())?,
                None => ContactId::new(self.core.ctx().ksuid(self.now)),
            },
            list: list.clone(),
            phone: number(&object, "phone_number", "phone_region")?,
            whatsapp: number(&object, "whatsapp_id", "whatsapp_region")?,
            attributes: [const { None }; ATTRIBUTES],
            custom: vec![None; custom_fields.len()],
            created_at: object.get("created_at").map_or(Ok(self.now), |n| n.parsed(PLAIN, Timestamp::parse_plain))?,
            updated_at: object.get("updated_at").map(|n| n.parsed(PLAIN, Timestamp::parse_plain)).transpose()?,
        };
        if contact.phone.is_none() && contact.whatsapp.is_none() {
            return node.fault("phone_number or whatsapp_id is required");
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
            let text = node.text()?;
            if !has_length(text, 1, max) {
                return node.fault(size_between(1, max));
            }
            *slot = Some(text.to_owned());
        }
        Ok(contact)
    }

    pub fn opt_out(&self, node: &Node, assets: &[Asset]) -> Result<OptOut> {
        let object = node.object(keys::OPT_OUT, no_more)?;
        let number = object
            .need("number")?
            .parsed("a valid number in E.164 form", |t| phone::parse_international(t).map(|p| p.e164))?;
        let kind = object.get("opt_out_type").map_or(Ok(OptOutType::ApiImport), |n| {
            n.parsed("keyword, web_opt_out, account_import or api_import", OptOutType::parse)
        })?;
        let asset = match (object.get("inbound_asset_id"), object.get("asset_id")) {
            (Some(inbound), Some(own)) if inbound.value != own.value => {
                return own.fault("is a different asset than 'inbound_asset_id'");
            }
            (Some(node), _) | (None, Some(node)) => {
                Some((node.parsed("num_ or wbp_ and 27 letters or digits", |t| AssetId::parse(t).ok())?, node))
            }
            (None, None) => None,
        };
        let channel = match (object.get("channel"), &asset) {
            (Some(node), _) => node.parsed("SMS or WHATSAPP", Channel::parse)?,
            (None, Some((id, _))) => id.channel(),
            (None, None) => Channel::Sms,
        };
        if let Some((id, node)) = &asset
            && id.channel() != channel
        {
            return node.fault("is an asset of the other channel");
        }
        if kind == OptOutType::Keyword && asset.is_none() {
            return node.fault("a keyword opt-out needs 'inbound_asset_id'");
        }
        let is_account_level = object.get("account_level_opt_out").map_or(Ok(asset.is_none()), |n| n.flag())?;
        let scope = match (is_account_level, &asset) {
            (true, _) => Scope::Account,
            (false, Some((id, _))) => Scope::Asset(id.clone()),
            (false, None) => return node.fault("an opt-out of one asset needs 'asset_id'"),
        };
        let given = object.get("inbound_number");
        if let (Some(number), None) = (&given, &asset) {
            return number.fault("needs an asset, but none is given");
        }
        let given = given.map(|n| n.text().map(str::to_owned)).transpose()?;
        let known_number = |id: &AssetId| assets.iter().find(|a| a.id == *id).map(|a| a.number.clone());
        let inbound =
            asset.map(|(asset_id, _)| Inbound { number: given.or_else(|| known_number(&asset_id)), asset_id });
        let time = object.get("opt_out_time").map_or(Ok(self.now), |n| n.parsed(ISO, Timestamp::parse_iso))?;
        Ok(OptOut { number, channel, scope, kind, inbound, time })
    }

    pub fn short_link(&self, node: &Node) -> Result<ShortLink> {
        let object = node.object(keys::SHORT_LINK, no_more)?;
        let text = |key: &str| object.get(key).map(|n| n.text()).transpose();
        let tags = object.items("tags")?.iter().map(|n| n.text().map(str::to_owned)).collect::<Result<Vec<_>>>()?;
        let track_clicks = object.get("track_clicks").map_or(Ok(true), |n| n.flag())?;
        let parts = check_parts(text("title")?, text("target_url")?, &tags, track_clicks).map_err(|faults| {
            faults
                .into_iter()
                .next()
                .map_or_else(|| SeedError::at(node.path.clone(), "is not valid"), |fault| placed(&object, fault))
        })?;
        let (base, code) = match object.get("short_link_url") {
            None => (None, self.core.ctx().code(CODE_LEN)),
            Some(node) => node.parsed("an address that ends in / and 6 letters or digits", |url| {
                let (base, code) = url.rsplit_once('/')?;
                let fits =
                    code.len() == CODE_LEN && code.bytes().all(|b| b.is_ascii_alphanumeric()) && is_web_address(base);
                let is_own = base == self.own_base || Some(base) == self.written_base;
                fits.then(|| ((!is_own).then(|| base.to_owned()), code.to_owned()))
            })?,
        };
        let link_id = match object.get("link_id") {
            Some(node) => node.parsed("shl_ and 27 letters or digits", |t| LinkId::parse(t).ok())?,
            None => LinkId::new(self.core.ctx().ksuid(self.now)),
        };
        let created_at = object.get("created_at").map_or(Ok(self.now), |n| n.parsed(ISO, Timestamp::parse_iso))?;
        let short_link::LinkParts { title, target_url, tags, track_clicks } = parts;
        Ok(ShortLink { link_id, title, target_url, code, base, tags, created_at, track_clicks })
    }
}

/// A number and its region, which follows from the number when left out.
fn number(object: &Object, key: &str, region_key: &str) -> Result<Option<Phone>> {
    let Some(node) = object.get(key) else { return Ok(None) };
    let region = object
        .get(region_key)
        .map(|n| {
            n.parsed("a region of two capitals, or 001", |t| {
                Some(t.to_owned()).filter(|t| t == "001" || Region::parse(t).is_some())
            })
        })
        .transpose()?;
    let read_in = region.as_deref().and_then(Region::parse).unwrap_or_else(Region::gb);
    let mut phone = node.parsed("a valid phone number", |t| phone::parse_contact_number(t, read_in))?;
    if let Some(region) = region {
        phone.region = region;
    }
    Ok(Some(phone))
}
