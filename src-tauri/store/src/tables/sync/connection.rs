//! The connection to the service that the account belongs to.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{scopes, tracking};
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

/// The place where the key is stored. It is never in the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "KeyStorage"))]
pub enum KeyLocation {
    Keyring,
    /// A file beside the account, sealed with a passphrase.
    Sealed,
}

roost_model::variant_names! { KeyLocation { Keyring = "keyring", Sealed = "sealed" } }

/// The service of the account. The last four fields are JSON whose form belongs to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceConnection {
    /// Identifies the key in the keyring.
    pub uid: String,
    pub name: String,
    pub base_url: String,
    pub header: String,
    pub key_at: Option<KeyLocation>,
    pub read_only: bool,
    pub plain_http: bool,
    pub paths: String,
    pub rates: String,
    pub capabilities: String,
    pub learnt: String,
}

pub fn get(tx: &ReadTx) -> Result<Option<ServiceConnection>> {
    tx.find_row(
        "SELECT uid, name, base_url, header, key_at, read_only, plain_http, paths, rates, capabilities, learnt FROM connection",
        [],
        |row| {
            Ok(ServiceConnection {
                uid: row.get(0)?,
                name: row.get(1)?,
                base_url: row.get(2)?,
                header: row.get(3)?,
                key_at: row.get::<_, Option<String>>(4)?.as_deref().and_then(KeyLocation::parse),
                read_only: row.get(5)?,
                plain_http: row.get(6)?,
                paths: row.get(7)?,
                rates: row.get(8)?,
                capabilities: row.get(9)?,
                learnt: row.get(10)?,
            })
        },
    )
}

/// Stores the connection. From the first connection on, local changes are tracked. All records that exist by then count
/// as created here.
pub fn set(tx: &WriteTx, connection: &ServiceConnection) -> Result<()> {
    let is_first = get(tx)?.is_none();
    tx.execute_sql(
        "INSERT OR REPLACE INTO connection (id, uid, name, base_url, header, key_at, read_only, plain_http, paths, rates, capabilities, learnt)
             VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            connection.uid,
            connection.name,
            connection.base_url,
            connection.header,
            connection.key_at.map(KeyLocation::as_str),
            connection.read_only,
            connection.plain_http,
            connection.paths,
            connection.rates,
            connection.capabilities,
            connection.learnt
        ],
    )?;
    if is_first {
        tracking::mark_created_here(tx.conn())?;
        tracking::update_triggers(tx.conn())?;
    }
    Ok(())
}

/// Stores what a probe or a run found out about the service. The form of the JSON belongs to the caller.
pub fn set_learnt(tx: &WriteTx, learnt: &str) -> Result<()> {
    tx.execute_sql("UPDATE connection SET learnt = ?1", [learnt])?;
    Ok(())
}

/// Removes the connection and everything that was agreed with the service. The local records stay.
pub fn forget_connection(tx: &WriteTx) -> Result<()> {
    tx.conn().execute_batch(
        "DELETE FROM connection; DELETE FROM sync_ids; DELETE FROM sync_base; DELETE FROM sync_remote;
         DELETE FROM sync_answers; DELETE FROM sync_scopes; DELETE FROM sync_seen; DELETE FROM sync_quarantine;",
    )?;
    tx.execute_sql("DELETE FROM settings WHERE key = ?1", [scopes::PULL_TIME])?;
    tracking::update_triggers(tx.conn())
}
