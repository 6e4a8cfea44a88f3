//! Tests the outbox of callbacks: a callback is recorded with the job's result and attempted until it is delivered or
//! given up, and every attempt is recorded.

use roost_model::{
    contact::{MergeType, ValidContact},
    job::{JobContactOutcome, JobTotals},
    page::PageRequest,
};
use roost_ops::{
    Actor, Core,
    callback::{self, AttemptOutcome, AttemptResult, CallbackState},
    job::{self, NewJob},
    list::{self, UniqueNames},
};

use crate::support::{START, account, check, every_list, phone, query_contacts};

const ALL: PageRequest = PageRequest { number: 1, size: 100 };

fn contact(last: u16) -> ValidContact<'static> {
    ValidContact { phone: Some(phone(last)), ..ValidContact::default() }
}

/// Queues a job with a callback for a new list, runs it, and returns the outcomes of its contacts.
fn run_job_with_callback(core: &Core, contacts: Vec<ValidContact<'static>>) -> Vec<job::ContactOutcome> {
    let list = list::create(core, &Actor::interface(), "VIP", UniqueNames::Off).unwrap().uid;
    let new = NewJob {
        list,
        merge_type: MergeType::MergeByPhone,
        callback_url: Some("https://client.example/hook"),
        correlation_id: Some("job-17"),
        contacts,
    };
    let before = callback::read_due(core, 10).unwrap();
    let queued = job::enqueue(core, &Actor::interface(), new).unwrap();
    assert_eq!(callback::read_due(core, 10).unwrap(), before, "nothing is owed before the job ends");
    let done = job::run_next(core).unwrap().unwrap();
    assert_eq!(done.id, queued.id);
    job::read_outcomes(core, done.id).unwrap()
}

#[test]
fn a_finished_job_owes_one_callback_that_is_due_at_once() {
    let core = account();
    run_job_with_callback(&core, vec![contact(1)]);
    let due = callback::read_due(&core, 10).unwrap();
    assert_eq!(due.len(), 1);
    assert_eq!((due[0].attempts, due[0].state), (0, CallbackState::Waiting));
    assert_eq!(due[0].job.correlation_id.as_deref(), Some("job-17"));
    assert_eq!(callback::next_due_at(&core).unwrap().map(|t| t.to_second().unix()), Some(START));
    assert_eq!(job::run_next(&core).unwrap(), None);
    assert_eq!(callback::read_due(&core, 10).unwrap().len(), 1, "a worker that looks again owes nothing more");
}

#[test]
fn a_try_is_on_record_before_it_ends_and_one_that_was_cut_off_is_made_again() {
    let core = account();
    run_job_with_callback(&core, vec![contact(1)]);
    let id = callback::read_due(&core, 10).unwrap()[0].id;
    callback::begin_attempt(&core, id).unwrap();
    let (state, attempts) = callback::read_all(&core, ALL).unwrap().items.remove(0);
    assert_eq!((state.attempts, attempts.len(), attempts[0].finished_at), (1, 1, None));
    assert_eq!(callback::read_due(&core, 10).unwrap()[0].id, id, "still owed: nobody knows whether it arrived");
}

#[test]
fn a_failed_try_waits_for_its_time_and_the_end_is_final() {
    for (end, state) in
        [(AttemptOutcome::Delivered, CallbackState::Delivered), (AttemptOutcome::GivenUp, CallbackState::GivenUp)]
    {
        let core = account();
        run_job_with_callback(&core, vec![contact(1)]);
        let id = callback::read_due(&core, 10).unwrap()[0].id;
        let first = callback::begin_attempt(&core, id).unwrap();
        let later = roost_model::time::Timestamp::from_unix(START + 60).into();
        let failed = AttemptResult { status: Some(503), error: None };
        callback::finish_attempt(&core, first, &failed, AttemptOutcome::RetryAt(later)).unwrap();
        assert_eq!(callback::read_due(&core, 10).unwrap(), []);
        assert_eq!(callback::next_due_at(&core).unwrap(), Some(later));
        core.ctx().advance(60);
        assert_eq!(callback::read_due(&core, 10).unwrap()[0].attempts, 1);
        let second = callback::begin_attempt(&core, id).unwrap();
        let result = AttemptResult { status: None, error: Some("no answer in 10 s".to_owned()) };
        callback::finish_attempt(&core, second, &result, end).unwrap();
        core.ctx().advance(1_000_000);
        assert_eq!(callback::read_due(&core, 10).unwrap(), []);
        assert_eq!(callback::next_due_at(&core).unwrap(), None);
        let (kept, attempts) = callback::read_all(&core, ALL).unwrap().items.remove(0);
        assert_eq!((kept.state, kept.attempts), (state, 2));
        let described: Vec<_> =
            attempts.iter().map(|a| (a.number, a.status, a.error.as_deref(), a.finished_at.is_some())).collect();
        assert_eq!(described, [(1, Some(503), None, true), (2, None, Some("no answer in 10 s"), true)]);
    }
}

