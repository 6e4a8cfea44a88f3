//! `roost serve` and `roost exec` behind TLS and on a socket, as a user runs them.

use std::{fs, path::Path, process::Output};

use roost_tests::{Spawned, spawned::command};
use serde_json::Value;
use tempfile::TempDir;

use super::{H2, LISTS, ask_once, shake_hands, trusting_config};

fn program_result(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn path_text(path: &Path) -> &str {
    path.to_str().expect("text")
}

#[test]
fn the_ready_file_and_the_first_lines_name_the_authority_and_the_socket() {
    let folder = TempDir::new().expect("a folder");
    let (tls, socket) = (folder.path().join("tls"), folder.path().join("roost.sock"));
    let mut server = Spawned::start(["--tls", "self", "--tls-dir", path_text(&tls), "--unix", path_text(&socket)]);
    let ready = server.ready().clone();
    let url = ready["url"].as_str().expect("an address");
    assert!(url.starts_with("https://127.0.0.1:"), "{ready}");
    assert_eq!(ready["admin_url"], format!("{url}/__admin"));
    assert!(ready["console_url"].as_str().is_some_and(|console| console.starts_with(url)));
    assert_eq!((&ready["ca"], &ready["socket"]), (&path_text(&tls.join("ca.pem")).into(), &path_text(&socket).into()));
    let wanted = [
        format!("roost listening on {url}"),
        format!("authority {}/ca.pem", tls.display()),
        format!("socket {}", socket.display()),
    ];
    assert_eq!(server.first_lines(3), wanted);
    assert_eq!(server.terminate().code(), Some(0));
    assert!(!socket.exists() && tls.join("ca.pem").exists());
    let plain = Spawned::start::<&str>([]);
    assert_eq!((&plain.ready()["ca"], &plain.ready()["socket"]), (&Value::Null, &Value::Null));
}

#[test]
fn the_key_is_in_its_own_file_and_nowhere_else() {
    let folder = TempDir::new().expect("a folder");
    let (data, db) = (folder.path().join("data"), folder.path().join("account.roost"));
    let variables = [("ROOST_TLS", "self"), ("ROOST_DATA_DIR", path_text(&data)), ("ROOST_LOG", "trace")];
    let mut server = Spawned::try_start_with(["--db", path_text(&db), "--journal", "on"], &variables)
        .unwrap_or_else(|why| panic!("{why:?}"));
    let ready = server.ready().to_string();
    let ca = fs::read_to_string(data.join("tls/ca.pem")).expect("the authority");
    let port =
        server.ready()["url"].as_str().and_then(|url| url.rsplit(':').next()?.parse::<u16>().ok()).expect("a port");
    let address = ([127, 0, 0, 1], port).into();
    let line = shake_hands(address, "localhost", &trusting_config(&ca, &[H2])).expect("hands shaken");
    drop(line);
    let line = shake_hands(address, "localhost", &trusting_config(&ca, &[])).expect("hands shaken");
    let get = format!("GET {LISTS} HTTP/1.1\r\nhost: localhost\r\nx-auth-key: a-key");
    assert!(ask_once(line, &get).0.starts_with("http/1.1 200 "));
    assert_eq!(server.terminate().code(), Some(0));
    let key = fs::read_to_string(data.join("tls/ca.key")).expect("the key");
    let secret: Vec<&str> = key.lines().skip(1).take_while(|line| !line.starts_with("-----")).collect();
    assert!(secret.iter().all(|line| line.len() > 10) && !secret.is_empty());
    let mut places = vec![("the ready file", ready.into_bytes()), ("output", server.stdout().into_bytes())];
    places.push(("log", server.stderr().into_bytes()));
    places.push(("the account", fs::read(&db).expect("the account")));
    for (name, bytes) in places {
        for line in &secret {
            assert!(!bytes.windows(line.len()).any(|at| at == line.as_bytes()), "{name}");
        }
        assert!(!bytes.windows(11).any(|at| at == b"PRIVATE KEY"), "{name}");
    }
}

#[test]
fn commands_reach_a_server_behind_tls_by_its_ready_file_and_by_its_authority() {
    let folder = TempDir::new().expect("a folder");
    let server = Spawned::start(["--tls", "self", "--tls-dir", path_text(folder.path())]);
    let (ready, ca) = (server.ready_file(), folder.path().join("ca.pem"));
    let url = server.ready()["url"].as_str().expect("an address").to_owned();
    for args in [["wait"], ["reset"], ["doctor"]] {
        let output = command(args).arg("--ready-file").arg(&ready).output().expect("started");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {:?}", program_result(&output));
    }
    let run = |args: &[&str], variables: &[(&str, &str)]| {
        let output = command(args).envs(variables.iter().copied()).output().expect("started");
        program_result(&output)
    };
    let token = [("ROOST_ADMIN_TOKEN", server.admin_token())];
    assert_eq!(run(&["snapshot", "a", "--url", &url, "--ca", path_text(&ca)], &token).0, Some(0));
    let by_variable = [token[0], ("ROOST_ADMIN_URL", &url), ("ROOST_CA", path_text(&ca))];
    let (status, stdout, _) = run(&["tail", "--no-wait"], &by_variable);
    assert_eq!((status, stdout.as_str()), (Some(0), ""));
    // No authority, a foreign authority, and a file that is not a certificate.
    let (status, _, why) = run(&["snapshot", "b", "--url", &url], &token);
    assert!(status != Some(0) && why.contains("certificate"), "{why}");
    let other = TempDir::new().expect("a folder");
    let _other = Spawned::start(["--tls", "self", "--tls-dir", path_text(other.path())]);
    let (status, _, why) =
        run(&["snapshot", "b", "--url", &url, "--ca", path_text(&other.path().join("ca.pem"))], &token);
    assert!(status != Some(0) && why.contains("certificate"), "{why}");
    let (status, _, why) = run(&["snapshot", "b", "--url", &url, "--ca", path_text(&ready)], &token);
    assert!(status == Some(2) && why.contains("BEGIN CERTIFICATE"), "{why}");
    let (status, _, why) = run(&["snapshot", "b", "--url", &url, "--ca", "/nowhere/ca.pem"], &token);
    assert!(status == Some(2) && why.contains("/nowhere/ca.pem"), "{why}");
}

#[test]
fn a_recording_is_sent_again_to_a_server_behind_tls() {
    let folder = TempDir::new().expect("a folder");
    let plain = Spawned::start(["--journal", "on"]);
    plain.client().get(LISTS).expect(200);
    let tail = command(["tail", "--json", "--no-wait", "--ready-file", path_text(&plain.ready_file())]).output();
    let file = folder.path().join("journal.jsonl");
    fs::write(&file, tail.expect("started").stdout).expect("written");
    let server = Spawned::start(["--tls", "self", "--tls-dir", path_text(folder.path())]);
    let url = server.ready()["url"].as_str().expect("an address");
    let replay = |against: &str, ca: &[(&str, &str)]| {
        let mut run = command(["replay", path_text(&file), "--against", against]);
        program_result(&run.envs(ca.iter().copied()).output().expect("started"))
    };
    let ca = folder.path().join("ca.pem");
    let (status, stdout, why) = replay(url, &[("ROOST_CA", path_text(&ca))]);
    assert!(status == Some(0) && stdout.starts_with("1 sent: 1 as recorded"), "{stdout}{why}");
    let (status, _, why) = replay(url, &[]);
    assert!(status == Some(2) && why.contains("certificate"), "{why}");
    let (status, _, why) = replay(url, &[("ROOST_CA", path_text(&file))]);
    assert!(status == Some(2) && why.contains("BEGIN CERTIFICATE"), "{why}");
    // Without TLS, no authority is needed.
    assert_eq!(replay(plain.url(), &[("ROOST_CA", "/nowhere/ca.pem")]).0, Some(0));
}

#[test]
fn commands_reach_a_server_by_its_socket() {
    let folder = TempDir::new().expect("a folder");
    let socket = folder.path().join("roost.sock");
    let server = Spawned::start(["--unix", path_text(&socket), "--no-port"]);
    let place = format!("unix:{}", socket.display());
    assert_eq!(server.ready()["admin_url"], place);
    assert_eq!(server.first_lines(1), [format!("roost listening on {place}")]);
    for args in [["wait"], ["reset"]] {
        let output = command(args).arg("--ready-file").arg(server.ready_file()).output().expect("started");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {:?}", program_result(&output));
        let output = command(args).args(["--url", &place]).env("ROOST_ADMIN_TOKEN", server.admin_token()).output();
        let output = output.expect("started");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {:?}", program_result(&output));
    }
}

#[test]
fn the_command_of_exec_receives_the_authority() {
    let folder = TempDir::new().expect("a folder");
    let (tls, socket) = (folder.path().join("tls"), folder.path().join("roost.sock"));
    let script = "\"$0\" wait && \"$0\" reset && printf '%s\\n' \"$ROOST_URL\" \"$ROOST_CA\" \"$ROOST_SOCKET\" \"$NODE_EXTRA_CA_CERTS\"";
    let exec = [
        "exec",
        "--tls",
        "self",
        "--tls-dir",
        path_text(&tls),
        "--unix",
        path_text(&socket),
        "--require-callbacks-settled",
    ];
    let mut run = command(exec);
    run.args(["--", "sh", "-c", script]).arg(roost_tests::spawned::binary()).env_remove("NODE_EXTRA_CA_CERTS");
    let (status, stdout, why) = program_result(&run.output().expect("started"));
    assert_eq!(status, Some(0), "{stdout}{why}");
    let lines: Vec<&str> = stdout.lines().rev().take(4).collect();
    let ca = tls.join("ca.pem");
    assert_eq!(lines[..3], [path_text(&ca), path_text(&socket), path_text(&ca)], "{stdout}");
    assert!(lines[3].starts_with("https://127.0.0.1:"), "{stdout}");
}

#[test]
fn a_relative_path_is_passed_on_as_an_absolute_one() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| fs::canonicalize(folder.path()).expect("a folder").join(name);
    let script = "printf '%s\\n' \"$ROOST_CA\" \"$ROOST_SOCKET\" \"$NODE_EXTRA_CA_CERTS\" && cat ready.json && \
                  cd / && \"$0\" snapshot --json --ready-file \"$1\"";
    for by_variable in [false, true] {
        let mut run = command(["exec", "--tls", "self", "--unix", "./roost.sock", "--db", "a.roost"]);
        run.args(["--ready-file", "ready.json"]).current_dir(folder.path()).env_remove("NODE_EXTRA_CA_CERTS");
        match by_variable {
            true => run.env("ROOST_DATA_DIR", "data"),
            false => run.args(["--tls-dir", "./tls"]),
        };
        run.args(["--", "sh", "-c", script]).arg(roost_tests::spawned::binary()).arg(at("ready.json"));
        let (status, stdout, why) = program_result(&run.output().expect("started"));
        assert_eq!(status, Some(0), "{stdout}{why}");
        let lines: Vec<&str> = stdout.lines().collect();
        let ca = at(if by_variable { "data/tls/ca.pem" } else { "tls/ca.pem" });
        let (ca, socket) = (path_text(&ca), at("roost.sock"));
        assert_eq!(lines[..3], [ca, path_text(&socket), ca], "{stdout}");
        let ready: Value = serde_json::from_str(lines[3]).expect("JSON");
        assert_eq!((&ready["ca"], &ready["socket"]), (&ca.into(), &path_text(&socket).into()), "{ready}");
    }
    // Without a port, the socket is the address.
    let mut run = command(["exec", "--no-port", "--unix", "roost.sock", "--", "sh", "-c", "echo \"$ROOST_ADMIN_URL\""]);
    let (status, stdout, why) = program_result(&run.current_dir(folder.path()).output().expect("started"));
    assert_eq!((status, stdout), (Some(0), format!("unix:{}\n", at("roost.sock").display())), "{why}");
}

