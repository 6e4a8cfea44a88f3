//! Contact jobs: the merge types, duplicates inside one request, several lists, and deleted lists.

use roost_model::{
    contact::{ContactDraft, MergeType},
    id::ListId,
    phone::Region,
};
use roost_ops::{
    Actor, Core, custom_field,
    job::{self, NewJob},
    list,
};
use roost_tests::{Receiver, Served, Setup, seeds, served::time};
use serde_json::{Value, json};

use super::{LIST, contacts_of, create_contacts, stored_contacts};

fn start_server() -> Served {
    Setup::new().at("2026-01-05T10:00:00Z").seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] })).serve()
}

/// Returns number, WhatsApp number and title of every contact, oldest first.
fn stored_rows(api: &Served) -> Vec<String> {
    let short = |value: &Value| value.as_str().map_or("-", |text| text.trim_start_matches("+4477009000")).to_owned();
    let line = |contact: &Value| ["phone_number", "whatsapp_id", "title"].map(|key| short(&contact[key])).join(" ");
    stored_contacts(api).iter().rev().map(line).collect()
}

/// Returns a contact with these ends of its numbers and a title. `-` omits one.
fn build_contact(phone: &str, whatsapp: &str, title: &str) -> Value {
    let mut contact = json!({});
    for (key, end) in [("phone_number", phone), ("whatsapp_number", whatsapp)] {
        if end != "-" {
            contact[key] = json!(format!("+4477009000{end}"));
        }
    }
    if title != "-" {
        contact["title"] = json!(title);
    }
    contact
}

/// Returns the totals of the newest job.
fn job_totals(api: &Served) -> Value {
    api.admin().get("/__admin/jobs").items().swap_remove(0)["totals"].clone()
}

/// Proves: D83.
#[test]
fn duplicates_inside_one_request_count() {
    let api = start_server();
    create_contacts(
        &api,
        "skipDuplicates",
        json!([build_contact("01", "-", "a"), build_contact("01", "-", "b"), build_contact("02", "-", "c")]),
    );
    assert_eq!(stored_rows(&api), ["01 - a", "02 - c"]);
    assert_eq!(job_totals(&api), json!({ "imported": 2, "merged": 0, "skipped": 1, "failed": 0 }));
    create_contacts(
        &api,
        "mergeByPhoneNumberInList",
        json!([build_contact("03", "-", "d"), build_contact("03", "04", "-"), build_contact("03", "-", "e")]),
    );
    assert_eq!(stored_rows(&api), ["01 - a", "02 - c", "03 04 e"]);
    assert_eq!(job_totals(&api), json!({ "imported": 1, "merged": 2, "skipped": 0, "failed": 0 }));
}

/// Proves: D83.
#[test]
fn jobs_run_in_the_order_they_were_queued() {
    let api = start_server();
    for n in 0..20 {
        super::send_creation(
            &api,
            "mergeByPhoneNumberInList",
            json!([build_contact("01", "-", &format!("title {n}"))]),
        )
        .expect(200);
    }
    api.settle();
    assert_eq!(stored_rows(&api), ["01 - title 19"]);
    let titles = api
        .admin()
        .get("/__admin/jobs")
        .items()
        .iter()
        .map(|job| job["id"].as_i64().expect("a number"))
        .collect::<Vec<_>>();
    assert!(titles.windows(2).all(|pair| pair[0] > pair[1]), "newest first: {titles:?}");
}

/// Queues a contact as the interface would, without running the job.
fn queue_contact(core: &Core, list: &ListId, callback_url: Option<&str>) {
    let draft = ContactDraft {
        phone_number: Some("07700900001".into()),
        custom: vec![(1, "silver".into()), (2, "gold".into())],
        ..ContactDraft::default()
    };
    let contacts = vec![draft.validate(Some(Region::gb())).expect("a good contact")];
    let new = NewJob {
        list: list.clone(),
        merge_type: MergeType::SkipDuplicates,
        callback_url,
        correlation_id: Some("gone"),
        contacts,
    };
    job::enqueue(core, &Actor::interface(), new).expect("queued");
}

fn new_list(core: &Core) -> ListId {
    list::create(core, &Actor::operator(), "VIP", list::UniqueNames::Off).expect("a list").uid
}

