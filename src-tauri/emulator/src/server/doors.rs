//! The sockets that a server listens on, and the loop that accepts connections.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    task::JoinSet,
    time::timeout,
};

use super::{StartError, connection_handler::ConnectionHandler};
use crate::{
    http::{ConnectionStream, wait_for_stop},
    server::dispatch::routes::RemoteCaller,
};

/// The number of connections that wait to be accepted. The system may allow fewer; if there are more, the systems of
/// the callers retry a second later.
const LISTEN_BACKLOG: u32 = 4_096;
/// The number of connections accepted in a row before the existing ones get a turn.
const ACCEPT_BURST: usize = 16;
/// How long the server waits for running requests when it stops.
const DRAIN_TIME: Duration = Duration::from_millis(1_800);

/// Opens the listeners: on the given address, or on loopback for IPv4 and IPv6.
pub(super) fn open_listeners(bind: Option<IpAddr>, port: u16) -> Result<Vec<TcpListener>, StartError> {
    if let Some(ip) = bind {
        return Ok(vec![open_listener(SocketAddr::new(ip, port))?]);
    }
    let first = open_listener(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port))?;
    // Also listening on ::1 is a courtesy, because many programs try it first. Without IPv6 it is left out.
    let port = first.local_addr().map_or(port, |bound| bound.port());
    let second = open_listener(SocketAddr::new(Ipv6Addr::LOCALHOST.into(), port));
    Ok(std::iter::once(first).chain(second.ok()).collect())
}

fn open_listener(address: SocketAddr) -> Result<TcpListener, StartError> {
    let listen = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(LISTEN_BACKLOG)
    };
    listen().map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => StartError::PortTaken(address),
        _ => StartError::Listen { address, source },
    })
}

/// A socket that accepts connections.
pub(super) trait Door: Send {
    type Stream: ConnectionStream;

    /// Waits for the next connection and returns it with the address of the caller.
    fn next_connection(&self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;
}

impl Door for TcpListener {
    type Stream = TcpStream;

    async fn next_connection(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = self.accept().await?;
        // Small responses should leave at once. If the option cannot be set, they are merely slower.
        let _ = stream.set_nodelay(true);
        Ok((stream, peer))
    }
}

/// Accepts connections until the server stops, then waits for the running ones.
pub(super) async fn accept_connections(door: impl Door, talk: ConnectionHandler) {
    let mut stopped = talk.stop.clone();
    let mut connections = JoinSet::new();
    let mut at_once = 0;
    loop {
        let accepted = tokio::select! {
            () = wait_for_stop(&mut stopped) => break,
            Some(_) = connections.join_next() => continue,
            accepted = door.next_connection() => accepted,
        };
        let Ok((stream, peer)) = accepted else {
            // Most likely no file handle is free; retry when one may be.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let taken = tokio::select! {
            () = wait_for_stop(&mut stopped) => break,
            taken = talk.host.resources.capacity.seats.take_seat() => taken,
        };
        let talk = talk.clone().serve_connection(stream, RemoteCaller { peer, seat: taken.seat.clone() });
        connections.spawn(async move {
            tokio::select! {
                () = talk => {}
                () = taken.seat.wait_for_eviction() => {}
            }
        });
        // Many connections may arrive at once. Existing ones are served meanwhile, but only after every few new ones,
        // because one of their turns may take long.
        at_once = (at_once + 1) % ACCEPT_BURST;
        if at_once == 0 {
            tokio::task::yield_now().await;
        }
    }
    drop(door);
    let drained = timeout(DRAIN_TIME, async { while connections.join_next().await.is_some() {} }).await;
    if drained.is_err() {
        connections.shutdown().await;
    }
}
