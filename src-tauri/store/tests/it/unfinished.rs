//! Tests that an erasure that was interrupted is finished by the next opening.

use std::fs;

use roost_store::{tables::settings, upkeep::reading};

use crate::support::AccountFolder;

const MARKER: &str = "Zxqmarker";

#[test]
fn an_interrupted_erasure_is_finished_by_whoever_opens_the_account_next() {
    let place = AccountFolder::filled();
    let has_traces = || {
        let bytes = fs::read(&place.file).unwrap();
        bytes.windows(MARKER.len()).any(|part| part == MARKER.as_bytes())
    };
    let erase = format!("INSERT INTO settings VALUES ('note', '{MARKER}'); DELETE FROM settings WHERE key = 'note'");
    place.raw_connection().execute_batch(&erase).unwrap();
    drop(place.open().unwrap());
    assert!(has_traces(), "an account is not rewritten without a reason");
    let db = place.open().unwrap();
    db.write_quietly(|tx| settings::set_unfinished_erasure(tx, Some("2026-01-05T09:00:00Z"))).unwrap();
    drop(db);
    let unfinished = || reading::read_account(&place.file, |tx, _| settings::unfinished_erasure(tx)).unwrap();
    assert!(has_traces() && unfinished().is_some());
    drop(place.open().unwrap());
    assert!(!has_traces() && unfinished().is_none());
}
