//! `roost diff`, and `roost export` and `roost import` with a running server.

use std::{fs, process::Output};

use roost_tests::{Client, Spawned, seeds, spawned::command};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::{command_output, failure_message, refusal_message};
use crate::rest::LIST;

fn run_against(server: &Spawned, args: &[&str]) -> Output {
    let mut command = command(args);
    command.env("ROOST_READY_FILE", server.ready_file());
    command_output(command)
}

#[track_caller]
fn run_and_read(server: &Spawned, args: &[&str], status: i32) -> String {
    let output = run_against(server, args);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn add_list(client: &Client, name: &str) {
    client.post("/contacts/v1/lists/create", &json!({ "name": name })).expect(200);
}

#[test]
fn a_difference_is_printed_and_is_an_exit_status() {
    let server = Spawned::start(["--limits", "off"]);
    let client = server.client();
    run_and_read(&server, &["snapshot", "before"], 0);
    assert_eq!(run_and_read(&server, &["diff", "before"], 0), "No differences.\n");
    add_list(&client, "VIP\u{1b}[2J");
    add_list(&client, "Guests");
    let stdout = run_and_read(&server, &["diff", "before", "now"], 1);
    assert!(stdout.starts_with("lists: 2 added, 0 removed, 0 changed\n  + LST_"), "{stdout}");
    assert!(stdout.contains("Guests") && !stdout.contains('\u{1b}'), "{stdout}");
    assert!(run_and_read(&server, &["diff", "before", "--limit", "1"], 1).contains("  + and 1 more\n"));
    server.admin().patch("/__admin/settings", &json!({ "limits.per_second": 7 })).expect(200);
    let stdout = run_and_read(&server, &["diff", "before", "--ignore", "lists"], 1);
    assert_eq!(stdout, "settings:\n  ~ limits.per_second: 10 -> 7\n");
    assert_eq!(run_and_read(&server, &["diff", "before", "--ignore", "lists,settings"], 0), "No differences.\n");
    server.admin().patch("/__admin/settings", &json!({ "limits.per_second": 10 })).expect(200);
    assert_eq!(run_and_read(&server, &["diff", "before", "--ignore", "lists,jobs"], 0), "No differences.\n");
    let whole: Value =
        serde_json::from_str(&run_and_read(&server, &["diff", "now", "before", "--json"], 1)).expect("JSON");
    assert_eq!((&whole["is_empty"], &whole["resources"]["lists"]["removed"]["count"]), (&json!(false), &json!(2)));
    server.admin().post("/__admin/reset", &json!({})).expect(200);
    run_and_read(&server, &["diff", "seed", "now"], 0);
    for (args, words) in [
        (["diff", "none"].as_slice(), "none"),
        (&["diff", "No name"], "a-z"),
        (&["diff", "before", "--ignore", "list"], "lists"),
        (&["diff", "before", "--limit", "1001"], "1001"),
    ] {
        assert!(refusal_message(&run_against(&server, args)).contains(words), "{args:?}");
    }
}

#[test]
fn what_a_server_holds_goes_out_and_in() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let seed = path("seed.yaml");
    fs::write(&seed, "lists:\n  - name: First\n    contacts:\n      - phone_number: +447700900001\n").expect("a file");
    let server = Spawned::start(["--limits", "off", "--seed", &seed]);
    add_list(&server.client(), "Added");
    run_and_read(&server, &["snapshot", "before"], 0);
    for format in ["seed", "yaml", "sqlite"] {
        let file = path(format);
        assert_eq!(run_and_read(&server, &["export", "--server", "--format", format, "--out", &file], 0), "");
        assert!(refusal_message(&run_against(&server, &["export", "--server", "--out", &file])).contains("--force"));
        run_and_read(&server, &["reset"], 0);
        run_and_read(&server, &["diff", "before"], 1);
        let stdout = run_and_read(&server, &["import", "--server", "--mode", "replace", &file], 0);
        assert!(stdout.starts_with("Imported: ") && stdout.contains("\nReplaced: "), "{stdout}");
        assert!(stdout.contains("2 lists") && stdout.contains("1 list."), "{stdout}");
        assert!(stdout.contains("roost restore before-import-") && stdout.contains("in epoch "), "{stdout}");
        run_and_read(&server, &["diff", "before"], 0);
    }
    let lines = run_and_read(&server, &["export", "--server", "--format", "ndjson"], 0);
    assert!(lines.lines().all(|line| line.starts_with("{\"resource\":")), "{lines}");
    // An account file that a server exported works like any other.
    let other = Spawned::start(["--db", &path("sqlite"), "--limits", "off"]);
    assert_eq!(other.client().get("/contacts/v1/lists/").expect(200).items().len(), 2);
}

