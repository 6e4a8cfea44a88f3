//! Parses the address of a server: its base URL, the URL of its admin interface, or a socket.

use std::path::PathBuf;

use roost_outbound::{NoCertificateFound, ServiceClient};
use url::Url;

use super::ClientError;

const ADMIN_PATH: &str = "/__admin";

/// The address of a server.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ServerAddress {
    /// The base URL, without a final slash.
    pub server: String,
    /// The URL of the admin interface, or of one world's part of it if the address names a world.
    pub admin: String,
    pub host: String,
    pub port: u16,
    /// The Unix socket to connect to instead of host and port.
    pub socket: Option<PathBuf>,
}

/// The prefix of a socket's address; the rest is its path.
const SOCKET_PREFIX: &str = "unix:";

impl ServerAddress {
    pub(super) fn parse(text: &str) -> Result<Self, ClientError> {
        let wrong = || ClientError::Address(text.to_owned());
        if let Some(path) = text.trim().strip_prefix(SOCKET_PREFIX) {
            if path.is_empty() || !cfg!(unix) {
                return Err(wrong());
            }
            let place = Self::parse("http://127.0.0.1")?;
            return Ok(Self { socket: Some(PathBuf::from(path)), ..place });
        }
        let url = Url::parse(text.trim()).map_err(|_| wrong())?;
        let is_plain = url.username().is_empty() && url.password().is_none();
        if !matches!(url.scheme(), "http" | "https") || !is_plain || url.query().is_some() || url.fragment().is_some() {
            return Err(wrong());
        }
        let host = url.host_str().ok_or_else(wrong)?.to_owned();
        let port = url.port_or_known_default().ok_or_else(wrong)?;
        let address = url.as_str().trim_end_matches('/').to_owned();
        let (server, admin) = match address.find(ADMIN_PATH) {
            Some(at) => (address[..at].to_owned(), address),
            None => (address.clone(), format!("{address}{ADMIN_PATH}")),
        };
        Ok(Self { server, admin, host, port, socket: None })
    }

    /// Turns the address of a world, `…/w/NAME`, into the address of its admin interface.
    pub(super) fn for_world(self) -> Self {
        match self.server.rsplit_once("/w/") {
            Some((server, world))
                if !world.contains('/') && self.admin.len() == self.server.len() + ADMIN_PATH.len() =>
            {
                let admin = format!("{server}{ADMIN_PATH}/worlds/{world}");
                Self { server: server.to_owned(), admin, ..self }
            }
            _ => self,
        }
    }

    /// Creates a client for this address. `plain_http` allows plain HTTP to other machines, which is safe only if
    /// nothing secret is sent.
    pub(super) fn service_client(&self, plain_http: bool) -> ServiceClient {
        let line = ServiceClient::new(plain_http);
        match &self.socket {
            Some(path) => line.via_socket(path.clone()),
            None => line,
        }
    }

    /// Returns whether the server has to present a certificate.
    pub(super) fn is_secure(&self) -> bool {
        self.server.starts_with("https:")
    }

    /// Makes the client trust only these certificate authorities, given as PEM. A socket needs none.
    pub(super) fn with_authorities(
        &self,
        line: ServiceClient,
        authorities: &[u8],
    ) -> Result<ServiceClient, NoCertificateFound> {
        if self.is_secure() { line.with_authorities(authorities) } else { Ok(line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_people_write_it() {
        for (text, server, admin) in [
            ("http://127.0.0.1:4010", "http://127.0.0.1:4010", "http://127.0.0.1:4010/__admin"),
            (" http://localhost:4010/ ", "http://localhost:4010", "http://localhost:4010/__admin"),
            ("http://[::1]:4010/__admin/", "http://[::1]:4010", "http://[::1]:4010/__admin"),
            ("https://a.example/__admin/worlds/b", "https://a.example", "https://a.example/__admin/worlds/b"),
        ] {
            let place = ServerAddress::parse(text).expect(text);
            assert_eq!((place.server.as_str(), place.admin.as_str()), (server, admin), "{text}");
        }
        let world = ServerAddress::parse("http://127.0.0.1:4010/w/b/").expect("an address").for_world();
        assert_eq!(
            (world.server.as_str(), world.admin.as_str()),
            ("http://127.0.0.1:4010", "http://127.0.0.1:4010/__admin/worlds/b")
        );
        let place = ServerAddress::parse("unix:/run/roost.sock").expect("a socket");
        assert_eq!((place.server.as_str(), place.port), ("http://127.0.0.1", 80));
        assert_eq!(place.socket, Some(PathBuf::from("/run/roost.sock")));
        assert_eq!(ServerAddress::parse("https://a.example").expect("an address").port, 443);
        for text in
            ["", "unix:", "4010", "127.0.0.1:4010", "localhost:4010", "ftp://a/", "http://a/?b", "http://me:it@a/"]
        {
            let message = ServerAddress::parse(text).expect_err(text).to_string();
            assert!(message.contains("http://127.0.0.1:4010"), "{message}");
        }
    }
}
