//! Holds the settings of a connection: address, key, rate limits, and the paths of the operations.

use std::collections::BTreeMap;

use roost_outbound::KeyHeader;
use roost_reconcile::{pace::CallRate, plan::Lane};
use roost_wire::{OPERATIONS, Operation};
use url::Url;

pub const DEFAULT_HEADER: &str = "X-AUTH-KEY";

/// The reason for which a setting of a connection is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectionSettingError {
    #[error("'{0}' is not the address of a service. Enter it as https://host or http://localhost:4010.")]
    Address(String),
    #[error(
        "The address carries a name or password, and addresses are stored as they are. Leave them out; the key has a \
         field of its own."
    )]
    Credentials,
    #[error("The address ends in a query or a fragment. Enter it up to the path.")]
    Tail,
    #[error("There is no operation {0}. Choose one of the list.")]
    Operation(String),
    #[error("The path of {0} must begin with / and name {1} once.")]
    Path(&'static str, &'static str),
    #[error("The path of {0} must begin with / and name no identifier.")]
    PlainPath(&'static str),
}

/// The paths of the operations that this service has elsewhere, by lane.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperationPaths(BTreeMap<Lane, String>);

pub(super) fn find_operation(lane: Lane) -> &'static Operation {
    // The fallback keeps a build without an operation from panicking. A test ensures that every lane has one.
    OPERATIONS.iter().find(|operation| operation.name == lane.name()).unwrap_or(&OPERATIONS[0])
}

impl OperationPaths {
    /// Parses path overrides by the names of their operations.
    pub fn new<'a>(paths: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, ConnectionSettingError> {
        let mut read = BTreeMap::new();
        for (name, path) in paths {
            let lane = Lane::ALL.into_iter().find(|lane| lane.name() == name);
            let lane = lane.ok_or_else(|| ConnectionSettingError::Operation(name.to_owned()))?;
            let operation = find_operation(lane);
            match operation.parameter() {
                Some(parameter)
                    if !path.starts_with('/') || path.matches(&path_placeholder(parameter)).count() != 1 =>
                {
                    return Err(ConnectionSettingError::Path(operation.name, parameter));
                }
                None if !path.starts_with('/') || path.contains(['{', '?', '#']) => {
                    return Err(ConnectionSettingError::PlainPath(operation.name));
                }
                _ => drop(read.insert(lane, path.to_owned())),
            }
        }
        Ok(Self(read))
    }

    pub(super) fn resolve_path(&self, lane: Lane, id: &str) -> String {
        let operation = find_operation(lane);
        let path = self.0.get(&lane).map_or(operation.path, String::as_str);
        operation.parameter().map_or_else(|| path.to_owned(), |name| path.replace(&path_placeholder(name), id))
    }
}

fn path_placeholder(parameter: &str) -> String {
    format!("{{{parameter}}}")
}

/// The settings of a connection, checked and ready for a client.
#[derive(Debug, Clone)]
pub struct ConnectionSettings {
    base: String,
    pub key: Option<KeyHeader>,
    /// Whether every call that changes something is refused.
    pub read_only: bool,
    pub paths: OperationPaths,
    /// The rate limit of each operation.
    pub rate: CallRate,
    /// The shared rate limit of all operations.
    pub together: Option<CallRate>,
}

impl ConnectionSettings {
    /// Creates settings for this address with the interface's defaults.
    pub fn new(base: &str) -> Result<Self, ConnectionSettingError> {
        let url = Url::parse(base.trim()).map_err(|_| ConnectionSettingError::Address(base.to_owned()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(ConnectionSettingError::Address(base.to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ConnectionSettingError::Credentials);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(ConnectionSettingError::Tail);
        }
        let base = url.as_str().trim_end_matches('/').to_owned();
        Ok(Self {
            base,
            key: None,
            read_only: false,
            paths: OperationPaths::default(),
            rate: CallRate::default(),
            together: None,
        })
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns scheme, host and port, to which a key is bound.
    pub fn origin(&self) -> String {
        // The base was parsed from an address, so it is valid.
        Url::parse(&self.base).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_is_an_operation_of_the_table() {
        for lane in Lane::ALL {
            assert_eq!(find_operation(lane).name, lane.name());
        }
        assert_eq!(Lane::ALL.len(), OPERATIONS.len());
    }

    #[test]
    fn addresses_are_read_and_never_hold_a_secret() {
        for (given, kept) in [
            ("https://api.example/", "https://api.example"),
            (" http://localhost:4010 ", "http://localhost:4010"),
            ("https://api.example/base/", "https://api.example/base"),
        ] {
            assert_eq!(ConnectionSettings::new(given).expect(given).base(), kept);
        }
        for given in ["", "api.example", "ftp://api.example", "https://", "file:///etc/passwd"] {
            assert!(matches!(ConnectionSettings::new(given), Err(ConnectionSettingError::Address(_))), "{given}");
        }
        let with_password = ConnectionSettings::new("https://me:secret@api.example").expect_err("a password");
        assert!(!with_password.to_string().contains("secret"));
        assert!(ConnectionSettings::new("https://api.example/?key=1").is_err());
    }

    #[test]
    fn paths_may_be_elsewhere_with_the_same_holes() {
        let paths = OperationPaths::new([("lists.delete", "/v9/list/{list_uid}/gone"), ("lists.query", "/v9/lists")]);
        let paths = paths.expect("both fit");
        assert_eq!(paths.resolve_path(Lane::ListsDelete, "LST_1"), "/v9/list/LST_1/gone");
        assert_eq!(paths.resolve_path(Lane::ListsQuery, ""), "/v9/lists");
        assert_eq!(paths.resolve_path(Lane::ContactsDelete, "CON_1"), "/contacts/v1/contacts/CON_1");
        for (name, path) in [
            ("lists.delete", "/v9/list"),
            ("lists.delete", "v9/{list_uid}"),
            ("lists.query", "/v9/{list_uid}"),
            ("lists.query", "/v9?key=1"),
            ("lists.rename", "/v9"),
        ] {
            assert!(OperationPaths::new([(name, path)]).is_err(), "{name} {path}");
        }
    }
}