/// A world file has more than the account: jobs, rules, receivers and settings.
#[test]
fn a_whole_world_goes_out_and_in() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("ready.world").to_string_lossy().into_owned();
    let server = Spawned::start(["--limits", "off"]);
    add_list(&server.client(), "VIP");
    server.admin().put("/__admin/job_policy", &json!({ "progress": "manual" })).expect(200);
    run_and_read(&server, &["snapshot", "before"], 0);
    assert_eq!(run_and_read(&server, &["export", "--server", "--format", "world", "--out", &file], 0), "");
    let merged = refusal_message(&run_against(&server, &["import", "--server", "--mode", "merge", &file]));
    assert!(merged.contains("world file") && merged.contains("--mode replace"), "{merged}");
    for at in [&server, &Spawned::start(["--limits", "off"])] {
        run_and_read(at, &["reset"], 0);
        assert!(at.client().get("/contacts/v1/lists/").items().is_empty());
        let stdout = run_and_read(at, &["import", "--server", "--mode", "replace", &file], 0);
        assert!(stdout.starts_with("Imported: ") && stdout.contains("1 list"), "{stdout}");
        assert_eq!(at.client().get("/contacts/v1/lists/").items()[0]["name"], "VIP");
        assert_eq!(at.admin().get("/__admin/job_policy").ok()["progress"], "manual", "with its policies");
    }
    run_and_read(&server, &["diff", "before"], 0);
    let message = refusal_message(&run_against(&server, &["export", "--db", &file, "--format", "world"]));
    assert!(message.contains("--server"), "{message}");
}

#[test]
fn a_replacement_says_what_is_removed_and_asks_about_opt_outs() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let opt_out = |number: u32| json!({ "number": format!("+44770090000{number}"), "channel": "SMS" });
    let seed = |name: &str, numbers: &[u32]| {
        let opt_outs: Vec<Value> = numbers.iter().map(|number| opt_out(*number)).collect();
        let text = json!({ "lists": [seeds::filled_list(LIST, name, 2)], "opt_outs": opt_outs }).to_string();
        fs::write(path(name), text).expect("a file");
        path(name)
    };
    let (before, after) = (seed("before", &[1, 2, 3]), seed("after", &[3]));
    for in_file in [false, true] {
        let db = path("account.roost");
        let place = if in_file { ["--db", &db] } else { ["--limits", "off"] };
        let server = Spawned::start([&place[..], &["--seed", &before]].concat());
        let opt_outs = || server.client().get("/contacts/v1/optouts").items().len();
        let replace = ["import", "--server", "--mode", "replace", after.as_str()];
        for more in [&[][..], &["--replace-opt-outs", "3"], &["--json"]] {
            let message = failure_message(&run_against(&server, &[&replace[..], more].concat()), 4);
            assert!(
                message.contains("3 opt-outs") && message.contains(" with ") && message.contains("1 opt-out,"),
                "{message}"
            );
            assert!(message.contains("removes 2 opt-outs. Repeat with --replace-opt-outs 2. Nothing was"), "{message}");
            assert_eq!(opt_outs(), 3);
        }
        let stdout = run_and_read(&server, &[&replace[..], &["--replace-opt-outs", "2"]].concat(), 0);
        let lines: Vec<&str> = stdout.lines().collect();
        assert!(lines[0].starts_with("Imported: ") && lines[0].contains("1 opt-out"), "{stdout}");
        assert!(lines[1].starts_with("Replaced: ") && lines[1].contains("3 opt-outs"), "{stdout}");
        assert_eq!(opt_outs(), 1);
        let line = stdout.lines().find(|line| line.contains("was saved as")).expect("a copy is named");
        if in_file {
            let copy = line.trim_end_matches('.').rsplit_once(" as ").expect("a name").1;
            let found = crate::whole::read_rows(std::path::Path::new(copy), "SELECT count(*) FROM opt_outs").concat();
            assert_eq!(found, [Some("3".to_owned())], "{copy}");
        } else {
            let name = line.trim_end_matches('.').rsplit_once(' ').expect("a name").1;
            run_and_read(&server, &["restore", name], 0);
            assert_eq!(opt_outs(), 3);
        }
        // A replacement that removes no opt-out needs no count.
        run_and_read(&server, &["import", "--server", "--mode", "replace", &before], 0);
        let message = refusal_message(&run_against(
            &server,
            &["import", "--server", "--mode", "merge", "--replace-opt-outs", "1", &after],
        ));
        assert!(message.contains("merge removes no opt-outs"), "{message}");
    }
}

