//! `roost doctor --bundle`: a file to attach to a bug report, without a value of the account.

use std::{
    fs::{self, File},
    io::Read,
};

use roost_ops::{Actor, Core, Ctx, seed};
use roost_tests::seeds;
use serde_json::{Value, json};
use zip::ZipArchive;

use super::{Marker, checkups::DoctorPlace};

/// Values of every kind, as a person would enter them.
const MARKERS: [&str; 14] = [
    "Zephyrine",
    "Quillfeather",
    "Marrowbone Lane",
    "zephyrine@quillfeather.example",
    "+447700900123",
    "+447700900456",
    "Quagga Members",
    "Loyalty tier zorilla",
    "https://quokka.example/spring?who=numbat",
    "Wombat sale",
    "wombat-tag",
    "QuollSender",
    "a-key-of-the-kakapo-9c41",
    "Dingo Service",
];

fn marked_seed() -> Value {
    let list = json!({ "uid": seeds::id("LST_", "1"), "name": MARKERS[6], "contacts": [{
        "uid": seeds::id("CON_", "1"),
        "phone_number": MARKERS[4],
        "firstname": MARKERS[0],
        "lastname": MARKERS[1],
        "address_1": MARKERS[2],
        "email_address": MARKERS[3],
        "field_1": MARKERS[7],
    }] });
    json!({
        "lists": [list],
        "opt_outs": [seeds::opt_out(MARKERS[5], "SMS", "2026-01-05T09:00:00Z")],
        "senders": [{ "id": seeds::id("ssd_", "1"), "name": MARKERS[11], "status": "Verified" }],
        "short_links": [{
            "link_id": seeds::id("shl_", "1"), "title": MARKERS[9], "target_url": MARKERS[8],
            "tags": [MARKERS[10]], "track_clicks": true,
        }],
    })
}

/// Returns the files of a bundle by name.
fn read_bundle(place: &DoctorPlace, args: &[&str], status: i32) -> Vec<(String, Vec<u8>)> {
    let out = place.file("bundle.zip");
    let out_text = out.to_string_lossy().into_owned();
    let all = [&["doctor", "--force", "--bundle", &out_text], args].concat();
    let home = place.file("home").to_string_lossy().into_owned();
    let ended =
        place.run(&all, &[("ROOST_ADMIN_TOKEN", MARKERS[12]), ("ROOST_SET_AUTH_KEYS", MARKERS[12]), ("HOME", &home)]);
    assert_eq!(ended.status.code(), Some(status), "{ended:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&out).expect("a bundle").permissions().mode() & 0o777, 0o600);
    }
    let mut archive = ZipArchive::new(File::open(out).expect("a bundle")).expect("a zip file");
    let mut files = Vec::new();
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).expect("a file");
        let name = file.name().expect("a name").into_owned();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("readable");
        files.push((name, bytes));
    }
    files
}

#[track_caller]
fn assert_unmarked(files: &[(String, Vec<u8>)], markers: &[&str]) {
    for marker in markers.iter().map(|text| Marker::new(text)) {
        for (name, bytes) in files {
            marker.is_absent_from("the name of a file", name.as_bytes());
            marker.is_absent_from(name, bytes);
        }
    }
}

#[track_caller]
fn json_of(files: &[(String, Vec<u8>)], name: &str) -> Value {
    let (_, bytes) = files.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("{name} is missing"));
    serde_json::from_slice(bytes).expect("JSON")
}

/// An account whose values, log, preferences and connection are marked.
fn marked_place() -> DoctorPlace {
    let place = DoctorPlace::new();
    fs::remove_file(place.db()).expect("an account");
    let core = Core::open(place.db().as_ref(), Ctx::system()).expect("an account");
    let text = marked_seed().to_string();
    seed::apply(&core, &Actor::user(None), text.as_bytes(), "http://127.0.0.1:1").expect("a seed");
    drop(core);
    let marks = format!(
        "INSERT INTO settings VALUES ('account.name', '{name}');
         UPDATE custom_fields SET label = '{label}';
         INSERT INTO drafts (contact_id, field, text) SELECT id, 'email_address', '{mail}' FROM contacts;
         INSERT INTO ui_state VALUES ('search', '{name}');
         INSERT INTO connection (id, uid, name, base_url, header, key_at, paths) VALUES (1, '{key}', '{service}', '{url}', '{key}', 'sealed', '{{\"a\":\"{name}\"}}');
         INSERT INTO changes (at, source, noun, action, uid) VALUES (0, 'user', '{name}', '{name}', '{name}')",
        name = MARKERS[6],
        label = MARKERS[7],
        mail = MARKERS[3],
        key = MARKERS[12],
        service = MARKERS[13],
        url = MARKERS[8],
    );
    rusqlite::Connection::open(place.db()).expect("a database").execute_batch(&marks).expect("statements");
    let data = place.file("data");
    fs::create_dir_all(data.join("crashes")).expect("a folder");
    let preferences = json!({ "theme": "dark", "zoom": 125, "locale": MARKERS[0], MARKERS[1]: MARKERS[2] });
    fs::write(data.join("preferences.json"), preferences.to_string()).expect("a file");
    let line = |target: &str, message: &str| {
        let fields = json!({ "why": MARKERS[3], "count": 3, "file": MARKERS[6], "method": MARKERS[0], MARKERS[7]: 1 });
        json!({ "time": "2026-01-05T09:00:00.000001Z", "level": "WARN", "target": target, "message": message, "fields": fields })
    };
    let quoted = format!("a copy of \"{}\" for {} failed", MARKERS[6], MARKERS[4]);
    let lines = [line("roost_store::db", &quoted).to_string(), line(MARKERS[1], "a").to_string(), MARKERS.join(" ")];
    fs::write(data.join("log.jsonl"), lines.join("\n")).expect("a file");
    fs::write(data.join("crashes").join(format!("{}.txt", MARKERS[0])), MARKERS[1]).expect("a file");
    fs::write(data.join("crashes/roost-20260105-090507-7-0.txt"), "program: roost\n").expect("a file");
    place
}

