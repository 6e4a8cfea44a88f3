//! Stores the key of a connection in the system's keyring or in a file that is sealed with a passphrase. The file is
//! used only if the user chooses it, and there is no third place.

mod keyring;
mod sealed;
mod secret;

use std::{io, path::PathBuf};

pub use self::{
    keyring::KeyringVault,
    sealed::{SHORTEST_PASSPHRASE, SealedVault},
    secret::Secret,
};

/// Stores one key. Calls may block until the user has answered a question of the system.
pub trait KeyVault: Send + Sync {
    fn get(&self) -> Result<Option<Secret>, VaultError>;
    fn set(&self, key: &Secret) -> Result<(), VaultError>;
    fn forget(&self) -> Result<(), VaultError>;
}

/// The source of keyrings: the system, or a test.
pub trait KeyringSource: Send + Sync {
    /// Returns the vault for the key of one connection.
    fn vault_for(&self, connection: &str) -> Box<dyn KeyVault>;

    /// Checks that keys can be stored there.
    fn probe(&self) -> Result<(), VaultError>;
}

/// The keyring of this computer.
pub struct SystemKeyrings;

impl KeyringSource for SystemKeyrings {
    fn vault_for(&self, connection: &str) -> Box<dyn KeyVault> {
        Box::new(KeyringVault::new(connection))
    }

    fn probe(&self) -> Result<(), VaultError> {
        KeyringVault::probe()
    }
}

/// The text that a person reads before a file is sealed instead of using a keyring.
pub const SEALED_FILE_NOTICE: &str = "This computer has no keyring that answers. The key can be kept in a file instead, \
    sealed with a passphrase that is asked for whenever Roost connects. Whoever has the file can try passphrases for \
    as long as they like, so choose a long one. A forgotten passphrase cannot be recovered; you must then enter \
    the key again.";

/// An error of a vault. No variant carries a secret.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    #[error(
        "The keyring does not answer. Start and unlock it before you start Roost, or keep the key in a file that a \
         passphrase seals."
    )]
    NoKeyring(String),
    #[error("The keyring is locked, or it denied access. Unlock it and try again.")]
    Locked,
    #[error("The keyring holds something else under the name of this connection. Enter the key again.")]
    NotOurs,
    #[error("A key has {0} bytes at most here. Check that the key alone was entered.")]
    TooLong(u32),
    #[error("The passphrase is wrong, or the key file was changed. Try again, or enter the key again.")]
    WrongPassphrase,
    #[error("{} is not a sealed key. Move it elsewhere, and enter the key again.", .0.display())]
    NoSealedKey(PathBuf),
    #[error("The passphrase is too short. Use at least {SHORTEST_PASSPHRASE} characters.")]
    ShortPassphrase,
    #[error("{path} cannot be used: {source}. Check the permissions of the file and its folder.", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("This computer gives no random numbers or too little memory to seal a key.")]
    CannotSeal,
}
