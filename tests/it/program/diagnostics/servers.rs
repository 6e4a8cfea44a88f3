//! `roost doctor`: reports which program holds the port and what it answers, without showing a secret.

use std::{net::TcpListener, thread};

use roost_tests::{Spawned, spawned::command};
use serde_json::Value;

use super::super::command_output;

fn run_doctor(args: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut doctor = command([&["doctor"], args].concat());
    doctor.envs(variables.iter().copied());
    let output = command_output(doctor);
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
    )
}

#[test]
#[cfg(target_os = "linux")]
fn it_names_who_holds_the_port() {
    let server = Spawned::start::<&str>([]);
    let port = server.address().port().to_string();
    let (code, output) = run_doctor(&["--port", &port], &[]);
    assert_eq!(code, Some(0), "{output}");
    assert!(output.contains(&format!("{port} is used by roost (process {}) on 127.0.0.1", server.pid())), "{output}");
    assert!(output.contains("a Roost server responds") && output.contains("ROOST_ADMIN_TOKEN"), "{output}");
    // The test itself holds a port and closes every connection.
    let other = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = other.local_addr().expect("an address").port().to_string();
    thread::spawn(move || other.incoming().for_each(drop));
    let (code, output) = run_doctor(&["--json"], &[("ROOST_PORT", &port)]);
    assert_eq!(code, Some(1), "{output}");
    let report: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!(report["holders"][0]["pid"], std::process::id());
    assert_eq!((&report["answers"], &report["info"]), (&false.into(), &Value::Null));
}

#[test]
fn doctor_shows_no_secret() {
    const KEY: &str = "opensesame-3141592653";
    const TOKEN: &str = "0123456789abcdefgh-token";
    let keys = format!("auth.keys={KEY}");
    let args = ["--auth", "keys", "--set", &keys, "--limits", "off"];
    let server = Spawned::try_start_with(args, &[("ROOST_ADMIN_TOKEN", TOKEN)]);
    let server = server.unwrap_or_else(|(status, stderr)| panic!("{status}: {stderr}"));
    let ready = server.ready_file();
    let ready = ready.to_string_lossy();
    let variables = [("ROOST_ADMIN_TOKEN", TOKEN), ("ROOST_SET_AUTH_KEYS", KEY)];
    for args in [["--ready-file", &ready].as_slice(), &["--url", server.url()], &["--url", server.url(), "--json"]] {
        let (code, output) = run_doctor(args, &variables);
        assert_eq!(code, Some(0), "{output}");
        assert!(output.contains(env!("CARGO_PKG_VERSION")) && output.contains("ROOST_SET_AUTH_KEYS"), "{output}");
        assert!(output.contains("limits.per_second") && output.contains("open…"), "the rules in force: {output}");
        assert!(!output.contains("sesame") && !output.contains(TOKEN), "{output}");
    }
    let (_, output) = run_doctor(&["--ready-file", &ready], &variables);
    assert!(output.contains("limits = off  (changed)"), "{output}");
    for row in ["records    3 custom fields", "clock      real, 20", "profile    none", "journal    off, 0 lines"] {
        assert!(output.contains(row), "{row}: {output}");
    }
    let (code, output) = run_doctor(&["--ready-file", "/nowhere/ready.json"], &[]);
    assert!(code == Some(2) && output.contains("/nowhere/ready.json"), "{output}");
}
