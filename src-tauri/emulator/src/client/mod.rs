//! Asks the operator's side of a running server: for the command line, and for whoever tests from outside.

mod caller;
mod forward;
mod place;

use std::io;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
pub use roost_outbound::{Body, Failure, NoAuthority, Reply};
use roost_outbound::{Key, Line, Request};
use serde_json::Value;
use tokio::sync::OnceCell;

use self::place::Place;
pub use self::{
    caller::{Answered, Caller},
    forward::Forward,
};

/// More than any answer that is read whole; an account goes out in pieces.
const ANSWER_MAX: usize = 64 * 1024 * 1024;

/// What Roost calls itself where it says that it lives.
pub const SERVER: &str = "roost";
/// As much of a stranger's answer as is told.
const TOLD_MAX: usize = 80;

/// The way to one server, with the token where there is one.
pub struct Admin {
    line: Line,
    place: Place,
    key: Option<Key>,
    /// Whether it is known that a Roost answers there.
    known: OnceCell<()>,
}

/// Why there is no answer to go by.
#[derive(Debug, thiserror::Error)]
pub enum NotTold {
    #[error("'{0}' is not a valid server address. Use for example http://127.0.0.1:4010 or unix:/run/roost.sock")]
    Address(String),
    #[error("the admin token has characters that a header cannot contain; copy it again")]
    Token,
    #[error("the key has characters that a header cannot contain; copy it again without line breaks")]
    Key,
    #[error("{server} does not answer: {failure}. Is roost serve running?")]
    Unreachable { server: String, failure: Failure },
    /// The response ended early.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// The server says no, in its own words.
    #[error("{message} {hint}")]
    Refused { status: u16, code: String, message: String, hint: String },
    /// The Host header is none it goes by.
    #[error("the server does not serve the host name {0}; start it with --allow-host {0}")]
    OtherName(String),
    #[error("this is not a Roost server: it answered {status}, {said}")]
    Foreign { status: u16, said: String },
}

impl NotTold {
    /// Whether another try could end otherwise.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Failure(failure) | Self::Unreachable { failure, .. } => failure.may_pass(),
            Self::Refused { status, .. } | Self::Foreign { status, .. } => *status != 401,
            Self::Address(_) | Self::Token | Self::Key | Self::OtherName(_) => false,
        }
    }
}

impl Admin {
    /// `url` is the server's address, that of its operator's side, or a world's own, `…/w/NAME`. Without a token the open routes answer.
    pub fn new(url: &str, token: Option<&str>) -> Result<Self, NotTold> {
        let key = token.map(|token| Key::new("authorization", &format!("Bearer {token}"))).transpose();
        let key = key.map_err(|_| NotTold::Token)?;
        let place = Place::read(url)?.of_world();
        // Without a key there is nothing that must not travel in the open.
        Ok(Self { line: place.line(key.is_none()), place, key, known: OnceCell::new() })
    }

    /// Trusts these authorities, as PEM, and no other.
    pub fn trusting(self, authorities: &[u8]) -> Result<Self, NoAuthority> {
        Ok(Self { line: self.place.trusting(self.line, authorities)?, ..self })
    }

    /// For a server of this very process, which need not prove who it is.
    pub fn of_this_process(self) -> Self {
        match self.place.socket {
            Some(_) => self,
            None => Self { line: self.line.to_this_process(), ..self },
        }
    }

    /// The operator's side of one world.
    pub fn of_world(mut self, name: &str) -> Self {
        self.place.admin = format!("{}/__admin/worlds/{name}", self.place.server);
        self
    }

    /// `http://127.0.0.1:4010`
    pub fn url(&self) -> &str {
        &self.place.server
    }

    /// Whether both lead to the same server.
    pub fn leads_to_the_same(&self, other: &Self) -> bool {
        (&self.place.server, &self.place.socket) == (&other.place.server, &other.place.socket)
    }

    /// Whether it has to prove who it is.
    pub fn is_secure(&self) -> bool {
        self.place.is_secure()
    }

