//! Starting and stopping: the doors, the certificates, the workers.

mod control;
mod doors;
mod idle;
pub mod in_process;
#[cfg(unix)]
mod socket;
mod standalone;
mod talk;
mod tls;
mod within;

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use roost_ops::Core;
use roost_outbound::{Outbound, Policy};
use tokio::{net::TcpListener, runtime::Handle as Runtime, sync::watch, task::JoinHandle, time::timeout};

use crate::{
    access::{Gate, Tokens, secret},
    client::{Admin, NotTold},
    console::Console,
    door::bounds::Bounds,
    fidelity::CheckReport,
    hooks::is_hook,
    journal::Journal,
    settings::{Auth, Settings},
    world::{Account, Ground, Host, Life, Parts, Place, World, WorldId, Worlds, expire},
};

pub(crate) use self::control::change;
pub use self::{
    control::{Control, NotChanged, Seen},
    standalone::{Standalone, free_port},
    tls::{Ca, Tls, TlsError},
    within::Within,
};
use self::{
    doors::{accept, listen},
    talk::Talk,
    tls::Secured,
};

/// How an emulator is to run. The default: a free port on loopback, everything as assumed.
#[derive(Clone, Default)]
pub struct EmulatorConfig {
    /// None: 127.0.0.1, and ::1 where it can.
    pub bind: Option<IpAddr>,
    /// 0 picks one.
    pub port: u16,
    /// Leave to be reachable from other machines, on top of `bind`.
    pub is_reachable: bool,
    pub settings: Settings,
    /// Plain when left out.
    pub tls: Option<Tls>,
    /// A socket in the file system, beside the port; it speaks plainly in any case.
    pub unix: Option<PathBuf>,
    /// No port, so that the socket is the only way in.
    pub no_port: bool,
    /// Further names this server answers to.
    pub allow_hosts: Vec<String>,
    /// None: a new one.
    pub admin_token: Option<String>,
    /// Whether callbacks may go to addresses of private networks.
    pub allows_private_callbacks: bool,
    /// What callers may hold at most, all of them together.
    pub bounds: Bounds,
    pub console: Option<Console>,
    /// Whose account it plays on.
    pub account: Account,
    /// Where everything that goes on after a restart is kept, beside the account file.
    pub place: Option<Place>,
    /// Where requests are told to whoever watches; off unless it records.
    pub journal: Journal,
    /// What was observed of the service that is played.
    pub observed: Option<Arc<CheckReport>>,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("{0} is used by another program. Stop it, or choose another port with --port (0 picks a free one).")]
    Taken(SocketAddr),
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
    NoSocket(PathBuf),
    #[error("{} is in use by another program. Stop it, or give another path with --unix.", .0.display())]
    SocketTaken(PathBuf),
    #[error("cannot listen on {}: {source}", path.display())]
    Socket { path: PathBuf, source: io::Error },
    #[error("This system does not support Unix sockets. Remove --unix.")]
    NoSockets,
    #[error("--no-port needs a socket: add --unix PATH.")]
    NoDoor,
    #[error("TLS is not available on a socket. Remove --tls, or keep the port.")]
    PlainSocket,
    #[error("no async runtime is available")]
    NoRuntime,
    #[error("the server's thread could not be started: {0}")]
    NoThread(#[source] io::Error),
    #[error("the server's state cannot be saved in {}: {source}", folder.display())]
    Place { folder: PathBuf, source: io::Error },
    #[error("the account cannot be read: {0}")]
    Account(#[source] roost_ops::Error),
}

/// The emulator of one account.
pub struct Emulator;

impl Emulator {
    /// Takes the port without answering yet, so that the account can be made ready in the meantime.
    pub fn bind(config: EmulatorConfig) -> Result<Bound, StartError> {
        let runtime = Runtime::try_current().map_err(|_| StartError::NoRuntime)?;
        check_bind(&config)?;
        let admin_token = admin_token(config.admin_token.clone())?;
        let tls = config.tls.as_ref().map(|tls| tls.load(config.bind, &config.allow_hosts)).transpose()?;
        let socket = config.unix.as_deref().map(socket).transpose()?;
        let listeners = match (config.no_port, &socket, &tls) {
            (false, _, _) => listen(config.bind, config.port)?,
            (true, None, _) => return Err(StartError::NoDoor),
            (true, Some(_), Some(_)) => return Err(StartError::PlainSocket),
            (true, Some(_), None) => Vec::new(),
        };
        let own: Vec<SocketAddr> = listeners.iter().filter_map(|listener| listener.local_addr().ok()).collect();
        let address = own.first().copied().unwrap_or(NOWHERE);
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = if config.no_port { "http://localhost".to_owned() } else { format!("{scheme}://{}", shown(address)) };
        Ok(Bound { runtime, config, admin_token, listeners, socket, tls, own, address, url })
    }

    /// Starts to answer; must be called inside a Tokio runtime.
    pub fn start(config: EmulatorConfig, core: Core) -> Result<Handle, StartError> {
        Self::bind(config)?.start(core)
    }
}

/// An emulator that holds its port; callers wait until it is started.
pub struct Bound {
    runtime: Runtime,
    config: EmulatorConfig,
    admin_token: String,
    listeners: Vec<TcpListener>,
    socket: Option<Socket>,
    tls: Option<Secured>,
    own: Vec<SocketAddr>,
    address: SocketAddr,
    url: String,
}

/// Where a server without a port seems to be: what `http://localhost` means.
const NOWHERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 80);

