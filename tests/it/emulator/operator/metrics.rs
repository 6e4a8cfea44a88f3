//! The metrics for Prometheus: which events are counted, and that the text has the right format.

use std::collections::{BTreeMap, BTreeSet};

use roost_tests::{Request, Served};
use serde_json::json;

use super::super::{
    callbacks::{build_contacts, create_receiver, frozen_setup, request_contacts, wait_until_settled},
    worlds::create_world,
};

const METRICS: &str = "/__admin/metrics";
const LISTS: &str = "/contacts/v1/lists/";

fn scrape_metrics(api: &Served) -> BTreeMap<String, f64> {
    let answer = api.admin().get(METRICS).expect(200);
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    parse_metrics(&answer.text())
}

/// Returns whether a name is valid in the format. Labels have no colon.
fn is_name(name: &str, colon: bool) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_' || (colon && c == ':');
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}

/// Splits `a="b",c="d"` into its pairs. No value here contains a quotation mark, a comma or a backslash.
fn parse_labels(text: &str) -> Vec<(&str, &str)> {
    fn pair(text: &str) -> Option<(&str, &str)> {
        let (name, value) = text.split_once("=\"")?;
        let value = value.strip_suffix('"')?;
        (is_name(name, false) && !value.contains(['"', '\\'])).then_some((name, value))
    }
    text.split(',').map(|one| pair(one).unwrap_or_else(|| panic!("no label: {one}"))).collect()
}

/// Parses a text that follows every rule of the format to its samples, by name and labels.
#[track_caller]
fn parse_metrics(text: &str) -> BTreeMap<String, f64> {
    assert!(text.ends_with('\n') && !text.contains("\n\n"), "lines, each with its end");
    let (mut samples, mut families, mut family) = (BTreeMap::new(), BTreeSet::new(), ("", ""));
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, words) = help.split_once(' ').expect("words of help");
            assert!(is_name(name, true) && !words.is_empty() && !words.contains('\\'), "{line}");
            assert!(families.insert(name), "{name} stands twice");
            let kind =
                lines.next().and_then(|line| line.strip_prefix("# TYPE ")?.strip_prefix(name)?.strip_prefix(' '));
            let kind = kind.unwrap_or_else(|| panic!("{name} has no type"));
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{kind}");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{name}");
            family = (name, kind);
            continue;
        }
        let (sample, value) = line.rsplit_once(' ').expect("a sample and its value");
        let (name, given) =
            sample.strip_suffix('}').map_or((sample, ""), |sample| sample.split_once('{').expect("labels"));
        let given = if given.is_empty() { Vec::new() } else { parse_labels(given) };
        assert_eq!(given.iter().map(|(name, _)| name).collect::<BTreeSet<_>>().len(), given.len(), "{line}");
        let end = name.strip_prefix(family.0).unwrap_or_else(|| panic!("{line} stands in {family:?}"));
        let ends: &[&str] = if family.1 == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
        assert!(ends.contains(&end) && is_name(name, true), "{line}");
        assert_eq!(end == "_bucket", given.iter().any(|(name, _)| *name == "le"), "{line}");
        let value: f64 = value.parse().unwrap_or_else(|_| panic!("no number: {line}"));
        assert!(value >= 0.0 && samples.insert(sample.to_owned(), value).is_none(), "{line}");
    }
    check_histograms(text, &samples);
    samples
}

/// Checks that bounds rise, that the counts rise with them, and that the last count covers everything.
fn check_histograms(text: &str, samples: &BTreeMap<String, f64>) {
    let mut before: Option<(String, f64, f64)> = None;
    for line in text.lines().filter(|line| line.contains("_bucket{")) {
        let (sample, count) = line.rsplit_once(' ').expect("a value");
        let (series, bound) = sample.split_once(",le=\"").expect("a bound behind the other labels");
        let bound = bound.trim_end_matches("\"}").replace("+Inf", "inf").parse::<f64>().expect("a bound");
        let count = count.parse::<f64>().expect("a count");
        if let Some((of, lower, fewer)) = before.filter(|(_, lower, _)| lower.is_finite()) {
            assert!(of == series && lower < bound && fewer <= count, "{line}");
        }
        if bound.is_infinite() {
            let of = |end: &str| samples[&format!("{}}}", series.replacen("_bucket", end, 1))];
            assert!(of("_count").total_cmp(&count).is_eq() && (count > 0.0 || of("_sum") == 0.0), "{line}");
        }
        before = Some((series.to_owned(), bound, count));
    }
    assert!(before.is_none_or(|(_, bound, _)| bound.is_infinite()), "the last one has no bound");
}

