//! Every error row of the interface, provoked at the emulator, has a sentence that says what to do.

use std::collections::BTreeSet;

use bytes::Bytes;
use roost_model::{channel::Channel, contact::MergeType, opt_out::OptOutType};
use roost_reconcile::{
    Row,
    answer::{Refusal, Verdict},
    plan::Item,
    row::Field,
};
use roost_sync::remote::{
    Call, Client, ContactsAsked, Error, LinkMade, LinksAsked, ListsAsked, OptOutsAsked, Order, PageAsked, Request,
};
use roost_tests::{Served, Setup, seeds};
use serde_json::json;

use super::{PAGE, bent, client, run};
use crate::{contract::rows::FAILURE_ROWS, rest::LIST};

/// A row of the interface, the call that provokes it, and the expected sentence.
struct Case {
    row: &'static str,
    call: Call,
    bend: fn(&mut Request),
    verdict: Verdict,
    says: &'static str,
}

fn straight(_: &mut Request) {}

fn malformed(request: &mut Request) {
    request.body = Some(Bytes::from_static(b"{"));
}

macro_rules! in_url {
    ($from:literal => $to:literal) => {
        |request: &mut Request| {
            assert!(request.url.contains($from), "{}", request.url);
            request.url = request.url.replace($from, $to);
        }
    };
}

macro_rules! in_body {
    ($from:literal => $to:literal) => {
        |request: &mut Request| {
            let body = String::from_utf8(request.body.clone().expect("a body").to_vec()).expect("text");
            assert!(body.contains($from), "{body}");
            request.body = Some(body.replace($from, $to).into());
        }
    };
}

fn contacts(list: &str, region: Option<&str>, rows: &[Row]) -> Call {
    let item = |send: &Row| Item { id: 1, send: send.clone(), clear: vec![], before: None, expect: send.clone() };
    Call::create_contacts(list, region, MergeType::SkipDuplicates, &rows.iter().map(item).collect::<Vec<_>>())
}

fn case(row: &'static str, call: Call, bend: fn(&mut Request), verdict: Verdict, says: &'static str) -> Case {
    Case { row, call, bend, verdict, says }
}

