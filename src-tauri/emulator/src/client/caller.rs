//! Calls the service's interface as an outside caller does, to send recorded requests again.

use std::net::IpAddr;

use bytes::Bytes;
use roost_outbound::{KeyHeader, NoCertificateFound, ServiceClient, ServiceRequest};

use super::{NotTold, gathered, place::Place};

const KEY: &str = "X-AUTH-KEY";

/// A client of one service. Plain HTTP is allowed only to this machine.
pub struct Caller {
    line: ServiceClient,
    place: Place,
    key: KeyHeader,
}

/// A response that was read to its end.
pub struct Answered {
    pub status: u16,
    pub retry_after: Option<String>,
    pub body: Vec<u8>,
}

impl Caller {
    /// Creates a client for the base URL to which paths are appended.
    pub fn new(url: &str, key: &str) -> Result<Self, NotTold> {
        let key = KeyHeader::new(KEY, key).map_err(|_| NotTold::Key)?;
        let place = Place::read(url)?;
        Ok(Self { line: place.line(false), place, key })
    }

    /// Trusts only these certificate authorities, given as PEM.
    pub fn trusting(self, authorities: &[u8]) -> Result<Self, NoCertificateFound> {
        Ok(Self { line: self.place.trusting(self.line, authorities)?, ..self })
    }

    pub fn url(&self) -> &str {
        &self.place.server
    }

    /// Returns whether the service has to present a certificate.
    pub fn is_secure(&self) -> bool {
        self.place.is_secure()
    }

    /// Returns whether the address names this machine.
    pub fn is_here(&self) -> bool {
        let host = self.place.host.trim_start_matches('[').trim_end_matches(']');
        let is_name = host == "localhost" || host.ends_with(".localhost");
        is_name || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// Sends a request to `target`, which is path and query.
    pub async fn call(
        &self,
        method: &'static str,
        target: &str,
        has_key: bool,
        body: Option<&str>,
    ) -> Result<Answered, NotTold> {
        let key = has_key.then(|| self.key.clone());
        let body = body.map(|text| Bytes::copy_from_slice(text.as_bytes()));
        let url = format!("{}{target}", self.place.server);
        let reply = self.line.call(ServiceRequest { method, url, key, body }).await?;
        let (status, retry_after) = (reply.status, reply.retry_after);
        Ok(Answered { status, retry_after, body: gathered(reply.body).await?.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_its_names() {
        for (url, is_here) in [
            ("http://127.0.0.1:4010", true),
            ("http://127.9.9.9/w/a", true),
            ("http://localhost", true),
            ("http://a.localhost:1", true),
            ("http://[::1]:4010", true),
            ("https://localhost.example", false),
            ("https://192.0.2.1", false),
            ("https://[2001:db8::1]", false),
        ] {
            assert_eq!(Caller::new(url, "any").expect("an address").is_here(), is_here, "{url}");
        }
        assert!(matches!(Caller::new("http://localhost", "two\nlines"), Err(NotTold::Key)));
    }

    #[tokio::test]
    async fn plain_http_leads_nowhere_else() {
        let caller = Caller::new("http://192.0.2.1", "any").expect("an address");
        let refused = caller.call("GET", "/", false, None).await.err().expect("refused").to_string();
        assert!(refused.contains("unencrypted"), "{refused}");
    }
}
