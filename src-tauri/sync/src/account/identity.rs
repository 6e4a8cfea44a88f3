//! Tracks whose account the service shows. After a change of the address or the key, nothing is sent until a pull has
//! compared both accounts.

use roost_ops::Error;
use roost_store::{
    tables::{
        settings,
        sync::{SyncedTable, scopes},
    },
    tx::{ReadTx, WriteTx},
};

/// Empty once confirmed; otherwise the kind of change since then.
const UNCONFIRMED: &str = "sync.unconfirmed";
const KEY: &str = "key";
const ADDRESS: &str = "address";
/// The address of the last confirmation.
const CONFIRMED_AT: &str = "sync.confirmed_at";

/// Notes that the connection uses another key.
pub fn change_key(tx: &WriteTx) -> Result<(), Error> {
    Ok(settings::set(tx, UNCONFIRMED, KEY)?)
}

/// Notes that the connection uses another address. Returning to the confirmed address undoes the change.
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

/// Notes that a pull saw records that both sides had agreed on.
pub fn confirm_account(tx: &WriteTx) -> Result<(), Error> {
    if settings::get(tx, UNCONFIRMED)?.is_some_and(|value| !value.is_empty()) {
        settings::set(tx, UNCONFIRMED, "")?;
    }
    Ok(())
}

/// Returns whether the service may show somebody else's account. If nothing has been agreed on yet, nothing can be
/// mixed up.
pub fn is_unconfirmed(tx: &ReadTx) -> Result<bool, Error> {
    if settings::get(tx, UNCONFIRMED)?.is_none_or(|value| value.is_empty()) {
        return Ok(false);
    }
    for place in
        [SyncedTable::Lists, SyncedTable::OptOuts, SyncedTable::Senders, SyncedTable::ShortLinks, SyncedTable::Contacts]
    {
        if scopes::count_agreed(tx, place)? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}
