//! `roost account erase`: everything about a number goes, and nothing about others.

use std::{fs, path::Path, process::Stdio, thread, time::Instant};

use roost_model::{channel::Channel, id::ContactId};
use roost_ops::{
    Core, asset, contact, history,
    opt_out::{self, NewOptOut},
};
use roost_tests::{seeds, spawned::command};
use serde_json::{Value, json};

use super::{AccountPlace, by, text_of};
use crate::{
    program::{failure_message, refusal_message},
    whole::{assert_whole, read_rows},
};

/// A part of the person's values that occurs nowhere else.
const MARKER: &str = "Zxqmarker";

impl AccountPlace {
    /// Returns the names of the files that contain these bytes, whose folders are searched as well.
    fn files_with(&self, bytes: &str) -> Vec<String> {
        fn search(folder: &Path, bytes: &[u8], found: &mut Vec<String>) {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    search(&path, bytes, found);
                } else if fs::read(&path).expect("a file").windows(bytes.len()).any(|part| part == bytes) {
                    found.push(path.display().to_string());
                }
            }
        }
        let mut found = Vec::new();
        search(self.folder.path(), bytes.as_bytes(), &mut found);
        found
    }

    /// Names the `n`th contact with the marker.
    fn mark(&self, n: usize) -> ContactId {
        let core = self.open();
        let found = contact_with(&core, &self.list, &seeds::mobile(n));
        let named = contact::FieldValues::from([("firstname".to_owned(), Some(MARKER.to_owned()))]);
        contact::update(&core, &by(), &found, &named, None).expect("an edit");
        found
    }

    /// Erases with the number of rows that a dry run shows.
    #[track_caller]
    fn erase(&self, args: &[&str]) -> Value {
        let shown = self.run_json(0, &[&["erase", "--dry-run"], args].concat());
        assert_eq!(shown["done"], false, "{shown}");
        let rows = shown["rows"].to_string();
        let done = self.run_json(0, &[&["erase", "--confirm-count", &rows], args].concat());
        assert_eq!((&done["done"], &done["account"]), (&json!(true), &shown["account"]), "as it was shown");
        done
    }
}

fn contact_with(core: &Core, list: &roost_model::id::ListId, number: &str) -> ContactId {
    let mut found = None;
    let query = contact::ContactQuery { list: list.clone(), search: Some(number.to_owned()), page: None };
    contact::visit_contacts(core, &query, &mut |part| {
        if let contact::QueryPart::Contact(one) = part {
            found = Some(one.uid.clone());
        }
        std::ops::ControlFlow::Continue(())
    })
    .expect("contacts");
    found.expect("a contact with the number")
}

