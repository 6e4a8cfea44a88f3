//! The test call, and what a probe learns by reading.

use roost_model::channel::Channel;
use roost_sync::{
    probe::{NUMBERS, probe_by_reading, probe_by_writing, test_connection},
    remote::ServiceCall,
};
use roost_tests::{Receiver, Setup, receiver, seeds};
use serde_json::{Value, json};

use super::{client_at, client_of, run_async};
use crate::rest::LIST;

#[test]
fn a_test_call_says_that_it_works_or_what_to_do() {
    let api = Setup::new().seed(json!({ "lists": [seeds::filled_list(LIST, "A", 1)] })).serve();
    run_async(async {
        let good = test_connection(&client_of(&api)).await;
        assert_eq!((good.operation, good.lists, good.advice), ("lists.query", Some(1), None));
        let service = Receiver::replying([receiver::Reply::Status(401), receiver::Reply::Status(503)]);
        let refused = test_connection(&client_at(&service.url(""))).await;
        assert_eq!((refused.status, refused.lists), (Some(401), None));
        assert!(refused.advice.expect("a sentence").contains("Enter it again"));
        let busy = test_connection(&client_at(&service.url(""))).await;
        assert_eq!(busy.status, Some(503), "tried once");
    });
}

#[test]
fn reading_shows_what_the_emulator_can_do_and_changes_nothing() {
    let lists = [seeds::list(&seeds::id("LST_", "S"), "empty", json!([])), seeds::filled_list(LIST, "A", 120)];
    let asset = seeds::sms_asset("A", "+447700900100");
    let seed = json!({ "lists": lists, "assets": [asset] });
    let api = Setup::new().set("opt_outs.asset_fields", "asset").seed(seed).serve();
    run_async(async {
        let client = client_of(&api);
        let call = ServiceCall::create_opt_out("+447700900001", Channel::Sms, asset["id"].as_str());
        client.wait_for_turn(call.lane).await.send(&call).await.expect("made");
        let before = api.admin().get("/__admin/export").text();
        let found = probe_by_reading(&client).await.expect("it answers");
        let results: Vec<(&str, &Value)> = found.iter().map(|one| (one.flag, &one.value)).collect();
        assert_eq!(
            results,
            [
                ("lists.page_max", &json!(100)),
                ("opt_outs.asset_fields", &json!("asset")),
                ("custom_fields", &json!([1, 2, 3])),
                ("contacts.order_stable", &json!(true)),
                ("all_pages_read", &json!(true)),
                ("contacts.fields_delimiter", &json!(",")),
            ]
        );
        assert_eq!(api.admin().get("/__admin/export").text(), before);
    });
}

#[test]
fn a_scratch_list_shows_the_rest_and_leaves_nothing_behind() {
    for unknown in ["400", "404"] {
        let api = Setup::new().set("unknown_on_delete", unknown).serve();
        run_async(async {
            let client = client_of(&api);
            let before = api.admin().get("/__admin/export").text();
            let found = probe_by_writing(&client, "Roost looks around", NUMBERS).await.expect("it answers");
            let mut results: Vec<(&str, &Value)> = found.iter().map(|one| (one.flag, &one.value)).collect();
            results.sort_unstable_by_key(|(flag, _)| *flag);
            assert_eq!(
                results,
                [
                    ("contacts.all_faults", &json!(true)),
                    ("e164_with_any_region", &json!(true)),
                    ("lists.updated_at_moves", &json!(true)),
                    ("merge_also_creates", &json!(true)),
                    ("merge_may_change_identifiers", &json!(true)),
                    ("null_clears", &json!(false)),
                    ("unknown_on_delete", &json!(unknown)),
                ]
            );
            assert_eq!(api.admin().get("/__admin/export").text(), before);
        });
    }
}