#[test]
fn a_bundle_holds_no_value_of_the_account_in_any_spelling() {
    let place = marked_place();
    let db = place.db();
    let log = place.file("data/log.jsonl").to_string_lossy().into_owned();
    let files = read_bundle(&place, &["--db", &db, "--log", &log], 0);
    assert_unmarked(&files, &MARKERS);
    assert_unmarked(&files, &["shop.roost", &place.folder.path().to_string_lossy()]);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let wanted = ["README.txt", "about.json", "settings.json", "doctor.json", "tables.json", "log.jsonl"];
    assert_eq!(names[..6], wanted);
    assert_eq!(names[6..], ["crashes/roost-20260105-090507-0.txt"]);
    let about = json_of(&files, "about.json");
    assert_eq!(about["version"], env!("CARGO_PKG_VERSION"));
    assert!(about["variables"].as_array().expect("names").contains(&json!("ROOST_SET_AUTH_KEYS")), "{about}");
    let tables = json_of(&files, "tables.json");
    assert_eq!((&tables["tables"]["contacts"], &tables["tables"]["opt_outs"]), (&json!(1), &json!(1)));
    let settings = json_of(&files, "settings.json");
    assert_eq!(settings["known"], json!({ "theme": "dark", "zoom": 125, "locale": "[removed]" }));
    let doctor = json_of(&files, "doctor.json");
    let service = doctor["checks"].as_array().expect("checks").iter().find(|check| check["check"] == "service");
    assert_eq!(service.expect("a service")["data"]["key_at"], "sealed");
    let log = String::from_utf8(files[5].1.clone()).expect("text");
    // A line of another program, and one that is not JSON, are left out.
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("\"count\":3") && log.contains("a copy of [text]"), "{log}");
}

/// Every text of every table is a marker, however little sense that makes.
#[test]
fn a_bundle_of_an_account_with_faults_names_none_of_its_values() {
    let place = DoctorPlace::new();
    let core = Core::open(place.db().as_ref(), Ctx::system()).expect("an account");
    roost_samples::fill_account(&core, &Actor::user(None), 7).expect("a sample");
    drop(core);
    let conn = rusqlite::Connection::open(place.db()).expect("a database");
    let read = |sql: &str| -> Vec<(String, String)> {
        let mut statement = conn.prepare(sql).expect("a statement");
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
        rows.collect::<rusqlite::Result<_>>().expect("rows")
    };
    let triggers = read("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger'");
    conn.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON").expect("pragmas");
    let columns = read(
        "SELECT s.name, c.name FROM sqlite_schema AS s, pragma_table_info(s.name) AS c
         WHERE s.type = 'table' AND s.name NOT LIKE 'refinery%' AND s.name NOT LIKE 'sqlite%' AND c.type IN ('TEXT', 'ANY')",
    );
    let mut marked = 0;
    for (table, column) in &columns {
        let sql = format!("UPDATE OR IGNORE \"{table}\" SET \"{column}\" = 'Quokkaline ' || abs(random())");
        // The database keeps its opt-outs, and generated columns, as they are.
        marked += usize::from(conn.execute(&sql, []).is_ok_and(|rows| rows > 0));
    }
    assert!(marked > 20 && !triggers.is_empty(), "{marked} columns");
    conn.execute_batch("CREATE TABLE \"Quokkaline table\" (\"Quokkaline column\" TEXT)").expect("a table");
    drop(conn);
    let db = place.db();
    let files = read_bundle(&place, &["--db", &db], 1);
    assert_unmarked(&files, &["Quokkaline"]);
    let doctor = json_of(&files, "doctor.json");
    assert_eq!(doctor["sound"], false);
    let faults = &doctor["checks"].as_array().expect("checks").iter().find(|check| check["check"] == "damage");
    assert!(faults.expect("faults")["data"]["faults"]["schema"].is_u64(), "{doctor}");
    assert_eq!(json_of(&files, "tables.json")["unknown_objects"], 1);
}

#[test]
fn a_bundle_is_also_written_without_an_account_and_for_one_that_cannot_be_read() {
    let place = DoctorPlace::new();
    let files = read_bundle(&place, &[], 0);
    assert!(files.iter().all(|(name, _)| name != "doctor.json") && files.len() >= 4, "{}", files.len());
    let sql = "INSERT INTO refinery_schema_history VALUES (9999, 'later', '2030-01-01T00:00:00Z', '1')";
    rusqlite::Connection::open(place.db()).expect("a database").execute_batch(sql).expect("a statement");
    let files = read_bundle(&place, &["--db", &place.db()], 2);
    let doctor = json_of(&files, "doctor.json");
    let damage = doctor["checks"].as_array().expect("checks").iter().find(|check| check["check"] == "damage");
    let damage = damage.expect("a check");
    assert_eq!((&damage["status"], &damage["data"]["code"]), (&json!("unknown"), &json!("too_new")));
    let out = place.file("bundle.zip").to_string_lossy().into_owned();
    let again = place.run(&["doctor", "--bundle", &out], &[]);
    assert!(again.status.code() == Some(2) && String::from_utf8_lossy(&again.stderr).contains("--force"), "{again:?}");
}
