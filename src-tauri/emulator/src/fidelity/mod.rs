//! The register of fidelity: whether each behaviour is documented by the service, inferred, or assumed.

mod assumptions;
mod check;
mod register;

use roost_wire::OPERATIONS;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::{
    assumptions::{add_assumptions, assumptions_of_refusal, assumptions_of_success, find_header_row},
    check::{
        CALL_INTERVAL, CallEvidence, CallRecorder, CheckError, CheckOptions, CheckReport, CheckRow, FidelityScore,
        Observation, ReportError, run_check, score_register,
    },
    register::{OTHER_DECISIONS, all_behaviours},
};

/// How certain it is that the service behaves the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FidelityMark {
    /// The service's documentation says so.
    Documented,
    /// It follows from samples, or from programs that use the service.
    Inferred,
    /// Unknown; chosen for the emulator.
    Assumed,
}

impl FidelityMark {
    pub const ALL: [(&'static str, Self); 3] =
        [("documented", Self::Documented), ("inferred", Self::Inferred), ("assumed", Self::Assumed)];
}

/// A behaviour of the emulator that could have been different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Behaviour {
    /// The number of the decision.
    pub decision: u16,
    pub name: &'static str,
    pub mark: FidelityMark,
    /// Mark of the exact form, if it is less certain than the behaviour.
    pub detail: Option<FidelityMark>,
    /// Operations and groups of them. `*` for all; `callback`, `short_link` and `operator` for behaviours outside
    /// operations.
    pub subjects: &'static [&'static str],
    /// The setting that changes the behaviour.
    pub setting: Option<&'static str>,
    /// Whether a response that depends on it names it in a header.
    pub is_in_header: bool,
    pub does: &'static str,
}

/// Subjects of rows that are not operations.
const OTHER_SUBJECTS: [&str; 3] = ["callback", "short_link", "operator"];

/// Returns every name that a row can have as its subject and a caller can ask for, sorted.
pub fn subject_names() -> impl Iterator<Item = &'static str> {
    let groups = OPERATIONS.iter().map(|operation| operation.group.as_str());
    let mut names: Vec<_> =
        OPERATIONS.iter().map(|operation| operation.name).chain(groups).chain(OTHER_SUBJECTS).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter()
}

impl Behaviour {
    /// Whether the row concerns this operation, or an operation of this group.
    pub fn is_about(&self, subject: &str) -> bool {
        let is_below = |name: &str, group: &str| name.strip_prefix(group).is_some_and(|rest| rest.starts_with('.'));
        let is_other = OTHER_SUBJECTS.contains(&subject);
        self.subjects.iter().any(|covered| {
            *covered == subject
                || (*covered == "*" && !is_other)
                || is_below(subject, covered)
                || is_below(covered, subject)
        })
    }

    pub fn has_mark(&self, mark: FidelityMark) -> bool {
        self.mark == mark || self.detail == Some(mark)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::settings::SETTINGS;

    /// Decisions are numbered D1 to D155.
    const DECISIONS: u16 = 155;

    #[test]
    fn every_decision_is_listed_exactly_once() {
        let mut count: BTreeMap<u16, usize> = BTreeMap::new();
        for number in
            all_behaviours().map(|behaviour| behaviour.decision).chain(OTHER_DECISIONS.map(|(number, _)| number))
        {
            *count.entry(number).or_default() += 1;
        }
        assert!(count.values().all(|count| *count == 1), "{count:?}");
        assert!(count.keys().copied().eq(1..=DECISIONS), "{count:?}");
        assert!(OTHER_DECISIONS.iter().all(|(_, why)| why.ends_with("The emulator does not serve it.")));
    }

    #[test]
    fn every_row_is_well_formed_and_names_existing_subjects_and_settings() {
        let subjects: BTreeSet<_> = subject_names().collect();
        for row in all_behaviours() {
            for covered in row.subjects {
                assert!(*covered == "*" || subjects.contains(covered), "{}: {covered}", row.name);
            }
            if let Some(setting) = row.setting {
                assert!(SETTINGS.iter().any(|known| known.name == setting), "{}: {setting}", row.name);
            }
            assert!(row.detail.is_none_or(|detail| detail != row.mark), "{}", row.name);
            assert!(!row.is_in_header || row.has_mark(FidelityMark::Assumed), "{} is not an assumption", row.name);
            assert!(row.does.ends_with('.') && row.does.len() <= 130, "{}: {}", row.name, row.does.len());
        }
        assert_eq!(
            all_behaviours().map(|row| row.name).collect::<BTreeSet<_>>().len(),
            all_behaviours().count(),
            "names are unique"
        );
    }

    #[test]
    fn every_setting_of_the_interface_is_named_by_a_row() {
        let named: BTreeSet<_> = all_behaviours().filter_map(|row| row.setting).collect();
        // `auth.keys` is the list of keys for the setting `auth`, which has its own row.
        let settings: BTreeSet<_> =
            SETTINGS.iter().map(|known| known.name).filter(|name| *name != "auth.keys").collect();
        assert_eq!(named, settings);
    }

    #[test]
    fn a_row_is_found_by_operation_and_by_group() {
        let row = |name: &str| all_behaviours().find(|row| row.name == name).copied().expect("a row");
        for (name, subject, want) in [
            ("contacts.create.status", "contacts.create", true),
            ("contacts.create.status", "contacts", true),
            ("contacts.create.status", "contacts.query", false),
            ("lists.updated_at", "lists.query", true),
            ("transport.head", "shortlinks.get", true),
            ("transport.head", "callback", false),
            ("callback.payload", "callback", true),
            ("paging.behind_the_end", "optouts.query", true),
            ("lists.create.status", "list", false),
        ] {
            assert_eq!(row(name).is_about(subject), want, "{name} {subject}");
        }
    }
}
