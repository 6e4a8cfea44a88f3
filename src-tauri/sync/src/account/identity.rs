//! Whose account the service shows: after another address or another key, nothing is sent before a pull has compared both.

use roost_ops::Error;
use roost_store::{
    tables::{
        settings,
        sync::{Place, scopes},
    },
    tx::{ReadTx, WriteTx},
};

const UNCONFIRMED: &str = "sync.unconfirmed";

/// The connection leads to another address, or goes by another key.
pub fn doubt(tx: &WriteTx) -> Result<(), Error> {
    Ok(settings::set(tx, UNCONFIRMED, "1")?)
}

/// A pull saw records that both sides agreed on before.
pub fn confirm(tx: &WriteTx) -> Result<(), Error> {
    if settings::get(tx, UNCONFIRMED)?.is_some_and(|value| !value.is_empty()) {
        settings::set(tx, UNCONFIRMED, "")?;
    }
    Ok(())
}

/// Whether the service may have the account of somebody else. Where nothing was agreed on, there is nothing to mix up.
pub fn is_unconfirmed(tx: &ReadTx) -> Result<bool, Error> {
    if settings::get(tx, UNCONFIRMED)?.is_none_or(|value| value.is_empty()) {
        return Ok(false);
    }
    for place in [Place::Lists, Place::OptOuts, Place::Senders, Place::ShortLinks, Place::Contacts] {
        if scopes::agreed(tx, place)? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}
