//! The verbs that work with the service the account belongs to: the window's own sessions, without a window.

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

/// A verb's exit status, or why there was nothing to do it with.
type Done = Result<u8, Failure>;
