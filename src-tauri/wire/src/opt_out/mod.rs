//! Opt-outs: records, the query's filters, creation and removal with an outcome for each entry.

mod answer;
mod query;

use std::borrow::Cow;

use roost_model::{channel::Channel, id::AssetId};
use schemars::JsonSchema;
use serde_json::Value;

pub use answer::{CreateOutcome, Created, OptOut, RemovalOutcome, Removed};
pub use query::{OptOutQuery, parse_query};

use crate::{
    body::{self, Object, elements},
    envelope::{Entry, Refusal, Rejected},
};

pub const INVALID_CHANNEL: &str = "Invalid channel. Must be SMS or WHATSAPP.";
pub const INVALID_NUMBER: &str = "Invalid phone number. The number must be in E.164 format.";
pub const CHANNEL_MISMATCH: &str = "Channel mismatch: the specified asset does not match the requested channel";

/// How many entries of a creation are looked at (setting `opt_outs.entries`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Entries {
    #[default]
    First,
    All,
}

/// Body of a creation.
#[derive(JsonSchema)]
pub struct OptOutsCreate {
    /// One entry is processed.
    #[schemars(length(min = 1))]
    pub optouts: Vec<OptOutCreate>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is wanted")]
pub struct OptOutCreate {
    /// E.164, or national with its country code.
    #[schemars(regex(pattern = r"\S"))]
    number: String,
    /// SMS or WHATSAPP, in upper or lower case. Default SMS.
    channel: Option<String>,
    /// The asset that it is for. Default: the whole account.
    asset_id: Option<String>,
}

/// An entry of a creation; what it says is judged when it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOptOut<'a> {
    pub number: Cow<'a, str>,
    pub channel: Option<Cow<'a, str>>,
    pub asset_id: Option<Cow<'a, str>>,
}

pub fn parse_create(json: &[u8], entries: Entries) -> Result<Vec<NewOptOut<'_>>, Refusal> {
    let object = Object::read(body::text(json)?, &["optouts"])?;
    let keep = if entries == Entries::First { 1 } else { usize::MAX };
    let given = object.given("optouts").map(|raw| elements(raw, keep)).transpose()?;
    let Some(found) = given.as_ref().filter(|found| found.total > 0) else {
        let rejected = given.map_or(Value::Null, |_| Value::Array(Vec::new()));
        let entry = Entry::new("optOuts", "The optouts list must not be empty", rejected);
        return Err(Refusal::MissingField { name: "optouts", entries: vec![entry] });
    };
    let mut missing = Vec::new();
    let mut wanted = Vec::with_capacity(found.kept.len());
    for (index, raw) in found.kept.iter().enumerate() {
        let entry = Object::read(raw.get(), &["number", "channel", "asset_id"])?;
        let number = entry.string("number")?;
        let (channel, asset_id) = (entry.string("channel")?, entry.string("asset_id")?);
        match number.as_deref().map(str::trim) {
            None | Some("") => {
                let rejected = number.map_or(Rejected::Value(Value::Null), |n| Rejected::from(n.as_ref()));
                missing.push(Entry::new(format!("optOuts[{index}].number"), "Phone number is required", rejected));
            }
            Some(_) => wanted.push(NewOptOut { number: number.unwrap_or_default(), channel, asset_id }),
        }
    }
    if missing.is_empty() { Ok(wanted) } else { Err(Refusal::MissingField { name: "number", entries: missing }) }
}

/// Body of a removal.
#[derive(JsonSchema)]
pub struct OptOutsDelete {
    #[schemars(length(min = 1))]
    pub numbers: Vec<String>,
    /// SMS or WHATSAPP, in upper or lower case. Default: both.
    #[schemars(regex(pattern = r"^\s*([sS][mM][sS]|[wW][hH][aA][tT][sS][aA][pP][pP])\s*$"))]
    pub channel: Option<String>,
    /// Only what belongs to this asset.
    #[schemars(regex(pattern = r"^(num|wbp)_[0-9A-Za-z]{27}$"))]
    pub asset_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    pub numbers: Vec<String>,
    pub channel: Option<Channel>,
    pub asset: Option<AssetId>,
}

