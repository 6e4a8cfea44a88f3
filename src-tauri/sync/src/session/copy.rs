//! An account file that was copied: it keeps how to reach the service, but neither the key nor what the original has
//! under way, and works with the service when a person has said that it shall.

use std::path::Path;

use roost_ops::Core;
use roost_store::{
    files::closed,
    tables::{
        settings,
        sync::connection::{self, Connection as Known},
    },
    tx::{ReadTx, WriteTx},
};

use super::{Answer, Refusal, Session};
use crate::apply;

/// The connection and the file that it was made or last used in: a copy names another file than its own.
const HOME: &str = "connection.file";
const COPIED: &str = "connection.copied";

fn home(known: &Known, file: &Path) -> String {
    let file = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    format!("{} {}", known.uid, file.display())
}

/// Makes a copy an account of its own, whose key is nobody's but its own.
pub fn set_apart(core: &Core, file: &Path) -> Answer<()> {
    let uid = core.ctx().trace_id();
    let now = core.ctx().now();
    Ok(core.write_quietly(|tx| {
        let Some(known) = connection::get(tx)? else { return Ok(()) };
        let known = Known { uid, key_at: None, ..known };
        connection::set(tx, &known)?;
        settings::set(tx, HOME, &home(&known, file))?;
        settings::set(tx, COPIED, "yes")?;
        // The original goes on with it; twice it must not be sent.
        apply::give_up(tx, now)
    })?)
}

/// Sees whether an account was copied by hand: the file it says it is in is still there, and says the same. One that is
/// there no more was moved.
pub(super) fn look(core: &Core, file: &Path) -> Answer<()> {
    let found = core.read(|tx| Ok(connection::get(tx)?.zip(Some(settings::get(tx, HOME)?))))?;
    let Some((known, told)) = found else { return Ok(()) };
    let own = home(&known, file);
    if told.as_deref() == Some(&own) {
        return Ok(());
    }
    let is_copy = told.as_deref().is_some_and(|told| {
        let of_it = told.split_once(' ').filter(|(uid, _)| *uid == known.uid);
        of_it.is_some_and(|(_, original)| closed::setting(Path::new(original), HOME).as_deref() == Some(told))
    });
    if is_copy {
        return set_apart(core, file);
    }
    Ok(core.write_quietly(|tx| Ok(settings::set(tx, HOME, &own)?))?)
}

/// A person has said how this account works with its service: it is no mere copy any more.
pub(super) fn settle(tx: &WriteTx, known: &Known, file: Option<&Path>) -> Result<(), roost_ops::Error> {
    if let Some(file) = file {
        settings::set(tx, HOME, &home(known, file))?;
    }
    if is_copied(tx)? {
        settings::set(tx, COPIED, "")?;
    }
    Ok(())
}

fn is_copied(tx: &ReadTx) -> Result<bool, roost_ops::Error> {
    Ok(settings::get(tx, COPIED)?.is_some_and(|told| !told.is_empty()))
}

impl Session {
    /// Whether the account is a copy of another, and nobody has said yet that it works with the service.
    pub(super) fn is_copy(&self) -> Answer<bool> {
        self.read(is_copied)
    }

    pub(super) fn is_no_mere_copy(&self) -> Answer<()> {
        if self.is_copy()? { Err(Refusal::Copied) } else { Ok(()) }
    }
}
