//! Callbacks go to the web and to this machine, never where credentials lie about.

use roost_tests::{Served, proofs, until};
use serde_json::{Value, json};

use super::setup;

proofs! {
    [G3_2_7, G3_2_12, D90] the_metadata_address_is_not_called_however_it_is_written;
    [G3_2_7] private_multicast_and_unspecified_addresses_are_not_called;
    [G3_2_7] the_server_does_not_call_itself;
}

/// The callback of a job that asked for this address, once it is settled; nothing when the address was refused at once.
fn outcome(api: &Served, url: &str) -> Option<Value> {
    let body = json!({
        "list_id": "LST_36AbCdEfGhIjKlMnOpQrStUvWx1", "merge_type": "skipDuplicates", "contacts": [{ "phone_number": "07700900001" }],
        "callback_url": url,
    });
    let answer = api.post("/contacts/v1/contacts", &body);
    if answer.status == 400 {
        assert_eq!(answer.json()["validation_errors"][0]["message"], "Invalid callback URL.");
        return None;
    }
    answer.expect(200);
    Some(until("the callback is settled", || {
        let all = api.admin().get("/__admin/callbacks").items();
        all.into_iter().find(|callback| callback["url"] == url && callback["state"] != "waiting")
    }))
}

#[track_caller]
fn refused(api: &Served, url: &str) {
    let Some(callback) = outcome(api, url) else { return };
    assert_eq!(
        (&callback["state"], callback["attempts"].as_array().map(Vec::len)),
        (&json!("given_up"), Some(1)),
        "{callback}"
    );
    let attempt = &callback["attempts"][0];
    let told = attempt["error"].as_str().unwrap_or_default();
    assert!(attempt["status"].is_null() && told.starts_with("refused to call"), "{url}: {callback}");
}

fn the_metadata_address_is_not_called_however_it_is_written() {
    let api = setup().serve();
    for host in [
        "169.254.169.254",
        "169.254.43518",
        "169.16689662",
        "2852039166",
        "0xa9fea9fe",
        "0xA9.0xfe.0xa9.0xfe",
        "0251.0376.0251.0376",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:a9fe:a9fe::]",
        "[::a9fe:a9fe]",
        "[fd00:ec2::254]",
    ] {
        refused(&api, &format!("http://{host}/latest/meta-data"));
    }
    refused(&api, "https://169.254.169.254:8443/");
}

fn private_multicast_and_unspecified_addresses_are_not_called() {
    let api = setup().serve();
    for host in [
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "0.0.0.0",
        "[::]",
        "224.0.0.1",
        "255.255.255.255",
        "[fe80::1]",
        "[fc00::1]",
        "[ff02::1]",
    ] {
        refused(&api, &format!("http://{host}/hook"));
    }
}

fn the_server_does_not_call_itself() {
    let api = setup().serve();
    let port = api.address().port();
    for host in ["127.0.0.1", "localhost", "[::1]", "127.0.0.2"] {
        refused(&api, &format!("http://{host}:{port}/contacts/v1/lists/create"));
    }
    assert_eq!(api.get("/contacts/v1/lists/").items().len(), 1);
}
