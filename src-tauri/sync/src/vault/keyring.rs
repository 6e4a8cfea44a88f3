//! Stores keys in the system's keyring: Secret Service, Keychain or Credential Manager.

use keyring::{Entry, Error};

use super::{KeyVault, Secret, VaultError};

const SERVICE: &str = "roost";

/// The keyring's entry for the key of one connection.
pub struct KeyringVault {
    name: String,
}

impl KeyringVault {
    /// `connection` is the identifier of the connection, which reveals nothing about the service.
    pub fn new(connection: &str) -> Self {
        Self { name: connection.to_owned() }
    }

    /// Checks that keys can be stored by storing one, since a keyring that responds may still be locked.
    pub fn probe() -> Result<(), VaultError> {
        let probe = Self::new("probe");
        probe.set(&Secret::new("probe"))?;
        probe.forget()
    }

    fn open_entry(&self) -> Result<Entry, VaultError> {
        Entry::new(SERVICE, &self.name).map_err(to_vault_error)
    }
}

impl KeyVault for KeyringVault {
    fn get(&self) -> Result<Option<Secret>, VaultError> {
        match self.open_entry()?.get_password() {
            Ok(key) => Ok(Some(Secret::new(key))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(to_vault_error(error)),
        }
    }

    fn set(&self, key: &Secret) -> Result<(), VaultError> {
        self.open_entry()?.set_password(key.expose()).map_err(to_vault_error)
    }

    fn forget(&self) -> Result<(), VaultError> {
        match self.open_entry()?.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(to_vault_error(error)),
        }
    }
}

/// Converts the keyring's error. Some carry the stored value, so their texts are not passed on.
fn to_vault_error(error: Error) -> VaultError {
    match error {
        Error::NoStorageAccess(_) => VaultError::Locked,
        Error::TooLong(_, most) => VaultError::TooLong(most),
        Error::BadEncoding(_) | Error::BadDataFormat(..) | Error::BadStoreFormat(_) | Error::Ambiguous(_) => {
            VaultError::NotOurs
        }
        Error::NoDefaultStore => VaultError::NoKeyring(match Entry::store_status() {
            Err(Error::PlatformFailure(why)) => why.to_string(),
            _ => "there is none".to_owned(),
        }),
        Error::PlatformFailure(why) => VaultError::NoKeyring(why.to_string()),
        other => VaultError::NoKeyring(other.to_string()),
    }
}