#[test]
fn the_command_of_exec_trusts_the_authority_and_what_it_trusted_before() {
    let folder = TempDir::new().expect("a folder");
    let (tls, theirs) = (folder.path().join("tls"), folder.path().join("theirs.pem"));
    fs::write(&theirs, "-----BEGIN CERTIFICATE-----\ntheirs").expect("written");
    let names = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"];
    let script = "for name in NODE_EXTRA_CA_CERTS SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE; do \
                  eval \"file=\\${$name:-}\"; echo \"$name $file\"; test -z \"$file\" || cat \"$file\"; echo; done";
    let run = |theirs: Option<&Path>| {
        let mut run = command(["exec", "--tls", "self", "--tls-dir", path_text(&tls), "--", "sh", "-c", script]);
        for name in names {
            match theirs {
                Some(file) => run.env(name, file),
                None => run.env_remove(name),
            };
        }
        let (status, stdout, why) = program_result(&run.output().expect("started"));
        assert_eq!(status, Some(0), "{stdout}{why}");
        stdout
    };
    let stdout = run(Some(&theirs));
    let authority = fs::read_to_string(tls.join("ca.pem")).expect("the authority");
    assert_eq!((stdout.matches("\ntheirs\n").count(), stdout.matches(authority.trim()).count()), (4, 4), "{stdout}");
    assert_eq!(fs::read_to_string(&theirs).expect("theirs"), "-----BEGIN CERTIFICATE-----\ntheirs", "it stays");
    let made = stdout.lines().find_map(|line| line.strip_prefix("SSL_CERT_FILE ")).expect("a file");
    assert!(!Path::new(made).exists(), "{made} is removed");
    // A variable that would replace the authorities of the system is not made up.
    let stdout = run(None);
    let ca = path_text(&tls.join("ca.pem")).to_owned();
    assert!(stdout.contains(&format!("NODE_EXTRA_CA_CERTS {ca}\n")), "{stdout}");
    assert!(names[1..].iter().all(|name| stdout.contains(&format!("{name} \n"))), "{stdout}");
    // A missing file does not reduce what is trusted.
    let stdout = run(Some(Path::new("/nowhere/theirs.pem")));
    assert_eq!(stdout.matches(authority.trim()).count(), 4, "{stdout}");
}

