//! Distinguishes custom fields of the account from those of the service that have the same number by accident. The
//! service knows its fields by number only, so a person has to say whether both mean the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use roost_ops::StoreError;
use roost_reconcile::row::SyncField;
use roost_store::{
    tables::{
        custom_fields,
        steps::{self, StepState},
        sync::{SyncedTable, connection, scopes},
    },
    tx::{ReadTx, WriteTx},
};
use serde::{Deserialize, Serialize};

use super::{StoredCapabilities, read_capabilities};
use crate::remote::RemoteContact;

/// The number of values that show a person what a field of the service is about.
const SAMPLES: usize = 3;

/// The field numbers on whose meaning account and service agree, and those on which they may not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FieldAgreement {
    agreed: BTreeSet<u32>,
    clashes: BTreeMap<u32, StoredClash>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct StoredClash {
    samples: Vec<String>,
    /// The step that moved the account's field to another number. If it is undone, the clash is open again.
    moved_by: Option<i64>,
}

/// A field of the account whose number the service uses too, and nobody has said yet whether both mean the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldClash {
    pub label: String,
    /// Some values that the service has in it.
    pub samples: Vec<String>,
}

/// The values that contacts of the service have in custom fields.
pub type SeenValues = BTreeMap<u32, Vec<String>>;

/// Returns some values of each custom field that has any.
pub fn sample_values(items: &[RemoteContact]) -> SeenValues {
    let mut seen = SeenValues::new();
    for contact in items {
        for number in &contact.custom_fields {
            if let Some(value) = contact.row.get(SyncField::Custom(*number)) {
                add_sample(seen.entry(*number).or_default(), value);
            }
        }
    }
    seen
}

fn add_sample(samples: &mut Vec<String>, value: &str) {
    if samples.len() < SAMPLES && !samples.iter().any(|known| known == value) {
        samples.push(value.to_owned());
    }
}

fn read_stored(tx: &ReadTx) -> Result<Option<StoredCapabilities>, StoreError> {
    Ok(connection::get(tx)?.map(|known| StoredCapabilities::parse(&known.capabilities)))
}

/// Returns the stored agreement. An account that was pulled before there was one agrees on all fields that it knows.
fn read_agreement(tx: &ReadTx) -> Result<FieldAgreement, StoreError> {
    let Some(stored) = read_stored(tx)? else { return Ok(FieldAgreement::default()) };
    if let Some(agreement) = stored.fields {
        return Ok(agreement);
    }
    let known = if scopes::has_finished(tx, SyncedTable::Contacts)? { stored.custom_fields() } else { Vec::new() };
    Ok(FieldAgreement { agreed: known.into_iter().collect(), ..FieldAgreement::default() })
}

fn store_agreement(tx: &WriteTx, agreement: FieldAgreement) -> Result<(), StoreError> {
    let Some(mut known) = connection::get(tx)? else { return Ok(()) };
    let mut stored = StoredCapabilities::parse(&known.capabilities);
    stored.fields = Some(agreement);
    known.capabilities = serde_json::to_string(&stored).unwrap_or_else(|_| "{}".to_owned());
    connection::set(tx, &known)
}

/// Records which fields of the service have values. A field that has a name of its own here becomes a clash.
pub fn record_values(tx: &WriteTx, seen: &SeenValues) -> Result<(), StoreError> {
    store_agreement(tx, agreement_after(tx, seen)?)
}

/// Returns whether [`record_values`] would change anything.
pub fn has_news(tx: &ReadTx, seen: &SeenValues) -> Result<bool, StoreError> {
    let Some(stored) = read_stored(tx)? else { return Ok(false) };
    Ok(stored.fields.as_ref() != Some(&agreement_after(tx, seen)?))
}

fn agreement_after(tx: &ReadTx, seen: &SeenValues) -> Result<FieldAgreement, StoreError> {
    let mut agreement = read_agreement(tx)?;
    let named = named_fields(tx)?;
    for (number, values) in seen {
        if agreement.agreed.contains(number) {
            continue;
        }
        if agreement.clashes.contains_key(number) || named.contains_key(number) {
            let clash = agreement.clashes.entry(*number).or_default();
            values.iter().for_each(|value| add_sample(&mut clash.samples, value));
        } else {
            agreement.agreed.insert(*number);
        }
    }
    Ok(agreement)
}

/// Returns the fields whose name says more than their number.
fn named_fields(tx: &ReadTx) -> Result<HashMap<u32, String>, StoreError> {
    let all = custom_fields::read_all(tx)?.into_iter();
    Ok(all.filter(|field| field.label != usual_label(field.number)).map(|field| (field.number, field.label)).collect())
}

/// Returns the name of a field of which nothing but the number is known.
pub fn usual_label(number: u32) -> String {
    format!("Field {number}")
}

/// Returns the clashes that nobody has settled. No value of these fields is sent.
pub fn open_clashes(tx: &ReadTx) -> Result<BTreeMap<u32, FieldClash>, StoreError> {
    let Some(agreement) = read_stored(tx)?.and_then(|stored| stored.fields) else { return Ok(BTreeMap::new()) };
    if agreement.clashes.is_empty() {
        return Ok(BTreeMap::new());
    }
    let labels: HashMap<u32, String> =
        custom_fields::read_all(tx)?.into_iter().map(|field| (field.number, field.label)).collect();
    let mut open = BTreeMap::new();
    for (number, StoredClash { samples, moved_by }) in agreement.clashes {
        let Some(label) = labels.get(&number) else { continue };
        let is_settled = match moved_by {
            // A step that is no longer stored cannot be undone.
            Some(step) => steps::get(tx, step)?.is_none_or(|step| step.state == StepState::Done),
            None => false,
        };
        if !is_settled {
            open.insert(number, FieldClash { label: label.clone(), samples });
        }
    }
    Ok(open)
}

/// Records that both sides mean the same by this number.
pub fn agree(tx: &WriteTx, number: u32) -> Result<(), StoreError> {
    let mut agreement = read_agreement(tx)?;
    agreement.clashes.remove(&number);
    agreement.agreed.insert(number);
    store_agreement(tx, agreement)
}

/// Records that this transaction moves the account's field to another number.
pub fn record_move(tx: &WriteTx, number: u32) -> Result<(), StoreError> {
    let mut agreement = read_agreement(tx)?;
    agreement.clashes.entry(number).or_default().moved_by = Some(tx.step());
    store_agreement(tx, agreement)
}

/// Records that the values of this account are about to be at the service, so that a pull does not ask about them.
pub fn agree_on_sent(tx: &WriteTx) -> Result<(), StoreError> {
    let before = read_agreement(tx)?;
    let (mut after, named) = (before.clone(), named_fields(tx)?);
    for number in read_capabilities(tx)?.custom_fields {
        let is_new = named.contains_key(&number) && !before.clashes.contains_key(&number);
        if is_new && !before.agreed.contains(&number) && custom_fields::has_values(tx, number)? {
            after.agreed.insert(number);
        }
    }
    if after == before { Ok(()) } else { store_agreement(tx, after) }
}

/// Returns the number to which a field of the account can be moved: one that neither side has used.
pub fn free_number(tx: &ReadTx) -> Result<u32, StoreError> {
    let remote_numbers = read_stored(tx)?.map(|stored| stored.custom_fields()).unwrap_or_default();
    let after_remote = remote_numbers.into_iter().max().map_or(0, |number| number + 1);
    Ok(custom_fields::next_number(tx)?.max(after_remote))
}
