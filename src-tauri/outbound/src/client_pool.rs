//! What the callback client and the service client share: resolved addresses, and one HTTP client each for plain and
//! for TLS calls.

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    sync::OnceLock,
};

use reqwest::{Certificate, Client, ClientBuilder, redirect};
use url::{Host, Url};

use crate::{
    callback_client::USER_AGENT,
    failure::{CallFailure, innermost_cause},
    pins::{AddressPin, AddressPins},
};

/// The HTTP clients. Creating it costs nothing, because connections and certificates are set up with the first call.
#[derive(Default)]
pub(crate) struct ClientPool {
    pub pins: AddressPins,
    route: CallRoute,
    plain: OnceLock<Result<Client, String>>,
    secure: OnceLock<Result<Client, String>>,
    own: OnceLock<Result<Client, String>>,
}

/// The route by which calls reach their target.
#[derive(Default)]
pub(crate) enum CallRoute {
    /// Over the network. TLS calls trust the authorities that this machine trusts.
    #[default]
    Network,
    /// Only these authorities are trusted.
    Trusting(Vec<Certificate>),
    /// To this process itself, whatever its certificate says.
    Own,
    /// Through a socket of this machine.
    Socket(PathBuf),
}

/// The target of a call. The addresses of its name do not change while this value lives.
pub(crate) struct CallTarget {
    pub url: Url,
    pub addresses: Vec<SocketAddr>,
    _pin: Option<AddressPin>,
}

impl CallTarget {
    pub(crate) fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }
}

impl ClientPool {
    pub(crate) fn with_route(route: CallRoute) -> Self {
        Self { route, ..Self::default() }
    }

    pub(crate) async fn resolve_target(&self, url: &str) -> Result<CallTarget, CallFailure> {
        let no_address = || CallFailure::NoAddress(url.to_owned());
        let url = Url::parse(url).map_err(|_| no_address())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(no_address());
        }
        let port = url.port_or_known_default().ok_or_else(no_address)?;
        let (pin, ips) = match url.host().ok_or_else(no_address)? {
            Host::Ipv4(ip) => (None, vec![IpAddr::V4(ip)]),
            Host::Ipv6(ip) => (None, vec![IpAddr::V6(ip)]),
            Host::Domain(name) => {
                let pin = self.pins.pin_host(name, port).await.map_err(CallFailure::Unresolved)?;
                let ips = pin.addresses.clone();
                (Some(pin), ips)
            }
        };
        let addresses = ips.into_iter().map(|ip| SocketAddr::new(ip, port)).collect();
        Ok(CallTarget { url, addresses, _pin: pin })
    }

    /// Returns the client, which follows neither redirects nor a proxy, so that a call goes where it was sent.
    pub(crate) fn client_for(
        &self,
        secure: bool,
        tune: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<&Client, CallFailure> {
        let slot = if secure { &self.secure } else { &self.plain };
        self.get_or_build(slot, || {
            let builder = match &self.route {
                // Plain calls load no certificates, so that they work, without delay, on a machine that has none.
                _ if !secure => self.plain_builder(),
                CallRoute::Network | CallRoute::Socket(_) => self.base_builder(),
                CallRoute::Trusting(roots) => self.base_builder().tls_certs_only(roots.iter().cloned()),
                CallRoute::Own => self.own_builder(),
            };
            tune(builder)
        })
    }

    /// Returns the client for TLS calls to this process.
    pub(crate) fn get_own(&self, tune: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Result<&Client, CallFailure> {
        self.get_or_build(&self.own, || tune(self.own_builder()))
    }

    fn get_or_build<'c>(
        &self,
        slot: &'c OnceLock<Result<Client, String>>,
        builder: impl FnOnce() -> ClientBuilder,
    ) -> Result<&'c Client, CallFailure> {
        let built = slot.get_or_init(|| builder().build().map_err(|error| innermost_cause(&error)));
        built.as_ref().map_err(|why| CallFailure::NoCertificates(why.clone()))
    }

    fn base_builder(&self) -> ClientBuilder {
        // reqwest uses the cryptography provider of the process. If another part of the process has installed one, it
        // is kept.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Client::builder()
            .user_agent(USER_AGENT)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .dns_resolver(self.pins.clone())
    }

    fn plain_builder(&self) -> ClientBuilder {
        let builder = self.base_builder().tls_certs_only([]);
        match &self.route {
            #[cfg(unix)]
            CallRoute::Socket(path) => builder.unix_socket(path.as_path()),
            _ => builder,
        }
    }

    /// Accepts any certificate: no other process can listen where this one does, so a certificate proves nothing.
    fn own_builder(&self) -> ClientBuilder {
        self.base_builder().tls_certs_only([]).tls_danger_accept_invalid_certs(true)
    }
}
