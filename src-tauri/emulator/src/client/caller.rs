//! Calls the interface itself, as somebody outside would: for requests that were recorded and are sent again.

use std::net::IpAddr;

use bytes::Bytes;
use roost_outbound::{Key, Line, NoAuthority, Request};

use super::{NotTold, gathered, place::Place};

/// The header that carries the key.
const KEY: &str = "X-AUTH-KEY";

/// The way to one service. Plain http leads to this machine alone.
pub struct Caller {
    line: Line,
    place: Place,
    key: Key,
}

/// What came back, read whole.
pub struct Answered {
    pub status: u16,
    pub retry_after: Option<String>,
    pub body: Vec<u8>,
}

impl Caller {
    /// `url` is the base that paths are appended to.
    pub fn new(url: &str, key: &str) -> Result<Self, NotTold> {
        let key = Key::new(KEY, key).map_err(|_| NotTold::Key)?;
        let place = Place::read(url)?;
        Ok(Self { line: place.line(false), place, key })
    }

    /// Trusts these authorities, as PEM, and no other.
    pub fn trusting(self, authorities: &[u8]) -> Result<Self, NoAuthority> {
        Ok(Self { line: self.place.trusting(self.line, authorities)?, ..self })
    }

    pub fn url(&self) -> &str {
        &self.place.server
    }

    /// Whether it has to prove who it is.
    pub fn is_secure(&self) -> bool {
        self.place.is_secure()
    }

    /// Whether the address names this machine.
    pub fn is_here(&self) -> bool {
        let host = self.place.host.trim_start_matches('[').trim_end_matches(']');
        let is_name = host == "localhost" || host.ends_with(".localhost");
        is_name || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// `target` is path and query.
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
        let reply = self.line.call(Request { method, url, key, body }).await?;
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
