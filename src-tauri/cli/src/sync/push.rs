//! `roost push`: makes a plan, asks for its gates, sends it, and verifies that it arrived.

use std::fmt::Write as _;

use clap::{Args, builder::BoolishValueParser};
use roost_sync_session::{
    PlanStepKind, RefusedPage, RefusedRow, RunDetails, RunState, RunStep, SyncFailureKind, SyncStatus,
};

use super::{
    ExitResult,
    account::{AccountArgs, OpenAccount},
    exit,
    gates::{self, Prompt, TerminalPrompt},
    plan::needs_decision,
    print_json, print_text, text,
};
use crate::{
    failure::CliFailure,
    memory,
    terminal::{count_with_noun, path_argument, plain_line},
};

#[derive(Args)]
#[command(after_help = super::STATUSES)]
pub(crate) struct PushCommand {
    #[command(flatten)]
    account: AccountArgs,
    /// Send exactly this plan, from roost plan. Refused when anything has changed since.
    #[arg(long, env = "ROOST_PUSH_PLAN", value_name = "PLAN", conflicts_with_all = ["resume", "cancel"])]
    plan: Option<i64>,
    /// Send without asking for confirmation.
    #[arg(long, env = "ROOST_PUSH_YES", value_parser = BoolishValueParser::new())]
    yes: bool,
    /// The number or name that a dangerous step asks for. Give it once for each.
    #[arg(long = "type", env = "ROOST_PUSH_TYPE", value_name = "WORD")]
    typed: Vec<String>,
    /// Continue the run that was paused or interrupted.
    #[arg(long, env = "ROOST_PUSH_RESUME", value_parser = BoolishValueParser::new(), conflicts_with = "cancel")]
    resume: bool,
    /// End the run that was paused or interrupted. Nothing more of it is sent.
    #[arg(long, env = "ROOST_PUSH_CANCEL", value_parser = BoolishValueParser::new())]
    cancel: bool,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl PushCommand {
    pub(crate) fn run(self) -> ExitResult {
        // Sending takes minutes, and must not hold memory that planning needed for seconds.
        memory::limit_heaps();
        let open = self.account.open()?;
        let status = open.session.status()?;
        match (&status.run, self.resume || self.cancel) {
            (Some(run), false) => {
                let hint = "Continue it with roost push --resume, or end it with roost push --cancel.";
                Err(exit::failure_of_kind(SyncFailureKind::RunOpen, format!("Run {} has not ended. {hint}", run.id)))
            }
            (None, true) => Err(CliFailure::new("No run is unfinished. roost push starts one.")),
            (Some(run), true) if self.cancel => {
                // Without a key nothing can verify whether the sent changes arrived; the run ends all the same.
                let _ = open.unlock();
                let cancel = || {
                    open.session.cancel_run()?;
                    Ok(run.id)
                };
                self.drive_run(&open, false, cancel)
            }
            (Some(run), true) => {
                open.unlock()?;
                let resume = || {
                    open.session.resume_run(run.id)?;
                    Ok(run.id)
                };
                self.drive_run(&open, false, resume)
            }
            (None, false) => self.push_plan(&open),
        }
    }

    fn push_plan(&self, open: &OpenAccount) -> ExitResult {
        let plan = match self.plan {
            None => open.session.make_plan()?,
            Some(id) => {
                open.session.read_plan(Some(id))?.ok_or_else(|| CliFailure::new(format!("There is no plan {id}.")))?
            }
        };
        if !self.json {
            // If the plan was shown before, its summary is enough.
            print_text(&if self.plan.is_some() {
                format!("{}\n", text::describe_summary(&plan))
            } else {
                text::describe_plan(&plan)
            })?;
        }
        if plan.steps.is_empty() {
            let answered = open.session.status()?.answered;
            if self.json {
                print_json(&serde_json::json!({ "plan": &plan, "run": null }))?;
            } else {
                print_text(&text::describe_answered(answered))?;
            }
            return Ok(match (plan.refused_count, needs_decision(&plan) || answered > 0) {
                (1.., _) => exit::ROWS_REFUSED,
                (0, true) => exit::WORK_LEFT,
                (0, false) => 0,
            });
        }
        let mut terminal = TerminalPrompt::new();
        let prompt = terminal.as_mut().map(|terminal| terminal as &mut dyn Prompt);
        let missing = gates::find_missing(&plan, &self.typed, self.yes);
        let typed = match gates::pass_gates(&plan, self.typed.clone(), self.yes, prompt) {
            Err(why) if self.json => {
                print_json(&serde_json::json!({ "plan": &plan, "run": null, "missing": missing }))?;
                return Err(why);
            }
            typed => typed?,
        };
        open.unlock()?;
        self.drive_run(open, needs_decision(&plan), || Ok(open.session.begin_run(plan.id, &typed)?))
    }

    /// Sends until the run ends or is paused. `asks` says whether its plan left a decision for a person.
    fn drive_run(&self, open: &OpenAccount, asks: bool, begin: impl FnOnce() -> Result<i64, CliFailure>) -> ExitResult {
        let mut begun = None;
        let ended = open.follow_work(|| {
            begun = Some(begin()?);
            Ok(())
        });
        let Some(run) = begun else { return ended.map(|_| 0) };
        if let Err(why) = ended {
            // The reason that stopped a waiting run matters more than its progress, so it determines the exit status.
            let details = self.print_run(open, run, why.line())?;
            let waits = open.session.status()?.run.is_some();
            if !waits && is_in_doubt(&details) {
                return Err(CliFailure::with_status(exit::IN_DOUBT, why.line().to_owned()));
            }
            let left = if waits { " The run is waiting: continue it with roost push --resume." } else { "" };
            return Err(why.append(left));
        }
        self.finish_run(open, run, asks)
    }

    fn finish_run(&self, open: &OpenAccount, run: i64, asks: bool) -> ExitResult {
        let details = self.print_run(open, run, "")?;
        let status = open.session.status()?;
        Ok(exit_status(&details, &status, asks))
    }

    /// Prints the run. `failure` is the message that follows on standard error.
    fn print_run(&self, open: &OpenAccount, run: i64, failure: &str) -> Result<RunDetails, CliFailure> {
        let details = open.session.read_run(run)?.ok_or_else(|| CliFailure::new(format!("There is no run {run}.")))?;
        if self.json {
            print_json(&details)?;
        } else {
            let mut text = describe_run(&details, &open.session.refused_page(0, LINES_MAX)?, failure);
            let db = path_argument(self.account.path());
            let _ = writeln!(text, "roost report {run} --db {db} lists its steps and the refused rows.");
            print_text(&text)?;
        }
        Ok(details)
    }
}

/// Returns why a step failed, with its list if it belongs to one.
fn step_reason(step: &RunStep) -> Option<String> {
    use PlanStepKind::{
        ContactDelete, ContactsCreate, ContactsMerge, ContactsUpdate, ContactsUpload, ListCreate, ListDelete,
    };
    let reason = step.reason.as_deref()?;
    let is_of_list = matches!(
        step.step.kind,
        ListCreate | ContactsCreate | ContactsUpdate | ContactsMerge | ContactsUpload | ContactDelete | ListDelete
    );
    Some(if is_of_list { format!("{}: {reason}", plain_line(&step.step.title, 60)) } else { reason.to_owned() })
}

fn join_messages(row: &RefusedRow) -> String {
    row.faults.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>().join(" ")
}

/// Combines reasons that differ only in the number at their beginning, with the count of the numbers.
fn fold_reasons<'a>(reasons: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut folded: Vec<(&str, Vec<&str>)> = Vec::new();
    for reason in reasons {
        let named = reason.split_once(": ").filter(|(number, _)| number.starts_with('+') && !number.contains(' '));
        let (number, reason) = named.map_or((None, reason), |(number, reason)| (Some(number), reason));
        match folded.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, numbers)) => numbers.extend(number),
            None => folded.push((reason, number.into_iter().collect())),
        }
    }
    let line = |(reason, numbers): (&str, Vec<&str>)| match numbers.as_slice() {
        [] => reason.to_owned(),
        [number] => format!("{number}: {reason}"),
        [first, others @ ..] => {
            format!("{first} and {}: {reason}", count_with_noun(others.len() as u64, "other number"))
        }
    };
    folded.into_iter().map(line).collect()
}

