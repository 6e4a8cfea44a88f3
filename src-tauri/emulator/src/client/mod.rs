//! Calls the admin interface of a running server, for the command line and for tests from outside.

mod caller;
mod forward;
mod place;

use std::io;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
pub use roost_outbound::{CallFailure, NoCertificateFound, ResponseBody, ServiceResponse};
use roost_outbound::{KeyHeader, ServiceClient, ServiceRequest};
use serde_json::Value;
use tokio::sync::OnceCell;

use self::place::Place;
pub use self::{
    caller::{Answered, Caller},
    forward::Forward,
};

/// The largest response that is read whole. No such response reaches this size, because accounts are streamed.
const ANSWER_MAX: usize = 64 * 1024 * 1024;

/// The name by which Roost identifies itself in its health checks.
pub const SERVER: &str = "roost";
/// The number of characters of a foreign response that an error quotes.
const TOLD_MAX: usize = 80;

/// A client of one server's admin interface, with or without the token.
pub struct Admin {
    line: ServiceClient,
    place: Place,
    key: Option<KeyHeader>,
    /// Set once a Roost has answered at the address.
    known: OnceCell<()>,
}

/// The reason why a call has no usable response.
#[derive(Debug, thiserror::Error)]
pub enum NotTold {
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
    Refused { status: u16, code: String, message: String, hint: String },
    /// The server does not answer to the host name of the request.
    #[error("the server does not serve the host name {0}; start it with --allow-host {0}")]
    OtherName(String),
    #[error("this is not a Roost server: it answered {status}, {said}")]
    Foreign { status: u16, said: String },
}

impl NotTold {
    /// Returns whether a retry may succeed.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Failure(failure) | Self::Unreachable { failure, .. } => failure.is_worth_retrying(),
            Self::Refused { status, .. } | Self::Foreign { status, .. } => *status != 401,
            Self::Address(_) | Self::Token | Self::Key | Self::OtherName(_) => false,
        }
    }
}

impl Admin {
    /// Creates a client. `url` is the address of the server, of its admin interface or of a world (`…/w/NAME`). Without
    /// a token, only the open routes answer.
    pub fn new(url: &str, token: Option<&str>) -> Result<Self, NotTold> {
        let key = token.map(|token| KeyHeader::new("authorization", &format!("Bearer {token}"))).transpose();
        let key = key.map_err(|_| NotTold::Token)?;
        let place = Place::read(url)?.of_world();
        // Without a token, nothing secret is sent, so plain HTTP is allowed everywhere.
        Ok(Self { line: place.line(key.is_none()), place, key, known: OnceCell::new() })
    }

    /// Trusts only these certificate authorities, given as PEM.
    pub fn trusting(self, authorities: &[u8]) -> Result<Self, NoCertificateFound> {
        Ok(Self { line: self.place.trusting(self.line, authorities)?, ..self })
    }

    /// Marks the server as one of this process, whose certificate is not checked.
    pub fn of_this_process(self) -> Self {
        match self.place.socket {
            Some(_) => self,
            None => Self { line: self.line.to_this_process(), ..self },
        }
    }

    /// Directs the calls to the admin interface of one world.
    pub fn of_world(mut self, name: &str) -> Self {
        self.place.admin = format!("{}/__admin/worlds/{name}", self.place.server);
        self
    }

    /// Returns the base URL, such as `http://127.0.0.1:4010`.
    pub fn url(&self) -> &str {
        &self.place.server
    }

