//! The causes of each documented answer: the account and the request, in the order of the samples.

use roost_tests::{Answer, Request, Served, Setup, seeds};
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The request that causes an answer.
pub enum Ask {
    /// The request that the document shows above the answer.
    AsWritten,
    /// Another request to the same operation.
    With(fn(&Served) -> Answer),
    /// The callback of the request above.
    Callback,
}

use Ask::{AsWritten, Callback, With};

type World = fn() -> Setup;

/// The causes of each section's answers.
pub const CAUSES: [(&str, &[(World, Ask)]); 6] = [
    ("Any family", ANY_FAMILY),
    ("Senders", SENDERS),
    ("Lists", LISTS),
    ("Contacts", CONTACTS),
    ("Opt-outs", OPT_OUTS),
    ("Short links", SHORT_LINKS),
];

const LIST: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";
const NUM: &str = "num_36AbCdEfGhIjKlMnOpQrStUvWx1";

const ANY_FAMILY: &[(World, Ask)] = &[
    (Setup::new, With(|api| api.without("x-auth-key").get("/assets/v1/senders/"))),
    (Setup::new, With(|api| api.without("x-auth-key").get("/contacts/v1/lists/"))),
    (powerless, With(|api| api.get("/assets/v1/senders/"))),
    (powerless, With(|api| api.get("/assets/v1/shortlink/x"))),
    (Setup::new, With(|api| api.get("/contacts/v1/nowhere"))),
    (Setup::new, With(|api| api.send(Request::new("PATCH", "/contacts/v1/optouts")))),
    (Setup::new, With(|api| api.send(Request::post("/contacts/v1/contacts").body(vec![b' '; 64 * 1024 * 1024 + 1])))),
    (limited, With(|api| too_many(api, "/assets/v1/senders/"))),
    (limited, With(|api| too_many(api, "/contacts/v1/lists/"))),
    (Setup::new, With(|_| broken())),
    (Setup::new, With(|api| api.send(Request::post("/contacts/v1/optouts").json_text("{")))),
];

/// The key of the client has no permission.
fn powerless() -> Setup {
    Setup::new().set("auth", "keys").set("auth.keys", r#"[{"value":"a-key","permissions":[]}]"#)
}

fn limited() -> Setup {
    Setup::new().set("limits", "on").set("limits.per_second", "1")
}

fn too_many(api: &Served, path: &str) -> Answer {
    let answers = (0..100).map(|_| api.get(path)).find(|answer| answer.status == 429);
    answers.unwrap_or_else(|| panic!("a hundred requests at once were not too many"))
}

/// An account without its table of short links.
fn broken() -> Answer {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("account.roost");
    let api = Setup::new().on_file(&file).serve();
    let other = Connection::open(&file).expect("the file can be opened");
    other.execute_batch("ALTER TABLE short_links RENAME TO gone").expect("a table can be renamed");
    api.get("/assets/v1/shortlink/shl_36AbCdEfGhIjKlMnOpQrStUvWx1")
}

const SENDERS: &[(World, Ask)] =
    &[(senders, AsWritten), (senders, AsWritten), (senders, AsWritten), (Setup::new, AsWritten), (senders, AsWritten)];

fn senders() -> Setup {
    let sender =
        |tail: &str, name: &str, status: &str| json!({ "id": seeds::id("ssd_", tail), "name": name, "status": status });
    let senders =
        [sender("2", "AcmeShop", "Verified"), sender("1", "AcmeTest", "Pending"), sender("0", "60000", "Verified")];
    Setup::new().seed(json!({ "senders": senders }))
}

const LISTS: &[(World, Ask)] = &[
    (lists, AsWritten),
    (lists, With(|api| api.get("/contacts/v1/lists/?sort_order=UP"))),
    (lists, With(|api| api.get("/contacts/v1/lists/?page_size=ten"))),
    (lists, With(|api| api.get("/contacts/v1/lists/?page_size=0"))),
    (Setup::new, AsWritten),
    (Setup::new, With(|api| api.post("/contacts/v1/lists/create", &json!({ "name": "" })))),
    (lists, AsWritten),
    (lists, With(|api| api.delete("/contacts/v1/lists/LST_1"))),
    (Setup::new, AsWritten),
];

fn lists() -> Setup {
    let vip = json!({ "uid": LIST, "name": "VIP", "created_at": "2026-01-05T09:00:00Z", "updated_at": "2026-01-05T09:12:40Z" });
    Setup::new().seed(json!({ "lists": [vip, { "name": "Guests" }] }))
}

const CONTACTS: &[(World, Ask)] = &[
    (contacts, AsWritten),
    (contacts, AsWritten),
    (contacts, With(|api| api.get(format!("/contacts/v1/contacts/list/{LIST}?page_size=0&fields=uid,nickname")))),
    (contacts, With(|api| api.get(format!("/contacts/v1/contacts/list/{LIST}?fields=")))),
    (contacts, With(|api| api.get("/contacts/v1/contacts/list/abc"))),
    (contacts, AsWritten),
    (contacts, With(|api| api.post("/contacts/v1/contacts", &faulty()))),
    (contacts, With(|api| create(api, LIST, json!([])))),
    (contacts, With(|api| create(api, LIST, Value::from(vec![json!({}); 10_001])))),
    (contacts, With(|api| create(api, "VIP", json!([{ "phone_number": "07700900001" }])))),
    (Setup::new, AsWritten),
    (contacts, Callback),
    (contacts, AsWritten),
    (contacts, With(|api| api.delete("/contacts/v1/contacts/CON_1"))),
    (Setup::new, AsWritten),
];

/// A list of one contact. The clock shows the time that the callback contains.
fn contacts() -> Setup {
    let ada = json!({
        "uid": "CON_36AbCdEfGhIjKlMnOpQrStUvWx1", "phone_number": "+447700900001", "title": "Ms", "firstname": "Ada", "lastname": "Byrne",
        "field_2": "gold", "created_at": "2026-01-05 09:12:40",
    });
    Setup::new().at("2026-01-05T09:12:41Z").seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([ada]))] }))
}

