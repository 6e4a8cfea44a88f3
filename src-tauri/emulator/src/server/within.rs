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

use super::{Control, Emulator, EmulatorConfig, StartError, admin_token, host, talk::requests};
use crate::{
    door::{Ending, routes::Caller},
    world::{Ground, Host},
};

/// The address that the emulator reports; nobody listens there.
const ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 4010);

/// An emulator that answers the connections it is given. Its jobs wait for [`roost_ops::job::run_next`], and its
/// callbacks are never sent.
pub struct Within {
    host: Arc<Host>,
    /// Never signals a stop; dropping it ends the receivers.
    stop: watch::Sender<bool>,
}

impl Emulator {
    /// Creates an emulator inside the caller. Address and port of the configuration are ignored.
    pub fn within(config: EmulatorConfig, core: Core) -> Result<Within, StartError> {
        let (stop, stopped) = watch::channel(false);
        let ground = Ground::new(
            format!("http://{ADDRESS}"),
            CallbackClient::new(AddressPolicy { private: config.allows_private_callbacks, own: Vec::new() }),
            false,
            stopped,
            // Without a runtime, the caller runs the jobs.
            None,
            config.bounds.clone(),
        );
        let ground = Arc::new(ground.started_with(config.start.clone()));
        let token = admin_token(config.admin_token.clone())?;
        Ok(Within { host: host(ground, config, ADDRESS, token, core)?, stop })
    }
}

impl Within {
    pub fn url(&self) -> &str {
        &self.host.ground.url
    }

    pub fn control(&self) -> Control {
        Control::of(&self.host)
    }

    /// Answers the requests of a connection until the caller closes it.
    pub async fn serve(&self, connection: impl AsyncRead + AsyncWrite + Unpin) {
        let caller = Caller { peer: ADDRESS, seat: Arc::default() };
        requests(connection, Ending::default(), caller, self.host.clone(), self.stop.subscribe()).await;
    }
}
