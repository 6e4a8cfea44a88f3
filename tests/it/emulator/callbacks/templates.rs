//! Callback bodies that differ from the documented one.

use roost_tests::{Receiver, Reply, Request, Served, until};
use serde_json::{Value, json};

use super::{
    CALLBACKS, LIST, POLICY, act_on_callback, build_contacts, create_receiver, find_callback, frozen_setup,
    request_contacts, set_policy, wait_for_callbacks, wait_until_settled,
};

/// Sets a template and returns the policy as it is shown.
#[track_caller]
fn set_template(api: &Served, template: &Value) -> Value {
    set_policy(api, &json!({ "template": template }))
}

fn body_text(body: &[u8]) -> String {
    String::from_utf8(body.to_vec()).expect("text")
}

#[test]
fn a_template_is_sent_as_it_is_written_with_its_values() {
    let receiver = Receiver::start();
    let api = frozen_setup().serve();
    // Written by hand, so that the order of its fields is not alphabetical.
    let given = r#"{"template":{"json":{ "type": "done", "list_id": "{{list_id}}", "imported":"{{job.imported}}",
        "total": "{{results.total_contacts_imported}}", "note": "{{list_name}}: {{job.imported}} of {{job.contacts}}",
        "id": "{{correlation_id}}", "id_text": "{{correlation_id:text}}", "extra": [null, 1.50], "attempt": "{{callback.try}}" }}}"#;
    api.admin().send(Request::new("PUT", POLICY).json_text(given)).expect(200);
    request_contacts(&api, &receiver.url("/"), "job-17", &build_contacts([1, 2]));
    let call = receiver.wait_for(1).remove(0);
    let want = format!(
        r#"{{ "type": "done", "list_id": "{LIST}", "imported":2,
        "total": "2", "note": "VIP: 2 of 2",
        "id": "job-17", "id_text": "job-17", "extra": [null, 1.50], "attempt": 1 }}"#
    );
    assert_eq!((body_text(&call.body), call.header("content-type")), (want.clone(), Some("application/json")));
    wait_until_settled(&api);
    let callback = find_callback(&api, "job-17");
    assert_eq!(callback["attempts"][0]["went"]["body"], want);
    assert_eq!(callback["body"], want.replace("\"attempt\": 1", "\"attempt\": 2"), "what the next try would send");
}

#[test]
fn a_text_has_a_type_of_its_own_and_is_what_is_signed() {
    let receiver = Receiver::start();
    let api = frozen_setup().serve();
    // RFC 4231, test case 2.
    let body = "what do ya want for nothing?";
    set_policy(
        &api,
        &json!({ "template": { "text": { "body": body } }, "sign": { "hmac_sha256": { "secret": "Jefe" } } }),
    );
    request_contacts(&api, &receiver.url("/"), "a", &build_contacts([1]));
    let call = receiver.wait_for(1).remove(0);
    assert_eq!(
        (body_text(&call.body).as_str(), call.header("content-type")),
        (body, Some("text/plain; charset=utf-8"))
    );
    let signature = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    assert_eq!(call.header("x-signature"), Some(signature));
    wait_until_settled(&api);
    let broken = json!({ "text": { "body": "{\"n\": {{job.imported}}", "content_type": "application/json" } });
    set_template(&api, &broken);
    request_contacts(&api, &create_receiver(&api, "inbox"), "b", &build_contacts([2]));
    let came = wait_for_callbacks(&api, "inbox", 1).remove(0);
    assert_eq!((&came["body"], &came["json"]), (&json!("{\"n\": 1"), &json!(null)));
    wait_until_settled(&api);
    let went = &find_callback(&api, "b")["attempts"][0]["went"];
    assert_eq!((&went["body"], &went["content_type"]), (&json!("{\"n\": 1"), &json!("application/json")));
}

