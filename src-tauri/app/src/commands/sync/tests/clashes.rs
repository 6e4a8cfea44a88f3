//! Custom fields of both sides that have one number: nothing is sent before a person has said whether they are the same.

use std::ops::ControlFlow;

use roost_model::{
    error::ErrorCode,
    list::ListSort,
    page::{PageRequest, SortOrder},
};
use roost_ops::{Actor, contact, custom_field};
use serde_json::{Value, json};

use super::*;

const FIELD: &str = "field_4";

/// The account calls the fourth field “Joined”; the service has memberships in it.
fn clash() -> (SyncWorld, ListId) {
    let world = new_world();
    custom_field::add(&world.core, &Actor::user(None), "Joined").unwrap();
    let here = list::create(&world.core, &Actor::user(None), "Here", list::UniqueNames::Off).unwrap().uid;
    add(&world.core, &here, 100, "18/02/2025");
    custom_field::add(&world.there, &Actor::operator(), "Membership").unwrap();
    let members = world.create_service_list("Members", 0);
    for (at, value) in [(1, "Gold"), (2, "Basic"), (3, "Gold")] {
        add(&world.there, &members, at, value);
    }
    world.connect();
    world.pull();
    (world, here)
}

fn add(core: &Core, list: &ListId, at: u32, value: &str) {
    let values = field_values(&[("phone_number", &to_number(at)), (FIELD, value)]);
    contact::add(core, &Actor::user(None), list, &values, None).unwrap();
}

fn settle(world: &SyncWorld, is_same: bool) -> Value {
    world.call("field_clash_settle", json!({ "number": 4, "is_same": is_same }))
}

fn clashes(world: &SyncWorld) -> Value {
    world.call("field_clash_all", json!({}))["clashes"].clone()
}

/// Sends everything and returns the values of a field at the service.
fn values_there(world: &SyncWorld, field: &str) -> Vec<String> {
    let plan = world.call("plan_make", json!({}));
    world.call("run_start", json!({ "plan": plan["id"], "typed": typed_texts(&plan) }));
    assert_eq!(world.wait_until_idle()["failed"], Value::Null);
    values_of(&world.there, field)
}

