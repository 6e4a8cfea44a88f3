//! Connecting, pulling, reviewing, sending, undoing, pausing, cancelling and disconnecting.

use std::fs;

use roost_model::{channel::Channel, error::ErrorCode, opt_out::OptOutType, short_link::LinkParts};
use roost_ops::{
    Actor, Core, Ctx, contact, list,
    opt_out::{self, OptOutEntry},
    short_link,
};
use serde_json::{Value, json};

use super::*;

#[test]
fn an_account_is_connected_tried_and_read() {
    let world = new_world();
    assert_eq!(world.status()["is_connected"], false);
    let error = world.request("sync_pull", json!({ "list": null, "full": false, "believe": false })).unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict, "{error}");
    world.connect();
    let tested = world.call("connection_test", json!({}));
    assert_eq!(
        (&tested["operation"], &tested["lists"], &tested["advice"]),
        (&json!("lists.query"), &json!(0), &Value::Null)
    );
    let list = world.create_service_list("Members", 12);
    let pulled = world.pull();
    assert_eq!((&pulled["added"], &pulled["lists"][0]["how"]), (&json!(12), &json!("whole")));
    assert_eq!(pulled["lists"][0]["uid"], json!(list));
    assert_eq!(pulled["other_changes"], json!([{ "noun": "list", "count": 1 }]));
    let link = LinkParts {
        title: "Spring".to_owned(),
        target_url: "https://shop.example/".to_owned(),
        tags: Vec::new(),
        track_clicks: false,
    };
    short_link::create(&world.there, &Actor::interface(), link).unwrap();
    let number = to_number(1);
    let stop = OptOutEntry { number: &number, channel: Some(Channel::Sms.as_str()), asset_id: None };
    opt_out::create(&world.there, &Actor::interface(), &[stop], OptOutType::ApiImport).unwrap();
    let noun = |noun: &str| json!({ "noun": noun, "count": 1 });
    assert_eq!(world.pull()["other_changes"], json!([noun("opt_out"), noun("short_link")]));
    assert_eq!(world.pull()["other_changes"], json!([]));
    assert_eq!(world.list_contacts(&list).len(), 12);
    let status = world.status();
    assert_eq!((&status["changes"], &status["conflicts"]), (&json!(0), &json!(0)));
    assert!(status["pulled_at"].is_string());
    assert_eq!(world.call("sync_pulled", json!({}))["at"], status["pulled_at"]);
    let scopes = world.call("sync_scopes", json!({}));
    let of_list = scopes.as_array().unwrap().iter().find(|scope| scope["list"]["uid"] == json!(list)).unwrap();
    assert_eq!((&of_list["place"], &of_list["total"]), (&json!("contact"), &json!(12)));
    world.call("sync_pull", json!({ "list": list, "full": false, "believe": false }));
    world.wait_until_idle();
    assert_eq!(world.call("sync_pulled", json!({}))["lists"][0]["how"], "assumed_unchanged");
    assert_eq!(world.status()["pulled_at"], status["pulled_at"], "opt-outs were not read");
    world.call("connection_forget", json!({}));
    assert_eq!(world.status()["is_connected"], false);
    assert!(world.rings.0.lock().unwrap().is_empty(), "the key went, too");
    assert_eq!(world.list_contacts(&list).len(), 12, "and nothing else");
}

