//! Recognises an account file that was copied. A copy keeps the connection but neither the key nor the original's open
//! run, and works with the service only after a person has confirmed it.

use std::path::Path;

use roost_ops::Core;
use roost_store::{
    files::closed,
    tables::{
        settings,
        sync::connection::{self, ServiceConnection},
    },
    tx::{ReadTx, WriteTx},
};
use roost_sync::apply;

use crate::{Session, SessionError, SessionResult};

/// The identifier of the connection and the file that last used it. In a copy, the file differs from its own.
const HOME_SETTING: &str = "connection.file";
const COPIED_SETTING: &str = "connection.copied";

fn home_mark(known: &ServiceConnection, file: &Path) -> String {
    let file = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    format!("{} {}", known.uid, file.display())
}

/// Separates a copy from its original, so that the two share no key.
pub fn separate_copy(core: &Core, file: &Path) -> SessionResult<()> {
    let uid = core.ctx().trace_id();
    let now = core.ctx().now();
    Ok(core.write_quietly(|tx| {
        let Some(known) = connection::get(tx)? else { return Ok(()) };
        let known = ServiceConnection { uid, key_at: None, ..known };
        connection::set(tx, &known)?;
        settings::set(tx, HOME_SETTING, &home_mark(&known, file))?;
        settings::set(tx, COPIED_SETTING, "yes")?;
        // The original continues the open run, which must not be sent twice.
        apply::give_up_open_run(tx, now)
    })?)
}

/// Checks whether an account was copied by hand: the file that it names still exists and names itself. If that file no
/// longer exists, the account was moved.
pub(super) fn detect_copy(core: &Core, file: &Path) -> SessionResult<()> {
    let found = core.read(|tx| Ok(connection::get(tx)?.zip(Some(settings::get(tx, HOME_SETTING)?))))?;
    let Some((known, stored)) = found else { return Ok(()) };
    let own = home_mark(&known, file);
    if stored.as_deref() == Some(&own) {
        return Ok(());
    }
    let is_copy = stored.as_deref().is_some_and(|stored| {
        let of_it = stored.split_once(' ').filter(|(uid, _)| *uid == known.uid);
        of_it.is_some_and(|(_, original)| {
            closed::read_setting(Path::new(original), HOME_SETTING).as_deref() == Some(stored)
        })
    });
    if is_copy {
        return separate_copy(core, file);
    }
    Ok(core.write_quietly(|tx| Ok(settings::set(tx, HOME_SETTING, &own)?))?)
}

/// Ends the state of being a copy, because a person has confirmed the connection.
pub(super) fn confirm_connection(
    tx: &WriteTx,
    known: &ServiceConnection,
    file: Option<&Path>,
) -> Result<(), roost_ops::Error> {
    if let Some(file) = file {
        settings::set(tx, HOME_SETTING, &home_mark(known, file))?;
    }
    if is_copied(tx)? {
        settings::set(tx, COPIED_SETTING, "")?;
    }
    Ok(())
}

fn is_copied(tx: &ReadTx) -> Result<bool, roost_ops::Error> {
    Ok(settings::get(tx, COPIED_SETTING)?.is_some_and(|stored| !stored.is_empty()))
}

impl Session {
    /// Returns whether the account is a copy for which no person has confirmed the connection yet.
    pub(super) fn is_copy(&self) -> SessionResult<bool> {
        self.read(is_copied)
    }

    pub(super) fn check_not_copy(&self) -> SessionResult<()> {
        if self.is_copy()? { Err(SessionError::Copied) } else { Ok(()) }
    }
}
