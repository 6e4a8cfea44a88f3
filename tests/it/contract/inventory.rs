//! Lists the tests that prove each decision, failure row and rule. One without a test fails here.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use roost_tests::{proof::Proof, proofs, snapshot};

use super::{
    admin_rules,
    decisions::DECISIONS,
    documents, matrix, operations,
    rows::{FAILURE_ROWS, RULES},
    samples,
};
use crate::{
    bytes, concurrency, crash,
    emulator::{self, operator},
    gate, openapi, phones, program, rest, transport,
};

proofs! {
    [] every_decision_failure_row_and_rule_has_a_test;
    [] a_test_proves_only_what_there_is_and_has_a_name_of_its_own;
    [] the_table_of_proofs_is_the_kept_one;
}

/// Every table of proofs. A table that is missing here is dead code and does not compile.
const TABLES: &[&[Proof]] = &[
    PROOFS,
    admin_rules::PROOFS,
    bytes::PROOFS,
    concurrency::PROOFS,
    crash::PROOFS,
    documents::PROOFS,
    emulator::clock::PROOFS,
    emulator::determinism::PROOFS,
    emulator::callbacks::PROOFS,
    emulator::faults::effects::PROOFS,
    emulator::faults::explain::PROOFS,
    emulator::faults::losses::PROOFS,
    emulator::faults::lost::PROOFS,
    emulator::faults::rules::PROOFS,
    emulator::faults::sources::PROOFS,
    emulator::faults::start::PROOFS,
    emulator::fidelity::PROOFS,
    emulator::fidelity::check::PROOFS,
    emulator::fidelity::strict::PROOFS,
    emulator::hooks::PROOFS,
    emulator::jobs::PROOFS,
    emulator::journal::bounds::PROOFS,
    emulator::journal::forms::PROOFS,
    emulator::journal::links::PROOFS,
    emulator::journal::stream::PROOFS,
    emulator::journal::verifying::PROOFS,
    emulator::journal::waiting::PROOFS,
    emulator::limits::PROOFS,
    emulator::state::PROOFS,
    emulator::state::diff::PROOFS,
    emulator::state::edits::PROOFS,
    emulator::state::export::PROOFS,
    emulator::state::moments::PROOFS,
    emulator::strictness::PROOFS,
    emulator::waits::PROOFS,
    emulator::worlds::PROOFS,
    emulator::worlds::unawares::PROOFS,
    emulator::worlds::whole::PROOFS,
    emulator::worlds::isolation::PROOFS,
    emulator::worlds::recordings::PROOFS,
    emulator::worlds::restarts::PROOFS,
    gate::admin::PROOFS,
    gate::bind::PROOFS,
    gate::bodies::PROOFS,
    gate::exhaustion::PROOFS,
    gate::holding::PROOFS,
    gate::hosts::PROOFS,
    gate::outbound::PROOFS,
    gate::pages::PROOFS,
    gate::rebinding::PROOFS,
    gate::routes::PROOFS,
    matrix::PROOFS,
    openapi::PROOFS,
    operations::PROOFS,
    operator::account::PROOFS,
    operator::assets::PROOFS,
    operator::clicks::PROOFS,
    operator::custom_fields::PROOFS,
    operator::opt_outs::PROOFS,
    operator::senders::PROOFS,
    phones::PROOFS,
    program::export::PROOFS,
    program::local_server::PROOFS,
    program::seeds::PROOFS,
    program::serve::PROOFS,
    program::settings::PROOFS,
    rest::contacts::attributes::PROOFS,
    rest::contacts::callbacks::PROOFS,
    rest::contacts::faults::PROOFS,
    rest::contacts::jobs::PROOFS,
    rest::contacts::numbers::PROOFS,
    rest::contacts::query::PROOFS,
    rest::contacts::sequence::PROOFS,
    rest::ids::PROOFS,
    rest::list_clock::PROOFS,
    rest::lists::PROOFS,
    rest::opt_outs::creation::PROOFS,
    rest::opt_outs::query::PROOFS,
    rest::opt_outs::removal::PROOFS,
    rest::senders::PROOFS,
    rest::short_links::records::PROOFS,
    rest::short_links::search::PROOFS,
    samples::PROOFS,
    transport::auth::PROOFS,
    transport::bodies::PROOFS,
    transport::doors::certificates::PROOFS,
    transport::doors::files::PROOFS,
    transport::doors::frames::PROOFS,
    transport::doors::program::PROOFS,
    transport::doors::socket::PROOFS,
    transport::doors::staged::PROOFS,
    transport::doors::tls::PROOFS,
    transport::errors::PROOFS,
    transport::journal::PROOFS,
    transport::limits::PROOFS,
    transport::order::PROOFS,
    transport::paging::PROOFS,
    transport::paths::PROOFS,
    transport::queries::PROOFS,
    transport::times::PROOFS,
    transport::writing::PROOFS,
];

