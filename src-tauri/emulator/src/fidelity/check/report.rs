//! The report of a check, as a file. `roost serve --fidelity` reads it and starts a server that behaves as the service
//! does.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Behaviour, FidelityMark, all_behaviours};
use crate::settings::{SettingError, Settings};

pub(super) const FORMAT: &str = "roost-fidelity";
pub(super) const VERSION: u32 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Observation {
    /// The service does the same.
    Observed,
    /// The service does something else.
    Contradicted,
    /// No response could decide it.
    Undecided,
}

/// A request and its response. Keys are left out, and numbers are shortened to their beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallEvidence {
    pub request: String,
    pub body: Option<String>,
    /// Null if no response came.
    pub status: Option<u16>,
    pub answer: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckRow {
    /// Name of the behaviour in the register.
    pub name: String,
    pub decision: String,
    pub result: Observation,
    /// What the service does instead, or why the row is undecided.
    pub note: Option<String>,
    /// Settings with which Roost does the same as the service.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    #[serde(default)]
    pub evidence: Vec<CallEvidence>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckReport {
    pub format: String,
    pub version: u32,
    /// The address of the checked service.
    pub against: String,
    pub checked_at: String,
    pub writes: bool,
    pub burst: bool,
    pub calls: u64,
    pub rows: Vec<CheckRow>,
    /// Records that the check created and could not remove.
    #[serde(default)]
    pub left_behind: Vec<String>,
}

/// How much of the register is known, and how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FidelityScore", deny_unknown_fields)]
pub struct FidelityScore {
    pub observed: usize,
    pub contradicted: usize,
    pub documented: usize,
    pub inferred: usize,
    pub assumed: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("this is not a report of roost fidelity check: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error("this is not a report of roost fidelity check: format is '{0}', expected '{FORMAT}'")]
    Format(String),
    #[error("the report has version {0}, but this Roost reads version {VERSION}; run roost fidelity check again")]
    Version(u32),
    #[error("the report names an unknown row '{0}'; run roost fidelity check again")]
    UnknownRow(String),
}

impl CheckReport {
    pub fn read(text: &[u8]) -> Result<Self, ReportError> {
        let report: Self = serde_json::from_slice(text)?;
        if report.format != FORMAT {
            return Err(ReportError::Format(report.format));
        }
        if report.version != VERSION {
            return Err(ReportError::Version(report.version));
        }
        let is_known = |row: &&CheckRow| all_behaviours().any(|known| known.name == row.name);
        match report.rows.iter().find(|row| !is_known(row)) {
            Some(row) => Err(ReportError::UnknownRow(row.name.clone())),
            None => Ok(report),
        }
    }

    pub fn find_row(&self, name: &str) -> Option<&CheckRow> {
        self.rows.iter().find(|row| row.name == name)
    }

    pub fn count_results(&self, result: Observation) -> usize {
        self.rows.iter().filter(|row| row.result == result).count()
    }

    /// Returns the settings with which Roost does what was observed.
    pub fn learnt_settings(&self) -> BTreeMap<&str, &str> {
        self.rows.iter().flat_map(|row| &row.settings).map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    /// Applies what was observed. A check cannot learn which keys are valid, so `auth=keys` is left to a person who
    /// names them.
    pub fn apply_to(&self, settings: &mut Settings) -> Result<(), SettingError> {
        let learnt = self.learnt_settings();
        learnt
            .into_iter()
            .filter(|pair| *pair != ("auth", "keys"))
            .try_for_each(|(name, value)| settings.set(name, value))
    }

    /// Whether the service refused a key that it does not know.
    pub fn needs_known_keys(&self) -> bool {
        self.learnt_settings().get("auth").is_some_and(|learnt| *learnt == "keys")
    }

    pub fn score(&self) -> FidelityScore {
        score_register(|behaviour| self.find_row(behaviour.name).map(|row| row.result))
    }
}

/// Counts the register by mark, or by observation where `observed` returns one.
pub fn score_register(observed: impl Fn(&Behaviour) -> Option<Observation>) -> FidelityScore {
    let mut score = FidelityScore::default();
    for behaviour in all_behaviours() {
        let count = match (observed(behaviour), behaviour.detail.unwrap_or(behaviour.mark)) {
            (Some(Observation::Observed), _) => &mut score.observed,
            (Some(Observation::Contradicted), _) => &mut score.contradicted,
            (_, FidelityMark::Documented) => &mut score.documented,
            (_, FidelityMark::Inferred) => &mut score.inferred,
            (_, FidelityMark::Assumed) => &mut score.assumed,
        };
        *count += 1;
    }
    score
}
