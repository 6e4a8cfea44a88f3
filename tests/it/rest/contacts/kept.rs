//! Pages are written from kept records. They are compared with the plain way: all contacts in one response, which reads
//! every record from the account.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use rand::{Rng, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use roost_tests::{Client, Served, Setup, seeds};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{LIST, contacts_of, create_contacts, stored_contacts};

const OTHER: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx2";
const NUMBERS: usize = 120;
const ACTS: usize = 60;

fn seed() -> Value {
    json!({ "lists": [seeds::filled_list(LIST, "VIP", 40), seeds::list(OTHER, "Guests", json!([]))] })
}

/// The same history on an account in memory and on one in a file.
fn both_accounts() -> (TempDir, [Served; 2]) {
    let folder = TempDir::new().expect("a folder");
    let in_file = Setup::new().on_file(folder.path().join("account.roost"));
    (folder, [Setup::new().seed(seed()).serve(), in_file.seed(seed()).serve()])
}

/// Reads a page twice, the second time as another question, and returns its items.
#[track_caller]
fn read_page(api: &Served, list: &str, number: usize, size: usize) -> Value {
    let path = format!("{}?page_number={number}&page_size={size}", contacts_of(list));
    let first = api.get(&path).expect(200).text();
    assert_eq!(api.get(format!("{path}&again")).expect(200).text(), first, "{path}");
    serde_json::from_str(&first).expect("JSON")
}

/// Compares pages with the list as a whole.
#[track_caller]
fn compare_pages(api: &Served, chance: &mut StdRng) {
    for list in [LIST, OTHER] {
        let whole = api.get(contacts_of(list)).expect(200).json();
        let all = whole["items"].as_array().expect("items");
        let size = chance.random_range(1..=100);
        for number in [1, 2, 3, chance.random_range(1..=20), all.len() / size + 2] {
            let page = read_page(api, list, number, size);
            let expected: Vec<_> = all.iter().skip((number - 1) * size).take(size).collect();
            assert_eq!(page["items"], json!(expected), "page {number} of {size} in {list}");
            assert_eq!(page["paging"]["total_items"], all.len());
        }
    }
}

fn random_contacts(chance: &mut StdRng) -> Value {
    let contact = |chance: &mut StdRng| {
        let mut contact = json!({ "phone_number": seeds::mobile(chance.random_range(0..NUMBERS)) });
        for name in ["firstname", "city", "field_1", "field_2", "email_address"] {
            if chance.random_bool(0.4) {
                contact[name] = json!(["Ada", "\"quoted\"\\", "\u{1}é🐦", "x@example.com"].choose(chance));
            }
        }
        contact
    };
    (0..chance.random_range(1..20)).map(|_| contact(chance)).collect()
}

fn act(api: &Served, chance: &mut StdRng) {
    let admin = api.admin();
    match chance.random_range(0..10) {
        0..=3 => {
            let merge_type = ["skipDuplicates", "allowDuplicates", "mergeByPhoneNumberInList"].choose(chance);
            create_contacts(api, merge_type.expect("one"), random_contacts(chance));
        }
        4 | 5 => {
            if let Some(contact) = stored_contacts(api).choose(chance) {
                api.delete(format!("/contacts/v1/contacts/{}", contact["uid"].as_str().expect("a uid"))).expect(204);
            }
        }
        6 => {
            admin.post("/__admin/custom_fields", &json!({ "label": "Rank" })).expect(201);
        }
        7 => {
            let fields = admin.get("/__admin/custom_fields").items();
            if let Some(field) = fields.choose(chance) {
                admin.delete(format!("/__admin/custom_fields/{}", field["number"])).expect(204);
            }
        }
        8 => {
            // There may be none yet.
            admin.delete("/__admin/snapshots/kept");
            admin.post("/__admin/snapshots", &json!({ "name": "kept" })).expect(201);
        }
        _ => {
            // There may be no snapshot yet.
            admin.post("/__admin/snapshots/kept/restore", &json!({}));
        }
    }
}

#[test]
fn pages_are_those_of_the_whole_list_whatever_happened_before() {
    let (_folder, accounts) = both_accounts();
    for (n, api) in accounts.iter().enumerate() {
        let mut chance = StdRng::seed_from_u64(n as u64);
        for _ in 0..ACTS {
            compare_pages(api, &mut chance);
            act(api, &mut chance);
        }
        compare_pages(api, &mut chance);
    }
}

/// One job gives every contact of the list the same city in one commit.
#[test]
fn a_page_never_shows_half_a_write() {
    let (_folder, accounts) = both_accounts();
    for api in &accounts {
        let has_ended = AtomicBool::new(false);
        let pages = thread::scope(|threads| {
            let readers: Vec<_> = (1..=3)
                .map(|size| {
                    let has_ended = &has_ended;
                    let client = Client::new(api.address());
                    threads.spawn(move || {
                        let mut pages = 0;
                        while !has_ended.load(Ordering::Relaxed) {
                            let path = format!("{}?page_number=1&page_size={}&n={pages}", contacts_of(LIST), size * 10);
                            let mut cities: Vec<_> =
                                client.get(path).items().iter().map(|contact| contact["city"].to_string()).collect();
                            cities.dedup();
                            assert_eq!(cities.len(), 1, "{cities:?}");
                            pages += 1;
                        }
                        pages
                    })
                })
                .collect();
            for round in 0..20 {
                let city = format!("City {round}");
                let contacts =
                    (0..40).map(|n| json!({ "phone_number": seeds::mobile(n), "city": city })).collect::<Value>();
                create_contacts(api, "mergeByPhoneNumberInList", contacts);
            }
            has_ended.store(true, Ordering::Relaxed);
            readers.into_iter().map(|reader| reader.join().expect("no panic")).collect::<Vec<usize>>()
        });
        assert!(pages.iter().all(|pages| *pages > 20), "{pages:?}");
    }
}
