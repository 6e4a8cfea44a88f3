//! Opt-outs: which numbers must not be messaged, on which channel and in which scope.

use serde::{Deserialize, Serialize};

use crate::{
    channel::Channel,
    id::AssetId,
    page::{PageRequest, SortOrder},
    time::{TimeBound, Timestamp},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OptOutType {
    /// The recipient replied with a keyword.
    Keyword,
    /// The recipient used a web form.
    WebOptOut,
    /// A bulk import in the web application.
    AccountImport,
    /// The create operation of the interface.
    ApiImport,
}

crate::variant_names! {
    pub OptOutType {
        Keyword = "keyword", WebOptOut = "web_opt_out", AccountImport = "account_import", ApiImport = "api_import",
    }
}

/// The scope of an opt-out on its channel.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OptOutRecordScope {
    /// All assets of the account.
    Account,
    /// One asset. Other assets may still message the recipient.
    Asset(AssetId),
}

impl OptOutRecordScope {
    pub fn is_account(&self) -> bool {
        matches!(self, Self::Account)
    }
}

/// The asset of an opt-out: the one that received the keyword, or the one to which the opt-out is scoped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct InboundAsset {
    pub asset_id: AssetId,
    /// A number in E.164 or a short code. `None` if the asset was deleted before its number was known.
    pub number: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OptOut {
    /// The number in E.164.
    pub number: String,
    pub channel: Channel,
    pub scope: OptOutRecordScope,
    pub kind: OptOutType,
    pub inbound: Option<InboundAsset>,
    pub time: Timestamp,
}

/// Selects the records that show their asset (setting `opt_outs.asset_fields`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AssetFields {
    /// Only records of type keyword.
    #[default]
    Keyword,
    /// Also asset-level records of any type.
    Asset,
}

/// Restricts and sorts opt-out records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptOutQuery {
    /// The number in E.164.
    pub number: Option<String>,
    pub kind: Option<OptOutType>,
    pub channel: Option<Channel>,
    pub asset: Option<AssetId>,
    /// The number without separators. It is compared with and without its plus.
    pub inbound_number: Option<String>,
    pub from: Option<TimeBound>,
    pub to: Option<TimeBound>,
    pub order: SortOrder,
    pub page: PageRequest,
    /// Filters on the asset match only records that show it.
    pub fields: AssetFields,
}

impl OptOut {
    /// Returns the asset that this record shows.
    pub fn shown_inbound(&self, fields: AssetFields) -> Option<&InboundAsset> {
        let shows = self.kind == OptOutType::Keyword || (fields == AssetFields::Asset && !self.scope.is_account());
        self.inbound.as_ref().filter(|_| shows)
    }
}
