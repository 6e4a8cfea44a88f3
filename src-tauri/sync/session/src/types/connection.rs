//! Defines what the UI sends and receives about a connection, without its key.

use roost_model::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::KeyLocation;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct KeyStatus {
    pub at: Option<KeyLocation>,
    /// Dots and the end of a long key, only while it is unlocked.
    pub masked: Option<String>,
    /// Whether the key can be used without asking the user.
    pub is_unlocked: bool,
}

/// The path of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OperationPath {
    pub operation: String,
    /// The default path of the interface.
    pub usual: String,
    /// The path at this service.
    pub path: String,
}

/// A fact about the service where the interface leaves it open.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CapabilityStatus {
    pub flag: String,
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub value: Value,
    /// A description of how the fact was found out.
    pub how: String,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Connection {
    pub name: String,
    pub base_url: String,
    pub header: String,
    /// Whether the file was copied from another account and no person has confirmed yet that this one works with the
    /// service too.
    pub is_copy: bool,
    pub key: KeyStatus,
    pub read_only: bool,
    pub plain_http: bool,
    pub calls_per_second: u32,
    /// The limit of all operations together, or `null` if each has its own alone.
    pub together: Option<u32>,
    pub paths: Vec<OperationPath>,
    pub capabilities: Vec<CapabilityStatus>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct KeyringStatus {
    pub works: bool,
    pub why: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConnectionAnswer {
    pub connection: Option<Connection>,
    pub keyring: KeyringStatus,
    /// The address of the local server while it runs a scratch world.
    pub local_server: Option<String>,
}

/// A path that replaces the default of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PathOverride {
    pub operation: String,
    pub path: String,
}

/// The settings of a connection as the user saves them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConnectionSave {
    pub name: String,
    pub base_url: String,
    pub header: String,
    pub read_only: bool,
    pub plain_http: bool,
    pub calls_per_second: u32,
    pub together: Option<u32>,
    pub paths: Vec<PathOverride>,
}

/// The result of a test call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConnectionTest {
    pub operation: String,
    /// The number of lists in the account, if the call succeeded.
    pub lists: Option<u64>,
    /// The status of the refusal.
    pub status: Option<u16>,
    pub advice: Option<String>,
    pub ms: u64,
}
