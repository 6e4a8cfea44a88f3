//! `roost fidelity check`: observes at a service what the documents leave open, so that a server can behave the same.

mod learn;

use std::{
    fmt::Write as _,
    fs::{self, File, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand, builder::BoolishValueParser};
use roost_emulator::{
    client::InterfaceClient,
    fidelity::{self, CALL_INTERVAL, CheckOptions, CheckReport, FidelityScore, Observation},
};
use roost_ops::Ctx;
use serde_json::Value;

pub(crate) use self::learn::learn_from_report;
use crate::{
    emulator::{run_async, trust_authority},
    failure::{CliFailure, write_failure},
    outputs::OutputPath,
    sync::KeySource,
    terminal::{plain_line, print_json, print_text},
};

/// The exit status if the service contradicts the register.
const CONTRADICTED: u8 = 1;
/// The most characters of a note that are shown.
const NOTE_MAX: usize = 300;

#[derive(Args)]
pub(crate) struct FidelityCommand {
    #[command(subcommand)]
    act: FidelityAction,
}

#[derive(Subcommand)]
enum FidelityAction {
    /// Test how a service behaves, and write a report of what was observed.
    Check(Box<FidelityCheck>),
}

#[derive(Args)]
#[command(
    after_help = "Only reads, unless --allow-writes is given. roost serve --fidelity takes the report. Keys and \
     numbers are masked in both files. Exit status: 0: nothing is contradicted, 1: something is contradicted, 2: an \
     error."
)]
struct FidelityCheck {
    /// Base address of the service, for example https://api.example.
    #[arg(long, env = "ROOST_FIDELITY_AGAINST", value_name = "URL")]
    against: String,
    #[command(flatten)]
    key: KeySource,
    /// Create lists, contacts, opt-outs and short links, and remove them again. Their names say what they are, and
    /// their numbers are reserved for fiction.
    #[arg(long, env = "ROOST_FIDELITY_ALLOW_WRITES", value_parser = BoolishValueParser::new())]
    allow_writes: bool,
    /// Send 60 reads at once, to find out what the service does over its rate limit.
    #[arg(long, env = "ROOST_FIDELITY_ALLOW_BURST", value_parser = BoolishValueParser::new())]
    allow_burst: bool,
    /// The report to write.
    #[arg(long, env = "ROOST_FIDELITY_OUT", value_name = "FILE")]
    out: OutputPath,
    /// Where to record every request before it is sent, and its response. One line of JSON each.
    #[arg(long, env = "ROOST_FIDELITY_CALLS", value_name = "FILE")]
    calls: OutputPath,
    /// Overwrite the files of an earlier check.
    #[arg(long, env = "ROOST_FIDELITY_FORCE", value_parser = BoolishValueParser::new())]
    force: bool,
    /// Trust only this certificate authority (PEM). Default: the system's.
    #[arg(long, env = "ROOST_CA", value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Also print the report as JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl FidelityCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let FidelityAction::Check(check) = self.act;
        check.run()
    }
}

impl FidelityCheck {
    fn run(self) -> Result<u8, CliFailure> {
        let key = self.key.read_key("fidelity check")?;
        let Some(key) = key else {
            return Err(CliFailure::new("A key is required. Pipe it in with --key-stdin, or use --key-file FILE."));
        };
        let caller = self.build_caller(key.expose())?;
        // Has the length of a key and belongs to nobody.
        let stranger = self.build_caller("roost-fidelity-check-of-a-key-that-nobody-has")?;
        let mut calls = self.open_call_log()?;
        let mut was_answered = false;
        let mut record = |call: &Value| {
            was_answered |= !call["status"].is_null();
            writeln!(calls, "{call}").and_then(|()| calls.flush())
        };
        let options = CheckOptions { writes: self.allow_writes, burst: self.allow_burst, between: CALL_INTERVAL };
        let now = Ctx::system().now();
        let report = run_async(async {
            fidelity::run_check(&caller, &stranger, options, now, &mut record).await.map_err(CliFailure::new)
        });
        if report.is_err() && !was_answered {
            // Nothing was observed, so the file would only stand in the way of the next attempt.
            let _ = fs::remove_file(self.calls.path());
        }
        let report = report?;
        let text = serde_json::to_vec_pretty(&report).map_err(CliFailure::new)?;
        self.out.write(self.force, |file| file.write_all(&text).and_then(|()| file.write_all(b"\n")))?;
        if self.json { print_json(&report) } else { print_text(&describe_report(&report, self.out.path())) }?;
        Ok(if report.count_results(Observation::Contradicted) == 0 { 0 } else { CONTRADICTED })
    }

    fn build_caller(&self, key: &str) -> Result<InterfaceClient, CliFailure> {
        let caller = InterfaceClient::new(&self.against, key).map_err(CliFailure::new)?;
        match self.ca.as_deref().filter(|_| caller.is_secure()) {
            Some(path) => trust_authority(path, |authorities| caller.with_authorities(authorities)),
            None => Ok(caller),
        }
    }

    fn open_call_log(&self) -> Result<File, CliFailure> {
        let path = self.calls.path();
        let mut options = OpenOptions::new();
        options.write(true);
        if self.force {
            options.create(true).truncate(true)
        } else {
            options.create_new(true)
        };
        // Like the report, for its owner alone: numbers are masked, but names and texts of the account are not.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path).map_err(|why| write_failure(path, &why))
    }
}

fn describe_report(report: &CheckReport, path: &Path) -> String {
    let mut text = String::new();
    for row in report.rows.iter().filter(|row| row.result == Observation::Contradicted) {
        let note = plain_line(row.note.as_deref().unwrap_or_default(), NOTE_MAX);
        let _ = writeln!(text, "contradicted  {} {}: {note}", row.decision, row.name);
        for (name, value) in &row.settings {
            let _ = writeln!(text, "              --set {name}={}", plain_line(value, NOTE_MAX));
        }
    }
    let undecided = report.count_results(Observation::Undecided);
    let FidelityScore { observed, contradicted, documented, inferred, assumed } = report.score();
    let _ = writeln!(
        text,
        "{} requests: {observed} observed, {contradicted} contradicted, {undecided} undecided. Of the undecided, \
         {documented} are documented, {inferred} inferred and {assumed} assumed.",
        report.calls
    );
    for left in &report.left_behind {
        let _ = writeln!(text, "Not removed: {}. Remove it at the service.", plain_line(left, NOTE_MAX));
    }
    let _ =
        writeln!(text, "Report: {0}. Start a server that behaves the same: roost serve --fidelity {0}", path.display());
    text
}
