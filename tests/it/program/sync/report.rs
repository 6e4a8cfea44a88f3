//! An account of a service that `roost fidelity check` has tested works with what the report says.

use std::fs;

use roost_emulator::fidelity::{CheckReport, Observation};
use roost_tests::{Served, Setup, seeds};
use serde_json::{Value, json};

use super::{LIST, SyncFolder, list_id};
use crate::emulator::fidelity::check::run_check;

const CONTACTS: usize = 30;
const ROW: &str = "contacts.query.unpaged";

/// Returns the targets of the requests for contacts that a first pull of a connected account sends.
fn pull_contacts(api: &Served, place: &SyncFolder) -> Vec<String> {
    api.admin().delete("/__admin/requests").expect(204);
    place.run_expecting(0, &["pull"]);
    let sent = api.admin().get("/__admin/requests?limit=1000").column("url");
    sent.into_iter().filter(|url| url.starts_with("/contacts/v1/contacts/list/")).collect()
}

/// Connects a new account by a report, and returns what it knows about the row [`ROW`].
fn connect_by(api: &Served, report: Option<&CheckReport>) -> (SyncFolder, Value) {
    let place = SyncFolder::new();
    let file = place.file_path("report.json");
    let mut args = vec!["connect", api.url(), "--no-test", "--json"];
    if let Some(report) = report {
        fs::write(&file, serde_json::to_vec(report).expect("JSON")).expect("written");
        args.extend(["--fidelity", &file]);
    }
    let connected = place.run_for_json(0, &args);
    let known = connected["connection"]["capabilities"].as_array().expect("capabilities");
    let found = known.iter().find(|one| one["flag"] == "all_pages_read").cloned().unwrap_or_default();
    (place, found)
}

#[test]
fn an_account_pulls_by_the_report_on_its_service() {
    let list = seeds::filled_list(list_id().as_str(), LIST, CONTACTS);
    let api = Setup::new().recording().set("auth", "off").seed(json!({ "lists": [list] })).serve();
    let report = run_check(api.url(), false, false).0.expect("a report");
    assert_eq!(report.find_row(ROW).map(|row| row.result), Some(Observation::Observed));
    let with_result = |result| {
        let mut changed = report.clone();
        changed.rows.iter_mut().filter(|row| row.name == ROW).for_each(|row| row.result = result);
        changed
    };
    let all = format!("/contacts/v1/contacts/list/{}", list_id());
    let page = format!("{all}?page_number=1&page_size=100");
    for (report, known, wanted) in [
        (None, Value::Null, &page),
        (Some(with_result(Observation::Observed)), json!(true), &all),
        (Some(with_result(Observation::Contradicted)), json!(false), &page),
        (Some(with_result(Observation::Undecided)), Value::Null, &page),
    ] {
        let (place, found) = connect_by(&api, report.as_ref());
        assert_eq!(found["value"], known, "{found}");
        let is_from_report = found["how"] == "roost fidelity check tested the service";
        assert_eq!(is_from_report, !known.is_null(), "{found}");
        assert_eq!(pull_contacts(&api, &place), std::slice::from_ref(wanted), "{known}");
    }
}
