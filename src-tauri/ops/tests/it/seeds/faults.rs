//! Tests invalid seeds: each error names its place, and nothing of the file is applied.

use proptest::{prelude::*, sample::Index};
use roost_ops::{Actor, Core, overview, seed};
use serde_json::{Value, json};

use crate::{
    seeds::{BASE, export_json},
    support::{account, cases, check},
};

/// Returns a valid seed with a little of everything, so that there is much to break.
pub(super) fn valid_seed() -> Value {
    let uid = |prefix: &str, last: u8| format!("{prefix}_36AbCdEfGhIjKlMnOpQrStUvWx{last}");
    json!({
        "senders": [
            {"id": uid("ssd", 1), "name": "AcmeShop", "status": "Verified"},
            {"id": uid("ssd", 2), "name": "AcmeTest", "status": "Pending"},
        ],
        "assets": [
            {"id": uid("num", 1), "channel": "SMS", "number": "+447700900100", "enforce_account_level_opt_outs": true},
            {"id": uid("wbp", 1), "channel": "WHATSAPP", "number": "+447700900101", "keywords": ["STOP", "ENDE"]},
        ],
        "custom_fields": [{"number": 1, "label": "Size"}, "Colour"],
        "lists": [
            {"uid": uid("LST", 1), "name": "VIP", "created_at": "2026-01-05T09:00:00Z", "updated_at": "2026-01-05T09:12:40Z", "contacts": [
                {"uid": uid("CON", 1), "phone_number": "+447700900001", "phone_region": "GB", "title": "Ms", "field_2": "gold",
                 "created_at": "2026-01-05 09:12:40", "updated_at": null},
                {"uid": uid("CON", 2), "whatsapp_id": "+447700900002", "whatsapp_region": "GB", "created_at": "2026-01-05 09:12:40",
                 "updated_at": "2026-01-05 09:12:41"},
            ]},
            {"uid": uid("LST", 2), "name": "Other"},
        ],
        "opt_outs": [
            {"number": "+447700900001", "channel": "SMS", "account_level_opt_out": true, "opt_out_type": "api_import",
             "opt_out_time": "2026-01-05T09:21:00Z"},
            {"number": "+447700900001", "channel": "SMS", "account_level_opt_out": false, "opt_out_type": "keyword",
             "inbound_asset_id": uid("num", 1), "inbound_number": "+447700900100", "opt_out_time": "2026-01-05T09:20:10Z"},
            {"number": "+447700900001", "channel": "WHATSAPP", "account_level_opt_out": false, "opt_out_type": "api_import",
             "asset_id": uid("wbp", 1)},
        ],
        "short_links": [
            {"title": "Spring", "link_id": uid("shl", 1), "target_url": "https://shop.example/s", "short_link_url": "https://sl.example/Ab3dE9",
             "tags": ["spring"], "created_at": "2026-01-05T09:30:00Z", "track_clicks": true},
            {"title": "Summer", "link_id": uid("shl", 2), "target_url": "https://shop.example/t", "short_link_url": "https://sl.example/Ab3dE8"},
        ],
    })
}

fn apply_seed(core: &Core, seed: &Value) -> Result<overview::AccountCounts, seed::SeedError> {
    seed::apply(core, &Actor::operator(), seed.to_string().as_bytes(), BASE)
}

/// Returns the place and the message of the error. Checks that nothing was applied and that the account still accepts a
/// valid seed.
fn expect_error(seed: &[u8]) -> (String, String) {
    let core = account();
    let before = (export_json(&core, BASE), overview::get(&core).unwrap(), core.generation());
    let refused = seed::apply(&core, &Actor::operator(), seed, BASE);
    assert_eq!(
        before,
        (export_json(&core, BASE), overview::get(&core).unwrap(), core.generation()),
        "nothing is taken"
    );
    apply_seed(&core, &valid_seed()).unwrap();
    check(&core);
    match refused {
        Err(seed::SeedError::Invalid { path, message }) => (path, message),
        other => panic!("{other:?} for {}", String::from_utf8_lossy(seed)),
    }
}

#[test]
fn the_sound_seed_is_sound() {
    let core = account();
    let report = apply_seed(&core, &valid_seed()).unwrap();
    assert_eq!(
        (report.senders, report.assets, report.lists, report.contacts, report.opt_outs, report.short_links),
        (2, 2, 2, 2, 3, 2)
    );
    check(&core);
}

