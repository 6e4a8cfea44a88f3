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
    Span,
    client::{Admin, NoCertificateFound, NotTold},
};
use serde_json::Value;
use tokio::runtime::Builder;

use super::state::named;
use crate::failure::{Failure, unreadable};

const USUAL: &str = "http://127.0.0.1:4010";
/// The token is read only from a variable or a ready file, because every process can read a command line.
const TOKEN: &str = "ROOST_ADMIN_TOKEN";

/// A server, and what of it.
#[derive(Args)]
pub struct Target {
    #[command(flatten)]
    place: Place,
    /// The world. Default: the token's world, which is the default world for the server's own token.
    #[arg(long, env = "ROOST_WORLD", value_name = "NAME")]
    world: Option<String>,
}

impl Target {
    pub fn is_named(&self) -> bool {
        self.place.url.is_some() || self.place.ready_file.is_some()
    }

    pub fn admin(&self) -> Result<Admin, Failure> {
        self.of_world(self.place.admin()?)
    }

    /// Returns a client for this address, with the token of the caller.
    pub fn admin_at(&self, url: &str) -> Result<Admin, Failure> {
        self.of_world(self.place.admin_at(url)?)
    }

    fn of_world(&self, admin: Admin) -> Result<Admin, Failure> {
        match &self.world {
            Some(world) => Ok(admin.of_world(named(world)?)),
            None => Ok(admin),
        }
    }
}

/// As it stands on the line and in the variables.
#[derive(Args)]
struct Given {
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
pub struct Place {
    url: Option<String>,
    ready_file: Option<PathBuf>,
    ca: Option<PathBuf>,
}

impl FromArgMatches for Place {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let Given { url, ready_file, ca } = Given::from_arg_matches(matches)?;
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

impl Args for Place {
    fn augment_args(command: Command) -> Command {
        Given::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Given::augment_args_for_update(command)
    }
}

impl Place {
    /// Whether the place can change while the command waits.
    pub fn may_change(&self) -> bool {
        self.ready_file.is_some()
    }

    /// Returns a client for this address, with the token of the caller.
    fn admin_at(&self, url: &str) -> Result<Admin, Failure> {
        self.at(url, given().as_deref(), None)
    }

    /// `known` is the authority that the server itself names.
    fn at(&self, url: &str, token: Option<&str>, known: Option<&str>) -> Result<Admin, Failure> {
        let admin = told(Admin::new(url, token))?;
        match self.ca.as_deref().or(known.map(Path::new)).filter(|_| admin.is_secure()) {
            Some(path) => trusting(path, |authorities| admin.trusting(authorities)),
            None => Ok(admin),
        }
    }

    /// Returns a client. Reads a ready file each time, because it can appear and change while the command waits.
    pub fn admin(&self) -> Result<Admin, Failure> {
        let given = given();
        let Some(path) = &self.ready_file else {
            return self.admin_at(self.url.as_deref().unwrap_or(USUAL));
        };
        let ready = match (fs::read(path), &self.url) {
            (Ok(text), _) => serde_json::from_slice::<Value>(&text).unwrap_or_default(),
            // The address is known even without the ready file.
            (Err(_), Some(url)) => return self.admin_at(url),
            (Err(why), None) => {
                return Err(Failure::new(format!("the ready file {} cannot be read: {why}", path.display())));
            }
        };
        let no_ready = || Failure::new(format!("{} is not a ready file of roost serve", path.display()));
        let there = ready["admin_url"].as_str().or_else(|| ready["url"].as_str()).ok_or_else(no_ready)?;
        match &self.url {
            // A token is sent only to the server that it belongs to.
            Some(url) => {
                let named = told(Admin::new(url, None))?;
                let is_same = told(Admin::new(there, None))?.leads_to_the_same(&named);
                let token = given.as_deref().or_else(|| ready["admin_token"].as_str().filter(|_| is_same));
                self.at(url, token, ready["ca"].as_str().filter(|_| is_same))
            }
            None => self.at(there, ready["admin_token"].as_str(), ready["ca"].as_str()),
        }
    }
}

/// Trusts the authority in this file.
pub fn trusting<T>(path: &Path, trust: impl FnOnce(&[u8]) -> Result<T, NoCertificateFound>) -> Result<T, Failure> {
    let text = fs::read(path)
        .map_err(|why| Failure::new(format!("the certificate authority {} cannot be read: {why}", path.display())))?;
    trust(&text).map_err(|why| Failure::new(format!("{}: {why}", path.display())))
}

/// Runs a request to a server to its end.
pub fn ask<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    Builder::new_current_thread().enable_all().build().map_err(Failure::new)?.block_on(work)
}

/// Reads the content to send from a file; `-` is standard input.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return fs::read(path);
    }
    let mut text = Vec::new();
    io::stdin().read_to_end(&mut text)?;
    Ok(text)
}

/// Does the same for a seed or an account, which cannot be empty.
pub fn read_filled(path: &Path) -> Result<Vec<u8>, Failure> {
    let text = read(path).map_err(|why| unreadable(path, &why))?;
    if text.trim_ascii().is_empty() { Err(Failure::new(format!("{} is empty.", path.display()))) } else { Ok(text) }
}

fn given() -> Option<String> {
    env::var(TOKEN).ok().filter(|token| !token.is_empty())
}

pub fn told<T>(done: Result<T, NotTold>) -> Result<T, Failure> {
    done.map_err(Failure::new)
}

/// Reads `500ms`, `5s` or `2m`; a bare number means seconds.
pub fn span(text: &str) -> Result<Duration, String> {
    let unit = if text.ends_with(|end: char| end.is_ascii_digit()) { "s" } else { "" };
    let Span(time) = format!("{text}{unit}").parse()?;
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
            assert_eq!(span(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "5 s", "-1", "1.5s", "5y", "99999999999999999999", "18446744073709551615h"] {
            assert!(span(text).is_err(), "{text}");
        }
    }
}