#[test]
fn a_person_goes_from_the_account_and_its_copies_and_the_opt_out_stays() {
    let place = AccountPlace::new();
    place.mark(1);
    place.run_json(0, &["backup"]);
    place.mark(2);
    let number = seeds::mobile(1);
    let before = fs::read(place.db()).expect("a file");
    let refused = place.run(&["erase", "--number", &number]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--confirm-count"), "{refused:?}");
    for wrong in ["0", "1", "999"] {
        let refused = place.run(&["erase", "--number", &number, "--confirm-count", wrong]);
        let stderr = String::from_utf8_lossy(&refused.stderr);
        assert!(refused.status.code() == Some(4) && stderr.contains(&format!("{wrong} is not ")), "{refused:?}");
    }
    assert!(fs::read(place.db()).expect("a file") == before, "nothing was changed");

    let done = place.erase(&["--number", "07700 900 001"]);
    assert_eq!((&done["number"], &done["opt_outs"]), (&json!(number), &json!(1)));
    assert_eq!(done["copies"].as_array().map(Vec::len), Some(1), "{done}");
    assert_eq!(place.opted_out(), [number.as_str()], "and the opt-out stays in force");
    assert_eq!(place.files_with("asked by phone"), [""; 0], "without its reason");
    assert_eq!(place.run_json(0, &["info"])["counts"]["contacts"], 1);
    assert!(!place.files_with(MARKER).is_empty(), "the other contact has the same name");
    assert_whole(Path::new(&place.db()));
    assert_eq!(place.run_json(0, &["check"])["sound"], true);
    let copy = place.run_json(0, &["backups"])[0].clone();
    assert_eq!((&copy["sound"], &copy["counts"]["contacts"]), (&json!(true), &json!(1)));

    let held = place.run_json(0, &["held", "--number", &number]);
    assert_eq!(held["erased_at"].as_array().map(Vec::len), Some(1), "{held}");
    let entries = read_rows(Path::new(&place.db()), "SELECT run, body FROM audit");
    let body = entries[0][1].clone().expect("a body");
    assert!(entries.len() == 1 && body.contains(r#""operation":"erase""#) && !body.contains("7700900"), "{body}");
    let others = place.run_json(0, &["held", "--number", &seeds::mobile(2)]);
    assert_eq!((others["erased_at"].clone(), others["records"] == json!([])), (json!([]), false));

    place.erase(&["--number", &seeds::mobile(2)]);
    assert_eq!(place.files_with(MARKER), [""; 0]);
    let again = place.run_json(0, &["erase", "--number", &number]);
    assert_eq!((&again["done"], &again["rows"]), (&json!(true), &json!(0)), "there is nothing more");
}

#[test]
fn opt_outs_go_only_with_their_number() {
    let place = AccountPlace::new();
    let number = seeds::mobile(1);
    for wrong in ["0", "2"] {
        let refused = place.run(&["erase", "--number", &number, "--opt-outs", wrong, "--confirm-count", "99"]);
        assert_eq!(refused.status.code(), Some(4), "{wrong}: {refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("--opt-outs 1"), "{refused:?}");
    }
    place.erase(&["--number", &number, "--opt-outs", "1"]);
    assert_eq!(place.opted_out(), [""; 0]);
    assert_eq!(place.files_with("7700900001"), [""; 0]);
    assert_eq!(place.run_json(0, &["check"])["sound"], true);
}

#[test]
fn the_reports_of_imports_lose_the_values_that_they_show() {
    let place = AccountPlace::new();
    let file = place.path("people.csv");
    let rows = format!("Phone,First name,E-mail\n{},{MARKER},{MARKER}@example.org\n", seeds::mobile(5));
    fs::write(&file, rows).expect("a file");
    let db = place.db();
    let imported = crate::program::run_program(&["import", &file, "--db", &db, "--list", "People"]);
    assert!(matches!(imported.status.code(), Some(0 | 3)), "{imported:?}");
    fs::remove_file(file).expect("our own file");
    place.run_json(0, &["backup"]);
    assert!(!place.files_with(MARKER).is_empty());
    place.erase(&["--number", &seeds::mobile(5)]);
    assert_eq!(place.files_with(MARKER), [""; 0]);
}

#[test]
fn a_number_in_other_digits_is_found_and_erased() {
    let place = AccountPlace::new();
    let core = place.open();
    let found = contact_with(&core, &place.list, &seeds::mobile(2));
    let spelled: Vec<(&str, &str)> = vec![("address_1", "٠٧٧٠٠٩٠٠٠٠١"), ("city", "＋４４ ７７００ ９００００１")];
    let values = spelled.iter().map(|(field, text)| ((*field).to_owned(), Some((*text).to_owned())));
    contact::update(&core, &by(), &found, &values.collect(), None).expect("an edit");
    drop(core);
    let held = place.run_json(0, &["held", "--number", "٠٧٧٠٠٩٠٠٠٠١"]).to_string();
    assert!(spelled.iter().all(|(_, text)| held.contains(text)), "{held}");
    place.erase(&["--number", "٠٧٧٠٠٩٠٠٠٠١"]);
    for (_, text) in spelled {
        assert_eq!(place.files_with(text), [""; 0], "{text}");
    }
}

/// Nobody needs to know today's tables: the number is written into every text of every row of each.
#[test]
fn the_number_goes_from_every_table_in_every_spelling() {
    let place = AccountPlace::new();
    let uid = place.mark(2);
    let id =
        &read_rows(Path::new(&place.db()), "SELECT id FROM contacts ORDER BY id DESC")[0][0].clone().expect("an id");
    let cells = json!({ "phone_number": seeds::mobile(2), "firstname": MARKER }).to_string();
    place.tamper(&format!(
        "INSERT INTO drafts (contact_id, field, text) VALUES ({id}, 'city', '{MARKER} Street');
         INSERT INTO saved_views (uid, name, spec) VALUES ('v', 'Ask 07700 900002', '{{\"text\":\"0044 7700 900002\",\"n\":7}}');
         INSERT INTO ui_state VALUES ('look', '[\"+44 (0)7700 900002\",\"07700 900003\"]');
         INSERT INTO imports (step, at, list_uid, list_name, name, kind, told, heads, mapping)
             VALUES (1, 0, 'l', 'Spring', '7700900002.csv', 'contacts', '{{}}', '[]', '{{}}');
         INSERT INTO import_rejects (import_id, row, place, flags, cells) VALUES (1, 1, 2, 0, '[\"{MARKER}\",\"07700-900-002\"]');
         INSERT INTO import_rejects (import_id, row, place, flags, cells) VALUES (1, 2, 3, 0, '[\"Eve\",\"07700-900-003\"]');
         INSERT INTO import_maps VALUES ('', '07700 900002', '{{\"07700900002\":1}}', 0);
         INSERT INTO short_links (uid, title, target_url, code, created_at, track_clicks)
             VALUES ('s', 'For 07700 900002', 'https://shop.example/?to=447700900002&x=1', 'c', 0, 1);
         INSERT INTO short_codes VALUES ('c');
         INSERT INTO clicks (link_id, title, short_link_url, target_url, recipient, device, time)
             VALUES (1, 'For', 'u', 'https://shop.example/?to=447700900002', '447700900002', '{MARKER} phone', 0);
         INSERT INTO jobs (list_uid, list_name, merge_type, contact_count, state, queued_at, contacts) VALUES ('l', 'Spring',
             'merge', 2, 'queued', 0, CAST('[[[\"+447700900002\",\"GB\"],null,[[1,\"{MARKER}\"]],[]],[[\"+447700900003\",\"GB\"],null,[],[]]]' AS BLOB));
         INSERT INTO sync_plans (id, at, input, body) VALUES (1, 0, 'd',
             '{{\"conflicts\":[{{\"subject\":{{\"noun\":\"contact\",\"id\":{id},\"list\":1}},\"forks\":[\"{MARKER}\"]}},{{\"subject\":{{\"noun\":\"contact\",\"id\":999}}}}]}}');
         INSERT INTO sync_plan_steps VALUES (1, 0, '[[],{{\"kind\":\"contacts\",\"items\":[{{\"id\":{id},\"send\":{cells}}},{{\"id\":999,\"send\":{{}}}}]}}]');
         INSERT INTO sync_runs VALUES (1, 1, 0, 5, 'done', 'refused +447700900002');
         INSERT INTO sync_quarantine SELECT 6, {id}, r.id, '{cells}', '[\"{MARKER}\"]' FROM sync_runs r;
         INSERT INTO sync_steps VALUES (1, 0, '[[],{{\"kind\":\"contact_delete\",\"id\":{id},\"before\":{cells}}}]', 'Verified', NULL);
         INSERT INTO sync_answers VALUES (6, {id}, 'firstname', '\"{MARKER}\"');
         UPDATE lists SET name = 'Spring 07700 900002', name_folded = 'spring 07700 900002';"
    ));
    place.run_json(0, &["backup"]);
    let opened = place.open();
    contact::delete(&opened, &by(), &uid).expect("deleted");
    drop(opened);
    let done = place.erase(&["--number", &seeds::mobile(2)]);
    let erased = done["account"]["erased"].as_object().expect("tables");
    for table in
        ["clicks", "drafts", "import_rejects", "jobs", "row_changes", "sync_plans", "sync_plan_steps", "sync_steps"]
    {
        assert!(erased.contains_key(table) || table == "drafts", "{table}: {done}");
    }
    assert_eq!(place.files_with(MARKER), [""; 0]);
    assert_eq!(place.files_with("900002"), [""; 0]);
    assert_eq!(place.files_with("900-002"), [""; 0]);
    let one = |sql: &str| read_rows(Path::new(&place.db()), sql)[0][0].clone().expect("a text");
    assert_eq!(one("SELECT name FROM lists"), "Spring erased");
    assert_eq!(one("SELECT spec FROM saved_views"), r#"{"text":"erased","n":7}"#);
    assert_eq!(one("SELECT value FROM ui_state WHERE key = 'look'"), r#"["erased","07700 900003"]"#);
    assert_eq!(one("SELECT target_url FROM short_links"), "https://shop.example/?to=erased&x=1");
    assert_eq!(one("SELECT contact_count FROM jobs"), "1");
    assert_eq!(one("SELECT count(*) FROM import_rejects"), "1");
    assert_eq!(one("SELECT count(*) FROM clicks WHERE recipient IS NULL AND device IS NULL"), "1");
    assert!(
        one("SELECT body FROM sync_plans").contains("999") && one("SELECT body FROM sync_plan_steps").contains("999")
    );
    assert_eq!(place.run_json(0, &["check"])["sound"], true);
    assert_eq!(one("SELECT name FROM sqlite_schema WHERE name = 'audit_keeps'"), "audit_keeps");
}

#[test]
fn what_cannot_be_searched_is_reported_and_removed_only_when_it_is_named() {
    let place = AccountPlace::new();
    place.mark(1);
    let copy = place.run_json(0, &["backup"])["file"].as_str().expect("a file").to_owned();
    let bytes = fs::read(&copy).expect("a file");
    fs::write(&copy, &bytes[..bytes.len() / 2]).expect("a file");
    let aside = format!("{}.damaged-20260105-090000", place.db());
    fs::write(&aside, &bytes).expect("a file");
    fs::create_dir_all(place.path("shop.roost.imports/1")).expect("a folder");
    fs::write(place.path("shop.roost.imports/1/rows"), MARKER).expect("a file");
    fs::create_dir_all(place.path("shop.roost.world/snapshots")).expect("a folder");
    fs::write(place.path("shop.roost.world/snapshots/one.world"), MARKER).expect("a file");
    let number = seeds::mobile(1);
    let rows = place.run_json(0, &["erase", "--number", &number, "--dry-run"])["rows"].to_string();
    let named = ["--delete-unreadable", "--discard-imports", "--discard-server-state"];
    let all = [&["erase", "--number", &number, "--confirm-count", &rows][..], &named].concat();
    for missing in named {
        let args: Vec<&str> = all.iter().copied().filter(|arg| *arg != missing).collect();
        let refused = place.run(&args);
        assert_eq!(refused.status.code(), Some(4), "{missing}: {refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains(missing), "{refused:?}");
    }
    assert!(Path::new(&copy).exists());
    text_of(&place.run(&all));
    assert_eq!(place.files_with(MARKER), [""; 0]);
    assert!(!Path::new(&copy).exists() && Path::new(&aside).exists(), "{:?}", place.names());
}

#[test]
fn an_erasure_that_is_killed_at_any_moment_is_finished_by_the_next_one() {
    let place = AccountPlace::new();
    place.mark(1);
    place.run_json(0, &["backup"]);
    fs::copy(place.db(), format!("{}.damaged-20260105-090000", place.db())).expect("a file set aside");
    let number = seeds::mobile(1);
    let (mut killed, mut with_part) = (0, 0);
    for moment in 0..24 {
        place.run_json(0, &["backup"]);
        let begun = Instant::now();
        let rows = place.run_json(0, &["erase", "--number", &number, "--dry-run"])["rows"].to_string();
        // An erasure does all of a dry run before it writes what it changed.
        let usual = begun.elapsed();
        let args = ["account", "erase", "--db", &place.db(), "--number", &number, "--confirm-count", &rows];
        let mut child = command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a process");
        thread::sleep(usual * moment / 12);
        child.kill().expect("our own process");
        killed += usize::from(!child.wait().expect("it ended").success());
        with_part += usize::from(place.names().iter().any(|name| name.ends_with(".part")));
        assert!(place.run_json(0, &["check"])["sound"] == true);
    }
    assert!(killed > 0 && with_part > 0, "{killed} were killed, {with_part} while a file was being written");
    place.erase(&["--number", &number]);
    assert_eq!(place.files_with(MARKER), [""; 0]);
    let copies = place.run_json(0, &["backups"]);
    assert!(copies.as_array().expect("copies").iter().all(|copy| copy["sound"] == true), "{copies}");
}

/// The reason of an opt-out is free text, which may name somebody else.
#[test]
fn a_number_goes_from_the_reasons_of_other_opt_outs() {
    let place = AccountPlace::new();
    let other = NewOptOut { number: seeds::mobile(2), channels: vec![Channel::Sms], asset: None };
    opt_out::add(&place.open(), &by(), &[other], "asked from 07700 900001 for both", None).expect("an opt-out");
    place.run_json(0, &["backup"]);
    let number = seeds::mobile(1);
    place.erase(&["--number", &number]);
    assert_eq!(place.files_with("07700 900001"), [""; 0]);
    assert!(!place.files_with("for both").is_empty(), "the rest of the reason stays");
    assert_eq!(place.opted_out(), [number.clone(), seeds::mobile(2)]);
    place.erase(&["--number", &number, "--opt-outs", "1"]);
    assert_eq!(place.opted_out(), [seeds::mobile(2)]);
}

#[test]
fn undo_goes_on_for_the_others_and_says_where_it_cannot() {
    let place = AccountPlace::new();
    let (one, two) = (place.mark(1), place.mark(2));
    let core = place.open();
    contact::delete_many(&core, &by(), &contact::ContactTarget::Uids(vec![one, two])).expect("deleted");
    drop(core);
    let done = place.erase(&["--number", &seeds::mobile(1)]);
    assert_eq!((&done["steps_with_gaps"], done["steps_forgotten"].as_u64() > Some(0)), (&json!(1), true), "{done}");
    let core = place.open();
    let undone = history::undo(&core, &by()).expect("undone");
    assert_eq!(undone.kept, 1, "{undone:?}");
    drop(core);
    assert_eq!(place.run_json(0, &["info"])["counts"]["contacts"], 1);
    assert_whole(Path::new(&place.db()));
    assert_eq!(place.run_json(0, &["check"])["sound"], true);
}

#[test]
fn a_number_of_the_account_and_an_open_account_are_refused() {
    let place = AccountPlace::new();
    let core = place.open();
    asset::add(&core, &by(), Channel::Sms, &seeds::mobile(7)).expect("an asset");
    let message = failure_message(&place.run(&["erase", "--number", &seeds::mobile(1)]), 9);
    assert!(message.contains("open in another process"), "{message}");
    drop(core);
    let message = refusal_message(&place.run(&["erase", "--number", &seeds::mobile(7)]));
    assert!(message.contains("a number of the account itself"), "{message}");
    assert!(refusal_message(&place.run(&["erase", "--number", "Ada"])).contains("not a valid number"));
}
