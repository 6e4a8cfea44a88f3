//! IDs: their form, their creation, and the errors about malformed ones.

use roost_tests::{
    Expected, Request, Setup,
    expected::{C, L, malformed_uid},
    seeds,
};
use serde_json::{Value, json};

use super::creation_body;

/// Sends one ID to each place that checks its form, and returns the answers with the expected fields.
fn send_to_places(
    api: &roost_tests::Client,
    prefix: &str,
    uid: &str,
) -> Vec<(roost_tests::Answer, &'static str, &'static str)> {
    let mut body = creation_body("skipDuplicates", json!([{ "phone_number": "07700900001" }]));
    body["list_id"] = json!(uid);
    let removal = json!({ "numbers": ["447700900001"], "asset_id": uid });
    match prefix {
        "LST_" => vec![
            (api.delete(format!("/contacts/v1/lists/{uid}")), C, "deleteList.uid"),
            (api.get(format!("/contacts/v1/contacts/list/{uid}")), C, "search.listUid"),
            (api.post("/contacts/v1/contacts", &body), C, "createContacts.request.listUid"),
        ],
        "CON_" => vec![(api.delete(format!("/contacts/v1/contacts/{uid}")), C, "deleteContact.uid")],
        "shl_" => vec![
            (api.get(format!("/assets/v1/shortlink/{uid}")), L, "get_short_link_by_id.id"),
            (api.delete(format!("/assets/v1/shortlink/{uid}")), L, "delete_short_link_by_id.id"),
        ],
        _ => vec![
            (api.get(format!("/contacts/v1/optouts?asset_id={uid}")), C, "getOptOuts.assetId"),
            (api.send(Request::delete("/contacts/v1/optouts").json(&removal)), C, "assetId"),
        ],
    }
}

const PREFIXES: [&str; 5] = ["LST_", "CON_", "shl_", "num_", "wbp_"];

fn is_malformed(answer: &roost_tests::Answer) -> bool {
    answer.status == 400 && answer.json()["error"] == "INVALID_UID_FORMAT"
}

/// Proves: D33, D35.
#[test]
fn a_prefix_and_twenty_seven_letters_or_digits_are_well_formed_and_nothing_else_is() {
    let api = Setup::new().serve();
    let body = "36AbCdEfGhIjKlMnOpQrStUvWx9";
    for prefix in PREFIXES {
        for good in [body, "000000000000000000000000000", "zzzzzzzzzzzzzzzzzzzzzzzzzzz"] {
            for (answer, ..) in send_to_places(&api, prefix, &format!("{prefix}{good}")) {
                assert!(!is_malformed(&answer), "{}", answer.shown());
            }
        }
        let swapped = if prefix == "LST_" { "CON_" } else { "LST_" };
        let bad = [
            format!("{prefix}{}", &body[1..]),
            format!("{prefix}{body}0"),
            format!("{prefix}{}-", &body[1..]),
            format!("{prefix}{}_", &body[1..]),
            body.to_owned(),
            prefix.to_owned(),
            format!("{swapped}{body}"),
            format!("{}{body}", prefix.to_uppercase().replace("LST_", "lst_").replace("CON_", "con_")),
            format!("x{prefix}{body}"),
        ];
        for uid in bad {
            for (answer, family, field) in send_to_places(&api, prefix, &uid) {
                answer.is(&malformed_uid(family, field, &uid));
            }
        }
    }
}

/// Returns the seconds since 1970 in a KSUID, by its published layout.
fn id_second(uid: &str) -> u64 {
    const ALPHABET: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut bytes = [0_u8; 20];
    for digit in uid.split_once('_').expect("a prefix").1.chars() {
        let mut carry = ALPHABET.find(digit).expect("a digit of base 62");
        for byte in bytes.iter_mut().rev() {
            let value = usize::from(*byte) * 62 + carry;
            (*byte, carry) = ((value % 256) as u8, value / 256);
        }
        assert_eq!(carry, 0, "{uid} is more than twenty bytes");
    }
    1_400_000_000 + u64::from(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// Proves: D34.
#[test]
fn made_ids_carry_their_second_and_sort_by_it() {
    let begin = 1_767_603_600;
    let api = Setup::new().at("2026-01-05T09:00:00Z").serve();
    let mut made: Vec<[String; 3]> = Vec::new();
    for second in 0..5 {
        let text = |value: &Value| value.as_str().expect("an id").to_owned();
        let list = api.post("/contacts/v1/lists/create", &json!({ "name": "x" })).ok();
        let link =
            api.post("/assets/v1/shortlink", &json!({ "title": "x", "target_url": "https://shop.example" })).ok();
        let sender =
            api.admin().post("/__admin/senders", &json!({ "name": format!("Sender {second}") })).expect(201).json();
        let ids = [text(&list["uid"]), text(&link["link_id"]), text(&sender["id"])];
        for (id, prefix) in ids.iter().zip(["LST_", "shl_", "ssd_"]) {
            assert!(id.starts_with(prefix) && id.len() == 31, "{id}");
            assert_eq!(id_second(id), begin + second, "{id}");
        }
        made.push(ids);
        api.advance(1);
    }
    for pair in made.windows(2) {
        assert!(pair[0].iter().zip(&pair[1]).all(|(earlier, later)| earlier < later), "{pair:?}");
    }
}

/// Proves: D36, R4_3_malformed_list_id, R4_5_malformed_uid.
#[test]
fn a_malformed_uid_is_reported_under_the_name_of_its_place() {
    let api = Setup::new().serve();
    for prefix in PREFIXES {
        for (answer, family, field) in send_to_places(&api, prefix, "abc") {
            answer.is(&malformed_uid(family, field, "abc"));
        }
    }
    let blank = creation_body("skipDuplicates", json!([{ "phone_number": "07700900001" }]));
    for uid in ["", " "] {
        let mut body = blank.clone();
        body["list_id"] = json!(uid);
        api.post("/contacts/v1/contacts", &body).is(&malformed_uid(C, "createContacts.request.listUid", uid));
    }
}

/// Proves: D36, D46, D108.
#[test]
fn senders_and_new_opt_outs_have_no_separate_error_for_a_malformed_uid() {
    let api = Setup::new().serve();
    api.get("/assets/v1/senders/abc").expect(404);
    let outcome =
        api.post("/contacts/v1/optouts", &json!({ "optouts": [{ "number": seeds::mobile(1), "asset_id": "abc" }] }));
    let item = json!({ "number": seeds::mobile(1), "channel": "SMS", "status": "failure", "message": "Invalid asset ID: abc" });
    outcome.is(&Expected::new(
        201,
        json!({ "total_submitted": 1, "total_succeeded": 0, "total_failed": 1, "items": [item] }),
    ));
}