#[test]
fn a_wrong_connection_setting_is_reported_at_its_field() {
    let world = new_world();
    let cases = [
        ("base_url", json!("nowhere"), "base_url"),
        ("base_url", json!("https://me:secret@service.example"), "base_url"),
        ("name", json!(" "), "name"),
        ("header", json!("two words"), "header"),
        ("calls_per_second", json!(10), "calls_per_second"),
        ("together", json!(1), "together"),
        ("paths", json!([{ "operation": "lists.delete", "path": "/v9/list" }]), "paths.lists.delete"),
        ("paths", json!([{ "operation": "lists.rename", "path": "/v9" }]), "paths.lists.rename"),
    ];
    for (field, value, at) in cases {
        let mut request = save_request("http://localhost:1");
        request[field] = value;
        let error = world.request("connection_save", request).unwrap_err();
        assert_eq!((error.code, error.details[0].path.as_str()), (ErrorCode::Invalid, at));
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    assert_eq!(world.call("connection_get", json!({}))["connection"], Value::Null);
    let mut request = save_request("http://localhost:1/");
    request["paths"] = json!([{ "operation": "lists.query", "path": "/v9/lists" }]);
    world.call("connection_save", request);
    let paths = world.call("connection_get", json!({}))["connection"]["paths"].as_array().unwrap().clone();
    let other: Vec<&Value> = paths.iter().filter(|path| path["path"] != path["usual"]).collect();
    assert_eq!((paths.len(), other.len(), &other[0]["path"]), (16, 1, &json!("/v9/lists")));
    // No service listens at this address.
    let tested = world.call("connection_test", json!({}));
    assert!(tested["advice"].as_str().unwrap().contains("cannot be reached"), "{tested}");
}

/// A service that does not respond is asked again for a while. The user can stop the pull instead of waiting.
#[test]
fn a_pull_from_a_service_that_does_not_respond_can_be_stopped() {
    let world = new_world();
    world.call("connection_save", save_request("http://localhost:1/"));
    let pull = || world.call("sync_pull", json!({ "list": null, "full": false, "believe": false }));
    pull();
    let error = world.request("connection_save", save_request("http://localhost:2/")).unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict, "{error}");
    let error = world.request("sync_pull", json!({ "list": null, "full": false, "believe": false })).unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict, "{error}");
    world.call("sync_stop", json!({}));
    assert_eq!(world.wait_until_idle()["failed"], Value::Null, "it was asked for");
    world.call("connection_save", save_request(world.server.url()));
    world.call("connection_key_set", json!({ "key": KEY, "keep": "keyring", "passphrase": null }));
    world.pull();
    assert_eq!(world.status()["ended"], json!({ "id": 2, "kind": "pull", "run": null, "is_cut_short": false }));
}

#[test]
fn a_key_that_the_service_rejects_is_reported_and_never_shown() {
    let world = world_with(&[("auth", "keys"), ("auth.keys", "another-key-0123456789")]);
    world.connect();
    let tested = world.call("connection_test", json!({}));
    assert_eq!(tested["status"], 401);
    world.call("sync_pull", json!({ "list": null, "full": false, "believe": false }));
    let status = world.wait_until_idle();
    let failed = &status["failed"];
    assert_eq!((&failed["kind"], &failed["is_permanent"]), (&json!("key_refused"), &json!(true)));
    // A page that did not see the work also learns that it ended.
    assert_eq!(status["ended"], json!({ "id": 1, "kind": "pull", "run": null, "is_cut_short": true }));
    assert!(!format!("{tested}{failed}").contains(KEY));
    world.call("connection_key_set", json!({ "key": "another-key-0123456789", "keep": "keyring", "passphrase": null }));
    assert_eq!(world.status()["failed"], json!(null), "the refusal was of the former key");
}

#[test]
fn a_sealed_key_is_requested_after_a_start_and_is_in_no_file_and_no_response() {
    let world = new_world();
    world.create_service_list("Members", 3);
    world.call("connection_save", save_request(world.server.url()));
    let mut set = json!({ "key": KEY, "keep": "sealed", "passphrase": "short" });
    let refused = world.request("connection_key_set", set.clone()).unwrap_err();
    assert!(refused.message.contains("passphrase"), "{refused}");
    set["passphrase"] = json!("a long passphrase");
    let mut responses = vec![world.call("connection_key_set", set)];
    assert_eq!(responses[0]["connection"]["key"]["at"], "sealed");
    world.pull();
    for name in ["connection_get", "sync_status", "connection_test"] {
        responses.push(world.call(name, json!({})));
    }
    responses.push(world.call("task_list", json!({})));
    let SyncWorld { app, core, server, folder, file, .. } = world;
    drop(core);
    app.close();
    drop(app);

    let (app, _) = open_app(&file);
    let call = |name: &str, request: Value| app.dispatch(name, request, None);
    let status = call("sync_status", json!({})).unwrap();
    assert_eq!((&status["is_connected"], &status["is_key_ready"]), (&json!(true), &json!(false)));
    assert!(call("connection_test", json!({})).unwrap_err().message.contains("encrypted"));
    let wrong = call("connection_key_unlock", json!({ "passphrase": "another passphrase" })).unwrap_err();
    assert!(!wrong.message.contains("another passphrase"), "{wrong}");
    let opened = call("connection_key_unlock", json!({ "passphrase": "a long passphrase" })).unwrap();
    assert_eq!(opened["connection"]["key"]["is_unlocked"], true);
    assert_eq!(call("connection_test", json!({})).unwrap()["lists"], 1);
    responses.push(opened);
    app.close();
    drop((app, server));

    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        for secret in [KEY, "a long passphrase"] {
            assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{}", path.display());
        }
    }
    let responses = json!(responses).to_string();
    assert!(!responses.contains(KEY) && !responses.contains("passphrase\":\"a"), "{responses}");
}

