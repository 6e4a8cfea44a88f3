//! Account files of earlier versions with undo memory, a trash, a draft, an import and the state of a sync. The program
//! of each version made its file, and the expected values are those that it reported.

use std::{fs, time::Instant};

use roost_ops::seed;
use serde_json::{Value, json};

use super::*;

/// Opens the file of every version that has a sync, up to the one before today's.
fn older_accounts() -> impl Iterator<Item = OlderAccount> {
    (5..Core::schema_version()).map(OlderAccount::open)
}

/// A copy of the account file of a version, opened today.
struct OlderAccount {
    version: i32,
    app: App,
    _folder: TempDir,
}

impl OlderAccount {
    fn open(version: i32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("old.roost");
        fs::copy(fixture(&format!("rich-v{version}.roost")), &file).unwrap();
        let (app, _) = open_app(&file);
        Self { version, app, _folder: folder }
    }

    #[track_caller]
    fn call(&self, name: &str, request: Value) -> Value {
        let answer = self.app.dispatch(name, request, None);
        answer.unwrap_or_else(|why| panic!("version {}: {name}: {why:?}", self.version))
    }

    #[track_caller]
    fn check(&self, what: &str, found: Value, expected: Value) {
        assert_eq!(found, expected, "version {}: {what}", self.version);
    }