fn create(api: &Served, list: &str, contacts: Value) -> Answer {
    api.post("/contacts/v1/contacts", &json!({ "list_id": list, "merge_type": "skipDuplicates", "contacts": contacts }))
}

/// A body with every error that the sample reports.
fn faulty() -> Value {
    let contacts =
        json!([{ "firstname": "Ada" }, { "phone_number": "+44770" }, { "phone_number": "+447700900001", "title": "" }]);
    json!({ "phone_region": "UK", "callback_url": "ftp://client.example", "contacts": contacts })
}

const OPT_OUTS: &[(World, Ask)] = &[
    (opt_outs, AsWritten),
    (opt_outs, With(|api| api.get("/contacts/v1/optouts?number=07700900001"))),
    (opt_outs, With(|api| api.get("/contacts/v1/optouts?opt_out_type=sms"))),
    (opt_outs, With(|api| api.get("/contacts/v1/optouts?channel=email"))),
    (opt_outs, With(|api| api.get("/contacts/v1/optouts?start_time=2026-01-05"))),
    (opt_outs, With(|api| api.get("/contacts/v1/optouts?page_size=1001&sort_order=desc"))),
    (opt_outs, AsWritten),
    (a_minute_later, AsWritten),
    (opt_outs, With(|api| entry(api, json!({ "number": "07700900001" })))),
    (opt_outs, With(|api| entry(api, json!({ "number": "447700900001", "asset_id": "num_1" })))),
    (opt_outs, With(|api| entry(api, json!({ "number": "447700900001", "asset_id": seeds::id("wbp_", "1") })))),
    (opt_outs, With(|api| entry(api, json!({})))),
    (opt_outs, With(|api| api.post("/contacts/v1/optouts", &json!({ "optouts": [] })))),
    (opt_outs, AsWritten),
    (opt_outs, With(|api| remove(api, json!({})))),
    (opt_outs, With(|api| remove(api, json!({ "numbers": ["447700900001"], "channel": "whatsapp", "asset_id": NUM })))),
    (opt_outs, With(|api| remove(api, json!({ "numbers": ["447700900001"], "asset_id": "num_1" })))),
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

fn a_minute_later() -> Setup {
    opt_outs_at("2026-01-05T09:22:00Z")
}

fn entry(api: &Served, entry: Value) -> Answer {
    api.post("/contacts/v1/optouts", &json!({ "optouts": [entry] }))
}

fn remove(api: &Served, body: Value) -> Answer {
    api.send(Request::delete("/contacts/v1/optouts").json(&body))
}

const SHORT_LINKS: &[(World, Ask)] = &[
    (no_links, AsWritten),
    (no_links, With(|api| api.post("/assets/v1/shortlink", &json!({ "target_url": "shop", "tags": ["a!b"] })))),
    (no_links, With(|api| api.post("/assets/v1/shortlink", &json!({ "title": 1 })))),
    (short_links, AsWritten),
    (short_links, AsWritten),
    (short_links, With(|api| api.post("/assets/v1/shortlink/filter", &json!({ "sort": { "sort_order": "UP" } })))),
    (short_links, With(|api| api.post("/assets/v1/shortlink/filter", &json!({ "page": { "page_size": "many" } })))),
    (short_links, AsWritten),
    (short_links, With(|api| api.delete("/assets/v1/shortlink/abc"))),
];

fn no_links() -> Setup {
    Setup::new().at("2026-01-05T09:30:00Z").set("short_link_base", "https://sl.example")
}

fn short_links() -> Setup {
    let spring = json!({
        "title": "Spring", "link_id": "shl_36AbCdEfGhIjKlMnOpQrStUvWx1", "target_url": "https://shop.example/s",
        "short_link_url": "https://sl.example/Ab3dE9", "tags": ["spring"], "created_at": "2026-01-05T09:30:00Z", "track_clicks": true,
    });
    no_links().seed(json!({ "short_links": [spring] }))
}
