//! The door to a service: https, or plain to this machine; the key marked as a secret, the answer's body in pieces.

use std::{fmt, path::PathBuf, pin::Pin, time::Duration};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use reqwest::{
    Certificate, Method,
    header::{self, HeaderName, HeaderValue},
};

use crate::{
    address::{Reach, classify},
    clients::{Clients, Target, Way},
    failure::{Failure, deepest},
};

const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// A header that says who asks. Its value is shown by nothing.
#[derive(Clone)]
pub struct Key {
    name: HeaderName,
    value: HeaderValue,
}

#[derive(Debug, thiserror::Error)]
pub enum NoHeader {
    #[error("'{0}' is not a valid header name. Use letters, digits and hyphens, for example X-AUTH-KEY.")]
    Name(String),
    /// Without the value, which is a secret.
    #[error("The key has characters that a header cannot contain. Copy it again without line breaks.")]
    Value,
}

impl Key {
    pub fn new(name: &str, value: &str) -> Result<Self, NoHeader> {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| NoHeader::Name(name.to_owned()))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| NoHeader::Value)?;
        value.set_sensitive(true);
        Ok(Self { name, value })
    }

    /// Name and value, for who puts a request together by hand.
    pub fn expose(&self) -> (&str, &[u8]) {
        (self.name.as_str(), self.value.as_bytes())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ••••", self.name)
    }
}

/// What should have been certificates is something else.
#[derive(Debug, thiserror::Error)]
#[error("it contains no certificate; expected a PEM file with BEGIN CERTIFICATE")]
pub struct NoAuthority;

/// One request, in full.
#[derive(Debug, Clone)]
pub struct Request {
    /// GET, POST, PUT, PATCH or DELETE.
    pub method: &'static str,
    pub url: String,
    pub key: Option<Key>,
    /// JSON.
    pub body: Option<Bytes>,
}

pub type Body = Pin<Box<dyn Stream<Item = Result<Bytes, Failure>> + Send>>;

/// The head of an answer, and its body as it comes.
pub struct Reply {
    pub status: u16,
    pub retry_after: Option<String>,
    /// The service's own time.
    pub date: Option<String>,
    pub body: Body,
}

/// A line to one service. Connections are kept; redirects are answers, so that a key never follows one.
#[derive(Default)]
pub struct Line {
    plain_http: bool,
    clients: Clients,
}

impl Line {
    /// `plain_http`: a person said that the key may travel in the open.
    pub fn new(plain_http: bool) -> Self {
        Self { plain_http, ..Self::default() }
    }

    /// Trusts these authorities, as PEM, and no other.
    pub fn trusting(self, authorities: &[u8]) -> Result<Self, NoAuthority> {
        let roots = Certificate::from_pem_bundle(authorities).map_err(|_| NoAuthority)?;
        if roots.is_empty() { Err(NoAuthority) } else { Ok(self.by(Way::Trusting(roots))) }
    }

    /// Goes to this very process, whatever its certificate says.
    pub fn to_this_process(self) -> Self {
        self.by(Way::Own)
    }

    /// Goes through a socket of this machine, whatever host an address names.
    pub fn through(self, socket: PathBuf) -> Self {
        self.by(Way::Socket(socket))
    }

    fn by(self, way: Way) -> Self {
        Self { clients: Clients::by(way), ..self }
    }

    pub async fn call(&self, request: Request) -> Result<Reply, Failure> {
        let target = self.clients.target(&request.url).await?;
        self.judge(&target)?;
        let client = self.clients.get(target.is_secure(), |builder| builder.connect_timeout(CONNECT_WITHIN))?;
        let method = Method::from_bytes(request.method.as_bytes()).unwrap_or_default();
        // The service reads JSON, and wants to be told so with every call.
        let mut call = client.request(method, target.url.clone()).header(header::CONTENT_TYPE, "application/json");
        if let Some(Key { name, value }) = request.key {
            call = call.header(name, value);
        }
        if let Some(body) = request.body {
            call = call.body(body);
        }
        let response = call.send().await.map_err(failure)?;
        let told = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        Ok(Reply {
            status: response.status().as_u16(),
            retry_after: told(header::RETRY_AFTER),
            date: told(header::DATE),
            body: Box::pin(response.bytes_stream().map(|piece| piece.map_err(failure))),
        })
    }

    fn judge(&self, target: &Target) -> Result<(), Failure> {
        let here = target.addresses.iter().all(|address| classify(address.ip()) == Reach::Loopback);
        if target.is_secure() || self.plain_http || here {
            return Ok(());
        }
        let host = target.url.host_str().unwrap_or_default();
        Err(Failure::Refused(format!("the key would be sent to {host} unencrypted")))
    }
}

fn failure(error: reqwest::Error) -> Failure {
    if error.is_connect() { Failure::NoConnection(deepest(&error)) } else { Failure::Broken(deepest(&error)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(url: &str) -> Request {
        let key = Key::new("X-AUTH-KEY", "not-for-logs").expect("a header");
        Request { method: "GET", url: url.to_owned(), key: Some(key), body: None }
    }

    #[test]
    fn a_key_is_shown_by_nothing() {
        assert_eq!(format!("{:?}", request("https://a.example/").key), "Some(x-auth-key: ••••)");
        let refused = Key::new("X-AUTH-KEY", "not\nfor\nlogs").expect_err("a line end");
        assert!(!refused.to_string().contains("logs") && !format!("{refused:?}").contains("logs"));
        assert!(Key::new("two words", "a").is_err());
    }

    #[tokio::test]
    async fn a_key_travels_in_the_open_to_this_machine_alone() {
        for url in ["http://192.0.2.1/", "http://[2001:db8::1]/", "http://10.0.0.1/"] {
            let refused = Line::new(false).call(request(url)).await.map(|reply| reply.status).expect_err(url);
            assert!(matches!(refused, Failure::Refused(_)) && !refused.may_pass(), "{url}: {refused}");
        }
        for url in ["http://127.0.0.1:1/", "http://localhost:1/", "http://[::1]:1/", "https://127.0.0.1:1/"] {
            let refused = Line::new(false).call(request(url)).await.map(|reply| reply.status).expect_err(url);
            assert!(matches!(refused, Failure::NoConnection(_) | Failure::NoCertificates(_)), "{url}: {refused}");
            assert!(!refused.may_have_arrived(), "{url}");
        }
    }
}
