//! Calls the admin interface of a running server, for the command line and for tests from outside.

mod address;
mod forward;
mod interface_client;

use std::io;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
pub use roost_outbound::{CallFailure, NoCertificateFound, ResponseBody, ServiceResponse};
use roost_outbound::{KeyHeader, ServiceClient, ServiceRequest};
use serde_json::Value;
use tokio::sync::OnceCell;

use self::address::ServerAddress;
pub use self::{
    forward::CallForwarder,
    interface_client::{InterfaceClient, InterfaceResponse},
};

/// The largest response that is read whole. No such response reaches this size, because accounts are streamed.
const MAX_RESPONSE: usize = 64 * 1024 * 1024;

/// The name by which Roost identifies itself in its health checks.
pub const SERVER_NAME: &str = "roost";
/// The number of characters of a foreign response that an error quotes.
const MAX_QUOTED: usize = 80;

/// A client of one server's admin interface, with or without the token.
pub struct AdminClient {
    line: ServiceClient,
    place: ServerAddress,
    key: Option<KeyHeader>,
    /// Set once a Roost has answered at the address.
    known: OnceCell<()>,
}

/// The reason why a call has no usable response.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("'{0}' is not a valid server address. Use for example http://127.0.0.1:4010 or unix:/run/roost.sock")]
    Address(String),
    #[error("the admin token has characters that a header cannot contain; copy it again")]
    Token,
    #[error("the key has characters that a header cannot contain; copy it again without line breaks")]
    Key,
    #[error("{server} does not answer: {failure}. Is roost serve running?")]
    Unreachable { server: String, failure: CallFailure },
    /// The response ended early.
    #[error(transparent)]
    Failure(#[from] CallFailure),
    /// The server refused the call; the error carries the server's message.
    #[error("{message} {hint}")]
    Refused { status: u16, code: String, message: String, hint: String, pointer: Option<String> },
    /// The server does not answer to the host name of the request.
    #[error("the server does not serve the host name {0}; start it with --allow-host {0}")]
    HostNotAllowed(String),
    #[error("this is not a Roost server: it answered {status}, {answer}")]
    NotRoost { status: u16, answer: String },
}

impl ClientError {
    /// Returns whether a retry may succeed.
    pub fn is_worth_retrying(&self) -> bool {
        match self {
            Self::Failure(failure) | Self::Unreachable { failure, .. } => failure.is_worth_retrying(),
            Self::Refused { status, .. } | Self::NotRoost { status, .. } => *status != 401,
            Self::Address(_) | Self::Token | Self::Key | Self::HostNotAllowed(_) => false,
        }
    }
}

impl AdminClient {
    /// Creates a client. `url` is the address of the server, of its admin interface or of a world (`…/w/NAME`). Without
    /// a token, only the open routes answer.
    pub fn new(url: &str, token: Option<&str>) -> Result<Self, ClientError> {
        let key = token.map(|token| KeyHeader::new("authorization", &format!("Bearer {token}"))).transpose();
        let key = key.map_err(|_| ClientError::Token)?;
        let place = ServerAddress::parse(url)?.for_world();
        // Without a token, nothing secret is sent, so plain HTTP is allowed everywhere.
        Ok(Self { line: place.service_client(key.is_none()), place, key, known: OnceCell::new() })
    }

    /// Trusts only these certificate authorities, given as PEM.
    pub fn with_authorities(self, authorities: &[u8]) -> Result<Self, NoCertificateFound> {
        Ok(Self { line: self.place.with_authorities(self.line, authorities)?, ..self })
    }

    /// Marks the server as one of this process, whose certificate is not checked.
    pub fn for_this_process(self) -> Self {
        match self.place.socket {
            Some(_) => self,
            None => Self { line: self.line.to_this_process(), ..self },
        }
    }

    /// Directs the calls to the admin interface of one world.
    pub fn for_world(mut self, name: &str) -> Self {
        self.place.admin = format!("{}/__admin/worlds/{name}", self.place.server);
        self
    }

    /// Returns the base URL, such as `http://127.0.0.1:4010`.
    pub fn url(&self) -> &str {
        &self.place.server
    }

    /// Returns whether both clients call the same server.
    pub fn is_same_server(&self, other: &Self) -> bool {
        (&self.place.server, &self.place.socket) == (&other.place.server, &other.place.socket)
    }

    /// Returns whether the server has to present a certificate.
    pub fn is_secure(&self) -> bool {
        self.place.is_secure()
    }

    pub fn port(&self) -> u16 {
        self.place.port
    }

    /// Checks that the server is ready to answer requests.
    pub async fn check_ready(&self) -> Result<(), ClientError> {
        self.check_health("readyz").await
    }

    /// Calls a health route. Returns an error if something other than a Roost answers.
    async fn check_health(&self, route: &str) -> Result<(), ClientError> {
        let reply = self.send_request("GET", format!("{}/__admin/{route}", self.place.server), None, None).await?;
        let status = reply.status;
        let text = read_body(reply.body).await?;
        let health: Value = serde_json::from_slice(&text).unwrap_or_default();
        if let Some(refused) = read_refusal(status, &health) {
            return Err(refused);
        }
        if status == 200 && health["server"] == SERVER_NAME { Ok(()) } else { Err(not_roost_error(status, &text)) }
    }