/// Proves: D83.
#[test]
fn numbers_are_settled_when_queued_and_a_field_removed_meanwhile_is_ignored() {
    let setup = Setup::new().before(|core| {
        queue_contact(core, &new_list(core), None);
        custom_field::remove(core, &Actor::operator(), 2).expect("field 2 is there");
    });
    let api = setup.serve();
    api.settle();
    let list = api.get("/contacts/v1/lists/").column("uid").swap_remove(0);
    let contact = &api.get(contacts_of(&list)).items()[0];
    assert_eq!((&contact["phone_number"], &contact["field_1"]), (&json!("+447700900001"), &json!("silver")));
    assert_eq!(contact.get("field_2"), None);
}

/// Proves: D84.
#[test]
fn skipping_leaves_the_first_and_looks_at_phone_numbers_only() {
    let api = start_server();
    create_contacts(&api, "skipDuplicates", json!([build_contact("01", "11", "a")]));
    create_contacts(
        &api,
        "skipDuplicates",
        json!([
            build_contact("01", "12", "b"),
            build_contact("02", "11", "c"),
            build_contact("-", "11", "d"),
            build_contact("-", "11", "e")
        ]),
    );
    assert_eq!(stored_rows(&api), ["01 11 a", "02 11 c", "- 11 d", "- 11 e"]);
    assert!(stored_contacts(&api).iter().all(|contact| contact["updated_at"].is_null()));
    create_contacts(&api, "skipDuplicates", json!([{ "phone_number": "07700 900001" }]));
    assert_eq!(stored_contacts(&api).len(), 4, "numbers are compared as they are stored");
}

/// Proves: D84.
#[test]
fn allowing_makes_a_contact_each_time() {
    let api = start_server();
    for title in ["a", "b"] {
        create_contacts(
            &api,
            "allowDuplicates",
            json!([build_contact("01", "11", title), build_contact("01", "11", title)]),
        );
    }
    assert_eq!(stored_rows(&api), ["01 11 a", "01 11 a", "01 11 b", "01 11 b"]);
    assert_eq!(job_totals(&api)["imported"], 2);
}

/// Proves: D85.
#[test]
fn merging_updates_every_match_with_what_was_sent() {
    let api = start_server();
    let first = json!({ "phone_number": "+447700900001", "title": "a", "lastname": "Byrne", "field_1": "x" });
    create_contacts(
        &api,
        "allowDuplicates",
        json!([first, build_contact("01", "11", "b"), build_contact("02", "-", "c")]),
    );
    api.advance(7);
    create_contacts(
        &api,
        "mergeByPhoneNumberInList",
        json!([{ "phone_number": "07700900001", "title": "z", "field_1": "y", "field_2": "new" }]),
    );
    let records = stored_contacts(&api);
    assert_eq!(stored_rows(&api), ["01 - z", "01 11 z", "02 - c"]);
    assert_eq!(job_totals(&api), json!({ "imported": 0, "merged": 2, "skipped": 0, "failed": 0 }));
    let of = |phone: &str, lastname: Value| {
        records
            .iter()
            .find(|r| r["phone_number"] == format!("+4477009000{phone}") && r["lastname"] == lastname)
            .expect("there")
            .clone()
    };
    for merged in [of("01", json!("Byrne")), of("01", Value::Null)] {
        assert_eq!(
            (&merged["field_1"], &merged["field_2"], &merged["updated_at"]),
            (&json!("y"), &json!("new"), &json!("2026-01-05 10:00:07"))
        );
        assert_eq!(merged["created_at"], "2026-01-05 10:00:00");
    }
    assert_eq!(of("02", Value::Null)["updated_at"], Value::Null);
}

/// Proves: D85.
#[test]
fn merging_without_a_match_or_without_the_number_makes_a_contact() {
    let api = start_server();
    create_contacts(
        &api,
        "mergeByPhoneNumberInList",
        json!([build_contact("01", "-", "a"), build_contact("-", "11", "b"), build_contact("-", "11", "c")]),
    );
    assert_eq!(stored_rows(&api), ["01 - a", "- 11 b", "- 11 c"]);
    create_contacts(
        &api,
        "mergeByWhatsappIdInList",
        json!([build_contact("01", "-", "d"), build_contact("-", "12", "e")]),
    );
    assert_eq!(stored_rows(&api)[3..], ["01 - d", "- 12 e"]);
    assert!(stored_contacts(&api).iter().all(|contact| contact["updated_at"].is_null()));
}