#[test]
fn changes_are_shown_held_and_given_up() {
    let world = new_world();
    world.connect();
    let list = world.create_service_list("Members", 6);
    world.pull();
    let contacts = world.list_contacts(&list);
    world.rename_contact(&contacts[0]["uid"], "Edited");
    world.rename_contact(&contacts[1]["uid"], "Edited, too");
    let row = json!({ "phone_number": "+447700900901", "firstname": "New" });
    world.call("contact_paste", json!({ "list": list, "contacts": [row], "region": null }));
    list::create(world.core(), &Actor::user(None), "Made here", list::UniqueNames::Off).unwrap();

    let summary = world.call("changes_summary", json!({ "filter": empty_filter() }));
    assert_eq!(summary["total"], world.status()["changes"], "{summary}");
    assert_eq!(world.call("changes_count", json!({ "list": list }))["count"], 3);
    let city = summary["columns"].as_array().unwrap().iter().find(|column| column["field"] == "firstname").unwrap();
    assert_eq!((&city["count"], &city["rule"]), (&json!(2), &json!("send")));
    assert_eq!(summary["sources"][0]["source"], "user");
    let id = summary["groups"].as_array().unwrap().iter().find_map(|group| group["list"]["id"].as_i64()).unwrap();
    let rows = |kind: &str, filter: Value| {
        let request = json!({ "noun": "contact", "list": id, "kind": kind, "filter": filter, "from": 0, "count": 50 });
        world.call("changes_rows", request)
    };
    let changed = rows("changed", empty_filter());
    assert_eq!(changed["total"], 2);
    let row = &changed["rows"][0];
    assert_eq!((&row["title"], &row["uid"], &row["is_held"]), (&json!("Edited"), &contacts[0]["uid"], &json!(false)));
    assert_eq!(
        row["cells"],
        json!([{
            "field": "firstname", "title": "firstname", "before": "Contact 0", "after": "Edited",
            "is_held": false, "is_clash": false,
        }])
    );
    assert_eq!((&row["source"], &row["list"]["name"]), (&json!("user"), &json!("Members")));
    let with = |name: &str, value: Value| {
        let mut filter = empty_filter();
        filter[name] = value;
        filter
    };
    assert_eq!(rows("changed", with("text", json!("EDITED, T")))["total"], 1);
    assert_eq!(rows("changed", with("text", json!("contact 0")))["rows"][0]["title"], "Edited", "also as it was");
    assert_eq!(rows("changed", with("text", json!("firstname")))["total"], 0, "names of fields are no values");
    assert_eq!(rows("changed", with("field", json!("firstname")))["total"], 2);
    assert_eq!(rows("changed", with("field", json!("city")))["total"], 0);
    assert_eq!(rows("changed", with("source", json!("import")))["total"], 0);
    assert_eq!(rows("changed", with("since", json!("2026-01-01T00:00:00Z")))["total"], 2);
    assert_eq!(rows("changed", with("step", row["step"].clone()))["total"], 1);

    let key = row["key"].clone();
    let hold = |held: bool| json!({ "keys": [key], "group": null, "step": null, "held": held });
    assert_eq!(world.call("changes_hold", hold(true))["count"], 1);
    assert_eq!(world.status()["held"], 1);
    assert_eq!(rows("changed", empty_filter())["rows"][0]["is_held"], true);
    world.call("changes_hold", hold(false));
    let group = json!({ "noun": "contact", "list": id, "kind": "changed" });
    let hold = json!({ "keys": null, "group": group, "step": null, "held": true });
    assert_eq!(world.call("changes_hold", hold)["count"], 2);

    let give_up = json!({ "keys": [key], "group": null, "step": null });
    assert_eq!(world.call("changes_discard", give_up)["count"], 1);
    assert_eq!(world.list_contacts(&list)[0]["values"]["firstname"], "Contact 0");
    assert_eq!(rows("changed", empty_filter())["total"], 1);
    world.call("history_undo", json!({}));
    assert_eq!(world.list_contacts(&list)[0]["values"]["firstname"], "Edited");
    assert_eq!(rows("changed", empty_filter())["total"], 2);
    let nothing = json!({ "keys": null, "group": null, "step": null });
    assert_eq!(world.request("changes_discard", nothing).unwrap_err().details[0].path, "keys");
}

