//! Tests replacing an account with an image: the resulting content, and what happens to handles of the former content.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Condvar, Mutex},
    thread,
};

use proptest::{collection::vec, prelude::*};
use roost_model::{
    contact::{MergeType, ValidContact},
    time::Timestamp,
};
use roost_ops::{
    Actor, ActorKind, ChangeNotice, Core, Ctx, Error, Image, Noun, StoreError, callback,
    ctx::Clock,
    history,
    job::{self, NewJob},
    list::{self, UniqueNames},
};

use crate::{
    seeds::{BASE, RandomLife, any_act, export_json},
    support::{START, account, cases, check, every_list, phone},
};

fn ctx() -> Ctx {
    Ctx::seeded(Clock::fixed(Timestamp::from_unix(START)), 1)
}

fn open_file(folder: &Path) -> Core {
    Core::open(&folder.join("account.roost"), ctx()).unwrap()
}

fn create_list(core: &Core, name: &str) -> Result<(), Error> {
    list::create(core, &Actor::operator(), name, UniqueNames::Off).map(|_| ())
}

fn list_names(core: &Core) -> Vec<String> {
    every_list(core).into_iter().map(|list| list.name).collect()
}

/// Returns a handle and its exact epoch.
fn fenced_handle(core: &Core) -> (u64, Core) {
    loop {
        let (before, handle) = (core.epoch(), core.fenced());
        if before == core.epoch() {
            return (before, handle);
        }
    }
}

/// State shared by the writers and the thread that replaces the account.
#[derive(Default)]
struct SharedState {
    epoch: u64,
    /// The number of attempts with handles of each epoch.
    tries: BTreeMap<u64, u64>,
    is_over: bool,
}

/// Writers write late while another thread replaces the account repeatedly.
fn late_writers(core: &Core, times: u64) {
    const WRITERS: u64 = 4;
    let (state, changed) = (Mutex::new(SharedState { epoch: core.epoch(), ..SharedState::default() }), Condvar::new());
    let tell = |how: &dyn Fn(&mut SharedState)| {
        how(&mut state.lock().unwrap());
        changed.notify_all();
    };
    let wait = |until: &dyn Fn(&mut SharedState) -> bool| {
        drop(changed.wait_while(state.lock().unwrap(), |state| !until(state)))
    };
    let write = |writer: u64| {
        while !state.lock().unwrap().is_over {
            // A handle made from a handle belongs to the same epoch.
            let (epoch, handle) = fenced_handle(core);
            let handle = handle.caused_by(writer).fenced();
            for count in 0..3 {
                if let Err(error) = create_list(&handle, &format!("of {epoch} by {writer} as {count}")) {
                    assert!(error.is_superseded(), "{error}");
                    assert_ne!(core.epoch(), epoch, "refused though nothing was replaced");
                }
                tell(&|state| *state.tries.entry(epoch).or_default() += 1);
            }
            wait(&|state| state.epoch > epoch || state.is_over);
            let late = create_list(&handle, &format!("of {epoch} by {writer}, late"));
            assert!(late.is_ok() == (core.epoch() == epoch), "{late:?}");
        }
    };
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let write = &write;
            scope.spawn(move || write(writer));
        }
        for epoch in core.epoch() + 1..=core.epoch() + times {
            wait(&|state| *state.tries.entry(epoch - 1).or_default() >= epoch % 5);
            assert_eq!(core.replace(Image::empty().unwrap()).unwrap(), epoch);
            tell(&|state| state.epoch = epoch);
        }
        tell(&|state| state.is_over = true);
    });
    let of_the_last = format!("of {} ", core.epoch());
    assert!(list_names(core).iter().all(|name| name.starts_with(&of_the_last)), "{:?}", list_names(core));
    check(core);
}

#[test]
fn a_replaced_account_refuses_the_late_write_of_an_old_handle() {
    let core = account();
    let old = core.fenced();
    create_list(&old, "before").unwrap();
    assert_eq!(core.replace(Image::empty().unwrap()).unwrap(), 1);
    let late = create_list(&old, "late");
    assert!(matches!(late, Err(Error::Store(StoreError::Superseded))), "{late:?}");
    let mut has_run = false;
    let quietly = old.write_quietly(|_| {
        has_run = true;
        Ok(())
    });
    assert!(quietly.is_err_and(|error| error.is_superseded()) && !has_run);
    assert_eq!((list_names(&old), old.epoch()), (Vec::new(), 1), "it may look at what is there now");
    create_list(&core, "a handle without a fence").unwrap();
    create_list(&core.fenced(), "a new handle").unwrap();
    assert_eq!(list_names(&core).len(), 2);

    late_writers(&core, 100);
    let folder = tempfile::tempdir().unwrap();
    late_writers(&open_file(folder.path()), 10);
}

/// Nothing remains of a replaced account: no memory, no thread and no file.
#[test]
fn ten_thousand_replacements_take_the_same_time() {
    let core = account();
    create_list(&core, "kept in the image").unwrap();
    let image = core.image().unwrap();
    let measure = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let read = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default()
        };
        let files = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        (read("VmRSS:"), read("Threads:"), files)
    };
    let round = |number: u64| {
        if number.is_multiple_of(100) {
            create_list(&core.caused_by(number), "gone with the next").unwrap();
        }
        core.replace(&image).unwrap();
    };
    (0..500).for_each(round);
    let before = measure();
    (500..10_000).for_each(round);
    let after = measure();
    // Other tests may run in this process. Leaks of every replacement would add up to far more.
    assert!(after.0 < before.0 + (512 << 10), "{before:?} became {after:?}: KiB, threads, files");
    assert!(after.1 < before.1 + 500 && after.2 < before.2 + 500, "{before:?} became {after:?}: KiB, threads, files");
    assert_eq!((core.epoch(), core.image().unwrap().bytes().len()), (10_000, image.bytes().len()));
    assert_eq!(list_names(&core), ["kept in the image"]);
}

