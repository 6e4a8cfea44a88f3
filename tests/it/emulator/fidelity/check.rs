//! `roost fidelity check`: the questions, the findings, and that it leaves nothing behind.

use std::{
    collections::BTreeMap,
    fs,
    io::{ErrorKind, Write as _},
    process::Stdio,
    time::Duration,
};

use roost_emulator::{
    client::InterfaceClient,
    fidelity::{self, CheckError, CheckOptions, CheckReport, Observation},
};
use roost_tests::{Receiver, Reply, Served, Setup, Spawned, seeds, served::time, spawned::command};
use serde_json::{Value, json};

const KEY: &str = "a-key-of-mine";

pub(crate) fn run_check(url: &str, writes: bool, burst: bool) -> (Result<CheckReport, CheckError>, Vec<Value>) {
    let caller = InterfaceClient::new(url, KEY).expect("an address");
    let stranger = InterfaceClient::new(url, "nobody-has-this-key").expect("an address");
    let mut calls = Vec::new();
    let mut record = |call: &Value| {
        calls.push(call.clone());
        Ok(())
    };
    let options = CheckOptions { writes, burst, between: Duration::ZERO };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let now = time("2026-01-05T09:00:00Z");
    let report = runtime.block_on(fidelity::run_check(&caller, &stranger, options, now, &mut record));
    (report, calls)
}

fn question_names(report: &CheckReport, result: Observation) -> Vec<&str> {
    report.rows.iter().filter(|row| row.result == result).map(|row| row.name.as_str()).collect()
}

/// Opt-outs of assets, senders and lists that the questions need.
fn question_seed() -> Value {
    let mut keyword = seeds::opt_out("+447700900801", "SMS", "2026-01-05T09:00:00Z");
    let asset = seeds::sms_asset("1", "+447700900001");
    for (name, value) in [
        ("account_level_opt_out", json!(false)),
        ("opt_out_type", json!("keyword")),
        ("inbound_asset_id", asset["id"].clone()),
        ("inbound_number", asset["number"].clone()),
    ] {
        keyword[name] = value;
    }
    let mut other = keyword.clone();
    (other["number"], other["opt_out_type"]) = (json!("+447700900802"), json!("api_import"));
    json!({ "assets": [asset], "opt_outs": [keyword, other], "lists": [{ "name": "b" }, { "name": "A" }] })
}

fn start_server(settings: &[(&str, &str)]) -> Served {
    settings.iter().fold(Setup::new(), |setup, (name, value)| setup.set(name, value)).seed(question_seed()).serve()
}

fn read_state(api: &Served) -> Vec<Value> {
    ["lists", "contacts", "opt_outs", "short_links"]
        .map(|noun| api.admin().get(format!("/__admin/state/{noun}")).ok()["items"].clone())
        .to_vec()
}

#[test]
fn a_service_that_does_the_same_is_contradicted_nowhere() {
    let api = start_server(&[]);
    let before = read_state(&api);
    let (report, calls) = run_check(api.url(), true, false);
    let report = report.expect("checked");
    assert_eq!(question_names(&report, Observation::Contradicted), [""; 0], "{:#?}", report.rows);
    assert!(
        question_names(&report, Observation::Observed).len() >= 70,
        "{:?}",
        question_names(&report, Observation::Undecided)
    );
    assert_eq!((report.learnt_settings(), report.left_behind.clone()), (BTreeMap::new(), Vec::new()));
    assert_eq!(read_state(&api), before, "nothing is left behind");
    let text = format!("{calls:?}") + &serde_json::to_string(&report).expect("JSON");
    assert!(!text.contains(KEY) && !text.contains("7700900"), "keys and numbers are masked");
    assert_eq!(CheckReport::read(&serde_json::to_vec(&report).expect("JSON")).expect("read"), report);
}

