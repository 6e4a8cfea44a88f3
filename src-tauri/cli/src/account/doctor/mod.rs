//! `roost doctor --db`: examines an account and says what to do. `--bundle` writes what somebody else needs to know
//! about a fault, without a value of the account.

mod bundle;
mod checks;
mod waiting;

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use roost_ops::Ctx;
use serde::Serialize;
use serde_json::{Value, json};

use self::checks::examine_account;
use crate::{
    failure::CliFailure,
    files::check_existing,
    outputs::OutputPath,
    terminal::{count_with_noun, plain_value, print_json, print_text},
};

/// The exit status if there is a fault.
const FAULTY: u8 = 1;

/// What the doctor is to examine and to write.
pub(crate) struct DoctorRequest {
    pub db: Option<PathBuf>,
    pub bundle: Option<OutputPath>,
    pub force: bool,
    /// A log to put into the bundle.
    pub log: Option<PathBuf>,
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum CheckStatus {
    Ok,
    /// Nothing is broken, but a person should know or do something.
    Note,
    Fault,
    /// It could not be found out.
    Unknown,
}

/// One point of the report.
#[derive(Debug, Clone, Serialize)]
struct AccountCheck {
    check: &'static str,
    status: CheckStatus,
    /// What was found, for people. It may name files and services.
    finding: String,
    to_do: Option<String>,
    /// The same in numbers and words of the program alone, for a bundle.
    data: Value,
}

struct AccountReport {
    checks: Vec<AccountCheck>,
    is_sound: bool,
    /// Why the account could not be checked.
    failure: Option<roost_ops::Error>,
}

impl DoctorRequest {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let now = Ctx::system().now();
        let mut report = match &self.db {
            Some(db) => {
                check_existing(db)?;
                Some(examine_account(db, now))
            }
            None => None,
        };
        if let Some(bundle) = &self.bundle {
            let files = bundle::collect_files(self.db.as_deref(), report.as_ref(), self.log.as_deref(), now)?;
            bundle.write(self.force, |out| roost_exports::write_archive(out, &files))?;
        }
        if let Some(why) = report.as_mut().and_then(|report| report.failure.take()) {
            return Err(CliFailure::new(why));
        }
        if self.json {
            print_json(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "file": self.db.as_ref().map(|db| db.to_string_lossy()),
                "sound": report.as_ref().map(|report| report.is_sound),
                "checks": report.as_ref().map(|report| &report.checks),
                "bundle": self.bundle.as_ref().map(|bundle| bundle.path().to_string_lossy()),
            }))?;
        } else {
            if let (Some(db), Some(report)) = (&self.db, &report) {
                print_text(&report.describe(db))?;
            }
            self.print_bundle()?;
        }
        let has_fault = |report: &AccountReport| report.checks.iter().any(|check| check.status == CheckStatus::Fault);
        let is_faulty = report.is_some_and(|report| !report.is_sound || has_fault(&report));
        Ok(if is_faulty { FAULTY } else { 0 })
    }

    fn print_bundle(&self) -> Result<(), CliFailure> {
        match &self.bundle {
            Some(bundle) => print_text(&format!(
                "{} contains what a bug report needs, and no data of the account. Look into it before you pass it on.\n",
                plain_value(&bundle.path().to_string_lossy())
            )),
            None => Ok(()),
        }
    }
}

impl AccountReport {
    fn describe(&self, db: &Path) -> String {
        let noted = self.checks.iter().filter(|check| check.status != CheckStatus::Ok).count();
        let db = plain_value(&db.to_string_lossy());
        let mut text = match noted {
            0 => format!("{db}: nothing needs attention.\n"),
            _ => format!("{db}: {} to look at.\n", count_with_noun(noted as u64, "point")),
        };
        for check in &self.checks {
            let status = match check.status {
                CheckStatus::Ok => "ok",
                CheckStatus::Note => "note",
                CheckStatus::Fault => "FAULT",
                CheckStatus::Unknown => "unknown",
            };
            let _ = writeln!(text, "{status:<8}{:<12}{}", check.check, plain_value(&check.finding));
            for line in check.to_do.iter().flat_map(|to_do| to_do.lines()) {
                let _ = writeln!(text, "{:<20}{}", "", plain_value(line));
            }
        }
        text
    }
}
