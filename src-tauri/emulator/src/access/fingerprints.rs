//! Fingerprints by which texts are recognised without being stored.

use std::hash::{BuildHasher, RandomState};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Computes fingerprints of texts with a salt.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct KeyFingerprints(u64);

impl Default for KeyFingerprints {
    fn default() -> Self {
        // Limited to the 53 bits that every JSON reader preserves.
        Self(RandomState::new().hash_one(0) >> 11)
    }
}

impl KeyFingerprints {
    pub(crate) fn fingerprint(self, text: &[u8]) -> u64 {
        let digest = Sha256::new().chain_update(self.0.to_be_bytes()).chain_update(text).finalize();
        digest.iter().take(8).fold(0, |print, byte| (print << 8) | u64::from(*byte))
    }
}
