//! Tests that an erasure leaves nothing of a person, and everything of the others.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use proptest::prelude::*;
use roost_model::{
    contact::{MergeType, ValidContact},
    error::ErrorCode,
    id::ListId,
    time::Timestamp,
};
use roost_ops::{
    Actor, Core, Ctx,
    account::{
        backup::{self, CopyReason},
        erase::{Erasure, ErasureConsent, ErasureCounts},
        held::find_held,
    },
    contact::{self, FieldValues},
    ctx::Clock,
    history,
    job::{self, NewJob},
    list::{self, UniqueNames},
};
use tempfile::TempDir;

use crate::{
    support::{START, cases, check, every_list, phone},
    undo::{RandomMove, check_refusal, perform_move},
};

/// Parts of the person's values that occur nowhere else.
const MARKER: &str = "Zxqmarker";

fn me() -> Actor {
    Actor::user(None)
}

struct AccountFile {
    folder: TempDir,
    path: PathBuf,
}

impl AccountFile {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("account.roost");
        Self { folder, path }
    }

    fn open(&self, seed: u64) -> Core {
        Core::open(&self.path, Ctx::seeded(Clock::fixed(Timestamp::from_unix(START)), seed)).unwrap()
    }

    /// Returns the files that contain these bytes.
    fn files_with(&self, bytes: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let has = |file: &PathBuf| fs::read(file).unwrap().windows(bytes.len()).any(|part| part == bytes.as_bytes());
        entries.filter(has).collect()
    }

    /// Erases with every consent that is needed.
    fn erase(&self, number: &str, with_opt_outs: bool) -> Result<ErasureCounts, roost_ops::Error> {
        let opt_outs = Erasure::prepare(&self.path, number, None)?.plan().account.opt_outs;
        let opt_outs = with_opt_outs.then_some(opt_outs);
        let erasure = Erasure::prepare(&self.path, number, opt_outs)?;
        let planned = erasure.plan().account.clone();
        let done = erasure.apply(&me(), &ErasureConsent { opt_outs, ..ErasureConsent::default() })?;
        assert_eq!((done.erased.clone(), done.replaced.clone()), (planned.erased, planned.replaced), "as rehearsed");
        Ok(done)
    }
}

fn values(pairs: &[(&str, &str)]) -> FieldValues {
    pairs.iter().map(|(name, text)| ((*name).to_owned(), Some((*text).to_owned()))).collect()
}

fn first_list(core: &Core) -> ListId {
    match every_list(core).into_iter().next() {
        Some(list) => list.uid,
        None => list::create(core, &me(), "First", UniqueNames::Off).unwrap().uid,
    }
}

/// Adds a contact with the number and the marker, or changes those that have it.
fn change_person(core: &Core, number: &str, n: u16) {
    let list = first_list(core);
    let named = format!("{MARKER}{n}");
    let spelled = number.replace("+44", "0").replace("7700", "7700 ");
    match n % 4 {
        0 => {
            let fields =
                values(&[("phone_number", number), ("firstname", &named), ("address_1", &format!("{named} Street"))]);
            check_refusal(contact::add(core, &me(), &list, &fields, None).map(drop));
        }
        1 => {
            let fields = values(&[("phone_number", &phone(500 + n % 40).e164), ("alternate_phone", &spelled)]);
            check_refusal(contact::add(core, &me(), &list, &fields, None).map(drop));
        }
        2 => {
            let note = format!("Ask {spelled} first");
            check_refusal(list::set_note(core, &me(), &list, None, Some(&note)).map(drop));
        }
        _ => {
            // Not in the city, by which lists are split and named. The names of lists stay.
            let fields = values(&[
                ("phone_number", number),
                ("whatsapp_id", number),
                ("lastname", &named),
                ("address_2", &named),
            ]);
            check_refusal(contact::add(core, &me(), &list, &fields, None).map(drop));
        }
    }
}

/// Deletes a list of a thousand contacts, which leaves a copy of the state before.
fn perform_large_act(core: &Core, path: &Path) {
    let list = list::create(core, &Actor::interface(), "Large", UniqueNames::Off).unwrap().uid;
    let contacts = vec![ValidContact { phone: Some(phone(999)), ..ValidContact::default() }; 1_000];
    let (merge_type, callback_url, correlation_id) = (MergeType::AllowDuplicates, None, None);
    let new = NewJob { list: list.clone(), merge_type, callback_url, correlation_id, contacts };
    job::enqueue(core, &Actor::interface(), new).unwrap();
    job::run_next(core).unwrap();
    list::delete(core, &me(), &list).unwrap();
    core.finish_copies();
    assert!(backup::list_copies(path).iter().any(|copy| copy.reason == CopyReason::BulkAct));
}

