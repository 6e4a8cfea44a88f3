//! `roost listen`: prints the callbacks of a running server and forwards them.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use roost_tests::{Receiver, Reply, Spawned, spawned::command};
use serde_json::{Value, json};

use crate::program::{command_output, refusal_message};

fn send_callback(server: &Spawned, body: &Value) {
    server.client().post("/__hook/inbox", body).expect(200);
}

#[test]
fn what_came_is_printed_and_passed_on() {
    let server = Spawned::start::<&str>([]);
    send_callback(&server, &json!({ "n": 1 }));
    send_callback(&server, &json!({ "n": "\u{1b}[2J" }));
    let receiver = Receiver::replying([Reply::Status(503)]);
    let listen = |args: &[&str]| {
        let mut listen = command([&["listen"], args].concat());
        listen.env("ROOST_READY_FILE", server.ready_file());
        command_output(listen)
    };
    let url = receiver.url("/callback");
    let output = listen(&["--forward-to", &url, "--no-wait"]);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout.contains("answered 200  forwarded: 503\n  {\"n\":1}\n"), "{stdout}");
    assert!(stdout.contains("answered 200  forwarded: 200\n") && !stdout.contains('\u{1b}'), "{stdout}");
    let came = receiver.received();
    assert_eq!(came.iter().map(|one| one.json()["n"].clone()).collect::<Vec<_>>(), [json!(1), json!("\u{1b}[2J")]);
    let one: Value =
        serde_json::from_slice(&listen(&["inbox", "--since", "1", "--no-wait", "--json"]).stdout).expect("one");
    assert_eq!((&one["seq"], &one["forwarded"]), (&json!(2), &Value::Null));
    let nobody = listen(&["--forward-to", "http://127.0.0.1:1/", "--no-wait"]);
    assert!(
        String::from_utf8_lossy(&nobody.stdout).contains("not forwarded: no connection"),
        "it goes on all the same"
    );
    assert!(refusal_message(&listen(&["--forward-to", "http://192.0.2.1/"])).contains("this machine"));
    assert!(refusal_message(&listen(&["No name"])).contains("a-z"));
}

#[test]
fn a_listener_follows_through_a_reset_to_the_end() {
    let mut server = Spawned::start::<&str>([]);
    let mut listen = command(["listen", "--since", "0", "--json"]);
    listen.env("ROOST_READY_FILE", server.ready_file());
    let mut listen = listen.stdout(Stdio::piped()).spawn().expect("started");
    let mut lines = BufReader::new(listen.stdout.take().expect("a pipe")).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().expect("a line").expect("text")).expect("JSON") };
    send_callback(&server, &json!({ "n": 1 }));
    assert_eq!(next()["json"], json!({ "n": 1 }));
    send_callback(&server, &json!({ "n": 2 }));
    assert_eq!(next()["seq"], 2);
    server.admin().post("/__admin/reset", &json!({})).expect(200);
    send_callback(&server, &json!({ "n": 3 }));
    let after = next();
    assert_eq!((&after["seq"], &after["json"]), (&json!(1), &json!({ "n": 3 })));
    server.terminate();
    assert_eq!(listen.wait().expect("our own child").code(), Some(0));
}
