//! Stores what was found out about a service with its connection.

use std::collections::HashSet;

use roost_model::time::Timestamp;
use roost_ops::StoreError;
use roost_reconcile::input::ServiceCapabilities;
use roost_store::{
    tables::sync::connection,
    tx::{ReadTx, WriteTx},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{CONTACT_KEYS, CUSTOM_FIELDS, ProbeFinding};
use crate::fields::FieldAgreement;

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
    planned: Map<String, Value>,
    #[serde(default)]
    pub found: Vec<StoredCapability>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<FieldAgreement>,
}

impl StoredCapabilities {
    pub fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    fn find(&self, flag: &str) -> Option<&StoredCapability> {
        self.found.iter().find(|one| one.flag == flag)
    }

    /// Returns the custom fields that the service was found to have.
    pub fn custom_fields(&self) -> Vec<u32> {
        let found = self.find(CUSTOM_FIELDS).and_then(|one| serde_json::from_value(one.value.clone()).ok());
        found.unwrap_or_default()
    }
}

/// Stores what was found out about the service, and updates the capabilities that a plan relies on.
pub fn store_findings(tx: &WriteTx, found: &[ProbeFinding], now: Timestamp) -> Result<(), StoreError> {
    let Some(mut known) = connection::get(tx)? else { return Ok(()) };
    let mut stored = StoredCapabilities::parse(&known.capabilities);
    for ProbeFinding { flag, value, how } in found {
        let shown =
            StoredCapability { flag: (*flag).to_owned(), value: value.clone(), how: (*how).to_owned(), at: now.unix() };
        match stored.found.iter_mut().find(|one| one.flag == *flag) {
            Some(one) => *one = shown,
            None => stored.found.push(shown),
        }
    }
    // A plan reads the members that it knows. The others are shown to the user alone.
    if let Ok(Value::Object(mut planned)) = serde_json::to_value(ServiceCapabilities::default()) {
        for (flag, value) in &mut planned {
            let found = stored.find(flag).map(|one| &one.value);
            if let Some(known) = found.or(stored.planned.get(flag)) {
                value.clone_from(known);
            }
        }
        stored.planned = planned;
    }
    known.capabilities = serde_json::to_string(&stored).unwrap_or_else(|_| "{}".to_owned());
    connection::set(tx, &known)
}

/// Returns whether a check or a pull has shown this about the service.
pub fn has_found(tx: &ReadTx, flag: &str) -> Result<bool, StoreError> {
    let known = connection::get(tx)?;
    Ok(known.is_some_and(|known| StoredCapabilities::parse(&known.capabilities).find(flag).is_some()))
}

/// Returns the custom fields that the service is known to have, with those that a pull has seen, if there are new ones.
pub fn find_new_custom_fields(tx: &ReadTx, seen: &HashSet<u32>) -> Result<Option<ProbeFinding>, StoreError> {
    let Some(known) = connection::get(tx)? else { return Ok(None) };
    let stored = StoredCapabilities::parse(&known.capabilities);
    let mut all = stored.custom_fields();
    let count = all.len();
    all.extend(seen.iter().filter(|number| !all.contains(number)).copied().collect::<Vec<u32>>());
    all.sort_unstable();
    let is_new = all.len() > count;
    Ok(is_new.then(|| ProbeFinding { flag: CUSTOM_FIELDS, value: json!(all), how: CONTACT_KEYS }))
}
