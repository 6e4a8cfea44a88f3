//! Reads what is known about a service: what it can do and how fast it is.

use roost_ops::StoreError;
use roost_reconcile::input::{ServiceCapabilities, ServiceSpeed};
use roost_store::{tables::sync::connection, tx::ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::fields::{self, FieldAgreement};

/// The finding about the custom fields of the service.
pub const CUSTOM_FIELDS: &str = "custom_fields";

/// A capability that was found out, with the time in seconds.
#[derive(Debug, Serialize, Deserialize)]
pub struct StoredCapability {
    pub flag: String,
    pub value: Value,
    pub how: String,
    pub at: i64,
}

/// The stored capabilities of a service: those that a plan reads, and how each was found out.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct StoredCapabilities {
    #[serde(flatten)]
    pub planned: Map<String, Value>,
    #[serde(default)]
    pub found: Vec<StoredCapability>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<FieldAgreement>,
}

impl StoredCapabilities {
    pub fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    pub fn find(&self, flag: &str) -> Option<&StoredCapability> {
        self.found.iter().find(|one| one.flag == flag)
    }

    /// Returns the custom fields that the service was found to have.
    pub fn custom_fields(&self) -> Vec<u32> {
        let found = self.find(CUSTOM_FIELDS).and_then(|one| serde_json::from_value(one.value.clone()).ok());
        found.unwrap_or_default()
    }
}

/// Returns what the service can do. A field on whose meaning nobody has decided counts as one that it lacks.
pub fn read_capabilities(tx: &ReadTx) -> Result<ServiceCapabilities, StoreError> {
    let connection = connection::get(tx)?;
    let mut can: ServiceCapabilities =
        connection.and_then(|known| serde_json::from_str(&known.capabilities).ok()).unwrap_or_default();
    let clashes = fields::open_clashes(tx)?;
    can.custom_fields.retain(|number| !clashes.contains_key(number));
    Ok(can)
}

pub fn read_speed(tx: &ReadTx) -> Result<ServiceSpeed, StoreError> {
    let connection = connection::get(tx)?;
    Ok(connection.and_then(|known| serde_json::from_str(&known.learnt).ok()).unwrap_or_default())
}
