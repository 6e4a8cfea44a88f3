//! The configuration of an emulator, and the reasons why it does not start.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    sync::Arc,
};

use roost_journal::Journal;

use super::{TlsError, TlsOptions};
use crate::{
    access::PageOrigin,
    fidelity::CheckReport,
    http::bounds::Bounds,
    settings::Settings,
    world::{AccountOwnership, Console, StartOptions, StateLocation},
};

/// The configuration of an emulator. By default it listens on a free loopback port and keeps every assumption.
#[derive(Clone, Default)]
pub struct EmulatorConfig {
    /// The address to listen on. `None` means 127.0.0.1, and ::1 if available.
    pub bind: Option<IpAddr>,
    /// The port to listen on. 0 picks a free one.
    pub port: u16,
    /// Whether the server may be reachable from other machines, if `bind` makes it so.
    pub is_reachable: bool,
    pub settings: Settings,
    /// `None` serves plain HTTP.
    pub tls: Option<TlsOptions>,
    /// A Unix socket in addition to the port. It always serves plain HTTP.
    pub unix: Option<PathBuf>,
    /// Whether to open no port, so that the socket is the only door.
    pub no_port: bool,
    /// Further host names that the server accepts.
    pub allow_hosts: Vec<String>,
    /// `None` creates a new token.
    pub admin_token: Option<String>,
    /// Whether callbacks may go to addresses of private networks.
    pub allows_private_callbacks: bool,
    /// The most that all callers together may hold.
    pub bounds: Bounds,
    pub console: Option<Console>,
    /// Who owns the account.
    pub account: AccountOwnership,
    /// Where the state that survives a restart is stored, beside the account file.
    pub place: Option<StateLocation>,
    /// The journal of the default world. It is off unless it records.
    pub journal: Journal,
    /// Origins of other pages that may call.
    pub allow_origins: Vec<PageOrigin>,
    /// The options that apply to all of its worlds.
    pub start: StartOptions,
    /// What was observed at the service that the emulator plays.
    pub observed: Option<Arc<CheckReport>>,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(
        "{0} is in use, perhaps by another Roost. Stop that program, or choose another port with --port (0 picks a free one)."
    )]
    PortTaken(SocketAddr),
    #[error("cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("{0} can be reached from other machines. Add --i-know-this-is-reachable if you want that.")]
    Reachable(IpAddr),
    #[error("{0} can be reached from other machines, so keys are required: --auth keys --set auth.keys=KEY,…")]
    NeedsKeys(IpAddr),
    #[error(
        "ROOST_ADMIN_TOKEN is not a valid admin token. Use at least 16 characters: letters, digits and . _ ~ + / = -"
    )]
    WeakToken,
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("{} is not a socket, and Roost does not change it. Give another path with --unix.", .0.display())]
    NotASocket(PathBuf),
    #[error("{} is in use, perhaps by another Roost. Stop that program, or give another path with --unix.", .0.display())]
    SocketTaken(PathBuf),
    #[error("cannot listen on {}: {source}", path.display())]
    Socket { path: PathBuf, source: io::Error },
    #[error("This system does not support Unix sockets. Remove --unix.")]
    SocketsUnsupported,
    #[error("--no-port needs a socket: add --unix PATH.")]
    NoListener,
    #[error("TLS is not available on a socket. Remove --tls, or keep the port.")]
    PlainSocket,
    #[error("no async runtime is available")]
    NoRuntime,
    #[error("the server's thread could not be started: {0}")]
    NoThread(#[source] io::Error),
    #[error("the server's state cannot be saved in {}: {source}", folder.display())]
    StateFolder { folder: PathBuf, source: io::Error },
    #[error("the account cannot be read: {0}")]
    Account(#[source] roost_ops::Error),
}