    /// Waits until a pull or a run has ended, and has not failed.
    fn wait_until_idle(&self) {
        let until = Instant::now() + PATIENCE;
        loop {
            let status = self.call("sync_status", json!({}));
            if status["work"].is_null() {
                self.check("failure", status["failed"].clone(), Value::Null);
                return;
            }
            assert!(Instant::now() < until, "version {}: nothing moves: {status}", self.version);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns every pending change with its cells, except the time of an opt-out.
    fn list_changes(&self) -> Value {
        let summary = self.call("changes_summary", json!({ "filter": empty_filter() }));
        let mut changes = Vec::new();
        for group in items(&summary["groups"]) {
            let request = json!({
                "noun": group["noun"], "list": group["list"]["id"], "kind": null, "filter": empty_filter(),
                "from": 0, "count": 100,
            });
            for row in items(&self.call("changes_rows", request)["rows"]) {
                let cells: Vec<_> = items(&row["cells"]).iter().filter(|cell| cell["field"] != "time").collect();
                let cells: Vec<_> = cells.into_iter().map(|cell| pick(cell, &["field", "before", "after"])).collect();
                changes.push(json!([row["key"]["noun"], row["kind"], row["title"], cells]));
            }
        }
        changes.into()
    }

    /// Returns the number of contacts of each list.
    fn count_contacts(&self) -> Value {
        let lists = self.list_page();
        let count = |list: &Value| (list["name"].as_str().unwrap().to_owned(), list["contact_count"].clone());
        Value::Object(items(&lists).iter().map(count).collect())
    }

    fn list_page(&self) -> Value {
        let page = json!({ "page_number": 1, "page_size": 50, "sort_by": "name", "sort_order": "ASC", "name": null });
        self.call("list_page", page)["items"].clone()
    }

    /// Returns the values of the contacts of a list in these fields, ordered by number.
    fn list_values(&self, list: &str, fields: &[&str]) -> Value {
        let lists = self.list_page();
        let list = items(&lists).iter().find(|one| one["name"] == list).unwrap();
        let page = json!({
            "list": list["uid"], "page_number": 1, "page_size": 200,
            "sort": { "field": "phone_number", "order": "ASC" }, "filter": null, "opted_out": null,
        });
        let page = self.call("contact_page", page);
        items(&page["items"]).iter().map(|contact| pick(&contact["values"], fields)).collect()
    }

    /// Returns the drafts of the list Spring: the row of the contact in the order of the numbers, the cell and the text.
    fn list_drafts(&self) -> Value {
        let lists = self.list_page();
        let spring = items(&lists).iter().find(|list| list["name"] == "Spring").unwrap();
        let open = json!({
            "list": spring["uid"], "filter": null, "text": null,
            "sort": [{ "field": "phone_number", "order": "ASC" }], "has_deleted": false,
        });
        let view = self.call("grid_open", open)["view"].clone();
        let state = json!({ "view": view, "generation": 0, "wait_ms": 1_000 });
        while self.call("grid_state", state.clone())["is_building"] == true {}
        let rows = spring["contact_count"].as_u64().unwrap();
        let drafts = (0..rows).flat_map(|row| {
            let drafts = self.call("grid_drafts", json!({ "view": view, "row": row }))["drafts"].clone();
            let told = |draft: &Value| json!([row, draft["field"], draft["value"], draft["text"], draft["message"]]);
            items(&drafts).iter().map(told).collect::<Vec<_>>()
        });
        drafts.collect()
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/accounts").join(name)
}

fn items(all: &Value) -> &[Value] {
    all.as_array().unwrap_or_else(|| panic!("no array: {all}"))
}

/// Returns some values of an object in this order.
fn pick(from: &Value, keys: &[&str]) -> Value {
    keys.iter().map(|key| from[*key].clone()).collect()
}

fn pick_each(from: &Value, keys: &[&str]) -> Value {
    items(from).iter().map(|one| pick(one, keys)).collect()
}

#[test]
fn an_older_file_keeps_what_was_changed_here_and_what_the_service_had() {
    for old in older_accounts() {
        let status = old.call("sync_status", json!({}));
        let counts = pick(&status, &["is_connected", "changes", "held", "conflicts", "refused", "is_doubtful", "run"]);
        old.check("status", counts, json!([true, 10, 1, 1, 0, false, null]));
        let pulled = pick(&old.call("sync_pulled", json!({})), &["other_changes", "unsupported"]);
        // Version 5 did not store its last pull.
        let expected = if old.version == 5 { json!([null, null]) } else { json!([[], 0]) };
        old.check("last pull", pulled, expected);
        let connection = old.call("connection_get", json!({}))["connection"].clone();
        let settings = pick(&connection, &["name", "base_url", "header", "calls_per_second", "is_copy"]);
        old.check("connection", settings, json!(["Service", "http://127.0.0.1:4999", "X-AUTH-KEY", 9, false]));
        let scopes = old.call("sync_scopes", json!({}));
        let scopes: Value = items(&scopes).iter().map(|s| json!([s["place"], s["list"]["name"], s["total"]])).collect();
        let expected = json!([["contact", "Spring", 30], ["opt_out", null, 0], ["short_link", null, null]]);
        old.check("scopes", scopes, expected);

        let imported = |n: u8| {
            let number = format!("+44770090010{n}");
            let name = format!("Imported {n}");
            let cells = json!([["phone_number", null, number], ["firstname", null, name], ["city", null, "Ely"]]);
            json!(["contact", "new", name, cells])
        };
        let deleted = json!([
            ["phone_number", "+447700900003", null],
            ["firstname", "Guest 3", null],
            ["lastname", "Of Spring", null],
            ["city", "Bath", null],
        ]);
        let expected = json!([
            ["opt_out", "new", "+447700900004", [["kind", null, "account_import"]]],
            ["list", "new", "Imported twice", [["name", null, "Imported twice"]]],
            ["contact", "changed", "Renamed Of Spring", [["firstname", "Guest 2", "Renamed"]]],
            ["contact", "deleted", "Guest 3 Of Spring", deleted],
            ["contact", "changed", "Guest 5 Of Spring", [["city", "York", "Leeds"]]],
            ["contact", "changed", "Guest 9 Held", [["lastname", "Of Spring", "Held"]]],
            ["contact", "new", "New", [["phone_number", null, "+447700900900"], ["firstname", null, "New"]]],
            imported(1),
            imported(2),
            imported(3),
        ]);
        old.check("changes", old.list_changes(), expected);

        let conflicts = old.call("conflicts_page", json!({ "noun": null, "field": null, "from": 0, "count": 10 }));
        let rows = pick_each(&conflicts["rows"], &["title", "dispute"]);
        old.check("conflicts", rows, json!([["Guest 5 Of Spring", "fields"]]));
        let forks = pick_each(&conflicts["rows"][0]["forks"], &["field", "base", "mine", "theirs", "answer"]);
        old.check("values of the conflict", forks, json!([["city", "Bath", "Leeds", "York", null]]));
    }
}

#[test]
fn an_older_file_keeps_its_plan_its_run_and_the_record_of_what_was_sent() {
    for old in older_accounts() {
        let steps = json!([
            ["opt_out_create", "+447700900004 (SMS)", 1, []],
            ["list_create", "Imported twice", 1, []],
            ["contacts_update", "Spring", 1, []],
            ["contacts_create", "Spring", 1, []],
            ["contacts_create", "Imported twice", 3, [1]],
            ["contact_delete", "Spring", 1, []],
        ]);
        let plan = old.call("plan_get", json!({ "plan": null }));
        old.check("number of the plan", plan["id"].clone(), json!(2));
        old.check("plan", pick_each(&plan["steps"], &["kind", "title", "rows", "after"]), steps.clone());
        let notes = pick_each(&plan["notes"], &["text", "title"]);
        old.check("notes of the plan", notes, json!([["held", "Guest 9 Held"]]));
        // Version 5 counted fewer reads for these steps.
        old.check("plan is stale", plan["is_stale"].clone(), json!(old.version == 5));
        let anew = old.call("plan_make", json!({}));
        old.check("plan made anew", pick_each(&anew["steps"], &["kind", "title", "rows", "after"]), steps);

        let runs = old.call("run_list", json!({}));
        let counts = pick_each(&runs, &["id", "plan", "state", "step_count", "rows", "requests", "refused", "why"]);
        old.check("runs", counts, json!([[1, 1, "done", 1, 1, 1, 0, null]]));
        let run = old.call("run_get", json!({ "run": 1 }));
        let steps = pick_each(&run["steps"], &["kind", "title", "rows", "state", "requests", "reason"]);
        old.check("steps of the run", steps, json!([["contacts_update", "Spring", 1, "verified", 1, null]]));
        let attempts = old.call("run_attempts", json!({ "run": 1, "step": null }));
        let attempts = pick_each(&attempts, &["step", "operation", "verdict", "status", "code"]);
        old.check("attempts", attempts, json!([[0, "contacts.create", "done", 200, null]]));
        let audit = old.call("audit_page", json!({ "from": 0, "count": 10 }));
        old.check("audit is sound", audit["is_sound"].clone(), json!(true));
        let effects = pick_each(&audit["rows"], &["run", "operation", "effect"]);
        old.check("audit", effects, json!([[1, "contacts.create", "1 written"]]));
    }
}

#[test]
fn an_older_file_keeps_its_draft_its_import_and_the_rows_that_the_import_refused() {
    for old in older_accounts() {
        let draft = json!([[6, "phone_number", "+447700900008", "xyz", "Invalid phone number."]]);
        old.check("drafts", old.list_drafts(), draft);
        let history = old.call("import_history", json!({ "page_number": 1, "page_size": 10 }));
        let keys = ["past", "name", "kind", "list_name", "list_exists", "rejects", "can_revert", "reverted_at"];
        let imports = pick_each(&history["items"], &keys);
        old.check("imports", imports, json!([[1, "summer.csv", "text", "Imported", true, 2, true, null]]));
        let counts = pick(&history["items"][0]["counts"], &["new", "invalid"]);
        old.check("rows of the import", counts, json!([3, 2]));
        let rejects = old.call("import_rejects", json!({ "past": 1, "from": 0, "count": 10 }));
        old.check("columns of the import", rejects["columns"].clone(), json!(["Phone", "First name", "City"]));
        let rows = pick_each(&rejects["rows"], &["place", "cells", "reason"]);
        let expected =
            json!([[3, ["12", "Short", "Ely"], "not_a_number"], [5, ["nobody", "Word", "Ely"], "not_a_number"]]);
        old.check("refused rows", rows, expected);
    }
}

#[test]
fn what_waits_in_an_older_file_is_sent_to_the_service_as_it_was_then() {
    // Side by side, because the run of each waits for the rate limit.
    std::thread::scope(|scope| {
        for old in older_accounts() {
            scope.spawn(move || push_everything(&old));
        }
    });
}

fn push_everything(old: &OlderAccount) {
    let there = Core::in_memory(Ctx::system()).unwrap();
    let text = fs::read(fixture(&format!("rich-v{}.service.json", old.version))).unwrap();
    seed::apply(&there, &Actor::operator(), &text, "http://127.0.0.1:4010/s").unwrap();
    let server = start_service(there, &[("auth", "off")]);
    old.call("connection_save", save_request(server.url()));
    let before = old.list_changes();
    old.call("sync_pull", json!({ "list": null, "full": true, "believe": false }));
    old.wait_until_idle();
    let pulled = pick(&old.call("sync_pulled", json!({})), &["added", "changed", "removed", "conflicts"]);
    old.check("pull", pulled, json!([0, 0, 0, 1]));
    old.check("changes after the pull", old.list_changes(), before);

    let plan = old.call("plan_make", json!({}));
    old.call("run_start", json!({ "plan": plan["id"], "typed": typed_texts(&plan) }));
    old.wait_until_idle();
    let runs = pick_each(&old.call("run_list", json!({})), &["id", "state", "rows", "refused"]);
    old.check("runs", runs, json!([[2, "done", 8, 0], [1, "done", 1, 0]]));
    let rest = json!([
        ["contact", "changed", "Guest 5 Of Spring", [["city", "York", "Leeds"]]],
        ["contact", "changed", "Guest 9 Held", [["lastname", "Of Spring", "Held"]]],
    ]);
    old.check("what is not sent: a conflict and what is held back", old.list_changes(), rest);
    let audit = old.call("audit_page", json!({ "from": 0, "count": 10 }));
    old.check("audit is sound", audit["is_sound"].clone(), json!(true));
    old.check("entries of the audit", audit["total"].clone(), json!(7));
}

#[test]
fn every_act_in_an_older_file_can_be_undone_one_by_one() {
    let lists = |imported: Option<u8>, retired: Option<u8>, spring: u8| {
        let counts = [("Imported", imported), ("Retired", retired), ("Spring", Some(spring))];
        let known = counts.into_iter().filter_map(|(name, count)| Some((name.to_owned(), json!(count?))));
        Value::Object(known.collect())
    };
    // The act that is undone, then the lists, the number of changes and the number of drafts after it.
    let expected = [
        ("list_rename", lists(Some(3), None, 30), 10, 1),
        ("contact_edit", lists(Some(3), None, 30), 10, 0),
        ("list_delete", lists(Some(3), Some(2), 30), 13, 0),
        ("contact_paste", lists(Some(3), Some(0), 30), 11, 0),
        ("list_create", lists(Some(3), None, 30), 10, 0),
        ("import_accept", lists(None, None, 30), 6, 0),
        // Only a removal with a reason ends an opt-out, so this one remains.
        ("opt_out_add", lists(None, None, 30), 6, 0),
        ("contact_paste", lists(None, None, 29), 5, 0),
        ("contact_delete", lists(None, None, 30), 4, 0),
        ("contact_update", lists(None, None, 30), 3, 0),
        ("contact_update", lists(None, None, 30), 2, 0),
        ("contact_update", lists(None, None, 30), 1, 0),
        ("contact_update", lists(None, None, 30), 2, 0),
    ];
    for old in older_accounts() {
        for (act, lists, changes, drafts) in expected.clone() {
            let undone = old.call("history_undo", json!({}));
            old.check("act", undone["step"]["act"].clone(), json!(act));
            old.check(act, undone["kept"].clone(), json!(0));
            let opt_outs = u8::from(act == "opt_out_add");
            old.check(act, undone["opt_outs_kept"].clone(), json!(opt_outs));
            old.check(act, old.count_contacts(), lists);
            old.check(act, old.call("sync_status", json!({}))["changes"].clone(), json!(changes));
            old.check(act, json!(items(&old.list_drafts()).len()), json!(drafts));
        }
        old.check("nothing is left to undo", old.call("history_standing", json!({}))["undo"].clone(), Value::Null);
        let as_pulled = (1..=30).map(|n| json!([to_number(n), format!("Guest {n}"), "Of Spring", "Bath"])).collect();
        old.check("Spring", old.list_values("Spring", &["phone_number", "firstname", "lastname", "city"]), as_pulled);
    }
}

#[test]
fn a_list_in_the_trash_of_an_older_file_can_be_restored() {
    for old in older_accounts() {
        let trash = old.call("trash_page", json!({ "noun": null, "page_number": 1, "page_size": 10 }))["items"].clone();
        let expected = json!([["list_delete", 2, "list", true], ["contact_delete", 1, "contact", true]]);
        old.check("trash", pick_each(&trash, &["act", "count", "trash", "is_remembered"]), expected);
        old.check("deleted list", trash[0]["subject"].clone(), json!("Retired"));
        old.call("trash_restore", json!({ "step": trash[0]["id"] }));
        let expected = json!({ "Imported twice": 3, "Retired": 2, "Spring": 30 });
        old.check("lists", old.count_contacts(), expected);
        let expected = json!([["+447700900201", "Retired 201"], ["+447700900202", "Retired 202"]]);
        old.check("Retired", old.list_values("Retired", &["phone_number", "firstname"]), expected);
    }
}