fn cases() -> Vec<Case> {
    let rule = Verdict::Refused(Refusal::Rule);
    let malformed_id = Verdict::Refused(Refusal::MalformedId);
    let body = Verdict::Refused(Refusal::Body);
    let sized = |size| PageAsked { number: 1, size };
    let lists = Call::lists(&ListsAsked { name: None, page: PAGE });
    let read = |asked: &ContactsAsked<'_>| Call::contacts(LIST, asked);
    let phone = |number: &str| Row::default().with(Field::Phone, number);
    let good = phone("+447700900001");
    let title = Field::parse("title").expect("a field");
    let opt_outs = |asked: OptOutsAsked<'_>| Call::opt_outs(&asked);
    let by_type =
        || OptOutsAsked { kind: Some(OptOutType::Keyword), channel: Some(Channel::Sms), ..OptOutsAsked::default() };
    let whatsapp = seeds::id("wbp_", "W");
    let numbers = ["+447700900001".to_owned()];
    let bad_tag = ["a!b".to_owned()];
    let link = LinkMade { title: "A", target_url: "https://a.example/", tags: &bad_tag, track_clicks: true };
    let links = LinksAsked { text: None, since: None, order: Order::Rising, page: PAGE };
    let smaller = "pages of the size it allows";
    let newer = "Look for a newer Roost";
    vec![
        case("R4_1_page_size_high", Call::senders(sized(101)), straight, rule, smaller),
        case("R4_1_page_size_low", Call::senders(sized(0)), straight, rule, smaller),
        case("R4_1_sender_absent", Call::delete_sender(&seeds::id("ssd_", "Z")), straight, Verdict::Gone, "Pull"),
        case("R4_2_sort_order", lists.clone(), in_url!("sort_order=ASC" => "sort_order=UP"), rule, newer),
        case("R4_2_sort_by", lists.clone(), in_url!("sort_by=created_at" => "sort_by=colour"), rule, newer),
        case("R4_2_page_size_not_an_integer", lists.clone(), in_url!("page_size=100" => "page_size=x"), rule, newer),
        case("R4_2_page_number_not_an_integer", lists, in_url!("page_number=1" => "page_number=x"), rule, newer),
        case("R4_2_name_too_long", Call::create_list(&"x".repeat(121)), straight, rule, "1 to 120 characters"),
        case("R4_2_malformed_uid", Call::delete_list("LST_1"), straight, malformed_id, "Pull again"),
        case("R4_3_page_size_zero", read(&ContactsAsked::Page(sized(0))), straight, rule, smaller),
        case(
            "R4_3_unknown_field",
            read(&ContactsAsked::Fields("uid,nickname", PAGE)),
            straight,
            rule,
            "asks for those there are",
        ),
        case("R4_3_fields_empty", read(&ContactsAsked::Fields("", PAGE)), straight, rule, "asks for those there are"),
        case("R4_3_no_number", contacts(LIST, None, &[good.clone(), Row::default()]), straight, rule, "valid phone"),
        case(
            "R4_3_invalid_number",
            contacts(LIST, None, &[good.clone(), phone("+44770")]),
            straight,
            rule,
            "valid phone",
        ),
        case(
            "R2_3b_limits",
            contacts(LIST, None, &[good.clone(), good.clone().with(title, &"x".repeat(31))]),
            straight,
            rule,
            "title may have 30 characters at most",
        ),
        case(
            "R4_3_attribute_size",
            contacts(LIST, None, &[good.clone().with(title, "Ms")]),
            in_body!("\"Ms\"" => "\"\""),
            rule,
            "title may have 30 characters at most",
        ),
        case("R4_3_contacts_empty", contacts(LIST, None, &[]), straight, rule, "Make the plan again"),
        case(
            "R4_3_list_unknown",
            contacts(&seeds::id("LST_", "Z"), None, std::slice::from_ref(&good)),
            straight,
            Verdict::Refused(Refusal::ListNotFound),
            "decide about the changes",
        ),
        case(
            "R4_3_malformed_list_id",
            contacts("LST_1", None, std::slice::from_ref(&good)),
            straight,
            malformed_id,
            "Pull again",
        ),
        case(
            "R4_3_invalid_region",
            contacts(LIST, Some("UK"), std::slice::from_ref(&good)),
            straight,
            rule,
            "such as GB",
        ),
        case(
            "R4_3_invalid_merge_type",
            contacts(LIST, None, std::slice::from_ref(&good)),
            in_body!("skipDuplicates" => "skip"),
            rule,
            newer,
        ),
        case("R4_3_body_malformed", contacts(LIST, None, &[good]), malformed, body, newer),
        case(
            "R4_4_invalid_number",
            opt_outs(OptOutsAsked { number: Some("12"), ..OptOutsAsked::default() }),
            straight,
            rule,
            "Correct number",
        ),
        case("R4_4_invalid_type", opt_outs(by_type()), in_url!("=keyword" => "=x"), rule, "Correct number, type"),
        case(
            "R4_4_invalid_channel",
            opt_outs(by_type()),
            in_url!("=SMS" => "=FAX"),
            rule,
            "Correct number, type, channel",
        ),
        case(
            "R4_4_page_size",
            opt_outs(OptOutsAsked { page: Some(sized(1_001)), ..OptOutsAsked::default() }),
            straight,
            rule,
            smaller,
        ),
        case(
            "R4_4_missing_number",
            Call::create_opt_out("+447700900001", Channel::Sms, None),
            in_body!("\"number\":\"+447700900001\"" => "\"number\":null"),
            rule,
            "with its country code",
        ),
        case(
            "R4_4_create_body_malformed",
            Call::create_opt_out("+447700900001", Channel::Sms, None),
            malformed,
            body,
            newer,
        ),
        case(
            "R4_4_numbers_missing",
            Call::delete_opt_outs(&[], Channel::Sms, None),
            straight,
            rule,
            "Make the plan again",
        ),
        case(
            "R4_4_delete_mismatch",
            Call::delete_opt_outs(&numbers, Channel::Sms, Some(&whatsapp)),
            straight,
            rule,
            "Choose an asset of that channel",
        ),
        case("R4_4_delete_body_malformed", Call::delete_opt_outs(&numbers, Channel::Sms, None), malformed, body, newer),
        case("R4_5_invalid_tag", Call::create_link(&link), straight, rule, "1 to 50 letters"),
        case("R4_5_unknown_link", Call::delete_link(&seeds::id("shl_", "Z")), straight, Verdict::Gone, "Pull"),
        case("R4_5_sort_order", Call::links(&links), in_body!("\"ASC\"" => "\"UP\""), rule, newer),
        case("R7_3_val_004", Call::links(&links), in_body!("\"page_number\":1" => "\"page_number\":\"x\""), rule, ""),
        case("R7_3_req_002", Call::links(&links), malformed, body, newer),
        case("R4_5_malformed_uid", Call::delete_link("shl_1"), straight, malformed_id, "Pull again"),
    ]
}

