//! Checked addresses of the hosts being called: a name is resolved once, and the connection goes where the check looked.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

#[derive(Clone, Default)]
pub(crate) struct Pins(Arc<Mutex<HashMap<String, Pinned>>>);

struct Pinned {
    addresses: Vec<IpAddr>,
    calls: usize,
}

/// A host's addresses hold still while this lives.
pub(crate) struct Pin {
    pins: Pins,
    host: String,
    pub addresses: Vec<IpAddr>,
}

impl Pins {
    fn hosts(&self) -> MutexGuard<'_, HashMap<String, Pinned>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resolves a name, or joins the calls to it that are under way.
    pub async fn pin(&self, host: &str, port: u16) -> io::Result<Pin> {
        if let Some(pin) = self.join(host) {
            return Ok(pin);
        }
        let found: Vec<IpAddr> = tokio::net::lookup_host((host, port)).await?.map(|address| address.ip()).collect();
        if found.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address"));
        }
        self.hosts().entry(host.to_owned()).or_insert(Pinned { addresses: found, calls: 0 });
        self.join(host).ok_or_else(|| io::Error::other("the name was let go at once"))
    }

    fn join(&self, host: &str) -> Option<Pin> {
        let mut hosts = self.hosts();
        let pinned = hosts.get_mut(host)?;
        pinned.calls += 1;
        Some(Pin { pins: self.clone(), host: host.to_owned(), addresses: pinned.addresses.clone() })
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        let mut hosts = self.pins.hosts();
        if let Some(pinned) = hosts.get_mut(&self.host) {
            pinned.calls -= 1;
            if pinned.calls == 0 {
                hosts.remove(&self.host);
            }
        }
    }
}

impl Resolve for Pins {
    fn resolve(&self, name: Name) -> Resolving {
        let pinned = self.hosts().get(name.as_str()).map(|p| p.addresses.clone());
        Box::pin(async move {
            // Nothing is resolved here: a name that was not checked leads nowhere.
            let addresses = pinned.ok_or("the name was not checked")?;
            let addresses: Addrs = Box::new(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(addresses)
        })
    }
}
