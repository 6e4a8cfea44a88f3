//! Every error row of the interface, provoked at the emulator, has a sentence that says what to do.

use std::collections::BTreeSet;

use bytes::Bytes;
use roost_model::{channel::Channel, contact::MergeType, opt_out::OptOutType};
use roost_reconcile::{
    ContactRow,
    plan::ContactItem,
    response::{RefusalReason, ResponseMeaning},
    row::SyncField,
};
use roost_sync::remote::{
    Client, ContactsParams, LinkBody, LinksParams, ListsParams, OptOutsParams, PageParams, QueryOrder, ServiceCall,
    ServiceError, ServiceRequest,
};
use roost_tests::{Served, Setup, seeds};
use serde_json::json;

use super::{PAGE, bending_client, client_of, run_async};
use crate::{contract::rows::FAILURE_ROWS, rest::LIST};

/// A row of the interface, the call that provokes it, and the expected sentence.
struct ErrorCase {
    row: &'static str,
    call: ServiceCall,
    bend: fn(&mut ServiceRequest),
    verdict: ResponseMeaning,
    says: &'static str,
}

fn leave_unchanged(_: &mut ServiceRequest) {}

fn break_request(request: &mut ServiceRequest) {
    request.body = Some(Bytes::from_static(b"{"));
}

macro_rules! in_url {
    ($from:literal => $to:literal) => {
        |request: &mut ServiceRequest| {
            assert!(request.url.contains($from), "{}", request.url);
            request.url = request.url.replace($from, $to);
        }
    };
}

macro_rules! in_body {
    ($from:literal => $to:literal) => {
        |request: &mut ServiceRequest| {
            let body = String::from_utf8(request.body.clone().expect("a body").to_vec()).expect("text");
            assert!(body.contains($from), "{body}");
            request.body = Some(body.replace($from, $to).into());
        }
    };
}

fn creation_call(list: &str, region: Option<&str>, rows: &[ContactRow]) -> ServiceCall {
    let item = |send: &ContactRow| ContactItem {
        id: 1,
        send: send.clone(),
        clear: vec![],
        before: None,
        expect: send.clone(),
    };
    ServiceCall::create_contacts(list, region, MergeType::SkipDuplicates, &rows.iter().map(item).collect::<Vec<_>>())
}

fn build_case(
    row: &'static str,
    call: ServiceCall,
    bend: fn(&mut ServiceRequest),
    verdict: ResponseMeaning,
    says: &'static str,
) -> ErrorCase {
    ErrorCase { row, call, bend, verdict, says }
}

