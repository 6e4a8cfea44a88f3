//! Tests the differences of images: every resource, every kind of difference, and exact counts in a limited result.

use roost_model::{
    contact::{MergeType, ValidContact},
    id::ListId,
};
use roost_ops::{
    AccountResource, Actor, Core, Image, asset, contact, custom_field,
    diff::{self, AccountDiff, DiffOptions},
    job::{self, NewJob},
    list::{self, UniqueNames},
    opt_out, seed, sender, short_link,
};
use serde_json::{Value, json};

use crate::{
    seeds::BASE,
    support::{account, phone, query_contacts},
};

fn compare_images(before: &Image, after: &Image, ignored: &str) -> AccountDiff {
    let ask = DiffOptions { default_base: BASE.to_owned(), ignored: diff::parse_ignored(ignored).unwrap(), limit: 2 };
    diff::compare_images(before, after, &ask).unwrap()
}

fn seeded(seed: &Value) -> Core {
    let core = account();
    seed::apply(&core, &Actor::operator(), seed.to_string().as_bytes(), BASE).unwrap();
    core
}

fn by() -> Actor {
    Actor::operator()
}

fn add_contacts(core: &Core, list: &ListId, first: u16, count: u16) {
    let contacts: Vec<_> = (first..first + count)
        .map(|last| ValidContact { phone: Some(phone(last)), ..ValidContact::default() })
        .collect();
    let job = NewJob {
        list: list.clone(),
        merge_type: MergeType::AllowDuplicates,
        callback_url: None,
        correlation_id: None,
        contacts,
    };
    job::enqueue(core, &by(), job).unwrap();
    job::run_next(core).unwrap();
}

#[test]
fn an_account_does_not_differ_from_itself() {
    let core = account();
    let list = list::create(&core, &by(), "VIP", UniqueNames::Off).unwrap();
    add_contacts(&core, &list.uid, 0, 5);
    let image = core.image().unwrap();
    let same = compare_images(&image, &core.image().unwrap(), "");
    assert!(same.is_empty());
    assert_eq!(same, AccountDiff::default());
    let all = compare_images(Image::empty().unwrap(), &image, "");
    assert!(!all.is_empty());
}

#[test]
fn the_diff_lists_added_removed_and_changed_records_of_every_resource() {
    let core = account();
    let empty = core.image().unwrap();
    let made = sender::request(&core, &by(), "AcmeShop").unwrap();
    let inbound = asset::add(&core, &by(), roost_model::channel::Channel::Sms, "60123").unwrap();
    let field = custom_field::add(&core, &by(), "Size").unwrap();
    let list = list::create(&core, &by(), "VIP", UniqueNames::Off).unwrap();
    add_contacts(&core, &list.uid, 0, 1);
    let someone = query_contacts(&core, &list.uid, None, None).contacts.remove(0);
    opt_out::add_web_opt_out(&core, &by(), &phone(7).e164, roost_model::channel::Channel::Sms).unwrap();
    let parts = roost_model::short_link::check_parts(Some("Spring"), Some("https://shop.example"), &[], true).unwrap();
    let link = short_link::create(&core, &by(), parts).unwrap();
    let full = core.image().unwrap();

    let keys = [
        (AccountResource::Senders, made.id.to_string()),
        (AccountResource::Assets, inbound.id.to_string()),
        (AccountResource::CustomFields, field.number.to_string()),
        (AccountResource::Lists, list.uid.to_string()),
        (AccountResource::Contacts, someone.uid.to_string()),
        (AccountResource::OptOuts, format!("{} SMS", phone(7).e164)),
        (AccountResource::ShortLinks, link.link_id.to_string()),
        (AccountResource::Jobs, "1".to_owned()),
    ];
    assert_eq!(keys.each_ref().map(|(resource, _)| *resource), AccountResource::ALL);
    let (there, back) = (compare_images(&empty, &full, ""), compare_images(&full, &empty, ""));
    for (resource, key) in &keys {
        let (added, removed) = (&there.for_resource(*resource).added, &back.for_resource(*resource).removed);
        assert_eq!((added.count, added.items[0].key.as_str()), (1, key.as_str()), "{}", resource.as_str());
        assert_eq!(added, removed);
        assert_eq!(there.for_resource(*resource).count(), 1, "{}", resource.as_str());
    }
    let added_fields =
        |resource: AccountResource| Value::from(there.for_resource(resource).added.items[0].fields.clone());
    assert_eq!(
        added_fields(AccountResource::Senders),
        json!({ "id": made.id.as_str(), "name": "AcmeShop", "status": "Pending" })
    );
    assert_eq!(added_fields(AccountResource::Assets)["keywords"], json!(inbound.keywords));
    assert_eq!(added_fields(AccountResource::ShortLinks)["short_link_url"], json!(format!("{BASE}/{}", link.code)));
    assert_eq!(added_fields(AccountResource::Contacts)["list_uid"], json!(list.uid.as_str()));
    assert_eq!(added_fields(AccountResource::Contacts)["created_at"], "2026-01-05 09:00:00");
    assert_eq!(added_fields(AccountResource::Lists)["created_at"], "2026-01-05T09:00:00Z");
    assert_eq!(added_fields(AccountResource::OptOuts)["account_level_opt_out"], true);

    core.ctx().advance(60);
    sender::approve(&core, &by(), &made.id).unwrap();
    asset::set_keywords(&core, &by(), &inbound.id, &["halt".to_owned()]).unwrap();
    custom_field::rename(&core, &by(), field.number, "Width").unwrap();
    list::rename(&core, &by(), &list.uid, "Guests").unwrap();
    opt_out::add_web_opt_out(&core, &by(), &phone(7).e164, roost_model::channel::Channel::Sms).unwrap();
    let changed = compare_images(&full, &core.image().unwrap(), "");
    let changes =
        |resource: AccountResource| Value::from(changed.for_resource(resource).changed.items[0].fields.clone());
    assert_eq!(changes(AccountResource::Senders), json!({ "status": { "before": "Pending", "after": "Verified" } }));
    assert_eq!(changes(AccountResource::Assets)["keywords"]["after"], json!(["halt"]));
    assert_eq!(changes(AccountResource::CustomFields)["label"], json!({ "before": "Size", "after": "Width" }));
    assert_eq!(changes(AccountResource::Lists)["updated_at"]["after"], "2026-01-05T09:01:00Z");
    assert_eq!(changes(AccountResource::OptOuts)["opt_out_time"]["after"], "2026-01-05T09:01:00Z");
    for still in [AccountResource::Contacts, AccountResource::ShortLinks, AccountResource::Jobs] {
        assert_eq!(changed.for_resource(still).count(), 0, "{}", still.as_str());
    }
}

