//! `roost runs` and `roost report`: list the runs so far, and write a file about one of them.

use std::{fmt::Write as _, io};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_model::error::ErrorCode;
use roost_sync_session::{RunState, RunSummary};
use serde::Serialize;

use super::{ExitResult, account::AccountArgs, print_json, print_text};
use crate::{
    failure::CliFailure,
    outputs::{OutputPath, print_written_file},
};

#[derive(Args)]
#[command(after_help = super::STATUSES)]
pub(crate) struct RunsCommand {
    #[command(flatten)]
    account: AccountArgs,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl RunsCommand {
    pub(crate) fn run(self) -> ExitResult {
        let open = self.account.open()?;
        let runs = open.session.list_runs()?;
        if self.json {
            print_json(&runs)?;
        } else {
            print_text(&describe_runs(&runs))?;
        }
        Ok(0)
    }
}

fn describe_runs(runs: &[RunSummary]) -> String {
    if runs.is_empty() {
        return "Nothing was sent yet.\n".to_owned();
    }
    let mut out =
        format!("{:>6}  {:<20}  {:<10}  {:>9}  {:>8}  {:>7}\n", "run", "began", "state", "rows", "requests", "refused");
    for run in runs {
        let state = match run.state {
            RunState::Running => "running",
            RunState::Paused => "paused",
            RunState::Cancelled => "cancelled",
            RunState::Done => "done",
            RunState::InDoubt => "in doubt",
        };
        let (id, began) = (run.id, run.started_at.to_iso());
        let _ = writeln!(
            out,
            "{id:>6}  {began:<20}  {state:<10}  {:>9}  {:>8}  {:>7}",
            run.rows, run.requests, run.refused
        );
    }
    out
}

#[derive(Args)]
#[command(after_help = super::STATUSES)]
pub(crate) struct ReportCommand {
    /// The number of the run. Default: the newest.
    run: Option<i64>,
    #[command(flatten)]
    account: AccountArgs,
    /// The format of the report.
    #[arg(long, env = "ROOST_REPORT_FORMAT", value_enum, default_value_t)]
    format: ReportFormat,
    /// The file to write. Default: standard output.
    #[arg(long, env = "ROOST_REPORT_OUT", value_name = "FILE")]
    out: Option<OutputPath>,
    /// Overwrite an existing file.
    #[arg(long, env = "ROOST_REPORT_FORCE", value_parser = BoolishValueParser::new(), requires = "out")]
    force: bool,
    /// Print the report as JSON, or with --out, JSON about the file.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// What is in the file.
#[derive(Serialize)]
struct ReportedRun {
    run: i64,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    #[default]
    Markdown,
    Json,
}

impl ReportCommand {
    pub(crate) fn run(self) -> ExitResult {
        let open = self.account.open()?;
        let session = &open.session;
        let newest = || session.list_runs().map(|runs| runs.first().map(|run| run.id));
        let run = match self.run {
            Some(run) => run,
            None => newest()?.ok_or_else(|| CliFailure::new("Nothing was sent yet, so there is no run to report."))?,
        };
        if session.read_run(run)?.is_none() {
            let line = format!("There is no run {run}. roost runs lists them.");
            return Err(CliFailure::new(line).with_code(ErrorCode::NotFound));
        }
        let is_printed_as_json = self.json && self.out.is_none();
        let report = match if is_printed_as_json { ReportFormat::Json } else { self.format } {
            ReportFormat::Markdown => session.report_text(run)?,
            ReportFormat::Json => session.report_json(run)?,
        };
        match &self.out {
            Some(output) => output.write(self.force, |out| out.write_all(report.as_bytes()) as io::Result<()>)?,
            None => print_text(&format!("{report}{}", if report.ends_with('\n') { "" } else { "\n" }))?,
        }
        if self.json {
            print_written_file(self.out.as_ref(), ReportedRun { run })?;
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use roost_model::time::Timestamp;

    use super::*;

    #[test]
    fn runs_stand_in_columns() {
        assert_eq!(describe_runs(&[]), "Nothing was sent yet.\n");
        let run = RunSummary {
            id: 12,
            plan: 3,
            state: RunState::InDoubt,
            started_at: Timestamp::from_unix(1_767_600_000),
            ended_at: None,
            why: None,
            step_count: 2,
            rows: 12_000,
            requests: 4,
            refused: 1,
        };
        let lines = describe_runs(&[run]);
        let widths: Vec<usize> = lines.lines().map(|line| line.chars().count()).collect();
        assert_eq!(widths[0], widths[1], "{lines}");
        assert!(lines.contains("12  2026-01-05T08:00:00Z  in doubt        12000         4        1"), "{lines}");
    }
}
