//! Applies the observations of `roost fidelity check` to the plans of an account.

use std::{fs, path::Path};

use roost_emulator::fidelity::{CheckReport, Observation};
use roost_sync::{probe::ProbeFinding, session::Session};
use serde_json::{Value, json};

use crate::failure::{Failure, unreadable};

const HOW: &str = "roost fidelity check tested the service";
/// Stores what the report says about the abilities that plans depend on.
pub fn learn(session: &Session, path: &Path, url: &str) -> Result<(), Failure> {
    let told = |why: &dyn std::fmt::Display| Failure::new(format!("--fidelity {}: {why}", path.display()));
    let text = fs::read(path).map_err(|why| unreadable(path, &why))?;
    let report = CheckReport::read(&text).map_err(|why| told(&why))?;
    let plain = |address: &str| address.trim_end_matches('/').to_ascii_lowercase();
    if plain(&report.against) != plain(url) {
        return Err(told(&format!(
            "the report is about {}, not about {url}. Check that service first.",
            report.against
        )));
    }
    session.store_findings(&found(&report))?;
    Ok(())
}

fn found(report: &CheckReport) -> Vec<ProbeFinding> {
    report.rows.iter().filter_map(|row| ability(&row.name, row.result)).collect()
}

/// Returns the ability that a row of the register decides, under the name that plans use.
fn ability(row: &str, result: Observation) -> Option<ProbeFinding> {
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
    Some(ProbeFinding { flag, value, how: HOW })
}