#[test]
fn every_attempt_shows_what_it_sent_whatever_the_policy_is_by_then() {
    let receiver = Receiver::replying([Reply::Status(500)]);
    let api = frozen_setup().serve();
    set_template(&api, &json!({ "json": { "n": "{{callback.try}}" } }));
    request_contacts(&api, &receiver.url("/"), "a", &build_contacts([1]));
    receiver.wait_for(1);
    let waiting = until("the first try has ended", || {
        let callback = find_callback(&api, "a");
        (callback["attempts"][0]["status"] == 500 && callback["under_way"] == false).then_some(callback)
    });
    set_template(&api, &json!({ "text": { "body": "second {{callback.try}}", "content_type": "text/x-own" } }));
    act_on_callback(&api, &waiting, "redeliver");
    assert_eq!(body_text(&receiver.wait_for(2)[1].body), "second 2");
    wait_until_settled(&api);
    set_template(&api, &json!("none"));
    act_on_callback(&api, &waiting, "redeliver");
    let documented = body_text(&receiver.wait_for(3)[2].body);
    wait_until_settled(&api);
    let callback = find_callback(&api, "a");
    let sent: Vec<_> = (0..3).map(|n| callback["attempts"][n]["went"]["body"].clone()).collect();
    assert_eq!(sent, [json!("{\"n\":1}"), json!("second 2"), json!(documented)]);
    assert_eq!(callback["attempts"][1]["went"]["content_type"], "text/x-own");
    assert_eq!(callback["body"], json!(documented));
    assert_eq!(api.admin().get(format!("{CALLBACKS}?went=true")).items()[0], callback);
}

#[test]
fn a_held_callback_follows_the_template_in_force_when_it_leaves() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "hold": true, "template": { "json": "early" } }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1]));
    wait_until_settled(&api);
    let held = find_callback(&api, "a");
    assert_eq!(held["body"], "\"early\"");
    set_template(&api, &json!({ "json": "late" }));
    act_on_callback(&api, &held, "release");
    assert_eq!(wait_for_callbacks(&api, "inbox", 1)[0]["json"], "late");
}

#[test]
fn a_misspelt_template_value_is_refused_with_the_intended_one() {
    let api = frozen_setup().serve();
    let before = set_template(&api, &json!({ "json": { "id": "{{correlation_id}}" } }));
    for (bad, want) in [
        (json!({ "json": { "id": "{{corelation_id}}" } }), "Did you mean 'correlation_id'?"),
        (json!({ "json": { "{{job.importd}}": 1 } }), "Did you mean 'job.imported'?"),
        (json!({ "text": { "body": "{{" } }), "has no '}}'"),
        (json!({ "text": { "body": "x".repeat(64 * 1024 + 1) } }), "at most"),
        (json!({ "text": { "body": "x", "content_type": "a\r\nb: c" } }), "content_type"),
        (json!({ "text": { "body": "x", "contenttype": "a" } }), "Did you mean 'content_type'?"),
        (json!({ "jsn": 1 }), "Did you mean 'json'?"),
    ] {
        let refused = api.admin().put(POLICY, &json!({ "template": bad })).expect(400).text();
        assert!(refused.contains(want), "{bad}: {refused}");
    }
    assert_eq!(api.admin().get(POLICY).ok(), before);
}

#[test]
fn a_template_goes_with_its_policy() {
    let api = frozen_setup().serve();
    let none = api.admin().get(POLICY).ok();
    assert_eq!(none["template"], "none");
    let given = json!({ "json": { "id": "{{correlation_id}}" } });
    assert_eq!(set_template(&api, &given)["template"], given);
    api.admin().post("/__admin/reset?keep=faults", &json!({})).expect(200);
    assert_eq!(api.admin().get(POLICY).ok()["template"], given);
    for (name, from, want) in [("a", "seed", json!("none")), ("b", "world:default", given.clone())] {
        let world = super::super::worlds::create_world(&api, &json!({ "name": name, "from": from }));
        let own = api.admin().get(format!("/__admin/worlds/{}/callback_policy", world.id)).ok();
        assert_eq!(
            own["template"], want,
            "a world has a policy of its own, and a copy begins with that of its original"
        );
    }
    api.admin().post("/__admin/reset", &json!({})).expect(200);
    assert_eq!(api.admin().get(POLICY).ok(), none);
}
