//! The causes of each documented answer: the account and the request, in the order of the samples.

use roost_tests::{Answer, Request, Served, Setup, seeds};
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The request that causes an answer.
pub(super) enum SampleCause {
    /// The request that the document shows above the answer.
    AsWritten,
    /// Another request to the same operation.
    With(fn(&Served) -> Answer),
    /// The callback of the request above.
    Callback,
}

use SampleCause::{AsWritten, Callback, With};

type SetupBuilder = fn() -> Setup;

/// The causes of each section's answers.
pub(super) const CAUSES: [(&str, &[(SetupBuilder, SampleCause)]); 6] = [
    ("Any family", ANY_FAMILY),
    ("Senders", SENDERS),
    ("Lists", LISTS),
    ("Contacts", CONTACTS),
    ("Opt-outs", OPT_OUTS),
    ("Short links", SHORT_LINKS),
];

const LIST: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";
const NUM: &str = "num_36AbCdEfGhIjKlMnOpQrStUvWx1";

const ANY_FAMILY: &[(SetupBuilder, SampleCause)] = &[
    (Setup::new, With(|api| api.without("x-auth-key").get("/assets/v1/senders/"))),
    (Setup::new, With(|api| api.without("x-auth-key").get("/contacts/v1/lists/"))),
    (without_permission, With(|api| api.get("/assets/v1/senders/"))),
    (without_permission, With(|api| api.get("/assets/v1/shortlink/x"))),
    (Setup::new, With(|api| api.get("/contacts/v1/nowhere"))),
    (Setup::new, With(|api| api.send(Request::new("PATCH", "/contacts/v1/optouts")))),
    (Setup::new, With(|api| api.send(Request::post("/contacts/v1/contacts").body(vec![b' '; 64 * 1024 * 1024 + 1])))),
    (with_rate_limit, With(|api| exceed_limit(api, "/assets/v1/senders/"))),
    (with_rate_limit, With(|api| exceed_limit(api, "/contacts/v1/lists/"))),
    (Setup::new, With(|_| broken_account())),
    (Setup::new, With(|api| api.send(Request::post("/contacts/v1/optouts").json_text("{")))),
];

/// The key of the client has no permission.
fn without_permission() -> Setup {
    Setup::new().set("auth", "keys").set("auth.keys", r#"[{"value":"a-key","permissions":[]}]"#)
}

fn with_rate_limit() -> Setup {
    Setup::new().set("limits", "on").set("limits.per_second", "1")
}

fn exceed_limit(api: &Served, path: &str) -> Answer {
    let answers = (0..100).map(|_| api.get(path)).find(|answer| answer.status == 429);
    answers.unwrap_or_else(|| panic!("a hundred requests at once were not too many"))
}

/// An account without its table of short links.
fn broken_account() -> Answer {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("account.roost");
    let api = Setup::new().on_file(&file).serve();
    let other = Connection::open(&file).expect("the file can be opened");
    other.execute_batch("ALTER TABLE short_links RENAME TO gone").expect("a table can be renamed");
    api.get("/assets/v1/shortlink/shl_36AbCdEfGhIjKlMnOpQrStUvWx1")
}

const SENDERS: &[(SetupBuilder, SampleCause)] = &[
    (with_senders, AsWritten),
    (with_senders, AsWritten),
    (with_senders, AsWritten),
    (Setup::new, AsWritten),
    (with_senders, AsWritten),
];

fn with_senders() -> Setup {
    let sender =
        |tail: &str, name: &str, status: &str| json!({ "id": seeds::id("ssd_", tail), "name": name, "status": status });
    let senders =
        [sender("2", "AcmeShop", "Verified"), sender("1", "AcmeTest", "Pending"), sender("0", "60000", "Verified")];
    Setup::new().seed(json!({ "senders": senders }))
}

const LISTS: &[(SetupBuilder, SampleCause)] = &[
    (with_lists, AsWritten),
    (with_lists, With(|api| api.get("/contacts/v1/lists/?sort_order=UP"))),
    (with_lists, With(|api| api.get("/contacts/v1/lists/?page_size=ten"))),
    (with_lists, With(|api| api.get("/contacts/v1/lists/?page_size=0"))),
    (Setup::new, AsWritten),
    (Setup::new, With(|api| api.post("/contacts/v1/lists/create", &json!({ "name": "" })))),
    (with_lists, AsWritten),
    (with_lists, With(|api| api.delete("/contacts/v1/lists/LST_1"))),
    (Setup::new, AsWritten),
];

fn with_lists() -> Setup {
    let vip = json!({ "uid": LIST, "name": "VIP", "created_at": "2026-01-05T09:00:00Z", "updated_at": "2026-01-05T09:12:40Z" });
    Setup::new().seed(json!({ "lists": [vip, { "name": "Guests" }] }))
}

const CONTACTS: &[(SetupBuilder, SampleCause)] = &[
    (with_contacts, AsWritten),
    (with_contacts, AsWritten),
    (with_contacts, With(|api| api.get(format!("/contacts/v1/contacts/list/{LIST}?page_size=0&fields=uid,nickname")))),
    (with_contacts, With(|api| api.get(format!("/contacts/v1/contacts/list/{LIST}?fields=")))),
    (with_contacts, With(|api| api.get("/contacts/v1/contacts/list/abc"))),
    (with_contacts, AsWritten),
    (with_contacts, With(|api| api.post("/contacts/v1/contacts", &invalid_contacts()))),
    (with_contacts, With(|api| create_contacts(api, LIST, json!([])))),
    (with_contacts, With(|api| create_contacts(api, LIST, Value::from(vec![json!({}); 10_001])))),
    (with_contacts, With(|api| create_contacts(api, "VIP", json!([{ "phone_number": "07700900001" }])))),
    (Setup::new, AsWritten),
    (with_contacts, Callback),
    (with_contacts, AsWritten),
    (with_contacts, With(|api| api.delete("/contacts/v1/contacts/CON_1"))),
    (Setup::new, AsWritten),
];

/// A list of one contact. The clock shows the time that the callback contains.
fn with_contacts() -> Setup {
    let ada = json!({
        "uid": "CON_36AbCdEfGhIjKlMnOpQrStUvWx1", "phone_number": "+447700900001", "title": "Ms", "firstname": "Ada", "lastname": "Byrne",
        "field_2": "gold", "created_at": "2026-01-05 09:12:40",
    });
    Setup::new().at("2026-01-05T09:12:41Z").seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([ada]))] }))
}

