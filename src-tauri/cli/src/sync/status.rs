//! `roost status`: compares the account with the last reading of the service, without calling the service.

use std::fmt::Write as _;

use clap::{Args, builder::BoolishValueParser};
use roost_sync_session::{Connection, KeyLocation, PullSummary, RunState, SyncStatus};
use serde::Serialize;

use super::{ExitResult, account::AccountArgs, exit::WORK_LEFT, print_json, print_text, pull::describe_doubts};
use crate::terminal::plain_line;

#[derive(Args)]
#[command(after_help = super::STATUSES)]
pub(crate) struct StatusCommand {
    #[command(flatten)]
    account: AccountArgs,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// The status for scripts, with the service that it is about.
#[derive(Serialize)]
struct StatusDocument<'a> {
    #[serde(flatten)]
    service: Option<ServiceDocument<'a>>,
    #[serde(flatten)]
    status: &'a SyncStatus,
}

#[derive(Serialize)]
struct ServiceDocument<'a> {
    service: &'a str,
    name: &'a str,
    key_at: Option<KeyLocation>,
}

impl StatusCommand {
    pub(crate) fn run(self) -> ExitResult {
        let open = self.account.open()?;
        // With a wrong passphrase the status is shown all the same; the next pull or push reports it.
        let _ = open.unlock();
        let status = open.session.status()?;
        let pulled = open.session.last_pull()?;
        let connection = open.session.describe_connection()?.connection;
        if self.json {
            let service = connection.as_ref().map(|one| ServiceDocument {
                service: &one.base_url,
                name: &one.name,
                key_at: one.key.at,
            });
            print_json(&StatusDocument { service, status: &status })?;
        } else {
            let Some(connection) = connection else {
                return Err(roost_sync_session::SessionError::NotConnected.into());
            };
            print_text(&describe_status(&status, &connection, pulled.as_ref()))?;
        }
        Ok(if has_work(&status) { WORK_LEFT } else { 0 })
    }
}

fn has_work(status: &SyncStatus) -> bool {
    status.changes > status.held
        || status.conflicts + status.answered > 0
        || status.refused > 0
        || status.is_doubtful
        || status.run.is_some()
}

fn describe_status(status: &SyncStatus, connection: &Connection, last: Option<&PullSummary>) -> String {
    let read_only = if connection.read_only { ", read-only" } else { "" };
    let masked = connection.key.masked.as_deref().unwrap_or_default();
    let key = match (connection.key.at, connection.key.is_unlocked) {
        (None, _) if connection.is_copy => {
            "none. This account is a copy. Connect it with roost connect URL (--key-stdin).".to_owned()
        }
        (None, _) => "none".to_owned(),
        (Some(KeyLocation::Keyring), _) => format!("in the keyring {masked}"),
        (Some(KeyLocation::Sealed), true) => format!("in a sealed file {masked}"),
        (Some(KeyLocation::Sealed), false) => {
            "in a sealed file (ROOST_PASSPHRASE_FILE names its passphrase)".to_owned()
        }
    };
    let pulled = status.pulled_at.map_or_else(|| "never".to_owned(), |at| at.to_iso());
    let changes = match status.held {
        0 => status.changes.to_string(),
        held => format!("{}, {held} of them held back", status.changes),
    };
    let questions = match status.answered {
        0 => status.conflicts.to_string(),
        answered => format!("{}, and {answered} answered that wait for the next push or pull", status.conflicts),
    };
    let mut rows = vec![
        (
            "service",
            format!("{} ({}){read_only}", plain_line(&connection.base_url, 200), plain_line(&connection.name, 60)),
        ),
        ("key", key.trim_end().to_owned()),
        ("pulled", pulled),
        ("changes", changes),
        ("conflicts", questions),
        ("refused", status.refused.to_string()),
    ];
    if let Some(run) = &status.run {
        let state = describe_run_state(run.state);
        rows.push((
            "run",
            format!("{} {state}. Continue it with roost push --resume, or end it with --cancel.", run.id),
        ));
    }
    rows.extend(last.map(describe_doubts).unwrap_or_default().into_iter().map(|doubt| ("in doubt", doubt)));
    let mut out = String::new();
    for (name, value) in rows {
        let _ = writeln!(out, "{name:<10}{value}");
    }
    out
}

pub(super) fn describe_run_state(state: RunState) -> &'static str {
    match state {
        RunState::Running => "was interrupted",
        RunState::Paused => "is paused",
        RunState::Cancelled => "was cancelled",
        RunState::Done => "is done",
        RunState::InDoubt => "is in doubt",
    }
}