pub fn parse_delete(json: &[u8]) -> Result<Removal, Refusal> {
    let object = Object::read(body::text(json)?, &["numbers", "channel", "asset_id"])?;
    let numbers = object.strings("numbers")?;
    let (channel, asset_id) = (object.string("channel")?, object.string("asset_id")?);
    let Some(numbers) = numbers.as_ref().filter(|n| !n.is_empty()) else {
        let rejected = numbers.map_or(Value::Null, |_| Value::Array(Vec::new()));
        let entry = Entry::new("numbers", "The numbers list must not be empty", rejected);
        return Err(Refusal::MissingField { name: "numbers", entries: vec![entry] });
    };
    let channel = match channel {
        None => None,
        Some(text) => Some(Channel::parse(&text).ok_or(Refusal::InvalidMessage(INVALID_CHANNEL))?),
    };
    let asset = asset_id
        .map(|id| AssetId::parse(&id).map_err(|e| Refusal::BadUid { field: "assetId", given: e.given }))
        .transpose()?;
    if let (Some(channel), Some(asset)) = (channel, &asset)
        && asset.channel() != channel
    {
        return Err(Refusal::InvalidMessage(CHANNEL_MISMATCH));
    }
    Ok(Removal { numbers: numbers.iter().map(|n| n.to_string()).collect(), channel, asset })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(refusal: Refusal) -> String {
        match refusal {
            Refusal::MissingField { name, entries } => {
                format!("{name} {}", serde_json::to_string(&entries).expect("json"))
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn creation_looks_at_the_first_entry_only() {
        let body = br#"{"optouts":[{"number":"447700900001","channel":"sms","asset_id":null},7]}"#;
        let entries = parse_create(body, Entries::First).expect("fine");
        assert_eq!(
            (entries.len(), entries[0].channel.as_deref(), entries[0].asset_id.as_deref()),
            (1, Some("sms"), None)
        );
        assert!(matches!(parse_create(body, Entries::All), Err(Refusal::BadBody)));
    }

    #[test]
    fn what_is_missing_is_named() {
        let list = |rejected| {
            format!(
                r#"optouts [{{"field":"optOuts","message":"The optouts list must not be empty","rejected_value":{rejected}}}]"#
            )
        };
        let number = |rejected| {
            format!(
                r#"number [{{"field":"optOuts[0].number","message":"Phone number is required","rejected_value":{rejected}}}]"#
            )
        };
        for (body, want) in [
            ("{}", list("null")),
            (r#"{"optouts":null}"#, list("null")),
            (r#"{"optouts":[]}"#, list("[]")),
            (r#"{"optouts":[{}]}"#, number("null")),
            (r#"{"optouts":[{"number":null}]}"#, number("null")),
            (r#"{"optouts":[{"number":" "}]}"#, number("\" \"")),
        ] {
            assert_eq!(told(parse_create(body.as_bytes(), Entries::First).expect_err(body)), want, "{body}");
        }
        for bad in [
            r#"{"optouts":{}}"#,
            r#"{"optouts":["x"]}"#,
            r#"{"optouts":[{"number":1}]}"#,
            r#"{"optouts":[{"number":"","channel":1}]}"#,
        ] {
            assert!(matches!(parse_create(bad.as_bytes(), Entries::First), Err(Refusal::BadBody)), "{bad}");
        }
    }

    #[test]
    fn removal_faults_come_in_their_order() {
        let num = "num_36AbCdEfGhIjKlMnOpQrStUvWx1";
        let refused = |body: &str| told(parse_delete(body.as_bytes()).expect_err(body));
        assert_eq!(
            refused(r#"{"channel":"x"}"#),
            r#"numbers [{"field":"numbers","message":"The numbers list must not be empty","rejected_value":null}]"#
        );
        assert!(refused(r#"{"numbers":[1],"channel":"x"}"#).starts_with("BadBody"));
        assert!(refused(r#"{"numbers":["1"],"channel":"","asset_id":""}"#).contains(INVALID_CHANNEL));
        assert!(refused(r#"{"numbers":["1"],"channel":"SMS","asset_id":""}"#).starts_with("BadUid"));
        assert!(
            refused(&format!(r#"{{"numbers":["1"],"channel":"whatsapp","asset_id":"{num}"}}"#))
                .contains(CHANNEL_MISMATCH)
        );
        let fine = parse_delete(format!(r#"{{"numbers":["1"],"channel":" Sms ","asset_id":"{num}"}}"#).as_bytes())
            .expect("fine");
        assert_eq!((fine.channel, fine.asset.is_some()), (Some(Channel::Sms), true));
    }
}
