//! `roost seed`, `reset`, `snapshot` and `restore`: replace or store the whole state of a running server.

use std::{fmt::Write as _, path::PathBuf};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_emulator::client::{ClientError, with_query};
use serde_json::{Value, json};

use super::target::{ServerTarget, read_nonempty_input, run_async};
use crate::{
    failure::CliFailure,
    terminal::{print_json, print_text},
};

#[derive(Args)]
pub(crate) struct SeedCommand {
    /// The seed, as written by `roost export`. Use - for standard input.
    file: PathBuf,
    #[command(flatten)]
    target: ServerTarget,
    /// Keep the seed that a later reset returns to.
    #[arg(long, env = "ROOST_SEED_ONCE", value_parser = BoolishValueParser::new())]
    once: bool,
    /// The exact number of opt-outs that this removes from a protected account file. Required if there are any.
    #[arg(long, env = "ROOST_SEED_REPLACE_OPT_OUTS", value_name = "COUNT")]
    replace_opt_outs: Option<u64>,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl SeedCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let text = read_nonempty_input(&self.file)?;
        let once = if self.once { "true" } else { "" };
        let path = with_query("/seed", &[("once", once), ("opt_outs", &count_parameter(self.replace_opt_outs))]);
        let result = run_async(async {
            self.target.admin_client()?.call_with_text("PUT", &path, text).await.map_err(to_failure)
        })?;
        if self.json {
            return print_json(&result).map(|()| 0);
        }
        let seeded = describe_counts(&result["seeded"]);
        print_text(&format!(
            "Seeded: {}.\n{}",
            if seeded.is_empty() { "nothing" } else { &seeded },
            describe_reset(&result["reset"])
        ))
        .map(|()| 0)
    }
}

#[derive(Args)]
pub(crate) struct ResetCommand {
    #[command(flatten)]
    target: ServerTarget,
    /// What to keep, separated by commas: settings, limits, faults, journal, clock, random.
    #[arg(long, env = "ROOST_RESET_KEEP", value_name = "WHAT", value_delimiter = ',')]
    keep: Vec<String>,
    /// What happens to requests in progress.
    #[arg(long, env = "ROOST_RESET_MODE", value_enum, default_value_t)]
    mode: ResetModeOption,
    /// The exact number of opt-outs that this removes from a protected account file. Required if there are any.
    #[arg(long, env = "ROOST_RESET_REPLACE_OPT_OUTS", value_name = "COUNT")]
    replace_opt_outs: Option<u64>,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum ResetModeOption {
    /// They end immediately, without a response.
    #[default]
    Cancel,
    /// They get a few seconds to finish.
    Drain,
}

impl ResetCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let mode = match self.mode {
            ResetModeOption::Cancel => "cancel",
            ResetModeOption::Drain => "drain",
        };
        let opt_outs = count_parameter(self.replace_opt_outs);
        let path = with_query("/reset", &[("mode", mode), ("keep", &self.keep.join(",")), ("opt_outs", &opt_outs)]);
        post_and_report(&self.target, &path, self.json, "")
    }
}

#[derive(Args)]
pub(crate) struct SnapshotCommand {
    /// The name of the new snapshot. Without it, all snapshots are listed.
    name: Option<String>,
    #[command(flatten)]
    target: ServerTarget,
    /// Remove this snapshot instead.
    #[arg(long, env = "ROOST_SNAPSHOT_REMOVE", value_parser = BoolishValueParser::new(), requires = "name")]
    remove: bool,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl SnapshotCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let result = run_async(async {
            let admin = self.target.admin_client()?;
            let response = match &self.name {
                None => admin.call("GET", "/snapshots?page_size=1000", None).await,
                Some(name) if self.remove => {
                    admin.call("DELETE", &format!("/snapshots/{}", check_name(name)?), None).await
                }
                Some(name) => admin.call("POST", "/snapshots", Some(&json!({ "name": name }))).await,
            };
            response.map_err(CliFailure::new)
        })?;
        if self.json {
            return print_json(&result).map(|()| 0);
        }
        let mut out = String::new();
        let lines = match (&self.name, result["items"].as_array()) {
            (Some(_), _) if self.remove => Vec::new(),
            (Some(_), _) => vec![&result],
            (None, items) => items.into_iter().flatten().collect(),
        };
        for snapshot in lines {
            let (name, at) = (as_text(&snapshot["name"]), as_text(&snapshot["at"]));
            let _ = writeln!(out, "{name:<24}  {at}  {:>10} bytes", snapshot["bytes"].as_u64().unwrap_or_default());
        }
        print_text(&out).map(|()| 0)
    }
}

