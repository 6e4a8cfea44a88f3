//! `roost serve`: its start, its messages, its end.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    time::{Duration, Instant},
};

use roost_tests::{PartialRequest, Spawned, spawned::command};
use serde_json::json;
use tempfile::TempDir;

use super::{command_output, refusal_message, run_program};

/// Proves: S0_program, G3_2_1.
#[test]
fn the_first_line_says_where_it_listens() {
    let server = Spawned::start::<&str>([]);
    assert_eq!(server.first_lines(1), [format!("roost listening on {}", server.url())]);
    assert_eq!(server.url(), format!("http://{}", server.address()));
    server.client().get("/contacts/v1/lists/").expect(200);
}

/// Proves: S0_program, G3_2_5.
#[test]
fn the_ready_file_says_how_to_get_in_while_it_answers() {
    let mut server = Spawned::start::<&str>([]);
    let path = server.ready_file();
    let mode = fs::metadata(&path).expect("the ready file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let ready = server.ready();
    assert_eq!(
        (&ready["url"], &ready["admin_url"]),
        (&json!(server.url()), &json!(format!("{}/__admin", server.url())))
    );
    assert_eq!((&ready["pid"], &ready["version"]), (&json!(server.pid()), &json!(env!("CARGO_PKG_VERSION"))));
    let token = server.admin_token();
    assert!(token.len() == 64 && token.bytes().all(|b| b.is_ascii_hexdigit()), "32 random bytes");
    server.admin().get("/__admin/info").expect(200);
    server.client().get("/__admin/info").expect(401);
    assert!(!server.stdout().contains(token) && !server.stderr().contains(token));
    assert_ne!(Spawned::start::<&str>([]).admin_token(), token);
    assert_eq!(server.terminate().code(), Some(0));
    assert!(!path.exists(), "removed at exit");
}

/// Proves: S0_program.
#[test]
fn both_polite_signals_end_it_within_two_seconds() {
    for signal in ["TERM", "INT"] {
        // A busy machine may take longer once, but not every time.
        let mut took = Vec::new();
        while took.last().is_none_or(|last| *last >= Duration::from_secs(3)) {
            assert!(took.len() < 3, "{signal}: {took:?}");
            took.push(ended_after(signal));
        }
    }
}

/// Measures the time to end, with one silent connection, one incomplete request and one kept-alive connection.
fn ended_after(signal: &str) -> Duration {
    let mut server = Spawned::start::<&str>([]);
    let idle = TcpStream::connect(server.address()).expect("a connection");
    let half = PartialRequest::create_list(server.address(), "VIP");
    let kept = server.client();
    kept.get("/contacts/v1/lists/").expect(200);
    let begun = Instant::now();
    server.signal(signal);
    let status = server.wait();
    let took = begun.elapsed();
    assert_eq!(status.code(), Some(0), "{signal}");
    drop((idle, half, kept));
    assert!(TcpStream::connect(server.address()).is_err());
    took
}

/// A running request keeps the server from ending.
///
/// Proves: S0_program.
#[test]
fn a_second_interrupt_ends_it_at_once() {
    let ended = (0..10).find_map(|_| {
        let mut server = Spawned::start::<&str>([]);
        let half = PartialRequest::create_list(server.address(), "VIP");
        let begun = Instant::now();
        server.signal("INT");
        roost_tests::until("the door is closed", || TcpStream::connect(server.address()).is_err().then_some(()));
        server.signal("INT");
        // On a busy machine it may have ended by itself before it received the second signal.
        let was_in_time = begun.elapsed() < Duration::from_secs(1);
        let status = server.wait();
        drop(half);
        assert!(!server.ready_file().exists());
        was_in_time.then_some(status.code())
    });
    assert_eq!(ended, Some(Some(130)));
}

#[test]
fn the_ready_line_goes_into_a_pipe() {
    let folder = TempDir::new().expect("a folder");
    let (roost, ready) = (roost_tests::spawned::binary(), folder.path().join("ready"));
    let line = r#"exec "$0" serve --port 0 --ready-fd 3 3>"$1""#;
    let mut shell = std::process::Command::new("sh");
    let spawned = shell.args(["-c", line]).args([&roost, &ready]).stdout(std::process::Stdio::null()).spawn();
    let mut child = spawned.expect("started");
    let ready_line =
        roost_tests::until("it is ready", || fs::read_to_string(&ready).ok().filter(|text| text.ends_with('\n')));
    let fields: serde_json::Value = serde_json::from_str(&ready_line).expect("one line of JSON");
    assert_eq!(fields["pid"], child.id());
    assert!(fields["admin_token"].is_string() && fields["url"].is_string());
    child.kill().expect("our own child");
    child.wait().expect("our own child");
    assert!(
        refusal_message(&run_program(&["serve", "--port", "0", "--ready-fd", "77"]))
            .contains("--ready-fd 77 is not open")
    );
}

/// Proves: S0_program.
#[test]
fn a_request_under_way_is_answered_before_the_end() {
    let mut server = Spawned::start::<&str>([]);
    let request = PartialRequest::create_list(server.address(), "VIP");
    server.signal("TERM");
    roost_tests::until("the door is closed", || TcpStream::connect(server.address()).is_err().then_some(()));
    let answer = request.complete();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains(r#""name":"VIP""#), "{answer}");
    assert_eq!(server.wait().code(), Some(0));
}

/// Proves: S0_program.
#[test]
fn memory_is_the_default_and_leaves_no_file() {
    let folder = TempDir::new().expect("a folder");
    let mut serve = command(["serve", "--port", "0", "--ready-file", "ready.json"]);
    let mut child = serve.current_dir(folder.path()).stdout(std::process::Stdio::null()).spawn().expect("started");
    let names = || -> Vec<_> {
        fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect()
    };
    roost_tests::until("it is ready", || folder.path().join("ready.json").is_file().then_some(()));
    assert_eq!(names(), ["ready.json"]);
    child.kill().expect("our own child");
    child.wait().expect("our own child");
}

/// Proves: S0_program.
#[test]
fn a_file_keeps_the_account() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("account.roost");
    for round in 0..3 {
        let mut server = Spawned::start(["--db".as_ref(), file.as_os_str()]);
        let client = server.client();
        assert_eq!(client.get("/contacts/v1/lists/").items().len(), round);
        client.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).expect(200);
        assert_eq!(server.terminate().code(), Some(0));
    }
}

