//! Calls the service over https, or without TLS to this machine only. The key is marked as a secret, and the response
//! body arrives in pieces.

use std::{fmt, path::PathBuf, pin::Pin, time::Duration};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use reqwest::{
    Certificate, Method,
    header::{self, HeaderName, HeaderValue},
};

use crate::{
    address::{AddressRange, classify_address},
    client_pool::{CallRoute, CallTarget, ClientPool},
    failure::{CallFailure, innermost_cause},
};

const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// The header that identifies the caller. Its value is never printed.
#[derive(Clone)]
pub struct KeyHeader {
    name: HeaderName,
    value: HeaderValue,
}

#[derive(Debug, thiserror::Error)]
pub enum InvalidHeader {
    #[error("'{0}' is not a valid header name. Use letters, digits and hyphens, for example X-AUTH-KEY.")]
    Name(String),
    /// The value is left out, because it is a secret.
    #[error("The key has characters that a header cannot contain. Copy it again without line breaks.")]
    Value,
}

impl KeyHeader {
    pub fn new(name: &str, value: &str) -> Result<Self, InvalidHeader> {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| InvalidHeader::Name(name.to_owned()))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| InvalidHeader::Value)?;
        value.set_sensitive(true);
        Ok(Self { name, value })
    }

    /// Returns name and value, for callers that build a request themselves.
    pub fn expose(&self) -> (&str, &[u8]) {
        (self.name.as_str(), self.value.as_bytes())
    }
}

impl fmt::Debug for KeyHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ••••", self.name)
    }
}

/// The error for a text that contains no certificates.
#[derive(Debug, thiserror::Error)]
#[error("it contains no certificate; expected a PEM file with BEGIN CERTIFICATE")]
pub struct NoCertificateFound;

/// One complete request.
#[derive(Debug, Clone)]
pub struct ServiceRequest {
    /// One of GET, POST, PUT, PATCH and DELETE.
    pub method: &'static str,
    pub url: String,
    pub key: Option<KeyHeader>,
    /// The body as JSON.
    pub body: Option<Bytes>,
}

pub type ResponseBody = Pin<Box<dyn Stream<Item = Result<Bytes, CallFailure>> + Send>>;

/// The head of a response, and its body as a stream.
pub struct ServiceResponse {
    pub status: u16,
    pub retry_after: Option<String>,
    /// The time of the service.
    pub date: Option<String>,
    pub body: ResponseBody,
}

/// Calls one service. Connections are reused. Redirects are returned as responses, so that a key never follows one.
#[derive(Default)]
pub struct ServiceClient {
    plain_http: bool,
    clients: ClientPool,
}

impl ServiceClient {
    /// Creates a client. `plain_http` means that a person allowed the key to travel unencrypted.
    pub fn new(plain_http: bool) -> Self {
        Self { plain_http, ..Self::default() }
    }

    /// Trusts these authorities, given as PEM, and no others.
    pub fn with_authorities(self, authorities: &[u8]) -> Result<Self, NoCertificateFound> {
        let roots = Certificate::from_pem_bundle(authorities).map_err(|_| NoCertificateFound)?;
        if roots.is_empty() { Err(NoCertificateFound) } else { Ok(self.with_route(CallRoute::Trusting(roots))) }
    }

    /// Calls this process itself, whatever its certificate says.
    pub fn to_this_process(self) -> Self {
        self.with_route(CallRoute::Own)
    }

    /// Calls through a socket of this machine, whatever host an address names.
    pub fn via_socket(self, socket: PathBuf) -> Self {
        self.with_route(CallRoute::Socket(socket))
    }

    fn with_route(self, route: CallRoute) -> Self {
        Self { clients: ClientPool::with_route(route), ..self }
    }

    pub async fn call(&self, request: ServiceRequest) -> Result<ServiceResponse, CallFailure> {
        let target = self.clients.resolve_target(&request.url).await?;
        self.check_target(&target)?;
        let client = self.clients.client_for(target.is_secure(), |builder| builder.connect_timeout(CONNECT_WITHIN))?;
        let method = Method::from_bytes(request.method.as_bytes()).unwrap_or_default();
        // The service reads only JSON and requires the content type on every call.
        let mut call = client.request(method, target.url.clone()).header(header::CONTENT_TYPE, "application/json");
        if let Some(KeyHeader { name, value }) = request.key {
            call = call.header(name, value);
        }
        if let Some(body) = request.body {
            call = call.body(body);
        }
        let response = call.send().await.map_err(to_failure)?;
        let header_text = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        Ok(ServiceResponse {
            status: response.status().as_u16(),
            retry_after: header_text(header::RETRY_AFTER),
            date: header_text(header::DATE),
            body: Box::pin(response.bytes_stream().map(|piece| piece.map_err(to_failure))),
        })
    }

    fn check_target(&self, target: &CallTarget) -> Result<(), CallFailure> {
        let is_loopback =
            target.addresses.iter().all(|address| classify_address(address.ip()) == AddressRange::Loopback);
        if target.is_secure() || self.plain_http || is_loopback {
            return Ok(());
        }
        let host = target.url.host_str().unwrap_or_default();
        Err(CallFailure::Refused(format!("the key would be sent to {host} unencrypted")))
    }
}

fn to_failure(error: reqwest::Error) -> CallFailure {
    if error.is_connect() {
        CallFailure::NoConnection(innermost_cause(&error))
    } else {
        CallFailure::Broken(innermost_cause(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(url: &str) -> ServiceRequest {
        let key = KeyHeader::new("X-AUTH-KEY", "not-for-logs").expect("a header");
        ServiceRequest { method: "GET", url: url.to_owned(), key: Some(key), body: None }
    }

    #[test]
    fn a_key_appears_in_no_debug_output_and_no_error() {
        assert_eq!(format!("{:?}", request("https://a.example/").key), "Some(x-auth-key: ••••)");
        let refused = KeyHeader::new("X-AUTH-KEY", "not\nfor\nlogs").expect_err("a line end");
        assert!(!refused.to_string().contains("logs") && !format!("{refused:?}").contains("logs"));
        assert!(KeyHeader::new("two words", "a").is_err());
    }

    #[tokio::test]
    async fn a_key_travels_in_the_open_to_this_machine_alone() {
        for url in ["http://192.0.2.1/", "http://[2001:db8::1]/", "http://10.0.0.1/"] {
            let refused = ServiceClient::new(false).call(request(url)).await.map(|reply| reply.status).expect_err(url);
            assert!(matches!(refused, CallFailure::Refused(_)) && !refused.is_worth_retrying(), "{url}: {refused}");
        }
        for url in ["http://127.0.0.1:1/", "http://localhost:1/", "http://[::1]:1/", "https://127.0.0.1:1/"] {
            let refused = ServiceClient::new(false).call(request(url)).await.map(|reply| reply.status).expect_err(url);
            assert!(
                matches!(refused, CallFailure::NoConnection(_) | CallFailure::NoCertificates(_)),
                "{url}: {refused}"
            );
            assert!(!refused.may_have_arrived(), "{url}");
        }
    }
}
