//! Checks the key of a request: whether it is present, known and permitted.

use std::{borrow::Cow, net::IpAddr};

use axum::http::HeaderMap;
use roost_wire::{Group, Operation, RestError};

use crate::{
    journal::{Check, Why},
    settings::{Auth, Settings},
};

pub const KEY_HEADER: &str = "x-auth-key";

/// The key of a caller, which decides whose rate lanes a request uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller<'a>(pub &'a [u8]);

/// The reason why a key is refused. Callers learn less about it than the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFault {
    Missing,
    Unknown,
    Disabled,
    Place(IpAddr),
    Permission(Group),
}

impl KeyFault {
    pub fn refusal(self) -> RestError {
        match self {
            Self::Missing | Self::Unknown | Self::Disabled => RestError::Unauthorized,
            Self::Place(_) | Self::Permission(_) => RestError::Forbidden,
        }
    }
}

impl From<KeyFault> for Why {
    fn from(fault: KeyFault) -> Self {
        let words = match fault {
            KeyFault::Missing => "The X-AUTH-KEY header is missing or blank.".into(),
            KeyFault::Unknown => "The key is not one of this server's keys.".into(),
            KeyFault::Disabled => "The key is known but disabled.".into(),
            KeyFault::Place(peer) => Cow::from(format!("The key cannot be used from {peer}.")),
            KeyFault::Permission(group) => format!("The key does not have the {} permission.", group.as_str()).into(),
        };
        Self::new(Check::Key, words)
    }
}

/// Checks the key of a request and returns it. If several keys are sent, only the first counts.
pub fn admit<'a>(
    settings: &Settings,
    headers: &'a HeaderMap,
    peer: IpAddr,
    operation: &Operation,
) -> Result<Caller<'a>, KeyFault> {
    if settings.auth == Auth::Off {
        return Ok(Caller(b""));
    }
    let given = headers.get(KEY_HEADER).map(|value| value.as_bytes().trim_ascii()).unwrap_or_default();
    if given.is_empty() {
        return Err(KeyFault::Missing);
    }
    if settings.auth == Auth::Keys {
        // Compares every key, so that the response time does not reveal which one was close.
        let matching = |found, key| if same_secret(given, key_bytes(key)) { Some(key) } else { found };
        let key = settings.keys.iter().fold(None, matching).ok_or(KeyFault::Unknown)?;
        if !key.enabled {
            return Err(KeyFault::Disabled);
        }
        if !key.addresses.as_ref().is_none_or(|known| known.contains(&peer.to_canonical())) {
            return Err(KeyFault::Place(peer));
        }
        if !key.permissions.contains(&operation.group) {
            return Err(KeyFault::Permission(operation.group));
        }
    }
    Ok(Caller(given))
}

fn key_bytes(key: &crate::settings::Key) -> &[u8] {
    key.value.as_bytes()
}

/// Compares two secrets without stopping at the first difference.
pub fn same_secret(a: &[u8], b: &[u8]) -> bool {
    let differing = a.iter().zip(b).fold(0, |differing, (x, y)| std::hint::black_box(differing | (x ^ y)));
    a.len() == b.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use roost_wire::OperationId;

    use super::*;

    fn headers(keys: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for key in keys {
            headers.append("X-AUTH-KEY", HeaderValue::from_bytes(key.as_bytes()).expect("a value"));
        }
        headers
    }

    fn admitted(settings: &Settings, keys: &[&str], id: OperationId) -> Result<Vec<u8>, u16> {
        let peer = IpAddr::from([127, 0, 0, 1]);
        admit(settings, &headers(keys), peer, id.operation())
            .map(|c| c.0.to_vec())
            .map_err(|fault| fault.refusal().status())
    }

    #[test]
    fn any_wants_a_key_and_off_wants_none() {
        let any = Settings::default();
        assert_eq!(admitted(&any, &[], OperationId::ListsQuery), Err(401));
        assert_eq!(admitted(&any, &["  "], OperationId::ListsQuery), Err(401));
        assert_eq!(admitted(&any, &[" k ", "other"], OperationId::ListsQuery), Ok(b"k".to_vec()));
        let off = Settings { auth: Auth::Off, ..Settings::default() };
        assert_eq!(admitted(&off, &["k"], OperationId::ListsQuery), Ok(Vec::new()));
    }

    #[test]
    fn keys_are_known_enabled_permitted_and_used_from_their_place() {
        let mut settings = Settings { auth: Auth::Keys, ..Settings::default() };
        let keys = r#"[{"value":"full"},{"value":"off","enabled":false},{"value":"lists","permissions":["lists"]},
            {"value":"far","addresses":["192.0.2.1"]},{"value":"near","addresses":["127.0.0.1"]}]"#;
        settings.set("auth.keys", keys).expect("fine");
        for (key, id, want) in [
            ("full", OperationId::SendersQuery, None),
            ("ful", OperationId::SendersQuery, Some(401)),
            ("off", OperationId::SendersQuery, Some(401)),
            ("lists", OperationId::ListsCreate, None),
            ("lists", OperationId::ContactsQuery, Some(403)),
            ("far", OperationId::ListsQuery, Some(403)),
            ("near", OperationId::ListsQuery, None),
        ] {
            assert_eq!(admitted(&settings, &[key], id).err(), want, "{key}");
        }
    }

    #[test]
    fn secrets_are_the_same_only_whole() {
        assert!(same_secret(b"abc", b"abc"));
        for (a, b) in [("abc", "abd"), ("abc", "ab"), ("", "a")] {
            assert!(!same_secret(a.as_bytes(), b.as_bytes()));
        }
    }
}