#[cfg(unix)]
use socket::Socket;

#[cfg(unix)]
fn socket(path: &Path) -> Result<Socket, StartError> {
    Socket::listen(path)
}

/// There is none here.
#[cfg(not(unix))]
enum Socket {}

#[cfg(not(unix))]
fn socket(_: &Path) -> Result<Socket, StartError> {
    Err(StartError::NoSockets)
}

impl Bound {
    /// What short URLs will begin with.
    pub fn short_link_base(&self) -> String {
        self.config.settings.short_base(&self.url)
    }

    pub fn start(self, core: Core) -> Result<Handle, StartError> {
        let Self { runtime, config, admin_token, listeners, socket, tls, own, address, url } = self;
        let (ca, unix) = (tls.as_ref().and_then(|tls| tls.ca.clone()), config.unix.clone());
        let no_port = config.no_port;
        let (stop, stopped) = watch::channel(false);
        let ground = Ground::new(
            url,
            Outbound::new(Policy { private: config.allows_private_callbacks, own }).open_to(is_hook),
            !address.ip().to_canonical().is_loopback(),
            stopped.clone(),
            Some(runtime.clone()),
            config.bounds.clone(),
        );
        let ground = Arc::new(ground.observing(config.observed.clone()));
        let host = host(ground, config, address, admin_token.clone(), core)?;
        let world = host.worlds.default_world();
        world.wake();
        let teller = runtime.spawn(world.journal.clone().tell_all(stopped.clone()));
        let keeper = runtime.spawn(world.clone().keep_on());
        let expirer = runtime.spawn(expire(Arc::downgrade(&host)));
        let talk = Talk { host: host.clone(), tls: tls.map(|tls| tls.config), stop: stopped };
        let mut doors: Vec<_> = listeners.into_iter().map(|door| runtime.spawn(accept(door, talk.clone()))).collect();
        #[cfg(unix)]
        doors.extend(socket.map(|door| runtime.spawn(accept(door, Talk { tls: None, ..talk }))));
        Ok(Handle {
            url: host.ground.url.clone(),
            admin_token,
            address,
            ca,
            unix,
            has_port: !no_port,
            stop,
            doors,
            teller,
            expirer,
            keeper,
            world: world.clone(),
            ground: host.ground.clone(),
            control: Control::of(&host),
        })
    }
}

/// The server with its default world.
fn host(
    ground: Arc<Ground>,
    config: EmulatorConfig,
    address: SocketAddr,
    admin_token: String,
    core: Core,
) -> Result<Arc<Host>, StartError> {
    let is_secure = ground.url.starts_with("https:");
    // What stands on a file may be large, and nobody asked to go back there.
    let seed = match config.account {
        Account::Own => Some(core.image().map_err(StartError::Account)?),
        Account::Kept { .. } | Account::Lent => None,
    };
    let world = World::new(Parts {
        id: WorldId::default_world(),
        base: ground.url.clone(),
        keys: Vec::new(),
        core,
        ground: ground.clone(),
        journal: config.journal,
        account: config.account,
        life: Life::new(None),
        seed,
        settings: config.settings,
    });
    if let Some(place) = config.place {
        let folder = place.folder.clone();
        world.keep_in(place).map_err(|source| StartError::Place { folder, source })?;
    }
    Ok(Arc::new(Host {
        ground,
        gate: Gate::new(address, &config.allow_hosts, is_secure),
        tokens: Tokens::new(admin_token),
        console: config.console,
        worlds: Worlds::new(world),
    }))
}