    /// Calls `path` of the admin interface, such as `/settings`, and reads the response as JSON.
    pub async fn call(&self, method: &'static str, path: &str, body: Option<&Value>) -> Result<Value, ClientError> {
        let (status, answer) = self.call_with_status(method, path, body).await?;
        if (200..300).contains(&status) {
            Ok(answer)
        } else {
            Err(not_roost_error(status, answer.to_string().as_bytes()))
        }
    }

    /// Calls a path like [`Self::call`] and also returns the status, for routes where several statuses mean success.
    pub async fn call_with_status(
        &self,
        method: &'static str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, Value), ClientError> {
        let reply = self.open_response(method, path, body.map(|body| Bytes::from(body.to_string()))).await?;
        self.read_json_response(reply).await
    }

    /// Calls a path like [`Self::call`] with the text of a file as the body.
    pub async fn call_with_text(&self, method: &'static str, path: &str, body: Vec<u8>) -> Result<Value, ClientError> {
        let reply = self.open_response(method, path, Some(Bytes::from(body))).await?;
        let (status, answer) = self.read_json_response(reply).await?;
        if (200..300).contains(&status) {
            Ok(answer)
        } else {
            Err(not_roost_error(status, answer.to_string().as_bytes()))
        }
    }

    /// Sends a request and returns the response as a stream, whatever its status. First checks that a Roost answers, so
    /// that no other program gets the request or the token.
    pub async fn open_response(
        &self,
        method: &'static str,
        path: &str,
        body: Option<Bytes>,
    ) -> Result<ServiceResponse, ClientError> {
        self.known.get_or_try_init(|| self.check_health("livez")).await?;
        let url = format!("{}{path}", self.place.admin);
        self.send_request(method, url, self.key.clone(), body).await
    }

    /// Passes a long response to `write`, piece by piece. An error of `write` ends it and is returned inside `Ok`.
    pub async fn copy_response(
        &self,
        path: &str,
        mut write: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<io::Result<()>, ClientError> {
        let reply = self.open_response("GET", path, None).await?;
        if reply.status != 200 {
            let (status, answer) = self.read_json_response(reply).await?;
            return Err(ClientError::NotRoost { status, answer: answer.to_string() });
        }
        let mut body = reply.body;
        while let Some(piece) = body.next().await {
            if let Err(why) = write(&piece?) {
                return Ok(Err(why));
            }
        }
        Ok(Ok(()))
    }

    async fn send_request(
        &self,
        method: &'static str,
        url: String,
        key: Option<KeyHeader>,
        body: Option<Bytes>,
    ) -> Result<ServiceResponse, ClientError> {
        let called = self.line.call(ServiceRequest { method, url, key, body }).await;
        let reply =
            called.map_err(|failure| ClientError::Unreachable { server: self.place.server.clone(), failure })?;
        if reply.status == 421 {
            return Err(ClientError::HostNotAllowed(self.place.host.clone()));
        }
        Ok(reply)
    }

    async fn read_json_response(&self, reply: ServiceResponse) -> Result<(u16, Value), ClientError> {
        let ServiceResponse { status, body, .. } = reply;
        let text = read_body(body).await?;
        let answer: Option<Value> =
            if text.is_empty() { Some(Value::Null) } else { serde_json::from_slice(&text).ok() };
        let answer = answer.ok_or_else(|| not_roost_error(status, &text))?;
        match read_refusal(status, &answer) {
            Some(refused) => Err(refused),
            None => Ok((status, answer)),
        }
    }
}

/// Reads the error of the server from the body of a refusal.
fn read_refusal(status: u16, answer: &Value) -> Option<ClientError> {
    let detail = |name: &str| answer["error"][name].as_str().map(str::to_owned);
    let (code, message) = (detail("code")?, detail("message")?);
    let (hint, pointer) = (detail("hint").unwrap_or_default(), detail("pointer"));
    (status >= 400).then_some(ClientError::Refused { status, code, message, hint, pointer })
}

/// Describes the response of a program that is not Roost, shortened to one line.
pub fn not_roost_error(status: u16, text: &[u8]) -> ClientError {
    let text = String::from_utf8_lossy(text);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain: String = words.chars().filter(|c| !c.is_control()).take(MAX_QUOTED).collect();
    let answer = if plain.is_empty() { "with an empty body".to_owned() } else { format!("'{plain}'") };
    ClientError::NotRoost { status, answer }
}

/// Appends query parameters to a path.
pub fn with_query(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    format!("{path}?{}", query.finish())
}

async fn read_body(mut body: ResponseBody) -> Result<BytesMut, ClientError> {
    let mut text = BytesMut::new();
    while let Some(piece) = body.next().await {
        text.extend_from_slice(&piece?);
        if text.len() > MAX_RESPONSE {
            return Err(ClientError::Failure(CallFailure::Broken("the response is too long".to_owned())));
        }
    }
    Ok(text)
}