/// Returns the value of a counter as an integer.
#[track_caller]
fn counter_value(samples: &BTreeMap<String, f64>, sample: &str) -> u64 {
    *samples.get(sample).unwrap_or_else(|| panic!("no {sample}")) as u64
}

fn count_requests(samples: &BTreeMap<String, f64>, operation: &str, status: &str) -> u64 {
    counter_value(samples, &format!("roost_requests_total{{operation=\"{operation}\",status=\"{status}\"}}"))
}

#[test]
fn what_happened_is_counted_by_operation_and_status() {
    let api = frozen_setup().serve();
    let before = scrape_metrics(&api);
    assert!(
        before.iter().all(|(name, value)| !name.contains("lists.") || *value == 0.0),
        "all series are there at once"
    );
    for rule in [
        json!({ "match": { "operation": "lists.create" }, "effect": { "status": 503 } }),
        json!({ "match": { "operation": "shortlinks.create" }, "effect": { "line": "empty" } }),
    ] {
        api.admin().post("/__admin/faults/rules", &rule).expect(201);
    }
    for _ in 0..3 {
        api.get(LISTS).expect(200);
    }
    api.post("/contacts/v1/lists/create", &json!({ "name": "Guests" })).expect(503);
    // A read request would be repeated by the client.
    api.try_send(&Request::post("/assets/v1/shortlink").json(&json!({}))).expect_err("the line ends");
    api.get("/contacts/v9/nowhere").expect(404);
    request_contacts(&api, &create_receiver(&api, "inbox"), "heard", &build_contacts([1]));
    wait_until_settled(&api);
    request_contacts(&api, "http://10.0.0.1/hook", "refused", &build_contacts([2]));
    wait_until_settled(&api);
    api.admin().put("/__admin/callback_policy", &json!({ "drop": 1 })).expect(200);
    request_contacts(&api, &create_receiver(&api, "inbox"), "dropped", &build_contacts([3]));
    wait_until_settled(&api);
    let now = scrape_metrics(&api);
    for (operation, status, count) in [
        ("lists.query", "2xx", 3),
        ("lists.create", "5xx", 1),
        ("lists.create", "2xx", 0),
        ("shortlinks.create", "none", 1),
        ("contacts.create", "2xx", 3),
        ("none", "4xx", 1),
        ("hook", "2xx", 1),
    ] {
        assert_eq!(count_requests(&now, operation, status), count, "{operation} {status}");
    }
    assert_eq!(
        count_requests(&now, "admin", "2xx"),
        count_requests(&before, "admin", "2xx") + 7,
        "the one that asks not yet"
    );
    assert_eq!(counter_value(&now, "roost_request_duration_seconds_count{operation=\"lists.query\"}"), 3);
    assert!(now["roost_request_duration_seconds_sum{operation=\"contacts.create\"}"] > 0.0);
    for (operation, count) in [("lists.create", 1), ("shortlinks.create", 1), ("lists.query", 0)] {
        assert_eq!(
            counter_value(&now, &format!("roost_faults_total{{operation=\"{operation}\"}}")),
            count,
            "{operation}"
        );
    }
    for (status, count) in [("2xx", 1), ("none", 1), ("dropped", 1), ("5xx", 0)] {
        assert_eq!(
            counter_value(&now, &format!("roost_callback_tries_total{{status=\"{status}\"}}")),
            count,
            "{status}"
        );
    }
}

