//! The admin tokens: one for the whole server, and one for each created world.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
};

use rand::RngCore;

use super::{KeyFingerprints, is_same_secret};
use crate::access::WorldId;

/// What a token gives access to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenScope {
    /// The server and all its worlds.
    Host,
    /// One world.
    World(WorldId),
}

/// The admin tokens of a server.
pub(crate) struct AdminTokens {
    host: String,
    prints: KeyFingerprints,
    /// The tokens of worlds by their fingerprints, because a server may have thousands of them.
    scoped: RwLock<HashMap<u64, (String, WorldId)>>,
}

impl AdminTokens {
    pub(crate) fn new(host: String) -> Self {
        Self { host, prints: KeyFingerprints::default(), scoped: RwLock::default() }
    }

    /// Returns what a token gives access to, or `None` if it is not a token of this server.
    pub(crate) fn find_scope(&self, given: &[u8]) -> Option<TokenScope> {
        if is_same_secret(given, self.host.as_bytes()) {
            return Some(TokenScope::Host);
        }
        // The seed of the fingerprints is secret, so the response time does not reveal which token was close.
        let scoped = self.scoped.read().unwrap_or_else(PoisonError::into_inner);
        let (token, world) = scoped.get(&self.prints.fingerprint(given))?;
        is_same_secret(given, token.as_bytes()).then(|| TokenScope::World(world.clone()))
    }

    /// Creates a token for one world.
    pub(crate) fn add_world_token(&self, world: WorldId) -> String {
        let token = new_secret();
        let print = self.prints.fingerprint(token.as_bytes());
        self.scoped.write().unwrap_or_else(PoisonError::into_inner).insert(print, (token.clone(), world));
        token
    }

    /// Revokes a token.
    pub(crate) fn revoke_token(&self, token: &str) {
        self.scoped.write().unwrap_or_else(PoisonError::into_inner).retain(|_, (known, _)| known != token);
    }

    /// Revokes all tokens of a world.
    pub(crate) fn revoke_world_tokens(&self, world: &WorldId) {
        self.scoped.write().unwrap_or_else(PoisonError::into_inner).retain(|_, (_, owner)| owner != world);
    }
}

/// Creates a secret of thirty-two random bytes in hex.
#[expect(clippy::disallowed_methods, reason = "a secret must not be reproducible, even with a seeded context")]
pub(crate) fn new_secret() -> String {
    let mut bytes = [0; 32];
    rand::rng().fill_bytes(&mut bytes);
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_good_for_what_it_was_made_for() {
        let tokens = AdminTokens::new("0123456789abcdef".to_owned());
        let (a, b) = (WorldId::parse("a").expect("a name"), WorldId::parse("b").expect("a name"));
        let (of_a, of_b) = (tokens.add_world_token(a.clone()), tokens.add_world_token(b.clone()));
        assert_eq!(tokens.find_scope(b"0123456789abcdef"), Some(TokenScope::Host));
        assert_eq!(tokens.find_scope(of_a.as_bytes()), Some(TokenScope::World(a.clone())));
        assert_eq!(tokens.find_scope(of_b.as_bytes()), Some(TokenScope::World(b)));
        tokens.revoke_world_tokens(&a);
        for none in [of_a.as_bytes(), b"", b"0123456789abcde", &of_b.as_bytes()[..63]] {
            assert_eq!(tokens.find_scope(none), None);
        }
    }
}
