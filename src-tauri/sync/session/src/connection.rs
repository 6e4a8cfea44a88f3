//! Manages the connection: its settings, and the client made from them.

use std::sync::{Arc, atomic::Ordering};

use roost_model::time::Timestamp;
use roost_ops::Error;
use roost_outbound::{KeyHeader, ServiceClient};
use roost_reconcile::{input::ServiceSpeed, pace::CallRate};
use roost_store::tables::{
    settings,
    sync::connection::{self, ServiceConnection},
};
use roost_sync::{
    account::{StoredCapabilities, StoredCapability, identity},
    probe::{self, ProbeFinding},
    remote::{Client, ConnectionSettingError, ConnectionSettings, OperationPaths},
    vault::Secret,
};
use roost_wire::OPERATIONS;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::{
    CapabilityStatus, Connection, ConnectionAnswer, ConnectionSave, ConnectionTest, KeyringStatus, OperationPath,
    Session, SessionError, SessionResult, copy, sync_status::PULLED_SETTING,
};

/// The most calls a second of one operation. The limit of the service is ten.
const FASTEST: u32 = 9;
const TOGETHER: std::ops::RangeInclusive<u32> = 2..=160;
const NAME_MAX: usize = 100;

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(default)]
struct StoredRates {
    calls_per_second: u32,
    together: Option<u32>,
}

impl Default for StoredRates {
    fn default() -> Self {
        Self { calls_per_second: FASTEST, together: None }
    }
}

fn parse_or_default<T: for<'de> Deserialize<'de> + Default>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "{}".to_owned())
}

impl Session {
    pub(super) fn read_connection(&self) -> SessionResult<ServiceConnection> {
        self.read(|tx| Ok(connection::get(tx)?))?.ok_or(SessionError::NotConnected)
    }

    /// Returns the connection without its key.
    pub fn describe_connection(&self) -> SessionResult<ConnectionAnswer> {
        let known = self.read(|tx| Ok(connection::get(tx)?))?;
        let keyring = self.keyring_status();
        let connection = known.map(|known| self.to_connection(known)).transpose()?;
        Ok(ConnectionAnswer { connection, keyring, local_server: None })
    }

    /// Returns whether the keyring works. A success is cached, because the check may ask the user; a failure is checked
    /// again.
    fn keyring_status(&self) -> KeyringStatus {
        if self.state().keyring_works {
            return KeyringStatus { works: true, why: None };
        }
        match self.inner.keyrings.probe() {
            Ok(()) => {
                self.state().keyring_works = true;
                KeyringStatus { works: true, why: None }
            }
            Err(why) => KeyringStatus { works: false, why: Some(why.to_string()) },
        }
    }

    fn to_connection(&self, known: ServiceConnection) -> SessionResult<Connection> {
        let rates: StoredRates = parse_or_default(&known.rates);
        let paths: Map<String, Value> = parse_or_default(&known.paths);
        let path = |name: &str, usual: &str| paths.get(name).and_then(Value::as_str).unwrap_or(usual).to_owned();
        let abilities = StoredCapabilities::parse(&known.capabilities);
        Ok(Connection {
            is_copy: self.is_copy()?,
            key: self.key_status(&known),
            name: known.name,
            base_url: known.base_url,
            header: known.header,
            read_only: known.read_only,
            plain_http: known.plain_http,
            calls_per_second: rates.calls_per_second,
            together: rates.together,
            paths: OPERATIONS
                .iter()
                .map(|one| OperationPath {
                    operation: one.name.to_owned(),
                    usual: one.path.to_owned(),
                    path: path(one.name, one.path),
                })
                .collect(),
            capabilities: abilities.found.into_iter().map(to_capability).collect(),
        })
    }

    /// Connects the account or changes its connection. The first connection counts every local record as created
    /// locally.
    pub fn connect(&self, wanted: &ConnectionSave) -> SessionResult<()> {
        let before = self.read(|tx| Ok(connection::get(tx)?))?;
        let overridden: Map<String, Value> = wanted
            .paths
            .iter()
            .filter(|one| OPERATIONS.iter().all(|known| known.name != one.operation || known.path != one.path))
            .map(|one| (one.operation.clone(), Value::from(one.path.clone())))
            .collect();
        let rates = StoredRates { calls_per_second: wanted.calls_per_second, together: wanted.together };
        let text = || "{}".to_owned();
        let uid = || self.inner.core.ctx().trace_id();
        let known = ServiceConnection {
            uid: before.as_ref().map_or_else(uid, |before| before.uid.clone()),
            name: wanted.name.trim().to_owned(),
            base_url: wanted.base_url.trim().to_owned(),
            header: wanted.header.trim().to_owned(),
            key_at: before.as_ref().and_then(|before| before.key_at),
            read_only: wanted.read_only,
            plain_http: wanted.plain_http,
            paths: to_json(&overridden),
            rates: to_json(&rates),
            capabilities: before.as_ref().map_or_else(text, |before| before.capabilities.clone()),
            learnt: before.as_ref().map_or_else(text, |before| before.learnt.clone()),
        };
        check_settings(&known, rates)?;
        self.check_idle()?;
        // A key that was entered for one address is never sent to another.
        let is_elsewhere =
            before.as_ref().and_then(|before| connection_origin(before).ok()) != Some(connection_origin(&known)?);
        if is_elsewhere {
            self.use_key(None);
        }
        self.inner.core.write_quietly(|tx| {
            if is_elsewhere {
                settings::set(tx, PULLED_SETTING, "")?;
                if let Some(before) = &before {
                    identity::change_address(tx, &before.base_url, &known.base_url)?;
                }
            }
            connection::set(tx, &known)?;
            copy::confirm_connection(tx, &known, self.inner.path.as_deref())
        })?;
        self.inner.is_connected.store(true, Ordering::Release);
        self.announce_change();
        Ok(())
    }

