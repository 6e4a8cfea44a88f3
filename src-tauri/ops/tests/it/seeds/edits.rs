//! Records edited past the rules of the interface, and seeds that are merged into what is there.

use proptest::{collection::vec, prelude::*};
use roost_model::page::PageRequest;
use roost_ops::{
    By, Core, Resource, custom_field, history, overview,
    seed::{self, Form, SeedError},
};
use serde_json::{Value, json};

use crate::{
    seeds::forms::{difference, written},
    seeds::{BASE, Life, act},
    support::{account, cases, check},
};

fn by() -> By {
    By::operator()
}

fn uid(prefix: &str, last: u8) -> String {
    format!("{prefix}_{}{last}", "0".repeat(26))
}

fn make(core: &Core, resource: Resource, record: &Value) -> Result<Value, SeedError> {
    seed::make(core, &by(), BASE, resource, record).map(Value::from)
}

fn put(core: &Core, resource: Resource, key: &str, record: &Value) -> Result<Value, SeedError> {
    seed::put(core, &by(), BASE, resource, key, record).map(Value::from)
}

/// One of every resource: its key, a first record, a change, and what the change leaves.
fn ones() -> Vec<(Resource, String, Value, Value, Value)> {
    vec![
        (
            Resource::Senders,
            uid("ssd", 1),
            json!({ "id": uid("ssd", 1), "name": "AcmeShop" }),
            json!({ "status": "Verified" }),
            json!({ "name": "AcmeShop", "status": "Verified" }),
        ),
        (
            Resource::Assets,
            uid("num", 1),
            json!({ "id": uid("num", 1), "channel": "SMS", "number": "60123" }),
            json!({ "keywords": ["halt"] }),
            json!({ "number": "60123", "keywords": ["halt"], "enforce_account_level_opt_outs": false }),
        ),
        (
            Resource::CustomFields,
            "9".to_owned(),
            json!({ "number": 9, "label": "Size" }),
            json!({ "label": "Width" }),
            json!({ "number": 9, "label": "Width" }),
        ),
        (
            Resource::Lists,
            uid("LST", 1),
            json!({ "uid": uid("LST", 1), "name": "VIP", "created_at": "2020-01-01T00:00:00Z" }),
            json!({ "updated_at": "2021-01-01T00:00:00Z" }),
            json!({ "name": "VIP", "created_at": "2020-01-01T00:00:00Z", "updated_at": "2021-01-01T00:00:00Z" }),
        ),
        (
            Resource::Contacts,
            uid("CON", 1),
            json!({ "uid": uid("CON", 1), "list_uid": uid("LST", 1), "phone_number": "+447700900001", "title": "Dr" }),
            json!({ "created_at": "2020-01-01 00:00:00", "title": null, "field_9": "XL" }),
            json!({ "phone_number": "+447700900001", "phone_region": "GB", "created_at": "2020-01-01 00:00:00", "field_9": "XL" }),
        ),
        (
            Resource::OptOuts,
            format!("+447700900002 SMS {}", uid("num", 1)),
            json!({ "number": "+447700900002", "channel": "SMS", "opt_out_type": "keyword",
                    "inbound_asset_id": uid("num", 1), "account_level_opt_out": false }),
            json!({ "opt_out_time": "2020-01-01T00:00:00Z" }),
            json!({ "opt_out_type": "keyword", "inbound_number": "60123", "opt_out_time": "2020-01-01T00:00:00Z" }),
        ),
        (
            Resource::ShortLinks,
            uid("shl", 1),
            json!({ "link_id": uid("shl", 1), "title": "Spring", "target_url": "https://shop.example",
                    "short_link_url": "https://sl.example/Ab3dE9", "tags": ["a"] }),
            json!({ "created_at": "2020-01-01T00:00:00Z", "tags": [] }),
            json!({ "title": "Spring", "short_link_url": "https://sl.example/Ab3dE9", "tags": [], "created_at": "2020-01-01T00:00:00Z" }),
        ),
    ]
}