fn values_of(core: &Core, field: &str) -> Vec<String> {
    let page = PageRequest { number: 1, size: 100 };
    let lists = list::ListQuery { name: None, sort: ListSort::CreatedAt, order: SortOrder::Ascending, page };
    let number = roost_model::custom_field::parse_key(field).unwrap();
    let Some(at) = custom_field::numbers(core).unwrap().iter().position(|one| *one == number) else {
        return Vec::new();
    };
    let mut values = Vec::new();
    for list in list::read_page(core, &lists).unwrap().items {
        let query = contact::ContactQuery { list: list.uid, search: None, page: None };
        contact::visit_contacts(core, &query, &mut |part| {
            if let contact::QueryPart::Contact(contact) = part {
                values.extend(contact.custom[at].clone());
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    }
    values.sort();
    values
}

#[test]
fn a_field_whose_number_the_service_uses_for_something_else_is_not_sent_before_the_answer() {
    let (world, _) = clash();
    let expected = json!([{ "number": 4, "label": "Joined", "samples": ["Gold", "Basic"], "free": 5 }]);
    assert_eq!(clashes(&world), expected);
    let blocked = &world.call("plan_make", json!({}))["blocked"];
    assert_eq!(blocked[0]["obstacle"], "clashing_field", "{blocked}");
    let group =
        json!({ "noun": "contact", "list": null, "kind": null, "filter": empty_filter(), "from": 0, "count": 9 });
    let cells = &world.call("changes_rows", group)["rows"][0]["cells"];
    assert_eq!((&cells[1]["field"], &cells[1]["is_clash"]), (&json!(FIELD), &json!(true)), "{cells}");
    assert_eq!(values_there(&world, FIELD), ["Basic", "Gold", "Gold"]);
    world.pull();
    assert_eq!(clashes(&world), expected, "it is asked until it is answered");
}

#[test]
fn the_same_field_is_sent_and_never_asked_about_again() {
    let (world, _) = clash();
    assert_eq!(settle(&world, true)["moved_to"], Value::Null);
    assert_eq!(values_there(&world, FIELD), ["18/02/2025", "Basic", "Gold", "Gold"]);
    world.pull();
    assert_eq!(clashes(&world), json!([]));
}

#[test]
fn another_field_moves_to_a_free_number_and_undo_asks_again() {
    let (world, _) = clash();
    assert_eq!(settle(&world, false)["moved_to"], 5);
    assert_eq!(clashes(&world), json!([]));
    assert_eq!(values_of(&world.core, FIELD), ["Basic", "Gold", "Gold"]);
    assert_eq!(values_of(&world.core, "field_5"), ["18/02/2025"]);
    let labels = |world: &SyncWorld| {
        custom_field::read_all(&world.core).unwrap().into_iter().map(|field| field.label).collect::<Vec<_>>()
    };
    assert_eq!(labels(&world)[3..], ["Field 4", "Joined"]);
    assert_eq!(values_there(&world, FIELD), ["Basic", "Gold", "Gold"]);
    world.pull();
    assert_eq!(clashes(&world), json!([]));

    let (world, _) = clash();
    settle(&world, false);
    roost_ops::history::undo(&world.core, &Actor::user(None)).unwrap();
    assert_eq!(labels(&world)[3..], ["Joined"]);
    assert_eq!(values_of(&world.core, FIELD), ["18/02/2025", "Basic", "Gold", "Gold"]);
    assert_eq!(clashes(&world)[0]["label"], "Joined");
    custom_field::rename(&world.core, &Actor::user(None), 4, "Joined on").unwrap();
    assert_eq!(clashes(&world)[0]["label"], "Joined on", "another name answers nothing");
}

#[test]
fn a_move_answers_whatever_the_field_of_the_service_is_called_and_after_a_redo() {
    let (world, _) = clash();
    settle(&world, false);
    let me = Actor::user(None);
    roost_ops::history::undo(&world.core, &me).unwrap();
    roost_ops::history::redo(&world.core, &me).unwrap();
    assert_eq!(clashes(&world), json!([]));
    custom_field::rename(&world.core, &me, 4, "Joined").unwrap();
    assert_eq!(clashes(&world), json!([]));
}

#[test]
fn a_field_without_a_clash_is_not_settled() {
    let (world, _) = clash();
    for is_same in [true, false] {
        let request = json!({ "number": 5, "is_same": is_same });
        let refused = world.app.dispatch("field_clash_settle", request, None).unwrap_err();
        assert_eq!(refused.code, ErrorCode::NotFound);
    }
    custom_field::add(&world.core, &Actor::user(None), "Nickname").unwrap();
    custom_field::add(&world.there, &Actor::operator(), "Tier").unwrap();
    let others = world.create_service_list("Others", 0);
    let values = field_values(&[("phone_number", &to_number(7)), ("field_5", "Silver")]);
    contact::add(&world.there, &Actor::user(None), &others, &values, None).unwrap();
    world.pull();
    assert_eq!(clashes(&world).as_array().map(Vec::len), Some(2), "an answer that was refused is not stored");
}

#[test]
fn a_move_is_not_undone_once_the_number_has_other_values() {
    let (world, _) = clash();
    settle(&world, false);
    custom_field::add(&world.there, &Actor::operator(), "Tier").unwrap();
    let others = world.create_service_list("Others", 0);
    let values = field_values(&[("phone_number", &to_number(7)), ("field_5", "Silver")]);
    contact::add(&world.there, &Actor::user(None), &others, &values, None).unwrap();
    world.pull();
    assert_eq!(values_of(&world.core, "field_5"), ["18/02/2025", "Silver"]);
    let refused = roost_ops::history::undo(&world.core, &Actor::user(None)).unwrap_err();
    assert!(refused.to_string().contains("“Joined”"), "{refused}");
    assert_eq!(values_of(&world.core, "field_5"), ["18/02/2025", "Silver"]);
}

#[test]
fn a_field_sent_from_here_or_named_after_it_arrived_does_not_clash() {
    let (world, here) = clash();
    settle(&world, true);
    custom_field::add(&world.core, &Actor::user(None), "Nickname").unwrap();
    custom_field::add(&world.there, &Actor::operator(), "Nickname").unwrap();
    world.pull();
    let values = field_values(&[("phone_number", &to_number(101)), ("field_5", "Bob")]);
    contact::add(&world.core, &Actor::user(None), &here, &values, None).unwrap();
    assert_eq!(values_there(&world, "field_5"), ["Bob"]);
    world.pull();
    assert_eq!(clashes(&world), json!([]));

    let world = new_world();
    custom_field::add(&world.there, &Actor::operator(), "Membership").unwrap();
    let members = world.create_service_list("Members", 0);
    add(&world.there, &members, 1, "Gold");
    world.connect();
    world.pull();
    custom_field::rename(&world.core, &Actor::user(None), 4, "Membership").unwrap();
    world.pull();
    assert_eq!(clashes(&world), json!([]));
}