#[test]
fn a_conflict_is_shown_and_answered() {
    let world = new_world();
    world.connect();
    let list = world.create_service_list("Members", 4);
    world.pull();
    let contacts = world.list_contacts(&list);
    for (at, contact) in contacts.iter().enumerate().take(3) {
        world.rename_contact(&contact["uid"], &format!("Mine {at}"));
        let uid = roost_model::id::ContactId::parse(contact["uid"].as_str().unwrap()).unwrap();
        let values = field_values(&[("firstname", &format!("Theirs {at}, longer"))]);
        contact::update(&world.there, &Actor::interface(), &uid, &values, None).unwrap();
    }
    let deleted = roost_model::id::ContactId::parse(contacts[3]["uid"].as_str().unwrap()).unwrap();
    world.rename_contact(&contacts[3]["uid"], "Edited");
    contact::delete(&world.there, &Actor::interface(), &deleted).unwrap();
    let pulled = world.pull();
    assert_eq!(pulled["conflicts"], 4);
    assert_eq!(world.status()["conflicts"], 4);

    let page = |field: Value| json!({ "noun": null, "field": field, "from": 0, "count": 50 });
    let all = world.call("conflicts_page", page(Value::Null));
    assert_eq!(all["total"], 4);
    let first = all["rows"].as_array().unwrap().iter().find(|row| row["title"] == "Mine 0").unwrap();
    assert_eq!(
        first["forks"],
        json!([{
            "field": "firstname", "title": "firstname", "base": "Contact 0", "mine": "Mine 0",
            "theirs": "Theirs 0, longer", "answer": null,
        }])
    );
    assert!(first["agreed"].as_array().unwrap().iter().any(|cell| cell["field"] == "city" && cell["value"] == "Bath"));
    let field = &all["fields"][0];
    assert_eq!((&field["field"], &field["count"], &field["rule"]), (&json!("firstname"), &json!(3), &json!("ask")));
    assert_eq!(field["settles"], json!({ "mine": 3, "theirs": 3, "non_empty": 0, "longer": 3 }));
    assert_eq!(world.call("conflicts_page", page(json!("firstname")))["total"], 3);

    let answer = |key: &Value, field: Value, answer: Value, alike: bool| json!({ "keys": [key], "field": field, "answer": answer, "alike": alike });
    let settled =
        world.call("conflicts_answer", answer(&first["key"], json!("firstname"), json!({ "answer": "theirs" }), false));
    assert_eq!((&settled["settled"], &settled["left"]), (&json!(1), &json!(3)));
    assert_eq!(world.list_contacts(&list)[0]["values"]["firstname"], "Theirs 0, longer");
    let rest = world.call("conflicts_page", page(json!("firstname")));
    let value = json!({ "answer": "value", "value": "Both" });
    let settled = world.call("conflicts_answer", answer(&rest["rows"][0]["key"], json!("firstname"), value, false));
    assert_eq!(settled["settled"], 1);
    let settled = world.call("conflicts_rule", json!({ "field": "firstname", "rule": "longer" }));
    assert_eq!((&settled["settled"], &settled["left"]), (&json!(1), &json!(1)));
    let conflict = world.call("conflicts_page", page(Value::Null))["rows"][0].clone();
    assert_eq!((&conflict["dispute"], &conflict["forks"][0]["mine"]), (&json!("deleted_there"), &json!("Edited")));
    let settled =
        world.call("conflicts_answer", answer(&conflict["key"], Value::Null, json!({ "answer": "theirs" }), true));
    assert_eq!(settled["left"], 0);
    assert_eq!(world.list_contacts(&list).len(), 3);
    assert_eq!(world.status()["conflicts"], 0);
}

