//! The operator's tokens: the one for everything, and one for each made world.

use std::sync::{PoisonError, RwLock};

use rand::RngCore;

use super::same_secret;
use crate::world::WorldId;

/// What a token is good for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The server and all its worlds.
    Host,
    /// One world.
    World(WorldId),
}

pub struct Tokens {
    host: String,
    scoped: RwLock<Vec<(String, WorldId)>>,
}

impl Tokens {
    pub fn new(host: String) -> Self {
        Self { host, scoped: RwLock::default() }
    }

    /// What a token is good for; nothing, when it is none of ours.
    pub fn find(&self, given: &[u8]) -> Option<Scope> {
        // All are compared, so that the time tells nothing about which one was near.
        let mut found = None;
        for (token, world) in &*self.scoped.read().unwrap_or_else(PoisonError::into_inner) {
            if same_secret(given, token.as_bytes()) {
                found = Some(Scope::World(world.clone()));
            }
        }
        if same_secret(given, self.host.as_bytes()) { Some(Scope::Host) } else { found }
    }

    /// A new token for one world.
    pub fn add(&self, world: WorldId) -> String {
        let token = secret();
        self.scoped.write().unwrap_or_else(PoisonError::into_inner).push((token.clone(), world));
        token
    }

    /// Forgets one.
    pub fn revoke(&self, token: &str) {
        self.scoped.write().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| known != token);
    }

    /// Forgets the tokens of a world.
    pub fn forget(&self, world: &WorldId) {
        self.scoped.write().unwrap_or_else(PoisonError::into_inner).retain(|(_, of)| of != world);
    }
}

/// Thirty-two random bytes in hex.
#[expect(clippy::disallowed_methods, reason = "a secret must not be reproducible, even with a seeded context")]
pub fn secret() -> String {
    let mut bytes = [0; 32];
    rand::rng().fill_bytes(&mut bytes);
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_good_for_what_it_was_made_for() {
        let tokens = Tokens::new("0123456789abcdef".to_owned());
        let (a, b) = (WorldId::parse("a").expect("a name"), WorldId::parse("b").expect("a name"));
        let (of_a, of_b) = (tokens.add(a.clone()), tokens.add(b.clone()));
        assert_eq!(tokens.find(b"0123456789abcdef"), Some(Scope::Host));
        assert_eq!(tokens.find(of_a.as_bytes()), Some(Scope::World(a.clone())));
        assert_eq!(tokens.find(of_b.as_bytes()), Some(Scope::World(b)));
        tokens.forget(&a);
        for none in [of_a.as_bytes(), b"", b"0123456789abcde", &of_b.as_bytes()[..63]] {
            assert_eq!(tokens.find(none), None);
        }
    }
}