fn account() -> Served {
    let assets = [seeds::sms_asset("A", "+447700900100"), seeds::whatsapp_asset("W", "+447700900101")];
    Setup::new().seed(json!({ "lists": [seeds::filled_list(LIST, "A", 1)], "assets": assets })).serve()
}

async fn refused(client: &Client, call: &Call) -> Error {
    match client.turn(call.lane).await.send(call).await {
        Ok(done) => panic!("{call:?} was taken: {done:?}"),
        Err(error) => error,
    }
}

#[test]
fn every_error_row_has_its_sentence() {
    let api = account();
    run(async {
        for Case { row, call, bend, verdict, says } in cases() {
            let error = refused(&bent(&api, bend), &call).await;
            let said = error.to_string();
            assert_eq!(error.verdict, verdict, "{row}: {said}");
            assert!(said.contains(says) && said.ends_with('.'), "{row}: {said}");
            assert_eq!(error.is_permanent(), verdict != Verdict::Gone, "{row}");
        }
    });
}

/// Entries of an opt-out request that fail within a successful response.
const ENTRIES: [&str; 6] = [
    "R4_4_entry_number",
    "R4_4_entry_asset",
    "R4_4_entry_mismatch",
    "R4_4_delete_not_on_channel",
    "R4_4_delete_not_for_asset",
    "R4_4_delete_invalid_number",
];

/// Rows that stand for others or that the emulator never sends, with the test that covers them.
const ELSEWHERE: [(&str, &str); 13] = [
    ("R7_1_shape_a", "R4_1_sender_absent"),
    ("R7_1_shape_b", "R4_5_unknown_link"),
    ("R7_2_validation_error", "R4_3_no_number"),
    ("R7_2_invalid_uid_format", "R4_2_malformed_uid"),
    ("R7_2_bad_request", "R4_3_list_unknown"),
    ("R7_2_missing_required_field", "R4_4_missing_number"),
    ("R7_2_val_004", "R4_2_page_size_not_an_integer"),
    ("R7_2_req_002", "R4_3_body_malformed"),
    ("R7_3_val_001", "R4_5_invalid_tag"),
    ("R7_3_nf_003", "R4_5_unknown_link"),
    ("R7_3_auth_002", "keys_and_addresses_that_are_wrong_are_told_apart"),
    ("R7_3_sys_001", "faults::answers_of_any_shape_are_survived"),
    ("R7_3_gen_001", "faults::answers_of_any_shape_are_survived"),
];

