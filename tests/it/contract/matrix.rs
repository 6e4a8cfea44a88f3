//! Checks each requirement of the design for the emulator. It needs an existing test, or a text in the README that says
//! why it has none.

use std::{fs, path::PathBuf};

/// The sections of the design with their number of rows.
const SECTIONS: [(&str, usize); 17] = [
    ("1.1", 9),
    ("1.2", 6),
    ("1.3", 8),
    ("1.4", 6),
    ("1.5", 12),
    ("1.6", 13),
    ("4.1", 17),
    ("4.2", 8),
    ("4.3", 7),
    ("4.4", 3),
    ("4.5", 5),
    ("4.6", 8),
    ("4.7", 10),
    ("4.8", 8),
    ("4.9", 5),
    ("4.10", 6),
    ("4.11", 9),
];

/// Targets are measured, not tested. `make bench` measures them, or the README says that nobody has.
const TARGETS: (&str, usize) = ("4.12", 7);

fn repository_root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read_document(path: &str) -> Result<String, String> {
    fs::read_to_string(repository_root().join(path)).map_err(|why| format!("{path}: {why}"))
}

/// Checks that the test of this name exists, or every test of a file if the name ends with `*`.
fn check_test(name: &str) -> Result<(), String> {
    if let Some((path, words)) = name.split_once('#') {
        let is_there = read_document(path)?.contains(words);
        return if is_there { Ok(()) } else { Err(format!("{path} does not say '{words}'")) };
    }
    let (file, test) = name.rsplit_once("::").ok_or(format!("{name} names no test"))?;
    let file = format!("tests/it/{}", file.replace("::", "/"));
    let text = read_document(&format!("{file}.rs")).or_else(|_| read_document(&format!("{file}/mod.rs")))?;
    let is_test = text.contains(&format!("#[test]\nfn {test}()"));
    if is_test || (test == "*" && text.contains("#[test]\n")) { Ok(()) } else { Err(format!("{name} is not a test")) }
}

/// Checks that the README names a missing feature with these words.
fn check_readme(words: &str) -> Result<(), String> {
    let readme = read_document("README.md")?;
    let not_emulated = readme.lines().find(|line| line.starts_with("**Not emulated:**")).unwrap_or_default();
    if not_emulated.contains(words) { Ok(()) } else { Err(format!("the README does not mention '{words}'")) }
}

/// Returns the errors in the proof of a row.
fn proof_faults(proof: &str) -> Vec<String> {
    let quoted = |mark: char| proof.split(mark).skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let tests = quoted('`');
    let words = if proof.contains("README: \"") { quoted('"') } else { Vec::new() };
    if tests.is_empty() && words.is_empty() {
        return vec!["neither a test nor words of the README".to_owned()];
    }
    let tests = tests.iter().map(|name| check_test(name));
    tests.chain(words.iter().map(|words| check_readme(words))).filter_map(Result::err).collect()
}

#[test]
fn every_row_of_the_design_has_a_test_or_is_in_the_readme() {
    let table = read_document("tests/fixtures/emulator-proofs.md").expect("the table");
    let mut found = Vec::new();
    let mut wrong = Vec::new();
    for section in table.split("\n## ").skip(1) {
        let number = section.split(' ').next().expect("a number");
        let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
        let rows: Vec<_> = rows.filter_map(|row| row.trim_matches(['|', ' ']).split_once(" | ")).collect();
        found.push((number, rows.len()));
        for (row, proof) in rows {
            wrong.extend(proof_faults(proof).into_iter().map(|why| format!("{number} {row}: {why}")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(found, [SECTIONS.as_slice(), &[TARGETS]].concat(), "a row of the design is missing");
    // The check finds wrong proofs.
    for wrong in ["", "`contract::matrix::there_is_no_such_test`", "`nowhere::x`", "README: \"nothing of the kind\""] {
        assert_eq!(proof_faults(wrong).len(), 1, "{wrong}");
    }
}
