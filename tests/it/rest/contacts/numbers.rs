//! Numbers of contacts: their accepted spellings and their stored form.

use roost_tests::{
    Served, Setup,
    expected::{C, invalid},
    seeds,
};
use serde_json::{Value, json};

use super::{LIST, creation_body, send_creation, stored_contacts};

fn start_server() -> Served {
    Setup::new().seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] })).serve()
}

/// Returns the number and region that were stored for a contact, or nothing if it was refused.
fn store_and_read(api: &Served, region: Option<&str>, contact: Value) -> Option<Value> {
    let mut body = creation_body("allowDuplicates", json!([contact]));
    body["phone_region"] = json!(region);
    let answer = api.post("/contacts/v1/contacts", &body);
    if answer.status == 400 {
        let field = "createContacts.request.conCreateRequests[0]";
        answer.is(&invalid(C, &[(field, "Invalid phone number.", contact)]));
        return None;
    }
    answer.expect(200);
    api.settle();
    let newest = stored_contacts(api).swap_remove(0);
    let uid = newest["uid"].as_str().expect("a uid");
    api.delete(format!("/contacts/v1/contacts/{uid}")).expect(204);
    Some(newest)
}

fn stored_number(api: &Served, region: Option<&str>, raw: &str) -> Option<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let contact = store_and_read(api, region, json!({ "phone_number": raw }))?;
    Some((text(&contact["phone_number"]), text(&contact["phone_region"])))
}

fn stored_british(number: &str) -> Option<(String, String)> {
    Some((number.to_owned(), "GB".to_owned()))
}

/// Proves: D37.
#[test]
fn separators_are_removed_and_other_characters_are_refused() {
    let api = start_server();
    for good in [
        " 07700900001 ",
        "07700 900001",
        "(07700)900001",
        "07700-900-001",
        "07700.900.001",
        "07700/900001",
        "07700\u{a0}900001",
        "07700\t900001",
        "07700\u{2010}900\u{2015}001",
        "+44 7700 900001",
        "\u{2003}07700900001\n",
    ] {
        assert_eq!(stored_number(&api, None, good), stored_british("+447700900001"), "{good:?}");
    }
    for bad in [
        "0770090000a",
        "07700900001#",
        "07700900001;1",
        "07700900001x1",
        "07700900001 ext1",
        "tel:07700900001",
        "++447700900001",
        "4477+00900001",
        "+4477009\u{661}0001",
        "\u{ff0b}447700900001",
        "07700_900001",
        "07700,900001",
        "07700\u{200b}900001",
        "+",
        "--",
        "07700900001\u{0}",
        "1-800-FLOWERS",
    ] {
        assert_eq!(stored_number(&api, None, bad), None, "{bad:?}");
    }
}

/// Proves: D38.
#[test]
fn a_number_with_a_plus_stands_alone_and_one_without_is_read_in_its_region() {
    let api = start_server();
    for form in ["07700900001", "447700900001", "7700900001", "00447700900001", "+447700900001"] {
        assert_eq!(stored_number(&api, Some("GB"), form), stored_british("+447700900001"), "{form}");
    }
    for region in ["US", "DE", "JP", "GB"] {
        assert_eq!(stored_number(&api, Some(region), "+447700900001"), stored_british("+447700900001"), "{region}");
    }
    assert_eq!(
        stored_number(&api, Some("US"), "011447700900001"),
        stored_british("+447700900001"),
        "the region's international prefix"
    );
    let american = Some(("+12015550123".to_owned(), "US".to_owned()));
    assert_eq!(stored_number(&api, Some("US"), "(201) 555-0123"), american);
    assert_eq!(stored_number(&api, Some("US"), "12015550123"), american);
    assert_eq!(stored_number(&api, Some("US"), "07700900001"), None);
    assert_eq!(stored_number(&api, Some("GB"), "12015550123"), None);
}

/// Proves: D40.
#[test]
fn a_number_is_valid_not_merely_possible() {
    let api = start_server();
    for bad in
        ["+44770", "+4477009000011", "+441234", "+449999999999", "07000900001x", "999", "+999123456789", "0", "+0"]
    {
        assert_eq!(stored_number(&api, None, bad), None, "{bad}");
    }
    for good in ["+447700900000", "+447700900999", "+441632960000", "+441632960999"] {
        assert_eq!(stored_number(&api, None, good), stored_british(good));
    }
}

/// Proves: D41.
#[test]
fn e164_and_region_are_stored() {
    let api = start_server();
    for (raw, e164, region) in [
        ("07781 100000", "+447781100000", "GG"),
        ("07797 700000", "+447797700000", "JE"),
        ("07624 000000", "+447624000000", "IM"),
        ("+80012345678", "+80012345678", "001"),
        ("+33123456789", "+33123456789", "FR"),
    ] {
        assert_eq!(stored_number(&api, None, raw), Some((e164.to_owned(), region.to_owned())), "{raw}");
    }
    let both = store_and_read(&api, None, json!({ "whatsapp_number": "07624000000" })).expect("valid");
    assert_eq!((&both["whatsapp_id"], &both["whatsapp_region"]), (&json!("+447624000000"), &json!("IM")));
    assert_eq!((&both["phone_number"], &both["phone_region"]), (&Value::Null, &Value::Null));
}

/// Proves: D42.
#[test]
fn sixteen_characters_are_counted_before_separators_go() {
    let api = start_server();
    assert_eq!(stored_number(&api, None, "+44 7700 900 001"), stored_british("+447700900001"), "sixteen");
    assert_eq!(
        stored_number(&api, None, "      07700900001      "),
        stored_british("+447700900001"),
        "blanks around it are cut first"
    );
    for (attribute, long) in [
        ("phone_number", "+44 (0)7700 900001"),
        ("phone_number", "+44 7700 900 0 01"),
        ("whatsapp_number", "1234567890123456x"),
        ("phone_number", "   "),
    ] {
        let field = format!("createContacts.request.conCreateRequests[0].{attribute}");
        let expected = invalid(C, &[(&field, "size must be between 1 and 16", json!(long))]);
        send_creation(&api, "allowDuplicates", json!([{ attribute: long }])).is(&expected);
    }
}

/// Proves: D43.
#[test]
fn the_region_is_british_unless_given_and_serves_both_numbers() {
    let api = start_server();
    assert_eq!(stored_number(&api, None, "07700900001"), stored_british("+447700900001"));
    let both =
        store_and_read(&api, Some("US"), json!({ "phone_number": "2015550123", "whatsapp_number": "2015550124" }))
            .expect("valid");
    assert_eq!((&both["phone_number"], &both["whatsapp_id"]), (&json!("+12015550123"), &json!("+12015550124")));
    assert_eq!(
        store_and_read(&api, Some("US"), json!({ "phone_number": "2015550123", "whatsapp_number": "07700900001" })),
        None
    );
}
