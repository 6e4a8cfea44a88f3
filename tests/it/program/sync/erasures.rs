//! Erasing a person from an account that is connected: the service gets no request, and the program names its record.

use std::{collections::BTreeMap, fs};

use roost_ops::{Actor, contact};
use roost_reconcile::audit::{AuditChain, Digest, ErasureRecord, SealedEntry};
use roost_store::tables::sync::audit;
use roost_tests::seeds;
use serde_json::json;

use super::{SyncFolder, contact_id, field_values, list_id, service_contacts, start_service};

/// A part of the person's values that occurs nowhere else.
const MARKER: &str = "Zxqmarker";

impl SyncFolder {
    fn files_with(&self, bytes: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a folder").map(|entry| entry.expect("an entry").path());
        let has = |bytes_of: Vec<u8>| bytes_of.windows(bytes.len()).any(|part| part == bytes.as_bytes());
        let files = entries.filter(|path| path.is_file());
        files.filter(|path| has(fs::read(path).expect("a file"))).map(|path| path.display().to_string()).collect()
    }

    #[track_caller]
    fn erase(&self, args: &[&str]) {
        let shown = self.run_for_json(0, &[&["account", "erase", "--dry-run", "--json"], args].concat());
        let rows = shown["rows"].to_string();
        self.run_expecting(0, &[&["account", "erase", "--confirm-count", &rows], args].concat());
    }

    /// Checks the whole audit, as a page of it is checked.
    fn assert_audit_whole(&self) {
        let (entries, bodies) = self.edit_account(|core| {
            let read = |tx: &roost_store::tx::ReadTx| {
                Ok((audit::read_after(tx, 0, None, 1_000)?, audit::read_without_run(tx)?))
            };
            core.read(read).expect("the audit")
        });
        let erasures = bodies.iter().filter_map(|body| ErasureRecord::parse(body));
        let shortened: BTreeMap<u64, Digest> =
            erasures.flat_map(|one| one.shortened).map(|one| (one.seq, one.digest)).collect();
        assert!(!shortened.is_empty(), "the push was in the audit");
        let mut chain = AuditChain::default();
        for entry in entries {
            let digest = |hex: &str| Digest::parse(hex).expect("a digest");
            let sealed = SealedEntry {
                seq: entry.seq,
                before: digest(&entry.before),
                seal: digest(&entry.seal),
                body: entry.body,
            };
            let checked = match shortened.get(&sealed.seq) {
                Some(digest) => chain.check_shortened(&sealed, *digest),
                None => chain.check_next(&sealed),
            };
            assert_eq!(checked, Ok(()), "{}", sealed.body);
        }
    }
}

#[test]
fn what_was_sent_is_erased_here_and_nothing_is_planned_for_the_service() {
    let api = start_service(3);
    let place = SyncFolder::pulled_from(&api);
    place.rename_contact(0, MARKER);
    place.rename_contact(1, "Other");
    place.run_expecting(0, &["push", "--yes"]);
    place.rename_contact(0, &format!("{MARKER}2"));
    let number = seeds::mobile(0);
    let refused = place.run_verb(&["account", "erase", "--number", &number]);
    assert_eq!(refused.status, Some(4), "{}{}", refused.out, refused.err);
    assert!(
        refused.err.contains("has 1 contact with the number") && refused.err.contains("--here-only"),
        "{}",
        refused.err
    );
    assert!(!place.files_with(MARKER).is_empty());

    place.erase(&["--number", &number, "--here-only"]);
    assert_eq!(place.files_with(MARKER), [""; 0]);
    assert_eq!(place.files_with(&number), [""; 0]);
    place.assert_audit_whole();
    let status = place.run_for_json(0, &["status", "--json"]);
    assert_eq!((&status["changes"], &status["conflicts"]), (&json!(0), &json!(0)), "{status}");
    assert!(place.run_expecting(0, &["push", "--yes"]).ends_with("nothing to send.\n"));
    assert_eq!(service_contacts(&api)[0], (number.clone(), MARKER.to_owned()), "the service still has it");
    // As the program said.
    place.run_expecting(0, &["pull", "--full"]);
    assert!(!place.files_with(MARKER).is_empty());
}

