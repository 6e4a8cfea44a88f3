//! Lists the tests that prove each decision, failure row and rule. One without a test fails here.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use roost_tests::snapshot;

use super::{
    decisions::DECISIONS,
    rows::{FAILURE_ROWS, RULES},
};

/// A test of this program and the subjects that its line `Proves:` names.
struct Proof {
    test: String,
    subjects: Vec<String>,
}

/// Reads every test of this program from its sources.
fn all_proofs() -> Vec<Proof> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("it");
    let mut proofs = Vec::new();
    for file in source_files(&root) {
        let path = file.strip_prefix(&root).expect("a file below the root").with_extension("");
        let names: Vec<_> = path.iter().map(|name| name.to_str().expect("a name in ASCII")).collect();
        let module = names.join("::");
        let source = fs::read_to_string(&file).expect("a readable source");
        proofs.extend(read_proofs(module.trim_end_matches("::mod"), &source));
    }
    proofs
}

fn source_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut entries: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files.extend(source_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

fn read_proofs(module: &str, source: &str) -> Vec<Proof> {
    let mut proofs = Vec::new();
    let (mut subjects, mut is_list, mut is_test) = (Vec::new(), false, false);
    for line in source.lines() {
        let line = line.trim_start();
        if let Some(doc) = line.strip_prefix("/// ") {
            let listed = if is_list { Some(doc) } else { doc.strip_prefix("Proves: ") };
            if let Some(listed) = listed {
                subjects.extend(listed.split([',', '.', ' ']).filter(|subject| !subject.is_empty()).map(str::to_owned));
                is_list = !listed.ends_with('.');
            }
        } else if line == "#[test]" {
            is_test = true;
        } else if let Some(name) = line.strip_prefix("fn ").and_then(|rest| rest.split('(').next()).filter(|_| is_test)
        {
            proofs.push(Proof { test: format!("{module}::{name}"), subjects: std::mem::take(&mut subjects) });
            is_test = false;
        } else if !line.starts_with('#') && !line.starts_with("///") {
            subjects.clear();
        }
    }
    assert!(!is_list, "a list of subjects ends with a full stop: {module}");
    proofs
}

const CLIENT: &str = "says what a client must bear with; nothing of it is served, so the tests of the client prove it";

/// Decisions that no test here can prove, with the reason.
const EXCEPTIONS: [(&str, &str); 6] =
    [("D135", CLIENT), ("D136", CLIENT), ("D137", CLIENT), ("D138", CLIENT), ("D139", CLIENT), ("D140", CLIENT)];

/// Returns the tests of everything that is proved.
fn tests_by_subject(proofs: &[Proof]) -> BTreeMap<&str, Vec<&str>> {
    let mut tests: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for Proof { test, subjects } in proofs {
        for subject in subjects {
            tests.entry(subject.as_str()).or_default().push(test.as_str());
        }
    }
    tests
}

fn required_subjects() -> impl Iterator<Item = (&'static str, &'static str)> {
    DECISIONS.into_iter().chain(FAILURE_ROWS).chain(RULES)
}

#[test]
fn every_decision_failure_row_and_rule_has_a_test() {
    let proofs = all_proofs();
    let tests = tests_by_subject(&proofs);
    let is_excepted = |id: &str| EXCEPTIONS.iter().any(|(excepted, _)| *excepted == id);
    let lacking: Vec<_> = required_subjects().filter(|(id, _)| !tests.contains_key(id) && !is_excepted(id)).collect();
    assert!(lacking.is_empty(), "without a test: {lacking:#?}");
    let both: Vec<_> = EXCEPTIONS.iter().filter(|(id, _)| tests.contains_key(id)).collect();
    assert!(both.is_empty(), "no longer exceptions: {both:?}");
}

#[test]
fn every_proof_names_an_existing_subject_and_has_a_unique_test_name() {
    let proofs = all_proofs();
    let known: BTreeSet<&str> = required_subjects().map(|(id, _)| id).collect();
    assert_eq!(known.len(), required_subjects().count(), "an id stands for one thing");
    let unknown: Vec<_> = tests_by_subject(&proofs).into_iter().filter(|(id, _)| !known.contains(id)).collect();
    assert!(unknown.is_empty(), "there is nothing of this name to prove: {unknown:#?}");
    let names: BTreeSet<&str> = proofs.iter().map(|proof| proof.test.as_str()).collect();
    assert_eq!(names.len(), proofs.len());
}

#[test]
fn the_table_of_proofs_equals_the_stored_one() {
    let proofs = all_proofs();
    let tests = tests_by_subject(&proofs);
    let mut text = String::from("# What proves what\n\nWritten by the test `contract::inventory`, read by people.\n");
    let sections: [(&str, &[(&str, &str)]); 3] =
        [("Decisions", &DECISIONS), ("Failures of the interface", &FAILURE_ROWS), ("Rules", &RULES)];
    for (title, rows) in sections {
        write!(text, "\n## {title}\n").expect("into memory");
        for (id, what) in rows {
            write!(text, "\n- {id}: {what}\n").expect("into memory");
            for test in tests.get(id).into_iter().flatten() {
                writeln!(text, "  - `{test}`").expect("into memory");
            }
            if let Some((_, why)) = EXCEPTIONS.iter().find(|(excepted, _)| excepted == id) {
                writeln!(text, "  - no test: {why}").expect("into memory");
            }
        }
    }
    snapshot::is("proofs.md", &text);
}
