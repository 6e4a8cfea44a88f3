//! Shows the register of fidelity: which behaviours are documented, inferred or assumed, and which settings change
//! them.

use roost_wire::{
    QueryString,
    paging::{Paged, Paging},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::{
    refused::{Refused, nearest},
    route::Asked,
};
use crate::{
    door::Visit,
    fidelity::{Behaviour, CheckReport, Mark, OTHERS, Observation, Score, all, score, subjects},
};

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Fidelity", deny_unknown_fields)]
pub struct Shown {
    /// Counts of all matching rows by mark.
    counts: Counts,
    /// How much of the whole register was observed at the service, and where the rest comes from. Nothing counts as
    /// observed without --fidelity.
    score: Score,
    items: Vec<Row>,
    paging: Paging,
    /// Decisions that do not concern the emulator.
    others: Vec<Other>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FidelityCounts", deny_unknown_fields)]
struct Counts {
    documented: usize,
    inferred: usize,
    assumed: usize,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FidelityRow", deny_unknown_fields)]
struct Row {
    decision: String,
    /// The name in the X-Roost-Assumed header.
    name: &'static str,
    mark: Mark,
    /// Mark of the exact form, if it is less certain than the behaviour.
    detail: Option<Mark>,
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
struct Other {
    decision: String,
    why: &'static str,
}

/// Whether responses name the assumptions that shaped them.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FidelityHeader")]
pub struct Switch {
    enabled: bool,
}

fn row(behaviour: &Behaviour, settings: &Value, observed: Option<&CheckReport>) -> Row {
    let observed = observed.and_then(|report| report.of(behaviour.name));
    Row {
        decision: format!("D{}", behaviour.decision),
        name: behaviour.name,
        mark: behaviour.mark,
        detail: behaviour.detail,
        operations: behaviour.of.to_vec(),
        setting: behaviour.setting,
        value: behaviour.setting.map_or(Value::Null, |name| settings[name].clone()),
        in_header: behaviour.is_told,
        observation: observed.map(|row| row.result),
        note: observed.and_then(|row| row.note.clone()),
        does: behaviour.does,
    }
}

fn shown(visit: &Visit, asked: &Asked, fits: impl Fn(&Behaviour) -> bool) -> Result<Shown, Refused> {
    let (values, observed) = (visit.rules.settings.to_json(), visit.world().ground.observed.as_deref());
    let fitting = all().filter(|behaviour| fits(behaviour));
    let rows: Vec<Row> = fitting.map(|behaviour| row(behaviour, &values, observed)).collect();
    let count = |mark| rows.iter().filter(|row| row.mark == mark).count();
    let counts =
        Counts { documented: count(Mark::Documented), inferred: count(Mark::Inferred), assumed: count(Mark::Assumed) };
    let others = OTHERS.map(|(number, why)| Other { decision: format!("D{number}"), why });
    let score = score(|behaviour| Some(observed?.of(behaviour.name)?.result));
    let Paged { items, paging } = asked.page_of(rows)?;
    Ok(Shown { counts, score, items, paging, others: others.into() })
}

pub fn get(visit: &Visit, asked: &Asked) -> Result<Shown, Refused> {
    let query = QueryString::parse(&asked.query);
    let operation = query.filled_value("operation");
    if let Some(name) = operation.filter(|name| !subjects().any(|known| known == *name)) {
        let meant = nearest(name, subjects()).map(|known| format!(" Did you mean '{known}'?")).unwrap_or_default();
        return Err(Refused::bad_query(format!("Unknown operation '{name}'.{meant}")));
    }
    let mark = match query.filled_value("mark") {
        None => None,
        Some(name) => {
            let known = Mark::ALL.into_iter().find(|(known, _)| *known == name);
            Some(known.ok_or_else(|| Refused::bad_query("mark must be documented, inferred or assumed."))?.1)
        }
    };
    let fits = |behaviour: &Behaviour| {
        operation.is_none_or(|name| behaviour.is_about(name)) && mark.is_none_or(|mark| behaviour.is_marked(mark))
    };
    shown(visit, asked, fits)
}

pub fn header(visit: &Visit, _: &Asked) -> Result<Switch, Refused> {
    Ok(Switch { enabled: visit.rules.settings.assumed_header })
}

pub fn switch(visit: &Visit, _: &Asked, switch: Switch) -> Result<Switch, Refused> {
    let changed = visit.world().change_settings(|settings| {
        settings.assumed_header = switch.enabled;
        Ok::<_, Refused>(())
    })?;
    Ok(Switch { enabled: changed.settings.assumed_header })
}
