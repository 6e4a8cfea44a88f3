//! Moves the key from the user into its vault, and from there into requests, and nowhere else.

use std::path::PathBuf;

use roost_store::tables::sync::connection::{self, KeyLocation, ServiceConnection};
use roost_sync::{
    account::identity,
    vault::{KeyVault, SealedVault, Secret},
};

use crate::{KeyStatus, Session, SessionError, SessionResult, connection::connection_origin, copy};

/// Returns the key of a stored secret. It is never sent to an address for which it was not entered.
fn unbind_key(known: &ServiceConnection, kept: &Secret) -> SessionResult<Secret> {
    let origin = connection_origin(known)?;
    kept.key_for_origin(&origin).ok_or(SessionError::KeyElsewhere(origin))
}

/// The most characters of a key.
pub const KEY_MAX: usize = 4_096;

impl Session {
    /// Returns the path of the sealed key: the account's path with `.key` appended.
    fn sealed_key_path(&self) -> SessionResult<PathBuf> {
        let mut name = self.inner.path.as_ref().ok_or(SessionError::NoPlace)?.clone().into_os_string();
        name.push(".key");
        Ok(name.into())
    }

    /// Stores the key in its new vault and removes it from the former one.
    pub fn set_key(&self, key: Secret, keep: KeyLocation, passphrase: Option<Secret>) -> SessionResult<()> {
        let known = self.read_connection()?;
        if key.is_empty() {
            return Err(SessionError::invalid_field("key", "Enter the key.", serde_json::Value::Null));
        }
        if key.expose().chars().count() > KEY_MAX {
            let message = format!("The key has more than {KEY_MAX} characters.");
            return Err(SessionError::invalid_field("key", message, serde_json::Value::Null));
        }
        roost_outbound::KeyHeader::new(&known.header, key.expose())
            .map_err(|why| SessionError::invalid_field("key", why, serde_json::Value::Null))?;
        self.check_idle()?;
        let kept = key.bind_to_origin(&connection_origin(&known)?);
        match keep {
            KeyLocation::Keyring => self.inner.keyrings.vault_for(&known.uid).set(&kept)?,
            KeyLocation::Sealed => {
                let passphrase = passphrase.unwrap_or_else(|| Secret::new(""));
                SealedVault::new(self.sealed_key_path()?, passphrase).set(&kept)?;
            }
        }
        if known.key_at.is_some_and(|before| before != keep) {
            self.remove_stored_key(&known)?;
        }
        // A former key that cannot be read without asking the user counts as different.
        let is_same = self.read_key(&known).ok().flatten().is_some_and(|before| before.expose() == key.expose());
        self.store_key_location(known, Some(keep))?;
        if !is_same {
            self.inner.core.write_quietly(identity::change_key)?;
        }
        self.use_key(Some(key));
        self.announce_change();
        Ok(())
    }

    /// Unlocks the sealed key for as long as the account is open.
    pub fn unlock_key(&self, passphrase: Secret) -> SessionResult<()> {
        let known = self.read_connection()?;
        if known.key_at != Some(KeyLocation::Sealed) {
            return Err(SessionError::invalid_field(
                "passphrase",
                "The key is not encrypted.",
                serde_json::Value::Null,
            ));
        }
        let kept = SealedVault::new(self.sealed_key_path()?, passphrase).get()?.ok_or(SessionError::NoKey)?;
        self.use_key(Some(unbind_key(&known, &kept)?));
        self.announce_change();
        Ok(())
    }

    /// Fails if the connection would have another address, for which the stored key was not entered.
    pub fn check_stored_key(&self, base_url: &str, passphrase: Option<Secret>) -> SessionResult<()> {
        let Some(known) = self.read(|tx| Ok(connection::get(tx)?))? else { return Ok(()) };
        let moved = ServiceConnection { base_url: base_url.trim().to_owned(), ..known.clone() };
        if connection_origin(&known).ok() == Some(connection_origin(&moved)?) {
            return Ok(());
        }
        let kept = match moved.key_at {
            None => return Ok(()),
            Some(KeyLocation::Keyring) => self.inner.keyrings.vault_for(&moved.uid).get()?,
            Some(KeyLocation::Sealed) => {
                SealedVault::new(self.sealed_key_path()?, passphrase.ok_or(SessionError::Sealed)?).get()?
            }
        };
        unbind_key(&moved, &kept.ok_or(SessionError::NoKey)?).map(drop)
    }

    /// Removes the key from memory and from its vault.
    pub fn forget_key(&self) -> SessionResult<()> {
        let known = self.read_connection()?;
        self.check_idle()?;
        self.remove_stored_key(&known)?;
        self.store_key_location(known, None)?;
        self.use_key(None);
        self.announce_change();
        Ok(())
    }

    /// Replaces the key in memory, and drops the client, which would continue with the former key, and a failure that
    /// was about it.
    pub(super) fn use_key(&self, key: Option<Secret>) {
        let mut state = self.state();
        (state.key, state.client) = (key, None);
        if state.failed.as_ref().is_some_and(|failed| failed.kind.is_of_key()) {
            state.failed = None;
        }
    }

    pub(super) fn remove_stored_key(&self, known: &ServiceConnection) -> SessionResult<()> {
        match known.key_at {
            Some(KeyLocation::Keyring) => Ok(self.inner.keyrings.vault_for(&known.uid).forget()?),
            // The file can be removed without its passphrase.
            Some(KeyLocation::Sealed) => Ok(SealedVault::new(self.sealed_key_path()?, Secret::new("")).forget()?),
            None => Ok(()),
        }
    }

    fn store_key_location(&self, known: ServiceConnection, at: Option<KeyLocation>) -> SessionResult<()> {
        let known = ServiceConnection { key_at: at, ..known };
        Ok(self.inner.core.write_quietly(|tx| {
            connection::set(tx, &known)?;
            if known.key_at.is_some() {
                copy::confirm_connection(tx, &known, None)?;
            }
            Ok(())
        })?)
    }

    /// Returns the key for requests, or `None` if none was entered. This may ask the keyring, which may ask the user.
    pub(super) fn read_key(&self, known: &ServiceConnection) -> SessionResult<Option<Secret>> {
        if let Some(key) = self.state().key.clone() {
            return Ok(Some(key));
        }
        match known.key_at {
            None => Ok(None),
            Some(KeyLocation::Sealed) => Err(SessionError::Sealed),
            Some(KeyLocation::Keyring) => {
                let kept = self.inner.keyrings.vault_for(&known.uid).get()?.ok_or(SessionError::NoKey)?;
                let key = unbind_key(known, &kept)?;
                self.state().key = Some(key.clone());
                Ok(Some(key))
            }
        }
    }

    pub(super) fn key_status(&self, known: &ServiceConnection) -> KeyStatus {
        let key = self.read_key(known).ok().flatten();
        KeyStatus { at: known.key_at, masked: key.as_ref().map(Secret::to_masked), is_unlocked: key.is_some() }
    }

    /// Returns whether the key can be used without asking the user.
    pub(super) fn is_key_ready(&self, known: &ServiceConnection) -> bool {
        self.state().key.is_some() || known.key_at == Some(KeyLocation::Keyring)
    }
}
