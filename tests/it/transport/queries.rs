//! Query strings: decoding, repeated and unknown parameters, blank values, integers.

use roost_tests::{
    Served, Setup,
    expected::{C, bad_format, invalid, invalid_message, malformed_uid, untraced},
    seeds,
};
use serde_json::json;

fn with_lists(names: &[&str]) -> Served {
    let lists: Vec<_> = names.iter().map(|name| json!({ "name": name })).collect();
    Setup::new().seed(json!({ "lists": lists })).serve()
}

/// Proves: D9.
#[test]
fn queries_are_decoded_by_the_rules_of_forms() {
    let api = with_lists(&["a b", "a+b", "a%zzb", "a\u{fffd}b", "caf\u{e9}", "a=b&c"]);
    for (raw, found) in [
        ("name=a+b", "a b"),
        ("name=a%20b", "a b"),
        ("name=a%2Bb", "a+b"),
        ("name=a%2bb", "a+b"),
        ("name=a%zzb", "a%zzb"),
        ("name=a%FFb", "a\u{fffd}b"),
        ("name=CAF%C3%89", "caf\u{e9}"),
        ("name=a%3Db%26c", "a=b&c"),
        ("n%61me=a=b", "a=b&c"),
    ] {
        assert_eq!(api.get(format!("/contacts/v1/lists/?{raw}")).column("name"), [found], "{raw}");
    }
    let all = api.get("/contacts/v1/lists/?NAME=a+b&Page_Size=1").column("name");
    assert_eq!(all.len(), 6, "names of parameters are case-sensitive");
}

/// Proves: D10.
#[test]
fn the_first_value_counts_and_unknown_parameters_are_ignored() {
    let api = with_lists(&["one", "two", "three"]);
    let query =
        "page_size=1&page_size=2&page_size=x&sort_by=name&sort_by=bad&sort_order=ASC&name=o&name=three&whatever=1&&=";
    assert_eq!(api.get(format!("/contacts/v1/lists/?{query}")).column("name"), ["one"]);
}

/// Proves: D10, D99.
#[test]
fn a_second_opt_out_type_is_an_error_of_its_own() {
    let api = Setup::new().serve();
    let expected = untraced("Invalid opt_out_type. Allowed values: keyword, web_opt_out, account_import, api_import.");
    for query in
        ["opt_out_type=keyword&opt_out_type=keyword", "opt_out_type=keyword,web_opt_out", "opt_out_type=Keyword"]
    {
        api.get(format!("/contacts/v1/optouts?{query}")).is(&expected);
    }
    api.get("/contacts/v1/optouts?opt_out_type=keyword").expect(200);
}

/// Proves: D10, D58.
#[test]
fn fields_are_joined_from_all_their_values() {
    let uid = seeds::id("LST_", "1");
    let api = Setup::new().seed(json!({ "lists": [seeds::filled_list(&uid, "VIP", 1)] })).serve();
    let path = format!("/contacts/v1/contacts/list/{uid}?fields=uid,firstname&fields=phone_number&fields=uid");
    let wanted = json!({ "uid": seeds::id("CON_", "00000"), "firstname": null, "phone_number": seeds::mobile(0) });
    assert_eq!(api.get(path).items(), [wanted]);
}

/// Proves: D11.
#[test]
fn blank_values_are_absent_ones() {
    let uid = seeds::id("LST_", "1");
    let api = Setup::new().seed(json!({ "lists": [seeds::filled_list(&uid, "VIP", 30)] })).serve();
    let all = api.get("/contacts/v1/lists/").ok();
    for blank in ["", "+", "%20%09", "%C2%A0"] {
        let query = format!("page_number={blank}&page_size={blank}&sort_by={blank}&sort_order={blank}&name={blank}");
        assert_eq!(api.get(format!("/contacts/v1/lists/?{query}")).ok(), all);
        let contacts = format!("/contacts/v1/contacts/list/{uid}?page_number={blank}&page_size={blank}&search={blank}");
        assert_eq!(api.get(contacts).items().len(), 30);
        api.get(format!("/assets/v1/senders/?page_number={blank}&page_size={blank}")).expect(200);
        api.get(format!("/contacts/v1/contacts/list/{uid}?fields={blank}"))
            .is(&invalid_message("Contact fields are missing from the request."));
    }
}

/// Proves: D11.
#[test]
fn a_blank_never_widens_the_opt_out_query() {
    let records = json!([seeds::opt_out(&seeds::mobile(1), "SMS", "2026-01-05T09:00:00Z")]);
    let api = Setup::new().seed(json!({ "opt_outs": records })).serve();
    assert_eq!(api.get("/contacts/v1/optouts").items().len(), 1);
    let refusals = [
        ("number", untraced("Invalid number. Supply a valid E.164 number, or a national number with country_code.")),
        (
            "opt_out_type",
            untraced("Invalid opt_out_type. Allowed values: keyword, web_opt_out, account_import, api_import."),
        ),
        ("channel", untraced("Invalid channel. Must be SMS or WHATSAPP.")),
        ("asset_id", malformed_uid(C, "getOptOuts.assetId", "")),
        ("start_time", bad_format("start_time", "date-time")),
        ("end_time", bad_format("end_time", "date-time")),
    ];
    for (name, expected) in &refusals {
        api.get(format!("/contacts/v1/optouts?{name}=")).is(expected);
    }
    for blank in ["", "+"] {
        assert!(api.get(format!("/contacts/v1/optouts?inbound_number={blank}")).items().is_empty());
    }
    api.get("/contacts/v1/optouts?page_number=&page_size=+&sort_order=").expect(200);
}

/// Proves: D12, R4_2_page_size_not_an_integer, R4_2_page_number_not_an_integer, R7_2_val_004.
#[test]
fn integers_are_checked_first_and_only_the_first_fault_is_reported() {
    let uid = seeds::id("LST_", "1");
    let api = Setup::new().seed(json!({ "lists": [seeds::list(&uid, "VIP", json!([]))] })).serve();
    let paths = [
        "/contacts/v1/lists/".to_owned(),
        "/contacts/v1/optouts".to_owned(),
        format!("/contacts/v1/contacts/list/{uid}"),
    ];
    for path in &paths {
        for bad in ["x", "1.0", "1e1", "0x1", "2147483648", "-2147483649", "1+1", "%D9%A1", "--1"] {
            api.get(format!("{path}?page_size={bad}")).is(&bad_format("page_size", "int"));
            api.get(format!("{path}?page_number={bad}")).is(&bad_format("page_number", "int"));
        }
        for good in ["5", "%2B5", "+5+", "%205", "005"] {
            api.get(format!("{path}?page_size={good}&page_number={good}")).expect(200);
        }
        let query = "sort_by=x&sort_order=x&fields=x&channel=x&page_size=x&page_number=y";
        api.get(format!("{path}?{query}")).is(&bad_format("page_number", "int"));
        api.get(format!("{path}?channel=x&sort_order=x&page_size=x&page_number=0")).is(&bad_format("page_size", "int"));
    }
    api.get("/contacts/v1/lists/?page_size=-1").is(&invalid(C, &[("filter.pageSize", "page.size.generic", json!(-1))]));
}
