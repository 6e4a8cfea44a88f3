//! Calls the service's interface as an outside caller does, to send recorded requests again.

use std::net::IpAddr;

use bytes::Bytes;
use roost_outbound::{KeyHeader, NoCertificateFound, ServiceClient, ServiceRequest};

use super::{ClientError, address::ServerAddress, read_body};

const KEY_HEADER: &str = "X-AUTH-KEY";

/// A client of one service. Plain HTTP is allowed only to this machine.
pub struct InterfaceClient {
    line: ServiceClient,
    place: ServerAddress,
    key: KeyHeader,
}

/// A response that was read to its end.
pub struct InterfaceResponse {
    pub status: u16,
    pub retry_after: Option<String>,
    pub body: Vec<u8>,
}

impl InterfaceClient {
    /// Creates a client for the base URL to which paths are appended.
    pub fn new(url: &str, key: &str) -> Result<Self, ClientError> {
        let key = KeyHeader::new(KEY_HEADER, key).map_err(|_| ClientError::Key)?;
        let place = ServerAddress::parse(url)?;
        Ok(Self { line: place.service_client(false), place, key })
    }

    /// Trusts only these certificate authorities, given as PEM.
    pub fn with_authorities(self, authorities: &[u8]) -> Result<Self, NoCertificateFound> {
        Ok(Self { line: self.place.with_authorities(self.line, authorities)?, ..self })
    }

    pub fn url(&self) -> &str {
        &self.place.server
    }

    /// Returns whether the service has to present a certificate.
    pub fn is_secure(&self) -> bool {
        self.place.is_secure()
    }

    /// Returns whether the address names this machine.
    pub fn is_this_machine(&self) -> bool {
        let host = self.place.host.trim_start_matches('[').trim_end_matches(']');
        let is_name = host == "localhost" || host.ends_with(".localhost");
        is_name || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// Sends a request to `target`, which is path and query.
    pub async fn send_call(
        &self,
        method: &'static str,
        target: &str,
        has_key: bool,
        body: Option<&str>,
    ) -> Result<InterfaceResponse, ClientError> {
        let key = has_key.then(|| self.key.clone());
        let body = body.map(|text| Bytes::copy_from_slice(text.as_bytes()));
        let url = format!("{}{target}", self.place.server);
        let reply = self.line.call(ServiceRequest { method, url, key, body }).await?;
        let (status, retry_after) = (reply.status, reply.retry_after);
        Ok(InterfaceResponse { status, retry_after, body: read_body(reply.body).await?.to_vec() })
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
            assert_eq!(InterfaceClient::new(url, "any").expect("an address").is_this_machine(), is_here, "{url}");
        }
        assert!(matches!(InterfaceClient::new("http://localhost", "two\nlines"), Err(ClientError::Key)));
    }

    #[tokio::test]
    async fn plain_http_leads_nowhere_else() {
        let caller = InterfaceClient::new("http://192.0.2.1", "any").expect("an address");
        let refused = caller.send_call("GET", "/", false, None).await.err().expect("refused").to_string();
        assert!(refused.contains("unencrypted"), "{refused}");
    }
}
