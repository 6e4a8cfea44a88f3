//! The admin tokens: one for the whole server, and one for each created world.

use std::sync::{PoisonError, RwLock};

use rand::RngCore;

use super::is_same_secret;
use crate::world::WorldId;

/// What a token gives access to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenScope {
    /// The server and all its worlds.
    Host,
    /// One world.
    World(WorldId),
}

/// The admin tokens of a server.
pub struct AdminTokens {
    host: String,
    scoped: RwLock<Vec<(String, WorldId)>>,
}

impl AdminTokens {
    pub fn new(host: String) -> Self {
        Self { host, scoped: RwLock::default() }
    }

    /// Returns what a token gives access to, or `None` if it is not a token of this server.
    pub fn find_scope(&self, given: &[u8]) -> Option<TokenScope> {
        // Compares every token, so that the response time does not reveal which one was close.
        let mut found = None;
        for (token, world) in &*self.scoped.read().unwrap_or_else(PoisonError::into_inner) {
            if is_same_secret(given, token.as_bytes()) {
                found = Some(TokenScope::World(world.clone()));
            }
        }
        if is_same_secret(given, self.host.as_bytes()) { Some(TokenScope::Host) } else { found }
    }

    /// Creates a token for one world.
    pub fn add_world_token(&self, world: WorldId) -> String {
        let token = new_secret();
        self.scoped.write().unwrap_or_else(PoisonError::into_inner).push((token.clone(), world));
        token
    }

    /// Revokes a token.
    pub fn revoke_token(&self, token: &str) {
        self.scoped.write().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| known != token);
    }

    /// Revokes all tokens of a world.
    pub fn revoke_world_tokens(&self, world: &WorldId) {
        self.scoped.write().unwrap_or_else(PoisonError::into_inner).retain(|(_, of)| of != world);
    }
}

/// Creates a secret of thirty-two random bytes in hex.
#[expect(clippy::disallowed_methods, reason = "a secret must not be reproducible, even with a seeded context")]
pub fn new_secret() -> String {
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
