//! `roost exec`: starts a server for a command, passes on its exit status and leaves nothing behind.

mod annotations;

use std::{
    io::{BufRead, BufReader, Write},
    net::SocketAddr,
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use roost_tests::{Client, http::refuses_connections, spawned::command, until};

use super::command_output;

fn exec_command(args: &[&str], script: &str) -> Command {
    command([&["exec"], args, &["--", "sh", "-c", script]].concat())
}

fn exec_status(args: &[&str]) -> (Option<i32>, String) {
    let output = command_output(command(args));
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// A run whose command communicates with the test.
struct ExecRun {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl ExecRun {
    fn start(script: &str) -> Self {
        Self::start_with(&[], script)
    }

    fn start_with(args: &[&str], script: &str) -> Self {
        let mut exec = exec_command(args, script);
        let spawned = exec.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = spawned.expect("the binary can be started");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        Self { child, lines }
    }

    fn read_line(&mut self) -> String {
        self.lines.next().expect("a line").expect("text")
    }

    fn read_address(&mut self) -> SocketAddr {
        let url = self.read_line();
        url.strip_prefix("http://").and_then(|rest| rest.parse().ok()).unwrap_or_else(|| panic!("no address: {url}"))
    }

    fn send_signal(&self, name: &str) {
        send_signal(name, &self.child.id().to_string());
    }

    fn wait_for_end(self) -> (Option<i32>, String) {
        let Self { child, lines } = self;
        let output = child.wait_with_output().expect("our own child");
        drop(lines);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

fn send_signal(name: &str, pid: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), pid]).status().expect("kill exists");
    assert!(sent.success(), "kill -{name} {pid} failed");
}

/// Returns whether a process has ended, or is a zombie.
fn has_ended(pid: &str) -> bool {
    let output = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().expect("ps exists");
    let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    state.is_empty() || state.starts_with('Z')
}

fn assert_ended(pids: &[String], address: SocketAddr) {
    for pid in pids {
        until("nothing is left running", || has_ended(pid).then_some(()));
    }
    assert!(refuses_connections(address));
}

#[test]
fn exec_passes_the_childs_status_on() {
    for (script, want) in [("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -9 $$", 137)] {
        let output = command_output(exec_command(&[], script));
        assert_eq!(output.status.code(), Some(want), "{script}");
        assert!(output.stdout.is_empty(), "standard output is the command's");
    }
    let (code, stderr) = exec_status(&["exec", "--", "no-such-program-of-ours"]);
    assert!(code == Some(127) && stderr.contains("no-such-program-of-ours cannot be started"), "{code:?}: {stderr}");
    assert_eq!(exec_status(&["exec", "--", "/"]).0, Some(126));
    let (code, stderr) = exec_status(&["exec"]);
    assert!(code == Some(2) && stderr.contains("CMD"), "{code:?}: {stderr}");
    let (code, stderr) = exec_status(&["exec", "--seed", "/nowhere.json", "--", "true"]);
    assert!(code == Some(2) && stderr.contains("/nowhere.json"), "{code:?}: {stderr}");
}

#[test]
fn exec_says_where_the_server_is_and_how_to_get_in() {
    let script =
        r#"echo "$ROOST_URL"; echo "$ROOST_ADMIN_URL"; echo "$ROOST_ADMIN_TOKEN"; echo "$ROOST_API_KEY"; read -r end"#;
    let mut run = ExecRun::start(script);
    let address = run.read_address();
    assert_eq!(run.read_line(), format!("http://{address}/__admin"));
    let token = run.read_line();
    let key = run.read_line();
    Client::new(address).with_token(&token).get("/__admin/info").expect(200);
    let client = Client::new(address).with_key(&key);
    client.get("/contacts/v1/lists/").expect(200);
    client.get("/contacts/v1/lists/").expect(200);
    writeln!(run.child.stdin.take().expect("a pipe"), "end").expect("it reads");
    let (code, stderr) = run.wait_for_end();
    assert_eq!((code, stderr.as_str()), (Some(0), "roost: 2 requests; the command ended with 0\n"));
    assert!(refuses_connections(address));
    let keys = ["--auth", "keys", "--set", "auth.keys=first-key-of-two,second-key-of-two"];
    let output = command_output(exec_command(&keys, r#"echo "$ROOST_API_KEY""#));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "first-key-of-two\n");
}

#[test]
fn exec_fails_on_unmatched_when_asked() {
    let script = r#"echo "$ROOST_URL"; read -r end; exit "$end""#;
    let flag = "--require-no-unmatched";
    for (args, path, end, want) in [
        ([flag].as_slice(), "/contacts/v1/list", "0", 3),
        (&[flag], "/contacts/v1/list", "4", 4),
        (&[flag], "/nope", "0", 3),
        (&[flag], "/contacts/v1/lists/", "0", 0),
        (&[], "/contacts/v1/list", "0", 0),
    ] {
        let mut run = ExecRun::start_with(args, script);
        let client = Client::new(run.read_address());
        client.get(path);
        writeln!(run.child.stdin.take().expect("a pipe"), "{end}").expect("it reads");
        let (code, stderr) = run.wait_for_end();
        assert_eq!(code, Some(want), "{args:?} {path}: {stderr}");
        let is_reported = stderr.contains("unmatched: GET /contacts/v1/list. Did you mean GET /contacts/v1/lists/?");
        assert_eq!(is_reported, path == "/contacts/v1/list", "{stderr}");
        let leads_on = "unmatched: GET /nope. No path is similar. roost openapi prints all paths";
        assert_eq!(stderr.contains(leads_on), path == "/nope", "{stderr}");
    }
    let (code, stderr) = exec_status(&["exec", flag, "--journal", "off", "--", "true"]);
    assert!(code == Some(2) && stderr.contains("--journal"), "{code:?}: {stderr}");
}

#[test]
fn exec_judges_every_world_including_removed_ones() {
    let script = r#"echo "$ROOST_URL"; echo "$ROOST_ADMIN_TOKEN"; read -r end"#;
    for (path, want) in [("/contacts/v1/list", 3), ("/contacts/v1/lists/", 0)] {
        let mut run = ExecRun::start_with(&["--require-no-unmatched"], script);
        let client = Client::new(run.read_address());
        let admin = client.with_token(&run.read_line());
        for name in ["stays", "put-back", "goes"] {
            admin.post("/__admin/worlds", &serde_json::json!({ "name": name })).expect(201);
            client.get(format!("/w/{name}{path}"));
        }
        admin.post("/__admin/worlds/put-back/reset", &serde_json::json!({})).expect(200);
        admin.delete("/__admin/worlds/goes").expect(204);
        if want != 0 {
            client.get("/w/goes/contacts/v1/lists/").expect(404);
        }
        writeln!(run.child.stdin.take().expect("a pipe"), "end").expect("it reads");
        let (code, stderr) = run.wait_for_end();
        assert_eq!(code, Some(want), "{stderr}");
        let led_nowhere = if want == 0 { "" } else { "; 4 unmatched (including admin requests)" };
        let late = "unmatched: GET /w/goes/contacts/v1/lists/. Its world does not exist, or no longer";
        assert_eq!(stderr.contains(late), want != 0, "{stderr}");
        assert!(stderr.starts_with(&format!("roost: 3 requests{led_nowhere}; the command ended with 0\n")), "{stderr}");
        for name in ["stays", "put-back", "goes"] {
            let line = format!("unmatched: GET /w/{name}/contacts/v1/list. Did you mean GET /contacts/v1/lists/?");
            assert_eq!(stderr.contains(&line), want != 0, "{stderr}");
        }
    }
}

#[test]
fn exec_fails_on_what_is_left_undone_when_asked() {
    let script = r#"echo "$ROOST_URL"; echo "$ROOST_ADMIN_TOKEN"; read -r end"#;
    let folder = tempfile::TempDir::new().expect("a folder");
    let file = folder.path().join("junit.xml");
    let file_name = file.to_string_lossy();
    let args = ["--require-callbacks-settled", "--require-no-unmatched", "--force", "--junit", &file_name];
    for (has_work, want) in [(true, 3), (false, 0)] {
        let mut run = ExecRun::start_with(&args, script);
        let client = Client::new(run.read_address());
        let admin = client.with_token(&run.read_line());
        admin.post("/__admin/worlds", &serde_json::json!({ "name": "busy" })).expect(201);
        if has_work {
            // No server listens there, so the callback is still owed.
            let list = client.post("/w/busy/contacts/v1/lists/create", &serde_json::json!({ "name": "A" })).ok();
            let body = serde_json::json!({
                "list_id": list["uid"], "merge_type": "skipDuplicates", "callback_url": "http://127.0.0.1:9/hook",
                "contacts": [{ "phone_number": "+447700900001" }],
            });
            client.post("/w/busy/contacts/v1/contacts", &body).expect(200);
        }
        writeln!(run.child.stdin.take().expect("a pipe"), "end").expect("it reads");
        let (code, stderr) = run.wait_for_end();
        assert_eq!(code, Some(want), "{stderr}");
        assert_eq!(stderr.contains("the world busy has"), has_work, "{stderr}");
        let names_it = stderr.contains("callback 1 of busy: ") || stderr.contains("job 1 of busy: ");
        assert_eq!(names_it, has_work, "{stderr}");
        let written = std::fs::read_to_string(&file).expect("a file");
        assert!(written.contains(&format!("tests=\"3\" failures=\"{}\"", u8::from(has_work))), "{written}");
    }
}

#[test]
fn exec_fails_on_what_a_removed_world_left_undone() {
    let script = r#"echo "$ROOST_URL"; echo "$ROOST_ADMIN_TOKEN"; read -r end"#;
    for (hold, want) in [(true, 3), (false, 0)] {
        let mut run = ExecRun::start_with(&["--require-callbacks-settled"], script);
        let address = run.read_address();
        let client = Client::new(address);
        let admin = client.with_token(&run.read_line());
        admin.post("/__admin/worlds", &serde_json::json!({ "name": "gone" })).expect(201);
        admin.put("/__admin/worlds/gone/callback_policy", &serde_json::json!({ "hold": hold })).expect(200);
        let list = client.post("/w/gone/contacts/v1/lists/create", &serde_json::json!({ "name": "A" })).ok();
        let body = serde_json::json!({
            "list_id": list["uid"], "merge_type": "skipDuplicates", "contacts": [{ "phone_number": "+447700900001" }],
            "callback_url": format!("http://{address}/__hook/gone/inbox"),
        });
        client.post("/w/gone/contacts/v1/contacts", &body).expect(200);
        admin.post("/__admin/worlds/gone/settle", &serde_json::json!({ "timeout": "30s" })).expect(200);
        admin.delete("/__admin/worlds/gone").expect(204);
        writeln!(run.child.stdin.take().expect("a pipe"), "end").expect("it reads");
        let (code, stderr) = run.wait_for_end();
        assert_eq!(code, Some(want), "{stderr}");
        let summary = "the world gone was removed with 0 unfinished jobs and 1 unfinished callback";
        assert_eq!(
            (stderr.contains(summary), stderr.contains("callback 1 of gone: it is held")),
            (hold, hold),
            "{stderr}"
        );
    }
}

#[test]
fn exec_says_that_its_report_cannot_be_written_before_the_command_runs() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    std::fs::write(at("old.xml"), "old").expect("a file");
    std::fs::create_dir(at("folder")).expect("a folder");
    let ran = at("ran");
    for (file, words) in [
        ("nowhere/junit.xml", "does not exist"),
        ("old.xml/junit.xml", "cannot be written"),
        ("folder", "is a folder"),
        ("old.xml", "--force"),
    ] {
        let (code, stderr) = exec_status(&["exec", "--junit", &at(file), "--", "touch", &ran]);
        assert!(code == Some(2) && stderr.contains(&at(file)) && stderr.contains(words), "{code:?}: {stderr}");
        assert!(!Path::new(&ran).exists(), "{file}: the command ran");
    }
    // The check loses nothing of a report that may be overwritten, and leaves nothing beside it.
    let (code, stderr) = exec_status(&["exec", "--force", "--junit", &at("old.xml"), "--", "cp", &at("old.xml"), &ran]);
    assert_eq!((code, std::fs::read_to_string(&ran).ok().as_deref()), (Some(0), Some("old")), "{stderr}");
    assert!(std::fs::read_to_string(at("old.xml")).is_ok_and(|report| report.starts_with("<?xml")));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 3);
}

#[test]
fn a_command_of_roost_finds_the_server_of_exec() {
    let roost = roost_tests::spawned::binary();
    let mut exec = command(["exec", "--set", "limits=off", "--"]);
    let output = command_output({
        exec.arg(roost).args(["doctor", "--json"]);
        exec
    });
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["answers"], &report["rules"]["limits"]), (&true.into(), &"off".into()));
}