#[test]
fn every_fault_names_its_place_and_what_is_wrong() {
    let long = |n: usize| Value::from("é".repeat(n));
    // A JSON pointer, the value to set there, and the place and words of the expected error.
    let table: &[(&str, Value, &str, &str)] = &[
        ("/senders", json!({}), "senders", "array"),
        ("/senders/1", json!(7), "senders[1]", "object"),
        ("/senders/1/name", json!(null), "senders[1]", "'name' is missing"),
        ("/senders/1/name", json!("ab"), "senders[1].name", "3 to 11"),
        ("/senders/1/name", json!(5), "senders[1].name", "text"),
        ("/senders/1/name", json!("acmeshop"), "senders[1].name", "twice"),
        ("/senders/1/id", json!("ssd_36AbCdEfGhIjKlMnOpQrStUvWx1"), "senders[1].id", "twice"),
        ("/senders/1/id", json!("LST_36AbCdEfGhIjKlMnOpQrStUvWx1"), "senders[1].id", "ssd_"),
        ("/senders/1/status", json!("verified"), "senders[1].status", "Pending or Verified"),
        ("/assets/0/channel", json!("EMAIL"), "assets[0].channel", "SMS or WHATSAPP"),
        ("/assets/0/channel", json!("WHATSAPP"), "assets[0].channel", "prefix"),
        ("/assets/0/number", json!("12"), "assets[0].number", "E.164"),
        (
            "/assets/0/enforce_account_level_opt_outs",
            json!("yes"),
            "assets[0].enforce_account_level_opt_outs",
            "true or false",
        ),
        ("/assets/1/id", json!("wbp_1"), "assets[1].id", "num_ or wbp_"),
        ("/assets/1/keywords/1", json!(""), "assets[1].keywords[1]", "between 1 and 50"),
        ("/assets/1/keywords/1", json!(1), "assets[1].keywords[1]", "text"),
        ("/custom_fields/0", json!(""), "custom_fields[0]", "between 1 and 100"),
        ("/custom_fields/0/label", json!(" "), "custom_fields[0].label", "between 1 and 100"),
        ("/custom_fields/0/number", json!(0), "custom_fields[0].number", "1 to 1000"),
        ("/custom_fields/0/number", json!(1.5), "custom_fields[0].number", "1 to 1000"),
        ("/custom_fields/0/number", json!(1_001), "custom_fields[0].number", "1 to 1000"),
        ("/custom_fields/1", json!({"number": 1, "label": "again"}), "custom_fields[1].number", "twice"),
        ("/lists/1/uid", json!("LST_36AbCdEfGhIjKlMnOpQrStUvWx1"), "lists[1].uid", "twice"),
        ("/lists/1/name", json!(" "), "lists[1].name", "Invalid list name"),
        ("/lists/1/name", long(121), "lists[1].name", "Invalid list name"),
        ("/lists/0/created_at", json!("2026-01-05 09:00:00"), "lists[0].created_at", "2026-01-05T09:00:00Z"),
        ("/lists/0/updated_at", json!("2026-02-30T09:00:00Z"), "lists[0].updated_at", "2026-01-05T09:00:00Z"),
        ("/lists/0/contacts", json!("none"), "lists[0].contacts", "array"),
        ("/lists/0/contacts/1", json!([]), "lists[0].contacts[1]", "object"),
        ("/lists/0/contacts/1/uid", json!("CON_36AbCdEfGhIjKlMnOpQrStUvWx1"), "lists[0].contacts[1].uid", "twice"),
        ("/lists/0/contacts/1/whatsapp_id", json!(null), "lists[0].contacts[1]", "phone_number or whatsapp_id"),
        (
            "/lists/0/contacts/1/whatsapp_id",
            json!("+44770090000"),
            "lists[0].contacts[1].whatsapp_id",
            "valid phone number",
        ),
        ("/lists/0/contacts/0/phone_region", json!("UK"), "lists[0].contacts[0].phone_region", "region"),
        ("/lists/0/contacts/0/title", json!(""), "lists[0].contacts[0].title", "between 1 and 30"),
        ("/lists/0/contacts/0/title", long(31), "lists[0].contacts[0].title", "between 1 and 30"),
        ("/lists/0/contacts/0/title", json!(["Ms"]), "lists[0].contacts[0].title", "text"),
        ("/lists/0/contacts/0/field_2", long(501), "lists[0].contacts[0].field_2", "between 1 and 500"),
        (
            "/lists/0/contacts/0/created_at",
            json!("2026-01-05T09:12:40Z"),
            "lists[0].contacts[0].created_at",
            "2026-01-05 09:00:00",
        ),
        ("/opt_outs/0/number", json!("07700900001"), "opt_outs[0].number", "E.164"),
        ("/opt_outs/0/opt_out_type", json!("KEYWORD"), "opt_outs[0].opt_out_type", "keyword, web_opt_out"),
        ("/opt_outs/0/channel", json!("fax"), "opt_outs[0].channel", "SMS or WHATSAPP"),
        ("/opt_outs/0/account_level_opt_out", json!(false), "opt_outs[0]", "'asset_id'"),
        ("/opt_outs/0/opt_out_time", json!("yesterday"), "opt_outs[0].opt_out_time", "2026-01-05T09:00:00Z"),
        ("/opt_outs/1/inbound_asset_id", json!(null), "opt_outs[1]", "'inbound_asset_id'"),
        (
            "/opt_outs/1/inbound_asset_id",
            json!("wbp_36AbCdEfGhIjKlMnOpQrStUvWx1"),
            "opt_outs[1].inbound_asset_id",
            "other channel",
        ),
        ("/opt_outs/2/channel", json!("SMS"), "opt_outs[2].asset_id", "other channel"),
        ("/short_links/1/title", json!(""), "short_links[1].title", "must not be blank"),
        ("/short_links/1/title", long(101), "short_links[1].title", "between 1 and 100"),
        ("/short_links/1/target_url", json!("shop.example"), "short_links[1].target_url", "Invalid URL"),
        ("/short_links/0/tags/0", json!("a!b"), "short_links[0].tags[]", "Invalid tag"),
        ("/short_links/0/tags", json!("spring"), "short_links[0].tags", "array"),
        ("/short_links/1/short_link_url", json!("https://sl.example/Ab3dE9"), "short_links[1].short_link_url", "twice"),
        (
            "/short_links/1/short_link_url",
            json!("https://sl.example/Ab3"),
            "short_links[1].short_link_url",
            "6 letters or digits",
        ),
        ("/short_links/1/link_id", json!("shl_36AbCdEfGhIjKlMnOpQrStUvWx1"), "short_links[1].link_id", "twice"),
        ("/short_links/0/track_clicks", json!("true"), "short_links[0].track_clicks", "true or false"),
    ];
    for (pointer, value, place, words) in table {
        let mut seed = valid_seed();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match seed.pointer_mut(parent).unwrap() {
            Value::Array(items) => items[key.parse::<usize>().unwrap()] = value.clone(),
            Value::Object(map) => drop(map.insert(key.to_owned(), value.clone())),
            other => panic!("{other} has no {key}"),
        }
        let (path, message) = expect_error(seed.to_string().as_bytes());
        assert_eq!(path, *place, "{pointer} = {value}: {message}");
        assert!(message.contains(words), "{pointer} = {value}: {message}");
    }
}

