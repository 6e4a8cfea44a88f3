//! Starting and stopping: the sockets, the connections, the workers.

mod control;
pub mod in_process;
mod standalone;
mod within;

use std::{
    error::Error as _,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::http::Request;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use roost_ops::Core;
use roost_outbound::{Outbound, Policy};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpSocket, TcpStream},
    runtime::Handle as Runtime,
    sync::watch,
    task::{JoinHandle, JoinSet},
    time::timeout,
};

use crate::{
    access::{Gate, Tokens, secret},
    console::Console,
    door::{Abort, Line, LineFault, routes},
    hooks::is_hook,
    journal::Journal,
    settings::{Auth, Settings},
    work::told_to_stop,
    world::{Account, Ground, Host, Life, Parts, World, WorldId, Worlds, expire},
};

pub(crate) use self::control::change;
pub use self::{
    control::{Control, NotChanged},
    standalone::{Standalone, free_port},
    within::Within,
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
    /// Further names this server answers to.
    pub allow_hosts: Vec<String>,
    /// None: a new one.
    pub admin_token: Option<String>,
    /// Whether callbacks may go to addresses of private networks.
    pub allows_private_callbacks: bool,
    pub console: Option<Console>,
    /// Whose account it plays on.
    pub account: Account,
    /// Where requests are told to whoever watches; off unless it records.
    pub journal: Journal,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("{0} is taken by another program. Stop it, or choose another port with --port (0 picks a free one).")]
    Taken(SocketAddr),
    #[error("cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("{0} can be reached from other machines. Add --i-know-this-is-reachable if that is meant.")]
    Reachable(IpAddr),
    #[error("{0} can be reached from other machines, so keys are needed: --auth keys --set auth.keys=KEY,…")]
    NeedsKeys(IpAddr),
    #[error("an admin token has at least 16 letters, digits or . _ ~ + / = -")]
    WeakToken,
    #[error("there is no runtime to run in")]
    NoRuntime,
    #[error("no thread for the server: {0}")]
    NoThread(#[source] io::Error),
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
        let listeners = listen(config.bind, config.port)?;
        let own: Vec<SocketAddr> = listeners.iter().filter_map(|listener| listener.local_addr().ok()).collect();
        let address = *own.first().ok_or(StartError::NoRuntime)?;
        Ok(Bound { runtime, config, admin_token, listeners, own, address, url: format!("http://{}", shown(address)) })
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
    own: Vec<SocketAddr>,
    address: SocketAddr,
    url: String,
}

impl Bound {
    /// What short URLs will begin with.
    pub fn short_link_base(&self) -> String {
        self.config.settings.short_base(&self.url)
    }

    pub fn start(self, core: Core) -> Result<Handle, StartError> {
        let Self { runtime, config, admin_token, listeners, own, address, url } = self;
        let (stop, stopped) = watch::channel(false);
        let ground = Arc::new(Ground::new(
            url,
            Outbound::new(Policy { private: config.allows_private_callbacks, own }).open_to(is_hook),
            !address.ip().to_canonical().is_loopback(),
            stopped.clone(),
            Some(runtime.clone()),
        ));
        let host = host(ground, config, address, admin_token.clone(), core)?;
        let world = host.worlds.default_world();
        world.wake();
        let teller = runtime.spawn(world.journal.clone().tell_all(stopped.clone()));
        let expirer = runtime.spawn(expire(Arc::downgrade(&host)));
        let open = |door| runtime.spawn(accept(door, host.clone(), stopped.clone()));
        let doors = listeners.into_iter().map(open).collect();
        Ok(Handle {
            url: host.ground.url.clone(),
            admin_token,
            address,
            stop,
            doors,
            teller,
            expirer,
            ground: host.ground.clone(),
            control: Control::of(world),
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
    // What stands on a file may be large, and nobody asked to go back there.
    let seed = match config.account {
        Account::Own => Some(core.image().map_err(StartError::Account)?),
        Account::Kept | Account::Lent => None,
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
    Ok(Arc::new(Host {
        ground,
        gate: Gate::new(address, &config.allow_hosts),
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
    stop: watch::Sender<bool>,
    doors: Vec<JoinHandle<()>>,
    teller: JoinHandle<()>,
    expirer: JoinHandle<()>,
    ground: Arc<Ground>,
    control: Control,
}

/// How long requests under way are waited for.
const DRAIN: Duration = Duration::from_millis(1_800);
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

    /// What may be asked of it and told to it while it runs.
    pub fn control(&self) -> Control {
        self.control.clone()
    }

    /// Takes no more requests, lets those under way end, and answers within two seconds.
    pub async fn shutdown(self) {
        let Self { stop, doors, teller, expirer, ground, .. } = self;
        stop.send_replace(true);
        for door in doors {
            // A door that broke has nothing left to wait for.
            let _ = door.await;
        }
        let _ = teller.await;
        let _ = expirer.await;
        let _ = timeout(LAST, ground.is_at_rest()).await;
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

fn listen(bind: Option<IpAddr>, port: u16) -> Result<Vec<TcpListener>, StartError> {
    if let Some(ip) = bind {
        return Ok(vec![listen_on(SocketAddr::new(ip, port))?]);
    }
    let first = listen_on(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port))?;
    // The same port on ::1 is a kindness: many programs try it first. Without IPv6 there is none.
    let port = first.local_addr().map_or(port, |bound| bound.port());
    let second = listen_on(SocketAddr::new(Ipv6Addr::LOCALHOST.into(), port));
    Ok(std::iter::once(first).chain(second.ok()).collect())
}

fn listen_on(address: SocketAddr) -> Result<TcpListener, StartError> {
    let listen = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(1_024)
    };
    listen().map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => StartError::Taken(address),
        _ => StartError::Listen { address, source },
    })
}

async fn accept(listener: TcpListener, host: Arc<Host>, stop: watch::Receiver<bool>) {
    let mut stopped = stop.clone();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = told_to_stop(&mut stopped) => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    connections.spawn(connection(stream, peer, host.clone(), stop.clone()));
                }
                // Most likely no file handle is free: one will be.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
        }
    }
    drop(listener);
    let drained = timeout(DRAIN, async { while connections.join_next().await.is_some() {} }).await;
    if drained.is_err() {
        connections.shutdown().await;
    }
}

/// How long a caller may take for the head of a request, idle time between requests included.
const HEAD_TIME: Duration = Duration::from_secs(60);

async fn connection(stream: TcpStream, peer: SocketAddr, host: Arc<Host>, stop: watch::Receiver<bool>) {
    // Small answers go out at once; where that cannot be set they are merely slower.
    let _ = stream.set_nodelay(true);
    let abort = Abort::default();
    talk(Line::new(stream, abort.clone()), abort, peer, host, stop).await;
}

/// Answers the requests of one connection, whatever carries it.
async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    abort: Abort,
    peer: SocketAddr,
    host: Arc<Host>,
    mut stop: watch::Receiver<bool>,
) {
    let service = service_fn(move |request: Request<Incoming>| routes::answer(host.clone(), peer, request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = told_to_stop(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            connection.as_mut().await
        }
    };
    // Broken lines are the caller's business, unless a rule breaks them.
    if let Err(error) = ended
        && error.source().and_then(|cause| cause.downcast_ref()) == Some(&LineFault::Reset)
    {
        abort.ask();
    }
}
