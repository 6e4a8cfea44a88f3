//! A connection as it is shown, without its key.

use roost_model::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where a key is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum KeyKept {
    Keyring,
    /// A file beside the account that a passphrase seals.
    Sealed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct KeyShown {
    pub at: Option<KeyKept>,
    /// Dots, and the end of a long one; only while it is unlocked.
    pub masked: Option<String>,
    /// It can be used without asking anybody.
    pub is_unlocked: bool,
}

/// Where an operation is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PathShown {
    pub operation: String,
    /// As the interface has it.
    pub usual: String,
    /// As this service has it.
    pub path: String,
}

/// What is known of a service beyond the interface's words.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CapabilityShown {
    pub flag: String,
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub value: Value,
    /// How it was found out.
    pub how: String,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Connection {
    pub name: String,
    pub base_url: String,
    pub header: String,
    /// The file was copied from another account, and nobody has said yet that this one works with the service, too.
    pub is_copy: bool,
    pub key: KeyShown,
    pub read_only: bool,
    pub plain_http: bool,
    pub calls_per_second: u32,
    /// Of all operations together; none: each for itself.
    pub together: Option<u32>,
    pub paths: Vec<PathShown>,
    pub capabilities: Vec<CapabilityShown>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct KeyringShown {
    pub works: bool,
    pub why: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConnectionAnswer {
    pub connection: Option<Connection>,
    pub keyring: KeyringShown,
    /// The address of the local server while it runs on a scratch world.
    pub local_server: Option<String>,
}

/// Another path for an operation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PathWanted {
    pub operation: String,
    pub path: String,
}

/// What a person says of a connection.
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
    pub paths: Vec<PathWanted>,
}

/// What a test call brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Tested {
    pub operation: String,
    /// Lists the account there has, when it answered.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub lists: Option<u64>,
    /// Of the answer that said no.
    pub status: Option<u16>,
    pub advice: Option<String>,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub ms: u64,
}
