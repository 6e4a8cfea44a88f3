//! Starts and stops the emulator: doors, certificates and background tasks.

mod activity;
mod config;
mod connection_handler;
pub(crate) mod console;
mod control;
mod dispatch;
mod doors;
mod embedded;
pub mod in_process;
#[cfg(unix)]
mod socket;
mod standalone;
mod tls;

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use roost_ops::Core;
use roost_outbound::{AddressPolicy, CallbackClient};
use tokio::{net::TcpListener, runtime::Handle as Runtime, sync::watch, task::JoinHandle, time::timeout};

use crate::{
    access::{AdminTokens, Gate, PublicUrl, WorldId, new_secret},
    client::{AdminClient, ClientError},
    hooks::is_hook_path,
    settings::AuthSetting,
    work::{remove_expired_worlds, subscribe_to_account},
    world::{AccountOwnership, Host, HostResources, World, WorldLifetime, WorldParts, Worlds},
};

pub use self::{
    config::{EmulatorConfig, StartError},
    control::{ServerControl, WorldHandle},
    embedded::EmbeddedEmulator,
    standalone::{StandaloneEmulator, free_port},
    tls::{AuthorityCertificate, TlsError, TlsOptions},
};
use self::{
    connection_handler::ConnectionHandler,
    doors::{accept_connections, open_listeners},
    tls::TlsSetup,
};

/// The entry point: starts an emulator of the service.
pub struct Emulator;

impl Emulator {
    /// Opens the port without answering yet, so that the account can be prepared in the meantime.
    pub fn bind(config: EmulatorConfig) -> Result<BoundEmulator, StartError> {
        let runtime = Runtime::try_current().map_err(|_| StartError::NoRuntime)?;
        check_bind(&config)?;
        let admin_token = choose_admin_token(config.admin_token.clone())?;
        let tls = config.tls.as_ref().map(|tls| tls.load(config.bind, &config.allow_hosts)).transpose()?;
        let socket = config.unix.as_deref().map(socket).transpose()?;
        let listeners = match (config.no_port, &socket, &tls) {
            (false, _, _) => open_listeners(config.bind, config.port)?,
            (true, None, _) => return Err(StartError::NoListener),
            (true, Some(_), Some(_)) => return Err(StartError::PlainSocket),
            (true, Some(_), None) => Vec::new(),
        };
        let own: Vec<SocketAddr> = listeners.iter().filter_map(|listener| listener.local_addr().ok()).collect();
        let address = own.first().copied().unwrap_or(PORTLESS_ADDRESS);
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = if config.no_port {
            "http://localhost".to_owned()
        } else {
            format!("{scheme}://{}", display_address(address))
        };
        Ok(BoundEmulator { runtime, config, admin_token, listeners, socket, tls, own, address, url })
    }

    /// Opens the port and answers requests. Must be called inside a Tokio runtime.
    pub fn start(config: EmulatorConfig, core: Core) -> Result<EmulatorHandle, StartError> {
        Self::bind(config)?.start(core)
    }
}

/// An emulator that has opened its port. Callers wait until it is started.
pub struct BoundEmulator {
    runtime: Runtime,
    config: EmulatorConfig,
    admin_token: String,
    listeners: Vec<TcpListener>,
    socket: Option<Socket>,
    tls: Option<TlsSetup>,
    own: Vec<SocketAddr>,
    address: SocketAddr,
    url: String,
}

/// The address that a server without a port reports; it is what `http://localhost` means.
const PORTLESS_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 80);

#[cfg(unix)]
use socket::Socket;

#[cfg(unix)]
fn socket(path: &Path) -> Result<Socket, StartError> {
    Socket::listen(path)
}

/// This system has no Unix sockets.
#[cfg(not(unix))]
enum Socket {}

#[cfg(not(unix))]
fn socket(_: &Path) -> Result<Socket, StartError> {
    Err(StartError::SocketsUnsupported)
}

impl BoundEmulator {
    /// Returns the base of the short URLs that this emulator will make.
    pub fn short_link_base(&self) -> String {
        self.config
            .settings
            .short_link_base_at(self.config.start.public_url.as_ref().map_or(&self.url, PublicUrl::as_str))
    }