#[test]
fn nothing_is_written_into_an_account_that_was_closed() {
    let folder = tempfile::tempdir().unwrap();
    let there = Core::in_memory(Ctx::system()).unwrap();
    let server = start_service(there.clone(), &[("auth", "off")]);
    let app = App::with_config_folder(folder.path(), None);
    let call =
        |name: &str, request: Value| app.dispatch(name, request, None).unwrap_or_else(|why| panic!("{name}: {why:?}"));
    for name in ["One", "Two"] {
        call("account_create", json!({ "name": name, "colour": "teal", "contents": "empty" }));
    }
    let file = |name: &str| folder.path().join(format!("{name}.roost"));
    let list = list::create(&there, &Actor::interface(), "Members", list::UniqueNames::Off).unwrap().uid;
    for at in 0..900 {
        contact::add(&there, &Actor::interface(), &list, &field_values(&[("phone_number", &to_number(at))]), None)
            .unwrap();
    }
    let feed = app.changes();
    let mut slow = save_request(server.url());
    slow["calls_per_second"] = json!(2);
    call("connection_save", slow);
    call("sync_pull", json!({ "list": null, "full": false, "believe": false }));
    // The pull is on a page of the list when the other account is opened.
    while call("sync_status", json!({}))["work"]["page"].as_u64().is_some_and(|page| page < 2) {
        feed.recv_timeout(PATIENCE).expect("something moves");
    }
    let before = call("sync_status", json!({}));
    assert_eq!(before["work"]["kind"], "pull", "{before}");
    call("account_open", json!({ "path": file("one") }));
    assert_eq!(call("sync_status", json!({}))["is_connected"], false);
    assert!(Core::open(&file("two"), Ctx::system()).is_ok(), "nobody has it open any more");
    call("account_open", json!({ "path": file("two") }));
    call("connection_save", save_request(server.url()));
    let status = call("sync_status", json!({}));
    assert_eq!((&status["is_connected"], &status["work"]), (&json!(true), &Value::Null), "nothing goes on by itself");
    call("sync_pull", json!({ "list": null, "full": false, "believe": false }));
    let feed = app.changes();
    while !call("sync_status", json!({}))["work"].is_null() {
        feed.recv_timeout(PATIENCE).expect("something moves");
    }
    assert_eq!(call("sync_pulled", json!({}))["added"], 900);
    app.close();
}

