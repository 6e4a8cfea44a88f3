//! The emulator without sockets and threads. The caller brings the connections, runs the jobs and moves the time, so
//! that a whole world of callers and service is one deterministic thread.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use roost_ops::Core;
use roost_outbound::{AddressPolicy, CallbackClient};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
};

use super::{
    Emulator, EmulatorConfig, ServerControl, StartError, build_host, choose_admin_token,
    connection_handler::serve_http1,
};
use crate::{
    http::CloseMode,
    server::dispatch::routes::RemoteCaller,
    world::{Host, HostResources},
};

/// The address that the emulator reports; nobody listens there.
const EMBEDDED_ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 4010);

/// An emulator that answers the connections it is given. Its jobs wait for [`roost_ops::job::run_next`], and its
/// callbacks are never sent.
pub struct EmbeddedEmulator {
    host: Arc<Host>,
    /// Never signals a stop; dropping it ends the receivers.
    stop: watch::Sender<bool>,
}

impl Emulator {
    /// Creates an emulator inside the caller. Address and port of the configuration are ignored.
    pub fn embed(config: EmulatorConfig, core: Core) -> Result<EmbeddedEmulator, StartError> {
        let (stop, stopped) = watch::channel(false);
        let resources = HostResources::new(
            format!("http://{EMBEDDED_ADDRESS}"),
            CallbackClient::new(AddressPolicy { private: config.allows_private_callbacks, own: Vec::new() }),
            false,
            stopped,
            // Without a runtime, the caller runs the jobs.
            None,
            config.bounds.clone(),
        );
        let resources = Arc::new(resources.started_with(config.start.clone()));
        let token = choose_admin_token(config.admin_token.clone())?;
        Ok(EmbeddedEmulator { host: build_host(resources, config, EMBEDDED_ADDRESS, token, core)?, stop })
    }
}

impl EmbeddedEmulator {
    pub fn url(&self) -> &str {
        &self.host.resources.url
    }

    pub fn control(&self) -> ServerControl {
        ServerControl::from_host(&self.host)
    }

    /// Answers the requests of a connection until the caller closes it.
    pub async fn serve(&self, connection: impl AsyncRead + AsyncWrite + Unpin) {
        let caller = RemoteCaller { peer: EMBEDDED_ADDRESS, seat: Arc::default() };
        serve_http1(connection, CloseMode::default(), caller, self.host.clone(), self.stop.subscribe()).await;
    }
}
