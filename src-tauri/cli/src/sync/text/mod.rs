//! Writes a plan as text: the steps in the order in which they are sent, and below them what is not sent.

use std::fmt::Write as _;

use roost_sync_session::{
    GateKind, PlanBlocked, PlanChoice, PlanDetails, PlanGate, PlanLine, PlanNoticeKind, PlanObstacle, PlanStepKind,
    PlanStepReason, SyncNoun,
};

use crate::terminal::{count_with_noun, plain_line};

/// The most characters of a name.
const NAME_WIDTH: usize = 40;
/// The most lines of one kind in a terminal; `--json` has them all.
const LINES_MAX: usize = 20;

pub(super) fn noun_plural(noun: SyncNoun) -> &'static str {
    match noun {
        SyncNoun::OptOut => "opt-outs",
        SyncNoun::List => "lists",
        SyncNoun::Contact => "contacts",
        SyncNoun::ShortLink => "short links",
        SyncNoun::Sender => "senders",
    }
}

/// Writes a count with its noun, such as `1 list` or `2 lists`.
pub(super) fn count_noun(noun: SyncNoun, many: u64) -> String {
    count_with_noun(many, noun_plural(noun).trim_end_matches('s'))
}

/// Writes a line about waiting answers; nothing if there are none.
pub(super) fn describe_answered(many: u64) -> String {
    match many {
        0 => String::new(),
        1 => "1 answered conflict waits for the next push or pull.\n".to_owned(),
        _ => format!("{many} answered conflicts wait for the next push or pull.\n"),
    }
}

