//! What both doors share: addresses that were looked at, and one client for plain calls, one for those with certificates.

use std::{
    net::{IpAddr, SocketAddr},
    sync::OnceLock,
};

use reqwest::{Client, ClientBuilder, redirect};
use url::{Host, Url};

use crate::{
    client::USER_AGENT,
    failure::{Failure, deepest},
    pins::{Pin, Pins},
};

/// Made without cost: connections and certificates come with the first call.
#[derive(Default)]
pub(crate) struct Clients {
    pub pins: Pins,
    plain: OnceLock<Result<Client, String>>,
    secure: OnceLock<Result<Client, String>>,
}

/// Where a call goes; the name's addresses hold still while this lives.
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

    /// Neither redirects nor a proxy: a call goes where it was sent.
    pub fn get(&self, secure: bool, tune: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Result<&Client, Failure> {
        // Plain calls carry no certificates, so that they work, and at once, on a machine that has none.
        let slot = if secure { &self.secure } else { &self.plain };
        let built = slot.get_or_init(|| {
            let builder = Client::builder()
                .user_agent(USER_AGENT)
                .redirect(redirect::Policy::none())
                .no_proxy()
                .dns_resolver(self.pins.clone());
            let builder = if secure { builder } else { builder.tls_certs_only([]) };
            tune(builder).build().map_err(|error| deepest(&error))
        });
        built.as_ref().map_err(|why| Failure::NoCertificates(why.clone()))
    }
}
