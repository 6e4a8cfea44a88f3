//! Stores a key in a file that is sealed with a passphrase: Argon2id derives a key from the passphrase, and
//! XChaCha20-Poly1305 seals with it.
//!
//! The file holds `ROOSTKEY`, version, memory in KiB, passes, lanes (each four bytes, little-endian), salt, nonce, and
//! the sealed text. Everything before the sealed text is authenticated with it.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305,
    aead::{Aead as _, Payload},
};
use rand::TryRngCore as _;
use roost_store::files::whole_file::{self, Durability};
use zeroize::Zeroizing;

use super::{KeyVault, Secret, VaultError};

pub const SHORTEST_PASSPHRASE: usize = 10;

const MAGIC: &[u8; 8] = b"ROOSTKEY";
const VERSION: u32 = 1;
const SALT_BYTES: usize = 16;
const NONCE_BYTES: usize = 24;
const HEAD_BYTES: usize = MAGIC.len() + 4 * 4 + SALT_BYTES + NONCE_BYTES;
/// More than any key needs. Longer files are not sealed keys.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// The cost of one guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DerivationCost {
    memory: u32,
    passes: u32,
    lanes: u32,
}

/// The second recommended option of RFC 9106, for computers with less memory than the first requires.
const DEFAULT_COST: DerivationCost = DerivationCost { memory: 64 * 1024, passes: 3, lanes: 4 };
/// The highest cost that a file may ask for, so that no file can keep this computer busy forever.
const MAX_COST: DerivationCost = DerivationCost { memory: 1024 * 1024, passes: 16, lanes: 16 };

/// A key in a sealed file.
pub struct SealedVault {
    path: PathBuf,
    passphrase: Secret,
}

impl SealedVault {
    pub fn new(path: impl Into<PathBuf>, passphrase: Secret) -> Self {
        Self { path: path.into(), passphrase }
    }

    fn file_error(&self, source: io::Error) -> VaultError {
        VaultError::File { path: self.path.clone(), source }
    }

    fn derive_cipher(&self, cost: DerivationCost, salt: &[u8]) -> Option<XChaCha20Poly1305> {
        let params = Params::new(cost.memory, cost.passes, cost.lanes, None).ok()?;
        let mut key = Zeroizing::new([0; 32]);
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        argon.hash_password_into(self.passphrase.expose().as_bytes(), salt, key.as_mut()).ok()?;
        Some(XChaCha20Poly1305::new((&*key).into()))
    }

    fn seal_key(&self, key: &Secret, cost: DerivationCost) -> Option<Vec<u8>> {
        let mut file = MAGIC.to_vec();
        for number in [VERSION, cost.memory, cost.passes, cost.lanes] {
            file.extend_from_slice(&number.to_le_bytes());
        }
        let mut random = [0; SALT_BYTES + NONCE_BYTES];
        rand::rngs::OsRng.try_fill_bytes(&mut random).ok()?;
        file.extend_from_slice(&random);
        let (salt, nonce) = random.split_at(SALT_BYTES);
        let payload = Payload { msg: key.expose().as_bytes(), aad: &file };
        let sealed = self.derive_cipher(cost, salt)?.encrypt(nonce.try_into().ok()?, payload).ok()?;
        file.extend_from_slice(&sealed);
        Some(file)
    }

    /// Returns the key from the bytes of a sealed file. Fails if they are not a sealed key, if opening them costs too
    /// much, or if the passphrase is wrong.
    fn open_key(&self, file: &[u8]) -> Result<Secret, VaultError> {
        let not_ours = || VaultError::NoSealedKey(self.path.clone());
        let (head, sealed) = file.split_at_checked(HEAD_BYTES).ok_or_else(not_ours)?;
        let rest = head.strip_prefix(MAGIC).ok_or_else(not_ours)?;
        let (numbers, random) = rest.split_at(4 * 4);
        let mut numbers = numbers.chunks_exact(4).map(|four| four.try_into().map_or(0, u32::from_le_bytes));
        let mut next = || numbers.next().unwrap_or_default();
        let (version, cost) = (next(), DerivationCost { memory: next(), passes: next(), lanes: next() });
        let dear = cost.memory > MAX_COST.memory || cost.passes > MAX_COST.passes || cost.lanes > MAX_COST.lanes;
        if version != VERSION || dear {
            return Err(not_ours());
        }
        let (salt, nonce) = random.split_at(SALT_BYTES);
        let cipher = self.derive_cipher(cost, salt).ok_or(VaultError::CannotSeal)?;
        let nonce = nonce.try_into().map_err(|_| not_ours())?;
        let opened = cipher.decrypt(nonce, Payload { msg: sealed, aad: head });
        let opened = opened.map_err(|_| VaultError::WrongPassphrase)?;
        let text = String::from_utf8(opened).map_err(|_| not_ours())?;
        Ok(Secret::new(text))
    }
}