proptest! {
    #![proptest_config(cases(20))]

    #[test]
    fn an_image_of_a_file_and_of_memory_export_the_same(first in vec(any_act(), 0..50), then in vec(any_act(), 0..30)) {
        let folder = tempfile::tempdir().unwrap();
        let (memory, file) = (account(), open_file(folder.path()));
        let (mut in_memory, mut in_file) = (RandomLife::default(), RandomLife::default());
        for act in first {
            in_memory.perform(&memory, act.clone());
            in_file.perform(&file, act);
        }
        let expected = export_json(&memory, BASE);
        prop_assert_eq!(export_json(&file, BASE), expected.as_str());
        let images = [memory.image().unwrap(), file.image().unwrap()];
        for image in &images {
            prop_assert_eq!(Image::check(image.bytes()).unwrap().bytes().len(), image.bytes().len());
            let made = Core::from_image(image, ctx()).unwrap();
            check(&made);
            prop_assert_eq!(export_json(&made, BASE), expected.as_str());
            prop_assert_eq!(history::read_undo_status(&made).unwrap(), history::read_undo_status(&memory).unwrap());
        }
        // Each account is replaced with the other's image and continues as before.
        for act in then {
            in_memory.perform(&memory, act.clone());
            in_file.perform(&file, act);
        }
        memory.replace(&images[1]).unwrap();
        file.replace(&images[0]).unwrap();
        for core in [&memory, &file] {
            prop_assert_eq!(export_json(core, BASE), expected.as_str());
            check(core);
            let me = Actor::user(None);
            list::create(core, &me, "One more", UniqueNames::Off).unwrap();
            history::undo(core, &me).unwrap();
            prop_assert_eq!(export_json(core, BASE), expected.as_str());
        }
        drop(file);
        let again = Core::open(&folder.path().join("account.roost"), ctx()).unwrap();
        prop_assert_eq!(export_json(&again, BASE), expected);
    }
}

#[test]
fn an_image_keeps_the_work_that_waits() {
    let core = account();
    create_list(&core, "VIP").unwrap();
    let list = every_list(&core)[0].uid.clone();
    let contacts = vec![ValidContact { phone: Some(phone(1)), ..ValidContact::default() }];
    let job =
        NewJob { list, merge_type: MergeType::SkipDuplicates, callback_url: None, correlation_id: None, contacts };
    job::enqueue(&core, &Actor::operator(), job).unwrap();
    let image = core.image().unwrap();
    for core in [core, Core::from_image(&image, ctx()).unwrap()] {
        core.replace(&image).unwrap();
        assert!(job::run_next(&core).unwrap().is_some());
        assert_eq!(every_list(&core)[0].contact_count, 1);
        core.replace(&image).unwrap();
        assert!(job::run_next(&core).unwrap().is_some(), "it waits again");
        assert_eq!(every_list(&core)[0].contact_count, 1);
    }
}

#[test]
fn an_image_without_its_work_has_nothing_to_run_or_to_call() {
    let core = account();
    create_list(&core, "VIP").unwrap();
    let list = every_list(&core)[0].uid.clone();
    let enqueue = |n| {
        let new = NewJob {
            list: list.clone(),
            merge_type: MergeType::SkipDuplicates,
            callback_url: Some("http://127.0.0.1:9/hook"),
            correlation_id: None,
            contacts: vec![ValidContact { phone: Some(phone(n)), ..ValidContact::default() }],
        };
        job::enqueue(&core, &Actor::operator(), new).unwrap();
    };
    enqueue(1);
    job::run_next(&core).unwrap();
    enqueue(2);
    let image = core.image().unwrap();
    let resting = image.without_work().unwrap();
    let made = Core::from_image(&resting, ctx()).unwrap();
    check(&made);
    assert!(job::run_next(&made).unwrap().is_none());
    assert!(callback::read_due(&made, 9).unwrap().is_empty() && callback::next_due_at(&made).unwrap().is_none());
    assert_eq!(every_list(&made)[0].contact_count, 1, "what was done stays");
    assert_eq!(history::read_undo_status(&made).unwrap(), history::read_undo_status(&core).unwrap());
    assert_eq!(resting.without_work().unwrap(), resting);
    assert!(job::run_next(&core).unwrap().is_some(), "the original still has its own");
}

#[test]
fn every_listener_is_notified_once() {
    let core = account();
    create_list(&core, "VIP").unwrap();
    let notices: Arc<Mutex<Vec<ChangeNotice>>> = Arc::default();
    let kept = Arc::clone(&notices);
    let _feed = core.subscribe(move |notice| kept.lock().unwrap().push(notice.clone()));
    let (image, generation) = (core.image().unwrap(), core.generation());
    core.replace(&image).unwrap();
    let notice = ChangeNotice {
        seq: 1,
        step: None,
        nouns: Noun::ALL.to_vec(),
        by: ActorKind::Operator,
        origin: None,
        cause: None,
    };
    assert_eq!(*notices.lock().unwrap(), [notice]);
    assert!(core.generation() > generation, "no answer kept before is given after");
    create_list(&core.caused_by(7), "Caused").unwrap();
    assert_eq!(notices.lock().unwrap().last().and_then(|notice| notice.cause), Some(7));
}
