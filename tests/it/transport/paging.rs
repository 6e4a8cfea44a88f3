//! Pages: totals, bounds, and the report of several errors in one query.

use roost_tests::{
    Answer, Expected, Request, Served, Setup,
    expected::{C, L, invalid, shape_a},
    seeds,
};
use serde_json::{Value, json};

const COUNT: usize = 23;

/// Starts a server with twenty-three of everything.
fn start_server() -> Served {
    let many = |make: &dyn Fn(usize) -> Value| (0..COUNT).map(make).collect::<Value>();
    let mut lists = many(&|n| json!({ "name": format!("list {n}") }));
    lists[0] = seeds::filled_list(&seeds::id("LST_", "1"), "list 0", COUNT);
    let seed = json!({
        "senders": many(&|n| json!({ "name": format!("Sender {n}") })),
        "lists": lists,
        "opt_outs": many(&|n| seeds::opt_out(&seeds::mobile(n), "SMS", "2026-01-05T09:00:00Z")),
        "short_links": many(&|n| json!({ "title": format!("link {n}"), "target_url": "https://shop.example" })),
    });
    Setup::new().seed(seed).serve()
}

const QUERIES: [&str; 4] = [
    "/assets/v1/senders/",
    "/contacts/v1/lists/",
    "/contacts/v1/contacts/list/LST_36AbCdEfGhIjKlMnOpQrStUvWx1",
    "/contacts/v1/optouts",
];

fn search_links(api: &Served, page: Value) -> Answer {
    api.post("/assets/v1/shortlink/filter", &json!({ "page": page }))
}

/// Returns the same page of every paged operation.
fn read_pages(api: &Served, number: i64, size: i64) -> Vec<Value> {
    let queried = QUERIES.iter().map(|path| api.get(format!("{path}?page_number={number}&page_size={size}")).ok());
    queried.chain([search_links(api, json!({ "page_number": number, "page_size": size })).ok()]).collect()
}

/// Proves: D27.
#[test]
fn total_pages_are_rounded_up_and_an_empty_result_has_no_pages() {
    let api = start_server();
    for (size, total) in [(1, 23), (10, 3), (11, 3), (12, 2), (23, 1), (24, 1), (100, 1)] {
        for page in read_pages(&api, 1, size) {
            assert_eq!(page["paging"], json!({ "current_page": 1, "total_items": COUNT, "total_pages": total }));
            assert_eq!(page["items"].as_array().map(Vec::len), Some(COUNT.min(size as usize)));
        }
    }
    let empty = Setup::new().serve();
    let nothing = json!({ "paging": { "current_page": 1, "total_items": 0, "total_pages": 0 }, "items": [] });
    for path in ["/assets/v1/senders/", "/contacts/v1/lists/", "/contacts/v1/optouts"] {
        assert_eq!(empty.get(path).ok(), nothing);
    }
    assert_eq!(search_links(&empty, Value::Null).ok(), nothing);
}

/// Proves: D28.
#[test]
fn a_page_behind_the_end_is_empty_and_reports_the_right_total() {
    let api = start_server();
    for number in [4, 5, 2_147_483_647] {
        for page in read_pages(&api, number, 10) {
            let paging = json!({ "current_page": number, "total_items": COUNT, "total_pages": 3 });
            assert_eq!(page, json!({ "paging": paging, "items": [] }));
        }
    }
    assert!(read_pages(&api, 3, 10).iter().all(|page| page["items"].as_array().map(Vec::len) == Some(3)));
}

/// Returns the error of each operation about one invalid number.
fn expected_errors(at: usize, what: &str, value: i64, message: &str) -> Expected {
    let (camel, snake) = if what == "page" { ("pageNumber", "page_number") } else { ("pageSize", "page_size") };
    let generic = format!("{}.generic", if what == "page" { "page.number" } else { "page.size" });
    let camel = |prefix: &str| invalid(C, &[(&format!("{prefix}.{camel}"), &generic, json!(value))]);
    match at {
        0 => shape_a(400, json!([{ "message": message, "field": format!("get_all_sms_senders.{snake}") }])),
        1 => camel("filter"),
        2 => camel("search"),
        3 => camel("getOptOuts"),
        _ => invalid(L, &[(&format!("page.{snake}"), message, json!(value))]),
    }
}