/// A running emulator; stops when it is dropped, in good order with [`Handle::shutdown`].
pub struct Handle {
    url: String,
    admin_token: String,
    address: SocketAddr,
    ca: Option<Ca>,
    unix: Option<PathBuf>,
    has_port: bool,
    stop: watch::Sender<bool>,
    doors: Vec<JoinHandle<()>>,
    teller: JoinHandle<()>,
    expirer: JoinHandle<()>,
    keeper: JoinHandle<()>,
    world: Arc<World>,
    ground: Arc<Ground>,
    control: Control,
}

/// A job under way gets the rest of two seconds; what it does not commit by then it will do after the next start.
const LAST: Duration = Duration::from_millis(150);

impl Handle {
    /// `http://127.0.0.1:4010`
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn admin_url(&self) -> String {
        format!("{}/__admin", self.url)
    }

    /// The console with the token where no server sees it.
    pub fn console_url(&self) -> String {
        format!("{}/__console/#token={}", self.url, self.admin_token)
    }

    pub fn admin_token(&self) -> &str {
        &self.admin_token
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The authority its callers have to trust, where it has one of its own.
    pub fn ca(&self) -> Option<&Ca> {
        self.ca.as_ref()
    }

    /// Its socket in the file system.
    pub fn unix(&self) -> Option<&Path> {
        self.unix.as_deref()
    }

    /// The address for whoever operates it: that of its port, or of its socket where it has no port.
    pub fn operator_url(&self) -> String {
        if self.has_port { self.admin_url() } else { self.place() }
    }

    /// Where it listens, as its sockets report it: `http://0.0.0.0:4010` where every machine can reach it, while
    /// [`Handle::url`] is for callers on this machine.
    pub fn place(&self) -> String {
        match &self.unix {
            Some(path) if !self.has_port => format!("unix:{}", path.display()),
            _ => {
                let scheme = self.url.split(':').next().unwrap_or("http");
                format!("{scheme}://{}", self.address)
            }
        }
    }

    /// Asks its operator's side from within this process.
    pub fn admin(&self) -> Result<Admin, NotTold> {
        Ok(Admin::new(&self.operator_url(), Some(&self.admin_token))?.of_this_process())
    }

    /// What may be asked of it and told to it while it runs.
    pub fn control(&self) -> Control {
        self.control.clone()
    }

    /// Takes no more requests, lets those under way end, and answers within two seconds.
    pub async fn shutdown(self) {
        let Self { stop, doors, teller, expirer, keeper, world, ground, .. } = self;
        stop.send_replace(true);
        for door in doors {
            // A door that broke has nothing left to wait for.
            let _ = door.await;
        }
        let _ = teller.await;
        let _ = expirer.await;
        let _ = keeper.await;
        let _ = timeout(LAST, ground.is_at_rest()).await;
        // It may wait for the disk; a panic in there was told already.
        let _ = tokio::task::spawn_blocking(move || world.keep_all()).await;
    }
}

fn check_bind(config: &EmulatorConfig) -> Result<(), StartError> {
    match config.bind.filter(|ip| !ip.to_canonical().is_loopback()) {
        None => Ok(()),
        Some(ip) if !config.is_reachable => Err(StartError::Reachable(ip)),
        Some(ip) if config.settings.auth != Auth::Keys || config.settings.keys.is_empty() => {
            Err(StartError::NeedsKeys(ip))
        }
        Some(_) => Ok(()),
    }
}

/// A new secret, or the one given.
fn admin_token(given: Option<String>) -> Result<String, StartError> {
    let Some(token) = given else { return Ok(secret()) };
    let is_plain = token.bytes().all(|b| b.is_ascii_alphanumeric() || b"._~+/=-".contains(&b));
    if is_plain && token.len() >= 16 { Ok(token) } else { Err(StartError::WeakToken) }
}

/// The address people type; an unspecified one is reached through loopback.
fn shown(bound: SocketAddr) -> SocketAddr {
    let ip = match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, bound.port())
}
