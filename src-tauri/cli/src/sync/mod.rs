//! The commands that work with the account's service, through the same sessions as the window.

mod account;
mod body;
mod conflicts;
mod connect;
mod exit;
mod follow;
mod gates;
mod plan;
mod pull;
mod push;
mod runs;
mod status;
mod text;

pub use self::{
    account::PASSPHRASE_FILE,
    conflicts::{Answer, Conflicts},
    connect::{Connect, KeySource},
    exit::STATUSES,
    plan::Plan,
    pull::Pull,
    push::Push,
    runs::{Report, Runs},
    status::Status,
};
use crate::{
    failure::Failure,
    said::{say, say_json},
};

/// The exit status of a command, or why it failed.
type Done = Result<u8, Failure>;
