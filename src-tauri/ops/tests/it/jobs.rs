//! Tests that contact jobs, which run in set-based SQL, give the results of a simple model that handles one contact
//! after the other.

use std::borrow::Cow;

use proptest::{collection::vec, option::of, prelude::*, sample::select};
use roost_model::{
    contact::{ATTRIBUTES, MergeType, ValidContact},
    id::ListId,
    page::PageRequest,
};
use roost_ops::{
    Actor, Core, contact, custom_field,
    job::{self, NewJob},
    list::{self, UniqueNames},
};

use crate::{
    job_model::{JobModel, ModelList, SubmittedJob, to_record},
    support::{START, account, cases, check, every_list, phone, query_contacts},
};

const LISTS: usize = 2;

#[derive(Debug, Clone)]
enum ModelStep {
    Enqueue(SubmittedJob),
    Run,
    Tick(i64),
    RemoveField(usize),
    AddField,
    DeleteContact { list: usize, record: usize },
    DeleteList(usize),
}

/// Returns one of few numbers, so that they collide. The same numbers serve as phone and WhatsApp numbers.
fn any_number() -> impl Strategy<Value = u16> {
    0u16..5
}

fn any_text() -> impl Strategy<Value = Cow<'static, str>> {
    select(&["a", "b", "c", "O'Hara", "a\0b", "🐦", "\u{202e}שלום", "=1+1'; DROP TABLE contacts;--"][..])
        .prop_map(Cow::Borrowed)
}

fn any_contact() -> impl Strategy<Value = ValidContact<'static>> {
    let numbers = prop_oneof![
        4 => any_number().prop_map(|n| (Some(n), None)),
        2 => any_number().prop_map(|n| (None, Some(n))),
        3 => (any_number(), any_number()).prop_map(|(p, w)| (Some(p), Some(w))),
    ];
    (numbers, vec((0..ATTRIBUTES, any_text()), 0..4), vec((1u32..6, any_text()), 0..3)).prop_map(
        |((number, whatsapp), attributes, custom)| {
            let mut contact =
                ValidContact { phone: number.map(phone), whatsapp: whatsapp.map(phone), ..ValidContact::default() };
            for (i, text) in attributes {
                contact.attributes[i] = Some(text);
            }
            for (number, text) in custom {
                if contact.custom.iter().all(|(n, _)| *n != number) {
                    contact.custom.push((number, text));
                }
            }
            contact.custom.sort_by_key(|(number, _)| *number);
            contact
        },
    )
}

fn any_job() -> impl Strategy<Value = ModelStep> {
    (0..LISTS, select(&MergeType::ALL[..]), vec(any_contact(), 1..9))
        .prop_map(|(list, merge_type, contacts)| ModelStep::Enqueue(SubmittedJob { list, merge_type, contacts }))
}

fn any_step() -> impl Strategy<Value = ModelStep> {
    prop_oneof![
        12 => any_job(),
        12 => Just(ModelStep::Run),
        6 => (1i64..3).prop_map(ModelStep::Tick),
        2 => any::<prop::sample::Index>().prop_map(|i| ModelStep::RemoveField(i.index(100))),
        1 => Just(ModelStep::AddField),
        2 => (0..LISTS, 0usize..100).prop_map(|(list, record)| ModelStep::DeleteContact { list, record }),
        1 => (0..LISTS).prop_map(ModelStep::DeleteList),
    ]
}

/// An account and its model.
struct AccountWithModel {
    core: Core,
    model: JobModel,
    lists: Vec<ListId>,
    queue: std::collections::VecDeque<SubmittedJob>,
}

impl AccountWithModel {
    fn new() -> Self {
        let core = account();
        let make = |i| list::create(&core, &Actor::interface(), &format!("list {i}"), UniqueNames::Off).unwrap().uid;
        let lists = (0..LISTS).map(make).collect();
        Self { core, model: JobModel::new(LISTS, START), lists, queue: Default::default() }
    }

    fn apply_step(&mut self, step: &ModelStep) {
        match step {
            ModelStep::Enqueue(new) => self.enqueue(new),
            ModelStep::Run => self.run(),
            ModelStep::Tick(seconds) => {
                self.core.ctx().advance(*seconds);
                self.model.now += seconds;
            }
            ModelStep::RemoveField(pick) => {
                if let Some(number) = self.model.fields.iter().copied().nth(pick % self.model.fields.len().max(1)) {
                    custom_field::remove(&self.core, &Actor::operator(), number).unwrap();
                    self.model.remove_field(number);
                }
            }
            ModelStep::AddField => {
                let added = custom_field::add(&self.core, &Actor::operator(), "more").unwrap();
                assert_eq!(added.number, self.model.add_field(), "a number is never used again");
            }
            ModelStep::DeleteContact { list, record } => self.delete_contact(*list, *record),
            ModelStep::DeleteList(list) => {
                let deleted = list::delete(&self.core, &Actor::interface(), &self.lists[*list]);
                assert_eq!(deleted.is_ok(), self.model.lists[*list].take().is_some());
            }
        }
    }

    /// Queues a job with only the custom fields that are defined at that time, because the front door accepts no
    /// others.
    fn enqueue(&mut self, new: &SubmittedJob) {
        let mut new = new.clone();
        for contact in &mut new.contacts {
            contact.custom.retain(|(number, _)| self.model.fields.contains(number));
        }
        let request = NewJob {
            list: self.lists[new.list].clone(),
            merge_type: new.merge_type,
            callback_url: None,
            correlation_id: None,
            contacts: new.contacts.clone(),
        };
        let queued = job::enqueue(&self.core, &Actor::interface(), request);
        assert_eq!(queued.is_ok(), self.model.lists[new.list].is_some(), "{queued:?}");
        if queued.is_ok() {
            self.queue.push_back(new);
        }
    }