/// D83, D89: each contact sees those before it, and every update counts.
#[test]
fn a_record_made_and_then_updated_in_one_request_counts_as_both() {
    let core = account();
    let outcomes = run_job_with_callback(&core, vec![contact(1), contact(2), contact(1), contact(1)]);
    use JobContactOutcome::{Imported, Merged};
    assert_eq!(outcomes.iter().map(|o| o.outcome).collect::<Vec<_>>(), [Imported, Imported, Merged, Merged]);
    let totals = callback::read_due(&core, 1).unwrap()[0].job.totals;
    assert_eq!(totals, JobTotals { imported: 2, merged: 2, skipped: 0, failed: 0 });
    check(&core);
}

/// The front door refuses such a job. If one exists nevertheless, it must not block the jobs after it.
#[test]
fn a_job_without_contacts_ends_like_any_other() {
    let core = account();
    let created = START;
    assert_eq!(run_job_with_callback(&core, Vec::new()), []);
    run_job_with_callback(&core, vec![contact(1)]);
    let counts: Vec<_> = every_list(&core).iter().map(|l| (l.contact_count, l.updated_at.unix())).collect();
    assert_eq!(counts, [(0, created), (1, created)]);
    check(&core);
}

#[test]
fn a_job_whose_list_is_gone_fails_every_contact_and_still_calls_back() {
    let core = account();
    let list = list::create(&core, &Actor::interface(), "VIP", UniqueNames::Off).unwrap().uid;
    let new = NewJob {
        list: list.clone(),
        merge_type: MergeType::AllowDuplicates,
        callback_url: Some("https://client.example/hook"),
        correlation_id: None,
        contacts: vec![contact(1), contact(2)],
    };
    job::enqueue(&core, &Actor::interface(), new).unwrap();
    list::delete(&core, &Actor::interface(), &list).unwrap();
    let done = job::run_next(&core).unwrap().unwrap();
    assert_eq!(done.totals, JobTotals { failed: 2, ..JobTotals::default() });
    assert_eq!((done.list_name.as_str(), callback::read_due(&core, 1).unwrap().len()), ("VIP", 1));
    assert!(
        job::read_outcomes(&core, done.id)
            .unwrap()
            .iter()
            .all(|o| o.outcome == JobContactOutcome::Failed && o.contact_id.is_none())
    );
    check(&core);
}

/// Ten thousand contacts at full length are one job. Their stored text is removed when the job ends.
#[test]
fn a_full_batch_is_stored_byte_for_byte() {
    let core = account();
    let list = list::create(&core, &Actor::interface(), "VIP", UniqueNames::Off).unwrap().uid;
    let full = |i: usize| {
        let mut contact = ValidContact { phone: Some(phone(i as u16)), ..ValidContact::default() };
        for attribute in roost_model::contact::Attribute::ALL {
            let text: String =
                ["é", "🐦", "\u{5d0}", "\0", "'"].iter().copied().cycle().skip(i % 5).take(attribute.max()).collect();
            contact.attributes[attribute as usize] = Some(text.into());
        }
        contact.custom = vec![(1, "ü".repeat(500).into())];
        contact
    };
    let kinds: Vec<_> = (0..50).map(full).collect();
    let contacts: Vec<_> = kinds.iter().cloned().cycle().take(10_000).collect();
    let new = NewJob {
        list: list.clone(),
        merge_type: MergeType::AllowDuplicates,
        callback_url: None,
        correlation_id: None,
        contacts,
    };
    job::enqueue(&core, &Actor::interface(), new).unwrap();
    job::run_next(&core).unwrap();
    let stored = query_contacts(&core, &list, None, None).contacts;
    assert_eq!(stored.len(), 10_000);
    for (i, (contact, sent)) in stored.iter().rev().zip(kinds.iter().cycle()).enumerate() {
        assert_eq!(contact.phone, sent.phone);
        assert!(
            contact.attributes.iter().zip(&sent.attributes).all(|(stored, sent)| stored.as_deref() == sent.as_deref()),
            "contact {i}"
        );
        assert_eq!(contact.custom[0].as_deref(), Some(sent.custom[0].1.as_ref()));
    }
    check(&core);
}
