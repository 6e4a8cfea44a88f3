//! `roost seed`, `reset`, `snapshot` and `restore`: thin clients of a running server.

mod exchange;

use std::fs;

use roost_tests::{Client, Spawned, seeds, spawned::command, until};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{command_output, failure_message, refusal_message};
use crate::rest::LIST;

/// Runs a command on this server, which must succeed, and returns its output.
#[track_caller]
fn run_and_read(server: &Spawned, args: &[&str]) -> String {
    let mut command = command(args);
    command.env("ROOST_READY_FILE", server.ready_file());
    let output = command_output(command);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[track_caller]
fn json_of(server: &Spawned, args: &[&str]) -> Value {
    serde_json::from_str(&run_and_read(server, &[args, &["--json"]].concat())).expect("JSON")
}

fn list_names(client: &Client) -> Vec<String> {
    let items = client.get("/contacts/v1/lists/").expect(200).items();
    let mut names: Vec<String> =
        items.iter().map(|list| list["name"].as_str().unwrap_or_default().to_owned()).collect();
    names.sort();
    names
}

fn add_list(client: &Client, name: &str) {
    client.post("/contacts/v1/lists/create", &json!({ "name": name })).expect(200);
}

fn write_seed(folder: &TempDir, name: &str) -> String {
    let path = folder.path().join(format!("{name}.json"));
    let text = json!({ "lists": [seeds::filled_list(LIST, name, 3)] }).to_string();
    fs::write(&path, text).expect("a file");
    path.to_string_lossy().into_owned()
}

#[test]
fn two_moments_of_the_journal_are_compared() {
    let server = Spawned::start(["--journal", "on"]);
    add_list(&server.client(), "First");
    add_list(&server.client(), "Second");
    let compare = |from: &str, to: &str| {
        let mut command = command(["diff", from, to]);
        command.env("ROOST_READY_FILE", server.ready_file());
        command_output(command)
    };
    let second = compare("@1", "@2");
    let stdout = String::from_utf8_lossy(&second.stdout);
    assert!(
        second.status.code() == Some(1) && stdout.contains("lists: 1 added") && stdout.contains("Second"),
        "{stdout}"
    );
    assert!(!stdout.contains("First"), "{stdout}");
    assert_eq!(compare("@2", "now").status.code(), Some(0));
    assert!(refusal_message(&compare("@x", "now")).contains("'@x' is not a valid state"));
}

#[test]
fn a_server_goes_back_to_its_seed_and_to_its_snapshots() {
    let folder = TempDir::new().expect("a folder");
    let server = Spawned::start(["--limits", "off", "--seed", &write_seed(&folder, "First")]);
    let client = server.client();
    add_list(&client, "Added");
    assert!(run_and_read(&server, &["snapshot", "with-added"]).starts_with("with-added  "));
    assert!(run_and_read(&server, &["reset"]).starts_with("The world is now in epoch "));
    assert_eq!(list_names(&client), ["First"]);
    let stdout = run_and_read(&server, &["seed", &write_seed(&folder, "Second")]);
    assert!(stdout.starts_with("Seeded: ") && stdout.contains("1 list") && stdout.contains("3 contacts"), "{stdout}");
    assert_eq!(list_names(&client), ["Second"]);
    add_list(&client, "Added");
    let back = json_of(&server, &["reset", "--mode", "drain", "--keep", "journal,settings"]);
    assert!(back["epoch"].as_u64() > Some(1) && back["cancelled"].is_object(), "{back}");
    assert_eq!(list_names(&client), ["Second"], "a seed is what reset goes back to");
    json_of(&server, &["seed", "--once", &write_seed(&folder, "Third")]);
    assert_eq!(list_names(&client), ["Third"]);
    assert!(run_and_read(&server, &["restore", "with-added"]).starts_with("Restored with-added.\n"));
    assert_eq!(list_names(&client), ["Added", "First"]);
    run_and_read(&server, &["reset"]);
    assert_eq!(list_names(&client), ["Second"], "the seed of once is not the one to go back to");
    assert_eq!(json_of(&server, &["snapshot"])["items"][0]["name"], "with-added");
    assert_eq!(run_and_read(&server, &["snapshot", "with-added", "--remove"]), "");
    assert_eq!(run_and_read(&server, &["snapshot"]), "");
}

#[test]
fn a_world_is_named_by_flag_variable_or_address() {
    let server = Spawned::start(["--limits", "off"]);
    let made = server.admin().post("/__admin/worlds", &json!({ "name": "side" })).expect(201).json();
    let side = server.client().with_key(made["api_key"].as_str().expect("a key"));
    let main = server.client();
    add_list(&main, "Main");
    for round in 0..4 {
        add_list(&side, "Side");
        let mut reset = match round {
            0 => command(["reset", "--world", "side"]),
            _ => command(["reset"]),
        };
        match round {
            0 => reset.env("ROOST_READY_FILE", server.ready_file()),
            1 => reset.env("ROOST_READY_FILE", server.ready_file()).env("ROOST_WORLD", "side"),
            _ => reset
                .env("ROOST_ADMIN_URL", made[["admin_url", "base_url"][round - 2]].as_str().expect("an address"))
                .env("ROOST_ADMIN_TOKEN", made["admin_token"].as_str().expect("a token")),
        };
        let output = command_output(reset);
        assert!(output.status.success(), "{round}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!((list_names(&side).len(), list_names(&main)), (0, vec!["Main".to_owned()]), "{round}");
    }
}

#[test]
fn what_cannot_be_done_is_reported_in_one_line() {
    let folder = TempDir::new().expect("a folder");
    let broken = folder.path().join("broken.json");
    fs::write(&broken, r#"{"lists":[{"nam":"VIP"}]}"#).expect("a file");
    let broken = broken.to_string_lossy();
    let server = Spawned::start(["--limits", "off"]);
    add_list(&server.client(), "Kept");
    for (args, want) in [
        (["restore", "none"].as_slice(), "none"),
        (&["restore", "No name"], "a-z"),
        (&["snapshot", "now"], "now"),
        (&["snapshot", "--remove"], "NAME"),
        (&["reset", "--keep", "everything"], "everything"),
        (&["reset", "--keep", "a&b"], "a&b"),
        (&["reset", "--world", "nowhere"], "nowhere"),
        (&["seed", &broken], "nam"),
        (&["seed", "/nowhere.json"], "/nowhere.json"),
    ] {
        let mut command = command(args);
        command.env("ROOST_READY_FILE", server.ready_file());
        let message = refusal_message(&command_output(command));
        assert!(message.contains(want), "{args:?}: {message}");
    }
    assert_eq!(list_names(&server.client()), ["Kept"]);
    let mut tokenless = command(["reset", "--url", server.url()]);
    assert!(
        refusal_message(&command_output({
            tokenless.env("ROOST_ADMIN_TOKEN", "not-the-token-of-it");
            tokenless
        }))
        .contains("ROOST_ADMIN_TOKEN")
    );
}

#[test]
fn a_hangup_reads_the_seed_again() {
    let folder = TempDir::new().expect("a folder");
    let path = write_seed(&folder, "First");
    let mut server = Spawned::start_with_signal("default", "HUP", ["--limits", "off", "--seed", &path]);
    let client = server.client();
    add_list(&client, "Added");
    let other = fs::read_to_string(&path).expect("a file").replace("First", "Second");
    fs::write(&path, other).expect("a file");
    server.signal("HUP");
    until("it is restored", || (list_names(&client) == ["Second"]).then_some(()));
    add_list(&client, "Added");
    fs::write(&path, "{").expect("a file");
    server.signal("HUP");
    until("it says why not", || server.stderr().contains("not reset to its seed: ").then_some(()));
    assert_eq!(list_names(&client), ["Added", "Second"]);
    assert_eq!(server.terminate().code(), Some(0));
}

#[test]
fn a_hangup_changes_neither_an_account_file_nor_a_server_that_ignores_the_signal() {
    let folder = TempDir::new().expect("a folder");
    let path = write_seed(&folder, "First");
    let file = folder.path().join("work.roost");
    let file = file.to_str().expect("a plain path");
    let mut server = Spawned::start_with_signal("default", "HUP", ["--db", file, "--seed", &path]);
    add_list(&server.client(), "Added");
    server.signal("HUP");
    until("it says why not", || server.stderr().contains("--db names a file").then_some(()));
    assert_eq!(list_names(&server.client()), ["Added", "First"]);
    assert_eq!(server.terminate().code(), Some(0));

    let mut server = Spawned::start_with_signal("ignore", "HUP", ["--limits", "off", "--seed", &path]);
    let client = server.client();
    add_list(&client, "Added");
    server.signal("HUP");
    // If the signal had an effect, it would show before the end.
    assert_eq!(list_names(&client), ["Added", "First"]);
    assert_eq!(server.terminate().code(), Some(0));
    assert!(!server.stderr().contains("put back"), "{}", server.stderr());
}

fn find_copies(folder: &TempDir) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder.path()).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.to_string_lossy().contains(".replaced-")).collect()
}

