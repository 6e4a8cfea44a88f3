//! The search of short links: words, tags, times, order, pages.

use roost_tests::{
    Answer, Served, Setup,
    expected::{L, bad_body, invalid, shape_b},
    seeds,
};
use serde_json::{Value, json};

const SEARCH: &str = "/assets/v1/shortlink/filter";

fn start_server() -> Served {
    let link = |tail: &str, title: &str, tags: Value, second: u8| {
        json!({
            "link_id": seeds::id("shl_", tail), "title": title, "tags": tags, "target_url": "https://shop.example/s",
            "created_at": format!("2026-01-05T09:00:{second:02}Z"),
        })
    };
    let links = json!([
        link("1", "Spring-Offer", json!(["summer sale", "A"]), 1),
        link("2", "Autumn", json!(["spring", "a"]), 2),
        link("3", "100% off_now", json!([]), 3),
        link("4", "Caf\u{e9} Z\u{fc}rich", json!(["A", "spring"]), 3),
    ]);
    Setup::new().seed(json!({ "short_links": links })).serve()
}

fn search_links(api: &Served, body: Value) -> Answer {
    api.post(SEARCH, &body)
}

/// Returns the last characters of the IDs found.
fn found_endings(api: &Served, body: Value) -> String {
    search_links(api, body).column("link_id").iter().map(|id| id[id.len() - 1..].to_owned()).collect()
}

fn found_by_words(api: &Served, query: &str) -> String {
    found_endings(api, json!({ "filter": { "query": query } }))
}

/// Proves: D126.
#[test]
fn absent_and_null_groups_are_defaults_and_an_empty_body_is_malformed() {
    let api = start_server();
    let whole = search_links(&api, json!({})).ok();
    assert_eq!(whole["paging"], json!({ "current_page": 1, "total_items": 4, "total_pages": 1 }));
    for body in [
        json!({ "filter": null, "sort": null, "page": null }),
        json!({ "filter": {}, "sort": {}, "page": {} }),
        json!({ "filter": { "query": null, "tags": null, "created_at_start": null, "created_at_end": null } }),
        json!({ "sort": { "sort_by": null, "sort_order": null }, "page": { "page_number": null, "page_size": null } }),
        json!({ "filter": { "query": " \t", "tags": [] } }),
    ] {
        assert_eq!(search_links(&api, body).ok(), whole);
    }
    api.send(roost_tests::Request::post(SEARCH)).is(&bad_body(L));
    let many: Value =
        (0..30).map(|n| json!({ "title": format!("link {n}"), "target_url": "https://shop.example" })).collect();
    let api = Setup::new().seed(json!({ "short_links": many })).serve();
    assert_eq!(search_links(&api, json!({})).items().len(), 25);
}

/// Proves: D127.
#[test]
fn every_word_is_a_part_of_the_title_or_a_tag_give_or_take_one_slip() {
    let api = start_server();
    for (query, hits) in [
        ("spring", "421"),
        ("SPRING", "421"),
        ("spr", "421"),
        ("sprng", "421"),
        ("sprinng", "421"),
        ("sprang", "421"),
        ("psring", "421"),
        ("offer", "1"),
        ("pring off", "1"),
        ("spring sumer", "1"),
        ("sale spring", "1"),
        ("autumn spring", "2"),
        ("caf\u{e9}", "4"),
        ("CAF\u{c9}", "4"),
        ("cafe", "4"),
        ("z\u{fc}rihc", "4"),
        ("100%", "3"),
        ("off_now", "3"),
        ("_", "3"),
        ("%", "3"),
        ("spn", ""),
        ("sprg", ""),
        ("autumn offer", ""),
        ("sqrjng", ""),
        ("xyz", ""),
    ] {
        assert_eq!(found_by_words(&api, query), hits, "{query}");
    }
}

/// Proves: D128.
#[test]
fn every_tag_must_be_there_exactly() {
    let api = start_server();
    let tagged = |tags: Value| found_endings(&api, json!({ "filter": { "tags": tags } }));
    for (tags, hits) in [
        (json!(["A"]), "41"),
        (json!(["a"]), "2"),
        (json!(["A", "spring"]), "4"),
        (json!(["spring", "A", "A"]), "4"),
        (json!([]), "4321"),
        (json!(["spr"]), ""),
        (json!(["A", "a"]), ""),
        (json!(["a!b"]), ""),
        (json!([""]), ""),
    ] {
        assert_eq!(tagged(tags.clone()), hits, "{tags}");
    }
    assert_eq!(found_endings(&api, json!({ "filter": { "tags": ["A"], "query": "offer" } })), "1");
}