#[test]
fn the_same_opt_out_twice_is_a_fault() {
    let mut seed = valid_seed();
    let first = seed["opt_outs"][0].clone();
    seed["opt_outs"].as_array_mut().unwrap().push(first);
    assert_eq!(expect_error(seed.to_string().as_bytes()).0, "opt_outs[3].number");
}

/// Whichever key names the asset, the record applies to that asset, and never silently to the whole account.
#[test]
fn an_opt_out_is_for_the_asset_that_either_key_names() {
    let (asset, other) = ("num_36AbCdEfGhIjKlMnOpQrStUvWx1", "num_36AbCdEfGhIjKlMnOpQrStUvWx2");
    let with = |kind: &str, more: Value| {
        let mut seed = valid_seed();
        let mut record = json!({"number": "+447700900009", "channel": "SMS", "opt_out_type": kind});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        seed["opt_outs"] = json!([record]);
        seed
    };
    for (kind, key) in [
        ("api_import", "inbound_asset_id"),
        ("api_import", "asset_id"),
        ("keyword", "asset_id"),
        ("keyword", "inbound_asset_id"),
    ] {
        let core = account();
        apply_seed(&core, &with(kind, json!({key: asset}))).unwrap();
        let written = export_json(&core, BASE);
        assert!(written.contains("\"account_level_opt_out\":false"), "{kind} {key}: {written}");
        assert!(written.contains("\"inbound_number\":\"+447700900100\""), "{kind} {key}: {written}");
    }
    let both = with("api_import", json!({"inbound_asset_id": asset, "asset_id": other}));
    assert_eq!(expect_error(both.to_string().as_bytes()).0, "opt_outs[0].asset_id");
    let none = with("api_import", json!({"inbound_number": "+447700900100"}));
    assert_eq!(expect_error(none.to_string().as_bytes()).0, "opt_outs[0].inbound_number");
}

