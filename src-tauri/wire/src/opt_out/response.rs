//! Opt-out records and responses as they are written.

use roost_model::opt_out::{self, AssetFields};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OptOut<'a> {
    #[schemars(regex(pattern = r"^\+[0-9]+$"))]
    pub number: &'a str,
    #[schemars(extend("enum" = ["SMS", "WHATSAPP"]))]
    pub channel: &'static str,
    pub account_level_opt_out: bool,
    #[schemars(extend("enum" = ["keyword", "web_opt_out", "account_import", "api_import"]))]
    pub opt_out_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^(num|wbp)_[0-9A-Za-z]{27}$"))]
    pub inbound_asset_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inbound_number: Option<&'a str>,
    #[schemars(extend("format" = "date-time"))]
    pub opt_out_time: String,
}

impl<'a> OptOut<'a> {
    pub fn from_record(record: &'a opt_out::OptOut, fields: AssetFields) -> Self {
        let inbound = record.shown_inbound(fields);
        Self {
            number: &record.number,
            channel: record.channel.as_str(),
            account_level_opt_out: record.scope.is_account(),
            opt_out_type: record.kind.as_str(),
            inbound_asset_id: inbound.map(|i| i.asset_id.as_str()),
            inbound_number: inbound.and_then(|i| i.number.as_deref()),
            opt_out_time: record.time.to_iso(),
        }
    }
}

/// Response to the creation of opt-outs: one result per entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Created {
    pub total_submitted: usize,
    pub total_succeeded: usize,
    pub total_failed: usize,
    pub items: Vec<CreateOutcome>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CreateOutcome {
    pub number: String,
    pub channel: String,
    #[schemars(extend("enum" = ["success", "failure"]))]
    pub status: &'static str,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_level_opt_out: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opt_out_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub opt_out_time: Option<String>,
}

impl CreateOutcome {
    pub fn success(record: &opt_out::OptOut) -> Self {
        let message = match &record.scope {
            opt_out::OptOutRecordScope::Account => {
                format!("Account-level opt-out created for the {} channel.", record.channel.as_str())
            }
            opt_out::OptOutRecordScope::Asset(asset) => format!("Opt-out created for the asset {asset}."),
        };
        Self {
            number: record.number.clone(),
            channel: record.channel.as_str().to_owned(),
            status: "success",
            message,
            account_level_opt_out: Some(record.scope.is_account()),
            opt_out_type: Some(record.kind.as_str()),
            opt_out_time: Some(record.time.to_iso()),
        }
    }

    pub fn failure(number: String, channel: String, message: String) -> Self {
        Self {
            number,
            channel,
            status: "failure",
            message,
            account_level_opt_out: None,
            opt_out_type: None,
            opt_out_time: None,
        }
    }
}

impl Created {
    pub fn from_outcomes(items: Vec<CreateOutcome>) -> Self {
        let total_succeeded = items.iter().filter(|i| i.status == "success").count();
        Self { total_submitted: items.len(), total_succeeded, total_failed: items.len() - total_succeeded, items }
    }
}

/// Response to the removal of opt-outs: one result per number.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Removed {
    pub total_submitted: usize,
    pub total_succeeded: usize,
    pub total_failed: usize,
    pub items: Vec<RemovalOutcome>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RemovalOutcome {
    /// E.164 on success, as sent on failure.
    pub number: String,
    #[schemars(extend("enum" = ["success", "failure"]))]
    pub status: &'static str,
    pub message: String,
}

impl RemovalOutcome {
    pub fn success(number: String) -> Self {
        Self { number, status: "success", message: "The opt-out entry was deleted.".to_owned() }
    }

    pub fn failure(number: String, message: String) -> Self {
        Self { number, status: "failure", message }
    }
}

impl Removed {
    pub fn from_outcomes(items: Vec<RemovalOutcome>) -> Self {
        let total_succeeded = items.iter().filter(|i| i.status == "success").count();
        Self { total_submitted: items.len(), total_succeeded, total_failed: items.len() - total_succeeded, items }
    }
}
