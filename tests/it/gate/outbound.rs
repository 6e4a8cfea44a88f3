//! Callbacks are sent to the web and to this machine, but never to addresses that could expose credentials.

use roost_tests::{Receiver, Reply, Served, until};
use serde_json::{Value, json};

use super::console_setup;

/// Returns the settled callback of a job with this address, or nothing if the address was refused at once.
fn callback_outcome(api: &Served, url: &str) -> Option<Value> {
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
fn assert_refused(api: &Served, url: &str) {
    let Some(callback) = callback_outcome(api, url) else { return };
    assert_eq!(
        (&callback["state"], callback["attempts"].as_array().map(Vec::len)),
        (&json!("given_up"), Some(1)),
        "{callback}"
    );
    let attempt = &callback["attempts"][0];
    let error = attempt["error"].as_str().unwrap_or_default();
    assert!(attempt["status"].is_null() && error.starts_with("refused to call"), "{url}: {callback}");
}

/// Proves: G3_2_7, G3_2_12, D90.
#[test]
fn the_metadata_address_is_not_called_however_it_is_written() {
    let api = console_setup().serve();
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
        assert_refused(&api, &format!("http://{host}/latest/meta-data"));
    }
    assert_refused(&api, "https://169.254.169.254:8443/");
}

/// Proves: G3_2_7.
#[test]
fn private_multicast_and_unspecified_addresses_are_not_called() {
    let api = console_setup().serve();
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
        assert_refused(&api, &format!("http://{host}/hook"));
    }
}

/// Proves: G3_2_7.
#[test]
fn the_server_does_not_call_itself() {
    let api = console_setup().serve();
    let port = api.address().port();
    for host in ["127.0.0.1", "localhost", "[::1]", "127.0.0.2"] {
        assert_refused(&api, &format!("http://{host}:{port}/contacts/v1/lists/create"));
    }
    assert_eq!(api.get("/contacts/v1/lists/").items().len(), 1);
}

/// Checks the entries of a callback that was never sent, in the ledger and in the journal.
#[track_caller]
fn is_on_record(api: &Served, url: &str, why: &str) {
    let callback = callback_outcome(api, url).unwrap_or_else(|| panic!("{url} was no address at all"));
    let attempts = callback["attempts"].as_array().expect("tries");
    assert_eq!((&callback["state"], attempts.len()), (&json!("given_up"), 1), "{url}: {callback}");
    let attempt = &attempts[0];
    let error = attempt["error"].as_str().unwrap_or_default();
    assert_eq!((&attempt["status"], &attempt["error_class"]), (&Value::Null, &json!("refused")), "{url}: {callback}");
    assert!(error.starts_with("refused to call: ") && error.contains(why), "{url}: {error}");
}

/// Proves: G3_2_7, G3_2_12, D90.
#[test]
fn a_refused_address_is_listed_as_refused_in_every_spelling() {
    let api = console_setup().serve();
    for (host, why) in [
        ("169.254.169.254", "a link-local address"),
        ("169.254.169.254.", "a link-local address"),
        ("2852039166", "a link-local address"),
        ("0xa9fea9fe", "a link-local address"),
        ("0xA9.0xFE.0xA9.0xFE", "a link-local address"),
        ("025177524776", "a link-local address"),
        ("0251.0376.0251.0376", "a link-local address"),
        ("169.254.43518", "a link-local address"),
        ("169.16689662", "a link-local address"),
        ("%31%36%39.254.169.254", "a link-local address"),
        ("\u{ff11}\u{ff16}\u{ff19}\u{3002}254\u{3002}169\u{3002}254", "a link-local address"),
        ("[::ffff:169.254.169.254]", "a link-local address"),
        ("[::ffff:a9fe:a9fe]", "a link-local address"),
        ("[0:0:0:0:0:ffff:a9fe:a9fe]", "a link-local address"),
        ("[64:ff9b::169.254.169.254]", "a link-local address"),
        ("[2002:a9fe:a9fe::]", "a link-local address"),
        ("[fe80::a9fe:a9fe]", "a link-local address"),
        ("[fd00:ec2::254]", "a metadata address"),
        ("0.0.0.0", "an unspecified address"),
        ("0", "an unspecified address"),
        ("[::]", "an unspecified address"),
        ("10.1", "an address of a private network"),
        ("0x0a.1", "an address of a private network"),
    ] {
        is_on_record(&api, &format!("http://{host}/latest/meta-data"), why);
        is_on_record(&api, &format!("https://{host}:8443/"), why);
    }
}

/// A name is refused if it leads to the server's own address.
///
/// Proves: G3_2_7, G3_2_12.
#[test]
fn its_own_address_is_refused_in_every_spelling() {
    let api = console_setup().serve();
    let port = api.address().port();
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.0.0.1.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::7f00:1]",
        "localhost",
        "LOCALHOST",
    ] {
        for path in ["/contacts/v1/lists/create", "/__admin/reset", "/__hook/../__admin/reset", "/x/__hook/inbox"] {
            is_on_record(&api, &format!("http://{host}:{port}{path}"), "is this server itself");
        }
    }
    assert_eq!(api.get("/contacts/v1/lists/").items().len(), 1, "nothing was done or undone");
    assert!(api.admin().get("/__admin/hooks").items().is_empty());
}

/// Proves: G3_2_7, G3_2_12.
#[test]
fn a_redirect_is_an_answer_and_is_not_followed() {
    let api = console_setup().serve();
    let elsewhere = Receiver::start();
    let port = api.address().port();
    for to in [
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "http://2852039166/".to_owned(),
        "//169.254.169.254/".to_owned(),
        format!("http://127.0.0.1:{port}/__admin/reset"),
        elsewhere.url("/followed"),
    ] {
        let receiver = Receiver::replying([Reply::Redirect(to.clone())]);
        let callback = callback_outcome(&api, &receiver.url("/hook")).expect("an address");
        let attempts = callback["attempts"].as_array().expect("tries");
        assert_eq!((&callback["state"], attempts.len()), (&json!("given_up"), 1), "{to}: {callback}");
        assert_eq!(attempts[0]["status"], 302, "{to}: {callback}");
        assert_eq!(receiver.received().len(), 1);
    }
    assert!(elsewhere.received().is_empty(), "not even where it would have been let through");
    assert_eq!(api.get("/contacts/v1/lists/").items().len(), 1);
}