/// Proves: D29.
#[test]
fn page_numbers_below_one_are_refused_in_the_words_of_each_operation() {
    let api = start_server();
    for value in [0, -1, -2_147_483_648] {
        for (at, path) in QUERIES.iter().enumerate() {
            api.get(format!("{path}?page_number={value}")).is(&expected_errors(
                at,
                "page",
                value,
                "must be greater than 0",
            ));
        }
        search_links(&api, json!({ "page_number": value })).is(&expected_errors(
            4,
            "page",
            value,
            "must be greater than 0",
        ));
    }
}

/// Proves: D30, R4_4_page_size.
#[test]
fn page_sizes_out_of_bounds_are_refused_in_the_words_of_each_operation() {
    let api = start_server();
    let most = [100, 100, 100, 1_000, 100];
    for (at, most) in most.into_iter().enumerate() {
        let ask = |size: i64| match QUERIES.get(at) {
            Some(path) => api.get(format!("{path}?page_size={size}")),
            None => search_links(&api, json!({ "page_size": size })),
        };
        for low in [0, -1] {
            ask(low).is(&expected_errors(at, "size", low, "must be greater than 0"));
        }
        for high in [most + 1, 2_147_483_647] {
            ask(high).is(&expected_errors(at, "size", high, "must be less than or equal to 100"));
        }
        ask(1).expect(200);
        ask(most).expect(200);
    }
}

/// Proves: D31.
#[test]
fn several_faults_come_together_in_their_order() {
    let api = start_server();
    let list = QUERIES[2];
    api.get("/contacts/v1/lists/?sort_order=desc&sort_by=uid&page_size=0&page_number=0").is(&invalid(
        C,
        &[
            ("filter.pageNumber", "page.number.generic", json!(0)),
            ("filter.pageSize", "page.size.generic", json!(0)),
            ("filter.sortBy", "sorting.by.generic", json!("uid")),
            ("filter.sortOrder", "sorting.order.generic", json!("desc")),
        ],
    ));
    api.get(format!("{list}?fields=uid,x,,phone_number,Y&page_size=101&page_number=-1")).is(&invalid(
        C,
        &[
            ("search.pageNumber", "page.number.generic", json!(-1)),
            ("search.pageSize", "page.size.generic", json!(101)),
            ("search.fields[1].<list element>", "Contact retrieval field is invalid.", json!("x")),
            ("search.fields[2].<list element>", "Contact retrieval field is invalid.", json!("")),
            ("search.fields[4].<list element>", "Contact retrieval field is invalid.", json!("Y")),
        ],
    ));
    api.get("/contacts/v1/optouts?page_number=0&page_size=1001&sort_order=up").is(&invalid(
        C,
        &[
            ("getOptOuts.pageNumber", "page.number.generic", json!(0)),
            ("getOptOuts.pageSize", "page.size.generic", json!(1001)),
            ("getOptOuts.sortOrder", "sorting.order.generic", json!("up")),
        ],
    ));
    // An error that consists of a message only comes before all others.
    let alone = api.get(format!("{list}?fields=&page_size=0")).expect(400).json();
    assert_eq!(alone["message"], "Contact fields are missing from the request.");
    let alone = api.get("/contacts/v1/optouts?channel=x&page_size=0").expect(400).json();
    assert_eq!(alone["message"], "Invalid channel. Must be SMS or WHATSAPP.");
}

/// Proves: D32.
#[test]
fn a_page_is_cut_from_the_state_at_that_moment() {
    let api = Setup::new().seed(json!({ "lists": [{ "name": "a" }, { "name": "b" }, { "name": "c" }] })).serve();
    let page = |number: usize| {
        api.get(format!("/contacts/v1/lists/?sort_by=name&sort_order=ASC&page_size=1&page_number={number}"))
    };
    let first = page(1).items();
    assert_eq!(first[0]["name"], "a");
    let uid = first[0]["uid"].as_str().expect("a uid");
    api.send(Request::delete(format!("/contacts/v1/lists/{uid}"))).expect(204);
    let second = page(2).ok();
    assert_eq!(second["items"][0]["name"], "c", "b has moved to the first page");
    assert_eq!(second["paging"]["total_items"], 2);
}
