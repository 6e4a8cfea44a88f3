//! `roost tail` and `roost verify`: read the requests of a running server.

mod listen;
mod replay;

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use roost_tests::{Spawned, spawned::command};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{command_output, refusal_message};

/// Starts a recording server that has received one accepted and one refused request for a list.
fn start_with_requests() -> Spawned {
    let server = Spawned::start(["--journal", "on", "--limits", "off"]);
    server.client().post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).expect(200);
    server.client().post("/contacts/v1/lists/create", &json!({ "name": "" })).expect(400);
    server
}

fn run_about(server: &Spawned, args: &[&str]) -> std::process::Output {
    let mut command = command(args);
    command.env("ROOST_READY_FILE", server.ready_file());
    command_output(command)
}

#[test]
fn tail_prints_what_was_asked() {
    let server = start_with_requests();
    let run_tail = |args: &[&str]| {
        let output = run_about(&server, &[&["tail", "--no-wait"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let all = run_tail(&[]);
    assert_eq!(all.lines().count(), 2, "{all}");
    assert!(all.lines().all(|line| line.contains("POST   /contacts/v1/lists/create") && line.contains("lists.create")));
    assert!(all.contains("  200  ") && all.contains("  400  ") && !all.contains('\u{1b}'), "{all}");
    assert_eq!(run_tail(&["--filter", "status:4xx"]).lines().count(), 1);
    assert_eq!(run_tail(&["--lines", "1"]).lines().collect::<Vec<_>>(), [all.lines().last().expect("a line")]);
    let whole: Vec<Value> =
        run_tail(&["--json"]).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&whole[0]["request"]["body"]["text"], &whole[0]["status"]), (&r#"{"name":"VIP"}"#.into(), &200.into()));
    let seq = whole[0]["seq"].to_string();
    assert_eq!(run_tail(&["--since", &seq]).lines().count(), 1, "behind the first");
    assert!(refusal_message(&run_about(&server, &["tail", "--filter", "stat:4xx"])).contains("status"));
    let quiet = Spawned::start::<&str>([]);
    assert!(refusal_message(&run_about(&quiet, &["tail"])).contains("is not recording"));
    let output = run_about(&quiet, &["tail", "--no-wait"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && stderr.contains("this world records no requests"), "{stderr}");
}

#[test]
fn tail_follows_through_a_reset_to_the_end() {
    let mut server = start_with_requests();
    let mut tail = command(["tail", "--json", "--lines", "1"]);
    tail.env("ROOST_READY_FILE", server.ready_file());
    let mut tail = tail.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    let mut lines = BufReader::new(tail.stdout.take().expect("a pipe")).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().expect("a line").expect("text")).expect("JSON") };
    assert_eq!(next()["status"], 400);
    server.client().get("/contacts/v1/lists/").expect(200);
    assert_eq!(next()["operation"], "lists.query");
    assert!(run_about(&server, &["reset"]).status.success());
    server.client().get("/contacts/v1/lists/?page=2").expect(200);
    assert_eq!(next()["url"], "/contacts/v1/lists/?page=2");
    server.terminate();
    let ended = tail.wait_with_output().expect("our own child");
    assert_eq!(ended.status.code(), Some(0));
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(stderr.contains("was reset or restored") && stderr.contains("has stopped"), "{stderr}");
}

#[test]
fn verify_prints_near_misses_and_ends_with_1() {
    let server = start_with_requests();
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("checks.json");
    let verify = |checks: &Value, args: &[&str]| {
        fs::write(&file, checks.to_string()).expect("a file");
        run_about(&server, &[&["verify", &file.to_string_lossy()], args].concat())
    };
    let held = json!({ "match": { "operation": "lists.create", "status": 200 } });
    let missed = json!({ "match": { "operation": "lists.create", "status": 201 } });
    let output = verify(&json!([held, missed]), &[]);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    let first = format!("2 checks of {}, read as JSON\nok   1: ", file.display());
    assert!(stdout.starts_with(&first) && stdout.contains("\nFAIL 2: "), "{stdout}");
    assert!(
        stdout.contains("POST /contacts/v1/lists/create") && stdout.contains("status: expected 201, found 200"),
        "{stdout}"
    );
    let output = verify(&json!([held, missed]), &["--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["verified"], &report["checks"][0]["verified"]), (&false.into(), &true.into()));
    assert!(!report["checks"][1]["nearest"].as_array().expect("a list").is_empty());
    assert_eq!(verify(&held, &[]).status.code(), Some(0), "one alone");
    let mut piped = command(["verify", "-"]);
    piped.env("ROOST_READY_FILE", server.ready_file()).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut piped = piped.spawn().expect("started");
    writeln!(piped.stdin.take().expect("a pipe"), "{missed}").expect("it reads");
    assert_eq!(piped.wait().expect("our own child").code(), Some(1));
}

#[test]
fn verify_reads_yaml_and_writes_a_case_for_each_check() {
    let server = start_with_requests();
    let folder = TempDir::new().expect("a folder");
    let (file, junit) = (folder.path().join("checks.yaml"), folder.path().join("junit.xml"));
    let checks = "- match: {operation: lists.create}\n  times: {exactly: 2}\n  message: Two lists are made\n\
                  - match:\n      operation: lists.create\n      status: 201\n  message: It is 201, \"not\" 200\n\
                  - match: {operation: senders.query, status: 200}\n  times: {exactly: 0}\n  timeout: 300ms\n";
    fs::write(&file, checks).expect("a file");
    let arguments = ["verify", &file.to_string_lossy(), "--junit", &junit.to_string_lossy(), "--annotations", "github"];
    let output = run_about(&server, &arguments);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout.starts_with(&format!("3 checks of {}, read as YAML\nok   1: ", file.display())), "{stdout}");
    assert!(stdout.contains("\n     It is 201, \"not\" 200\n"), "{stdout}");
    assert!(stdout.contains("\n::error title=2%3A It is 201%2C \"not\" 200::FAIL 2: "), "{stdout}");
    let written = fs::read_to_string(&junit).expect("a file");
    assert!(written.contains("<testsuite name=\"roost verify\" tests=\"3\" failures=\"1\" time=\"0."), "{written}");
    assert!(written.contains("name=\"1: Two lists are made\" time=\"0."), "{written}");
    assert!(written.contains("name=\"2: It is 201, &quot;not&quot; 200\""), "{written}");
    assert!(written.contains("expected 201, found 200"), "{written}");
    let third = written.lines().find(|line| line.contains("name=\"3: ")).expect("a third case");
    let took = third.split("time=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a time");
    assert!(took.parse::<f64>().expect("a number") >= 0.3, "never within 300 ms waits them out: {third}");
    let again = run_about(&server, &arguments);
    assert_eq!(again.status.code(), Some(2), "no file is overwritten unasked");
}

#[test]
fn unknown_keys_in_files_name_their_neighbour() {
    let server = start_with_requests();
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("checks.json");
    for (text, want) in [
        (r#"{"match":{"operaton":"lists.create"}}"#, "operation"),
        (r#"{"match":{},"timeuot":"1s"}"#, "timeout"),
        ("[]", "empty"),
        ("{", "not valid JSON"),
        ("- match: [", "not valid YAML"),
        ("match", "read as YAML, it is neither a check nor a list of checks"),
    ] {
        fs::write(&file, text).expect("a file");
        let message = refusal_message(&run_about(&server, &["verify", &file.to_string_lossy()]));
        assert!(message.contains(want) && !message.contains("-->"), "{text}: {message}");
    }
}

#[test]
fn a_faulty_check_is_reported_with_its_line_and_field() {
    let server = start_with_requests();
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("checks.yaml");
    for (check, want) in [
        ("- match:\n    operation: lists.created\n", ":3, check 2: match.operation: unknown value 'lists.created'"),
        ("- match: {method: FETCH}\n", ":2, check 2: match.method: unknown value 'FETCH'"),
        ("- match:\n    status: 9xx\n", ":3, check 2: match.status: expected a status"),
        ("- match: {}\n  times:\n    exactly: many\n", ":4, check 2: times.exactly: Expected a non-negative integer"),
        ("- match: {}\n  timeuot: 1s\n", ":3, check 2: timeuot: Unknown field 'timeuot'. Did you mean 'timeout'?"),
    ] {
        fs::write(&file, format!("- match: {{}}\n{check}")).expect("a file");
        let message = refusal_message(&run_about(&server, &["verify", &file.to_string_lossy()]));
        assert!(message.contains(want) && !message.contains("column"), "{check}: {message}");
    }
}
