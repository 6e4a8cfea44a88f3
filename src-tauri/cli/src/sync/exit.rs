//! The exit statuses for scripts, and the explanation of each.

use std::fmt::Display;

use roost_sync_session::{SessionError, SyncFailure, SyncFailureKind};

use crate::failure::{CliFailure, USAGE_ERROR};

pub(super) const WORK_LEFT: u8 = 3;
pub(super) const GATE: u8 = 4;
pub(super) const ROWS_REFUSED: u8 = 5;
pub(super) const IN_DOUBT: u8 = 6;
pub(super) const UNREACHABLE: u8 = 7;
pub(super) const KEY: u8 = 8;
pub(super) const HELD: u8 = 9;

/// The text below the help of every command of the sync.
pub(crate) const STATUSES: &str = "\
Exit status of connect, pull, conflicts, answer, plan, push, status, runs and report:
  0  done, or nothing to do
  2  invalid arguments, or an error
  3  changes, conflicts or a run are left
  4  a confirmation is required first (--type, --yes)
  5  some rows or steps were refused and did not arrive
  6  it is unknown whether part of a run was carried out. Takes precedence over 3 and 5,
     but while a run waits for what stopped it, 7, 8 and 9 take precedence over it
  7  the service cannot be reached, or asks for fewer requests
  8  there is no key, it is sealed, or the service refuses it
  9  another window or program uses the account";

fn exit_status(kind: SyncFailureKind) -> u8 {
    match kind {
        SyncFailureKind::Unreachable | SyncFailureKind::Throttled => UNREACHABLE,
        SyncFailureKind::KeyRefused | SyncFailureKind::NoKey | SyncFailureKind::Sealed | SyncFailureKind::Keyring => {
            KEY
        }
        SyncFailureKind::Held => HELD,
        SyncFailureKind::Gate => GATE,
        SyncFailureKind::RunOpen => WORK_LEFT,
        SyncFailureKind::NotPermitted
        | SyncFailureKind::WrongAddress
        | SyncFailureKind::Redirected
        | SyncFailureKind::ReadOnly
        | SyncFailureKind::Stale
        | SyncFailureKind::NotConnected
        | SyncFailureKind::OtherAccount
        | SyncFailureKind::Account
        | SyncFailureKind::Other => USAGE_ERROR,
    }
}

/// Returns what to do about it on the command line.
fn hint_for(kind: SyncFailureKind) -> &'static str {
    match kind {
        SyncFailureKind::NotConnected => " Here: roost connect URL --db FILE.",
        SyncFailureKind::NoKey | SyncFailureKind::KeyRefused => " Here: roost connect URL --db FILE --key-stdin.",
        SyncFailureKind::Sealed => " Here the passphrase is read from the file that ROOST_PASSPHRASE_FILE names.",
        SyncFailureKind::Keyring => " Here: roost connect URL --db FILE --key-stdin --keep sealed.",
        SyncFailureKind::RunOpen => " Here: roost push --resume continues it, roost push --cancel ends it.",
        SyncFailureKind::OtherAccount => " Here: roost pull --believe --db FILE.",
        SyncFailureKind::ReadOnly => " Here: roost connect URL --db FILE without --read-only.",
        _ => "",
    }
}

/// Returns the failure with the exit status and the code of its kind.
pub(super) fn failure_of_kind(kind: SyncFailureKind, line: impl Display + 'static) -> CliFailure {
    CliFailure::with_status(exit_status(kind), line).with_code(kind)
}

pub(super) fn failure_of_sync(failed: &SyncFailure) -> CliFailure {
    let advice = failed.advice.as_deref().map_or(String::new(), |advice| format!(" {advice}"));
    failure_of_kind(failed.kind, format!("{}{advice}{}", failed.message, hint_for(failed.kind)))
}

impl From<SessionError> for CliFailure {
    fn from(refusal: SessionError) -> Self {
        let kind = refusal.kind();
        failure_of_kind(kind, format!("{refusal}{}", hint_for(kind)))
    }
}