    pub fn start(self, core: Core) -> Result<EmulatorHandle, StartError> {
        let Self { runtime, config, admin_token, listeners, socket, tls, own, address, url } = self;
        let (ca, unix) =
            (tls.as_ref().and_then(|tls| tls.ca.clone()), config.unix.as_deref().map(absolute_socket_path));
        let no_port = config.no_port;
        let (stop, stopped) = watch::channel(false);
        let resources = HostResources::new(
            url,
            CallbackClient::new(AddressPolicy { private: config.allows_private_callbacks, own }).open_to(is_hook_path),
            !address.ip().to_canonical().is_loopback(),
            stopped.clone(),
            Some(runtime.clone()),
            config.bounds.clone(),
        );
        let resources = resources.with_observed(config.observed.clone()).started_with(config.start.clone());
        let resources = Arc::new(resources.answering_to(config.allow_hosts.clone()));
        let host = build_host(resources, config, address, admin_token.clone(), core)?;
        let world = host.worlds.default_world();
        world.wake_workers();
        let notifier = runtime.spawn(world.journal.clone().notify_until_stop(stopped.clone()));
        let keeper = runtime.spawn(world.clone().persist_until_stop());
        let expirer = runtime.spawn(remove_expired_worlds(Arc::downgrade(&host)));
        let talk = ConnectionHandler { host: host.clone(), tls: tls.map(|tls| tls.config), stop: stopped };
        let mut doors: Vec<_> =
            listeners.into_iter().map(|door| runtime.spawn(accept_connections(door, talk.clone()))).collect();
        #[cfg(unix)]
        doors.extend(
            socket.map(|door| runtime.spawn(accept_connections(door, ConnectionHandler { tls: None, ..talk }))),
        );
        Ok(EmulatorHandle {
            url: host.resources.url.clone(),
            admin_token,
            address,
            ca,
            unix,
            has_port: !no_port,
            stop,
            doors,
            notifier,
            expirer,
            keeper,
            world: world.clone(),
            resources: host.resources.clone(),
            control: ServerControl::from_host(&host),
        })
    }
}

/// Returns the path by which callers in other folders find the socket. A path that is too long for a socket stays as it
/// was given.
fn absolute_socket_path(given: &Path) -> PathBuf {
    let absolute = std::path::absolute(given).ok();
    absolute.filter(|path| path.as_os_str().len() <= SOCKET_PATH_MAX).unwrap_or_else(|| given.to_owned())
}

/// Builds the server with its default world.
fn build_host(
    resources: Arc<HostResources>,
    config: EmulatorConfig,
    address: SocketAddr,
    admin_token: String,
    core: Core,
) -> Result<Arc<Host>, StartError> {
    let is_secure = resources.url.starts_with("https:");
    // An account file may be large, and nobody asked to return to its present state, so it gets no image.
    let seed = match config.account {
        AccountOwnership::Own => Some(core.image().map_err(StartError::Account)?),
        AccountOwnership::Kept { .. } | AccountOwnership::Lent => None,
    };
    let parts = WorldParts {
        id: WorldId::default_world(),
        base: resources.base().to_owned(),
        keys: Vec::new(),
        core,
        resources: resources.clone(),
        journal: config.journal,
        ownership: config.account,
        lifetime: WorldLifetime::new(None),
        seed,
        settings: config.settings,
    };
    let world = World::new(parts, subscribe_to_account);
    world.begin_faults();
    if let Some(place) = config.place {
        let folder = place.folder.clone();
        world.persist_in(place).map_err(|source| StartError::StateFolder { folder, source })?;
    }
    let gate = Gate::new(address, &config.allow_hosts, is_secure);
    let public_url = resources.start.public_url.clone();
    Ok(Arc::new(Host {
        resources,
        gate: gate.reached_at(public_url.as_ref()).open_to(config.allow_origins),
        tokens: AdminTokens::new(admin_token),
        console: config.console,
        worlds: Worlds::new(world),
    }))
}

/// The most bytes of a path that every system accepts for a socket.
const SOCKET_PATH_MAX: usize = 103;

