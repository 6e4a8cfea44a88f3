//! `--json`: what a script reads on standard output and on standard error.

use std::{collections::BTreeSet, fs, process::Command};

use roost_tests::{Setup, Spawned, seeds, spawned::command};
use serde_json::{Value, json};

use super::AccountPlace;
use crate::gate::terminal::{command_names, help_text};

/// The commands without `--json`, each with its reason.
const WITHOUT_JSON: [(&str, &str); 6] = [
    ("serve", "runs until it is stopped; --ready-file has the address as JSON"),
    ("exec", "standard output belongs to the command that it runs"),
    ("wait", "prints nothing; the exit status is the result"),
    ("openapi", "always prints JSON"),
    ("completions", "prints a script for a shell"),
    ("man", "prints a manual page"),
];

/// A run of every command on an account, in this order, with its exit status.
const ACCOUNT_RUNS: [(&str, &str, i32); 31] = [
    ("account info", "", 0),
    ("account check", "", 0),
    ("account backup", "--out {copy}", 0),
    ("account backups", "", 0),
    ("account held", "--number +447700900001", 0),
    ("account erase", "--number {opted-out}", 4),
    ("account restore", "{copy} --dry-run", 0),
    ("country", "", 0),
    ("readiness", "--list Spring", 0),
    ("lookup", "{opted-out}", 1),
    ("optouts list", "", 0),
    ("optouts add", "+447700900005 --reason asked", 0),
    ("optouts import", "{table} --reason asked", 4),
    ("optouts export", "--out {opt-outs}", 0),
    ("lists", "", 0),
    ("links", "", 0),
    ("import", "{table} --list Summer", 0),
    ("export", "--format csv --out {contacts}", 0),
    ("doctor", "--bundle {bundle}", 0),
    ("connect", "{service}", 0),
    ("pull", "", 0),
    ("conflicts", "", 0),
    ("plan", "", 3),
    ("push", "", 4),
    ("push", "--yes", 0),
    ("status", "", 0),
    ("runs", "", 0),
    ("report", "", 0),
    ("report", "--out {report}", 0),
    ("answer", "contact:1 mine", 2),
    ("set-aside", "--force", 0),
];

/// What a script reads after a command.
struct ScriptOutput {
    status: i32,
    /// The document on standard output, if there is one.
    document: Option<Value>,
    /// The lines of standard error.
    messages: Vec<Value>,
}

impl ScriptOutput {
    #[track_caller]
    fn read(mut command: Command) -> Self {
        let output = command.output().expect("the binary can be started");
        let parse = |bytes: &[u8]| -> Value {
            serde_json::from_slice(bytes).unwrap_or_else(|why| panic!("{why}: {command:?}: {output:?}"))
        };
        let document = (!output.stdout.is_empty()).then(|| parse(&output.stdout));
        let messages = output.stderr.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let messages = messages.map(parse).collect();
        Self { status: output.status.code().expect("an exit status"), document, messages }
    }