    pub fn port(&self) -> u16 {
        self.place.port
    }

    /// Whether requests are answered by now.
    pub async fn ready(&self) -> Result<(), NotTold> {
        self.well("readyz").await
    }

    /// Asks one of the routes that say whether the server is well; anything but a Roost is told as such.
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

    /// Calls `path` of the operator's side, such as `/settings`; the answer is read as JSON.
    pub async fn call(&self, method: &'static str, path: &str, body: Option<&Value>) -> Result<Value, NotTold> {
        let (status, told) = self.answer(method, path, body).await?;
        if (200..300).contains(&status) { Ok(told) } else { Err(foreign(status, told.to_string().as_bytes())) }
    }

    /// The same with the status, which says something of its own; errors are told as such.
    pub async fn answer(
        &self,
        method: &'static str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, Value), NotTold> {
        let reply = self.open(method, path, body.map(|body| Bytes::from(body.to_string()))).await?;
        self.whole(reply).await
    }

    /// The same with a body that stands in a file.
    pub async fn send_text(&self, method: &'static str, path: &str, body: Vec<u8>) -> Result<Value, NotTold> {
        let reply = self.open(method, path, Some(Bytes::from(body))).await?;
        let (status, told) = self.whole(reply).await?;
        if (200..300).contains(&status) { Ok(told) } else { Err(foreign(status, told.to_string().as_bytes())) }
    }

    /// The same; the answer comes in pieces, whatever it is. Nothing is asked of a server that is no Roost, and none
    /// gets the token.
    pub async fn open(&self, method: &'static str, path: &str, body: Option<Bytes>) -> Result<Reply, NotTold> {
        self.known.get_or_try_init(|| self.well("livez")).await?;
        let url = format!("{}{path}", self.place.admin);
        self.send(method, url, self.key.clone(), body).await
    }

    /// Hands over a long answer piece by piece; what `write` could not do ends it.
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
        key: Option<Key>,
        body: Option<Bytes>,
    ) -> Result<Reply, NotTold> {
        let called = self.line.call(Request { method, url, key, body }).await;
        let reply = called.map_err(|failure| NotTold::Unreachable { server: self.place.server.clone(), failure })?;
        if reply.status == 421 {
            return Err(NotTold::OtherName(self.place.host.clone()));
        }
        Ok(reply)
    }

    async fn whole(&self, reply: Reply) -> Result<(u16, Value), NotTold> {
        let Reply { status, body, .. } = reply;
        let text = gathered(body).await?;
        let told: Option<Value> = if text.is_empty() { Some(Value::Null) } else { serde_json::from_slice(&text).ok() };
        let told = told.ok_or_else(|| foreign(status, &text))?;
        match refusal(status, &told) {
            Some(refused) => Err(refused),
            None => Ok((status, told)),
        }
    }
}

/// The server's no, in its own words.
fn refusal(status: u16, told: &Value) -> Option<NotTold> {
    let said = |name: &str| told["error"][name].as_str().map(str::to_owned);
    let (code, message) = (said("code")?, said("message")?);
    (status >= 400).then(|| NotTold::Refused { status, code, message, hint: said("hint").unwrap_or_default() })
}

/// What somebody else said, as far as a line has room for it.
pub fn foreign(status: u16, text: &[u8]) -> NotTold {
    let text = String::from_utf8_lossy(text);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain: String = words.chars().filter(|c| !c.is_control()).take(TOLD_MAX).collect();
    let said = if plain.is_empty() { "with an empty body".to_owned() } else { format!("'{plain}'") };
    NotTold::Foreign { status, said }
}

/// A path with these parameters.
pub fn with_query(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    format!("{path}?{}", query.finish())
}

async fn gathered(mut body: Body) -> Result<BytesMut, NotTold> {
    let mut text = BytesMut::new();
    while let Some(piece) = body.next().await {
        text.extend_from_slice(&piece?);
        if text.len() > ANSWER_MAX {
            return Err(NotTold::Failure(Failure::Broken("the response is too long".to_owned())));
        }
    }
    Ok(text)
}
