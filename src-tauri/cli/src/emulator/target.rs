//! Finds the server that a command is for: by its address, by its ready file, or at the usual port.

use std::{
    env, fs,
    future::Future,
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{ArgMatches, Args, Command, FromArgMatches, parser::ValueSource};
use roost_emulator::{
    HumanDuration,
    client::{AdminClient, ClientError, NoCertificateFound},
};
use roost_model::error::ErrorCode;
use serde_json::Value;
use tokio::runtime::Builder;

use super::state::check_name;
use crate::failure::{CliFailure, read_failure};

const DEFAULT_URL: &str = "http://127.0.0.1:4010";
/// The token is read only from a variable or a ready file, because every process can read a command line.
const TOKEN_VARIABLE: &str = "ROOST_ADMIN_TOKEN";

/// A server, and what of it.
#[derive(Args)]
pub(super) struct ServerTarget {
    #[command(flatten)]
    place: ServerPlace,
    /// The world. Default: the token's world, which is the default world for the server's own token.
    #[arg(long, env = "ROOST_WORLD", value_name = "NAME")]
    world: Option<String>,
}

impl ServerTarget {
    pub(super) fn is_named(&self) -> bool {
        self.place.url.is_some() || self.place.ready_file.is_some()
    }

    pub(super) fn admin_client(&self) -> Result<AdminClient, CliFailure> {
        self.select_world(self.place.admin_client()?)
    }

    /// Returns a client for this address, with the token of the caller.
    pub(super) fn admin_client_at(&self, url: &str) -> Result<AdminClient, CliFailure> {
        self.select_world(self.place.admin_client_at(url)?)
    }

    fn select_world(&self, admin: AdminClient) -> Result<AdminClient, CliFailure> {
        match &self.world {
            Some(world) => Ok(admin.for_world(check_name(world)?)),
            None => Ok(admin),
        }
    }
}

/// As it stands on the line and in the variables.
#[derive(Args)]
struct PlaceArgs {
    /// Address of the server, of one of its worlds, or of its socket such as unix:/run/roost.sock. Default:
    /// http://127.0.0.1:4010. The token is read from ROOST_ADMIN_TOKEN.
    #[arg(long, env = "ROOST_ADMIN_URL", value_name = "URL")]
    url: Option<String>,
    /// The server's ready file, which contains its address and token.
    #[arg(long, env = "ROOST_READY_FILE", value_name = "PATH")]
    ready_file: Option<PathBuf>,
    /// Trust only this certificate authority (PEM). Default: the one in the ready file, or the system's.
    #[arg(long, env = "ROOST_CA", value_name = "FILE")]
    ca: Option<PathBuf>,
}

/// The address of a server. Arguments on the command line take precedence over variables.
pub(super) struct ServerPlace {
    url: Option<String>,
    ready_file: Option<PathBuf>,
    ca: Option<PathBuf>,
}

impl FromArgMatches for ServerPlace {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let PlaceArgs { url, ready_file, ca } = PlaceArgs::from_arg_matches(matches)?;
        let is_on_the_line = |name| matches.value_source(name) == Some(ValueSource::CommandLine);
        // In the opposite case the variable's ready file may still hold the token of the server at the address.
        let is_elsewhere = is_on_the_line("ready_file") && !is_on_the_line("url");
        Ok(Self { url: url.filter(|_| !is_elsewhere), ready_file, ca })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ServerPlace {
    fn augment_args(command: Command) -> Command {
        PlaceArgs::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        PlaceArgs::augment_args_for_update(command)
    }
}

impl ServerPlace {
    /// Whether the place can change while the command waits.
    pub(super) fn may_change(&self) -> bool {
        self.ready_file.is_some()
    }

    /// Returns a client for this address, with the token of the caller.
    fn admin_client_at(&self, url: &str) -> Result<AdminClient, CliFailure> {
        self.client_at(url, token_from_env().as_deref(), None)
    }

    /// `known` is the authority that the server itself names.
    fn client_at(&self, url: &str, token: Option<&str>, known: Option<&str>) -> Result<AdminClient, CliFailure> {
        let admin = to_failure(AdminClient::new(url, token))?;
        match self.ca.as_deref().or(known.map(Path::new)).filter(|_| admin.is_secure()) {
            Some(path) => trust_authority(path, |authorities| admin.with_authorities(authorities)),
            None => Ok(admin),
        }
    }

    /// Returns a client. Reads a ready file each time, because it can appear and change while the command waits.
    pub(super) fn admin_client(&self) -> Result<AdminClient, CliFailure> {
        let given = token_from_env();
        let Some(path) = &self.ready_file else {
            return self.admin_client_at(self.url.as_deref().unwrap_or(DEFAULT_URL));
        };
        let ready = match (fs::read(path), &self.url) {
            (Ok(text), _) => serde_json::from_slice::<Value>(&text).unwrap_or_default(),
            // The address is known even without the ready file.
            (Err(_), Some(url)) => return self.admin_client_at(url),
            (Err(why), None) => {
                return Err(CliFailure::new(format!("the ready file {} cannot be read: {why}", path.display())));
            }
        };
        let no_ready = || CliFailure::new(format!("{} is not a ready file of roost serve", path.display()));
        let admin_url = ready["admin_url"].as_str().or_else(|| ready["url"].as_str()).ok_or_else(no_ready)?;
        match &self.url {
            // A token is sent only to the server that it belongs to.
            Some(url) => {
                let named = to_failure(AdminClient::new(url, None))?;
                let is_same = to_failure(AdminClient::new(admin_url, None))?.is_same_server(&named);
                let token = given.as_deref().or_else(|| ready["admin_token"].as_str().filter(|_| is_same));
                self.client_at(url, token, ready["ca"].as_str().filter(|_| is_same))
            }
            None => self.client_at(admin_url, ready["admin_token"].as_str(), ready["ca"].as_str()),
        }
    }
}

/// Trusts the authority in this file.
pub(crate) fn trust_authority<T>(
    path: &Path,
    trust: impl FnOnce(&[u8]) -> Result<T, NoCertificateFound>,
) -> Result<T, CliFailure> {
    let text = fs::read(path).map_err(|why| {
        CliFailure::new(format!("the certificate authority {} cannot be read: {why}", path.display()))
    })?;
    trust(&text).map_err(|why| CliFailure::new(format!("{}: {why}", path.display())))
}

/// Runs a request to a server to its end.
pub(crate) fn run_async<T>(work: impl Future<Output = Result<T, CliFailure>>) -> Result<T, CliFailure> {
    Builder::new_current_thread().enable_all().build().map_err(CliFailure::new)?.block_on(work)
}

/// Reads the content to send from a file; `-` is standard input.
pub(super) fn read_input(path: &Path) -> io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return fs::read(path);
    }
    let mut text = Vec::new();
    io::stdin().read_to_end(&mut text)?;
    Ok(text)
}

