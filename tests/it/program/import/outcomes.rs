//! Imports that end early, the files that they write, and contacts from standard input.

use std::{fs, io::Write, path::Path, process::Stdio};

use roost_tests::spawned::command;
use serde_json::json;

use super::{ImportFolder, PEOPLE, parse_output};
use crate::program::{refusal_message, run_program};

#[test]
fn invalid_rows_are_written_only_once_the_import_is_done() {
    let place = ImportFolder::new();
    let people = "Mobile,opted out\n07700900001,yes\n4.47E+11,no\n";
    fs::write(place.file_path("people.csv"), people).expect("a file");
    let rejects = place.file_path("rejects.csv");
    let import = ["--list", "May", "--opt-out-column", "opted out=yes", "--rejects", &rejects];
    for early in [&["--dry-run"][..], &[], &["--opt-outs", "9"]] {
        let output = place.run_import(&[&import[..], early].concat());
        assert!(!Path::new(&rejects).exists(), "{early:?}: {output:?}");
    }
    let output = place.run_import(&[&import[..], &["--opt-outs", "2"]].concat());
    assert!(matches!(output.status.code(), Some(1 | 3)), "{output:?}");
    assert!(fs::read_to_string(&rejects).expect("a file").contains("4.47E+11,no,3,"));
}

#[test]
fn a_file_with_a_heading_alone_creates_no_list() {
    let place = ImportFolder::new();
    fs::write(place.file_path("people.csv"), "Mobile,Vorname\n").expect("a file");
    for more in [&[][..], &["--dry-run"]] {
        let message = refusal_message(&place.run_import(&[&["--list", "May"][..], more].concat()));
        assert!(message.contains("no rows below the heading of people.csv"), "{message}");
    }
    let lists = run_program(&["lists", "--db", &place.file_path("a.roost"), "--json"]);
    assert_eq!(parse_output(&lists), json!([]));
}

#[test]
fn contacts_are_read_from_standard_input() {
    let place = ImportFolder::new();
    let db = place.file_path("a.roost");
    let mut import = command(["import", "-", "--db", &db, "--country", "GB", "--list", "May", "--json"]);
    let mut running =
        import.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary");
    running.stdin.take().expect("its input").write_all(PEOPLE.as_bytes()).expect("a reader");
    let output = running.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(parse_output(&output)["counts"]["new"], 2);
}