#[test]
fn every_resource_is_made_changed_and_removed() {
    let core = account();
    for (resource, key, record, change, left) in ones() {
        let name = resource.name();
        let made = make(&core, resource, &record).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(Value::from(seed::one(&core, BASE, resource, &key).unwrap()), made, "{name}");
        assert!(make(&core, resource, &record).unwrap_err().to_string().contains("already"), "{name}");
        let changed = put(&core, resource, &key, &change).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (field, value) in left.as_object().unwrap() {
            assert_eq!(&changed[field], value, "{name}.{field}: {changed}");
        }
        assert_eq!(changed["title"].is_null(), resource != Resource::ShortLinks, "{name}");
        // The same once more changes nothing.
        assert_eq!(put(&core, resource, &key, &change).unwrap(), changed, "{name}");
        let page = seed::page(&core, BASE, resource, (None, None), PageRequest { number: 1, size: 100 }).unwrap();
        assert!(page.items.iter().any(|item| Value::from(item.clone()) == changed), "{name}");
        check(&core);
    }
    let counts = overview::get(&core).unwrap();
    assert_eq!((counts.senders, counts.contacts, counts.opt_outs, counts.short_links), (1, 1, 1, 1));
    for (resource, key, ..) in ones().into_iter().rev() {
        seed::remove(&core, &by(), resource, &key).unwrap();
        assert!(seed::one(&core, BASE, resource, &key).is_err(), "{}", resource.name());
        assert!(seed::remove(&core, &by(), resource, &key).is_err(), "{}", resource.name());
        check(&core);
    }
    assert_eq!(custom_field::add(&core, &by(), "Next").unwrap().number, 10);
}

/// Each is a step: what a person does so can be taken back.
#[test]
fn an_edit_is_a_step_that_is_taken_back() {
    let (core, by) = (account(), By::user(None));
    for (resource, key, record, change, _) in ones() {
        let made = seed::make(&core, &by, BASE, resource, &record).unwrap();
        seed::put(&core, &by, BASE, resource, &key, &change).unwrap();
        assert_ne!(seed::one(&core, BASE, resource, &key).unwrap(), made, "{}", resource.name());
        history::undo(&core, &by).unwrap();
        assert_eq!(seed::one(&core, BASE, resource, &key).unwrap(), made, "{}", resource.name());
    }
}

#[test]
fn what_would_break_the_account_is_refused() {
    let core = account();
    for (resource, _, record, ..) in ones() {
        make(&core, resource, &record).unwrap();
    }
    let before = (written(&core, Form::Json), core.generation());
    for (resource, record, words) in [
        (Resource::Senders, json!({ "name": "acmeshop" }), "already"),
        (Resource::Assets, json!({ "channel": "SMS", "number": "60123" }), "already"),
        (Resource::Contacts, json!({ "phone_number": "+447700900001" }), "list_uid"),
        (Resource::Contacts, json!({ "list_uid": uid("LST", 9), "phone_number": "+447700900001" }), "no list"),
        (Resource::Contacts, json!({ "list_uid": uid("LST", 1), "phone": "1" }), "unknown key"),
        (Resource::Lists, json!({ "name": "VIP", "contacts": [] }), "unknown key"),
        (Resource::Lists, json!([]), "must be an object"),
        (
            Resource::ShortLinks,
            json!({ "title": "x", "target_url": "https://shop.example", "short_link_url": "https://other.example/Ab3dE9" }),
            "code",
        ),
        (Resource::Jobs, json!({}), "requests to the interface"),
    ] {
        let told = make(&core, resource, &record).unwrap_err().to_string();
        assert!(told.contains(words), "{}: {told}", resource.name());
    }
    let told = put(&core, Resource::Senders, &uid("ssd", 1), &json!({ "id": uid("ssd", 2) })).unwrap_err().to_string();
    assert!(told.contains("cannot be changed"), "{told}");
    assert!(put(&core, Resource::Senders, "ssd_1", &json!({ "name": "Other" })).is_err());
    assert_eq!((written(&core, Form::Json), core.generation()), before);
}

proptest! {
    #![proptest_config(cases(60))]

    /// What an account holds, merged into itself, into nothing, and into what it was before.
    #[test]
    fn a_merged_account_is_there_afterwards(acts in vec(act(), 0..40), more in vec(act(), 0..20)) {
        let core = account();
        let mut life = Life::default();
        for act in acts {
            life.live(&core, act);
        }
        let text = written(&core, Form::Json);
        let itself = core.copy_in_memory(roost_ops::Ctx::system()).unwrap();
        seed::merge(&itself, &by(), text.as_bytes(), BASE).unwrap();
        check(&itself);
        prop_assert!(difference(&core, &itself).is_empty());
        // What was removed meanwhile comes again, what was changed is as it was; what is new stays.
        for act in more {
            life.live(&core, act);
        }
        let held = overview::get(&core).unwrap();
        if let Ok(report) = seed::merge(&core, &by(), text.as_bytes(), BASE) {
            check(&core);
            let counts = overview::get(&core).unwrap();
            prop_assert!(counts.lists >= held.lists && counts.lists >= report.lists);
            prop_assert!(counts.contacts >= held.contacts && counts.contacts >= report.contacts);
        }
    }
}
