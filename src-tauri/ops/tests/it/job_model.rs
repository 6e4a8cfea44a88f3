//! Models contact jobs as decided in D57 and D82 to D89: one contact after the other, in the simplest way.

use std::collections::{BTreeMap, BTreeSet};

use roost_model::{
    contact::{ATTRIBUTES, Contact, MergeType, ValidContact},
    id::ContactId,
    job::{JobContactOutcome, JobTotals},
    phone::Phone,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelRecord {
    /// Set when the record is first seen in the account; it must not change afterwards.
    pub uid: Option<ContactId>,
    pub phone: Option<Phone>,
    pub whatsapp: Option<Phone>,
    pub attributes: [Option<String>; ATTRIBUTES],
    pub custom: BTreeMap<u32, String>,
    pub created_at: i64,
    pub updated_at: Option<i64>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ModelList {
    /// The records in the order of creation.
    pub records: Vec<ModelRecord>,
    pub updated_at: i64,
}

#[derive(Debug, Clone)]
pub(crate) struct SubmittedJob {
    pub list: usize,
    pub merge_type: MergeType,
    pub contacts: Vec<ValidContact<'static>>,
}

/// The outcome of one contact, and the positions of the records that it created or changed.
pub(crate) type ModelOutcome = (JobContactOutcome, Vec<usize>);

#[derive(Debug, Clone)]
pub(crate) struct JobModel {
    /// The lists; a deleted one is `None`.
    pub lists: Vec<Option<ModelList>>,
    pub fields: BTreeSet<u32>,
    pub highest_field: u32,
    pub now: i64,
}

impl JobModel {
    pub(crate) fn new(lists: usize, now: i64) -> Self {
        let list = ModelList { records: Vec::new(), updated_at: now };
        Self { lists: vec![Some(list); lists], fields: BTreeSet::from([1, 2, 3]), highest_field: 3, now }
    }

    pub(crate) fn run(&mut self, job: &SubmittedJob) -> (JobTotals, Vec<ModelOutcome>) {
        let (now, fields) = (self.now, &self.fields);
        let mut totals = JobTotals::default();
        let mut outcomes = Vec::new();
        for contact in &job.contacts {
            let Some(list) = &mut self.lists[job.list] else {
                totals.failed += 1;
                outcomes.push((JobContactOutcome::Failed, Vec::new()));
                continue;
            };
            let same = |a: &Option<Phone>, b: &Option<Phone>| a.is_some() && a == b;
            let matches: Vec<usize> = (0..list.records.len())
                .filter(|i| match job.merge_type {
                    MergeType::AllowDuplicates => false,
                    MergeType::SkipDuplicates | MergeType::MergeByPhone => {
                        same(&contact.phone, &list.records[*i].phone)
                    }
                    MergeType::MergeByWhatsapp => same(&contact.whatsapp, &list.records[*i].whatsapp),
                })
                .collect();
            if matches.is_empty() {
                list.records.push(record_of(contact, fields, now));
                list.updated_at = now;
                totals.imported += 1;
                outcomes.push((JobContactOutcome::Imported, vec![list.records.len() - 1]));
            } else if job.merge_type == MergeType::SkipDuplicates {
                totals.skipped += 1;
                outcomes.push((JobContactOutcome::Skipped, Vec::new()));
            } else {
                for i in &matches {
                    merge_contact(contact, fields, &mut list.records[*i]);
                    list.records[*i].updated_at = Some(now);
                    totals.merged += 1;
                }
                list.updated_at = now;
                outcomes.push((JobContactOutcome::Merged, matches));
            }
        }
        (totals, outcomes)
    }

    pub(crate) fn remove_field(&mut self, number: u32) {
        self.fields.remove(&number);
        for list in self.lists.iter_mut().flatten() {
            for record in &mut list.records {
                record.custom.remove(&number);
            }
        }
    }

    pub(crate) fn add_field(&mut self) -> u32 {
        self.highest_field += 1;
        self.fields.insert(self.highest_field);
        self.highest_field
    }

    pub(crate) fn delete_contact(&mut self, list: usize, record: usize) {
        if let Some(list) = &mut self.lists[list] {
            list.records.remove(record);
            list.updated_at = self.now;
        }
    }
}

fn record_of(contact: &ValidContact, fields: &BTreeSet<u32>, now: i64) -> ModelRecord {
    let mut record = ModelRecord {
        uid: None,
        phone: None,
        whatsapp: None,
        attributes: Default::default(),
        custom: BTreeMap::new(),
        created_at: now,
        updated_at: None,
    };
    merge_contact(contact, fields, &mut record);
    record
}

/// Overwrites the record's values with all values that the contact has.
fn merge_contact(contact: &ValidContact, fields: &BTreeSet<u32>, record: &mut ModelRecord) {
    if contact.phone.is_some() {
        record.phone.clone_from(&contact.phone);
    }
    if contact.whatsapp.is_some() {
        record.whatsapp.clone_from(&contact.whatsapp);
    }
    for (i, text) in contact.attributes.iter().enumerate() {
        if let Some(text) = text {
            record.attributes[i] = Some(text.to_string());
        }
    }
    for (number, text) in &contact.custom {
        if fields.contains(number) {
            record.custom.insert(*number, text.to_string());
        }
    }
}

/// Converts a contact of the account to the form of the model.
pub(crate) fn to_record(contact: &Contact, fields: &[u32]) -> ModelRecord {
    let custom = fields.iter().zip(&contact.custom).filter_map(|(number, text)| Some((*number, text.clone()?)));
    ModelRecord {
        uid: Some(contact.uid.clone()),
        phone: contact.phone.clone(),
        whatsapp: contact.whatsapp.clone(),
        attributes: contact.attributes.clone(),
        custom: custom.collect(),
        created_at: contact.created_at.unix(),
        updated_at: contact.updated_at.map(|t| t.unix()),
    }
}