    /// Returns whether both clients call the same server.
    pub fn leads_to_the_same(&self, other: &Self) -> bool {
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
    pub async fn ready(&self) -> Result<(), NotTold> {
        self.well("readyz").await
    }

    /// Calls a health route. Returns an error if something other than a Roost answers.
    async fn well(&self, route: &str) -> Result<(), NotTold> {
        let reply = self.send("GET", format!("{}/__admin/{route}", self.place.server), None, None).await?;
        let status = reply.status;
        let text = gathered(reply.body).await?;
        let told: Value = serde_json::from_slice(&text).unwrap_or_default();
        if let Some(refused) = refusal(status, &told) {
            return Err(refused);
        }
        if status == 200 && told["server"] == SERVER { Ok(()) } else { Err(foreign(status, &text)) }
    }

    /// Calls `path` of the admin interface, such as `/settings`, and reads the response as JSON.
    pub async fn call(&self, method: &'static str, path: &str, body: Option<&Value>) -> Result<Value, NotTold> {
        let (status, told) = self.answer(method, path, body).await?;
        if (200..300).contains(&status) { Ok(told) } else { Err(foreign(status, told.to_string().as_bytes())) }
    }

    /// Calls a path like [`Admin::call`] and also returns the status, for routes where several statuses mean success.
    pub async fn answer(
        &self,
        method: &'static str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, Value), NotTold> {
        let reply = self.open(method, path, body.map(|body| Bytes::from(body.to_string()))).await?;
        self.whole(reply).await
    }

    /// Calls a path like [`Admin::call`] with the text of a file as the body.
    pub async fn send_text(&self, method: &'static str, path: &str, body: Vec<u8>) -> Result<Value, NotTold> {
        let reply = self.open(method, path, Some(Bytes::from(body))).await?;
        let (status, told) = self.whole(reply).await?;
        if (200..300).contains(&status) { Ok(told) } else { Err(foreign(status, told.to_string().as_bytes())) }
    }

    /// Sends a request and returns the response as a stream, whatever its status. First checks that a Roost answers, so
    /// that no other program gets the request or the token.
    pub async fn open(
        &self,
        method: &'static str,
        path: &str,
        body: Option<Bytes>,
    ) -> Result<ServiceResponse, NotTold> {
        self.known.get_or_try_init(|| self.well("livez")).await?;
        let url = format!("{}{path}", self.place.admin);
        self.send(method, url, self.key.clone(), body).await
    }

    /// Passes a long response to `write`, piece by piece. An error of `write` ends it and is returned inside `Ok`.
    pub async fn pass_on(
        &self,
        path: &str,
        mut write: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<io::Result<()>, NotTold> {
        let reply = self.open("GET", path, None).await?;
        if reply.status != 200 {
            let (status, told) = self.whole(reply).await?;
            return Err(NotTold::Foreign { status, said: told.to_string() });
        }
        let mut body = reply.body;
        while let Some(piece) = body.next().await {
            if let Err(why) = write(&piece?) {
                return Ok(Err(why));
            }
        }
        Ok(Ok(()))
    }

    async fn send(
        &self,
        method: &'static str,
        url: String,
        key: Option<KeyHeader>,
        body: Option<Bytes>,
    ) -> Result<ServiceResponse, NotTold> {
        let called = self.line.call(ServiceRequest { method, url, key, body }).await;
        let reply = called.map_err(|failure| NotTold::Unreachable { server: self.place.server.clone(), failure })?;
        if reply.status == 421 {
            return Err(NotTold::OtherName(self.place.host.clone()));
        }
        Ok(reply)
    }

    async fn whole(&self, reply: ServiceResponse) -> Result<(u16, Value), NotTold> {
        let ServiceResponse { status, body, .. } = reply;
        let text = gathered(body).await?;
        let told: Option<Value> = if text.is_empty() { Some(Value::Null) } else { serde_json::from_slice(&text).ok() };
        let told = told.ok_or_else(|| foreign(status, &text))?;
        match refusal(status, &told) {
            Some(refused) => Err(refused),
            None => Ok((status, told)),
        }
    }
}

/// Reads the error of the server from the body of a refusal.
fn refusal(status: u16, told: &Value) -> Option<NotTold> {
    let said = |name: &str| told["error"][name].as_str().map(str::to_owned);
    let (code, message) = (said("code")?, said("message")?);
    (status >= 400).then(|| NotTold::Refused { status, code, message, hint: said("hint").unwrap_or_default() })
}

/// Describes the response of a program that is not Roost, shortened to one line.
pub fn foreign(status: u16, text: &[u8]) -> NotTold {
    let text = String::from_utf8_lossy(text);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain: String = words.chars().filter(|c| !c.is_control()).take(TOLD_MAX).collect();
    let said = if plain.is_empty() { "with an empty body".to_owned() } else { format!("'{plain}'") };
    NotTold::Foreign { status, said }
}

/// Appends query parameters to a path.
pub fn with_query(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    format!("{path}?{}", query.finish())
}

async fn gathered(mut body: ResponseBody) -> Result<BytesMut, NotTold> {
    let mut text = BytesMut::new();
    while let Some(piece) = body.next().await {
        text.extend_from_slice(&piece?);
        if text.len() > ANSWER_MAX {
            return Err(NotTold::Failure(CallFailure::Broken("the response is too long".to_owned())));
        }
    }
    Ok(text)
}