#[test]
fn a_plan_is_shown_sent_verified_and_undone() {
    let world = new_world();
    world.connect();
    let list = world.create_service_list("Members", 8);
    world.pull();
    let before: Vec<Value> = world.list_contacts(&list).iter().map(|contact| contact["values"].clone()).collect();
    let contacts = world.list_contacts(&list);
    world.rename_contact(&contacts[0]["uid"], "Edited");
    world.rename_contact(&contacts[1]["uid"], "Held back");
    let request =
        json!({ "noun": "contact", "list": null, "kind": null, "filter": empty_filter(), "from": 0, "count": 10 });
    let rows = world.call("changes_rows", request);
    let held = rows["rows"].as_array().unwrap().iter().find(|row| row["title"] == "Held back").unwrap()["key"].clone();
    world.call("changes_hold", json!({ "keys": [held], "group": null, "step": null, "held": true }));
    list::create(&world.core, &Actor::user(None), "Made here", list::UniqueNames::Off).unwrap();

    let plan = world.call("plan_make", json!({}));
    let id = plan["id"].clone();
    assert_eq!((&plan["is_stale"], &plan["writes"], &plan["gates"]), (&json!(false), &json!(2), &json!([])), "{plan}");
    let update = plan["steps"].as_array().unwrap().iter().find(|step| step["kind"] == "contacts_update").unwrap();
    assert_eq!(
        (&update["rows"], &update["fields"], &update["title"]),
        (&json!(1), &json!(["firstname"]), &json!("Members"))
    );
    let read = |masked: bool| world.call("plan_body", json!({ "plan": id, "step": update["id"], "masked": masked }));
    let body = read(true);
    assert!(body["body"].as_str().unwrap().contains("Edited") && !body.to_string().contains(&to_number(0)), "{body}");
    assert!(read(false)["body"].as_str().unwrap().contains(&to_number(0)));
    assert!(!format!("{body}{}", read(false)).contains(KEY));
    assert_eq!(world.call("plan_get", json!({ "plan": null }))["id"], id);
    let text = world.call("plan_export", json!({ "plan": id, "format": "markdown" }));
    assert_eq!((&text["outcome"], text["text"].as_str().unwrap().contains("Members")), (&json!("unsupported"), true));
    world.rename_contact(&contacts[2]["uid"], "Late");
    let error = world.request("run_start", json!({ "plan": id, "typed": [] })).unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict, "{error}");
    assert_eq!(world.status()["plan"]["is_stale"], true);

    let plan = world.call("plan_make", json!({}));
    let run = world.call("run_start", json!({ "plan": plan["id"], "typed": [] }))["run"].clone();
    let tasks = world.call("task_list", json!({}))["tasks"].as_array().unwrap().clone();
    assert!(tasks.is_empty() || tasks[0]["name"] == "run_start", "{tasks:?}");
    let status = world.wait_until_idle();
    assert_eq!((&status["failed"], &status["run"], &status["held"]), (&Value::Null, &Value::Null, &json!(1)));
    let shown = world.call("run_get", json!({ "run": run }));
    assert_eq!(
        (&shown["state"], &shown["counts"]["verified"], &shown["is_at_work"]),
        (&json!("done"), &json!(3), &json!(false))
    );
    assert_eq!(shown["step_count"], 2);
    let of_run = world.call("run_attempts", json!({ "run": run, "step": null }));
    assert_eq!((of_run.as_array().unwrap().len(), &of_run[0]["status"]), (2, &json!(200)), "{of_run}");
    assert!(
        world.call("run_report", json!({ "run": run, "format": "markdown" }))["text"]
            .as_str()
            .unwrap()
            .contains("| verified |")
    );
    assert_eq!(world.call("run_list", json!({}))[0]["id"], run);
    let query = json!({ "source": "sync", "noun": null, "text": null, "uid": null, "from": null, "to": null,
                        "page_number": 1, "page_size": 1 });
    let sent = world.call("activity_page", query)["items"][0].clone();
    assert_eq!(
        [&sent["step"]["act"], &sent["step"]["subject"], &sent["step"]["count"], &sent["step"]["state"]],
        [&json!("sync_push"), &json!(run.to_string()), &json!(3), &json!("note")]
    );
    let change =
        |noun: &str, action: &str, count: u64| json!({ "noun": noun, "action": action, "uid": null, "count": count });
    assert_eq!(sent["changes"], json!([change("list", "created", 1), change("contact", "updated", 2)]));
    let there = |at: u32| {
        let query = contact::ContactQuery { list: list.clone(), search: None, page: None };
        let mut name = None;
        contact::visit_contacts(&world.there, &query, &mut |part| {
            if let contact::QueryPart::Contact(one) = part
                && one.phone.as_ref().is_some_and(|phone| phone.e164 == to_number(at))
            {
                name = one.attribute(roost_model::contact::Attribute::Firstname).map(str::to_owned);
            }
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        name.unwrap()
    };
    assert_eq!([there(0), there(1), there(2)], ["Edited", "Contact 1", "Late"]);
    let audit = world.call("audit_page", json!({ "from": 0, "count": 50 }));
    assert_eq!(
        (&audit["is_sound"], &audit["broken_at"], audit["total"].as_u64() > Some(0)),
        (&json!(true), &Value::Null, true)
    );

    let preview = world.call("run_undo_preview", json!({ "run": run }));
    assert_eq!(world.call("run_undo", json!({ "run": run }))["count"], preview["count"]);
    let plan = world.call("plan_make", json!({}));
    let typed = typed_texts(&plan);
    world.call("run_start", json!({ "plan": plan["id"], "typed": typed }));
    world.wait_until_idle();
    assert_eq!([there(0), there(1), there(2)], ["Contact 0", "Contact 1", "Contact 2"]);
    world.call("changes_discard", json!({ "keys": [held], "group": null, "step": null }));
    let after: Vec<Value> = world.list_contacts(&list).iter().map(|contact| contact["values"].clone()).collect();
    assert_eq!(after, before);
}

#[test]
fn a_gate_must_be_typed_and_a_run_is_paused_resumed_and_cancelled() {
    let world = new_world();
    let plan = world.count_deletions();
    let line = plan["steps"].as_array().unwrap().iter().find(|step| step["kind"] == "contact_delete").unwrap();
    assert_eq!((line["ids"].as_array().unwrap().len(), &line["rows"]), (3, &json!(3)), "one line");
    let typed = typed_texts(&plan);
    if !typed.is_empty() {
        let error = world.request("run_start", json!({ "plan": plan["id"], "typed": [] })).unwrap_err();
        assert_eq!((error.code, error.details[0].path.as_str()), (ErrorCode::Invalid, "typed"));
    }
    let run = world.call("run_start", json!({ "plan": plan["id"], "typed": typed }))["run"].clone();
    world.call("run_pause", json!({}));
    let status = world.wait_until_idle();
    assert_eq!((&status["run"]["id"], &status["run"]["state"]), (&run, &json!("paused")), "{status}");
    let error = world.request("run_start", json!({ "plan": plan["id"], "typed": typed })).unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict, "{error}");
    world.call("run_resume", json!({ "run": run }));
    assert_eq!(world.status()["run"]["state"], "running");
    world.call("run_cancel", json!({}));
    let status = world.wait_until_idle();
    assert_eq!(status["run"], Value::Null, "{status}");
    let shown = world.call("run_get", json!({ "run": run }));
    let counts = &shown["counts"];
    let sum = counts["verified"].as_u64().unwrap() + counts["cancelled"].as_u64().unwrap();
    assert_eq!((&shown["state"], sum), (&json!("cancelled"), 3), "{shown}");
    assert_eq!(world.request("run_resume", json!({ "run": run })).unwrap_err().code, ErrorCode::NotFound);
}