#[test]
fn an_unknown_key_gets_the_nearest_known_one() {
    let table = [
        ("", "sender", "senders"),
        ("", "optouts", "opt_outs"),
        ("/senders/0", "nmae", "name"),
        ("/assets/0", "enforce_opt_outs", "enforce_account_level_opt_outs"),
        ("/lists/0", "contact", "contacts"),
        ("/lists/0/contacts/0", "first_name", "firstname"),
        ("/lists/0/contacts/0", "whatsapp_number", "whatsapp_id"),
        ("/opt_outs/0", "opt_out_tpye", "opt_out_type"),
        ("/short_links/0", "target", "target_url"),
    ];
    for (at, key, nearest) in table {
        let mut seed = valid_seed();
        seed.pointer_mut(at).unwrap()[key] = json!("x");
        let (path, message) = expect_error(seed.to_string().as_bytes());
        assert!(path.ends_with(key), "{path}");
        assert!(message.contains(&format!("Did you mean '{nearest}'?")), "{key}: {message}");
    }
}

#[test]
fn a_custom_field_that_is_not_defined_is_an_unknown_key() {
    for key in ["field_3", "field_01", "field_0"] {
        let mut seed = valid_seed();
        seed["lists"][0]["contacts"][0][key] = json!("x");
        assert_eq!(expect_error(seed.to_string().as_bytes()).0, format!("lists[0].contacts[0].{key}"));
    }
}

#[test]
fn a_line_that_is_not_a_json_object_is_refused_with_its_number() {
    assert_eq!(expect_error(b"{\n\"lists\": [}").0, "line 2, column 11");
    assert_eq!(expect_error(b"").0, "the file");
    assert_eq!(expect_error(b"[]").0, "the file");
    assert_eq!(expect_error(b"{} {}").0, "line 1, column 4");
    assert_eq!(expect_error(b"{\"lists\": [{\"name\": \"\xff\"}]}").0, "line 1, column 22");
}

/// Collects every place inside a value as JSON pointers.
fn collect_pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Array(items) => items.iter().enumerate().map(|(i, v)| (i.to_string(), v)).collect(),
        Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), v)).collect(),
        _ => Vec::new(),
    };
    for (key, child) in children {
        let place = format!("{at}/{key}");
        collect_pointers(child, &place, all);
        all.push(place);
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[+]?[0-9]{0,20}".prop_map(Value::from),
        "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}Z?".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[[]]])),
    ]
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn any_change_of_a_sound_seed_is_taken_whole_or_refused_at_its_place(at in any::<Index>(), value in any_value()) {
        let mut seed = valid_seed();
        let mut all = Vec::new();
        collect_pointers(&seed, "", &mut all);
        let pointer = &all[at.index(all.len())];
        *seed.pointer_mut(pointer).unwrap() = value;
        let core = account();
        match apply_seed(&core, &seed) {
            Ok(_) => {
                check(&core);
                let again = account();
                let first = export_json(&core, BASE);
                seed::apply(&again, &Actor::operator(), first.as_bytes(), BASE).unwrap();
                prop_assert_eq!(export_json(&again, BASE), first);
            }
            Err(seed::SeedError::Invalid { path, .. }) => {
                prop_assert_eq!(export_json(&core, BASE), export_json(&account(), BASE));
                let plain = path.replace('[', "/").replace(']', "").replace('.', "/");
                let changed = pointer.trim_start_matches('/');
                let record = |path: &str| path.split('/').take(2).collect::<Vec<_>>().join("/");
                let (complained, changed) = (record(&plain), record(changed));
                // The error may concern a record that depends on the change, such as values of a field that is no
                // longer defined.
                let is_near = complained.starts_with(&changed) || changed.starts_with(&complained) || changed.starts_with("custom_fields");
                prop_assert!(is_near && !plain.is_empty(), "{} was changed, {} is complained of", pointer, path);
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}