#[test]
fn incompatible_flags_are_reported_in_one_line() {
    for (args, words) in [
        (vec!["--tls", "selv"], "self"),
        (vec!["--tls", "self", "--tls-cert", "a"], "--tls-cert"),
        (vec!["--tls-cert", "a"], "--tls-key FILE"),
        (vec!["--tls-key", "a"], "--tls-cert FILE"),
        (vec!["--tls-cert", "/nowhere/a", "--tls-key", "/nowhere/b"], "/nowhere/a cannot be read"),
        (vec!["--no-port"], "--unix"),
        (vec!["--unix", "/nowhere/a"], "/nowhere/a"),
    ] {
        let (status, why) = Spawned::try_start(&args).map(|_| ()).expect_err("refused");
        assert!(status.code() == Some(2) && why.contains(words) && why.lines().count() == 1, "{args:?}: {why}");
    }
}

#[test]
fn a_pem_file_of_ones_own_is_served() {
    let folder = TempDir::new().expect("a folder");
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("made");
    let (cert, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    fs::write(&cert, made.cert.pem()).expect("written");
    fs::write(&key, made.signing_key.serialize_pem()).expect("written");
    let variables = [("ROOST_TLS_CERT", path_text(&cert)), ("ROOST_TLS_KEY", path_text(&key))];
    let server = Spawned::try_start_with::<&str>([], &variables).unwrap_or_else(|why| panic!("{why:?}"));
    let url = server.ready()["url"].as_str().expect("an address").replace("127.0.0.1", "localhost");
    let output = command(["wait", "--url", &url, "--ca", path_text(&cert)]).output().expect("started");
    assert_eq!(output.status.code(), Some(0), "{:?}", program_result(&output));
    assert!(server.ready()["ca"].is_null());
}
