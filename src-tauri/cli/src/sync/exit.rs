//! The exit statuses for scripts, and the explanation of each.

use std::fmt::Display;

use roost_sync_session::{SessionError, SyncFailure, SyncFailureKind};

use super::account::{PASSPHRASE_FILE, find_passphrase_file};
use crate::{
    failure::{CliFailure, IN_USE, UNCONFIRMED, USAGE_ERROR},
    terminal::plain_value,
};

pub(super) const WORK_LEFT: u8 = 3;
pub(super) const GATE: u8 = UNCONFIRMED;
pub(super) const ROWS_REFUSED: u8 = 5;
pub(super) const IN_DOUBT: u8 = 6;
pub(super) const UNREACHABLE: u8 = 7;
pub(super) const KEY: u8 = 8;

/// The exit statuses of all commands, as the help of the program and of every command of the sync shows them.
pub(crate) const STATUSES: &str = "\
Exit status of every command:
  0  done, or nothing to do
  1  the help of the command says when: for example, a check found damage, or a number has opted out
  2  invalid arguments, or an error
  3  something is left. After pull, conflicts and answer: conflicts, or records that could not be
     read reliably. After plan, push and status: also changes or a run. The help of other commands
     says what is left
  4  a confirmation is missing or wrong (--type, --yes, --opt-outs); nothing was changed
  5  some rows or steps were refused and did not arrive
  6  it is unknown whether part of a run was carried out. Takes precedence over 3 and 5,
     but while a run waits for what stopped it, 7, 8 and 9 take precedence over it
  7  the service cannot be reached, or asks for fewer requests
  8  there is no key, it is sealed, or the service refuses it
  9  another window or program uses the account
roost exec ends with the status of the command that it runs.";

fn exit_status(kind: SyncFailureKind) -> u8 {
    match kind {
        SyncFailureKind::Unreachable | SyncFailureKind::Throttled => UNREACHABLE,
        SyncFailureKind::KeyRefused | SyncFailureKind::NoKey | SyncFailureKind::Sealed | SyncFailureKind::Keyring => {
            KEY
        }
        SyncFailureKind::Held => IN_USE,
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
fn hint_for(kind: SyncFailureKind) -> String {
    let hint = match kind {
        SyncFailureKind::NotConnected => " To do so, run roost connect URL --db FILE.",
        SyncFailureKind::NoKey | SyncFailureKind::KeyRefused => {
            " To enter a key, run roost connect URL --db FILE --key-stdin."
        }
        SyncFailureKind::Sealed => match find_passphrase_file() {
            Some(file) => {
                let file = plain_value(&file.to_string_lossy());
                return format!(" {PASSPHRASE_FILE} names the file {file}.");
            }
            None => " Set ROOST_PASSPHRASE_FILE to a file with the passphrase.",
        },
        SyncFailureKind::Keyring => {
            " To keep the key in a file, run roost connect URL --db FILE --key-stdin --keep sealed."
        }
        SyncFailureKind::RunOpen => " To continue it, run roost push --resume; to end it, roost push --cancel.",
        SyncFailureKind::OtherAccount => " To confirm them, run roost pull --believe --db FILE.",
        SyncFailureKind::ReadOnly => " To allow changes, run roost connect URL --db FILE without --read-only.",
        _ => "",
    };
    hint.to_owned()
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