    /// Returns the error of a command that failed and printed nothing else.
    #[track_caller]
    fn error(&self) -> &Value {
        assert_eq!((self.document.as_ref(), self.messages.len()), (None, 1), "{:?}", self.messages);
        let error = &self.messages[0]["error"];
        assert_eq!(error["exit_status"], self.status, "{error}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
        error
    }
}

impl AccountPlace {
    /// Runs a command line with `--json`, at a home without a keyring.
    #[track_caller]
    fn run_for_script(&self, line: &str) -> ScriptOutput {
        let mut command = command(line.split_whitespace().chain(["--json"]));
        command.env("HOME", self.folder.path()).env("XDG_RUNTIME_DIR", self.folder.path());
        command.env("DBUS_SESSION_BUS_ADDRESS", "disabled:").env_remove("DISPLAY");
        ScriptOutput::read(command)
    }
}

#[test]
fn every_command_takes_json_unless_its_reason_is_named() {
    let commands = command_names();
    let has_json = |name: &String| help_text(name).contains("--json");
    let without: BTreeSet<&str> = commands.iter().filter(|name| !has_json(name)).map(String::as_str).collect();
    assert_eq!(without, WITHOUT_JSON.map(|(name, _)| name).into(), "of {} commands", commands.len());
}

#[test]
fn every_command_on_an_account_prints_json_alone_whether_it_succeeds_or_fails() {
    let takes_account = |name: &String| {
        let help = help_text(name);
        help.contains("--db <FILE>") && help.contains("--json")
    };
    let wanted: BTreeSet<String> = command_names().into_iter().filter(takes_account).collect();
    let tried: BTreeSet<String> = ACCOUNT_RUNS.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(tried, wanted, "every command on an account has a run here");
    let place = AccountPlace::new();
    let service = Setup::new().set("auth", "off").serve();
    fs::write(place.path("table.csv"), "phone_number\n+447700900008\n").expect("a file");
    let fill = |args: &str| {
        let mut line = args.replace("{service}", service.url()).replace("{opted-out}", &seeds::mobile(1));
        line = line.replace("{table}", &place.path("table.csv"));
        for name in ["copy", "opt-outs", "contacts", "bundle", "report"] {
            line = line.replace(&format!("{{{name}}}"), &place.path(name));
        }
        line
    };
    for (name, args, status) in ACCOUNT_RUNS {
        let line = format!("{name} {}", fill(args));
        // These two create an account where there is none.
        if !["connect", "account restore"].contains(&name) {
            let refused = place.run_for_script(&format!("{line} --db {}", place.path("none.roost")));
            assert_eq!((refused.status, &refused.error()["code"]), (2, &json!("not_found")), "{line}");
        }
        let ended = place.run_for_script(&format!("{line} --db {}", place.db()));
        assert_eq!(ended.status, status, "{line}: {:?} {:?}", ended.document, ended.messages);
        match status {
            2 => assert_eq!(ended.error()["code"], "not_found", "{line}"),
            _ => assert!(ended.document.is_some(), "{line} prints no document"),
        }
        let failed = ended.messages.last().and_then(|message| message["error"]["exit_status"].as_i64());
        assert_eq!(failed, [2, 4].contains(&status).then_some(status.into()), "{line}: {:?}", ended.messages);
    }
}

#[test]
fn a_written_file_is_described_and_standard_output_never_mixes_it_with_json() {
    let place = AccountPlace::new();
    let (db, out) = (place.db(), place.path("out"));
    for (line, contents) in [
        ("export --format csv", json!({ "contacts": 2, "opted_out": 1 })),
        ("optouts export", json!({ "opt_outs": 1 })),
        ("fixtures gen --contacts 3", json!({ "contacts": 3, "lists": 1 })),
    ] {
        let account = if line.starts_with("fixtures") { String::new() } else { format!("--db {db}") };
        let mut document = place.run_for_script(&format!("{line} {account} --out {out}")).document.expect("a document");
        let bytes = fs::metadata(&out).expect("a file").len();
        fs::remove_file(&out).expect("a file");
        let described = document.as_object_mut().expect("an object");
        assert_eq!((described.remove("file"), described.remove("bytes")), (Some(json!(out)), Some(json!(bytes))));
        assert_eq!(document, contents, "{line}");
    }
    for line in ["export --format csv", "export --format vcf", "optouts export"] {
        let refused = place.run_for_script(&format!("{line} --db {db}"));
        assert!(refused.error()["message"].as_str().expect("text").contains("--out"), "{line}");
    }
    let seed = place.run_for_script(&format!("export --db {db}")).document.expect("a seed");
    assert_eq!(seed["lists"][0]["name"], "Spring");
    assert!(place.run_for_script("fixtures gen --contacts 1").document.expect("a seed")["lists"].is_array());
    let exported = place.run_for_script(&format!("export --db {db} --list Spring --out {out}"));
    let warning = exported.messages[0]["warning"]["message"].as_str().expect("a warning");
    assert!(warning.starts_with("1 of 2 contacts has opted out."), "{warning}");
    // A bundle without an account has nothing to say about one.
    let bundle = place.path("bundle.zip");
    let document = place.run_for_script(&format!("doctor --bundle {bundle}")).document.expect("a document");
    assert_eq!(
        (&document["bundle"], &document["file"], &document["checks"]),
        (&json!(bundle), &Value::Null, &Value::Null)
    );
}

#[test]
fn a_failure_has_a_code_on_which_a_script_can_act() {
    let place = AccountPlace::new();
    let db = place.db();
    fs::write(place.path("notes"), "no account").expect("a file");
    for (line, code) in [
        (format!("readiness --db {db} --list Autumn"), json!("not_found")),
        (format!("lookup --db {db} --file {}", place.path("none")), json!("not_found")),
        (format!("account held --db {db} --number Ada"), json!("invalid")),
        (format!("optouts add Ada --db {db} --reason asked"), json!("invalid")),
        (format!("country XX --db {db}"), json!("invalid")),
        (format!("import {} --list May --db {db}", place.path("none")), json!("not_found")),
        (format!("optouts import {} --reason asked --db {db}", place.path("none")), json!("not_found")),
        (format!("account new {db}"), json!("conflict")),
        (format!("optouts export --out {} --db {db}", place.path("notes")), json!("conflict")),
        (format!("optouts export --out {db} --force --db {db}"), json!("invalid")),
        (format!("plan --db {db}"), json!("not_connected")),
        ("reset --url http://127.0.0.1:9".to_owned(), json!("unreachable")),
        ("lists".to_owned(), json!("invalid")),
        ("lists --nmae x".to_owned(), json!("invalid")),
        ("lsits".to_owned(), json!("invalid")),
        (String::new(), json!("invalid")),
        (format!("lists --db {}", place.path("notes")), json!("altered")),
    ] {
        let refused = place.run_for_script(&line);
        assert_eq!((refused.status, &refused.error()["code"]), (2, &code), "{line}: {}", refused.error());
    }
    let unreachable = place.run_for_script(&format!("connect http://127.0.0.1:9 --db {db}"));
    assert_eq!((unreachable.status, &unreachable.messages[0]["error"]["code"]), (7, &json!("unreachable")));
    let copy = place.path("copy");
    assert_eq!(place.run_for_script(&format!("account backup --db {db} --out {copy}")).status, 0);
    let _server = Spawned::start(["--db", &db]);
    let (table, restore) = (place.path("table.csv"), format!("account restore {copy}"));
    fs::write(&table, "phone_number\n+447700900008\n").expect("a file");
    let import = format!("import {table} --list May");
    for line in ["lists", &restore, "status", "lookup +447700900001", &import, "pull"] {
        let refused = place.run_for_script(&format!("{line} --db {db}"));
        assert_eq!((refused.status, &refused.error()["code"]), (9, &json!("locked")), "{line}");
    }
}

#[test]
fn the_variable_asks_for_json_as_the_flag_does_and_what_follows_two_hyphens_does_not() {
    let run_with = |variable: &str, args: &[&str]| {
        let mut command = command(args);
        command.env("ROOST_JSON", variable);
        command
    };
    for args in [&["lists", "--db", "none.roost"][..], &["lists"], &["wait", "--url", "nowhere:"]] {
        for variable in ["1", "true", "yes"] {
            let refused = ScriptOutput::read(run_with(variable, args));
            assert_eq!(refused.status, 2, "{args:?}");
            refused.error();
        }
        let refused = run_with("0", args).output().expect("the binary can be started");
        assert!(refused.stderr.starts_with(b"roost: "), "{refused:?}");
    }
    let refused = command(["exec", "--seed", "none.json", "--", "true", "--json"]).output().expect("an end");
    assert!(refused.stderr.starts_with(b"roost: "), "{refused:?}");
}