#[test]
fn exec_leaves_nothing_running() {
    // The command ends but leaves a child process, or is killed, or `roost exec` receives a signal.
    const BEGIN: &str = r#"echo "$ROOST_URL"; echo $$; sleep 1000 >/dev/null 2>&1 & echo $!; "#;
    for (then, signal, want) in [("exit 3", None, 3), ("kill -9 $$", None, 137), ("wait", Some("TERM"), 143)] {
        let mut run = ExecRun::start(&format!("{BEGIN}{then}"));
        let address = run.read_address();
        let pids = [run.read_line(), run.read_line()];
        if let Some(signal) = signal {
            run.send_signal(signal);
        }
        let (code, stderr) = run.wait_for_end();
        assert_eq!(code, Some(want), "{then}: {stderr}");
        assert_ended(&pids, address);
    }
}

#[test]
fn a_second_interrupt_ends_exec_and_its_command_at_once() {
    let script =
        r#"trap 'echo heard' INT; echo "$ROOST_URL"; echo $$; while :; do sleep 1000 >/dev/null 2>&1 & wait $!; done"#;
    let mut run = ExecRun::start(script);
    let address = run.read_address();
    let pid = run.read_line();
    run.send_signal("INT");
    assert_eq!(run.read_line(), "heard", "the command decides what the first one means");
    run.send_signal("INT");
    assert_eq!(run.wait_for_end().0, Some(130));
    assert_ended(&[pid], address);
}