#[test]
fn a_person_whose_deletion_was_pushed_is_erased_without_more() {
    let api = start_service(3);
    let place = SyncFolder::pulled_from(&api);
    place.rename_contact(0, MARKER);
    place.run_expecting(0, &["push", "--yes"]);
    place.delete_contacts(0..1);
    let number = seeds::mobile(0);
    let refused = place.run_verb(&["account", "erase", "--number", &number]);
    assert!(refused.err.contains("has 1 contact with the number"), "its deletion waits: {}", refused.err);
    place.run_expecting(0, &["push", "--yes", "--type", "1"]);
    place.erase(&["--number", &number]);
    assert_eq!(place.files_with(MARKER), [""; 0]);
    assert_eq!(place.files_with(&number), [""; 0]);
    place.assert_audit_whole();
    place.run_expecting(0, &["pull", "--full"]);
    assert_eq!(place.files_with(&number), [""; 0]);
    assert_eq!(place.run_for_json(0, &["status", "--json"])["changes"], 0);
}

#[test]
fn a_person_who_was_never_sent_leaves_nothing_to_send() {
    let api = start_service(1);
    let place = SyncFolder::pulled_from(&api);
    place.edit_account(|core| {
        let new = field_values(&[("phone_number", &seeds::mobile(9)), ("firstname", MARKER)]);
        contact::add(core, &Actor::user(None), &list_id(), &new, None).expect("a contact");
        let other = field_values(&[("alternate_phone", "07700 900009")]);
        contact::update(core, &Actor::user(None), &contact_id(0), &other, None).expect("an edit");
    });
    place.erase(&["--number", &seeds::mobile(9), "--here-only"]);
    assert_eq!(place.files_with(MARKER), [""; 0]);
    assert_eq!(place.files_with("900009"), [""; 0]);
    assert_eq!(
        place.run_expecting(0, &["plan"]).lines().next().map(|line| line.ends_with("nothing to send.")),
        Some(true)
    );
}

#[test]
fn a_report_on_one_person_has_nothing_of_those_who_were_sent_with_it() {
    let api = start_service(3);
    let place = SyncFolder::pulled_from(&api);
    for n in 0..3 {
        place.rename_contact(n, &format!("{MARKER}{n}"));
    }
    place.run_expecting(0, &["push", "--yes"]);
    let report = place.run_for_json(0, &["account", "held", "--number", &seeds::mobile(1), "--json"]);
    let text = report.to_string();
    assert!(text.contains("sync_steps") && text.contains("audit") && text.contains(&format!("{MARKER}1")), "{text}");
    for other in [0, 2] {
        assert!(!text.contains(&seeds::mobile(other)) && !text.contains(&format!("{MARKER}{other}")), "{text}");
    }
}

#[test]
fn a_contact_whose_unsent_text_mentions_the_number_is_not_one_with_the_number() {
    let api = start_service(2);
    let place = SyncFolder::pulled_from(&api);
    place.rename_contact(1, "call 07700 900000 x");
    let refused = place.run_verb(&["account", "erase", "--number", &seeds::mobile(0)]);
    assert!(refused.err.contains("has 1 contact with the number"), "{}", refused.err);
    assert!(!refused.err.contains("whose text mentions the number"), "the service has no such text: {}", refused.err);
    place.run_expecting(0, &["push", "--yes"]);
    let refused = place.run_verb(&["account", "erase", "--number", &seeds::mobile(0)]);
    assert!(refused.err.contains("has 1 contact with the number"), "{}", refused.err);
    assert!(refused.err.contains("1 contact of somebody else whose text mentions the number"), "{}", refused.err);
}
