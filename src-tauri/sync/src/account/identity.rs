//! Whose account the service shows: after another address or another key, nothing is sent before a pull has compared both.

use roost_ops::Error;
use roost_store::{
    tables::{
        settings,
        sync::{Place, scopes},
    },
    tx::{ReadTx, WriteTx},
};

/// Empty: confirmed. Otherwise what changed since.
const UNCONFIRMED: &str = "sync.unconfirmed";
const KEY: &str = "key";
const ADDRESS: &str = "address";
/// The address that the last confirmation was about.
const CONFIRMED_AT: &str = "sync.confirmed_at";

/// The connection goes by another key.
pub fn change_key(tx: &WriteTx) -> Result<(), Error> {
    Ok(settings::set(tx, UNCONFIRMED, KEY)?)
}

/// The connection leads to another address; back where it was, nothing has changed.
pub fn change_address(tx: &WriteTx, before: &str, now: &str) -> Result<(), Error> {
    let unconfirmed = settings::get(tx, UNCONFIRMED)?.unwrap_or_default();
    if unconfirmed.is_empty() {
        settings::set(tx, CONFIRMED_AT, before)?;
    }
    let is_back = settings::get(tx, CONFIRMED_AT)?.as_deref() == Some(now);
    if unconfirmed != KEY {
        settings::set(tx, UNCONFIRMED, if is_back { "" } else { ADDRESS })?;
    }
    Ok(())
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
