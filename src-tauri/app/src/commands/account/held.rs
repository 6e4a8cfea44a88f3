//! Commands on what is held about a phone number, for a person who asks.

use std::path::Path;

use roost_model::{error::FieldError, time::Timestamp};
use roost_ops::{
    Actor, Core,
    account::{
        erase::{Erasure, ErasureConsent},
        held::{self, HeldKind},
    },
    opt_out,
};
use serde::{Deserialize, Serialize};

use super::{Account, file_name};
use crate::{accounts::App, error::CommandError, reading::parse_region};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct HeldGet {
    /// In any spelling.
    pub number: String,
    /// The country of a number without a country code, as two letters. Null stands for that of the account.
    pub region: Option<String>,
}

/// How many rows are about one thing.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct HeldCount {
    pub kind: HeldKind,
    pub count: u64,
}

/// How many rows a copy holds.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct HeldInFile {
    /// The file name without its folder.
    pub file: String,
    /// Null if the file cannot be read.
    pub count: Option<u64>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct HeldAnswer {
    /// In E.164 form.
    pub number: String,
    pub records: Vec<HeldCount>,
    /// The copies of the account and the damaged files that were set aside, if they hold something or cannot be read.
    pub copies: Vec<HeldInFile>,
    /// When what was held about the number was erased before.
    pub erased_at: Vec<Timestamp>,
    /// Whether imports are under way. Their files were not searched.
    pub has_imports: bool,
    /// Whether a server keeps its state beside the account, which was not searched.
    pub has_server_state: bool,
    /// The whole report as a JSON file.
    pub report: String,
}

/// What would be erased, and what stands in the way.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ErasurePreview {
    /// In E.164 form.
    pub number: String,
    /// The number of rows in the account and its copies.
    pub rows: u64,
    pub records: Vec<HeldCount>,
    pub copies: Vec<HeldInFile>,
    /// The files that cannot be read, without their folders.
    pub unreadable: Vec<String>,
    pub has_imports: bool,
    pub has_server_state: bool,
    /// Whether a run of the sync has not ended.
    pub has_open_run: bool,
    /// The opt-outs of the number. They stay in force.
    pub opt_outs: u64,
    /// The number of steps that can no longer be undone or redone.
    pub steps_forgotten: u64,
    /// Further numbers of the contacts that would be erased.
    pub other_numbers: Vec<String>,
    /// The name of the connected service.
    pub service: Option<String>,
    /// The contacts with the number that the service has, as far as is known.
    pub at_service: u64,
    /// The contacts of others at the service whose texts mention the number, as far as is known.
    pub mentioned_at_service: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ErasureRun {
    /// In E.164 form.
    pub number: String,
    /// The number of rows that account_erase_preview returned.
    pub rows: u64,
    /// Erase here although the service has contacts with the number.
    pub here_only: bool,
    /// Delete the files that cannot be read.
    pub delete_unreadable: bool,
    /// Discard the imports that are under way.
    pub discard_imports: bool,
    /// Discard the state that a server keeps beside the account.
    pub discard_server_state: bool,
}

fn read_number(core: &Core, request: &HeldGet) -> Result<String, CommandError> {
    let region = parse_region(core, request.region.as_deref())?;
    held::to_searched_number(opt_out::read_number(&request.number, region), &request.number, region).ok_or_else(|| {
        let fault = FieldError::new("number", opt_out::NOT_A_NUMBER, request.number.as_str());
        CommandError::invalid(vec![fault])
    })
}

fn count_rows<'a>(tables: impl IntoIterator<Item = (&'a str, u64)>) -> Vec<HeldCount> {
    held::count_by_kind(tables).into_iter().map(|(kind, count)| HeldCount { kind, count }).collect()
}

fn count_in_file(path: &Path, count: Option<u64>) -> HeldInFile {
    HeldInFile { file: file_name(path), count }
}

