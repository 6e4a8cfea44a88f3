//! Checks the key of a request: whether it is present, known and permitted.

use std::{borrow::Cow, net::IpAddr};

use axum::http::HeaderMap;
use roost_journal::{RefusalCause, RefusalCheck};
use roost_wire::{Group, Operation, RestError};

use crate::settings::{AuthSetting, Settings};

pub(crate) const KEY_HEADER: &str = "x-auth-key";

/// The key of a caller, which decides whose rate lanes a request uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallerKey<'a>(pub &'a [u8]);

/// The reason why a key is refused. Callers learn less about it than the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyError {
    Missing,
    Unknown,
    Disabled,
    Address(IpAddr),
    Permission(Group),
}

impl KeyError {
    pub fn to_rest_error(self) -> RestError {
        match self {
            Self::Missing | Self::Unknown | Self::Disabled => RestError::Unauthorized,
            Self::Address(_) | Self::Permission(_) => RestError::Forbidden,
        }
    }
}

impl From<KeyError> for RefusalCause {
    fn from(fault: KeyError) -> Self {
        let words = match fault {
            KeyError::Missing => "The X-AUTH-KEY header is missing or blank.".into(),
            KeyError::Unknown => "The key is not one of this server's keys.".into(),
            KeyError::Disabled => "The key is known but disabled.".into(),
            KeyError::Address(peer) => Cow::from(format!("The key cannot be used from {peer}.")),
            KeyError::Permission(group) => format!("The key does not have the {} permission.", group.as_str()).into(),
        };
        Self::new(RefusalCheck::Key, words)
    }
}

/// Checks the key of a request and returns it. If several keys are sent, only the first counts.
pub(crate) fn check_key<'a>(
    settings: &Settings,
    headers: &'a HeaderMap,
    peer: IpAddr,
    operation: &Operation,
) -> Result<CallerKey<'a>, KeyError> {
    if settings.auth == AuthSetting::Off {
        return Ok(CallerKey(b""));
    }
    let given = headers.get(KEY_HEADER).map(|value| value.as_bytes().trim_ascii()).unwrap_or_default();
    if given.is_empty() {
        return Err(KeyError::Missing);
    }
    if settings.auth == AuthSetting::Keys {
        // Compares every key, so that the response time does not reveal which one was close.
        let matching = |found, key| if is_same_secret(given, key_bytes(key)) { Some(key) } else { found };
        let key = settings.keys.iter().fold(None, matching).ok_or(KeyError::Unknown)?;
        if !key.enabled {
            return Err(KeyError::Disabled);
        }
        if !key.addresses.as_ref().is_none_or(|known| known.contains(&peer.to_canonical())) {
            return Err(KeyError::Address(peer));
        }
        if !key.permissions.contains(&operation.group) {
            return Err(KeyError::Permission(operation.group));
        }
    }
    Ok(CallerKey(given))
}

fn key_bytes(key: &crate::settings::ApiKey) -> &[u8] {
    key.value.as_bytes()
}

/// Compares two secrets without stopping at the first difference.
pub(super) fn is_same_secret(a: &[u8], b: &[u8]) -> bool {
    let differing = a.iter().zip(b).fold(0, |differing, (x, y)| std::hint::black_box(differing | (x ^ y)));
    a.len() == b.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use roost_wire::OperationId;

    use super::*;

    fn build_headers(keys: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for key in keys {
            headers.append("X-AUTH-KEY", HeaderValue::from_bytes(key.as_bytes()).expect("a value"));
        }
        headers
    }

    fn try_keys(settings: &Settings, keys: &[&str], id: OperationId) -> Result<Vec<u8>, u16> {
        let peer = IpAddr::from([127, 0, 0, 1]);
        check_key(settings, &build_headers(keys), peer, id.operation())
            .map(|c| c.0.to_vec())
            .map_err(|fault| fault.to_rest_error().status())
    }

    #[test]
    fn any_wants_a_key_and_off_wants_none() {
        let any = Settings::default();
        assert_eq!(try_keys(&any, &[], OperationId::ListsQuery), Err(401));
        assert_eq!(try_keys(&any, &["  "], OperationId::ListsQuery), Err(401));
        assert_eq!(try_keys(&any, &[" k ", "other"], OperationId::ListsQuery), Ok(b"k".to_vec()));
        let off = Settings { auth: AuthSetting::Off, ..Settings::default() };
        assert_eq!(try_keys(&off, &["k"], OperationId::ListsQuery), Ok(Vec::new()));
    }

    #[test]
    fn keys_are_known_enabled_permitted_and_used_from_their_place() {
        let mut settings = Settings { auth: AuthSetting::Keys, ..Settings::default() };
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
            assert_eq!(try_keys(&settings, &[key], id).err(), want, "{key}");
        }
    }

    #[test]
    fn secrets_are_the_same_only_whole() {
        assert!(is_same_secret(b"abc", b"abc"));
        for (a, b) in [("abc", "abd"), ("abc", "ab"), ("", "a")] {
            assert!(!is_same_secret(a.as_bytes(), b.as_bytes()));
        }
    }
}