/// Proves: D129.
#[test]
fn both_bounds_of_creation_count() {
    let api = start_server();
    let between = |start: &str, end: &str| {
        let time = |second: &str| (!second.is_empty()).then(|| format!("2026-01-05T09:00:{second}Z"));
        found_endings(&api, json!({ "filter": { "created_at_start": time(start), "created_at_end": time(end) } }))
    };
    assert_eq!(between("02", ""), "432");
    assert_eq!(between("", "02"), "21");
    assert_eq!(between("02", "02"), "2");
    assert_eq!(between("02.000000001", ""), "43");
    assert_eq!(between("03", "02"), "", "start after end");
}

/// Proves: D130, R4_5_sort_order.
#[test]
fn links_sort_by_creation_and_ties_by_their_id() {
    let api = start_server();
    let sorted = |sort: Value| found_endings(&api, json!({ "sort": sort }));
    assert_eq!(sorted(json!({ "sort_by": "created_at", "sort_order": "DESC" })), "4321");
    assert_eq!(sorted(json!({ "sort_order": "ASC" })), "1234");
    assert_eq!(sorted(json!({ "sort_by": "created_at" })), "4321");
    for bad in ["asc", "UP", ""] {
        search_links(&api, json!({ "sort": { "sort_order": bad } }))
            .is(&invalid(L, &[("sort.sort_order", "Sort Order must be ASC or DESC", json!(bad))]));
    }
    for bad in ["title", "Created_At", ""] {
        search_links(&api, json!({ "sort": { "sort_by": bad } }))
            .is(&invalid(L, &[("sort.sort_by", "Sort By must be created_at", json!(bad))]));
    }
}

/// Proves: D131, R7_3_val_004.
#[test]
fn a_page_is_an_integer_or_its_text() {
    let api = start_server();
    for page in [json!({ "page_number": 2, "page_size": 3 }), json!({ "page_number": "2", "page_size": "3" })] {
        let answer = search_links(&api, json!({ "page": page })).ok();
        assert_eq!(answer["paging"], json!({ "current_page": 2, "total_items": 4, "total_pages": 2 }));
        assert_eq!(answer["items"].as_array().map(Vec::len), Some(1));
    }
    let expected = shape_b(400, L, "VAL_004", "INVALID_PARAMETER_TYPE", "Invalid parameter type provided");
    for bad in [
        json!("x"),
        json!(""),
        json!("1.0"),
        json!(1.5),
        json!(true),
        json!([1]),
        json!({}),
        json!(2_147_483_648_u64),
        json!("2147483648"),
    ] {
        for key in ["page_number", "page_size"] {
            let body = json!({ "page": { key: bad }, "sort": { "sort_order": "UP" } });
            search_links(&api, body).is(&expected);
        }
    }
    for (key, value, message) in [
        ("page_number", json!(0), "must be greater than 0"),
        ("page_number", json!("-1"), "must be greater than 0"),
        ("page_size", json!("0"), "must be greater than 0"),
        ("page_size", json!(101), "must be less than or equal to 100"),
    ] {
        search_links(&api, json!({ "page": { key: value } }))
            .is(&invalid(L, &[(&format!("page.{key}"), message, value)]));
    }
}

/// Proves: D132.
#[test]
fn faults_of_a_search_come_in_their_order() {
    let message = "Invalid date-time. Use ISO 8601 UTC with a Z suffix.";
    let body = json!({
        "page": { "page_size": 101, "page_number": 0 }, "sort": { "sort_order": "UP", "sort_by": "title" },
        "filter": { "created_at_end": "x", "created_at_start": "" },
    });
    search_links(&start_server(), body).is(&invalid(
        L,
        &[
            ("filter.created_at_start", message, json!("")),
            ("filter.created_at_end", message, json!("x")),
            ("sort.sort_by", "Sort By must be created_at", json!("title")),
            ("sort.sort_order", "Sort Order must be ASC or DESC", json!("UP")),
            ("page.page_number", "must be greater than 0", json!(0)),
            ("page.page_size", "must be less than or equal to 100", json!(101)),
        ],
    ));
}
