//! Imports as a page requests them.

use std::{fs, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use roost_grid::grid::ViewSpec;
use roost_model::{error::ErrorCode, id::ListId, intervals::RowIntervals, time::Timestamp};
use roost_ops::{Actor, Core, Ctx, ctx::Clock, list};
use serde_json::{Value, json};

use super::super::super::desktop::tests::FakeDesktop;
use crate::{
    accounts::App,
    changes::{ChangeTopic, OutsideTopic},
    commands::CommandResponse,
};

const PEOPLE: &str = "Phone,City\n07700900001,York\n12,Bath\n";

fn app() -> App {
    App::with_core(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"))
}

fn run_command(app: &App, command: &str, request: Value) -> Value {
    app.dispatch(command, request, None).unwrap_or_else(|why| panic!("{command}: {why:?}"))
}

fn wait_until_idle(app: &App, import: &Value) -> Value {
    loop {
        let state = run_command(app, "import_state", json!({ "import": import, "generation": null, "wait_ms": 1_000 }));
        if state["progress"].is_null() {
            return state;
        }
    }
}

fn open_import(app: &App, sources: Value) -> Value {
    let target = json!({ "new_list": "May" });
    let request = json!({ "purpose": "contacts", "sources": sources, "target": target });
    run_command(app, "import_open", request)["import"].clone()
}

/// Opens, rehearses and accepts an import.
fn accept_import(app: &App) -> Value {
    let import = open_import(app, json!([{ "text": { "name": "pasted", "text": PEOPLE } }]));
    wait_until_idle(app, &import);
    run_command(app, "import_rehearse", json!({ "import": import }));
    let state = wait_until_idle(app, &import);
    assert_eq!((&state["stage"], &state["counts"]["new"]), (&json!("rehearsed"), &json!(1)), "{state}");
    run_command(app, "import_accept", json!({ "import": import, "typed_count": null }));
    wait_until_idle(app, &import)["accepted"].clone()
}

#[test]
fn a_page_hands_bytes_over_piece_by_piece() {
    let app = app();
    let import = open_import(&app, json!([{ "upload": { "name": "people.csv", "size": PEOPLE.len() } }]));
    let send = |from: usize, to: usize, is_last: bool| {
        let content = STANDARD.encode(&PEOPLE.as_bytes()[from..to]);
        let request =
            json!({ "import": import, "file": 1, "from": from, "content_base64": content, "is_last": is_last });
        app.dispatch("import_upload", request, None)
    };
    assert_eq!(send(0, 7, false).unwrap(), json!({ "received": 7 }));
    assert_eq!(send(9, 12, false).unwrap_err().details[0].path, "from");
    send(7, PEOPLE.len(), true).unwrap();
    let state = wait_until_idle(&app, &import);
    assert_eq!((&state["stage"], &state["rows"]), (&json!("mapping"), &json!(2)), "{state}");
    let bad = json!({ "import": import, "file": 1, "from": 0, "content_base64": "no base64!", "is_last": true });
    assert_eq!(app.dispatch("import_upload", bad, None).unwrap_err().details[0].path, "content_base64");
}

#[test]
fn only_the_window_names_files_of_this_computer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    fs::write(&path, PEOPLE).unwrap();
    let request = json!({ "purpose": "contacts", "sources": [{ "path": path }], "target": null });
    let app = app();
    assert_eq!(app.dispatch("import_open", request.clone(), None).unwrap_err().code, ErrorCode::Unsupported);
    assert_eq!(app.dispatch("import_pick", json!({}), None).unwrap_err().code, ErrorCode::Unsupported);
    app.set_desktop(FakeDesktop { chosen: Some(path.clone()), ..FakeDesktop::default() });
    assert_eq!(run_command(&app, "import_pick", json!({})), json!({ "paths": [path] }));
    let state = run_command(&app, "import_open", request);
    assert_eq!(state["files"][0]["name"], "people.csv");
    assert_eq!(wait_until_idle(&app, &state["import"])["obstacles"][0]["path"], "target");
}

#[test]
fn files_given_to_the_program_are_reported_once() {
    let app = app();
    let changes = app.changes();
    app.offer_files(vec!["/a/people.csv".into(), "/a/more.xlsx".into()]);
    app.offer_files(Vec::new());
    assert_eq!(changes.recv().unwrap().nouns, [ChangeTopic::Beside(OutsideTopic::Offered)]);
    assert!(changes.try_recv().is_err(), "no files are no news");
    assert_eq!(run_command(&app, "import_offered", json!({})), json!({ "paths": ["/a/people.csv", "/a/more.xlsx"] }));
    assert_eq!(run_command(&app, "import_offered", json!({})), json!({ "paths": [] }));
}

#[test]
fn a_past_import_is_listed_its_rejected_rows_are_fixed_and_it_is_reverted() {
    let folder = tempfile::tempdir().unwrap();
    let app = app();
    let result = accept_import(&app);
    let past = &result["past"];
    let history = run_command(&app, "import_history", json!({ "page_number": 1, "page_size": 10 }));
    assert_eq!((&history["total_items"], &history["items"][0]["past"]), (&json!(1), past));
    assert_eq!(history["items"][0]["rejects"], 1);

    let rejects = run_command(&app, "import_rejects", json!({ "past": past, "from": 0, "count": 10 }));
    assert_eq!(
        (&rejects["columns"], &rejects["rows"][0]["reason"]),
        (&json!(["Phone", "City"]), &json!("not_a_number"))
    );
    let file = app.run_command("import_rejects_file", json!({ "past": past }), None).unwrap();
    let CommandResponse::Bytes(bytes) = file else { panic!("bytes") };
    assert!(String::from_utf8(bytes).unwrap().contains("12,Bath,3,"));
    let save = json!({ "past": past, "name": "Left out" });
    assert_eq!(run_command(&app, "import_rejects_save", save.clone())["outcome"], "unsupported");
    let chosen = folder.path().join("out.csv");
    app.set_desktop(FakeDesktop { chosen: Some(chosen.clone()), ..FakeDesktop::default() });
    assert_eq!(run_command(&app, "import_rejects_save", save), json!({ "outcome": "saved", "path": chosen }));

    let edit = json!({ "reject": rejects["rows"][0]["reject"], "column": 0, "text": "07700 900002" });
    let mended = run_command(&app, "import_rejects_mend", json!({ "past": past, "edits": [edit] }));
    assert_eq!(mended["rows"][0]["reason"], Value::Null);
    let done = run_command(&app, "import_rejects_accept", json!({ "past": past, "typed_count": null }));
    assert_eq!((&done["counts"]["new"], &done["left"]), (&json!(1), &json!(0)));

    let preview = run_command(&app, "import_revert_preview", json!({ "past": past }));
    assert_eq!((&preview["step"], &preview["deleted"]), (&Value::Null, &json!(1)));
    let reverted = run_command(&app, "import_revert", json!({ "past": past }));
    assert_eq!(reverted["deleted"], 1);
    assert_ne!(run_command(&app, "import_past", json!({ "past": past }))["reverted_at"], Value::Null);
}

#[test]
fn an_import_is_listed_among_the_tasks() {
    let app = app();
    let rows: String = (0..300_000).map(|row| format!("0770{row:07},York\n")).collect();
    let import = open_import(&app, json!([{ "text": { "name": "many", "text": format!("Phone,City\n{rows}") } }]));
    let tasks = run_command(&app, "task_list", json!({}))["tasks"].clone();
    assert_eq!(tasks[0]["name"], "import_read", "{tasks}");
    assert_eq!(run_command(&app, "task_cancel", json!({ "id": tasks[0]["id"] })), json!({ "cancelled": true }));
    assert_eq!(wait_until_idle(&app, &import)["fault"], "The operation was cancelled.");
    assert_eq!(run_command(&app, "task_cancel", json!({ "id": tasks[0]["id"] })), json!({ "cancelled": false }));
}

#[test]
fn files_of_opt_outs_are_read_alike() {
    let app = app();
    let csv = "Number,Channel\n07700900001,SMS\n07700900002,WHATSAPP\nnone,SMS\n";
    let sources = json!([{ "text": { "name": "stop.csv", "text": csv } }]);
    let request = json!({ "purpose": "opt_outs", "sources": sources, "target": null });
    let import = run_command(&app, "import_open", request)["import"].clone();
    assert_eq!(wait_until_idle(&app, &import)["obstacles"], json!([]));
    let error = app.dispatch("import_rehearse", json!({ "import": import }), None).unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    let read = json!({ "import": import, "region": "GB", "channels": ["SMS"], "columns": null });
    let read = run_command(&app, "opt_out_import_file", read);
    assert_eq!((&read["counts"]["would_add"], &read["counts"]["invalid"]), (&json!(2), &json!(1)), "{read}");
    let request = json!({ "import": read["import"], "typed_count": 2, "reason": "Old system" });
    assert_eq!(run_command(&app, "opt_out_import", request), json!({ "added": 2 }));
}

/// Returns a column of a list as the grid shows it.
fn column_texts(app: &App, list: &ListId, column: &str) -> Vec<String> {
    let account = app.account().unwrap();
    let spec = ViewSpec { list: list.clone(), filter: None, text: None, sort: Vec::new(), has_deleted: false };
    let (view, _) = account.grid().open(&account.core, spec).unwrap();
    let wait = std::time::Duration::from_secs(5);
    while account.grid().read_status(&account.core, view, None, wait).unwrap().is_building {}
    let (all, columns) = (RowIntervals::all_below(99), [column.to_owned()]);
    let text = account.grid().copy_cells(&account.core, view, &all, &columns, &[], &Default::default()).unwrap();
    String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_rows_of_a_file_stay_in_its_order_and_a_later_file_is_before_them() {
    let clock = Clock::fixed(Timestamp::from_unix(1_767_603_600));
    let core = Core::in_memory(Ctx::seeded(clock, 1)).unwrap();
    let app = App::with_core(core.clone(), Path::new(":memory:"));
    let list = list::create(&core, &Actor::user(None), "Everybody", list::UniqueNames::Off).unwrap().uid;
    for rows in ["07700900009,Ada\n07700900001,Zoe\n07700900005,Cy\n", "07700900008,Una\n07700900002,Bo\n"] {
        let sources = json!([{ "text": { "name": "people.csv", "text": format!("Phone,First name\n{rows}") } }]);
        let request = json!({ "purpose": "contacts", "sources": sources, "target": { "list": list } });
        let import = run_command(&app, "import_open", request)["import"].clone();
        wait_until_idle(&app, &import);
        run_command(&app, "import_rehearse", json!({ "import": import }));
        wait_until_idle(&app, &import);
        run_command(&app, "import_accept", json!({ "import": import, "typed_count": null }));
        wait_until_idle(&app, &import);
        core.ctx().advance(1);
    }
    assert_eq!(column_texts(&app, &list, "firstname"), ["Una", "Bo", "Ada", "Zoe", "Cy"]);
    let copy = list::duplicate(&core, &Actor::user(None), &list, "Copy").unwrap().uid;
    assert_eq!(
        column_texts(&app, &copy, "firstname"),
        ["Una", "Bo", "Ada", "Zoe", "Cy"],
        "a copy is in the same order"
    );
}
