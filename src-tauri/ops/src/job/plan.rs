//! Plans a request before the list is read.
//!
//! The contacts of one request take effect one after the other, so those with the same number concern one record. They
//! are combined here, and the database sees each record once.

use std::{borrow::Cow, collections::HashMap};

use roost_model::contact::{MergeType, ValidContact};
use roost_store::tables::batch::MatchKey;

/// A record to create, to merge or to skip.
pub(super) struct PlannedRecord<'a> {
    /// The first contact of the record. In a merge, it includes the values of later contacts.
    pub contact: Cow<'a, ValidContact<'a>>,
    /// The number of later contacts with the same number.
    pub followers: u32,
}

/// A submitted contact and the record to which it belongs.
pub(super) struct SubmittedContact {
    pub record: usize,
    pub is_first: bool,
}

pub(super) struct JobPlan<'a> {
    /// The key by which two contacts are the same, or `None` if duplicates are allowed.
    pub key: Option<MatchKey>,
    /// Whether an existing match is updated rather than left unchanged.
    pub merges: bool,
    pub records: Vec<PlannedRecord<'a>>,
    /// One entry for each submitted contact, in order.
    pub members: Vec<SubmittedContact>,
}

impl<'a> JobPlan<'a> {
    pub(super) fn from_contacts(merge_type: MergeType, contacts: impl Iterator<Item = &'a ValidContact<'a>>) -> Self {
        let (key, merges) = match merge_type {
            MergeType::AllowDuplicates => (None, false),
            MergeType::SkipDuplicates => (Some(MatchKey::Phone), false),
            MergeType::MergeByPhone => (Some(MatchKey::Phone), true),
            MergeType::MergeByWhatsapp => (Some(MatchKey::Whatsapp), true),
        };
        let most = contacts.size_hint().1.unwrap_or_default();
        let mut plan = Self { key, merges, records: Vec::with_capacity(most), members: Vec::with_capacity(most) };
        let mut record_of: HashMap<&str, usize> = HashMap::with_capacity(most);
        for contact in contacts {
            let number = key.and_then(|key| key.number_of(contact));
            let known = number.and_then(|number| record_of.get(number).copied());
            let record = known.unwrap_or(plan.records.len());
            plan.members.push(SubmittedContact { record, is_first: known.is_none() });
            match known {
                Some(record) => {
                    let record = &mut plan.records[record];
                    record.followers += 1;
                    if merges {
                        merge_values(record.contact.to_mut(), contact);
                    }
                }
                None => {
                    plan.records.push(PlannedRecord { contact: Cow::Borrowed(contact), followers: 0 });
                    if let Some(number) = number {
                        record_of.insert(number, record);
                    }
                }
            }
        }
        plan
    }
}

/// Overwrites the values of `record` with all values that `later` has.
fn merge_values<'a>(record: &mut ValidContact<'a>, later: &ValidContact<'a>) {
    for (old, new) in [(&mut record.phone, &later.phone), (&mut record.whatsapp, &later.whatsapp)] {
        if new.is_some() {
            old.clone_from(new);
        }
    }
    for (old, new) in record.attributes.iter_mut().zip(&later.attributes) {
        if new.is_some() {
            old.clone_from(new);
        }
    }
    for (number, text) in &later.custom {
        match record.custom.iter_mut().find(|(n, _)| n == number) {
            Some((_, old)) => old.clone_from(text),
            None => record.custom.push((*number, text.clone())),
        }
    }
}
