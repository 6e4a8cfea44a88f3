//! `roost export`, `roost readiness` and `roost openapi`.

use std::fs;

use roost_tests::{Setup, Spawned, seeds};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{refusal_message, run_program};

/// Proves: S0_seed.
#[test]
fn an_export_seeds_the_same_account_to_the_letter() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    // An account after typical use: merged contacts, removed fields, keyword opt-outs, clicks.
    let api = Setup::new().on_file(path("a.roost")).seed(json!({ "assets": [seeds::sms_asset("1", "60006")] })).serve();
    let list = api.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).ok()["uid"].clone();
    for merge_type in ["allowDuplicates", "mergeByPhoneNumberInList"] {
        let contacts = json!([
            { "phone_number": "07700900001", "title": merge_type, "field_2": "gold" },
            { "whatsapp_number": "+447624000000", "field_3": "\u{1f600}" },
        ]);
        api.post("/contacts/v1/contacts", &json!({ "list_id": list, "merge_type": merge_type, "contacts": contacts }))
            .expect(200);
    }
    api.settle();
    api.admin().delete("/__admin/custom_fields/2").expect(204);
    api.admin().post("/__admin/custom_fields", &json!({ "label": "Rank" })).expect(201);
    let asset = seeds::id("num_", "1");
    api.admin()
        .patch(
            format!("/__admin/assets/{asset}"),
            &json!({ "keywords": ["halt"], "enforce_account_level_opt_outs": true }),
        )
        .expect(200);
    api.admin()
        .post("/__admin/inbound_messages", &json!({ "from": seeds::mobile(1), "asset_id": asset, "text": "HALT" }))
        .expect(200);
    api.post("/contacts/v1/optouts", &json!({ "optouts": [{ "number": seeds::mobile(2), "asset_id": asset }] }))
        .expect(201);
    api.post(
        "/assets/v1/shortlink",
        &json!({ "title": "Spring", "target_url": "https://shop.example/s", "tags": ["a", "b"] }),
    )
    .expect(200);
    api.admin().post("/__admin/senders", &json!({ "name": "AcmeShop" })).expect(201);
    api.stop();

    let exported = run_program(&["export", "--db", &path("a.roost")]);
    assert!(exported.status.success() && exported.stderr.is_empty(), "{exported:?}");
    fs::write(path("seed.json"), &exported.stdout).expect("a file");
    let mut server = Spawned::start(["--db", &path("b.roost"), "--seed", &path("seed.json")]);
    assert_eq!(server.terminate().code(), Some(0));
    assert!(run_program(&["export", "--db", &path("b.roost"), "--out", &path("again.json")]).status.success());
    let again = fs::read(path("again.json")).expect("an export");
    assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&exported.stdout));
    let whole: Value = serde_json::from_slice(&again).expect("JSON");
    assert_eq!(whole["lists"][0]["contacts"].as_array().map(Vec::len), Some(3));
    assert_eq!(whole["opt_outs"].as_array().map(Vec::len), Some(2));
}

/// Proves: S0_program.
#[test]
fn lists_are_exported_in_every_form_and_nothing_is_written_over() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let api = Setup::new().on_file(path("a.roost")).serve();
    for (name, number, title) in [("Spring", "07700900001", "=1+1"), ("Summer", "07700900002", "Dr")] {
        let list = api.post("/contacts/v1/lists/create", &json!({ "name": name })).ok()["uid"].clone();
        let contacts = json!([{ "phone_number": number, "title": title }]);
        let body = json!({ "list_id": list, "merge_type": "allowDuplicates", "contacts": contacts });
        api.post("/contacts/v1/contacts", &body).expect(200);
    }
    api.settle();
    api.stop();
    let db = path("a.roost");
    let export = |args: &[&str]| run_program(&[&["export", "--db", db.as_str()], args].concat());
    let text = |args: &[&str]| {
        let output = export(args);
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let columns = ["--columns", "phone_number,title"];
    assert_eq!(
        text(&[&["--list", "Spring", "--format", "csv"], columns.as_slice()].concat()),
        "phone_number,title\r\n+447700900001,'=1+1\r\n"
    );
    let bare = ["--format", "csv", "--separator", "semicolon", "--no-heads", "--no-guard", "--columns", "list,title"];
    assert_eq!(text(&bare), "Spring;=1+1\r\nSummer;Dr\r\n");
    let both = text(&["--list", "Summer", "--list", "Spring", "--format", "jsonl"]);
    let records: Vec<Value> = both.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(records[0], json!({ "list": "Summer", "phone_number": "+447700900002", "title": "Dr" }));
    assert_eq!(records.len(), 2);
    assert!(text(&["--list", "Spring", "--format", "vcf"]).contains("TEL;TYPE=cell:+447700900001\r\n"));
    assert!(text(&["--list", "Spring", "--format", "vcf3"]).contains("VERSION:3.0\r\n"));
    let seed: Value = serde_json::from_str(&text(&["--list", "Spring"])).expect("JSON");
    assert_eq!((seed["lists"].as_array().map(Vec::len), &seed["lists"][0]["name"]), (Some(1), &json!("Spring")));

    let book = path("book.xlsx");
    let into = ["--format", "xlsx", "--out", book.as_str()];
    assert!(export(&into).status.success());
    let first = fs::read(&book).expect("a file");
    assert!(first.starts_with(b"PK"));
    assert!(refusal_message(&export(&[&into[..], &["--list", "Spring"]].concat())).contains("already exists"));
    assert_eq!(fs::read(&book).expect("a file"), first);
    assert!(export(&[&into[..], &["--list", "Spring", "--force"]].concat()).status.success());
    assert_ne!(fs::read(&book).expect("a file"), first);
    assert!(refusal_message(&export(&["--format", "xlsx"])).contains("--out"));
    assert!(refusal_message(&export(&["--list", "Autumn"])).contains("There is no list “Autumn”"));
    for (columns, want) in [
        ("colour", "Unknown field “colour”. The fields are: list, uid, phone_number, "),
        ("city,city", "The field “city” is listed twice."),
    ] {
        let message = refusal_message(&export(&["--format", "csv", "--columns", columns]));
        assert!(message.contains(want), "{message}");
    }
    let nowhere = refusal_message(&export(&["--out", &path("nodir/out.json")]));
    assert!(nowhere.contains("the folder ") && nowhere.contains("nodir"), "{nowhere}");
    #[cfg(target_os = "linux")]
    assert!(refusal_message(&export(&["--out", "/dev/full"])).contains("The disk is full"));
}

