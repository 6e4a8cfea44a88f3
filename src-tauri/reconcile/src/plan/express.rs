//! Determines which part of an edited contact the interface can express.

use crate::{
    input::{Capabilities, List},
    plan::Obstacle,
    row::{Field, Key, KeyKind, Row},
};

/// An update, reduced to what the interface can express.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expressed {
    /// The numbers that identify this contact and no other.
    pub by: Vec<KeyKind>,
    /// The changed values, without the number that identifies the contact.
    pub send: Row,
    pub clear: Vec<Field>,
    /// The contact after the update.
    pub expect: Row,
    pub obstacles: Vec<Obstacle>,
}

impl Expressed {
    pub fn says_something(&self) -> bool {
        !self.send.is_empty() || !self.clear.is_empty()
    }

    /// Returns whether creating the contact again would express more.
    pub fn wants_replacing(&self) -> bool {
        self.obstacles.iter().any(|obstacle| !matches!(obstacle, Obstacle::UnknownField { .. }))
    }
}

pub fn is_known(field: Field, can: &Capabilities) -> bool {
    match field {
        Field::Custom(number) => can.custom_fields.binary_search(&number).is_ok(),
        _ => true,
    }
}

/// Removes the fields that the service does not have, and returns them as well.
pub fn without_unknown(row: &Row, can: &Capabilities) -> (Row, Vec<Field>) {
    let unknown: Vec<Field> = row.iter().map(|(field, _)| field).filter(|field| !is_known(*field, can)).collect();
    let mut known = row.clone();
    for field in &unknown {
        known.set(*field, None);
    }
    (known, unknown)
}

fn key_in(row: &Row, field: Field) -> Option<Key> {
    row.keys().find(|key| key.kind.field() == field)
}

/// Turns the difference between the service's row and the target into an update, and collects the obstacles.
pub fn express(there: &Row, target: &Row, list: &List, can: &Capabilities) -> Expressed {
    let mut said = Expressed { expect: there.clone(), ..Expressed::default() };
    let (mut clearing, mut numbers, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for difference in there.differences(target) {
        let field = difference.field;
        if !is_known(field, can) {
            unknown.push(field);
        } else if field.is_number() && !can.merge_may_change_identifiers {
            numbers.push(field);
        } else if let Some(key) = key_in(target, field).filter(|key| list.taken(key) > 0) {
            // Two contacts with one number: from then on, a merge by that number would write into both.
            said.obstacles.push(Obstacle::KeyTaken { key });
        } else if let Some(text) = difference.to {
            said.send.set(field, Some(text));
        } else if can.null_clears {
            said.clear.push(field);
        } else {
            clearing.push(field);
        }
    }
    for (field, text) in said.send.iter() {
        said.expect.set(field, Some(text));
    }
    for field in &said.clear {
        said.expect.set(*field, None);
    }
    if said.expect == *target {
        // Take the target itself, so that both rows share their values.
        said.expect = target.clone();
    }
    // A number identifies the contact if this request does not change it and no other contact has it.
    let finds = |kind: &KeyKind| {
        there.key(*kind).is_some_and(|key| list.taken(&key) <= 1 && said.expect.key(*kind).as_ref() == Some(&key))
    };
    said.by = KeyKind::ALL.into_iter().filter(finds).collect();
    if said.says_something() && said.by.is_empty() {
        said.obstacles.push(Obstacle::NoKey);
        (said.send, said.clear, said.expect) = (Row::default(), Vec::new(), there.clone());
    }
    let told = [
        (clearing, (|fields| Obstacle::Clearing { fields }) as fn(Vec<Field>) -> Obstacle),
        (numbers, |fields| Obstacle::Number { fields }),
        (unknown, |fields| Obstacle::UnknownField { fields }),
    ];
    said.obstacles.extend(told.into_iter().filter(|(fields, _)| !fields.is_empty()).map(|(fields, of)| of(fields)));
    said
}
