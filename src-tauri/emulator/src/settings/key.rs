//! The keys of `auth=keys`. They are stored in memory only, and only their first characters are shown.

use std::net::IpAddr;

use roost_journal::mask::masked_prefix;
use roost_wire::Group;
use serde::Deserialize;
use serde_json::{Value, json};

/// A key of `auth=keys` with its permissions.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    pub value: String,
    pub enabled: bool,
    pub permissions: Vec<Group>,
    /// The addresses that may use the key; `None` allows every address.
    pub addresses: Option<Vec<IpAddr>>,
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Key({})", masked_prefix(&self.value))
    }
}

impl ApiKey {
    /// Creates an enabled key with every permission, valid from every address.
    pub fn with_all_permissions(value: String) -> Self {
        Self { value, enabled: true, permissions: Group::ALL.to_vec(), addresses: None }
    }

    /// Returns the key as JSON, with a masked value.
    pub fn to_json(&self) -> Value {
        json!({
            "value": masked_prefix(&self.value),
            "enabled": self.enabled,
            "permissions": self.permissions.iter().map(|g| g.as_str()).collect::<Vec<_>>(),
            "addresses": self.addresses,
        })
    }
}

/// A key as it is written in a JSON array.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenKey {
    value: String,
    #[serde(default = "yes")]
    enabled: bool,
    permissions: Option<Vec<String>>,
    addresses: Option<Vec<IpAddr>>,
}

fn yes() -> bool {
    true
}

/// Parses keys separated by commas, or a JSON array of keys, each plain or with its permissions.
pub(super) fn parse_keys(text: &str) -> Result<Vec<ApiKey>, String> {
    if text.starts_with('{') {
        return Err("write keys with permissions as a JSON array".to_owned());
    }
    if !text.starts_with('[') {
        let plain = text.split(',').map(str::trim).filter(|key| !key.is_empty());
        return plain.map(|value| to_api_key(GivenKey::from_value(value))).collect();
    }
    let given: Vec<Value> =
        serde_json::from_str(text).map_err(|e| format!("line {} column {}", e.line(), e.column()))?;
    given.into_iter().enumerate().map(|(at, given)| to_api_key(parse_entry(at, given)?)).collect()
}

fn parse_entry(at: usize, given: Value) -> Result<GivenKey, String> {
    match given {
        Value::String(value) => Ok(GivenKey::from_value(&value)),
        // The error does not quote the input, which may contain the key.
        given => serde_json::from_value(given)
            .map_err(|_| format!("entry {at} must be a key or an object {{value, enabled, permissions, addresses}}")),
    }
}

impl GivenKey {
    fn from_value(value: &str) -> Self {
        Self { value: value.to_owned(), enabled: true, permissions: None, addresses: None }
    }
}

fn to_api_key(given: GivenKey) -> Result<ApiKey, String> {
    let value = given.value.trim().to_owned();
    if value.is_empty() {
        return Err("a key is blank".to_owned());
    }
    let permissions = match given.permissions {
        None => Group::ALL.to_vec(),
        Some(names) => names
            .iter()
            .map(|name| {
                Group::parse(name).ok_or_else(|| {
                    format!(
                        "unknown permission '{name}'; expected senders, lists, contacts, optouts \
                     or shortlinks"
                    )
                })
            })
            .collect::<Result<_, _>>()?,
    };
    Ok(ApiKey { value, enabled: given.enabled, permissions, addresses: given.addresses })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_plain_or_carry_rights() {
        let plain = parse_keys(" one,, two ").expect("fine");
        assert_eq!(plain.iter().map(|k| k.value.as_str()).collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(plain[0].permissions, Group::ALL);
        let full =
            parse_keys(r#"[{"value":"k","enabled":false,"permissions":["lists"],"addresses":["127.0.0.1","::1"]}]"#)
                .expect("fine");
        assert_eq!((full[0].enabled, full[0].permissions.as_slice()), (false, [Group::Lists].as_slice()));
        let mixed = parse_keys(r#"["one, two",{"value":"three","permissions":[]}]"#).expect("fine");
        assert_eq!(
            mixed.iter().map(|k| (k.value.as_str(), k.permissions.len())).collect::<Vec<_>>(),
            [("one, two", 5), ("three", 0)]
        );
        for bad in [
            "[",
            "[1]",
            r#"{"value":"k"}"#,
            r#"["k", ""]"#,
            r#"[{"value":" "}]"#,
            r#"[{"value":"k","permissions":["all"]}]"#,
            r#"[{"value":"k","addresses":["here"]}]"#,
            r#"[{"key":"k"}]"#,
        ] {
            assert!(parse_keys(bad).is_err(), "{bad}");
        }
        assert!(!format!("{plain:?}").contains("one"), "{plain:?}");
    }
}
