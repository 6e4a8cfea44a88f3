//! Pins the checked addresses of the hosts that are being called: a name is resolved once, and the connection goes to
//! the checked addresses.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

#[derive(Clone, Default)]
pub(crate) struct AddressPins(Arc<Mutex<HashMap<String, PinnedHost>>>);

struct PinnedHost {
    addresses: Vec<IpAddr>,
    calls: usize,
}

/// Pins the addresses of a host for as long as this value lives.
pub(crate) struct AddressPin {
    pins: AddressPins,
    host: String,
    pub addresses: Vec<IpAddr>,
}

impl AddressPins {
    fn lock_hosts(&self) -> MutexGuard<'_, HashMap<String, PinnedHost>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resolves a name, or reuses the addresses of calls to it that are under way.
    pub(crate) async fn pin_host(&self, host: &str, port: u16) -> io::Result<AddressPin> {
        if let Some(pin) = self.join_pinned(host) {
            return Ok(pin);
        }
        let found: Vec<IpAddr> = if localhost_label(host.strip_suffix('.').unwrap_or(host)).is_some() {
            vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
        } else {
            tokio::net::lookup_host((host, port)).await?.map(|address| address.ip()).collect()
        };
        if found.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address"));
        }
        self.lock_hosts().entry(host.to_owned()).or_insert(PinnedHost { addresses: found, calls: 0 });
        self.join_pinned(host).ok_or_else(|| io::Error::other("the host name is no longer pinned"))
    }

    fn join_pinned(&self, host: &str) -> Option<AddressPin> {
        let mut hosts = self.lock_hosts();
        let pinned = hosts.get_mut(host)?;
        pinned.calls += 1;
        Some(AddressPin { pins: self.clone(), host: host.to_owned(), addresses: pinned.addresses.clone() })
    }
}

/// Returns the part of a name before `.localhost`. It is empty for `localhost` itself, and `None` for other names (RFC
/// 6761). Not every system resolves these names, and none may ask the network for them.
pub fn localhost_label(name: &str) -> Option<&str> {
    let (label, end) = name.split_at_checked(name.len().checked_sub("localhost".len())?)?;
    let label = if label.is_empty() { Some(label) } else { label.strip_suffix('.').filter(|label| !label.is_empty()) };
    label.filter(|_| end.eq_ignore_ascii_case("localhost"))
}

impl Drop for AddressPin {
    fn drop(&mut self) {
        let mut hosts = self.pins.lock_hosts();
        if let Some(pinned) = hosts.get_mut(&self.host) {
            pinned.calls -= 1;
            if pinned.calls == 0 {
                hosts.remove(&self.host);
            }
        }
    }
}

impl Resolve for AddressPins {
    fn resolve(&self, name: Name) -> Resolving {
        let pinned = self.lock_hosts().get(name.as_str()).map(|p| p.addresses.clone());
        Box::pin(async move {
            // Nothing is resolved here, so a name that was not checked has no address.
            let addresses = pinned.ok_or("the name was not checked")?;
            let addresses: Addrs = Box::new(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{address::AddressPolicy, client_pool::ClientPool};

    /// Pins addresses as if the name had just been resolved.
    fn leads_to(pins: &AddressPins, name: &str, addresses: &[&str]) {
        let addresses = addresses.iter().map(|address| address.parse().expect("an address")).collect();
        pins.lock_hosts().insert(name.to_owned(), PinnedHost { addresses, calls: 0 });
    }

    #[tokio::test]
    async fn names_below_localhost_are_this_machine() {
        let pins = AddressPins::default();
        for name in ["localhost", "localhost.", "LOCALHOST", "world-1.localhost", "a.b.localhost."] {
            let pin = pins.pin_host(name, 80).await.expect(name);
            assert!(pin.addresses.iter().all(IpAddr::is_loopback), "{name}");
        }
        for name in ["localhost.example", "notlocalhost", ".localhost"] {
            assert_eq!(localhost_label(name), None, "{name}");
        }
        assert_eq!(localhost_label("a.b.LocalHost"), Some("a.b"));
    }

    async fn resolved(pins: &AddressPins, name: &str) -> Option<Vec<IpAddr>> {
        let found = pins.resolve(name.parse().expect("a name")).await.ok()?;
        Some(found.map(|address| address.ip()).collect())
    }

    #[tokio::test]
    async fn a_name_is_judged_by_every_address_it_leads_to() {
        let clients = ClientPool::default();
        for (addresses, is_refused) in [
            (&["169.254.169.254"][..], true),
            (&["198.51.100.1", "169.254.169.254"], true),
            (&["2001:db8::1", "::ffff:169.254.169.254"], true),
            (&["0.0.0.0"], true),
            (&["10.0.0.1"], true),
            (&["198.51.100.1", "127.0.0.1"], false),
        ] {
            leads_to(&clients.pins, "rebound.example", addresses);
            let target = clients.resolve_target("http://rebound.example:8080/hook").await.expect("a target");
            assert_eq!(target.addresses.len(), addresses.len());
            let refused =
                target.addresses.iter().any(|address| AddressPolicy::default().find_refusal(*address).is_some());
            assert_eq!(refused, is_refused, "{addresses:?}");
        }
    }

    #[tokio::test]
    async fn a_connection_uses_the_addresses_that_were_checked_and_an_unchecked_name_has_none() {
        let pins = AddressPins::default();
        leads_to(&pins, "rebound.example", &["198.51.100.1"]);
        let checked = pins.pin_host("rebound.example", 80).await.expect("known");
        let again = pins.pin_host("rebound.example", 80).await.expect("known");
        drop(checked);
        assert_eq!(resolved(&pins, "rebound.example").await.as_deref(), Some(again.addresses.as_slice()));
        drop(again);
        assert_eq!(resolved(&pins, "rebound.example").await, None, "what nobody checked leads nowhere");
    }
}