    /// Disconnects the account and removes its key.
    pub fn disconnect(&self) -> SessionResult<()> {
        let known = self.read_connection()?;
        self.check_idle()?;
        // A keyring that no longer responds must not prevent disconnecting.
        if let Err(why) = self.remove_stored_key(&known) {
            tracing::warn!(%why, "the key could not be taken from where it is kept");
        }
        self.inner.core.write_quietly(|tx| {
            settings::set(tx, PULLED_SETTING, "")?;
            Ok(connection::forget_connection(tx)?)
        })?;
        self.inner.is_connected.store(false, Ordering::Release);
        let mut state = self.state();
        (state.key, state.client, state.failed, state.settled) = (None, None, None, None);
        drop(state);
        self.announce_change();
        Ok(())
    }

    /// Returns the client of the stored connection, which is cached.
    pub(super) fn client(&self) -> SessionResult<Arc<Client>> {
        let known = self.read_connection()?;
        self.check_not_copy()?;
        let key = self.read_key(&known)?;
        // Capabilities and speed change meanwhile without making it another connection.
        let same = ServiceConnection { capabilities: String::new(), learnt: String::new(), ..known.clone() };
        let mut state = self.state();
        if let Some((made_for, client)) = &state.client
            && *made_for == same
        {
            return Ok(Arc::clone(client));
        }
        let settings = build_settings(&known, key.as_ref())?;
        let learnt: ServiceSpeed = parse_or_default(&known.learnt);
        let line = Arc::new(ServiceClient::new(known.plain_http));
        let client = Client::new(line, settings).with_starting_rate(learnt.calls_per_second);
        let client = Arc::new(client);
        state.client = Some((same, Arc::clone(&client)));
        Ok(client)
    }

    /// Makes one call that changes nothing, and blocks until it is answered.
    pub fn test_connection(&self) -> SessionResult<ConnectionTest> {
        let client = self.client()?;
        let (tested, ms) = self.wait_for(async move {
            let began = Instant::now();
            let tested = probe::test_connection(&client).await;
            (tested, u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX))
        })?;
        let probe::TestResult { operation, lists, status, advice } = tested;
        Ok(ConnectionTest { operation: operation.to_owned(), lists, status, advice, ms })
    }

    /// Stores what was found out about the service, and updates the capabilities that a plan relies on.
    pub fn store_findings(&self, found: &[ProbeFinding]) -> SessionResult<()> {
        let now = self.inner.core.ctx().now();
        self.inner.core.write_quietly(|tx| Ok::<_, Error>(probe::store_findings(tx, found, now)?))?;
        self.announce_change();
        Ok(())
    }
}

fn to_capability(StoredCapability { flag, value, how, at }: StoredCapability) -> CapabilityStatus {
    CapabilityStatus { flag, value, how, at: Timestamp::from_unix(at) }
}

fn check_settings(known: &ServiceConnection, rates: StoredRates) -> SessionResult<()> {
    if known.name.is_empty() || known.name.chars().count() > NAME_MAX {
        let message = format!("A connection has a name of 1 to {NAME_MAX} characters.");
        return Err(SessionError::invalid_field("name", message, known.name.as_str()));
    }
    if !(1..=FASTEST).contains(&rates.calls_per_second) {
        let message = format!("An operation is called 1 to {FASTEST} times a second.");
        return Err(SessionError::invalid_field("calls_per_second", message, rates.calls_per_second));
    }
    if let Some(together) = rates.together.filter(|together| !TOGETHER.contains(together)) {
        let message =
            format!("All operations together: {} to {} calls a second, or no limit.", TOGETHER.start(), TOGETHER.end());
        return Err(SessionError::invalid_field("together", message, together));
    }
    KeyHeader::new(&known.header, "")
        .map_err(|why| SessionError::invalid_field("header", why, known.header.as_str()))?;
    build_settings(known, None).map(drop)
}

pub(super) fn build_settings(known: &ServiceConnection, key: Option<&Secret>) -> SessionResult<ConnectionSettings> {
    let mut settings = ConnectionSettings::new(&known.base_url).map_err(|why| to_field_error("base_url", &why))?;
    let paths: Map<String, Value> = parse_or_default(&known.paths);
    let paths = paths.iter().filter_map(|(name, path)| Some((name.as_str(), path.as_str()?)));
    settings.paths = OperationPaths::new(paths).map_err(|why| to_field_error("paths", &why))?;
    settings.read_only = known.read_only;
    let rates: StoredRates = parse_or_default(&known.rates);
    settings.rate = CallRate::new(rates.calls_per_second + 1, 1);
    settings.together = rates.together.map(|most| CallRate::new(most, (most / 4).clamp(1, 8)));
    settings.key = match key {
        Some(key) => Some(
            KeyHeader::new(&known.header, key.expose())
                .map_err(|why| SessionError::invalid_field("key", why, serde_json::Value::Null))?,
        ),
        None => None,
    };
    Ok(settings)
}

pub(super) fn connection_origin(known: &ServiceConnection) -> SessionResult<String> {
    Ok(build_settings(known, None)?.origin())
}

/// Reports an error at the field that it concerns: a path belongs to its operation.
fn to_field_error(field: &str, why: &ConnectionSettingError) -> SessionError {
    let path = match why {
        ConnectionSettingError::Operation(name) => format!("{field}.{name}"),
        ConnectionSettingError::Path(name, _) | ConnectionSettingError::PlainPath(name) => format!("{field}.{name}"),
        ConnectionSettingError::Address(_) | ConnectionSettingError::Credentials | ConnectionSettingError::Tail => {
            field.to_owned()
        }
    };
    SessionError::invalid_field(path, why, Value::Null)
}
