//! Tests many rows: they are searched in bounded time and fixed in one step.

use std::time::{Duration, Instant};

use super::{apply_all, suggestions, wait_until_done};
use roost_ops::{contact::PASTE_MAX, history};

use crate::{
    clean::CleanKind,
    grid::tests::{GridAccount, contact_values, me},
};

fn find_and_fix(count: u32, most: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let account = GridAccount::in_file(&folder.path().join("account.roost"));
    for from in (0..count).step_by(PASTE_MAX) {
        account.paste_rows((from..(from + PASTE_MAX as u32).min(count)).map(|n| {
            let name = if n % 4 == 0 { format!("CONTACT {n}") } else { format!("Contact  {n}") };
            contact_values(&[("lastname", &name), ("city", "London"), ("alternate_phone", "07700 900001")], n)
        }));
    }
    let started = Instant::now();
    let id = account.core.clean().open(&account.core, &account.list).unwrap();
    let state = wait_until_done(&account, id);
    assert_eq!((state.progress.fault, state.suggestions), (None, 3));
    let all = suggestions(&account, id);
    let rows = |kind: CleanKind| all.iter().find(|one| one.kind == kind).unwrap().rows;
    let total = u64::from(count);
    assert_eq!(rows(CleanKind::NotE164), total);
    assert_eq!(
        (rows(CleanKind::LetterCase), rows(CleanKind::WhiteSpace)),
        (total.div_ceil(4), total - total.div_ceil(4))
    );
    assert!(started.elapsed() < most, "looking took {:?}", started.elapsed());
    let started = Instant::now();
    assert_eq!(apply_all(&account, id, all[0].suggestion).unwrap().rows, total);
    assert!(started.elapsed() < most, "mending took {:?}", started.elapsed());
    let taken = history::undo(&account.core, &me()).unwrap();
    assert!(taken.rows >= total && taken.kept == 0, "{taken:?}");
}

#[test]
fn twenty_thousand_contacts_take_bounded_time() {
    // The limit is far above the time needed, even without optimization.
    find_and_fix(20_000, Duration::from_secs(30));
}

#[test]
#[ignore = "make soak runs it"]
fn a_hundred_thousand_contacts_take_bounded_time() {
    // The limit is far above the time needed, even without optimization.
    find_and_fix(100_000, Duration::from_secs(90));
}

#[test]
#[ignore = "takes minutes without optimisation"]
fn a_million_contacts_take_bounded_time() {
    find_and_fix(1_000_000, Duration::from_secs(900));
}