fn create_contacts(api: &Served, list: &str, contacts: Value) -> Answer {
    api.post("/contacts/v1/contacts", &json!({ "list_id": list, "merge_type": "skipDuplicates", "contacts": contacts }))
}

/// A body with every error that the sample reports.
fn invalid_contacts() -> Value {
    let contacts =
        json!([{ "firstname": "Ada" }, { "phone_number": "+44770" }, { "phone_number": "+447700900001", "title": "" }]);
    json!({ "phone_region": "UK", "callback_url": "ftp://client.example", "contacts": contacts })
}

const OPT_OUTS: &[(SetupBuilder, SampleCause)] = &[
    (opt_outs, AsWritten),
    (opt_outs, With(|api| api.get("/contacts/v1/optouts?number=07700900001"))),
    (opt_outs, With(|api| api.get("/contacts/v1/optouts?opt_out_type=sms"))),
    (opt_outs, With(|api| api.get("/contacts/v1/optouts?channel=email"))),
    (opt_outs, With(|api| api.get("/contacts/v1/optouts?start_time=2026-01-05"))),
    (opt_outs, With(|api| api.get("/contacts/v1/optouts?page_size=1001&sort_order=desc"))),
    (opt_outs, AsWritten),
    (advance_minute, AsWritten),
    (opt_outs, With(|api| create_opt_out(api, json!({ "number": "07700900001" })))),
    (opt_outs, With(|api| create_opt_out(api, json!({ "number": "447700900001", "asset_id": "num_1" })))),
    (
        opt_outs,
        With(|api| create_opt_out(api, json!({ "number": "447700900001", "asset_id": seeds::id("wbp_", "1") }))),
    ),
    (opt_outs, With(|api| create_opt_out(api, json!({})))),
    (opt_outs, With(|api| api.post("/contacts/v1/optouts", &json!({ "optouts": [] })))),
    (opt_outs, AsWritten),
    (opt_outs, With(|api| remove_opt_outs(api, json!({})))),
    (
        opt_outs,
        With(|api| {
            remove_opt_outs(api, json!({ "numbers": ["447700900001"], "channel": "whatsapp", "asset_id": NUM }))
        }),
    ),
    (opt_outs, With(|api| remove_opt_outs(api, json!({ "numbers": ["447700900001"], "asset_id": "num_1" })))),
];

fn opt_outs_at(time: &str) -> Setup {
    let keyword = json!({
        "number": "+447700900001", "opt_out_type": "keyword", "inbound_asset_id": NUM, "account_level_opt_out": false,
        "opt_out_time": "2026-01-05T09:20:10Z",
    });
    let records = json!([seeds::opt_out("+447700900001", "SMS", "2026-01-05T09:21:00Z"), keyword]);
    Setup::new().at(time).seed(json!({ "assets": [seeds::sms_asset("1", "+447700900100")], "opt_outs": records }))
}

fn opt_outs() -> Setup {
    opt_outs_at("2026-01-05T09:21:00Z")
}

fn advance_minute() -> Setup {
    opt_outs_at("2026-01-05T09:22:00Z")
}

fn create_opt_out(api: &Served, entry: Value) -> Answer {
    api.post("/contacts/v1/optouts", &json!({ "optouts": [entry] }))
}

fn remove_opt_outs(api: &Served, body: Value) -> Answer {
    api.send(Request::delete("/contacts/v1/optouts").json(&body))
}

const SHORT_LINKS: &[(SetupBuilder, SampleCause)] = &[
    (without_links, AsWritten),
    (without_links, With(|api| api.post("/assets/v1/shortlink", &json!({ "target_url": "shop", "tags": ["a!b"] })))),
    (without_links, With(|api| api.post("/assets/v1/shortlink", &json!({ "title": 1 })))),
    (short_links, AsWritten),
    (short_links, AsWritten),
    (short_links, With(|api| api.post("/assets/v1/shortlink/filter", &json!({ "sort": { "sort_order": "UP" } })))),
    (short_links, With(|api| api.post("/assets/v1/shortlink/filter", &json!({ "page": { "page_size": "many" } })))),
    (short_links, AsWritten),
    (short_links, With(|api| api.delete("/assets/v1/shortlink/abc"))),
];

fn without_links() -> Setup {
    Setup::new().at("2026-01-05T09:30:00Z").set("short_link_base", "https://sl.example")
}

fn short_links() -> Setup {
    let spring = json!({
        "title": "Spring", "link_id": "shl_36AbCdEfGhIjKlMnOpQrStUvWx1", "target_url": "https://shop.example/s",
        "short_link_url": "https://sl.example/Ab3dE9", "tags": ["spring"], "created_at": "2026-01-05T09:30:00Z", "track_clicks": true,
    });
    without_links().seed(json!({ "short_links": [spring] }))
}
