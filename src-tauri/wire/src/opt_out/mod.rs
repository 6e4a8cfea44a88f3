//! Opt-outs: records, the filters of the query, and creation and removal with a result for each entry.

mod opt_out_query;
mod response;

use std::borrow::Cow;

use roost_model::{channel::Channel, id::AssetId};
use schemars::JsonSchema;
use serde_json::Value;

pub use opt_out_query::parse_query;
pub use response::{CreateOutcome, Created, OptOut, RemovalOutcome, Removed};

use crate::{
    body::{self, JsonObject, read_elements},
    envelope::{RejectedValue, RestError, ValidationError},
};

pub const INVALID_CHANNEL: &str = "Invalid channel. Must be SMS or WHATSAPP.";
pub const INVALID_NUMBER: &str = "Invalid phone number. The number must be in E.164 format.";
pub const CHANNEL_MISMATCH: &str = "Channel mismatch: the specified asset does not match the requested channel";

/// The entries of a creation that are processed (setting `opt_outs.entries`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProcessedEntries {
    #[default]
    First,
    All,
}

/// Body of a request that creates an opt-out.
#[derive(JsonSchema)]
pub struct OptOutsCreate {
    /// Only the first entry is processed.
    #[schemars(length(min = 1))]
    pub optouts: Vec<OptOutCreate>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
pub struct OptOutCreate {
    /// E.164, or a national number with its country code.
    #[schemars(regex(pattern = r"\S"))]
    number: String,
    /// SMS or WHATSAPP, in upper or lower case. Default SMS.
    channel: Option<String>,
    /// The asset that it is for. Default: the whole account.
    asset_id: Option<String>,
}

/// One entry of a creation. Its values are checked when the opt-out is created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOptOut<'a> {
    pub number: Cow<'a, str>,
    pub channel: Option<Cow<'a, str>>,
    pub asset_id: Option<Cow<'a, str>>,
}

pub fn parse_create(json: &[u8], entries: ProcessedEntries) -> Result<Vec<NewOptOut<'_>>, RestError> {
    let object = JsonObject::read(body::body_text(json)?, &["optouts"])?;
    let keep = if entries == ProcessedEntries::First { 1 } else { usize::MAX };
    let given = object.given_value("optouts").map(|raw| read_elements(raw, keep)).transpose()?;
    let Some(found) = given.as_ref().filter(|found| found.total > 0) else {
        let rejected = given.map_or(Value::Null, |_| Value::Array(Vec::new()));
        let entry = ValidationError::new("optOuts", "The optouts list must not be empty", rejected);
        return Err(RestError::MissingField { name: "optouts", entries: vec![entry] });
    };
    let mut missing = Vec::new();
    let mut wanted = Vec::with_capacity(found.first.len());
    for (index, raw) in found.first.iter().enumerate() {
        let entry = JsonObject::read(raw.get(), &["number", "channel", "asset_id"])?;
        let number = entry.read_string("number")?;
        let (channel, asset_id) = (entry.read_string("channel")?, entry.read_string("asset_id")?);
        match number.as_deref().map(str::trim) {
            None | Some("") => {
                let rejected = number.map_or(RejectedValue::Value(Value::Null), |n| RejectedValue::from(n.as_ref()));
                missing.push(ValidationError::new(
                    format!("optOuts[{index}].number"),
                    "Phone number is required",
                    rejected,
                ));
            }
            Some(_) => wanted.push(NewOptOut { number: number.unwrap_or_default(), channel, asset_id }),
        }
    }
    if missing.is_empty() { Ok(wanted) } else { Err(RestError::MissingField { name: "number", entries: missing }) }
}

/// Body of a request that removes opt-outs.
#[derive(JsonSchema)]
pub struct OptOutsDelete {
    #[schemars(length(min = 1))]
    pub numbers: Vec<String>,
    /// SMS or WHATSAPP, in upper or lower case. Default: both.
    #[schemars(regex(pattern = r"^\s*([sS][mM][sS]|[wW][hH][aA][tT][sS][aA][pP][pP])\s*$"))]
    pub channel: Option<String>,
    /// Removes only opt-outs that belong to this asset.
    #[schemars(regex(pattern = r"^(num|wbp)_[0-9A-Za-z]{27}$"))]
    pub asset_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovalRequest {
    pub numbers: Vec<String>,
    pub channel: Option<Channel>,
    pub asset: Option<AssetId>,
}

pub fn parse_delete(json: &[u8]) -> Result<RemovalRequest, RestError> {
    let object = JsonObject::read(body::body_text(json)?, &["numbers", "channel", "asset_id"])?;
    let numbers = object.read_strings("numbers")?;
    let (channel, asset_id) = (object.read_string("channel")?, object.read_string("asset_id")?);
    let Some(numbers) = numbers.as_ref().filter(|n| !n.is_empty()) else {
        let rejected = numbers.map_or(Value::Null, |_| Value::Array(Vec::new()));
        let entry = ValidationError::new("numbers", "The numbers list must not be empty", rejected);
        return Err(RestError::MissingField { name: "numbers", entries: vec![entry] });
    };
    let channel = match channel {
        None => None,
        Some(text) => Some(Channel::parse(&text).ok_or(RestError::InvalidMessage(INVALID_CHANNEL))?),
    };
    let asset = asset_id
        .map(|id| AssetId::parse(&id).map_err(|e| RestError::BadUid { field: "assetId", given: e.given }))
        .transpose()?;
    if let (Some(channel), Some(asset)) = (channel, &asset)
        && asset.channel() != channel
    {
        return Err(RestError::InvalidMessage(CHANNEL_MISMATCH));
    }
    Ok(RemovalRequest { numbers: numbers.iter().map(|n| n.to_string()).collect(), channel, asset })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe_refusal(refusal: RestError) -> String {
        match refusal {
            RestError::MissingField { name, entries } => {
                format!("{name} {}", serde_json::to_string(&entries).expect("json"))
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn creation_looks_at_the_first_entry_only() {
        let body = br#"{"optouts":[{"number":"447700900001","channel":"sms","asset_id":null},7]}"#;
        let entries = parse_create(body, ProcessedEntries::First).expect("fine");
        assert_eq!(
            (entries.len(), entries[0].channel.as_deref(), entries[0].asset_id.as_deref()),
            (1, Some("sms"), None)
        );
        assert!(matches!(parse_create(body, ProcessedEntries::All), Err(RestError::BadBody)));
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
            assert_eq!(
                describe_refusal(parse_create(body.as_bytes(), ProcessedEntries::First).expect_err(body)),
                want,
                "{body}"
            );
        }
        for bad in [
            r#"{"optouts":{}}"#,
            r#"{"optouts":["x"]}"#,
            r#"{"optouts":[{"number":1}]}"#,
            r#"{"optouts":[{"number":"","channel":1}]}"#,
        ] {
            assert!(matches!(parse_create(bad.as_bytes(), ProcessedEntries::First), Err(RestError::BadBody)), "{bad}");
        }
    }

    #[test]
    fn removal_faults_come_in_their_order() {
        let num = "num_36AbCdEfGhIjKlMnOpQrStUvWx1";
        let refused = |body: &str| describe_refusal(parse_delete(body.as_bytes()).expect_err(body));
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
