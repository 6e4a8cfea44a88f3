//! Applies the observations of `roost fidelity check` to the plans of an account.

use std::{fs, path::Path};

use roost_emulator::fidelity::{CheckReport, Observation};
use roost_sync::probe::ProbeFinding;
use roost_sync_session::Session;
use serde_json::{Value, json};

use crate::failure::{CliFailure, read_failure};

const EVIDENCE: &str = "roost fidelity check tested the service";
/// Stores what the report says about the abilities that plans depend on.
pub(crate) fn learn_from_report(session: &Session, path: &Path, url: &str) -> Result<(), CliFailure> {
    let to_failure = |why: &dyn std::fmt::Display| CliFailure::new(format!("--fidelity {}: {why}", path.display()));
    let text = fs::read(path).map_err(|why| read_failure(path, &why))?;
    let report = CheckReport::read(&text).map_err(|why| to_failure(&why))?;
    let plain = |address: &str| address.trim_end_matches('/').to_ascii_lowercase();
    if plain(&report.against) != plain(url) {
        return Err(to_failure(&format!(
            "the report is about {}, not about {url}. Check that service first.",
            report.against
        )));
    }
    session.store_findings(&find_abilities(&report))?;
    Ok(())
}

fn find_abilities(report: &CheckReport) -> Vec<ProbeFinding> {
    report.rows.iter().filter_map(|row| ability_of_row(&row.name, row.result)).collect()
}

/// Returns the ability that a row of the register decides, under the name that plans use.
fn ability_of_row(row: &str, result: Observation) -> Option<ProbeFinding> {
    let (flag, usual, other) = match row {
        "contacts.query.unpaged" => ("all_pages_read", json!(true), json!(false)),
        "contacts.query.fields" => ("contacts.fields_delimiter", json!(","), Value::Null),
        "optouts.query.asset_fields" => ("optouts.asset_fields", json!("keyword"), json!("asset")),
        "paging.page_size" => ("lists.page_max", json!(100), Value::Null),
        _ => return None,
    };
    let value = match result {
        Observation::Observed => usual,
        Observation::Contradicted => other,
        Observation::Undecided => return None,
    };
    Some(ProbeFinding { flag, value, how: EVIDENCE })
}