/// An account file that was not seeded loses no opt-outs without their count, whatever replaces it, and each
/// replacement leaves a copy.
#[test]
fn an_account_file_loses_no_opt_outs_without_their_count() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("work.roost");
    let file = file.to_str().expect("a plain path");
    let server = Spawned::start(["--limits", "off", "--db", file]);
    let opt_out = |numbers: &[usize]| {
        for number in numbers {
            let opt_out = json!({ "optouts": [{ "number": seeds::mobile(*number) }] });
            server.client().post("/contacts/v1/optouts", &opt_out).expect(201);
        }
    };
    let opt_outs = || server.client().get("/contacts/v1/optouts").items().len();
    let refuse = |args: &[&str]| {
        let mut command = command(args);
        command.env("ROOST_READY_FILE", server.ready_file());
        failure_message(&command_output(command), 4)
    };
    let first = write_seed(&folder, "First");
    run_and_read(&server, &["snapshot", "empty"]);
    add_list(&server.client(), "Work");
    opt_out(&[1, 2]);
    for args in [&["seed", &first][..], &["seed", "--once", &first], &["restore", "empty"]] {
        for more in [&[][..], &["--replace-opt-outs", "1"], &["--json"]] {
            let message = refuse(&[args, more].concat());
            assert!(
                message.contains("This replaces 1 list, 0 contacts and 2 opt-outs, and removes 2 opt-outs."),
                "{message}"
            );
            assert!(message.contains("Nothing was changed. Repeat with --replace-opt-outs 2."), "{message}");
            assert!(!message.contains("opt_outs="), "{message}");
            assert_eq!((opt_outs(), list_names(&server.client())), (2, vec!["Work".to_owned()]));
        }
    }
    // An import is not a seed, so its content is protected like the earlier content.
    let account = folder.path().join("export.json").to_string_lossy().into_owned();
    run_and_read(&server, &["export", "--server", "--out", &account]);
    run_and_read(&server, &["import", "--server", "--mode", "replace", &account]);
    assert_eq!(find_copies(&folder).len(), 1);
    opt_out(&[3]);
    assert!(refuse(&["seed", &first]).contains("removes 3 opt-outs"));
    let seeded = run_and_read(&server, &["seed", &first, "--replace-opt-outs", "3"]);
    assert!(seeded.contains("The replaced account was saved as ") && find_copies(&folder).len() == 2, "{seeded}");
    // From here on everything comes from a seed, so a reset needs no confirmation.
    opt_out(&[4]);
    assert!(!run_and_read(&server, &["reset"]).contains("kept as"));
    opt_out(&[4]);
    run_and_read(&server, &["seed", &first]);
    assert_eq!((opt_outs(), find_copies(&folder).len()), (0, 2));
    let message = refuse(&["reset", "--replace-opt-outs", "1"]);
    assert!(message.contains("removes 0 opt-outs"), "{message}");
}