#[test]
fn the_check_finds_exactly_the_ten_settings_that_were_changed() {
    let turned = [
        ("auth", "off"),
        ("lists.unique_names", "on"),
        ("opt_outs.asset_fields", "asset"),
        ("opt_outs.entries", "all"),
        ("short_link_base", "https://go.example/x"),
        ("status.contact_create", "202"),
        ("status.list_create", "201"),
        ("status.opt_out_delete", "202"),
        ("unknown_on_delete", "404"),
        ("limits.per_second", "40"),
    ];
    let api = start_server(&[&turned[..], &[("limits", "on")]].concat());
    let before = read_state(&api);
    let (report, _) = run_check(api.url(), true, true);
    let report = report.expect("checked");
    let found = report.learnt_settings();
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), {
        let mut names = turned.map(|(name, _)| name);
        names.sort_unstable();
        names.to_vec()
    });
    for (name, value) in turned.into_iter().filter(|(name, _)| *name != "limits.per_second") {
        assert_eq!(found[name], value, "{name}");
    }
    let rate: f64 = found["limits.per_second"].parse().expect("a number");
    assert!((30.0..=50.0).contains(&rate), "{rate}");
    // A row is contradicted only if a changed setting says so.
    let contradicted = report.rows.iter().filter(|row| row.result == Observation::Contradicted);
    for row in contradicted.filter(|row| row.name != "auth.unauthorized") {
        assert!(!row.settings.is_empty() && row.note.is_some(), "{row:#?}");
    }
    assert_eq!(read_state(&api), before, "nothing is left behind");
    // A server with the settings of the report behaves in the same way.
    let mut settings = roost_emulator::Settings::default();
    report.apply_to(&mut settings).expect("known settings");
    let shown = settings.to_json();
    for (name, value) in turned.into_iter().filter(|(name, _)| *name != "limits.per_second") {
        let shown = &shown[name];
        assert_eq!(shown.as_str().map_or_else(|| shown.to_string(), str::to_owned), value, "{name}");
    }
}

#[test]
fn a_service_that_is_strict_is_found_out() {
    let names = ["strict.body_fields", "strict.deprecated_forms", "strict.parameters"];
    let api = start_server(&names.map(|name| (name, "refuse")));
    let (report, _) = run_check(api.url(), false, false);
    let report = report.expect("checked");
    assert_eq!(report.learnt_settings().into_iter().collect::<Vec<_>>(), names.map(|name| (name, "refuse")));
}

#[test]
fn a_check_that_only_reads_changes_nothing() {
    let api = Setup::new().recording().seed(question_seed()).serve();
    let before = read_state(&api);
    let (report, calls) = run_check(api.url(), false, false);
    let report = report.expect("checked");
    assert_eq!(question_names(&report, Observation::Contradicted), [""; 0], "{:#?}", report.rows);
    assert!(
        question_names(&report, Observation::Observed).len() >= 35,
        "{:?}",
        question_names(&report, Observation::Undecided)
    );
    assert_eq!(read_state(&api), before);
    let requests = calls.iter().filter_map(|call| call["request"].as_str());
    for request in requests {
        let is_reading = ["GET ", "HEAD ", "OPTIONS ", "POST /assets/v1/shortlink/filter"];
        assert!(is_reading.iter().any(|begin| request.starts_with(begin)), "{request}");
    }
    // Each call is recorded before it is sent. If the record cannot be written, the check ends without sending
    // anything.
    let sent = || {
        let requests = api.admin().get("/__admin/requests?limit=1000").items();
        requests.iter().filter(|one| one.to_string().contains("/contacts/v1/lists")).count()
    };
    let before = sent();
    let caller = InterfaceClient::new(api.url(), KEY).expect("an address");
    let mut full = |_: &Value| Err(std::io::Error::other("no space"));
    let options = CheckOptions { writes: false, burst: false, between: Duration::ZERO };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let ended =
        runtime.block_on(fidelity::run_check(&caller, &caller, options, time("2026-01-05T09:00:00Z"), &mut full));
    assert!(matches!(ended, Err(CheckError::Record(_))), "{ended:?}");
    assert_eq!(sent(), before);
}

#[test]
fn a_service_with_meaningless_responses_ends_the_check_with_a_report_or_an_error() {
    for (status, body) in [(200, "<html>Sign in</html>"), (200, "{}"), (200, "[]"), (500, "null"), (204, "")] {
        let receiver = Receiver::replying((0..500).map(|_| Reply::Text(status, body)));
        let (report, _) = run_check(&receiver.url(""), true, false);
        let report = report.expect("a report");
        assert!(
            report.count_results(Observation::Contradicted) > 20 && report.left_behind.is_empty(),
            "{status} {body}"
        );
        assert!(
            receiver.received().iter().all(|one| one.method != "DELETE" || one.target.contains("0000000")),
            "{status} {body}"
        );
    }
    let refusing = Receiver::replying([Reply::Status(401)]);
    let (report, _) = run_check(&refusing.url(""), true, true);
    assert!(matches!(report, Err(CheckError::Refused(401))), "{report:?}");
    assert_eq!(refusing.received().len(), 1, "nothing else was asked");
}