pub(crate) fn get(app: &App, _: &Actor, request: HeldGet) -> Result<HeldAnswer, CommandError> {
    let (core, file) = (app.core()?, app.account_file()?);
    let number = read_number(&core, &request)?;
    let report = held::find_held(&file, &number).map_err(CommandError::opening)?;
    let text = serde_json::to_string_pretty(&report.to_json()).map_err(|why| CommandError::internal(&why))?;
    let copies = report.copies.iter().map(|copy| {
        let count = copy.records.as_ref().map(|records| records.len() as u64);
        count_in_file(&copy.path, count)
    });
    Ok(HeldAnswer {
        records: count_rows(report.records.iter().map(|record| (record.table.as_str(), 1))),
        copies: copies.filter(|copy| copy.count != Some(0)).collect(),
        erased_at: report.erased_at.iter().filter_map(|at| Timestamp::parse_iso(at)).collect(),
        has_imports: report.has_imports,
        has_server_state: report.has_server_state,
        report: text + "\n",
        number,
    })
}

pub(crate) fn erase_preview(app: &App, _: &Actor, request: HeldGet) -> Result<ErasurePreview, CommandError> {
    app.check_closable()?;
    let (core, file) = (app.core()?, app.account_file()?);
    let number = read_number(&core, &request)?;
    let erasure = Erasure::prepare_open(core, &file, &number, None).map_err(CommandError::opening)?;
    let (plan, account) = (erasure.plan(), &erasure.plan().account);
    let tables = account.erased.iter().chain(&account.replaced).map(|(table, count)| (table.as_str(), *count));
    Ok(ErasurePreview {
        rows: plan.rows(),
        records: count_rows(tables),
        copies: plan.copies.iter().map(|(copy, counts)| count_in_file(copy, Some(counts.rows()))).collect(),
        unreadable: plan.unreadable.iter().map(|path| file_name(path)).collect(),
        has_imports: plan.has_imports,
        has_server_state: plan.has_server_state,
        has_open_run: plan.has_open_run,
        opt_outs: account.opt_outs,
        steps_forgotten: account.steps_forgotten,
        other_numbers: account.other_numbers.iter().cloned().collect(),
        service: plan.service.clone(),
        at_service: account.at_service,
        mentioned_at_service: account.mentioned_at_service,
        number,
    })
}

pub(crate) fn erase(app: &App, by: &Actor, request: ErasureRun) -> Result<Account, CommandError> {
    let consent = ErasureConsent {
        opt_outs: None,
        here_only: request.here_only,
        delete_unreadable: request.delete_unreadable,
        discard_imports: request.discard_imports,
        discard_server_state: request.discard_server_state,
    };
    app.erase_number(by, &request.number, request.rows, &consent)?;
    Account::from_app(app)
}

#[cfg(test)]
mod tests {
    use roost_model::error::ErrorCode;
    use roost_ops::Ctx;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_report_counts_what_is_held_and_has_the_rows_as_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop.roost");
        let app = App::with_core(Core::open(&file, Ctx::system()).unwrap(), &file);
        let run = |command: &str, request: Value| app.dispatch(command, request, None).unwrap();
        run("account_set_country", json!({ "country": "GB" }));
        let list = run("list_create", json!({ "name": "Guests" }))["uid"].clone();
        let contacts = json!([{ "phone_number": "+447700900001", "firstname": "Ada" }]);
        run("contact_paste", json!({ "list": list, "contacts": contacts, "region": null }));
        run("account_back_up", json!({}));
        let held = run("account_held", json!({ "number": "(07700) 900-001", "region": null }));
        assert_eq!(held["number"], "+447700900001");
        assert_eq!(held["records"][0], json!({ "kind": "contacts", "count": 1 }));
        assert_eq!(held["copies"].as_array().unwrap().len(), 1);
        let report: Value = serde_json::from_str(held["report"].as_str().unwrap()).unwrap();
        let records = report["records"].as_array().unwrap();
        assert!(records.iter().any(|record| record["what"] == "contacts in lists"), "{report}");
        let other = run("account_held", json!({ "number": "+447700900002", "region": null }));
        assert_eq!((&other["records"], &other["copies"]), (&json!([]), &json!([])));
        let refused = app.dispatch("account_held", json!({ "number": "x", "region": null }), None).unwrap_err();
        assert_eq!((refused.code, refused.details[0].path.as_str()), (ErrorCode::Invalid, "number"));
    }
}