/// Does the same for a seed or an account, which cannot be empty.
pub(super) fn read_nonempty_input(path: &Path) -> Result<Vec<u8>, CliFailure> {
    let text = read_input(path).map_err(|why| read_failure(path, &why))?;
    if text.trim_ascii().is_empty() {
        return Err(CliFailure::new(format!("{} is empty.", path.display())).with_code(ErrorCode::Invalid));
    }
    Ok(text)
}

fn token_from_env() -> Option<String> {
    env::var(TOKEN_VARIABLE).ok().filter(|token| !token.is_empty())
}

pub(super) fn to_failure<T>(done: Result<T, ClientError>) -> Result<T, CliFailure> {
    done.map_err(CliFailure::new)
}

/// Reads `500ms`, `5s` or `2m`; a bare number means seconds.
pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    let unit = if text.ends_with(|end: char| end.is_ascii_digit()) { "s" } else { "" };
    let HumanDuration(time) = format!("{text}{unit}").parse()?;
    Ok(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_with_its_unit() {
        for (text, millis) in
            [("500ms", 500), ("5s", 5_000), ("7", 7_000), ("2m", 120_000), ("1d", 86_400_000), ("0", 0)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "5 s", "-1", "1.5s", "5y", "99999999999999999999", "18446744073709551615h"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
