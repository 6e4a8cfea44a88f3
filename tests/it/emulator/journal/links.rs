//! From a request to its job and its callback, and back.

use roost_emulator::Journal;
use roost_tests::{proofs, until};
use serde_json::{Value, json};

use crate::emulator::callbacks::{ask, contacts, hook, settle, setup};

proofs! {
    [] a_request_a_job_and_its_callback_name_each_other;
    [] links_belong_to_their_epoch;
}

fn a_request_a_job_and_its_callback_name_each_other() {
    let mut setup = setup();
    setup.config.journal = Journal::recording();
    let api = setup.serve();
    let admin = api.admin();
    api.get("/contacts/v1/lists/").expect(200);
    ask(&api, &hook(&api, "inbox"), "job-1", &contacts([1]));
    settle(&api);
    let callback = admin.get("/__admin/callbacks?correlation_id=job-1").items().remove(0);
    let job = admin.get(format!("/__admin/jobs/{}", callback["job_id"])).ok();
    // A line is written when all of it is over, which may be a moment later.
    let line_of = |operation: &str| -> Value {
        let found = admin.get(format!("/__admin/requests?filter=operation:{operation}&wait=30s")).items();
        admin.get(format!("/__admin/requests/{}", found[0]["seq"])).ok()
    };
    let (asked, sent) = (line_of("contacts.create"), line_of("callback"));
    let both = json!({ "number": asked["number"], "seq": asked["seq"] });
    let job = until("the job knows its line", || {
        let now = admin.get(format!("/__admin/jobs/{}", job["id"])).ok();
        (now["request"]["seq"] == asked["seq"]).then_some(now)
    });
    assert_eq!(job["request"], both);
    let listed = admin.get("/__admin/jobs").items().remove(0);
    assert_eq!(listed["request"], both);
    let links = |request: Value| json!({ "jobs": [job["id"]], "callbacks": [callback["id"]], "request": request });
    assert_eq!(asked["links"], links(Value::Null));
    assert_eq!(sent["links"], links(both));
    let other = line_of("lists.query");
    assert_eq!(other["links"], json!({ "jobs": [], "callbacks": [], "request": null }));
}

fn links_belong_to_their_epoch() {
    let mut setup = setup();
    setup.config.journal = Journal::recording();
    let api = setup.serve();
    let admin = api.admin();
    ask(&api, &hook(&api, "inbox"), "before", &contacts([1]));
    settle(&api);
    let first = admin.get("/__admin/jobs").items().remove(0);
    assert!(first["request"]["number"].is_u64(), "{first}");
    admin.post("/__admin/reset?keep=journal", &json!({})).expect(200);
    assert_eq!(admin.get("/__admin/jobs").items(), Vec::<Value>::new());
    // What is not recorded has no number, also where one of before had the same.
    admin.put("/__admin/journal", &json!({ "is_recording": false }));
    let lists = json!({ "lists": [{ "uid": crate::emulator::callbacks::LIST, "name": "VIP" }] });
    admin.put("/__admin/seed", &lists).expect(200);
    ask(&api, &hook(&api, "inbox"), "after", &contacts([1]));
    settle(&api);
    let second = admin.get("/__admin/jobs").items().remove(0);
    assert_eq!(second["request"], Value::Null, "{second}");
}
