//! What a request amounts to before the list is looked at.
//!
//! Contacts of one request take effect one after the other, so those with the same number concern one
//! record. They are folded here, and the database sees each record once.

use std::{borrow::Cow, collections::HashMap};

use roost_model::contact::{MergeType, SettledContact};
use roost_store::tables::batch::Key;

/// One record to make, to merge or to leave out.
pub struct Record<'a> {
    /// The first contact of the record; in a merge, with what the later ones bring.
    pub contact: Cow<'a, SettledContact<'a>>,
    /// Later contacts with the same number.
    pub followers: u32,
}

/// A submitted contact and the record it belongs to.
pub struct Member {
    pub record: usize,
    pub is_first: bool,
}

pub struct Plan<'a> {
    /// What makes two contacts the same; nothing when duplicates are allowed.
    pub key: Option<Key>,
    /// Whether a match is updated; else it is left alone.
    pub merges: bool,
    pub records: Vec<Record<'a>>,
    /// One for each submitted contact, in order.
    pub members: Vec<Member>,
}

impl<'a> Plan<'a> {
    pub fn of(merge_type: MergeType, contacts: impl Iterator<Item = &'a SettledContact<'a>>) -> Self {
        let (key, merges) = match merge_type {
            MergeType::AllowDuplicates => (None, false),
            MergeType::SkipDuplicates => (Some(Key::Phone), false),
            MergeType::MergeByPhone => (Some(Key::Phone), true),
            MergeType::MergeByWhatsapp => (Some(Key::Whatsapp), true),
        };
        let most = contacts.size_hint().1.unwrap_or_default();
        let mut plan = Self { key, merges, records: Vec::with_capacity(most), members: Vec::with_capacity(most) };
        let mut record_of: HashMap<&str, usize> = HashMap::with_capacity(most);
        for contact in contacts {
            let number = key.and_then(|key| key.of(contact));
            let known = number.and_then(|number| record_of.get(number).copied());
            let record = known.unwrap_or(plan.records.len());
            plan.members.push(Member { record, is_first: known.is_none() });
            match known {
                Some(record) => {
                    let record = &mut plan.records[record];
                    record.followers += 1;
                    if merges {
                        take(record.contact.to_mut(), contact);
                    }
                }
                None => {
                    plan.records.push(Record { contact: Cow::Borrowed(contact), followers: 0 });
                    if let Some(number) = number {
                        record_of.insert(number, record);
                    }
                }
            }
        }
        plan
    }
}

/// Everything `later` brings replaces what `record` had.
fn take<'a>(record: &mut SettledContact<'a>, later: &SettledContact<'a>) {
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
