//! What the service may refuse: ignored by default, refused or warned of by the settings `strict.…`.

use roost_tests::{Request, Served, Setup, seeds};
use serde_json::{Value, json};

const WARNING: &str = "x-roost-warning";
const NAMES: [&str; 4] = ["strict.body_fields", "strict.parameters", "strict.content_type", "strict.deprecated_forms"];

fn setup(reaction: &str) -> Setup {
    let list = seeds::filled_list(&seeds::id("LST_", "1"), "VIP", 1);
    let setup = Setup::new().seed(json!({ "lists": [list], "senders": [{ "name": "AcmeShop" }] }));
    NAMES.into_iter().fold(setup, |setup, name| setup.set(name, reaction))
}

fn contacts(change: impl Fn(&mut Value)) -> Request {
    let mut body = json!({
        "list_id": seeds::id("LST_", "1"), "merge_type": "skipDuplicates",
        "contacts": [{ "phone_number": "+447700900050", "field_1": "a" }],
    });
    change(&mut body);
    Request::post("/contacts/v1/contacts").json(&body)
}

/// A request, the setting it is about, the row of the register, and a part of what is refused.
fn slips() -> Vec<(Request, &'static str, &'static str, &'static str)> {
    let create = |body: &str| Request::post("/contacts/v1/lists/create").json_text(body);
    vec![
        (create(r#"{"name":"A","nme":"B"}"#), NAMES[0], "transport.body", "ERR_CNT_REQ_002"),
        (contacts(|body| body["merge"] = json!(1)), NAMES[0], "transport.body", "ERR_CNT_REQ_002"),
        (contacts(|body| body["contacts"][0]["nme"] = json!("x")), NAMES[0], "transport.body", "ERR_CNT_REQ_002"),
        (contacts(|body| body["contacts"][0]["field_9"] = json!("x")), NAMES[0], "transport.body", "ERR_CNT_REQ_002"),
        (
            Request::post("/assets/v1/shortlink").json(&json!({
                "title": "x", "target_url": "https://shop.example", "track": true,
            })),
            NAMES[0],
            "transport.body",
            "ERR_AST_REQ_002",
        ),
        (
            Request::get("/contacts/v1/lists/?nme=x"),
            NAMES[1],
            "transport.parameters",
            r#""field":"nme","message":"Unknown"#,
        ),
        (
            Request::get("/assets/v1/senders/?Page_size=5"),
            NAMES[1],
            "transport.parameters",
            r#""errors":[{"message":"Unknown"#,
        ),
        (
            Request::get(format!("/contacts/v1/contacts/list/{}?page=1", seeds::id("LST_", "1"))),
            NAMES[1],
            "transport.parameters",
            r#""rejected_value":"1""#,
        ),
        (
            Request::post("/contacts/v1/lists/create").body(r#"{"name":"A"}"#).without("content-type"),
            NAMES[2],
            "transport.content_type",
            "ERR_CNT_REQ_002",
        ),
        (
            Request::get("/contacts/v1/optouts?number=+447700900001"),
            NAMES[3],
            "optouts.query.number",
            r#""field":"number""#,
        ),
        (
            Request::get(format!("/contacts/v1/contacts/list/{}?search=+447700900000", seeds::id("LST_", "1"))),
            NAMES[3],
            "numbers.contacts",
            r#""field":"search""#,
        ),
        (
            Request::post("/assets/v1/shortlink/filter").json(&json!({ "page": { "page_size": "5" } })),
            NAMES[3],
            "shortlinks.search.page",
            "ERR_AST_VAL_004",
        ),
    ]
}

/// What is not to be refused, whatever is strict.
fn plain_requests() -> Vec<Request> {
    vec![
        Request::get("/contacts/v1/lists/?page_size=5&name=V&sort_by=name&sort_order=ASC&page_number=1"),
        Request::get("/contacts/v1/optouts?number=%2B447700900001&channel=SMS"),
        Request::post("/contacts/v1/lists/create").json(&json!({ "name": "B" })),
        contacts(|_| {}),
        Request::post("/assets/v1/shortlink/filter").json(&json!({ "page": { "page_size": 5 }, "sort": {} })),
        // Its body is read and ignored, with whatever type.
        Request::delete(format!("/contacts/v1/contacts/{}", seeds::id("CON_", "00000")))
            .body("x")
            .without("content-type"),
    ]
}

fn row(api: &Served, name: &str) -> Value {
    let all = api.admin().get("/__admin/fidelity?page_size=1000").items();
    all.into_iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no row {name}"))
}

#[test]
fn what_the_service_may_refuse_is_ignored_unless_a_setting_says_otherwise() {
    let api = Setup::new().seed(json!({ "lists": [seeds::filled_list(&seeds::id("LST_", "1"), "VIP", 1)] })).serve();
    for (request, ..) in slips() {
        let answer = api.send(request);
        assert!((200..300).contains(&answer.status), "{}", answer.shown());
        assert_eq!(answer.header(WARNING), None);
    }
}

#[test]
fn strict_settings_refuse_each_thing_in_the_shape_of_its_family() {
    for (request, setting, name, message) in slips() {
        // Its own setting alone refuses it.
        let (all, own) = (setup("refuse").set(setting, "ignore"), setup("ignore").set(setting, "refuse"));
        let answer = all.serve().send(request.clone());
        assert!((200..300).contains(&answer.status), "{setting}: {}", answer.shown());
        let api = own.recording().serve();
        let answer = api.send(request);
        assert_eq!(answer.status, 400, "{setting}: {}", answer.shown());
        assert!(answer.text().contains(message), "{setting}: {}", answer.shown());
        let warning = answer.header(WARNING).unwrap_or_default();
        assert!(warning.starts_with(&format!("{name}: ")), "it names what was refused: {warning}");
        assert_eq!(row(&api, name)["setting"], setting);
        assert_eq!(row(&api, name)["value"], "refuse");
        let line = api.admin().get("/__admin/requests").items().remove(0);
        assert_eq!(line["why"]["check"], "validation", "{line}");
    }
    let api = setup("refuse").serve();
    for request in plain_requests() {
        let answer = api.send(request);
        assert!((200..300).contains(&answer.status), "{}", answer.shown());
    }
}

#[test]
fn a_warning_names_the_row_of_the_register_and_changes_nothing() {
    let api = setup("warn").serve();
    for (request, _, name, _) in slips() {
        let answer = api.send(request);
        assert!((200..300).contains(&answer.status), "{}", answer.shown());
        let warning = answer.header(WARNING).unwrap_or_else(|| panic!("no warning of {name}"));
        assert!(warning.starts_with(&format!("{name}: ")), "{warning}");
    }
    for request in plain_requests() {
        assert_eq!(api.send(request).header(WARNING), None);
    }
    let two = Request::post("/contacts/v1/lists/create?a%0d%0ax=1").json_text(r#"{"name":"C","é":1}"#);
    let answer = api.send(two);
    let warnings: Vec<&str> =
        answer.headers.iter().filter(|(name, _)| name == WARNING).map(|(_, value)| value.as_str()).collect();
    assert_eq!(warnings, ["transport.body: Unknown field /?.", "transport.parameters: Unknown parameter a??x."]);
}

#[test]
fn a_world_is_strict_by_itself() {
    let api = Setup::new().serve();
    let options = json!({ "name": "strict", "settings": { "strict.parameters": "refuse" } });
    api.admin().post("/__admin/worlds", &options).expect(201);
    api.get("/w/strict/contacts/v1/lists/?nme=x").expect(400);
    api.get("/contacts/v1/lists/?nme=x").expect(200);
    api.admin().patch("/__admin/worlds/strict/settings", &json!({ "strict.parameters": "ignore" })).expect(200);
    api.get("/w/strict/contacts/v1/lists/?nme=x").expect(200);
}