/// Whether something was sent whose outcome is unknown.
fn is_in_doubt(run: &RunDetails) -> bool {
    let has_ended = !matches!(run.run.state, RunState::Running | RunState::Paused);
    run.counts.uncertain + run.counts.sent > 0 || has_ended && run.counts.accepted > 0
}

/// Returns the status with the highest precedence.
fn exit_status(run: &RunDetails, status: &SyncStatus, asks: bool) -> u8 {
    match run.run.state {
        RunState::InDoubt => exit::IN_DOUBT,
        _ if is_in_doubt(run) => exit::IN_DOUBT,
        _ if run.run.refused > 0 || run.counts.rejected > 0 => exit::ROWS_REFUSED,
        RunState::Running | RunState::Paused | RunState::Cancelled => exit::WORK_LEFT,
        RunState::Done if asks || status.conflicts > 0 || status.changes > status.held => exit::WORK_LEFT,
        RunState::Done => 0,
    }
}

/// The most lines of one kind in a terminal; `roost report` has them all.
const LINES_MAX: u32 = 20;

fn describe_run(details: &RunDetails, refused: &RefusedPage, failure: &str) -> String {
    let run = &details.run;
    let state = match run.state {
        RunState::Done => "is done",
        RunState::Running | RunState::Paused => "is paused; continue it with roost push --resume",
        RunState::Cancelled => "was cancelled",
        RunState::InDoubt => {
            "is in doubt: some of it was not seen to arrive. Pull, and the next push plans what is missing"
        }
    };
    let mut out = format!("Run {} {state}. {}.\n", run.id, count_with_noun(run.requests, "request"));
    let counts = [
        (details.counts.verified, "arrived"),
        (details.counts.sent + details.counts.accepted, "sent, and not seen to arrive yet"),
        (details.counts.uncertain, "uncertain"),
        (details.counts.rejected.saturating_sub(run.refused), "refused with their step"),
        (run.refused, "refused by the service"),
        (details.counts.cancelled, "cancelled"),
        (details.counts.waiting, "not sent yet"),
    ];
    for (rows, what) in counts.into_iter().filter(|(rows, _)| *rows > 0) {
        let _ = writeln!(out, "{rows:>10}  {what}");
    }
    // A reason begins with what was refused; that of a whole step names its list.
    let named: Vec<String> = details.steps.iter().filter_map(step_reason).collect();
    for reason in fold_reasons(named.iter().map(String::as_str)).into_iter().take(LINES_MAX as usize) {
        let _ = writeln!(out, "            {}", plain_line(&reason, 300));
    }
    if run.refused > 0 {
        for row in &refused.rows {
            let (title, faults) = (plain_line(&row.title, 60), plain_line(&join_messages(row), 200));
            let _ = writeln!(out, "            {title}: {faults}");
        }
        let more = refused.total.saturating_sub(refused.rows.len() as u64);
        if more > 0 {
            let _ = writeln!(out, "            and {more} more");
        }
    }
    if let Some(why) = run.why.as_deref().filter(|why| !failure.contains(*why)) {
        let _ = writeln!(out, "{}", plain_line(why, 300));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_their_number_alone_are_one_line() {
        let all = [
            "+447700900001: No.",
            "step 3 did not succeed",
            "+447700900002: No.",
            "+447700900003: No.",
            "+447700900004: Yes.",
        ];
        let folded = ["+447700900001 and 2 other numbers: No.", "step 3 did not succeed", "+447700900004: Yes."];
        assert_eq!(fold_reasons(all.into_iter()), folded);
    }
}
