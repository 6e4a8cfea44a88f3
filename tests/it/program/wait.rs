//! `roost wait`: ends when a server answers, or says why it gave up.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    process::Stdio,
};

use roost_tests::{Spawned, spawned::command};
use tempfile::TempDir;

use super::{command_output, refusal_message};

#[test]
fn it_ends_once_a_server_answers() {
    let folder = TempDir::new().expect("a folder");
    let ready = folder.path().join("ready.json");
    let mut wait = command(["wait", "--timeout", "60s", "--ready-file"]);
    let mut waiting = wait.arg(&ready).stderr(Stdio::null()).spawn().expect("started");
    let mut serve = command(["serve", "--port", "0"]);
    let serving = serve.env("ROOST_READY_FILE", &ready).stdout(Stdio::null()).spawn();
    let mut serving = serving.expect("started");
    assert_eq!(waiting.wait().expect("our own child").code(), Some(0));
    assert!(ready.is_file());
    serving.kill().expect("our own child");
    serving.wait().expect("our own child");
}

#[test]
fn a_server_is_named_by_its_address_in_any_form() {
    let server = Spawned::start::<&str>([]);
    for url in [server.url().to_owned(), format!("{}/", server.url()), format!("{}/__admin", server.url())] {
        assert_eq!(command_output(command(["wait", "--url", &url])).status.code(), Some(0), "{url}");
        let mut by_variable = command(["wait"]);
        by_variable.env("ROOST_ADMIN_URL", &url);
        assert_eq!(command_output(by_variable).status.code(), Some(0), "{url}");
    }
    assert!(
        refusal_message(&command_output(command(["wait", "--url", "127.0.0.1:4010"])))
            .contains("http://127.0.0.1:4010")
    );
    assert!(refusal_message(&command_output(command(["wait", "--timeout", "soon"]))).contains("500ms"));
}

#[test]
fn a_server_whose_account_file_is_away_is_not_ready() {
    let folder = TempDir::new().expect("a folder");
    let (file, away) = (folder.path().join("a.roost"), folder.path().join("b.roost"));
    let server = Spawned::start(["--db", file.to_str().expect("text")]);
    for path in ["/readyz", "/__admin/readyz"] {
        server.client().get(path).expect(200);
        fs::rename(&file, &away).expect("moved");
        let error = &server.client().get(path).expect(503).json()["error"];
        assert_eq!(error["code"], "not_ready");
        assert!(error["message"].as_str().is_some_and(|text| text.contains("was moved")), "{error}");
        assert!(!error.to_string().contains("a.roost"), "anybody may ask: {error}");
        server.client().get("/livez").expect(200);
        fs::rename(&away, &file).expect("moved back");
        server.client().get(path).expect(200);
    }
}

#[test]
fn a_flag_takes_precedence_over_a_variable() {
    let (one, other) = (Spawned::start::<&str>([]), Spawned::start::<&str>([]));
    let run_doctor = |args: &[&str], variables: &[(&str, &str)]| -> serde_json::Value {
        let mut doctor = command([&["doctor", "--json"], args].concat());
        doctor.envs(variables.iter().copied());
        serde_json::from_slice(&command_output(doctor).stdout).expect("JSON")
    };
    let (one_ready, other_ready) = (one.ready_file(), other.ready_file());
    let (one_ready, other_ready) = (one_ready.to_string_lossy(), other_ready.to_string_lossy());
    let (one_ready, other_ready): (&str, &str) = (&one_ready, &other_ready);
    let other_port = other.address().port().to_string();
    let of_one = [("ROOST_ADMIN_URL", one.url()), ("ROOST_ADMIN_TOKEN", one.admin_token())];
    for (args, variables, want, answers) in [
        (["--ready-file", other_ready].as_slice(), of_one.as_slice(), other.url(), true),
        (&["--ready-file", other_ready], &[("ROOST_READY_FILE", one_ready)], other.url(), true),
        (&["--url", other.url()], &[("ROOST_READY_FILE", one_ready)], other.url(), false),
        (&[], &of_one, one.url(), true),
        (&[], &[("ROOST_READY_FILE", one_ready)], one.url(), true),
        (&["--port", &other_port], &of_one, other.url(), false),
        (&["--port", &other_port], &[("ROOST_READY_FILE", one_ready)], other.url(), false),
        (&["--port", &other_port, "--url", one.url()], &[], one.url(), false),
        (&["--port", &other_port, "--ready-file", one_ready], &[], one.url(), true),
        (&[], &[of_one[0], of_one[1], ("ROOST_PORT", &other_port)], one.url(), true),
    ] {
        let report = run_doctor(args, variables);
        assert_eq!((&report["url"], report["info"].is_object()), (&want.into(), answers), "{args:?}: {report}");
    }
}

/// Starts a server that answers 200 to everything, and passes on the first line of each request.
fn yes_man() -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (sender, requests) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in listener.incoming().flatten() {
            let head: Vec<String> =
                BufReader::new(&line).lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
            let Some(first) = head.into_iter().next() else { continue };
            if sender.send(first).is_err() {
                return;
            }
            let body = r#"{"status":"ok","items":[]}"#;
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            let _ = write!(&line, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        }
    });
    (url, requests)
}

#[test]
fn a_server_other_than_roost_is_recognized_by_its_response_and_gets_no_request() {
    let (url, requests) = yes_man();
    for args in [["reset"].as_slice(), &["snapshot", "a"], &["tail", "--no-wait"]] {
        let mut of_somebody = command([args, &["--url", &url]].concat());
        of_somebody.env("ROOST_ADMIN_TOKEN", "0123456789abcdef");
        let message = refusal_message(&command_output(of_somebody));
        assert!(
            message.contains("not a Roost server") && message.contains(r#"it answered 200, '{"status":"ok""#),
            "{args:?}: {message}"
        );
    }
    // The time suffices for one answer.
    let waited = command_output(command(["wait", "--timeout", "3s", "--url", &url]));
    assert_eq!(waited.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&waited.stderr).contains("not a Roost server"));
    let requests: Vec<String> = requests.try_iter().collect();
    assert!(
        requests.iter().all(|line| line.contains("/__admin/livez") || line.contains("/__admin/readyz")),
        "{requests:?}"
    );
}

#[test]
fn giving_up_is_status_1_and_says_why() {
    // Accepts connections and never answers.
    let silent = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let url = format!("http://{}", silent.local_addr().expect("an address"));
    let given_up = |args: &[&str], want: &[&str]| {
        let output = command_output(command([&["wait", "--timeout", "50ms"], args].concat()));
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), stderr.lines().count()), (Some(1), 1), "{stderr}");
        assert!(want.iter().all(|want| stderr.contains(want)), "{stderr}");
    };
    given_up(&["--url", &url], &["not ready within 50ms", "nothing answered"]);
    given_up(&["--ready-file", "/nowhere/ready.json"], &["not ready within 50ms", "/nowhere/ready.json"]);
}