#[test]
fn an_address_without_the_service_is_called_wrong_at_once() {
    let api = start_server(&[]);
    let (report, calls) = run_check(&format!("{}/nosuch", api.url()), true, true);
    assert!(matches!(report, Err(CheckError::WrongAddress(_))), "{report:?}");
    assert_eq!(calls.iter().filter(|call| call["request"].is_string()).count(), 1, "{calls:?}");
}

#[test]
fn the_check_finds_that_limits_are_off() {
    let api = start_server(&[]);
    let (report, _) = run_check(api.url(), false, true);
    assert_eq!(report.expect("checked").learnt_settings(), BTreeMap::from([("limits", "off")]));
}

fn run_program(args: &[&str], input: &str) -> (Option<i32>, String) {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // One that is refused for something else may end without reading it.
    let written = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    assert!(written.is_ok() || written.is_err_and(|why| why.kind() == ErrorKind::BrokenPipe));
    let output = child.wait_with_output().expect("ends");
    let text = [output.stdout, output.stderr].map(|stream| String::from_utf8_lossy(&stream).into_owned()).concat();
    (output.status.code(), text)
}

#[test]
fn a_check_without_an_answer_leaves_nothing_in_the_way_of_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (report, calls) = (path("report.json"), path("calls.jsonl"));
    let check = |url: &str| {
        run_program(
            &["fidelity", "check", "--against", url, "--out", &report, "--calls", &calls, "--key-stdin"],
            "k-31415926\n",
        )
    };
    let (code, output) = check("http://127.0.0.1:9");
    assert_eq!(code, Some(2), "{output}");
    assert!(!folder.path().join("calls.jsonl").exists(), "{output}");
    let service = Spawned::start(["--limits", "off"]);
    let (code, output) = check(service.url());
    assert!(code != Some(2), "{output}");
    #[cfg(unix)]
    for file in [&report, &calls] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(file).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{file}");
    }
}

#[test]
fn a_report_starts_a_server_that_does_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let service = Spawned::start(["--auth", "off", "--limits", "off"]);
    let (report, calls) = (path("report.json"), path("calls.jsonl"));
    let check = ["fidelity", "check", "--against", service.url(), "--out", &report, "--calls", &calls, "--key-stdin"];
    let (code, output) = run_program(&check, "my-secret-key-31415\n");
    assert_eq!(code, Some(1), "{output}");
    assert!(output.contains("contradicted  D3 auth.admission") && output.contains("--set auth=off"), "{output}");
    let kept = fs::read_to_string(&report).expect("a report") + &fs::read_to_string(&calls).expect("calls") + &output;
    assert!(!kept.contains("31415"), "the key is nowhere");
    let (code, output) = run_program(&check, "k\n");
    assert!(code == Some(2) && output.contains("--force"), "{output}");
    let (other, log) = (path("other.json"), path("other.jsonl"));
    let keyless = ["fidelity", "check", "--against", service.url(), "--out", &other, "--calls", &log];
    let (code, output) = run_program(&keyless, "");
    assert!(code == Some(2) && output.contains("--key-stdin"), "{output}");
    // A server with this report accepts every key and shows why.
    let same = Spawned::start(["--fidelity", &report, "--limits", "off"]);
    assert_eq!(same.client().without("x-auth-key").get("/contacts/v1/lists/").status, 200);
    let shown = same.admin().get("/__admin/fidelity").ok();
    let row = shown["items"].as_array().expect("rows").iter().find(|row| row["name"] == "auth.admission");
    assert_eq!(row.expect("a row")["observation"], "contradicted");
    assert!(shown["score"]["observed"].as_u64() > Some(30) && shown["score"]["contradicted"].as_u64() >= Some(1));
    // An account of the same service plans with the report. An account of another service does not.
    let db = path("m.roost");
    let connect = |url: &str| run_program(&["connect", url, "--db", &db, "--no-test", "--fidelity", &report], "");
    let (code, output) = connect("https://another.example");
    assert!(code == Some(2) && output.contains("the report is about"), "{output}");
    let (code, output) = connect(service.url());
    assert_eq!(code, Some(0), "{output}");
    fs::write(&report, "{}").expect("written");
    let (status, stderr) = Spawned::try_start_with(["--fidelity", &report], &[]).err().expect("refused");
    assert!(stderr.contains("not a report of roost fidelity check"), "{status} {stderr}");
}