fn error_cases() -> Vec<ErrorCase> {
    let rule = ResponseMeaning::Refused(RefusalReason::Rule);
    let malformed_id = ResponseMeaning::Refused(RefusalReason::MalformedId);
    let body = ResponseMeaning::Refused(RefusalReason::Body);
    let sized = |size| PageParams { number: 1, size };
    let lists = ServiceCall::query_lists(&ListsParams { name: None, page: PAGE });
    let read = |params: &ContactsParams<'_>| ServiceCall::query_contacts(LIST, params);
    let phone = |number: &str| ContactRow::default().with_value(SyncField::Phone, number);
    let good = phone("+447700900001");
    let title = SyncField::parse("title").expect("a field");
    let opt_outs = |params: OptOutsParams<'_>| ServiceCall::query_opt_outs(&params);
    let by_type =
        || OptOutsParams { kind: Some(OptOutType::Keyword), channel: Some(Channel::Sms), ..OptOutsParams::default() };
    let whatsapp = seeds::id("wbp_", "W");
    let numbers = ["+447700900001".to_owned()];
    let bad_tag = ["a!b".to_owned()];
    let link = LinkBody { title: "A", target_url: "https://a.example/", tags: &bad_tag, track_clicks: true };
    let links = LinksParams { text: None, since: None, order: QueryOrder::Rising, page: PAGE };
    let smaller = "pages of the size it allows";
    let newer = "Look for a newer Roost";
    vec![
        build_case("R4_1_page_size_high", ServiceCall::query_senders(sized(101)), leave_unchanged, rule, smaller),
        build_case("R4_1_page_size_low", ServiceCall::query_senders(sized(0)), leave_unchanged, rule, smaller),
        build_case(
            "R4_1_sender_absent",
            ServiceCall::delete_sender(&seeds::id("ssd_", "Z")),
            leave_unchanged,
            ResponseMeaning::Gone,
            "Pull",
        ),
        build_case("R4_2_sort_order", lists.clone(), in_url!("sort_order=ASC" => "sort_order=UP"), rule, newer),
        build_case("R4_2_sort_by", lists.clone(), in_url!("sort_by=created_at" => "sort_by=colour"), rule, newer),
        build_case(
            "R4_2_page_size_not_an_integer",
            lists.clone(),
            in_url!("page_size=100" => "page_size=x"),
            rule,
            newer,
        ),
        build_case("R4_2_page_number_not_an_integer", lists, in_url!("page_number=1" => "page_number=x"), rule, newer),
        build_case(
            "R4_2_name_too_long",
            ServiceCall::create_list(&"x".repeat(121)),
            leave_unchanged,
            rule,
            "1 to 120 characters",
        ),
        build_case(
            "R4_2_malformed_uid",
            ServiceCall::delete_list("LST_1"),
            leave_unchanged,
            malformed_id,
            "Pull again",
        ),
        build_case("R4_3_page_size_zero", read(&ContactsParams::Page(sized(0))), leave_unchanged, rule, smaller),
        build_case(
            "R4_3_unknown_field",
            read(&ContactsParams::Fields("uid,nickname", PAGE)),
            leave_unchanged,
            rule,
            "asks for those there are",
        ),
        build_case(
            "R4_3_fields_empty",
            read(&ContactsParams::Fields("", PAGE)),
            leave_unchanged,
            rule,
            "asks for those there are",
        ),
        build_case(
            "R4_3_no_number",
            creation_call(LIST, None, &[good.clone(), ContactRow::default()]),
            leave_unchanged,
            rule,
            "valid phone",
        ),
        build_case(
            "R4_3_invalid_number",
            creation_call(LIST, None, &[good.clone(), phone("+44770")]),
            leave_unchanged,
            rule,
            "valid phone",
        ),
        build_case(
            "R2_3b_limits",
            creation_call(LIST, None, &[good.clone(), good.clone().with_value(title, &"x".repeat(31))]),
            leave_unchanged,
            rule,
            "title may have at most 30 characters",
        ),
        build_case(
            "R4_3_attribute_size",
            creation_call(LIST, None, &[good.clone().with_value(title, "Ms")]),
            in_body!("\"Ms\"" => "\"\""),
            rule,
            "title may have at most 30 characters",
        ),
        build_case("R4_3_contacts_empty", creation_call(LIST, None, &[]), leave_unchanged, rule, "Make the plan again"),
        build_case(
            "R4_3_list_unknown",
            creation_call(&seeds::id("LST_", "Z"), None, std::slice::from_ref(&good)),
            leave_unchanged,
            ResponseMeaning::Refused(RefusalReason::ListNotFound),
            "decide about the changes",
        ),
        build_case(
            "R4_3_malformed_list_id",
            creation_call("LST_1", None, std::slice::from_ref(&good)),
            leave_unchanged,
            malformed_id,
            "Pull again",
        ),
        build_case(
            "R4_3_invalid_region",
            creation_call(LIST, Some("UK"), std::slice::from_ref(&good)),
            leave_unchanged,
            rule,
            "such as GB",
        ),
        build_case(
            "R4_3_invalid_merge_type",
            creation_call(LIST, None, std::slice::from_ref(&good)),
            in_body!("skipDuplicates" => "skip"),
            rule,
            newer,
        ),
        build_case("R4_3_body_malformed", creation_call(LIST, None, &[good]), break_request, body, newer),
        build_case(
            "R4_4_invalid_number",
            opt_outs(OptOutsParams { number: Some("12"), ..OptOutsParams::default() }),
            leave_unchanged,
            rule,
            "Correct number",
        ),
        build_case("R4_4_invalid_type", opt_outs(by_type()), in_url!("=keyword" => "=x"), rule, "Correct number, type"),
        build_case(
            "R4_4_invalid_channel",
            opt_outs(by_type()),
            in_url!("=SMS" => "=FAX"),
            rule,
            "Correct number, type, channel",
        ),
        build_case(
            "R4_4_page_size",
            opt_outs(OptOutsParams { page: Some(sized(1_001)), ..OptOutsParams::default() }),
            leave_unchanged,
            rule,
            smaller,
        ),
        build_case(
            "R4_4_missing_number",
            ServiceCall::create_opt_out("+447700900001", Channel::Sms, None),
            in_body!("\"number\":\"+447700900001\"" => "\"number\":null"),
            rule,
            "with its country code",
        ),
        build_case(
            "R4_4_create_body_malformed",
            ServiceCall::create_opt_out("+447700900001", Channel::Sms, None),
            break_request,
            body,
            newer,
        ),
        build_case(
            "R4_4_numbers_missing",
            ServiceCall::delete_opt_outs(&[], Channel::Sms, None),
            leave_unchanged,
            rule,
            "Make the plan again",
        ),
        build_case(
            "R4_4_delete_mismatch",
            ServiceCall::delete_opt_outs(&numbers, Channel::Sms, Some(&whatsapp)),
            leave_unchanged,
            rule,
            "Choose an asset of that channel",
        ),
        build_case(
            "R4_4_delete_body_malformed",
            ServiceCall::delete_opt_outs(&numbers, Channel::Sms, None),
            break_request,
            body,
            newer,
        ),
        build_case("R4_5_invalid_tag", ServiceCall::create_link(&link), leave_unchanged, rule, "1 to 50 letters"),
        build_case(
            "R4_5_unknown_link",
            ServiceCall::delete_link(&seeds::id("shl_", "Z")),
            leave_unchanged,
            ResponseMeaning::Gone,
            "Pull",
        ),
        build_case("R4_5_sort_order", ServiceCall::search_links(&links), in_body!("\"ASC\"" => "\"UP\""), rule, newer),
        build_case(
            "R7_3_val_004",
            ServiceCall::search_links(&links),
            in_body!("\"page_number\":1" => "\"page_number\":\"x\""),
            rule,
            "",
        ),
        build_case("R7_3_req_002", ServiceCall::search_links(&links), break_request, body, newer),
        build_case(
            "R4_5_malformed_uid",
            ServiceCall::delete_link("shl_1"),
            leave_unchanged,
            malformed_id,
            "Pull again",
        ),
    ]
}

