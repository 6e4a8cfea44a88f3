//! Stores what was found out about a service with its connection.

use std::collections::HashSet;

use roost_model::time::Timestamp;
use roost_ops::StoreError;
use roost_reconcile::input::ServiceCapabilities;
use roost_store::{
    tables::sync::connection,
    tx::{ReadTx, WriteTx},
};
use serde_json::{Value, json};

use super::{CONTACT_KEYS, ProbeFinding};
use crate::account::{CUSTOM_FIELDS, StoredCapabilities, StoredCapability};

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
