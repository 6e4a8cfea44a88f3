//! `roost import`.

use std::{fs, path::Path, process::Stdio};

use roost_tests::{proofs, spawned::command, until};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{refused, run};
use crate::whole::rows;

proofs! {
    [S0_program] files_are_put_into_a_list_and_what_became_of_every_row_is_told;
    [S0_program] a_dry_run_says_the_same_and_writes_nothing;
    [S0_program] an_import_that_cannot_be_says_what_to_do;
    [S0_program] an_import_that_is_killed_leaves_the_account_as_it_was_and_nothing_that_waits;
}

const PEOPLE: &str =
    "Mobile;Vorname;Ort\n07700900001;Ada;York\n07700900002;Bo;Bath\n4,47E+11;Cy;Hull\n07700900001;Eve;Leeds\n";

struct Place(TempDir);

impl Place {
    /// An account in a file, and a file of contacts.
    fn new() -> Self {
        let place = Self(TempDir::new().expect("a folder"));
        roost_ops::Core::open(place.0.path().join("a.roost").as_path(), roost_ops::Ctx::system()).expect("an account");
        fs::write(place.path("people.csv"), PEOPLE).expect("a file");
        place
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    fn import(&self, more: &[&str]) -> std::process::Output {
        let (file, db) = (self.path("people.csv"), self.path("a.roost"));
        let mut arguments = vec!["import", file.as_str(), "--db", db.as_str(), "--region", "GB"];
        arguments.extend(more);
        run(&arguments)
    }
}

fn told(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

fn files_are_put_into_a_list_and_what_became_of_every_row_is_told() {
    let place = Place::new();
    let rejects = place.path("left out.csv");
    let output = place.import(&["--list", "May", "--json", "--rejects", &rejects]);
    assert_eq!(output.status.code(), Some(1), "a row was left out: {output:?}");
    let answer = told(&output);
    assert_eq!(answer["list_is_new"], true);
    let counts = &answer["counts"];
    let found = ["rows", "new", "duplicate_in_file", "invalid", "blank"].map(|name| counts[name].clone());
    assert_eq!(found, [json!(5), json!(2), json!(1), json!(1), json!(1)]);
    assert_eq!(answer["reasons"][0]["reason"], "spreadsheet");
    let left_out = fs::read_to_string(&rejects).expect("a file");
    assert_eq!(left_out.lines().count(), 2);
    assert!(left_out.contains("\"4,47E+11\",Cy,Hull,4,") && left_out.contains("What is wrong"), "{left_out}");

    // The same once more changes nothing, and everything is told in words.
    let again = place.import(&["--list", "May"]);
    assert_eq!(again.status.code(), Some(1));
    let words = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(words.contains("5 rows into the list May") && words.contains("2  already there"), "{words}");
    assert!(!Path::new(&place.path("a.roost.imports/1")).exists(), "nothing is left beside the account");

    fs::write(place.path("people.csv"), "Mobile,Ort\n07700900001,York\n").expect("a file");
    assert_eq!(place.import(&["--list", "May"]).status.code(), Some(0));
}

fn a_dry_run_says_the_same_and_writes_nothing() {
    let place = Place::new();
    for _ in 0..2 {
        let answer = told(&place.import(&["--list", "May", "--json", "--dry-run"]));
        assert_eq!((&answer["dry_run"], &answer["list"], &answer["step"]), (&json!(true), &Value::Null, &Value::Null));
        assert_eq!((&answer["counts"]["new"], &answer["list_is_new"]), (&json!(2), &json!(true)));
    }
}

fn an_import_that_cannot_be_says_what_to_do() {
    let place = Place::new();
    assert!(refused(&place.import(&["--list", "May", "--region", "XX"])).contains("--region"));
    assert!(refused(&place.import(&["--list", "May", "--map", &place.path("none.json")])).contains("none.json"));
    fs::write(place.path("no.json"), "{}").expect("a file");
    assert!(refused(&place.import(&["--list", "May", "--map", &place.path("no.json")])).contains("no mapping"));
    assert!(refused(&run(&["import", "x.csv", "--db", &place.path("none.roost"), "--list", "May"])).contains("--db"));
    let db = place.path("a.roost");
    assert!(refused(&run(&["import", &place.path("x.csv"), "--db", &db, "--list", "May"])).contains("no file"));
    fs::write(place.path("people.csv"), "Colour,Size\nred,2\n").expect("a file");
    let said = refused(&place.import(&["--list", "May"]));
    assert!(said.contains("Colour, Size") && said.contains("--map"), "{said}");
    fs::write(place.path("people.csv"), "Phone,City\n07700900001,York\n07700900002,\"Ba\nth\n").expect("a file");
    let said = refused(&place.import(&["--list", "May"]));
    assert!(said.contains("Line 3") && said.contains("--take-part"), "{said}");
    let output = place.import(&["--list", "May", "--take-part", "--json"]);
    assert_eq!((output.status.code(), &told(&output)["counts"]["new"]), (Some(0), &json!(1)));
}

/// Killed when it has put rows aside, and when it writes.
fn an_import_that_is_killed_leaves_the_account_as_it_was_and_nothing_that_waits() {
    let place = Place::new();
    let lines: String = (0..40_000).map(|n| format!("+1{}5550{},Given {n}\n", 201 + n / 100, 100 + n % 100)).collect();
    fs::write(place.path("people.csv"), format!("Phone,Name\n{lines}")).expect("a file");
    let (file, db, imports) = (place.path("people.csv"), place.path("a.roost"), place.path("a.roost.imports"));
    let good = told(&run(&["import", &file, "--db", &db, "--list", "May", "--json", "--dry-run"]));
    let good = good["counts"]["new"].as_u64().expect("a count");
    let log = format!("{db}-wal");
    let puts_aside = || fs::read_dir(&imports).is_ok_and(|mut folders| folders.next().is_some());
    let writes = || fs::metadata(&log).is_ok_and(|log| log.len() > 1 << 20);
    for has_begun in [&puts_aside as &dyn Fn() -> bool, &writes] {
        let mut child = command(["import", &file, "--db", &db, "--list", "May"])
            .stdout(Stdio::null())
            .spawn()
            .expect("it can be started");
        until("it has begun", || has_begun().then_some(()));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        // The next program finds all of it or nothing, and clears away what was put aside.
        let core = roost_ops::Core::open(Path::new(&db), roost_ops::Ctx::system()).expect("the account opens");
        assert_eq!(core.imports().waiting(&core).expect("what waits"), []);
        assert!(!Path::new(&imports).exists(), "nothing is left beside the account");
        core.end();
        drop(core);
        let counts: Vec<_> = rows(Path::new(&db), "SELECT count(*) FROM contacts").concat();
        assert!(good > 20_000 && ["0".to_owned(), good.to_string()].map(Some).contains(&counts[0]), "{counts:?}");
    }
    let counts = &told(&run(&["import", &file, "--db", &db, "--list", "May", "--json"]))["counts"];
    assert_eq!(counts["new"].as_u64().max(counts["same"].as_u64()), Some(good), "{counts}");
}
