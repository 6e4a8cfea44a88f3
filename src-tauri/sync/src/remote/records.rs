//! Parses the records in responses leniently: unknown keys are skipped, and numbers and texts are accepted for each
//! other.

use std::{borrow::Cow, fmt};

use roost_model::time::{TimeBound, Timestamp};
use roost_reconcile::{ContactRow, plan::Lane, response::entry_succeeded, row::SyncField};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor},
};
use serde_json::Value;

use super::{advice, error::ErrorEntry};

/// An element of a response.
pub trait RemoteRecord: DeserializeOwned + Send {
    fn uid(&self) -> &str;
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RemoteSender {
    #[serde(rename = "id")]
    pub uid: String,
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    /// The status as the service sends it, because new ones may be added.
    #[serde(default, deserialize_with = "text")]
    pub status: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RemoteList {
    pub uid: String,
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    #[serde(default, deserialize_with = "time")]
    pub created_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "time")]
    pub updated_at: Option<Timestamp>,
}

/// A contact as the service shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteContact {
    pub uid: String,
    /// The numbers and attributes that are neither empty nor null.
    pub row: ContactRow,
    pub phone_region: Option<String>,
    pub whatsapp_region: Option<String>,
    pub created_at: Option<Timestamp>,
    /// `None` if the contact was never changed.
    pub updated_at: Option<Timestamp>,
    /// The custom fields that the service has, including empty ones.
    pub custom_fields: Vec<u32>,
}

/// An opt-out as the service shows it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RemoteOptOut {
    #[serde(default, deserialize_with = "text")]
    pub number: String,
    /// The channel as the service sends it, because new ones may be added.
    #[serde(default, deserialize_with = "text")]
    pub channel: String,
    /// If this is missing, the opt-out is for the account unless it names an asset.
    #[serde(default)]
    account_level_opt_out: Option<bool>,
    /// The type as the service sends it, because new ones may be added.
    #[serde(default, rename = "opt_out_type", deserialize_with = "text")]
    pub kind: String,
    #[serde(default, alias = "inbound_asset")]
    pub inbound_asset_id: Option<String>,
    #[serde(default, deserialize_with = "some_text")]
    pub inbound_number: Option<String>,
    #[serde(default, deserialize_with = "time")]
    pub opt_out_time: Option<Timestamp>,
}

impl RemoteOptOut {
    pub fn is_account_level(&self) -> bool {
        self.account_level_opt_out.unwrap_or(self.inbound_asset_id.is_none())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RemoteLink {
    #[serde(rename = "link_id")]
    pub uid: String,
    #[serde(default, deserialize_with = "text")]
    pub title: String,
    #[serde(default, deserialize_with = "text")]
    pub target_url: String,
    #[serde(default, deserialize_with = "text")]
    pub short_link_url: String,
    #[serde(default, deserialize_with = "or_default")]
    pub tags: Vec<String>,
    #[serde(default, deserialize_with = "time")]
    pub created_at: Option<Timestamp>,
    #[serde(default)]
    pub track_clicks: Option<bool>,
}

/// The outcome of one entry of an opt-out request. The status of the response does not show it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct OptOutOutcome {
    #[serde(default, deserialize_with = "text")]
    pub number: String,
    #[serde(default, deserialize_with = "text")]
    status: String,
    #[serde(default, deserialize_with = "text")]
    pub message: String,
    #[serde(default, deserialize_with = "time")]
    pub opt_out_time: Option<Timestamp>,
}

impl OptOutOutcome {
    pub fn is_success(&self) -> bool {
        entry_succeeded(&self.status)
    }

    /// Returns advice for the user, if the entry did not succeed.
    pub fn advice(&self, lane: Lane) -> String {
        advice::describe_outcome(lane, &[&self.number], &self.message)
    }
}

macro_rules! records {
    ($($record:ident)*) => {
        $(impl RemoteRecord for $record {
            fn uid(&self) -> &str {
                &self.uid
            }
        })*
    };
}
records!(RemoteSender RemoteList RemoteContact RemoteLink);

impl RemoteRecord for RemoteOptOut {
    /// Opt-outs have no identifier, and two opt-outs of one number are two records.
    fn uid(&self) -> &str {
        ""
    }
}

impl RemoteRecord for OptOutOutcome {
    fn uid(&self) -> &str {
        ""
    }
}

impl RemoteRecord for ErrorEntry {
    fn uid(&self) -> &str {
        ""
    }
}

fn to_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

pub(super) fn some_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Value::deserialize(from).map(to_text)
}

pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    some_text(from).map(Option::unwrap_or_default)
}

fn parse_time(text: &str) -> Option<Timestamp> {
    let bound = TimeBound::parse(text).map(|bound| Timestamp::from_unix(bound.at_or_before()));
    bound.or_else(|| Timestamp::parse_plain(text))
}

/// Parses both time formats of the interface. Any other value counts as missing.
fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    Ok(some_text(from)?.and_then(|text| parse_time(&text)))
}

fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}

impl<'de> Deserialize<'de> for RemoteContact {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(ContactVisitor)
    }
}

/// A name in the response, copied only if it has escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct KeyName<'a>(#[serde(borrow)] Cow<'a, str>);

struct ContactVisitor;

impl<'de> Visitor<'de> for ContactVisitor {
    type Value = RemoteContact;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a contact")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RemoteContact, A::Error> {
        let (mut uid, mut values, mut custom_fields) = (None, Vec::new(), Vec::new());
        let (mut phone_region, mut whatsapp_region, mut created_at, mut updated_at) = (None, None, None, None);
        while let Some(key) = map.next_key::<KeyName<'_>>()? {
            let mut next = || map.next_value::<Value>().map(to_text);
            match key.0.as_ref() {
                "uid" => uid = next()?,
                "phone_region" => phone_region = next()?,
                "whatsapp_region" => whatsapp_region = next()?,
                "created_at" => created_at = next()?.and_then(|text| parse_time(&text)),
                "updated_at" => updated_at = next()?.and_then(|text| parse_time(&text)),
                name => match SyncField::parse(name) {
                    None => drop(map.next_value::<IgnoredAny>()?),
                    Some(field) => {
                        if let SyncField::Custom(number) = field {
                            custom_fields.push(number);
                        }
                        values.extend(next()?.map(|text| (field, text)));
                    }
                },
            }
        }
        let uid = uid.ok_or_else(|| serde::de::Error::missing_field("uid"))?;
        let row = values.into_iter().collect();
        Ok(RemoteContact { uid, row, phone_region, whatsapp_region, created_at, updated_at, custom_fields })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_read_whatever_else_comes_with_it() {
        let read: RemoteContact = serde_json::from_str(
            r#"{"new_key":{"a":[1]},"updated_at":null,"firstname":"","title":"Ms","field_2":7,"field_3":null,
                "whatsapp_id":"+447700900002","created_at":"2026-01-05 09:12:40","phone\u005fregion":"GB","uid":"CON_1"}"#,
        )
        .expect("read");
        let row = ContactRow::default()
            .with_value(SyncField::Whatsapp, "+447700900002")
            .with_value(SyncField::Custom(2), "7");
        assert_eq!(read.row, row.with_value(SyncField::parse("title").expect("a field"), "Ms"));
        assert_eq!((read.uid.as_str(), read.phone_region.as_deref()), ("CON_1", Some("GB")));
        assert_eq!(
            (read.created_at.map(Timestamp::to_iso), read.updated_at),
            (Some("2026-01-05T09:12:40Z".into()), None)
        );
        assert_eq!(read.custom_fields, [2, 3]);
        assert!(serde_json::from_str::<RemoteContact>(r#"{"title":"Ms"}"#).is_err(), "nobody's");
    }

    #[test]
    fn an_asset_goes_by_either_name_and_says_how_far_an_opt_out_reaches() {
        for name in ["inbound_asset", "inbound_asset_id"] {
            let read: RemoteOptOut = serde_json::from_str(&format!(
                r#"{{"number":"+447700900001","channel":"sms","opt_out_type":"keyword","{name}":"num_1","inbound_number":60777}}"#
            ))
            .expect("read");
            assert_eq!(
                (read.inbound_asset_id.as_deref(), read.inbound_number.as_deref()),
                (Some("num_1"), Some("60777"))
            );
            assert!(!read.is_account_level());
        }
    }
}