#[test]
fn no_error_row_of_the_interface_is_missing() {
    let mut met: BTreeSet<&str> = cases().iter().map(|case| case.row).collect();
    met.extend(ENTRIES);
    for (row, stands_for) in ELSEWHERE {
        assert!(!stands_for.starts_with('R') || met.contains(stands_for), "{row}: no case {stands_for}");
        met.insert(row);
    }
    // Roost never sends a body without a required parameter, and a success is not an error.
    met.extend(["R7_3_req_001", "R7_2_success_cnt_gen_001"]);
    let missing: Vec<_> = FAILURE_ROWS.iter().filter(|(row, _)| !met.contains(row)).collect();
    assert!(missing.is_empty(), "without a sentence: {missing:#?}");
    let known: BTreeSet<&str> = FAILURE_ROWS.iter().map(|(row, _)| *row).collect();
    let unknown: Vec<_> = met.iter().filter(|row| !known.contains(*row)).collect();
    assert!(unknown.is_empty(), "no rows of the interface: {unknown:?}");
}

#[test]
fn a_refused_request_names_its_rows() {
    let api = account();
    run(async {
        let good = Row::default().with(Field::Phone, "+447700900001");
        let long = good
            .clone()
            .with(Field::Custom(2), &"x".repeat(501))
            .with(Field::parse("zip").expect("one"), &"x".repeat(25));
        let call = contacts(LIST, None, &[good.clone(), Row::default(), good, long]);
        let rows = refused(&client(&api), &call).await.rows();
        assert_eq!(rows.iter().map(|(row, told)| (*row, told.len())).collect::<Vec<_>>(), [(1, 1), (3, 2)]);
        assert!(rows[0].1[0].contains("country code"));
        assert!(rows[1].1[0].starts_with("zip may have 24") && rows[1].1[1].starts_with("field_2 may have 500"));
    });
}

#[test]
fn entries_that_fail_within_a_success_have_sentences_too() {
    let api = account();
    run(async {
        let client = client(&api);
        let (gone, whatsapp) = (seeds::id("num_", "Z"), seeds::id("wbp_", "W"));
        let numbers = ["+447700900009".to_owned(), "12".to_owned()];
        for (row, call, says) in [
            ("R4_4_entry_number", Call::create_opt_out("12", Channel::Sms, None), "Correct the number"),
            (
                "R4_4_entry_asset",
                Call::create_opt_out("+447700900001", Channel::Sms, Some(&gone)),
                "that the account has",
            ),
            (
                "R4_4_entry_mismatch",
                Call::create_opt_out("+447700900001", Channel::Sms, Some(&whatsapp)),
                "asset of the opt-out",
            ),
            ("R4_4_delete_not_on_channel", Call::delete_opt_outs(&numbers, Channel::Sms, None), "Pull the opt-outs"),
            (
                "R4_4_delete_not_for_asset",
                Call::delete_opt_outs(&numbers, Channel::Sms, Some(&gone)),
                "Pull the opt-outs",
            ),
        ] {
            let done = client.turn(call.lane).await.send(&call).await.unwrap_or_else(|error| panic!("{row}: {error}"));
            for outcome in &done.outcomes {
                let said = outcome.advice(call.lane);
                assert!(
                    !outcome.succeeded() && said.contains(says) && said.contains(&outcome.message),
                    "{row}: {said}"
                );
            }
            assert!(!done.outcomes.is_empty(), "{row}");
        }
    });
}

#[test]
fn keys_and_addresses_that_are_wrong_are_told_apart() {
    let keys = json!([{ "value": "other-key-0123456789", "permissions": ["senders"] }]).to_string();
    let api = Setup::new().set("auth", "keys").set("auth.keys", &keys).serve();
    run(async {
        let call = Call::create_list("A");
        let unknown = refused(&client(&api), &call).await;
        assert!(unknown.to_string().contains("Enter it again"), "{unknown}");
        let other = |request: &mut Request| {
            request.key = roost_sync::remote::Key::new("x-auth-key", "other-key-0123456789").ok();
        };
        let forbidden = refused(&bent(&api, other), &call).await;
        assert!(forbidden.to_string().contains("does not permit creating a list"), "{forbidden}");
        for bend in [in_url!("/create" => "/make") as fn(&mut Request), in_url!("/contacts/v1/lists/create" => "/x")] {
            let nowhere = refused(&bent(&api, bend), &call).await;
            assert!(nowhere.to_string().contains("Check the base address"), "{nowhere}");
            assert!(nowhere.is_permanent());
        }
    });
}
