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
    let (code, said) = run_doctor(&["--port", &port], &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&format!("{port} is used by roost (process {}) on 127.0.0.1", server.pid())), "{said}");
    assert!(said.contains("a Roost server answers") && said.contains("ROOST_ADMIN_TOKEN"), "{said}");
    // The test itself holds a port and closes every connection.
    let other = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = other.local_addr().expect("an address").port().to_string();
    thread::spawn(move || other.incoming().for_each(drop));
    let (code, said) = run_doctor(&["--json"], &[("ROOST_PORT", &port)]);
    assert_eq!(code, Some(1), "{said}");
    let told: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(told["holders"][0]["pid"], std::process::id());
    assert_eq!((&told["answers"], &told["info"]), (&false.into(), &Value::Null));
}

#[test]
fn doctor_shows_no_secret() {
    const KEY: &str = "opensesame-3141592653";
    const TOKEN: &str = "0123456789abcdefgh-token";
    let keys = format!("auth.keys={KEY}");
    let args = ["--auth", "keys", "--set", &keys, "--limits", "off"];
    let server = Spawned::try_start_with(args, &[("ROOST_ADMIN_TOKEN", TOKEN)]);
    let server = server.unwrap_or_else(|(status, said)| panic!("{status}: {said}"));
    let ready = server.ready_file();
    let ready = ready.to_string_lossy();
    let variables = [("ROOST_ADMIN_TOKEN", TOKEN), ("ROOST_SET_AUTH_KEYS", KEY)];
    for args in [["--ready-file", &ready].as_slice(), &["--url", server.url()], &["--url", server.url(), "--json"]] {
        let (code, said) = run_doctor(args, &variables);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains(env!("CARGO_PKG_VERSION")) && said.contains("ROOST_SET_AUTH_KEYS"), "{said}");
        assert!(said.contains("limits.per_second") && said.contains("open…"), "the rules in force: {said}");
        assert!(!said.contains("sesame") && !said.contains(TOKEN), "{said}");
    }
    let (_, said) = run_doctor(&["--ready-file", &ready], &variables);
    assert!(said.contains("limits = off  (changed)"), "{said}");
    for row in ["records    3 custom fields", "clock      real, 20", "profile    none", "journal    off, 0 lines"] {
        assert!(said.contains(row), "{row}: {said}");
    }
    let (code, said) = run_doctor(&["--ready-file", "/nowhere/ready.json"], &[]);
    assert!(code == Some(2) && said.contains("/nowhere/ready.json"), "{said}");
}