impl KeyVault for SealedVault {
    fn get(&self) -> Result<Option<Secret>, VaultError> {
        match fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.file_error(error)),
            Ok(found) if found.len() > MAX_FILE_BYTES => return Err(VaultError::NoSealedKey(self.path.clone())),
            Ok(_) => {}
        }
        let file = fs::read(&self.path).map_err(|error| self.file_error(error))?;
        self.open_key(&file).map(Some)
    }

    fn set(&self, key: &Secret) -> Result<(), VaultError> {
        if self.passphrase.expose().chars().count() < SHORTEST_PASSPHRASE {
            return Err(VaultError::ShortPassphrase);
        }
        let file = self.seal_key(key, DEFAULT_COST).ok_or(VaultError::CannotSeal)?;
        write_whole(&self.path, &file).map_err(|error| self.file_error(error))
    }

    fn forget(&self) -> Result<(), VaultError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.file_error(error)),
            _ => Ok(()),
        }
    }
}

fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = whole_file::create_beside(path)?;
    file.write_all(bytes)?;
    whole_file::rename_over(file, path, Durability::Durable)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHEAP_COST: DerivationCost = DerivationCost { memory: 64, passes: 1, lanes: 1 };

    fn build_vault(folder: &tempfile::TempDir, passphrase: &str) -> SealedVault {
        SealedVault::new(folder.path().join("a.key"), Secret::new(passphrase))
    }

    #[test]
    fn a_key_comes_back_with_its_passphrase_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let vault = build_vault(&folder, "correct horse");
        assert!(vault.get().expect("no file").is_none());
        let key = Secret::new("key-0123456789");
        vault.set(&key).expect("sealed");
        assert!(vault.get().expect("opened") == Some(key));
        let other = build_vault(&folder, "correct house");
        assert!(matches!(other.get().map(|_| ()), Err(VaultError::WrongPassphrase)));
        let names: Vec<_> =
            fs::read_dir(folder.path()).expect("a folder").map(|file| file.expect("file").path()).collect();
        assert_eq!(names, [folder.path().join("a.key")], "nothing is left beside it");
        let written = fs::read(&names[0]).expect("the file");
        assert!(!written.windows(8).any(|eight| b"key-0123456789".windows(8).any(|part| part == eight)));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&names[0]).expect("there").permissions().mode() & 0o777, 0o600);
        }
        vault.forget().expect("gone");
        vault.forget().expect("gone already");
        assert!(vault.get().expect("no file").is_none());
    }

    #[test]
    fn every_changed_byte_is_noticed_and_no_file_makes_us_work_for_long() {
        let folder = tempfile::tempdir().expect("a folder");
        let vault = build_vault(&folder, "correct horse");
        let file = vault.seal_key(&Secret::new("a key"), CHEAP_COST).expect("sealed");
        assert!(vault.open_key(&file).is_ok_and(|key| key.expose() == "a key"));
        // Bytes 12..24 hold the cost. They are left out here, because a changed cost may be allowed but slow. The next
        // assertion shows that a cost above the limit is refused.
        for at in (0..12).chain(24..file.len()) {
            let mut changed = file.clone();
            changed[at] ^= 1;
            assert!(vault.open_key(&changed).is_err(), "byte {at}");
        }
        let mut dear = file.clone();
        dear[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(matches!(vault.open_key(&dear).map(|_| ()), Err(VaultError::NoSealedKey(_))));
        for end in 0..file.len() {
            assert!(vault.open_key(&file[..end]).is_err(), "{end} bytes");
        }
    }

    #[test]
    fn a_short_passphrase_seals_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = build_vault(&folder, "short").set(&Secret::new("a key"));
        assert!(matches!(refused, Err(VaultError::ShortPassphrase)));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
