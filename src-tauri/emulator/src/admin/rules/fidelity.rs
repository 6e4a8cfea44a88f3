//! Shows the register of fidelity: which behaviours are documented, inferred or assumed, and which settings change
//! them.

use roost_wire::{
    QueryString,
    paging::{Paged, Paging},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::{error::AdminError, route::AdminRequest};
use crate::{
    door::WorldVisit,
    fidelity::{
        Behaviour, CheckReport, FidelityMark, FidelityScore, OTHER_DECISIONS, Observation, all_behaviours,
        score_register, subject_names,
    },
    settings::nearest_name,
};

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Fidelity", deny_unknown_fields)]
pub(crate) struct FidelityStatus {
    /// Counts of all matching rows by mark.
    counts: FidelityCounts,
    /// How much of the whole register was observed at the service, and where the rest comes from. Nothing counts as
    /// observed without --fidelity.
    score: FidelityScore,
    items: Vec<FidelityRow>,
    paging: Paging,
    /// Decisions that do not concern the emulator.
    others: Vec<FidelityOther>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FidelityCounts", deny_unknown_fields)]
struct FidelityCounts {
    documented: usize,
    inferred: usize,
    assumed: usize,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FidelityRow", deny_unknown_fields)]
struct FidelityRow {
    decision: String,
    /// The name in the X-Roost-Assumed header.
    name: &'static str,
    mark: FidelityMark,
    /// Mark of the exact form, if it is less certain than the behaviour.
    detail: Option<FidelityMark>,
    /// Operations and groups of them. `*` is all.
    operations: Vec<&'static str>,
    /// The setting that changes it.
    setting: Option<&'static str>,
    /// The current value of that setting.
    value: Value,
    /// Whether the header names it when it shaped a response.
    in_header: bool,
    /// What roost fidelity check found at the service. Null: not checked.
    observation: Option<Observation>,
    /// What the service does instead, or why it is undecided.
    note: Option<String>,
    does: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FidelityOther", deny_unknown_fields)]
struct FidelityOther {
    decision: String,
    why: &'static str,
}

/// Whether responses name the assumptions that shaped them.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FidelityHeader")]
pub(crate) struct FidelityHeaderSwitch {
    enabled: bool,
}

fn to_fidelity_row(behaviour: &Behaviour, settings: &Value, observed: Option<&CheckReport>) -> FidelityRow {
    let observed = observed.and_then(|report| report.find_row(behaviour.name));
    FidelityRow {
        decision: format!("D{}", behaviour.decision),
        name: behaviour.name,
        mark: behaviour.mark,
        detail: behaviour.detail,
        operations: behaviour.subjects.to_vec(),
        setting: behaviour.setting,
        value: behaviour.setting.map_or(Value::Null, |name| settings[name].clone()),
        in_header: behaviour.is_in_header,
        observation: observed.map(|row| row.result),
        note: observed.and_then(|row| row.note.clone()),
        does: behaviour.does,
    }
}

fn build_status(
    visit: &WorldVisit,
    request: &AdminRequest,
    fits: impl Fn(&Behaviour) -> bool,
) -> Result<FidelityStatus, AdminError> {
    let (values, observed) = (visit.rules.settings.to_json(), visit.world().resources.observed.as_deref());
    let fitting = all_behaviours().filter(|behaviour| fits(behaviour));
    let rows: Vec<FidelityRow> = fitting.map(|behaviour| to_fidelity_row(behaviour, &values, observed)).collect();
    let count = |mark| rows.iter().filter(|row| row.mark == mark).count();
    let counts = FidelityCounts {
        documented: count(FidelityMark::Documented),
        inferred: count(FidelityMark::Inferred),
        assumed: count(FidelityMark::Assumed),
    };
    let others = OTHER_DECISIONS.map(|(number, why)| FidelityOther { decision: format!("D{number}"), why });
    let score = score_register(|behaviour| Some(observed?.find_row(behaviour.name)?.result));
    let Paged { items, paging } = request.paginate(rows)?;
    Ok(FidelityStatus { counts, score, items, paging, others: others.into() })
}

pub(crate) fn get_fidelity(visit: &WorldVisit, request: &AdminRequest) -> Result<FidelityStatus, AdminError> {
    let query = QueryString::parse(&request.query);
    let operation = query.filled_value("operation");
    if let Some(name) = operation.filter(|name| !subject_names().any(|known| known == *name)) {
        let suggestion =
            nearest_name(name, subject_names()).map(|known| format!(" Did you mean '{known}'?")).unwrap_or_default();
        return Err(AdminError::bad_query(format!("Unknown operation '{name}'.{suggestion}")));
    }
    let mark = match query.filled_value("mark") {
        None => None,
        Some(name) => {
            let known = FidelityMark::ALL.into_iter().find(|(known, _)| *known == name);
            Some(known.ok_or_else(|| AdminError::bad_query("mark must be documented, inferred or assumed."))?.1)
        }
    };
    let fits = |behaviour: &Behaviour| {
        operation.is_none_or(|name| behaviour.is_about(name)) && mark.is_none_or(|mark| behaviour.has_mark(mark))
    };
    build_status(visit, request, fits)
}

pub(crate) fn get_header(visit: &WorldVisit, _: &AdminRequest) -> Result<FidelityHeaderSwitch, AdminError> {
    Ok(FidelityHeaderSwitch { enabled: visit.rules.settings.assumed_header })
}

pub(crate) fn put_header(
    visit: &WorldVisit,
    _: &AdminRequest,
    switch: FidelityHeaderSwitch,
) -> Result<FidelityHeaderSwitch, AdminError> {
    let changed = visit.world().change_settings(|settings| {
        settings.assumed_header = switch.enabled;
        Ok::<_, AdminError>(())
    })?;
    Ok(FidelityHeaderSwitch { enabled: changed.settings.assumed_header })
}