#[test]
fn counts_include_the_records_that_are_not_listed() {
    let core = account();
    let list = list::create(&core, &by(), "VIP", UniqueNames::Off).unwrap();
    add_contacts(&core, &list.uid, 0, 9);
    let before = core.image().unwrap();
    let all = query_contacts(&core, &list.uid, None, None).contacts;
    for one in &all[..4] {
        contact::delete(&core, &by(), &one.uid).unwrap();
    }
    add_contacts(&core, &list.uid, 20, 7);
    let found = compare_images(&before, &core.image().unwrap(), "jobs,lists.updated_at");
    let delta = found.for_resource(AccountResource::Contacts);
    assert_eq!((delta.removed.count, delta.removed.items.len()), (4, 2));
    assert_eq!((delta.added.count, delta.added.items.len()), (7, 2));
    let mut deleted: Vec<_> = all[..4].iter().map(|one| one.uid.to_string()).collect();
    deleted.sort();
    let removed_keys: Vec<_> = delta.removed.items.iter().map(|one| one.key.clone()).collect();
    assert_eq!(removed_keys, deleted[..2], "the first by key");
    assert_eq!(found.for_resource(AccountResource::Lists).count(), 0, "its clock is of no interest");
}

/// A field that only one side has is empty on the other, and a value in a new field is a change.
#[test]
fn a_field_of_one_side_alone_is_compared_as_empty() {
    let uid = |prefix: &str| format!("{prefix}_{}", "0".repeat(26) + "1");
    let at = |fields: Value, contact: Value| {
        let mut one =
            json!({ "uid": uid("CON"), "phone_number": "+447700900001", "created_at": "2026-01-05 09:00:00" });
        for (name, value) in contact.as_object().unwrap() {
            one[name] = value.clone();
        }
        seeded(&json!({ "custom_fields": fields, "lists": [{ "uid": uid("LST"), "name": "VIP", "contacts": [one] }] }))
    };
    let before = at(json!([]), json!({}));
    let after = at(json!([{ "number": 12, "label": "Size" }]), json!({ "field_12": "XL" }));
    let found = compare_images(&before.image().unwrap(), &after.image().unwrap(), "");
    assert_eq!(found.for_resource(AccountResource::CustomFields).added.count, 1);
    let changed = &found.for_resource(AccountResource::Contacts).changed;
    assert_eq!(changed.items[0].key, uid("CON"));
    assert_eq!(Value::from(changed.items[0].fields.clone()), json!({ "field_12": { "before": null, "after": "XL" } }));
    let none = compare_images(&before.image().unwrap(), &after.image().unwrap(), "custom_fields,contacts.field_12");
    assert!(none.is_empty());
}

#[test]
fn what_is_to_be_ignored_has_to_exist() {
    assert!(diff::parse_ignored("list").unwrap_err().contains("lists"));
    assert!(diff::parse_ignored("lists.title").unwrap_err().contains("updated_at"));
    assert_eq!(diff::parse_ignored(" jobs , contacts.field_9,lists.name ").unwrap().len(), 3);
    assert_eq!(diff::parse_ignored("").unwrap(), []);
}
