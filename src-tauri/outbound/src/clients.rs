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
    client::USER_AGENT,
    failure::{Failure, deepest},
    pins::{Pin, Pins},
};

/// The HTTP clients. Creating it costs nothing, because connections and certificates are set up with the first call.
#[derive(Default)]
pub(crate) struct Clients {
    pub pins: Pins,
    way: Way,
    plain: OnceLock<Result<Client, String>>,
    secure: OnceLock<Result<Client, String>>,
    own: OnceLock<Result<Client, String>>,
}

/// The route by which calls reach their target.
#[derive(Default)]
pub(crate) enum Way {
    /// Over the network. TLS calls trust the authorities that this machine trusts.
    #[default]
    Usual,
    /// Only these authorities are trusted.
    Trusting(Vec<Certificate>),
    /// To this process itself, whatever its certificate says.
    Own,
    /// Through a socket of this machine.
    Socket(PathBuf),
}

/// The target of a call. The addresses of its name do not change while this value lives.
pub(crate) struct Target {
    pub url: Url,
    pub addresses: Vec<SocketAddr>,
    _pin: Option<Pin>,
}

impl Target {
    pub fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }
}

impl Clients {
    pub fn by(way: Way) -> Self {
        Self { way, ..Self::default() }
    }

    pub async fn target(&self, url: &str) -> Result<Target, Failure> {
        let no_address = || Failure::NoAddress(url.to_owned());
        let url = Url::parse(url).map_err(|_| no_address())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(no_address());
        }
        let port = url.port_or_known_default().ok_or_else(no_address)?;
        let (pin, ips) = match url.host().ok_or_else(no_address)? {
            Host::Ipv4(ip) => (None, vec![IpAddr::V4(ip)]),
            Host::Ipv6(ip) => (None, vec![IpAddr::V6(ip)]),
            Host::Domain(name) => {
                let pin = self.pins.pin(name, port).await.map_err(Failure::Unresolved)?;
                let ips = pin.addresses.clone();
                (Some(pin), ips)
            }
        };
        let addresses = ips.into_iter().map(|ip| SocketAddr::new(ip, port)).collect();
        Ok(Target { url, addresses, _pin: pin })
    }

    /// Returns the client, which follows neither redirects nor a proxy, so that a call goes where it was sent.
    pub fn get(&self, secure: bool, tune: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Result<&Client, Failure> {
        let slot = if secure { &self.secure } else { &self.plain };
        self.made(slot, || {
            let builder = match &self.way {
                // Plain calls load no certificates, so that they work, without delay, on a machine that has none.
                _ if !secure => self.plain_builder(),
                Way::Usual | Way::Socket(_) => self.builder(),
                Way::Trusting(roots) => self.builder().tls_certs_only(roots.iter().cloned()),
                Way::Own => self.own_builder(),
            };
            tune(builder)
        })
    }

    /// Returns the client for TLS calls to this process.
    pub fn get_own(&self, tune: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Result<&Client, Failure> {
        self.made(&self.own, || tune(self.own_builder()))
    }

    fn made<'c>(
        &self,
        slot: &'c OnceLock<Result<Client, String>>,
        builder: impl FnOnce() -> ClientBuilder,
    ) -> Result<&'c Client, Failure> {
        let built = slot.get_or_init(|| builder().build().map_err(|error| deepest(&error)));
        built.as_ref().map_err(|why| Failure::NoCertificates(why.clone()))
    }

    fn builder(&self) -> ClientBuilder {
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
        let builder = self.builder().tls_certs_only([]);
        match &self.way {
            #[cfg(unix)]
            Way::Socket(path) => builder.unix_socket(path.as_path()),
            _ => builder,
        }
    }

    /// Accepts any certificate: no other process can listen where this one does, so a certificate proves nothing.
    fn own_builder(&self) -> ClientBuilder {
        self.builder().tls_certs_only([]).tls_danger_accept_invalid_certs(true)
    }
}
