//! What a plan says about new contacts: that they are added, and with which fields.

use roost_ops::{Actor, contact, custom_field, list};
use serde_json::{Value, json};

use super::*;

const LAST_FIELD: u32 = 6;

/// Creates custom fields until the account has the sixth.
fn fill_fields(core: &Core) {
    while custom_field::add(core, &Actor::operator(), "Loyalty card").unwrap().number < LAST_FIELD {}
}

fn add_contact(world: &SyncWorld, list: &ListId, at: u32, field: &str) {
    let values = field_values(&[("phone_number", &to_number(at)), ("title", "Dr"), (field, "A value")]);
    contact::add(&world.core, &Actor::user(None), list, &values, None).unwrap();
}

fn create_list(world: &SyncWorld, name: &str) -> ListId {
    list::create(&world.core, &Actor::user(None), name, list::UniqueNames::Off).unwrap().uid
}

/// Returns the kind, the reason and the fields of the steps that send contacts.
fn contact_steps(plan: &Value) -> Vec<Value> {
    let steps = plan["steps"].as_array().unwrap().iter();
    let steps = steps.filter(|step| step["kind"].as_str().unwrap().starts_with("contacts_"));
    steps.map(|step| json!([step["kind"], step["why"], step["fields"], step["rows"]])).collect()
}

#[test]
fn fields_that_a_pull_has_seen_are_sent_and_others_wait_for_a_check() {
    let world = new_world();
    fill_fields(&world.core);
    let list = create_list(&world, "Big newsletter");
    add_contact(&world, &list, 100, "field_6");
    world.connect();
    let blocked = &world.call("plan_make", json!({}))["blocked"];
    assert_eq!(blocked[0]["obstacle"], "unchecked_field", "{blocked}");
    assert_eq!(blocked[0]["fields"], json!(["field_6"]));

    fill_fields(&world.there);
    world.create_service_list("Members", 2);
    world.pull();
    let plan = world.call("plan_make", json!({}));
    assert_eq!(plan["blocked"], json!([]));
    assert_eq!(contact_steps(&plan), [json!(["contacts_create", "made_here", [], 1])]);

    custom_field::add(&world.core, &Actor::operator(), "Unknown there").unwrap();
    add_contact(&world, &list, 101, "field_7");
    let blocked = &world.call("plan_make", json!({}))["blocked"];
    assert_eq!(blocked[0]["obstacle"], "unknown_field", "{blocked}");
    assert_eq!(blocked[0]["fields"], json!(["field_7"]));
}

#[test]
fn new_contacts_are_added_also_where_one_request_adds_and_changes() {
    let world = new_world();
    let members = world.create_service_list("Members", 12);
    world.connect();
    world.pull();
    world.call("connection_probe", json!({ "scratch": true }));
    assert_eq!(world.wait_until_idle()["failed"], Value::Null);
    let found = &world.call("connection_get", json!({}))["connection"]["capabilities"];
    let can_merge =
        found.as_array().unwrap().iter().any(|one| one["flag"] == "merge_also_creates" && one["value"] == true);
    assert!(can_merge, "{found}");

    let list = create_list(&world, "Big newsletter");
    add_contact(&world, &list, 100, "city");
    let steps = contact_steps(&world.call("plan_make", json!({})));
    assert_eq!(steps, [json!(["contacts_create", "made_here", [], 1])]);

    let members = ListId::parse(members.as_str()).unwrap();
    world.rename_contact(&world.list_contacts(&members)[0]["uid"], "Renamed");
    let steps = contact_steps(&world.call("plan_make", json!({})));
    assert!(steps.contains(&json!(["contacts_update", "changed_here", ["firstname"], 1])), "{steps:?}");
    add_contact(&world, &members, 101, "city");
    let steps = contact_steps(&world.call("plan_make", json!({})));
    assert!(steps.contains(&json!(["contacts_merge", "made_or_changed_here", ["firstname"], 2])), "{steps:?}");
}

#[test]
fn contacts_of_a_deleted_list_are_under_its_name() {
    let world = new_world();
    world.connect();
    let lists = ["Gone", "Stays"].map(|name| world.create_service_list(name, 2));
    world.pull();
    let kept = world.list_contacts(&lists[1]);
    world.rename_contact(&kept[0]["uid"], "Edited");
    list::delete(&world.core, &Actor::user(None), &lists[0]).unwrap();
    let summary = world.call("changes_summary", json!({ "filter": empty_filter() }));
    let groups: Vec<_> = summary["groups"].as_array().unwrap().iter().filter(|one| one["noun"] == "contact").collect();
    let mut names: Vec<_> = groups.iter().map(|one| one["list"]["name"].as_str().unwrap_or("none")).collect();
    names.sort_unstable();
    assert_eq!(names, ["Gone", "Stays"]);
    let of_gone = groups.iter().find(|one| one["list"]["name"] == "Gone").unwrap();
    let request = json!({
        "noun": "contact", "list": of_gone["list"]["id"], "kind": null, "filter": empty_filter(), "from": 0, "count": 50
    });
    let rows = world.call("changes_rows", request);
    assert_eq!((&rows["total"], &rows["rows"][0]["kind"]), (&json!(2), &json!("deleted")));
}