    fn delete_contact(&mut self, list: usize, record: usize) {
        let Some(model) = &self.model.lists[list] else { return };
        if model.records.is_empty() {
            return;
        }
        let record = record % model.records.len();
        let uid = model.records[record].uid.clone().unwrap();
        contact::delete(&self.core, &Actor::interface(), &uid).unwrap();
        assert!(contact::delete(&self.core, &Actor::interface(), &uid).is_err(), "it is gone");
        self.model.delete_contact(list, record);
    }

    fn run(&mut self) {
        let done = job::run_next(&self.core).unwrap();
        let Some(new) = self.queue.pop_front() else {
            assert_eq!(done, None);
            return;
        };
        let done = done.unwrap();
        let (totals, expected_outcomes) = self.model.run(&new);
        assert_eq!(done.totals, totals, "{new:?}");
        assert_eq!(done.list_id, self.lists[new.list], "jobs run in the order they were queued");
        assert_eq!(job::get(&self.core, done.id).unwrap(), done);
        self.compare_lists();
        let outcomes = job::read_outcomes(&self.core, done.id).unwrap();
        assert_eq!(outcomes.len(), expected_outcomes.len());
        for (i, (outcome, (expected, places))) in outcomes.iter().zip(expected_outcomes).enumerate() {
            assert_eq!((outcome.position, outcome.outcome), (i as u32, expected), "{new:?}");
            let uid_at =
                |place: &usize| self.model.lists[new.list].as_ref().and_then(|l| l.records[*place].uid.clone());
            let possible: Vec<_> = places.iter().map(uid_at).collect();
            let fits =
                if possible.is_empty() { outcome.contact_id.is_none() } else { possible.contains(&outcome.contact_id) };
            assert!(fits, "contact {i} is reported as {:?}, not one of {possible:?}", outcome.contact_id);
        }
    }

    /// Compares both lists completely. A record gets its uid when it is first seen, and must keep it.
    fn compare_lists(&mut self) {
        let kept = every_list(&self.core);
        for (uid, model) in self.lists.iter().zip(&mut self.model.lists) {
            let list = kept.iter().find(|list| list.uid == *uid);
            let Some(ModelList { records, updated_at }) = model else {
                assert!(list.is_none());
                continue;
            };
            let list = list.unwrap();
            assert_eq!((list.contact_count, list.updated_at.unix()), (records.len() as u64, *updated_at));
            let found = query_contacts(&self.core, uid, None, None);
            assert_eq!(found.total, records.len() as u64);
            assert_eq!(found.custom, self.model.fields.iter().copied().collect::<Vec<_>>());
            // Ids rise with time, so newest first is the reverse order of creation.
            let seen: Vec<_> = found.contacts.iter().rev().map(|contact| to_record(contact, &found.custom)).collect();
            assert_eq!(seen.len(), records.len());
            for (record, seen) in records.iter_mut().zip(&seen) {
                record.uid.get_or_insert_with(|| seen.uid.clone().unwrap());
            }
            assert_eq!(*records, seen);
        }
    }

    /// Compares searches and pages with the same contacts.
    fn compare_cuts(&self, size: u32) {
        for uid in self.lists.iter().zip(&self.model.lists).filter_map(|(uid, model)| model.is_some().then_some(uid)) {
            let all = query_contacts(&self.core, uid, None, None).contacts;
            for last in 0..6 {
                let number = phone(last).e164;
                let has = |p: &Option<roost_model::phone::Phone>| p.as_ref().is_some_and(|p| p.e164 == number);
                let expected: Vec<_> = all.iter().filter(|c| has(&c.phone) || has(&c.whatsapp)).cloned().collect();
                let found = query_contacts(&self.core, uid, Some(&number), None);
                assert_eq!((found.total, &found.contacts), (expected.len() as u64, &expected));
                let second = query_contacts(&self.core, uid, Some(&number), Some(PageRequest { number: 2, size }));
                assert_eq!(
                    second.contacts,
                    expected.into_iter().skip(size as usize).take(size as usize).collect::<Vec<_>>()
                );
            }
            let pages: Vec<_> = (1..)
                .map(|number| query_contacts(&self.core, uid, None, Some(PageRequest { number, size })))
                .take_while(|page| !page.contacts.is_empty())
                .flat_map(|page| page.contacts)
                .collect();
            assert_eq!(pages, all);
        }
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn any_history_of_jobs_gives_what_one_contact_after_the_other_gives(steps in vec(any_step(), 1..17), size in 1u32..4) {
        let mut both = AccountWithModel::new();
        for step in &steps {
            both.apply_step(step);
        }
        while !both.queue.is_empty() {
            both.run();
        }
        both.run();
        both.compare_lists();
        both.compare_cuts(size);
        check(&both.core);
    }

}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn one_large_batch_on_a_filled_list_gives_what_one_contact_after_the_other_gives(
        filled in vec(any_contact(), 0..40),
        batch in vec(any_contact(), 1..60),
        merge_type in select(&MergeType::ALL[..]),
        removed in of(1u32..4),
    ) {
        let mut both = AccountWithModel::new();
        both.apply_step(&ModelStep::Enqueue(SubmittedJob { list: 0, merge_type: MergeType::AllowDuplicates, contacts: filled }));
        both.apply_step(&ModelStep::Run);
        both.apply_step(&ModelStep::Tick(7));
        both.apply_step(&ModelStep::Enqueue(SubmittedJob { list: 0, merge_type, contacts: batch }));
        if let Some(number) = removed {
            both.apply_step(&ModelStep::RemoveField(number as usize - 1));
        }
        both.apply_step(&ModelStep::Run);
        check(&both.core);
    }
}