/// A running emulator. It stops when this is dropped, and gracefully with [`EmulatorHandle::shutdown`].
pub struct EmulatorHandle {
    url: String,
    admin_token: String,
    address: SocketAddr,
    ca: Option<AuthorityCertificate>,
    unix: Option<PathBuf>,
    has_port: bool,
    stop: watch::Sender<bool>,
    doors: Vec<JoinHandle<()>>,
    notifier: JoinHandle<()>,
    expirer: JoinHandle<()>,
    keeper: JoinHandle<()>,
    world: Arc<World>,
    resources: Arc<HostResources>,
    control: ServerControl,
}

/// How long the end of the server waits for a running job: the rest of two seconds. The next start does what the job has
/// not committed by then.
const REST_TIME: Duration = Duration::from_millis(150);

impl EmulatorHandle {
    /// Returns the base URL, such as `http://127.0.0.1:4010`.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn admin_url(&self) -> String {
        format!("{}/__admin", self.url)
    }

    /// Returns the URL of the console with the token in the fragment, which browsers send to no server.
    pub fn console_url(&self) -> String {
        format!("{}/__console/#token={}", self.url, self.admin_token)
    }

    pub fn admin_token(&self) -> &str {
        &self.admin_token
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the authority that callers have to trust, if the server created one.
    pub fn ca(&self) -> Option<&AuthorityCertificate> {
        self.ca.as_ref()
    }

    /// Returns the path of its Unix socket.
    pub fn unix(&self) -> Option<&Path> {
        self.unix.as_deref()
    }

    /// Returns the address for the operator: that of the port, or of the socket if there is no port.
    pub fn operator_url(&self) -> String {
        if self.has_port { self.admin_url() } else { self.listen_url() }
    }

    /// Returns where it listens, as its sockets report it: `http://0.0.0.0:4010` if every machine can reach it, while
    /// [`EmulatorHandle::url`] is for callers on this machine.
    pub fn listen_url(&self) -> String {
        match &self.unix {
            Some(path) if !self.has_port => format!("unix:{}", path.display()),
            _ => {
                let scheme = self.url.split(':').next().unwrap_or("http");
                format!("{scheme}://{}", self.address)
            }
        }
    }

    /// Returns a client of its admin interface for use within this process.
    pub fn admin(&self) -> Result<AdminClient, ClientError> {
        Ok(AdminClient::new(&self.operator_url(), Some(&self.admin_token))?.for_this_process())
    }

    /// Returns the handle by which its owner looks into it while it runs.
    pub fn control(&self) -> ServerControl {
        self.control.clone()
    }

    /// Accepts no more requests, waits for the running ones, and returns within two seconds.
    pub async fn shutdown(self) {
        let Self { stop, doors, notifier, expirer, keeper, world, resources, .. } = self;
        stop.send_replace(true);
        for door in doors {
            // A door that panicked has nothing left to wait for.
            let _ = door.await;
        }
        let _ = notifier.await;
        let _ = expirer.await;
        let _ = keeper.await;
        let _ = timeout(REST_TIME, resources.wait_until_idle()).await;
        // This may wait for the disk. A panic in it was already logged.
        let _ = tokio::task::spawn_blocking(move || world.persist_all()).await;
    }
}

fn check_bind(config: &EmulatorConfig) -> Result<(), StartError> {
    match config.bind.filter(|ip| !ip.to_canonical().is_loopback()) {
        None => Ok(()),
        Some(ip) if !config.is_reachable => Err(StartError::Reachable(ip)),
        Some(ip) if config.settings.auth != AuthSetting::Keys || config.settings.keys.is_empty() => {
            Err(StartError::NeedsKeys(ip))
        }
        Some(_) => Ok(()),
    }
}

/// Checks the given token, or creates a new one.
fn choose_admin_token(given: Option<String>) -> Result<String, StartError> {
    let Some(token) = given else { return Ok(new_secret()) };
    let is_plain = token.bytes().all(|b| b.is_ascii_alphanumeric() || b"._~+/=-".contains(&b));
    if is_plain && token.len() >= 16 { Ok(token) } else { Err(StartError::WeakToken) }
}

/// Returns the address to show to people: an unspecified address is reached through loopback.
fn display_address(bound: SocketAddr) -> SocketAddr {
    let ip = match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, bound.port())
}