const CLIENT: &str = "tells a client what to bear with; nothing of it is served, so the tests of the client prove it";

/// Decisions that no test here can prove, with the reason.
const EXCEPTIONS: [(&str, &str); 6] =
    [("D135", CLIENT), ("D136", CLIENT), ("D137", CLIENT), ("D138", CLIENT), ("D139", CLIENT), ("D140", CLIENT)];

fn all_proofs() -> impl Iterator<Item = &'static Proof> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// Returns the tests of everything that is proved.
fn tests_by_subject() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut tests: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for proof in all_proofs() {
        for of in proof.of {
            tests.entry(*of).or_default().push(proof.test);
        }
    }
    tests
}

fn required_subjects() -> impl Iterator<Item = (&'static str, &'static str)> {
    DECISIONS.into_iter().chain(FAILURE_ROWS).chain(RULES)
}

fn every_decision_failure_row_and_rule_has_a_test() {
    let tests = tests_by_subject();
    let is_excepted = |id: &str| EXCEPTIONS.iter().any(|(excepted, _)| *excepted == id);
    let lacking: Vec<_> = required_subjects().filter(|(id, _)| !tests.contains_key(id) && !is_excepted(id)).collect();
    assert!(lacking.is_empty(), "without a test: {lacking:#?}");
    let both: Vec<_> = EXCEPTIONS.iter().filter(|(id, _)| tests.contains_key(id)).collect();
    assert!(both.is_empty(), "no longer exceptions: {both:?}");
}

fn a_test_proves_only_what_there_is_and_has_a_name_of_its_own() {
    let known: BTreeSet<&str> = required_subjects().map(|(id, _)| id).collect();
    assert_eq!(known.len(), required_subjects().count(), "an id stands for one thing");
    let unknown: Vec<_> = tests_by_subject().into_iter().filter(|(id, _)| !known.contains(id)).collect();
    assert!(unknown.is_empty(), "there is nothing of this name to prove: {unknown:#?}");
    let names: BTreeSet<&str> = all_proofs().map(|proof| proof.test).collect();
    assert_eq!(names.len(), all_proofs().count());
}

fn the_table_of_proofs_is_the_kept_one() {
    let tests = tests_by_subject();
    let mut text = String::from("# What proves what\n\nWritten by the test `contract::inventory`, read by people.\n");
    let sections: [(&str, &[(&str, &str)]); 3] =
        [("Decisions", &DECISIONS), ("Failures of the interface", &FAILURE_ROWS), ("Rules", &RULES)];
    for (title, rows) in sections {
        write!(text, "\n## {title}\n").expect("into memory");
        for (id, what) in rows {
            write!(text, "\n- {id}: {what}\n").expect("into memory");
            for test in tests.get(id).into_iter().flatten() {
                let test = test.trim_start_matches("it::");
                writeln!(text, "  - `{test}`").expect("into memory");
            }
            if let Some((_, why)) = EXCEPTIONS.iter().find(|(excepted, _)| excepted == id) {
                writeln!(text, "  - no test: {why}").expect("into memory");
            }
        }
    }
    snapshot::is("proofs.md", &text);
}
