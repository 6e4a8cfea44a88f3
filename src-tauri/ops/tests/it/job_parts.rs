//! Tests jobs that run in parts: each part is one commit, and the next part continues after it.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use roost_model::{
    contact::{MergeType, ValidContact},
    id::ListId,
    job::JobState,
    time::{DueTime, Timestamp},
};
use roost_ops::{
    Actor, Core,
    callback::{self, AttemptOutcome, AttemptResult, CallbackState},
    job::{self, CallbackTiming, ForcedFailures, JobOptions, NewJob},
    list::{self, UniqueNames},
};

use crate::support::{START, account, phone};

fn queue_job(core: &Core, count: u16) -> (i64, ListId) {
    let list = list::create(core, &Actor::interface(), "VIP", UniqueNames::Off).unwrap().uid;
    let contacts = (0..count).map(|n| ValidContact { phone: Some(phone(n)), ..ValidContact::default() }).collect();
    let new = NewJob {
        list: list.clone(),
        merge_type: MergeType::SkipDuplicates,
        callback_url: Some("https://client.example/hook"),
        correlation_id: None,
        contacts,
    };
    (job::enqueue(core, &Actor::interface(), new).unwrap().id, list)
}

#[test]
fn a_job_is_recorded_before_a_worker_hears_of_it() {
    let core = account();
    let list = list::create(&core, &Actor::interface(), "VIP", UniqueNames::Off).unwrap().uid;
    let recorded = Arc::new(AtomicI64::new(0));
    let heard = recorded.clone();
    let _subscription = core.subscribe(move |_| assert_ne!(heard.load(Ordering::SeqCst), 0, "heard of it first"));
    let new = NewJob {
        list,
        merge_type: MergeType::SkipDuplicates,
        callback_url: None,
        correlation_id: None,
        contacts: vec![ValidContact { phone: Some(phone(1)), ..ValidContact::default() }],
    };
    let record = |id| recorded.store(id, Ordering::SeqCst);
    let job = job::enqueue_then(&core, &Actor::interface(), new, record).unwrap();
    assert_eq!(job.id, recorded.load(Ordering::SeqCst));
}

fn run_part(most: u32) -> JobOptions {
    JobOptions { most: Some(most), ..JobOptions::default() }
}

fn count_owed(core: &Core) -> usize {
    callback::read_due(core, 10).unwrap().len()
}

#[test]
fn a_job_killed_between_parts_goes_on_where_it_was() {
    let core = account();
    let (id, _) = queue_job(&core, 5);
    job::run(&core, id, &run_part(2)).unwrap();
    assert_eq!((job::count_done(&core, id).unwrap(), count_owed(&core)), (2, 0));
    // A new process continues the job without knowing of parts.
    let image = core.image().unwrap();
    let after = Core::from_image(&image, roost_ops::Ctx::system()).unwrap();
    let ended = job::run_next(&after).unwrap().unwrap();
    assert_eq!((ended.state, ended.totals.imported), (JobState::Done, 5));
    assert_eq!((job::read_outcomes(&after, id).unwrap().len(), count_owed(&after)), (5, 1));
    assert_eq!(job::run_next(&after).unwrap(), None);
}

#[test]
fn an_announced_job_ends_with_the_announced_result() {
    let core = account();
    let (id, list) = queue_job(&core, 3);
    let announced = job::announce_callback(&core, id, &JobOptions::default()).unwrap();
    assert_eq!((announced.state, announced.totals.imported, count_owed(&core)), (JobState::Queued, 3, 1));
    assert_eq!(list::get(&core, &list).unwrap().contact_count, 0, "the rehearsal is taken back");
    job::announce_callback(&core, id, &JobOptions::default()).unwrap();
    core.ctx().advance(60);
    let image = core.image().unwrap();
    for core in [core, Core::from_image(&image, roost_ops::Ctx::system()).unwrap()] {
        let ended = job::run_next(&core).unwrap().unwrap();
        assert_eq!(
            (ended.totals, ended.finished_at),
            (announced.totals, announced.finished_at),
            "the same bytes at every try"
        );
        assert_eq!(callback::count_by_state(&core, None).unwrap().waiting, 1, "and no second callback");
    }
}