fn describe_time(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// Writes the totals of a plan in one line.
pub(super) fn describe_summary(plan: &PlanDetails) -> String {
    if plan.steps.is_empty() {
        return format!("Plan {}: nothing to send.", plan.id);
    }
    format!(
        "Plan {}: {}, {} to write and {} to read, about {}.",
        plan.id,
        count_with_noun(plan.steps.iter().map(|step| step.ids.len().max(1) as u64).sum(), "step"),
        count_with_noun(plan.writes, "call"),
        plan.reads,
        describe_time(plan.seconds)
    )
}

pub(super) fn describe_plan(plan: &PlanDetails) -> String {
    let mut out = format!("{}\n", describe_summary(plan));
    write_steps(&mut out, &plan.steps);
    if plan.lanes.len() > 1 {
        out.push_str("\nBy operation\n");
        for lane in &plan.lanes {
            let _ = writeln!(out, "  {:<20}{:>8} {:>12}", lane.operation, lane.calls, describe_time(lane.seconds));
        }
    }
    if !plan.gates.is_empty() {
        out.push_str("\nConfirm before sending (roost push --type WORD)\n");
        for gate in &plan.gates {
            let _ = writeln!(out, "  to {}, type {}", describe_gate(gate), plain_line(&gate.wanted, 100));
        }
    }
    if plan.conflicts > 0 {
        let held = match plan.conflicts {
            1 => "nothing of its record is sent until it is answered",
            _ => "nothing of their records is sent until they are answered",
        };
        let _ = writeln!(out, "\n{}: {held} (roost conflicts).", count_with_noun(plan.conflicts, "conflict"));
    }
    write_section(&mut out, "Not possible at the service", &plan.blocked, describe_blocked);
    let more = plan.refused_count.saturating_sub(plan.refused.len() as u64);
    write_section(
        &mut out,
        "Held back until you change it here: the service refused it, or it breaks a rule of the service",
        &plan.refused,
        |one| {
            let list = one
                .list
                .as_ref()
                .map_or_else(String::new, |list| format!(" in {}", plain_line(&list.name, NAME_WIDTH)));
            format!("{}{list}: {}", plain_line(&one.title, NAME_WIDTH), plain_line(&one.faults.join(" "), 200))
        },
    );
    if more > 0 {
        let _ = writeln!(out, "  and {more} more");
    }
    write_section(&mut out, "Notes", &plan.notes, |note| {
        format!("{}{}: {}", plain_line(&note.title, NAME_WIDTH), describe_alike(note.count), describe_note(note.text))
    });
    write_section(&mut out, "Drafts, which are not sent: the last valid value is used", &plan.drafts, |one| {
        format!("{} in {}", count_with_noun(one.contacts, "contact"), plain_line(&one.name, NAME_WIDTH))
    });
    write_section(&mut out, "Cheaper way", &plan.alternatives, |other| {
        let (list, calls) = (plain_line(&other.list.name, NAME_WIDTH), count_with_noun(other.calls, "call"));
        format!("{list}: {} ({calls} instead of {})", describe_choice(other.choice), other.instead_of)
    });
    out
}

fn write_section<T>(out: &mut String, head: &str, all: &[T], line: impl Fn(&T) -> String) {
    if all.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{head}");
    for one in all.iter().take(LINES_MAX) {
        let _ = writeln!(out, "  {}", line(one));
    }
    if all.len() > LINES_MAX {
        let _ = writeln!(out, "  and {} more", all.len() - LINES_MAX);
    }
}

fn write_steps(out: &mut String, steps: &[PlanLine]) {
    if steps.is_empty() {
        return;
    }
    let rows: Vec<[String; 4]> = steps
        .iter()
        .map(|step| [step_numbers(step), describe_action(step), step.rows.to_string(), describe_reason(step)])
        .collect();
    let width = |column: usize, head: &str| {
        rows.iter().map(|row| row[column].chars().count()).chain([head.len()]).max().unwrap_or_default()
    };
    let (number, what, held) = (width(0, "step"), width(1, "what"), width(2, "rows"));
    let _ = writeln!(out, "\n  {:>number$}  {:<what$}  {:>held$}  why", "step", "what", "rows");
    for [at, does, rows, why] in &rows {
        let _ = writeln!(out, "  {at:>number$}  {does:<what$}  {rows:>held$}  {why}");
    }
}

/// Writes the numbers of a step: `3`, `4-43` for steps shown as one, or `4…90` with others in between.
fn step_numbers(step: &PlanLine) -> String {
    match (step.ids.first(), step.ids.last()) {
        (Some(first), Some(last)) if first != last => {
            let is_whole = step.ids.len() as u64 == u64::from(last.abs_diff(*first)) + 1;
            format!("{first}{}{last}", if is_whole { "-" } else { "…" })
        }
        _ => step.id.to_string(),
    }
}

fn describe_action(step: &PlanLine) -> String {
    use PlanStepKind::*;
    let does = match step.kind {
        OptOutCreate => "opt out",
        ListCreate => "create the list",
        LinkCreate => "create the short link",
        LinkDelete => "delete the short link",
        SenderDelete => "delete the sender",
        ContactsCreate => "add contacts to",
        ContactsUpdate => "update contacts of",
        ContactsMerge => "add or update contacts of",
        ContactsUpload => "upload all of",
        ContactDelete => "delete contacts of",
        ListDelete => "delete the list",
        OptOutDelete => "remove opt-outs of",
    };
    format!("{does} {}", plain_line(&step.title, NAME_WIDTH))
}

fn describe_reason(step: &PlanLine) -> String {
    let why = match step.why {
        PlanStepReason::MadeHere => "created here",
        PlanStepReason::ChangedHere => "changed here",
        PlanStepReason::MadeOrChangedHere => "created or changed here",
        PlanStepReason::DeletedHere => "deleted here",
        PlanStepReason::Replaced => "created again in another step",
        PlanStepReason::Recreated => "the list is created again",
        PlanStepReason::RemovedThere => "removed at the service",
    };
    match step.fields.as_slice() {
        [] => why.to_owned(),
        fields => format!("{why}: {}", plain_line(&fields.join(", "), 60)),
    }
}

/// Completes a sentence that begins with “to”.
pub(super) fn describe_gate(gate: &PlanGate) -> String {
    let title = plain_line(&gate.title, NAME_WIDTH);
    match gate.gate {
        GateKind::ManyDeletions => format!("delete {} of {title}", count_with_noun(gate.rows, "contact")),
        GateKind::ListDeletion => format!("delete the list {title} with {}", count_with_noun(gate.rows, "contact")),
        GateKind::SenderDeletion => format!("delete the sender {title}"),
        GateKind::OptOutRemoval => format!("remove {} ({title})", count_with_noun(gate.rows, "opt-out")),
    }
}

fn describe_alike(count: u64) -> String {
    if count > 1 { format!(" and {} more", count - 1) } else { String::new() }
}

/// Says why a change is not possible as it is, with the fields concerned.
pub(super) fn describe_obstacle(obstacle: PlanObstacle, fields: &[String]) -> String {
    let why = match obstacle {
        PlanObstacle::Clearing => "the service cannot empty a value",
        PlanObstacle::Number => "the service cannot change the number that a contact is found by",
        PlanObstacle::UnknownField => "the service has no such field",
        PlanObstacle::UncheckedField => "no pull or check has shown yet whether the service has this field",
        PlanObstacle::ClashingField => {
            "the service has other values in this field, and nobody has said whether it is the same"
        }
        PlanObstacle::NoKey => "no number finds this contact and no other",
        PlanObstacle::KeyTaken => "another contact of the list has the number",
        PlanObstacle::Rename => "the service cannot rename a list",
        PlanObstacle::LinkEdit => "the service cannot change a short link",
        PlanObstacle::OnlyAccountLevel => "removing it for the whole account would remove others with it",
        PlanObstacle::UnnamedAsset => "the service does not say which number it belongs to",
        PlanObstacle::ConflictsInside => "conflicts inside the list come first",
    };
    if fields.is_empty() { why.to_owned() } else { format!("{why} ({})", plain_line(&fields.join(", "), 60)) }
}

fn describe_blocked(blocked: &PlanBlocked) -> String {
    let why = describe_obstacle(blocked.obstacle, &blocked.fields);
    let mut line = format!("{}{}: {why}", plain_line(&blocked.title, NAME_WIDTH), describe_alike(blocked.count));
    if let Some(chosen) = blocked.chosen {
        let _ = write!(line, "; chosen: {}", describe_choice(chosen));
    } else if !blocked.choices.is_empty() {
        let options = blocked
            .choices
            .iter()
            .map(|one| format!("{} ({})", describe_choice(one.choice), count_with_noun(one.calls, "call")));
        let _ = write!(line, "; choose with roost answer: {}", options.collect::<Vec<_>>().join(", "));
    }
    line
}

fn describe_choice(choice: PlanChoice) -> &'static str {
    match choice {
        PlanChoice::KeepLocal => "keep it here only",
        PlanChoice::Replace => "create it again, then delete the old one",
        PlanChoice::KeepBoth => "keep both",
        PlanChoice::Alias => "show the new name only here",
        PlanChoice::Recreate => "create the list again, then delete the old one",
        PlanChoice::Discard => "discard the change made here",
        PlanChoice::DeleteAnyway => "delete it anyway",
    }
}

fn describe_note(text: PlanNoticeKind) -> &'static str {
    match text {
        PlanNoticeKind::DeletionDropped => "deleted here, changed there since; it stays",
        PlanNoticeKind::FormTaken => "the same value in another form; the service's form is used",
        PlanNoticeKind::RemovalCancelled => "opted out again since; the removal is dropped",
        PlanNoticeKind::NoEvidence => {
            "removed here without a reason; it stays at the service, and the next pull adds it here again"
        }
        PlanNoticeKind::Held => "held back",
        PlanNoticeKind::Waiting => "waits for an earlier step with the same number",
    }
}

#[cfg(test)]
pub(super) mod tests;