#[test]
fn what_a_seed_made_is_replaced_without_a_question() {
    let folder = TempDir::new().expect("a folder");
    let path = write_seed(&folder, "First");
    let file = folder.path().join("ci.roost");
    let file = file.to_str().expect("a plain path");
    for place in [&["--db", file, "--seed", &path][..], &["--seed", &path]] {
        let server = Spawned::start([&["--limits", "off"], place].concat());
        let opt_out = json!({ "optouts": [{ "number": seeds::mobile(1) }] });
        server.client().post("/contacts/v1/optouts", &opt_out).expect(201);
        run_and_read(&server, &["seed", &path]);
        server.client().post("/contacts/v1/optouts", &opt_out).expect(201);
        run_and_read(&server, &["reset"]);
    }
}

/// The file belongs to the world, but its content belonged to a user.
#[test]
fn a_file_that_is_seeded_again_leaves_a_copy_of_what_it_held() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("work.roost");
    let file = file.to_str().expect("a plain path");
    let mut server = Spawned::start(["--limits", "off", "--db", file]);
    add_list(&server.client(), "Work");
    run_and_read(&server, &["seed", &write_seed(&folder, "First")]);
    run_and_read(&server, &["reset"]);
    assert_eq!(list_names(&server.client()), ["First"]);
    assert_eq!(server.terminate().code(), Some(0));
    let copies = find_copies(&folder);
    let [copy] = &copies[..] else { panic!("one copy: {copies:?}") };
    let server = Spawned::start(["--limits", "off", "--db", copy.to_str().expect("a plain path")]);
    assert_eq!(list_names(&server.client()), ["Work"]);
}
