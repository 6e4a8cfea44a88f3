//! `roost connect`: sets the address of an account's service, and the key for it.

use std::{
    io::{self, IsTerminal, Read},
    net::IpAddr,
    path::PathBuf,
};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_sync::vault::{SEALED_FILE_NOTICE, Secret};
use roost_sync_session::{Connection, ConnectionSave, KEY_MAX, KeyLocation, PathOverride, SyncFailureKind};

use super::{
    ExitResult,
    account::{AccountArgs, OpenAccount, read_first_line, read_passphrase, to_secret},
    exit, print_json, print_text,
};
use crate::{
    failure::CliFailure,
    fidelity::learn_from_report,
    terminal::{count_with_noun, plain_line},
};

/// The most bytes of standard input that are read for a key.
const INPUT_MAX: u64 = 64 * 1024;

#[derive(Args)]
#[command(after_help = super::STATUSES)]
pub(crate) struct ConnectCommand {
    /// Base address of the service, for example https://api.example or http://127.0.0.1:4010.
    url: String,
    #[command(flatten)]
    account: AccountArgs,
    /// Name of the connection. Default: its host.
    #[arg(long, env = "ROOST_CONNECT_NAME")]
    name: Option<String>,
    /// The header that contains the key. Default: X-AUTH-KEY.
    #[arg(long, env = "ROOST_CONNECT_HEADER")]
    header: Option<String>,
    #[command(flatten)]
    key: KeySource,
    /// Where to store the key: in the system's keyring, or in a file beside the account, sealed with the passphrase in
    /// the file that ROOST_PASSPHRASE_FILE names.
    #[arg(long, env = "ROOST_CONNECT_KEEP", value_enum, default_value_t)]
    keep: KeyStorageOption,
    /// Never send anything that changes the service.
    #[arg(long, env = "ROOST_CONNECT_READ_ONLY", value_parser = BoolishValueParser::new())]
    read_only: bool,
    /// Allow the key to be sent unencrypted to another machine.
    #[arg(long, env = "ROOST_CONNECT_PLAIN_HTTP", value_parser = BoolishValueParser::new())]
    plain_http: bool,
    /// Plan with the report of roost fidelity check.
    #[arg(long, env = "ROOST_CONNECT_FIDELITY", value_name = "FILE")]
    fidelity: Option<PathBuf>,
    /// Do not test the connection.
    #[arg(long, env = "ROOST_CONNECT_NO_TEST", value_parser = BoolishValueParser::new())]
    no_test: bool,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// Where a key comes from.
#[derive(Args)]
pub(crate) struct KeySource {
    /// Read the key from the first line of this file.
    #[arg(long, env = "ROOST_CONNECT_KEY_FILE", value_name = "FILE", conflicts_with = "key_stdin")]
    key_file: Option<PathBuf>,
    /// Read the key from standard input. It is never an argument or a variable, which other programs can read.
    #[arg(long, env = "ROOST_CONNECT_KEY_STDIN", value_parser = BoolishValueParser::new())]
    key_stdin: bool,
}

impl KeySource {
    /// Returns None if no key is given. `command` is the command that the person typed.
    pub(crate) fn read_key(&self, command: &str) -> Result<Option<Secret>, CliFailure> {
        if let Some(path) = &self.key_file {
            let to_failure = |why: String| key_failure(format!("--key-file: {why}"));
            return read_first_line(path).map(Some).map_err(to_failure);
        }
        if !self.key_stdin {
            return Ok(None);
        }
        if io::stdin().is_terminal() {
            return Err(CliFailure::new(format!(
                "--key-stdin: a terminal would show the key. Pipe it in (roost {command} … --key-stdin < FILE), or \
                 use --key-file."
            )));
        }
        let to_failure = |why: String| key_failure(format!("--key-stdin: {why}"));
        let mut bytes = Vec::new();
        io::stdin().take(INPUT_MAX).read_to_end(&mut bytes).map_err(|why| to_failure(why.to_string()))?;
        to_secret(bytes, "standard input").map(Some).map_err(to_failure)
    }
}

fn key_failure(line: String) -> CliFailure {
    exit::failure_of_kind(SyncFailureKind::NoKey, line)
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum KeyStorageOption {
    #[default]
    Keyring,
    Sealed,
}

impl ConnectCommand {
    pub(crate) fn run(self) -> ExitResult {
        // The key is read before anything is written, because a key that cannot be read or stored must not create a
        // connection.
        let key = self.key.read_key("connect")?;
        if key.as_ref().is_some_and(|key| key.expose().chars().count() > KEY_MAX) {
            let message = format!("The key has more than {KEY_MAX} characters. Check that it is the right file.");
            return Err(key_failure(message));
        }
        if !self.plain_http && is_unencrypted_remote(&self.url) {
            return Err(CliFailure::new(format!(
                "{} would send the key unencrypted to another machine. Use https, or add --plain-http if you control \
                 the whole network path. Nothing was saved.",
                plain_line(&self.url, 200)
            )));
        }
        let passphrase = if self.keep == KeyStorageOption::Sealed { read_passphrase()? } else { None };
        if key.is_some() && self.keep == KeyStorageOption::Sealed && passphrase.is_none() {
            let message = "A sealed key needs a passphrase. Set ROOST_PASSPHRASE_FILE to a file with the passphrase.";
            return Err(exit::failure_of_kind(SyncFailureKind::Sealed, format!("{message} {SEALED_FILE_NOTICE}")));
        }
        let open = self.account.open_or_create()?;
        self.save_connection(&open, key, passphrase).inspect_err(|_| open.discard_created())?;
        self.test_and_report(&open)
    }

    fn save_connection(
        &self,
        open: &OpenAccount,
        key: Option<Secret>,
        passphrase: Option<Secret>,
    ) -> Result<(), CliFailure> {
        let known = open.session.describe_connection()?;
        if key.is_some() && self.keep == KeyStorageOption::Keyring && !known.keyring.works {
            let why = known.keyring.why.unwrap_or_default();
            let hint = "To keep it in a file, add --keep sealed, and set ROOST_PASSPHRASE_FILE to a file with the \
                        passphrase.";
            return Err(exit::failure_of_kind(SyncFailureKind::Keyring, format!("{why} {hint}")));
        }
        let is_new = known.connection.is_none();
        if key.is_none() && !is_new {
            // The address stays as it is if there is no key for the new one.
            open.session.check_stored_key(&self.url, read_passphrase()?)?;
        }
        open.session.connect(&self.to_connection_save(known.connection))?;
        if let Some(path) = &self.fidelity {
            learn_from_report(&open.session, path, &self.url)?;
        }
        if let Some(key) = key {
            let keep = match self.keep {
                KeyStorageOption::Keyring => KeyLocation::Keyring,
                KeyStorageOption::Sealed => KeyLocation::Sealed,
            };
            if let Err(why) = open.session.set_key(key, keep, passphrase) {
                // Without its key a new connection would only appear to be connected.
                if is_new {
                    open.session.disconnect()?;
                }
                return Err(why.into());
            }
            Ok(())
        } else {
            open.unlock()
        }
    }

    /// Tests the connection, and reports the result.
    fn test_and_report(&self, open: &OpenAccount) -> ExitResult {
        let answer = open.session.describe_connection()?;
        let tested = if self.no_test { None } else { Some(open.session.test_connection()?) };
        if self.json {
            print_json(&serde_json::json!({ "connection": &answer.connection, "tested": &tested }))?;
        }
        let Some(tested) = tested else {
            if !self.json {
                print_text(&format!("The connection to {} was saved without a test.\n", plain_line(&self.url, 200)))?;
            }
            return Ok(0);
        };
        match (tested.lists, tested.advice) {
            (Some(lists), _) => {
                if !self.json {
                    let lists = count_with_noun(lists, "list");
                    print_text(&format!("Connected to {}, which has {lists}.\n", plain_line(&self.url, 200)))?;
                }
                Ok(0)
            }
            (None, advice) => {
                let kind = match tested.status {
                    None | Some(500..) => SyncFailureKind::Unreachable,
                    Some(429) => SyncFailureKind::Throttled,
                    Some(401) => SyncFailureKind::KeyRefused,
                    Some(_) => SyncFailureKind::Other,
                };
                let advice = advice.unwrap_or_default();
                Err(exit::failure_of_kind(kind, format!("The connection was saved, but its test failed. {advice}")))
            }
        }
    }

    /// Options that are not given keep their present values.
    fn to_connection_save(&self, known: Option<Connection>) -> ConnectionSave {
        // A name that nobody chose follows the address.
        let chosen = known.as_ref().filter(|known| known.name != host_of(&known.base_url));
        let name = self.name.clone().or_else(|| chosen.map(|known| known.name.clone()));
        let header = self.header.clone().or_else(|| known.as_ref().map(|known| known.header.clone()));
        let changed = |known: &Connection| {
            let elsewhere = known.paths.iter().filter(|one| one.path != one.usual);
            elsewhere.map(|one| PathOverride { operation: one.operation.clone(), path: one.path.clone() }).collect()
        };
        ConnectionSave {
            name: name.unwrap_or_else(|| host_of(&self.url).to_owned()),
            base_url: self.url.clone(),
            header: header.unwrap_or_else(|| roost_sync::remote::DEFAULT_HEADER.to_owned()),
            read_only: self.read_only,
            plain_http: self.plain_http,
            calls_per_second: known.as_ref().map_or(9, |known| known.calls_per_second),
            together: known.as_ref().and_then(|known| known.together),
            paths: known.as_ref().map(changed).unwrap_or_default(),
        }
    }
}

/// Returns the host of an address, with its port.
fn host_of(url: &str) -> &str {
    url.split("://").last().and_then(|rest| rest.split('/').next()).unwrap_or(url)
}

/// Whether requests would leave this machine unencrypted. Names of hosts are not resolved.
fn is_unencrypted_remote(url: &str) -> bool {
    let Some((scheme, rest)) = url.trim().split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let is_here = host.eq_ignore_ascii_case("localhost")
        || host.to_ascii_lowercase().ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    scheme.eq_ignore_ascii_case("http") && !authority.contains('@') && !is_here
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_free_to_this_machine_alone() {
        for url in ["http://127.0.0.1:4010", "http://localhost/x", "http://[::1]:4010/", "HTTP://shop.localhost:1"] {
            assert!(!is_unencrypted_remote(url), "{url}");
        }
        for fine in ["https://api.example", "api.example", "ftp://api.example"] {
            assert!(!is_unencrypted_remote(fine), "{fine}");
        }
        for other in ["http://api.example", "http://10.0.0.1:80/x", "http://localhost.example"] {
            assert!(is_unencrypted_remote(other), "{other}");
        }
    }
}