#[test]
fn what_fails_on_purpose_is_counted_and_not_stored() {
    let core = account();
    let (id, list) = queue_job(&core, 4);
    let numbers = HashSet::from([phone(1).e164.trim_start_matches('+').to_owned()]);
    let way = JobOptions { fails: ForcedFailures { from: Some(3), numbers }, ..JobOptions::default() };
    let ended = job::run(&core, id, &way).unwrap();
    assert_eq!((ended.totals.imported, ended.totals.failed), (2, 2));
    assert_eq!(list::get(&core, &list).unwrap().contact_count, 2);
    let (id, _) = queue_job(&core, 4);
    job::run(&core, id, &run_part(1)).unwrap();
    let ended = job::fail_job(&core, id, CallbackTiming::Never).unwrap();
    assert_eq!((ended.totals.imported, ended.totals.failed, count_owed(&core)), (1, 3, 1), "the first job's alone");
}

#[test]
fn a_held_callback_is_due_when_it_is_released_and_stays_held_during_a_try() {
    let core = account();
    let (id, _) = queue_job(&core, 1);
    job::run(&core, id, &JobOptions { owes: CallbackTiming::Held, ..JobOptions::default() }).unwrap();
    assert_eq!((count_owed(&core), callback::count_by_state(&core, None).unwrap().held), (0, 1));
    let callback = callback::release_all(&core, &Actor::operator()).unwrap()[0];
    let (attempt, due, earlier) = callback::begin_due(&core, callback).unwrap().expect("due");
    assert_eq!((due.attempts, earlier.len()), (0, 0));
    callback::hold(&core, &Actor::operator(), callback).unwrap();
    assert!(callback::begin_due(&core, callback).unwrap().is_none(), "nothing leaves any more");
    let retry = AttemptOutcome::RetryAt(Timestamp::from_unix(START).into());
    callback::finish_attempt(&core, attempt, &AttemptResult { status: Some(500), error: None }, retry).unwrap();
    assert!(callback::get(&core, callback).unwrap().0.is_held());
    callback::release(&core, &Actor::operator(), callback).unwrap();
    let (attempt, ..) = callback::begin_due(&core, callback).unwrap().expect("due");
    callback::cancel(&core, &Actor::operator(), callback).unwrap();
    callback::finish_attempt(&core, attempt, &AttemptResult { status: Some(500), error: None }, retry).unwrap();
    assert_eq!(callback::get(&core, callback).unwrap().0.state, CallbackState::GivenUp);
    callback::redeliver(&core, &Actor::operator(), callback).unwrap();
    let (attempt, ..) = callback::begin_due(&core, callback).unwrap().expect("due");
    callback::cancel(&core, &Actor::operator(), callback).unwrap();
    let taken = AttemptResult { status: Some(200), error: None };
    callback::finish_attempt(&core, attempt, &taken, AttemptOutcome::Delivered).unwrap();
    assert_eq!(callback::get(&core, callback).unwrap().0.state, CallbackState::Delivered, "it was, all the same");
}

#[test]
fn callbacks_are_found_by_what_they_are() {
    let core = account();
    for owes in
        [CallbackTiming::Held, CallbackTiming::After(std::time::Duration::from_secs(60)), CallbackTiming::AtOnce]
    {
        let (id, _) = queue_job(&core, 1);
        job::run(&core, id, &JobOptions { owes, ..JobOptions::default() }).unwrap();
    }
    let counts = callback::count_by_state(&core, None).unwrap();
    assert_eq!((counts.waiting, counts.held), (2, 1));
    assert_eq!(callback::list_due(&core, 10).unwrap().len(), 1);
    assert_eq!(callback::next_due_at(&core).unwrap().map(DueTime::to_second), Some(Timestamp::from_unix(START)));
    core.ctx().advance(60);
    assert_eq!(callback::list_due(&core, 10).unwrap().len(), 2);
}