#[test]
fn the_gauges_cover_all_worlds() {
    let api = frozen_setup().recording().serve();
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1]));
    wait_until_settled(&api);
    let world = create_world(&api, &json!({ "name": "a", "from": "world:default" }));
    api.admin().put("/__admin/job_policy", &json!({ "progress": "manual" })).expect(200);
    api.admin().put("/__admin/callback_policy", &json!({ "hold": true })).expect(200);
    request_contacts(&api, &create_receiver(&api, "inbox"), "held", &build_contacts([2]));
    api.with_key(&world.key).get(LISTS).expect(200);
    let kept = |place: &str| api.admin().get(format!("{place}/journal")).ok()["lines"].as_u64().expect("a number");
    let lines = kept("/__admin") + kept(&format!("/__admin/worlds/{}", world.id));
    let there = scrape_metrics(&api);
    // Requests for metrics are not recorded in a journal.
    assert_eq!(counter_value(&there, "roost_journal_lines"), lines);
    assert!(counter_value(&there, "roost_journal_bytes") > 0);
    for (sample, count) in [
        ("roost_worlds", 2),
        ("roost_jobs{state=\"done\"}", 2),
        ("roost_jobs{state=\"held\"}", 1),
        ("roost_jobs{state=\"waiting\"}", 0),
        ("roost_callbacks{state=\"delivered\"}", 2),
        ("roost_callbacks{state=\"held\"}", 0),
        ("roost_journal_dropped_lines", 0),
    ] {
        assert_eq!(counter_value(&there, sample), count, "{sample}");
    }
    assert_eq!(count_requests(&there, "lists.query", "2xx"), 1);
    api.admin().delete(format!("/__admin/worlds/{}", world.id)).expect(204);
    let after = scrape_metrics(&api);
    assert_eq!((counter_value(&after, "roost_worlds"), counter_value(&after, "roost_jobs{state=\"done\"}")), (1, 1));
    assert_eq!(count_requests(&after, "lists.query", "2xx"), 1, "what was counted stays counted");
}

#[test]
fn what_caches_hold_is_counted() {
    let api = frozen_setup().serve();
    for (requests, kept) in [(0, 0), (1, 0), (2, 1), (3, 1)] {
        if requests > 0 {
            api.get(LISTS).expect(200);
        }
        let samples = scrape_metrics(&api);
        let responses = |name: &str| counter_value(&samples, &format!("roost_cache_{name}{{cache=\"responses\"}}"));
        assert_eq!(responses("entries"), kept, "asked {requests} times");
        assert_eq!(responses("bytes") > 0, kept > 0);
        assert_eq!(counter_value(&samples, "roost_cache_entries{cache=\"contacts\"}"), 0);
    }
}

#[test]
fn the_metrics_are_valid_prometheus_text_with_a_fixed_set_of_series() {
    let api = frozen_setup().serve();
    let (first, second) = (scrape_metrics(&api), scrape_metrics(&api));
    assert_eq!(
        first.keys().collect::<Vec<_>>(),
        second.keys().collect::<Vec<_>>(),
        "never more series than there were"
    );
    assert_eq!(first["process_start_time_seconds"].to_bits(), second["process_start_time_seconds"].to_bits());
    assert!(first["process_start_time_seconds"] > 1.7e9, "of the real clock, whatever the world's says");
    assert!(!cfg!(target_os = "linux") || first["process_resident_memory_bytes"] > 1e6);
    let version = concat!("roost_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"}");
    assert_eq!(counter_value(&first, version), 1);
    assert_eq!(parse_metrics("# HELP a b\n# TYPE a gauge\na{b=\"c\"} 1\n").len(), 1);
    for broken in [
        "a 1",
        "# HELP a b\n# TYPE a gauge\na x\n",
        "# HELP a b\n# TYPE a gauge\na 1\na 1\n",
        "# HELP a b\n# TYPE a counter\na 1\n",
        "# HELP a b\n# TYPE a gauge\nb 1\n",
        "# HELP a b\n# TYPE a gauge\na{b=c} 1\n",
        "# TYPE a gauge\na 1\n",
    ] {
        assert!(std::panic::catch_unwind(|| parse_metrics(broken)).is_err(), "{broken}");
    }
}

#[test]
fn only_the_operator_of_the_server_can_read_the_metrics() {
    let api = frozen_setup().serve();
    api.get(METRICS).expect(401);
    let world = create_world(&api, &json!({ "name": "a" }));
    api.with_token(&world.token).get(METRICS).expect(403);
    api.admin().post(METRICS, &json!({})).expect(405);
    api.admin().get(format!("{METRICS}?world=a")).expect(400);
}
