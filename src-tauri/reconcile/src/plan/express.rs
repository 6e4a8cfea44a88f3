//! Determines which part of an edited contact the interface can express.

use crate::{
    input::{PlannedList, ServiceCapabilities},
    plan::ChangeObstacle,
    row::{ContactKey, ContactRow, KeyKind, SyncField},
};

/// An update, reduced to what the interface can express.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ExpressedUpdate {
    /// The numbers that identify this contact and no other.
    pub keys: Vec<KeyKind>,
    /// The changed values, without the number that identifies the contact.
    pub send: ContactRow,
    pub clear: Vec<SyncField>,
    /// The contact after the update.
    pub expect: ContactRow,
    pub obstacles: Vec<ChangeObstacle>,
}

impl ExpressedUpdate {
    pub(super) fn has_content(&self) -> bool {
        !self.send.is_empty() || !self.clear.is_empty()
    }

    /// Returns whether creating the contact again would express more.
    pub(super) fn needs_replacement(&self) -> bool {
        self.obstacles.iter().any(|obstacle| !matches!(obstacle, ChangeObstacle::UnknownField { .. }))
    }
}

pub(super) fn is_known_field(field: SyncField, can: &ServiceCapabilities) -> bool {
    match field {
        SyncField::Custom(number) => can.custom_fields.binary_search(&number).is_ok(),
        _ => true,
    }
}

/// Removes the fields that the service does not have, and returns them as well.
pub fn drop_unknown_fields(row: &ContactRow, can: &ServiceCapabilities) -> (ContactRow, Vec<SyncField>) {
    let unknown: Vec<SyncField> =
        row.iter().map(|(field, _)| field).filter(|field| !is_known_field(*field, can)).collect();
    let mut known = row.clone();
    for field in &unknown {
        known.set(*field, None);
    }
    (known, unknown)
}

fn key_of_field(row: &ContactRow, field: SyncField) -> Option<ContactKey> {
    row.keys().find(|key| key.kind.field() == field)
}

/// Turns the difference between the service's row and the target into an update, and collects the obstacles.
pub(super) fn express_update(
    remote: &ContactRow,
    target: &ContactRow,
    list: &PlannedList,
    can: &ServiceCapabilities,
) -> ExpressedUpdate {
    let mut update = ExpressedUpdate { expect: remote.clone(), ..ExpressedUpdate::default() };
    let (mut clearing, mut numbers, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for difference in remote.differences(target) {
        let field = difference.field;
        if !is_known_field(field, can) {
            unknown.push(field);
        } else if field.is_number() && !can.merge_may_change_identifiers {
            numbers.push(field);
        } else if let Some(key) = key_of_field(target, field).filter(|key| list.count_number(key) > 0) {
            // Two contacts with one number: from then on, a merge by that number would write into both.
            update.obstacles.push(ChangeObstacle::KeyTaken { key });
        } else if let Some(text) = difference.to {
            update.send.set(field, Some(text));
        } else if can.null_clears {
            update.clear.push(field);
        } else {
            clearing.push(field);
        }
    }
    for (field, text) in update.send.iter() {
        update.expect.set(field, Some(text));
    }
    for field in &update.clear {
        update.expect.set(*field, None);
    }
    if update.expect == *target {
        // Take the target itself, so that both rows share their values.
        update.expect = target.clone();
    }
    // A number identifies the contact if this request does not change it and no other contact has it.
    let finds = |kind: &KeyKind| {
        remote
            .key_of_kind(*kind)
            .is_some_and(|key| list.count_number(&key) <= 1 && update.expect.key_of_kind(*kind).as_ref() == Some(&key))
    };
    update.keys = KeyKind::ALL.into_iter().filter(finds).collect();
    if update.has_content() && update.keys.is_empty() {
        update.obstacles.push(ChangeObstacle::NoKey);
        (update.send, update.clear, update.expect) = (ContactRow::default(), Vec::new(), remote.clone());
    }
    let refused = [
        (clearing, (|fields| ChangeObstacle::Clearing { fields }) as fn(Vec<SyncField>) -> ChangeObstacle),
        (numbers, |fields| ChangeObstacle::Number { fields }),
        (unknown, |fields| ChangeObstacle::UnknownField { fields }),
    ];
    update.obstacles.extend(
        refused.into_iter().filter(|(fields, _)| !fields.is_empty()).map(|(fields, to_obstacle)| to_obstacle(fields)),
    );
    update
}
