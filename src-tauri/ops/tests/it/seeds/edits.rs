//! Tests edits of records without the rules of the interface, and seeds that are merged into an account.

use proptest::{collection::vec, prelude::*};
use roost_model::page::PageRequest;
use roost_ops::{
    AccountResource, Actor, Core, custom_field, history, overview,
    seed::{self, SeedError, SeedFormat},
};
use serde_json::{Value, json};

use crate::{
    seeds::forms::{difference, export_text},
    seeds::{BASE, RandomLife, any_act},
    support::{account, cases, check},
};

fn by() -> Actor {
    Actor::operator()
}

fn uid(prefix: &str, last: u8) -> String {
    format!("{prefix}_{}{last}", "0".repeat(26))
}

fn create_record(core: &Core, resource: AccountResource, record: &Value) -> Result<Value, SeedError> {
    seed::create_record(core, &by(), BASE, resource, record).map(Value::from)
}

fn put_record(core: &Core, resource: AccountResource, key: &str, record: &Value) -> Result<Value, SeedError> {
    seed::put_record(core, &by(), BASE, resource, key, record).map(Value::from)
}

/// Returns, for each resource, a key, a first record, a change, and the record after the change.
fn sample_records() -> Vec<(AccountResource, String, Value, Value, Value)> {
    vec![
        (
            AccountResource::Senders,
            uid("ssd", 1),
            json!({ "id": uid("ssd", 1), "name": "AcmeShop" }),
            json!({ "status": "Verified" }),
            json!({ "name": "AcmeShop", "status": "Verified" }),
        ),
        (
            AccountResource::Assets,
            uid("num", 1),
            json!({ "id": uid("num", 1), "channel": "SMS", "number": "60123" }),
            json!({ "keywords": ["halt"] }),
            json!({ "number": "60123", "keywords": ["halt"], "enforce_account_level_opt_outs": false }),
        ),
        (
            AccountResource::CustomFields,
            "9".to_owned(),
            json!({ "number": 9, "label": "Size" }),
            json!({ "label": "Width" }),
            json!({ "number": 9, "label": "Width" }),
        ),
        (
            AccountResource::Lists,
            uid("LST", 1),
            json!({ "uid": uid("LST", 1), "name": "VIP", "created_at": "2020-01-01T00:00:00Z" }),
            json!({ "updated_at": "2021-01-01T00:00:00Z" }),
            json!({ "name": "VIP", "created_at": "2020-01-01T00:00:00Z", "updated_at": "2021-01-01T00:00:00Z" }),
        ),
        (
            AccountResource::Contacts,
            uid("CON", 1),
            json!({ "uid": uid("CON", 1), "list_uid": uid("LST", 1), "phone_number": "+447700900001", "title": "Dr" }),
            json!({ "created_at": "2020-01-01 00:00:00", "title": null, "field_9": "XL" }),
            json!({ "phone_number": "+447700900001", "phone_region": "GB", "created_at": "2020-01-01 00:00:00", "field_9": "XL" }),
        ),
        (
            AccountResource::OptOuts,
            format!("+447700900002 SMS {}", uid("num", 1)),
            json!({ "number": "+447700900002", "channel": "SMS", "opt_out_type": "keyword",
                    "inbound_asset_id": uid("num", 1), "account_level_opt_out": false }),
            json!({ "opt_out_time": "2020-01-01T00:00:00Z" }),
            json!({ "opt_out_type": "keyword", "inbound_number": "60123", "opt_out_time": "2020-01-01T00:00:00Z" }),
        ),
        (
            AccountResource::ShortLinks,
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
    for (resource, key, record, change, left) in sample_records() {
        let name = resource.as_str();
        let made = create_record(&core, resource, &record).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(Value::from(seed::read_record(&core, BASE, resource, &key).unwrap()), made, "{name}");
        assert!(create_record(&core, resource, &record).unwrap_err().to_string().contains("already"), "{name}");
        let changed = put_record(&core, resource, &key, &change).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (field, value) in left.as_object().unwrap() {
            assert_eq!(&changed[field], value, "{name}.{field}: {changed}");
        }
        assert_eq!(changed["title"].is_null(), resource != AccountResource::ShortLinks, "{name}");
        // Applying the same change again has no effect.
        assert_eq!(put_record(&core, resource, &key, &change).unwrap(), changed, "{name}");
        let page =
            seed::read_record_page(&core, BASE, resource, (None, None), PageRequest { number: 1, size: 100 }).unwrap();
        assert!(page.items.iter().any(|item| Value::from(item.clone()) == changed), "{name}");
        check(&core);
    }
    let counts = overview::get(&core).unwrap();
    assert_eq!((counts.senders, counts.contacts, counts.opt_outs, counts.short_links), (1, 1, 1, 1));
    for (resource, key, ..) in sample_records().into_iter().rev() {
        seed::remove_record(&core, &by(), resource, &key).unwrap();
        assert!(seed::read_record(&core, BASE, resource, &key).is_err(), "{}", resource.as_str());
        assert!(seed::remove_record(&core, &by(), resource, &key).is_err(), "{}", resource.as_str());
        check(&core);
    }
    assert_eq!(custom_field::add(&core, &by(), "Next").unwrap().number, 10);
}

/// Each edit is a step, so a person can undo it.
#[test]
fn an_edit_is_a_step_that_is_taken_back() {
    let (core, by) = (account(), Actor::user(None));
    for (resource, key, record, change, _) in sample_records() {
        let made = seed::create_record(&core, &by, BASE, resource, &record).unwrap();
        seed::put_record(&core, &by, BASE, resource, &key, &change).unwrap();
        assert_ne!(seed::read_record(&core, BASE, resource, &key).unwrap(), made, "{}", resource.as_str());
        history::undo(&core, &by).unwrap();
        assert_eq!(seed::read_record(&core, BASE, resource, &key).unwrap(), made, "{}", resource.as_str());
    }
}

#[test]
fn what_would_break_the_account_is_refused() {
    let core = account();
    for (resource, _, record, ..) in sample_records() {
        create_record(&core, resource, &record).unwrap();
    }
    let before = (export_text(&core, SeedFormat::Json), core.generation());
    for (resource, record, words) in [
        (AccountResource::Senders, json!({ "name": "acmeshop" }), "already"),
        (AccountResource::Assets, json!({ "channel": "SMS", "number": "60123" }), "already"),
        (AccountResource::Contacts, json!({ "phone_number": "+447700900001" }), "list_uid"),
        (AccountResource::Contacts, json!({ "list_uid": uid("LST", 9), "phone_number": "+447700900001" }), "no list"),
        (AccountResource::Contacts, json!({ "list_uid": uid("LST", 1), "phone": "1" }), "unknown key"),
        (AccountResource::Lists, json!({ "name": "VIP", "contacts": [] }), "unknown key"),
        (AccountResource::Lists, json!([]), "must be an object"),
        (
            AccountResource::ShortLinks,
            json!({ "title": "x", "target_url": "https://shop.example", "short_link_url": "https://other.example/Ab3dE9" }),
            "code",
        ),
        (AccountResource::Jobs, json!({}), "requests to the interface"),
    ] {
        let error = create_record(&core, resource, &record).unwrap_err().to_string();
        assert!(error.contains(words), "{}: {error}", resource.as_str());
    }
    let error = put_record(&core, AccountResource::Senders, &uid("ssd", 1), &json!({ "id": uid("ssd", 2) }))
        .unwrap_err()
        .to_string();
    assert!(error.contains("cannot be changed"), "{error}");
    assert!(put_record(&core, AccountResource::Senders, "ssd_1", &json!({ "name": "Other" })).is_err());
    assert_eq!((export_text(&core, SeedFormat::Json), core.generation()), before);
}

proptest! {
    #![proptest_config(cases(60))]

    /// The content of an account is merged into itself, into an empty account, and into its own earlier state.
    #[test]
    fn a_merged_account_is_there_afterwards(acts in vec(any_act(), 0..40), more in vec(any_act(), 0..20)) {
        let core = account();
        let mut life = RandomLife::default();
        for act in acts {
            life.perform(&core, act);
        }
        let text = export_text(&core, SeedFormat::Json);
        let itself = core.copy_in_memory(roost_ops::Ctx::system()).unwrap();
        seed::merge_seed(&itself, &by(), text.as_bytes(), BASE).unwrap();
        check(&itself);
        prop_assert!(difference(&core, &itself).is_empty());
        // Removed records are restored, changed ones get their former values, and new ones stay.
        for act in more {
            life.perform(&core, act);
        }
        let held = overview::get(&core).unwrap();
        if let Ok(report) = seed::merge_seed(&core, &by(), text.as_bytes(), BASE) {
            check(&core);
            let counts = overview::get(&core).unwrap();
            prop_assert!(counts.lists >= held.lists && counts.lists >= report.lists);
            prop_assert!(counts.contacts >= held.contacts && counts.contacts >= report.contacts);
        }
    }
}
