//! Jobs process contacts in sets. The result is the same as for one contact after another.

use rand::{Rng, SeedableRng, rngs::StdRng};
use roost_tests::{Served, Setup, seeds, served::time};
use serde_json::{Map, Value, json};

use super::{LIST, create_contacts, stored_contacts};

/// The names of these contacts' attributes in requests and in records.
const KEYS: [(&str, &str); 5] = [
    ("phone_number", "phone_number"),
    ("whatsapp_number", "whatsapp_id"),
    ("title", "title"),
    ("city", "city"),
    ("field_2", "field_2"),
];
const MERGE_TYPES: [&str; 4] =
    ["skipDuplicates", "allowDuplicates", "mergeByPhoneNumberInList", "mergeByWhatsappIdInList"];

/// A record that follows from the rules: values in the order of [`KEYS`], and its times.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ExpectedRecord {
    values: [Option<String>; 5],
    created_at: String,
    updated_at: Option<String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct ExpectedTotals {
    imported: usize,
    merged: usize,
    skipped: usize,
}

/// Applies the rules to one contact.
fn apply_contact(
    records: &mut Vec<ExpectedRecord>,
    merge_type: &str,
    contact: &[Option<String>; 5],
    now: &str,
    totals: &mut ExpectedTotals,
) {
    let same = |record: &ExpectedRecord, key: usize| contact[key].is_some() && record.values[key] == contact[key];
    let key = match merge_type {
        "skipDuplicates" if records.iter().any(|record| same(record, 0)) => {
            totals.skipped += 1;
            return;
        }
        "mergeByPhoneNumberInList" => Some(0),
        "mergeByWhatsappIdInList" => Some(1),
        _ => None,
    };
    let mut merged = 0;
    for record in records.iter_mut().filter(|record| key.is_some_and(|key| same(record, key))) {
        for (kept, sent) in record.values.iter_mut().zip(contact) {
            if sent.is_some() {
                kept.clone_from(sent);
            }
        }
        record.updated_at = Some(now.to_owned());
        merged += 1;
    }
    totals.merged += merged;
    if merged == 0 {
        totals.imported += 1;
        records.push(ExpectedRecord { values: contact.clone(), created_at: now.to_owned(), updated_at: None });
    }
}

fn random_contact(random: &mut StdRng) -> [Option<String>; 5] {
    loop {
        let mut pick = |from: &[&str]| {
            let at = random.random_range(0..from.len() + 1);
            from.get(at).map(|text| (*text).to_owned())
        };
        let phones = ["+447700900001", "+447700900002", "+447700900003"];
        let contact = [
            pick(&phones),
            pick(&["+447700900001", "+447700900011"]),
            pick(&["a", "b", "c"]),
            pick(&["x", "y"]),
            pick(&["1"]),
        ];
        if contact[0].is_some() || contact[1].is_some() {
            return contact;
        }
    }
}

fn contact_body(contact: &[Option<String>; 5]) -> Value {
    let given =
        KEYS.iter().zip(contact).filter_map(|((key, _), value)| Some(((*key).to_owned(), json!(value.as_ref()?))));
    Value::Object(given.collect::<Map<_, _>>())
}

fn read_records(api: &Served) -> Vec<ExpectedRecord> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let record = |contact: &Value| ExpectedRecord {
        values: KEYS.map(|(_, key)| text(&contact[key])),
        created_at: text(&contact["created_at"]).expect("a time"),
        updated_at: text(&contact["updated_at"]),
    };
    let mut records: Vec<ExpectedRecord> = stored_contacts(api).iter().map(record).collect();
    records.sort();
    records
}

/// Proves: D83, D84, D85, D89.
#[test]
fn any_mixture_of_jobs_ends_like_one_contact_at_a_time() {
    for seed in 0..12 {
        let mut random = StdRng::seed_from_u64(seed);
        let begin = "2026-01-05T10:00:00Z";
        let api = Setup::new().at(begin).seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] })).serve();
        let mut wanted: Vec<ExpectedRecord> = Vec::new();
        for round in 0..25 {
            let merge_type = MERGE_TYPES[random.random_range(0..MERGE_TYPES.len())];
            let contacts: Vec<_> = (0..random.random_range(1..7)).map(|_| random_contact(&mut random)).collect();
            let now = roost_model::time::Timestamp::from_unix(time(begin).unix() + round).to_plain();
            let mut totals = ExpectedTotals::default();
            for contact in &contacts {
                apply_contact(&mut wanted, merge_type, contact, &now, &mut totals);
            }
            create_contacts(&api, merge_type, contacts.iter().map(contact_body).collect());
            wanted.sort();
            let what = format!("seed {seed}, round {round}: {merge_type} {contacts:?}");
            assert_eq!(read_records(&api), wanted, "{what}");
            let job = api.admin().get("/__admin/jobs?page_size=1").items().swap_remove(0);
            let counted =
                ["imported", "merged", "skipped"].map(|key| job["totals"][key].as_u64().expect("a number") as usize);
            assert_eq!(counted, [totals.imported, totals.merged, totals.skipped], "{what}");
            api.advance(1);
        }
    }
}