fn undo_everything(core: &Core) {
    while history::read_undo_status(core).unwrap().undo.is_some() {
        if let Err(why) = history::undo(core, &me()) {
            // It says why in words, and the step can be skipped.
            assert_eq!(why.code(), ErrorCode::Conflict, "{why}");
            history::skip_undo_step(core, &me()).unwrap();
        }
        check(core);
    }
}

fn assert_sound(path: &Path) {
    let found = backup::check_file(path).unwrap();
    assert_eq!(found.faults, [], "{path:?}");
}

fn run_history(file: &AccountFile, moves: &[RandomMove], number: &str) {
    let core = file.open(1);
    change_person(&core, number, 0);
    for (n, step) in moves.iter().enumerate() {
        match step.0 % 8 {
            0 | 1 => change_person(&core, number, step.1),
            2 if history::read_undo_status(&core).unwrap().undo.is_some() => {
                check_refusal(history::undo(&core, &me()).map(drop));
            }
            3 if history::read_undo_status(&core).unwrap().redo.is_some() => {
                check_refusal(history::redo(&core, &me()).map(drop));
            }
            4 if n % 3 == 0 => drop(backup::back_up(&file.path).unwrap()),
            5 if n % 3 == 0 => perform_large_act(&core, &file.path),
            _ => check_refusal(perform_move(&core, &me(), (step.0 / 8, step.1, step.2))),
        }
    }
    core.end_background_work();
}

proptest! {
    // There are few cases, because every act waits for the disk.
    #![proptest_config(cases(8))]

    #[test]
    fn nothing_of_a_person_is_left_in_any_file_after_any_history(
        moves in proptest::collection::vec(any::<RandomMove>(), 1..40), who in 0_u16..40, with_opt_outs: bool,
    ) {
        let (file, number) = (AccountFile::new(), phone(who).e164);
        run_history(&file, &moves, &number);
        let done = match file.erase(&number, with_opt_outs) {
            Ok(done) => done,
            Err(why) => {
                prop_assert!(why.to_string().contains("a number of the account itself"), "{}", why);
                return Ok(());
            }
        };
        prop_assert_eq!(file.files_with(MARKER), Vec::<PathBuf>::new());
        let spelled = number.replace("+44", "0").replace("7700", "7700 ");
        prop_assert_eq!(file.files_with(&spelled), Vec::<PathBuf>::new());
        if with_opt_outs {
            prop_assert_eq!(file.files_with(number.trim_start_matches("+44")), Vec::<PathBuf>::new());
        }
        for copy in backup::list_copies(&file.path) {
            prop_assert!(copy.is_sound);
            assert_sound(&copy.path);
        }
        assert_sound(&file.path);
        let held = find_held(&file.path, &number).unwrap();
        prop_assert_eq!(held.erased_at.len(), usize::from(done.rows() > 0));
        prop_assert!(held.records.iter().all(|record| !with_opt_outs && record.table.starts_with("opt_out")));

        let kept = held.records.iter().filter(|record| record.table == "opt_outs").count() as u64;
        prop_assert_eq!(kept, if with_opt_outs { 0 } else { done.opt_outs });

        let core = file.open(2);
        check(&core);
        undo_everything(&core);
        core.end_background_work();
        drop(core);
        prop_assert_eq!(file.files_with(MARKER), Vec::<PathBuf>::new(), "undo brings nothing back");
        assert_sound(&file.path);
    }
}

#[test]
fn backups_that_are_made_during_an_erasure_hold_nothing_of_the_person() {
    for round in 0..8 {
        let (file, number) = (AccountFile::new(), phone(1).e164);
        let core = file.open(1);
        change_person(&core, &number, 0);
        change_person(&core, &number, 3);
        core.end_background_work();
        drop(core);
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(12 * round));
                // So few push out no copy that is being erased. One fails if the account is opened meanwhile, because
                // an opening removes unfinished copies.
                for _ in 0..3 {
                    drop(backup::back_up(&file.path));
                }
            });
            // A backup that removes itself because it was overtaken makes the erasure fail, and it can be done again.
            let erase = |_| {
                let erasure = Erasure::prepare(&file.path, &number, None).ok()?;
                erasure.apply(&me(), &ErasureConsent::default()).ok()
            };
            assert!((0..5).any(|attempt| erase(attempt).is_some()));
        });
        assert_eq!(file.files_with(MARKER), Vec::<PathBuf>::new(), "round {round}");
        let copies = backup::list_copies(&file.path);
        assert!(copies.iter().all(|copy| copy.is_sound), "{copies:?}");
    }
}
