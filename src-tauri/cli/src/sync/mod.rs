//! The commands that work with the account's service, through the same sessions as the window.

mod account;
mod conflicts;
mod connect;
mod exit;
mod follow;
mod gates;
mod plan;
mod pull;
mod push;
mod request;
mod runs;
mod status;
mod text;

pub(crate) use self::{
    account::PASSPHRASE_FILE,
    conflicts::{AnswerCommand, ConflictsCommand},
    connect::{ConnectCommand, KeySource},
    exit::STATUSES,
    plan::PlanCommand,
    pull::PullCommand,
    push::PushCommand,
    runs::{ReportCommand, RunsCommand},
    status::StatusCommand,
};
use crate::{
    failure::CliFailure,
    terminal::{print_json, print_text},
};

/// The exit status of a command, or why it failed.
type ExitResult = Result<u8, CliFailure>;
