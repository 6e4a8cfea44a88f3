//! Writes a report of a run as a file, for readers who did not watch it.

use std::fmt::Write as _;

use roost_ops::{Core, Error};
use roost_reconcile::{ContactRow, plan::StepKind, schedule::PlanStepState};
use roost_store::{
    tables::sync::{
        SyncedTable, audit, changes,
        runs::{self, RefusedRecord, SyncRun},
    },
    tx::ReadTx,
};
use serde::Serialize;

use crate::{
    cells,
    gather::{self, state_text},
};

/// The report of one step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepReport {
    pub step: u32,
    pub operation: &'static str,
    /// The record of the step, or the list of its contacts.
    pub about: String,
    /// The number of contacts or phone numbers in the step.
    pub rows: usize,
    pub state: PlanStepState,
    pub why: Option<String>,
}

/// A contact that the service refused, with advice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedContactReport {
    pub about: String,
    pub faults: Vec<String>,
}

/// The report of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PushReport {
    pub run: i64,
    pub started_at: String,
    pub ended_at: Option<String>,
    pub state: &'static str,
    pub why: Option<String>,
    pub steps: Vec<StepReport>,
    pub requests: u64,
    pub refused: Vec<RefusedContactReport>,
    /// The last seal of the audit record when the report is made; it covers later runs as well. A reader who notes it
    /// can later prove that the record was not changed.
    pub seal: Option<String>,
}

/// Returns the report of a run, or `None` if the run does not exist.
pub fn build_report(core: &Core, run: i64) -> Result<Option<PushReport>, Error> {
    core.read(|tx| {
        let Some(SyncRun { id, started_at, ended_at, state, why, .. }) = runs::read_run(tx, run)? else {
            return Ok(None);
        };
        let whys = runs::read_steps(tx, id)?.into_iter().map(|step| step.why);
        let mut steps = Vec::new();
        for ((step, state), why) in gather::read_steps(tx, id)?.into_iter().zip(whys) {
            let (operation, rows) = (step.lane.name(), step.kind.row_count());
            steps.push(StepReport {
                step: step.id,
                operation,
                about: describe_subject(tx, &step.kind)?,
                rows,
                state,
                why,
            });
        }
        let refused = runs::read_refused::<i64>(tx, SyncedTable::Contacts)?.into_iter().filter(|one| one.run == id);
        let describe = |one: RefusedRecord<i64>| RefusedContactReport {
            about: first_number(&cells::parse_row(&one.cells)),
            faults: serde_json::from_str(&one.faults).unwrap_or_default(),
        };
        Ok(Some(PushReport {
            run: id,
            started_at: started_at.to_iso(),
            ended_at: ended_at.map(|at| at.to_iso()),
            state: state.as_str(),
            why,
            steps,
            requests: runs::count_attempts(tx, id)?,
            refused: refused.map(describe).collect(),
            seal: audit::last_entry(tx)?.map(|entry| entry.seal),
        }))
    })
}

/// Returns one of the numbers of a contact.
fn first_number(row: &ContactRow) -> String {
    row.keys().next().map(|key| key.number).unwrap_or_default()
}

/// Names the record that a step concerns.
fn describe_subject(tx: &ReadTx, kind: &StepKind) -> Result<String, Error> {
    let known = |place, id: i64, name: &str| -> Result<String, Error> {
        let known = changes::read_record::<i64>(tx, place, id)?;
        Ok(known.local.or(known.base).map(|text| cells::cell_text(&text, name)).unwrap_or_default())
    };
    Ok(match kind {
        StepKind::OptOutCreate { number, .. } => number.clone(),
        StepKind::OptOutDelete { numbers, .. } => numbers.join(", "),
        StepKind::ListCreate { name, .. } => name.clone(),
        StepKind::Contacts { list, .. } | StepKind::Upload { list, .. } | StepKind::ListDelete { list, .. } => {
            known(SyncedTable::Lists, *list, "name")?
        }
        StepKind::ContactDelete { before, .. } => first_number(before),
        StepKind::LinkCreate { id, .. } | StepKind::LinkDelete { id, .. } => {
            known(SyncedTable::ShortLinks, *id, "title")?
        }
        StepKind::SenderDelete { uid } => uid.clone(),
    })
}

/// Escapes a text for a cell of a Markdown table.
fn escape_cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\r', '\n'], " ")
}

impl PushReport {
    /// Renders the report as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut out = format!("# Run {}: {}\n\nStarted {}", self.run, self.state, self.started_at);
        // Writing to a string cannot fail.
        if let Some(at) = &self.ended_at {
            let _ = write!(out, ", ended {at}");
        }
        let _ = writeln!(out, ", {} requests.", self.requests);
        if let Some(why) = &self.why {
            let _ = writeln!(out, "\n{why}");
        }
        let _ = writeln!(out, "\n| step | operation | rows | state | about | why |\n|---|---|---|---|---|---|");
        for step in &self.steps {
            let (about, why) = (escape_cell(&step.about), escape_cell(step.why.as_deref().unwrap_or_default()));
            let (number, operation, rows, state) = (step.step, step.operation, step.rows, state_text(step.state));
            let _ = writeln!(out, "| {number} | {operation} | {rows} | {state} | {about} | {why} |");
        }
        for RefusedContactReport { about, faults } in &self.refused {
            let _ = writeln!(out, "\n{about} was refused: {}", faults.join(" "));
        }
        if let Some(seal) = &self.seal {
            let _ = writeln!(out, "\nSeal of the audit record when this report was written: {seal}");
        }
        out
    }
}
