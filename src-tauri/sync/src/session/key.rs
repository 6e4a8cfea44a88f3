//! Moves the key from the user into its vault, and from there into requests, and nowhere else.

use std::path::PathBuf;

use roost_store::tables::sync::connection::{self, Connection as Known, KeyAt};

use super::{Answer, KeyKept, KeyShown, Refusal, Session, connection::settings, copy};
use crate::{
    identity,
    vault::{Sealed, Secret, Vault},
};

pub(super) fn origin_of(known: &Known) -> Answer<String> {
    Ok(settings(known, None)?.origin())
}

/// Returns the key of a stored secret. It is never sent to an address for which it was not entered.
fn for_address(known: &Known, kept: &Secret) -> Answer<Secret> {
    let origin = origin_of(known)?;
    kept.for_origin(&origin).ok_or(Refusal::KeyElsewhere(origin))
}

/// The most characters of a key.
pub const KEY_MAX: usize = 4_096;

impl Session {
    /// Returns the path of the sealed key: the account's path with `.key` appended.
    fn sealed_place(&self) -> Answer<PathBuf> {
        let mut name = self.inner.path.as_ref().ok_or(Refusal::NoPlace)?.clone().into_os_string();
        name.push(".key");
        Ok(name.into())
    }

    /// Stores the key in its new vault and removes it from the former one.
    pub fn set_key(&self, key: Secret, keep: KeyKept, passphrase: Option<Secret>) -> Answer<()> {
        let known = self.known()?;
        if key.is_empty() {
            return Err(Refusal::fault("key", "Enter the key.", serde_json::Value::Null));
        }
        if key.expose().chars().count() > KEY_MAX {
            let told = format!("The key has more than {KEY_MAX} characters.");
            return Err(Refusal::fault("key", told, serde_json::Value::Null));
        }
        roost_outbound::Key::new(&known.header, key.expose())
            .map_err(|why| Refusal::fault("key", why, serde_json::Value::Null))?;
        self.is_idle()?;
        let kept = key.bound_to(&origin_of(&known)?);
        match keep {
            KeyKept::Keyring => self.inner.keyrings.of(&known.uid).set(&kept)?,
            KeyKept::Sealed => {
                let passphrase = passphrase.unwrap_or_else(|| Secret::new(""));
                Sealed::new(self.sealed_place()?, passphrase).set(&kept)?;
            }
        }
        let at = match keep {
            KeyKept::Keyring => KeyAt::Keyring,
            KeyKept::Sealed => KeyAt::Sealed,
        };
        if known.key_at.is_some_and(|before| before != at) {
            self.forget_kept(&known)?;
        }
        // A former key that cannot be read without asking the user counts as different.
        let is_same = self.key(&known).ok().flatten().is_some_and(|before| before.expose() == key.expose());
        self.keep_at(known, Some(at))?;
        if !is_same {
            self.inner.core.write_quietly(identity::change_key)?;
        }
        self.use_key(Some(key));
        self.moved();
        Ok(())
    }

    /// Unlocks the sealed key for as long as the account is open.
    pub fn unlock(&self, passphrase: Secret) -> Answer<()> {
        let known = self.known()?;
        if known.key_at != Some(KeyAt::Sealed) {
            return Err(Refusal::fault("passphrase", "The key is not encrypted.", serde_json::Value::Null));
        }
        let kept = Sealed::new(self.sealed_place()?, passphrase).get()?.ok_or(Refusal::NoKey)?;
        self.use_key(Some(for_address(&known, &kept)?));
        self.moved();
        Ok(())
    }

    /// Removes the key from memory and from its vault.
    pub fn forget_key(&self) -> Answer<()> {
        let known = self.known()?;
        self.is_idle()?;
        self.forget_kept(&known)?;
        self.keep_at(known, None)?;
        self.use_key(None);
        self.moved();
        Ok(())
    }

    /// Replaces the key in memory, and drops the client, which would continue with the former key.
    pub(super) fn use_key(&self, key: Option<Secret>) {
        let mut state = self.state();
        (state.key, state.client) = (key, None);
    }

    pub(super) fn forget_kept(&self, known: &Known) -> Answer<()> {
        match known.key_at {
            Some(KeyAt::Keyring) => Ok(self.inner.keyrings.of(&known.uid).forget()?),
            // The file can be removed without its passphrase.
            Some(KeyAt::Sealed) => Ok(Sealed::new(self.sealed_place()?, Secret::new("")).forget()?),
            None => Ok(()),
        }
    }

    fn keep_at(&self, known: Known, at: Option<KeyAt>) -> Answer<()> {
        let known = Known { key_at: at, ..known };
        Ok(self.inner.core.write_quietly(|tx| {
            connection::set(tx, &known)?;
            if known.key_at.is_some() {
                copy::settle(tx, &known, None)?;
            }
            Ok(())
        })?)
    }

    /// Returns the key for requests, or `None` if none was entered. This may ask the keyring, which may ask the user.
    pub(super) fn key(&self, known: &Known) -> Answer<Option<Secret>> {
        if let Some(key) = self.state().key.clone() {
            return Ok(Some(key));
        }
        match known.key_at {
            None => Ok(None),
            Some(KeyAt::Sealed) => Err(Refusal::Sealed),
            Some(KeyAt::Keyring) => {
                let kept = self.inner.keyrings.of(&known.uid).get()?.ok_or(Refusal::NoKey)?;
                let key = for_address(known, &kept)?;
                self.state().key = Some(key.clone());
                Ok(Some(key))
            }
        }
    }

    pub(super) fn key_shown(&self, known: &Known) -> KeyShown {
        let at = known.key_at.map(|at| match at {
            KeyAt::Keyring => KeyKept::Keyring,
            KeyAt::Sealed => KeyKept::Sealed,
        });
        let key = self.key(known).ok().flatten();
        KeyShown { at, masked: key.as_ref().map(Secret::masked), is_unlocked: key.is_some() }
    }

    /// Returns whether the key can be used without asking the user.
    pub(super) fn is_key_ready(&self, known: &Known) -> bool {
        self.state().key.is_some() || known.key_at == Some(KeyAt::Keyring)
    }
}