#[test]
fn nothing_can_be_fixed_or_sent_again_if_no_row_was_refused() {
    let world = new_world();
    world.connect();
    let list = world.create_service_list("Members", 2);
    world.pull();
    let row = json!({ "phone_number": "+447700900901", "firstname": "Good" });
    world.call("contact_paste", json!({ "list": list, "contacts": [row], "region": null }));
    let contact =
        world.list_contacts(&list).into_iter().find(|contact| contact["values"]["firstname"] == "Good").unwrap();
    let uid = contact["uid"].clone();
    world.call("contact_update", json!({ "uid": uid, "fields": { "firstname": "Better" }, "region": null }));
    let plan = world.call("plan_make", json!({}));
    world.call("run_start", json!({ "plan": plan["id"], "typed": [] }));
    assert_eq!(world.wait_until_idle()["failed"], Value::Null);
    assert_eq!(world.call("refused_page", json!({ "from": 0, "count": 10 }))["total"], 0);
    assert_eq!(world.call("refused_resend", json!({ "keys": [] }))["count"], 0);
    let nobody = json!({ "key": { "noun": "contact", "id": "77" }, "field": "firstname", "value": "x" });
    assert_eq!(world.request("refused_mend", nobody).unwrap_err().code, ErrorCode::NotFound);
}