#[test]
fn a_copy_is_named_by_its_absolute_path() {
    let folder = TempDir::new().expect("a folder");
    let seed = folder.path().join("seed.json");
    fs::write(&seed, json!({ "lists": [seeds::filled_list(LIST, "VIP", 1)] }).to_string()).expect("a file");
    let script = "cd / && \"$0\" import --server --mode replace \"$1\"";
    let mut exec = command(["exec", "--db", "a.roost", "--", "sh", "-c", script]);
    exec.arg(roost_tests::spawned::binary()).arg(&seed).current_dir(folder.path());
    let output = command_output(exec);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    let line = stdout.lines().find(|line| line.contains("was saved as")).expect("a copy is named");
    let copy = std::path::Path::new(line.trim_end_matches('.').rsplit_once(" as ").expect("a name").1);
    assert!(copy.is_absolute() && copy.is_file(), "{}", copy.display());
}

/// A command uses a file or a server as named, and never the other.
#[test]
fn a_file_and_a_server_are_never_mixed_up() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let text = json!({ "lists": [seeds::filled_list(LIST, "VIP", 1)] }).to_string();
    fs::write(path("seed.json"), &text).expect("a file");
    fs::write(path("broken.yaml"), "lists:\n- nam: x\n").expect("a file");
    let server = Spawned::start(["--limits", "off"]);
    for (args, words) in [
        (["export"].as_slice(), "--db"),
        (&["export", "--server", "--db", "x.roost"], "Use one"),
        (&["export", "--server", "--format", "csv"], "--db"),
        (&["export", "--server", "--list", "VIP"], "--db"),
        (&["export", "--db", "x.roost", "--format", "yaml"], "--server"),
        (&["import", "--server", &path("seed.json")], "--mode replace"),
        (&["import", "--server", "--mode", "replace", &path("seed.json"), &path("seed.json")], "one"),
        (&["import", "--server", "--mode", "replace", &path("broken.yaml")], "nam"),
        (&["import", "--mode", "replace", "--db", "x.roost", "--list", "VIP", &path("seed.json")], "--server"),
        (&["import", "--db", "x.roost", &path("seed.json")], "--list"),
        // A dry run that would write, and options that would be ignored.
        (&["import", "--server", "--mode", "replace", "--dry-run", &path("seed.json")], "--dry-run"),
        (&["import", "--server", "--mode", "merge", "--list", "VIP", &path("seed.json")], "--list"),
        (&["import", "--server", "--mode", "merge", "--rejects", &path("r.csv"), &path("seed.json")], "--rejects"),
    ] {
        let message = refusal_message(&run_against(&server, args));
        assert!(message.contains(words), "{args:?}: {message}");
    }
    assert!(server.client().get("/contacts/v1/lists/").expect(200).items().is_empty(), "nothing was imported");
    // A variable for other commands does not count as a flag.
    let mut command = command(["export", "--server"]);
    command.env("ROOST_READY_FILE", server.ready_file()).env("ROOST_DB", path("none.roost"));
    assert!(command_output(command).status.success());
}

#[test]
fn an_account_is_imported_with_what_a_killed_server_left_in_its_log_and_refused_while_it_is_open() {
    let folder = TempDir::new().expect("a folder");
    let db = folder.path().join("a.roost").to_string_lossy().into_owned();
    let mut source = Spawned::start(["--db", &db, "--limits", "off"]);
    add_list(&source.client(), "Just written");
    let server = Spawned::start(["--limits", "off"]);
    let replace = ["import", "--server", "--mode", "replace", &db];
    for one in [&source, &server] {
        let message = failure_message(&run_against(one, &replace), 9);
        assert!(message.contains("open in another") || message.contains("held by another program"), "{message}");
    }
    source.kill();
    assert!(run_and_read(&server, &replace, 0).contains("1 list"));
    assert_eq!(server.client().get("/contacts/v1/lists/").expect(200).items().len(), 1);
}