/// Proves: D85.
#[test]
fn merging_by_whatsapp_looks_at_that_number_only() {
    let api = start_server();
    create_contacts(&api, "allowDuplicates", json!([build_contact("01", "11", "a"), build_contact("01", "12", "b")]));
    create_contacts(&api, "mergeByWhatsappIdInList", json!([build_contact("02", "11", "c")]));
    assert_eq!(stored_rows(&api), ["02 11 c", "01 12 b"], "the other number is an attribute like any");
    create_contacts(&api, "mergeByPhoneNumberInList", json!([build_contact("01", "13", "-")]));
    assert_eq!(stored_rows(&api), ["02 11 c", "01 13 b"]);
}

/// Proves: D85.
#[test]
fn the_latest_of_several_in_one_request_wins() {
    let api = start_server();
    create_contacts(&api, "allowDuplicates", json!([build_contact("01", "-", "a")]));
    let both = json!([
        { "phone_number": "+447700900001", "title": "b", "city": "Leeds" },
        { "phone_number": "+447700900001", "title": "c", "state": "x" },
    ]);
    create_contacts(&api, "mergeByPhoneNumberInList", both);
    let record = &stored_contacts(&api)[0];
    assert_eq!((&record["title"], &record["city"], &record["state"]), (&json!("c"), &json!("Leeds"), &json!("x")));
    assert_eq!(job_totals(&api)["merged"], 2);
}

/// Proves: D86.
#[test]
fn one_person_has_a_record_in_each_list_and_merges_stay_inside_one() {
    let other = seeds::id("LST_", "2");
    let seed = json!({ "lists": [seeds::list(LIST, "VIP", json!([])), seeds::list(&other, "other", json!([]))] });
    let api = Setup::new().seed(seed).serve();
    for list in [LIST, other.as_str()] {
        let body =
            json!({ "list_id": list, "merge_type": "skipDuplicates", "contacts": [build_contact("01", "-", "a")] });
        api.post("/contacts/v1/contacts", &body).expect(200);
    }
    create_contacts(&api, "mergeByPhoneNumberInList", json!([build_contact("01", "-", "b")]));
    let (here, there) = (stored_contacts(&api), api.get(contacts_of(&other)).items());
    assert_eq!((here.len(), there.len()), (1, 1));
    assert_ne!(here[0]["uid"], there[0]["uid"]);
    assert_eq!((&here[0]["title"], &there[0]["title"]), (&json!("b"), &json!("a")));
}

/// Proves: D56.
#[test]
fn a_job_whose_list_was_deleted_fails_every_contact_and_still_calls_back() {
    let receiver = Receiver::start();
    let url = receiver.url("/hook");
    let setup = Setup::new().at("2026-01-05T10:00:00Z").before(move |core| {
        let list = new_list(core);
        queue_contact(core, &list, Some(&url));
        list::delete(core, &Actor::operator(), &list).expect("there");
    });
    let api = setup.serve();
    let came = receiver.wait_for(1)[0].json();
    let results = json!({ "total_contacts_failed": "1", "total_contacts_imported": "0", "total_contacts_merged": "0" });
    assert_eq!(
        (&came["results"], &came["list_name"], &came["correlation_id"]),
        (&results, &json!("VIP"), &json!("gone"))
    );
    assert_eq!(job_totals(&api), json!({ "imported": 0, "merged": 0, "skipped": 0, "failed": 1 }));
    assert_eq!(came["timestamp"], time("2026-01-05T10:00:00Z").to_iso());
}

/// Proves: D92.
#[test]
fn no_operation_shows_a_job() {
    let api = start_server();
    let queued = super::send_creation(&api, "skipDuplicates", json!([build_contact("01", "-", "a")])).ok();
    let mut keys: Vec<_> = queued.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["code", "list_id", "list_name", "message"]);
    for path in ["/contacts/v1/jobs", "/contacts/v1/contacts/jobs/1", "/contacts/v1/contacts/status"] {
        assert_ne!(api.get(path).status, 200, "{path}");
    }
}