/// Proves: S0_program.
#[test]
fn an_export_says_how_many_contacts_have_opted_out_and_can_leave_them_out() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let list = seeds::filled_list(&seeds::id("LST_", "1"), "VIP", 3);
    let opt_out = json!({ "number": seeds::mobile(1), "channel": "SMS" });
    let api = Setup::new().on_file(path("a.roost")).seed(json!({ "lists": [list], "opt_outs": [opt_out] })).serve();
    api.stop();
    let db = path("a.roost");
    let export = |args: &[&str]| {
        let output = run_program(&[&["export", "--db", db.as_str()], args].concat());
        assert!(output.status.success(), "{output:?}");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (text(output.stdout), text(output.stderr))
    };
    let csv = ["--format", "csv", "--columns", "phone_number"];
    let without = "--without-opted-out";
    let (rows, stderr) = export(&csv);
    let leaves = "--without-opted-out leaves out such contacts.\n";
    assert_eq!(stderr, format!("roost: 1 of 3 contacts has opted out. The file says who: opted_out_sms. {leaves}"));
    assert_eq!(rows.lines().filter(|line| line.ends_with(",yes")).count(), 1, "{rows}");
    let (rows, stderr) = export(&[&csv[..], &[without]].concat());
    assert_eq!(stderr, "roost: Left out 1 of 3 contacts because of opt-outs.\n");
    assert!(rows.lines().count() == 3 && !rows.contains(&seeds::mobile(1)), "{rows}");
    let (seed, stderr) = export(&["--list", "VIP"]);
    assert_eq!(stderr, format!("roost: 1 of 3 contacts has opted out. The seed has their opt-outs. {leaves}"));
    let seed: Value = serde_json::from_str(&seed).expect("JSON");
    assert_eq!(seed["opt_outs"][0]["number"], seeds::mobile(1));
    assert_eq!(export(&[]).1, "", "a seed of the account is whole");
    assert!(refusal_message(&run_program(&["export", "--db", &db, without])).contains("carries its opt-outs"));
    assert!(refusal_message(&run_program(&["export", "--server", without])).contains("--db"));
}

/// Proves: S0_program.
#[test]
fn exporting_a_file_of_another_kind_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let text = folder.path().join("notes.txt");
    fs::write(&text, "no account").expect("a file");
    for path in [folder.path().join("nowhere.roost"), text.clone(), folder.path().to_owned()] {
        let message = refusal_message(&run_program(&["export", "--db", &path.to_string_lossy()]));
        assert!(message.contains(&*path.to_string_lossy()), "{message}");
    }
    // The file may be set aside under another name, but is never deleted.
    let entries = fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("an entry").path());
    let kept: Vec<String> = entries.filter_map(|path| fs::read_to_string(path).ok()).collect();
    assert!(kept.contains(&"no account".to_owned()), "{kept:?}");
    refusal_message(&run_program(&["export"]));
}

/// Proves: S0_program, S11_openapi.
#[test]
fn the_printed_documents_are_those_that_are_served() {
    let api = Setup::new().serve();
    for (args, path) in [(["openapi"].as_slice(), "/openapi.json"), (&["openapi", "--admin"], "/__admin/openapi.json")]
    {
        let printed = run_program(args);
        assert!(printed.status.success());
        let printed: Value = serde_json::from_slice(&printed.stdout).expect("JSON");
        assert_eq!(printed, api.admin().get(path).ok());
    }
}

/// Proves: S0_program.
#[test]
fn the_readiness_of_a_list_is_counted_for_people_and_for_programs() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let list = seeds::filled_list(&seeds::id("LST_", "1"), "VIP", 3);
    let opt_out = json!({ "number": seeds::mobile(1), "channel": "SMS" });
    let seed = json!({ "lists": [list], "opt_outs": [opt_out], "assets": [seeds::sms_asset("1", "60006")] });
    let api = Setup::new().on_file(path("a.roost")).seed(seed).serve();
    api.stop();
    let db = path("a.roost");
    let readiness = |args: &[&str]| run_program(&[&["readiness", "--db", db.as_str(), "--list"], args].concat());
    let text = |args: &[&str]| {
        let output = readiness(args);
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let summary = text(&["VIP"]);
    let sms = "VIP: 3 contacts\n\nSMS\n         2  ready\n         1  opted out\n         0  no number\n";
    assert!(summary.starts_with(sms), "{summary}");
    assert!(summary.contains("From 60006: 2 ready, 1 opted out\n"), "{summary}");
    let counts: Value = serde_json::from_str(&text(&["VIP", "--json"])).expect("JSON");
    assert_eq!(counts["channels"][0]["counts"]["ready"], 2, "{counts}");
    assert_eq!(counts["channels"][1]["counts"]["no_number"], 3, "{counts}");
    assert!(refusal_message(&readiness(&["Nobody"])).contains("no list “Nobody”"));
}