/// Proves: S0_program.
#[test]
fn a_taken_port_is_reported_in_one_line() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let folder = TempDir::new().expect("a folder");
    let ready = folder.path().join("ready.json");
    let message = refusal_message(&run_program(&["serve", "--port", &port, "--ready-file", &ready.to_string_lossy()]));
    assert!(message.contains(&port) && message.contains("--port"), "it says what to do: {message}");
    assert!(!ready.exists());
}

/// Proves: S0_program.
#[test]
fn an_unknown_flag_is_reported_in_one_line_with_its_neighbour() {
    for (args, neighbour) in [
        (["serve", "--prot", "1"].as_slice(), "--port"),
        (&["serve", "--limit", "off"], "--limits"),
        (&["serf"], "serve"),
        (&["export", "--database", "x"], "--db"),
        (&[], "serve"),
        (&["serve", "--port", "70000"], "--port"),
        (&["serve", "--auth", "none"], "keys"),
    ] {
        let message = refusal_message(&run_program(args));
        assert!(message.contains(neighbour), "{args:?}: {message}");
    }
    let help = run_program(&["serve", "--help"]);
    assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("--ready-file"));
}

/// Proves: S0_program, G3_2_1.
#[test]
fn a_wide_bind_is_refused_in_one_line() {
    let message = refusal_message(&run_program(&["serve", "--port", "0", "--bind", "0.0.0.0"]));
    assert!(message.contains("--i-know-this-is-reachable"), "{message}");
    let mut wide = command(["serve", "--port", "0", "--bind", "0.0.0.0", "--i-know-this-is-reachable"]);
    wide.env("ROOST_AUTH", "any");
    let message = refusal_message(&command_output(wide));
    assert!(message.contains("keys"), "{message}");
}