fn refusing_account() -> Served {
    let assets = [seeds::sms_asset("A", "+447700900100"), seeds::whatsapp_asset("W", "+447700900101")];
    Setup::new().seed(json!({ "lists": [seeds::filled_list(LIST, "A", 1)], "assets": assets })).serve()
}

async fn call_refused(client: &Client, call: &ServiceCall) -> ServiceError {
    match client.wait_for_turn(call.lane).await.send(call).await {
        Ok(done) => panic!("{call:?} was taken: {done:?}"),
        Err(error) => error,
    }
}

#[test]
fn every_error_row_has_its_sentence() {
    let api = refusing_account();
    run_async(async {
        for ErrorCase { row, call, bend, verdict, says } in error_cases() {
            let error = call_refused(&bending_client(&api, bend), &call).await;
            let message = error.to_string();
            assert_eq!(error.verdict, verdict, "{row}: {message}");
            assert!(message.contains(says) && message.ends_with('.'), "{row}: {message}");
            assert_eq!(error.is_permanent(), verdict != ResponseMeaning::Gone, "{row}");
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
    ("R7_3_auth_002", "a_wrong_key_differs_from_a_wrong_address"),
    ("R7_3_sys_001", "faults::answers_of_any_shape_are_survived"),
    ("R7_3_gen_001", "faults::answers_of_any_shape_are_survived"),
];

#[test]
fn no_error_row_of_the_interface_is_missing() {
    let mut met: BTreeSet<&str> = error_cases().iter().map(|case| case.row).collect();
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
    let api = refusing_account();
    run_async(async {
        let good = ContactRow::default().with_value(SyncField::Phone, "+447700900001");
        let long = good
            .clone()
            .with_value(SyncField::Custom(2), &"x".repeat(501))
            .with_value(SyncField::parse("zip").expect("one"), &"x".repeat(25));
        let call = creation_call(LIST, None, &[good.clone(), ContactRow::default(), good, long]);
        let rows = call_refused(&client_of(&api), &call).await.refused_contacts();
        assert_eq!(rows.iter().map(|(row, faults)| (*row, faults.len())).collect::<Vec<_>>(), [(1, 1), (3, 2)]);
        assert!(rows[0].1[0].contains("country code"));
        assert!(
            rows[1].1[0].starts_with("zip may have at most 24")
                && rows[1].1[1].starts_with("field_2 may have at most 500")
        );
    });
}

#[test]
fn entries_that_fail_within_a_success_have_sentences_too() {
    let api = refusing_account();
    run_async(async {
        let client = client_of(&api);
        let (missing, whatsapp) = (seeds::id("num_", "Z"), seeds::id("wbp_", "W"));
        let numbers = ["+447700900009".to_owned(), "12".to_owned()];
        for (row, call, says) in [
            ("R4_4_entry_number", ServiceCall::create_opt_out("12", Channel::Sms, None), "Correct the number"),
            (
                "R4_4_entry_asset",
                ServiceCall::create_opt_out("+447700900001", Channel::Sms, Some(&missing)),
                "that the account has",
            ),
            (
                "R4_4_entry_mismatch",
                ServiceCall::create_opt_out("+447700900001", Channel::Sms, Some(&whatsapp)),
                "asset of the opt-out",
            ),
            (
                "R4_4_delete_not_on_channel",
                ServiceCall::delete_opt_outs(&numbers, Channel::Sms, None),
                "Pull the opt-outs",
            ),
            (
                "R4_4_delete_not_for_asset",
                ServiceCall::delete_opt_outs(&numbers, Channel::Sms, Some(&missing)),
                "Pull the opt-outs",
            ),
        ] {
            let done = client
                .wait_for_turn(call.lane)
                .await
                .send(&call)
                .await
                .unwrap_or_else(|error| panic!("{row}: {error}"));
            for outcome in &done.outcomes {
                let advice = outcome.advice(call.lane);
                assert!(
                    !outcome.is_success() && advice.contains(says) && advice.contains(&outcome.message),
                    "{row}: {advice}"
                );
            }
            assert!(!done.outcomes.is_empty(), "{row}");
        }
    });
}

#[test]
fn a_wrong_key_differs_from_a_wrong_address() {
    let keys = json!([{ "value": "other-key-0123456789", "permissions": ["senders"] }]).to_string();
    let api = Setup::new().set("auth", "keys").set("auth.keys", &keys).serve();
    run_async(async {
        let call = ServiceCall::create_list("A");
        let unknown = call_refused(&client_of(&api), &call).await;
        assert!(unknown.to_string().contains("Enter it again"), "{unknown}");
        let other = |request: &mut ServiceRequest| {
            request.key = roost_sync::remote::KeyHeader::new("x-auth-key", "other-key-0123456789").ok();
        };
        let forbidden = call_refused(&bending_client(&api, other), &call).await;
        assert!(forbidden.to_string().contains("does not permit creating a list"), "{forbidden}");
        for bend in
            [in_url!("/create" => "/make") as fn(&mut ServiceRequest), in_url!("/contacts/v1/lists/create" => "/x")]
        {
            let nowhere = call_refused(&bending_client(&api, bend), &call).await;
            assert!(nowhere.to_string().contains("Check the base address"), "{nowhere}");
            assert!(nowhere.is_permanent());
        }
    });
}
