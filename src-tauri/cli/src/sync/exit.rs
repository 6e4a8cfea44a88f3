//! Exit statuses that scripts go by, and the sentence that comes with each.

use roost_sync::session::{Refusal, SyncFailed, SyncFailedKind as Kind};

use crate::failure::{Failure, USAGE};

pub const WORK_LEFT: u8 = 3;
pub const GATE: u8 = 4;
pub const ROWS_REFUSED: u8 = 5;
pub const IN_DOUBT: u8 = 6;
pub const UNREACHABLE: u8 = 7;
pub const KEY: u8 = 8;
pub const HELD: u8 = 9;

/// What stands below the help of every verb of the sync.
pub const STATUSES: &str = "\
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

fn status_of(kind: Kind) -> u8 {
    match kind {
        Kind::Unreachable | Kind::Throttled => UNREACHABLE,
        Kind::KeyRefused | Kind::NoKey | Kind::Sealed | Kind::Keyring => KEY,
        Kind::Held => HELD,
        Kind::Gate => GATE,
        Kind::RunOpen => WORK_LEFT,
        Kind::NotPermitted
        | Kind::WrongAddress
        | Kind::Redirected
        | Kind::ReadOnly
        | Kind::Stale
        | Kind::NotConnected
        | Kind::Account
        | Kind::Other => USAGE,
    }
}

/// What to do about it here, where there is no window.
fn hint(kind: Kind) -> &'static str {
    match kind {
        Kind::NotConnected => " Here: roost connect URL --db FILE.",
        Kind::NoKey | Kind::KeyRefused => " Here: roost connect URL --db FILE --key-stdin.",
        Kind::Sealed => " Here the passphrase is read from the file that ROOST_PASSPHRASE_FILE names.",
        Kind::Keyring => " Here: roost connect URL --db FILE --key-stdin --keep sealed.",
        Kind::RunOpen => " Here: roost push --resume continues it, roost push --cancel ends it.",
        Kind::ReadOnly => " Here: roost connect URL --db FILE without --read-only.",
        _ => "",
    }
}

pub fn of_failed(failed: &SyncFailed) -> Failure {
    let advice = failed.advice.as_deref().map_or(String::new(), |advice| format!(" {advice}"));
    Failure::with(status_of(failed.kind), format!("{}{advice}{}", failed.message, hint(failed.kind)))
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let kind = refusal.kind();
        Self::with(status_of(kind), format!("{refusal}{}", hint(kind)))
    }
}
