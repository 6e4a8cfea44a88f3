//! `roost diff`: compares two states of a running server.

use std::fmt::Write as _;

use clap::{Args, builder::BoolishValueParser};
use roost_emulator::client::with_query;
use serde_json::Value;

use super::{
    state::check_name,
    target::{ServerTarget, run_async},
};
use crate::{
    failure::CliFailure,
    terminal::{plain_value, print_json, print_text},
};

/// The exit status if something differs.
const DIFFERENT: u8 = 1;

#[derive(Args)]
#[command(after_help = "Exit status: 0: no differences, 1: differences, 2: an error, nothing was compared.")]
pub(crate) struct DiffCommand {
    /// A snapshot by name, seed, now, or @SEQ: the state after that request of the journal and its job.
    from: String,
    /// Another one. Default: the current state.
    #[arg(default_value = "now")]
    to: String,
    #[command(flatten)]
    target: ServerTarget,
    /// Resources, fields and parts of the arrangement to ignore, separated by commas: jobs, lists.updated_at, settings.
    #[arg(long, env = "ROOST_DIFF_IGNORE", value_name = "WHAT", value_delimiter = ',')]
    ignore: Vec<String>,
    /// The most records to show for each resource. All of them are counted.
    #[arg(long, env = "ROOST_DIFF_LIMIT", default_value_t = 100, value_parser = clap::value_parser!(u16).range(0..=1000))]
    limit: u16,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl DiffCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let path = format!("/snapshots/{}/diff/{}", state(&self.from)?, state(&self.to)?);
        let path = with_query(&path, &[("limit", &self.limit.to_string()), ("ignore", &self.ignore.join(","))]);
        let comparison =
            run_async(async { self.target.admin_client()?.call("GET", &path, None).await.map_err(CliFailure::new) })?;
        let is_empty = comparison["is_empty"].as_bool();
        let is_empty = is_empty.ok_or_else(|| CliFailure::new("the server did not return a comparison"))?;
        if self.json { print_json(&comparison) } else { print_text(&describe_diff(&comparison)) }?;
        Ok(if is_empty { 0 } else { DIFFERENT })
    }
}

/// A state to compare: a snapshot, or `@` and the number of a request.
fn state(name: &str) -> Result<&str, CliFailure> {
    match name.strip_prefix('@') {
        Some(number) if number.parse::<u64>().is_ok() => Ok(name),
        Some(_) => Err(CliFailure::new(format!(
            "'{name}' is not a valid state. Use @ and the number of a request, such as @17."
        ))),
        None => check_name(name),
    }
}

/// The kinds of records, in the order in which an account lists them.
const RESOURCES: [&str; 8] =
    ["senders", "assets", "custom_fields", "lists", "contacts", "opt_outs", "short_links", "jobs"];

/// Writes a line for each record, each changed field and each part of the arrangement.
fn describe_diff(comparison: &Value) -> String {
    let mut out = String::new();
    for resource in RESOURCES {
        let delta = &comparison["resources"][resource];
        let count = |kind: &str| delta[kind]["count"].as_u64().unwrap_or_default();
        let (added, removed, changed) = (count("added"), count("removed"), count("changed"));
        if added + removed + changed == 0 {
            continue;
        }
        let _ = writeln!(out, "{}: {added} added, {removed} removed, {changed} changed", resource.replace('_', " "));
        for (kind, sign) in [("added", '+'), ("removed", '-'), ("changed", '~')] {
            let items = delta[kind]["items"].as_array().map_or(&[][..], Vec::as_slice);
            for item in items {
                let key = plain_value(item["key"].as_str().unwrap_or_default());
                if kind == "changed" {
                    let _ = writeln!(out, "  {sign} {key}");
                    for (field, both) in item["fields"].as_object().into_iter().flatten() {
                        let (before, after) =
                            (plain_value(&both["before"].to_string()), plain_value(&both["after"].to_string()));
                        let _ = writeln!(out, "      {field}: {before} -> {after}");
                    }
                } else {
                    let _ = writeln!(out, "  {sign} {key}  {}", plain_value(&item["fields"].to_string()));
                }
            }
            let more = count(kind).saturating_sub(items.len() as u64);
            if more > 0 {
                let _ = writeln!(out, "  {sign} and {more} more");
            }
        }
    }
    let mut last_part = "";
    for change in comparison["arrangement"].as_array().into_iter().flatten() {
        let part = change["part"].as_str().unwrap_or_default();
        if part != last_part {
            let _ = writeln!(out, "{}:", part.replace('_', " "));
            last_part = part;
        }
        let value = |side: &str| plain_value(&change[side].to_string());
        let name = plain_value(change["name"].as_str().unwrap_or_default());
        let _ = writeln!(out, "  ~ {name}: {} -> {}", value("from"), value("to"));
    }
    if out.is_empty() {
        out.push_str("No differences.\n");
    }
    let left: Vec<String> = comparison["not_compared"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|name| Some(name.as_str()?.replace('_', " ")))
        .collect();
    if !left.is_empty() {
        let _ = writeln!(out, "Not compared, because they are unknown for a past request: {}.", left.join(", "));
    }
    out
}