#[derive(Args)]
pub(crate) struct RestoreCommand {
    /// The snapshot to restore.
    name: String,
    #[command(flatten)]
    target: ServerTarget,
    /// The exact number of opt-outs that this removes from a protected account file. Required if there are any.
    #[arg(long, env = "ROOST_RESTORE_REPLACE_OPT_OUTS", value_name = "COUNT")]
    replace_opt_outs: Option<u64>,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl RestoreCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let path = format!("/snapshots/{}/restore", check_name(&self.name)?);
        let path = with_query(&path, &[("opt_outs", &count_parameter(self.replace_opt_outs))]);
        post_and_report(&self.target, &path, self.json, &format!("Restored {}.\n", self.name))
    }
}

/// Sends a request that resets the world. `done` says what else it did.
fn post_and_report(target: &ServerTarget, path: &str, as_json: bool, done: &str) -> Result<u8, CliFailure> {
    let result = run_async(async { target.admin_client()?.call("POST", path, None).await.map_err(to_failure) })?;
    if as_json { print_json(&result) } else { print_text(&format!("{done}{}", describe_reset(&result))) }.map(|()| 0)
}

/// Returns the failure of a request. A missing confirmation is named as the option of the command.
fn to_failure(refused: ClientError) -> CliFailure {
    CliFailure::new(match refused {
        ClientError::Refused { status, code, message, hint, pointer } => {
            let message = message.replace("opt_outs=", "--replace-opt-outs ");
            ClientError::Refused { status, code, message, hint, pointer }
        }
        other => other,
    })
}

/// Returns a count as a query parameter, blank if there is none.
fn count_parameter(count: Option<u64>) -> String {
    count.map(|count| count.to_string()).unwrap_or_default()
}

/// Checks a name that becomes part of an address.
pub(super) fn check_name(name: &str) -> Result<&str, CliFailure> {
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if (1..=64).contains(&name.len()) && name.bytes().all(is_plain) {
        return Ok(name);
    }
    Err(CliFailure::new(format!("'{name}' is not a valid name. Use a-z, 0-9 and -, at most 64 characters.")))
}

/// Says where the copy of the replaced account is; blank if there is none.
pub(super) fn describe_copy(copy: &Value) -> String {
    if let Some(path) = copy["file"].as_str() {
        return format!("The replaced account was saved as {path}.\n");
    }
    let snapshot = copy["snapshot"].as_str();
    let described =
        |name| format!("The replaced account was saved as a snapshot. Restore it with roost restore {name}.\n");
    snapshot.map(described).unwrap_or_default()
}

/// Describes what a reset did.
pub(super) fn describe_reset(reset: &Value) -> String {
    let ended = describe_counts(&reset["cancelled"]);
    let ended = if ended.is_empty() { "nothing was in progress".to_owned() } else { format!("ended: {ended}") };
    format!("{}The world is now in epoch {}; {ended}.\n", describe_copy(&reset["copy"]), reset["epoch"])
}

/// Lists counts like `3 lists, 1 sender`, without zeros.
pub(super) fn describe_counts(counts: &Value) -> String {
    let some = counts.as_object().into_iter().flatten().filter(|(_, count)| count.as_u64() != Some(0));
    let parts = some.map(|(name, count)| {
        let name = name.replace("opt_outs", "opt-outs").replace('_', " ");
        let name = if count.as_u64() == Some(1) { name.trim_end_matches('s') } else { &name };
        format!("{count} {name}")
    });
    parts.collect::<Vec<_>>().join(", ")
}

fn as_text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
