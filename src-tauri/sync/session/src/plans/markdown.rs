//! Writes a plan as Markdown for review.

use std::fmt::Write as _;

use crate::{PlanDetails, PlanLine};

/// Returns the word for a value as in the plan's JSON.
fn code_word(value: impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().replace('_', " ")
}

/// Escapes data so that it is not read as Markdown.
fn escape_cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

pub(super) fn to_markdown(plan: &PlanDetails) -> String {
    let mut out = format!("# Plan {}\n\nMade {}.", plan.id, plan.at.to_iso());
    // Writing to a string cannot fail.
    if plan.is_stale {
        out.push_str(" Something has changed since: a new plan will be made before anything is sent.");
    }
    let _ = writeln!(out, "\n\n{} calls to write, {} to read, about {} s.", plan.writes, plan.reads, plan.seconds);
    if !plan.steps.is_empty() {
        out.push_str("\n| step | operation | what | of | rows | why |\n|---:|---|---|---|---:|---|\n");
        plan.steps.iter().for_each(|step| write_line(&mut out, step));
    }
    if !plan.gates.is_empty() {
        out.push_str("\n## To be typed first\n\n");
        for gate in &plan.gates {
            let _ = writeln!(
                out,
                "- {} of {} ({}): `{}`",
                code_word(gate.gate),
                escape_cell(&gate.title),
                gate.rows,
                gate.wanted.replace('`', "'")
            );
        }
    }
    if plan.conflicts > 0 {
        let _ =
            writeln!(out, "\n## Waiting\n\n{} records wait for an answer; both sides changed them.", plan.conflicts);
    }
    if !plan.blocked.is_empty() {
        out.push_str("\n## What the interface cannot express\n\n");
        for one in &plan.blocked {
            let others = if one.count > 1 { format!(" and {} more", one.count - 1) } else { String::new() };
            let fields = if one.fields.is_empty() { String::new() } else { format!(" ({})", one.fields.join(", ")) };
            let choices: Vec<String> = one
                .choices
                .iter()
                .map(|option| format!("{} for {} calls", code_word(option.choice), option.calls))
                .collect();
            let choices = if choices.is_empty() { "nothing can be chosen".to_owned() } else { choices.join(", ") };
            let _ = writeln!(
                out,
                "- {}{others}: {}{}; {choices}",
                escape_cell(&one.title),
                code_word(one.obstacle),
                escape_cell(&fields)
            );
        }
    }
    if plan.refused_count > 0 {
        let _ = writeln!(out, "\n## Held back: {} records break a rule of the service\n", plan.refused_count);
        for one in &plan.refused {
            let _ = writeln!(out, "- {}: {}", escape_cell(&one.title), escape_cell(&one.faults.join(" ")));
        }
    }
    for (at, note) in plan.notes.iter().enumerate() {
        let head = if at == 0 { "\n## Told\n\n" } else { "" };
        let _ = writeln!(
            out,
            "{head}- {}: {} records, {} among them",
            code_word(note.text),
            note.count,
            escape_cell(&note.title)
        );
    }
    for (at, one) in plan.alternatives.iter().enumerate() {
        let head = if at == 0 { "\n## Other ways\n\n" } else { "" };
        let (calls, instead) = (one.calls, one.instead_of);
        let _ = writeln!(
            out,
            "{head}- {}: {} takes {calls} calls instead of {instead}, with new identifiers",
            escape_cell(&one.list.name),
            code_word(one.choice)
        );
    }
    out
}

fn write_line(out: &mut String, step: &PlanLine) {
    let fields =
        if step.fields.is_empty() { String::new() } else { format!(": {}", escape_cell(&step.fields.join(", "))) };
    let (kind, why) = (code_word(step.kind), code_word(step.why));
    let (id, operation, title, rows) = (step.id, escape_cell(&step.operation), escape_cell(&step.title), step.rows);
    let _ = writeln!(out, "| {id} | {operation} | {kind} | {title} | {rows} | {why}{fields} |");
}
