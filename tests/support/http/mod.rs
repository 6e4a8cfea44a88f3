//! A plain HTTP/1.1 client that sends exactly what a test gives it and shows it when the test fails.

pub mod message;
pub mod partial;

use std::{
    io::{self, BufReader, ErrorKind, Write},
    net::{SocketAddr, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::Value;

use message::{header, read_answer, status};

/// Longer than anything a test waits for.
const PATIENCE: Duration = Duration::from_secs(60);
/// How much of a body a failing test shows.
const SHOWN: usize = 2_000;

/// What to send. Target and headers go out as they are.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub target: String,
    headers: Vec<(String, String)>,
    left_out: Vec<String>,
    body: Option<Vec<u8>>,
}

impl Request {
    pub fn new(method: &str, target: impl Into<String>) -> Self {
        Self { method: method.to_owned(), target: target.into(), headers: Vec::new(), left_out: Vec::new(), body: None }
    }

    pub fn get(target: impl Into<String>) -> Self {
        Self::new("GET", target)
    }

    pub fn post(target: impl Into<String>) -> Self {
        Self::new("POST", target)
    }

    pub fn delete(target: impl Into<String>) -> Self {
        Self::new("DELETE", target)
    }

    /// Replaces the client's own header of this name; given twice, it is sent twice.
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Leaves out a header the client would send.
    pub fn without(mut self, name: &str) -> Self {
        self.left_out.push(name.to_owned());
        self
    }

    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// A JSON body and its content type.
    pub fn json(self, value: &Value) -> Self {
        self.json_text(value.to_string())
    }

    /// The same for a body whose letters matter.
    pub fn json_text(self, text: impl Into<String>) -> Self {
        self.header("content-type", "application/json").body(text.into())
    }

    /// As it goes over the line, with these headers unless it has others of their names.
    pub fn bytes(&self, own: &[(String, String)]) -> Vec<u8> {
        let mut out = format!("{} {} HTTP/1.1\r\n", self.method, self.target).into_bytes();
        let mut put = |name: &str, value: &str| out.extend(format!("{name}: {value}\r\n").into_bytes());
        for (name, value) in own {
            let same = |other: &String| other.eq_ignore_ascii_case(name);
            if !self.left_out.iter().any(same) && !self.headers.iter().any(|(n, _)| same(n)) {
                put(name, value);
            }
        }
        self.headers.iter().for_each(|(name, value)| put(name, value));
        let has_header = |wanted: &str| self.headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(wanted));
        if let Some(body) = &self.body
            && !has_header("content-length")
            && !has_header("transfer-encoding")
        {
            put("content-length", &body.len().to_string());
        }
        out.extend(b"\r\n");
        out.extend(self.body.as_deref().unwrap_or_default());
        out
    }

    fn shown(&self) -> String {
        let headers: String = self.headers.iter().map(|(n, v)| format!("\n{n}: {v}")).collect();
        let body = self.body.as_deref().map(|b| format!("\n{}", shortened(b))).unwrap_or_default();
        format!("{} {}{headers}{body}", self.method, self.target)
    }
}

fn shortened(body: &[u8]) -> String {
    let shown = String::from_utf8_lossy(&body[..body.len().min(SHOWN)]);
    if body.len() > SHOWN { format!("{shown}… ({} bytes)", body.len()) } else { shown.into_owned() }
}

/// What came back, and what it answers.
#[derive(Debug, Clone)]
pub struct Answer {
    asked: String,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap_or_else(|_| panic!("no UTF-8: {}", self.shown()))
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("no JSON ({error}): {}", self.shown()))
    }

    /// Request and answer, for messages.
    pub fn shown(&self) -> String {
        let headers: String = self.headers.iter().map(|(n, v)| format!("\n{n}: {v}")).collect();
        format!("\n--- asked\n{}\n--- answered\n{}{headers}\n{}\n", self.asked, self.status, shortened(&self.body))
    }

    /// Itself, when the status is this one.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.shown());
        self
    }

    /// The JSON of an answer 200.
    #[track_caller]
    pub fn ok(self) -> Value {
        self.expect(200).json()
    }

    /// `items` of an answer 200.
    #[track_caller]
    pub fn items(self) -> Vec<Value> {
        let shown = self.shown();
        self.ok()["items"].as_array().unwrap_or_else(|| panic!("no items{shown}")).clone()
    }

    /// One member of every item, as text.
    #[track_caller]
    pub fn column(self, key: &str) -> Vec<String> {
        let shown = self.shown();
        let text = |item: &Value| item[key].as_str().unwrap_or_else(|| panic!("no text {key}{shown}")).to_owned();
        self.items().iter().map(text).collect()
    }
}

/// A request that was answered, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    pub method: String,
    pub target: String,
    pub status: u16,
}

type Record = Arc<Mutex<Vec<Recorded>>>;

/// Talks to one server over one connection at a time, which is kept while it serves.
pub struct Client {
    address: SocketAddr,
    headers: Vec<(String, String)>,
    connection: Mutex<Option<BufReader<TcpStream>>>,
    record: Option<Record>,
}

impl Client {
    /// Sends the server's own Host and an accepted key.
    pub fn new(address: SocketAddr) -> Self {
        let headers = [("host", address.to_string()), ("x-auth-key", "a-key".to_owned())];
        let headers = headers.map(|(name, value)| (name.to_owned(), value)).to_vec();
        Self { address, headers, connection: Mutex::default(), record: None }
    }

    /// One that remembers what it asked.
    pub fn recording(&self) -> Self {
        let headers = self.headers.clone();
        Self { address: self.address, headers, connection: Mutex::default(), record: Some(Record::default()) }
    }

    /// What it asked so far, together with those made from it.
    pub fn recorded(&self) -> Vec<Recorded> {
        let record = self.record.as_ref().map(|record| record.lock().unwrap_or_else(PoisonError::into_inner).clone());
        record.unwrap_or_default()
    }

    /// The same with another header on every request; an old one of this name goes.
    pub fn with(&self, name: &str, value: impl Into<String>) -> Self {
        let mut client = self.without(name);
        client.headers.push((name.to_owned(), value.into()));
        client
    }

    pub fn without(&self, name: &str) -> Self {
        let headers = self.headers.iter().filter(|(n, _)| !n.eq_ignore_ascii_case(name)).cloned().collect();
        Self { address: self.address, headers, connection: Mutex::default(), record: self.record.clone() }
    }

    pub fn with_key(&self, key: &str) -> Self {
        self.with("x-auth-key", key)
    }

    /// For the operator's routes.
    pub fn with_token(&self, token: &str) -> Self {
        self.without("x-auth-key").with("authorization", format!("Bearer {token}"))
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn get(&self, target: impl Into<String>) -> Answer {
        self.send(Request::get(target))
    }

    pub fn post(&self, target: impl Into<String>, body: &Value) -> Answer {
        self.send(Request::post(target).json(body))
    }

    pub fn put(&self, target: impl Into<String>, body: &Value) -> Answer {
        self.send(Request::new("PUT", target).json(body))
    }

    pub fn patch(&self, target: impl Into<String>, body: &Value) -> Answer {
        self.send(Request::new("PATCH", target).json(body))
    }

    pub fn delete(&self, target: impl Into<String>) -> Answer {
        self.send(Request::delete(target))
    }

    #[track_caller]
    pub fn send(&self, request: Request) -> Answer {
        match self.try_send(&request) {
            Ok(answer) => answer,
            Err(error) => panic!("no answer ({error}) to\n{}", request.shown()),
        }
    }

    /// Fails when the server goes away; a request that might have been done is never sent again.
    pub fn try_send(&self, request: &Request) -> io::Result<Answer> {
        let mut kept = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = request.bytes(&self.headers);
        if let Some(mut connection) = kept.take() {
            match self.exchange(&mut connection, request, &bytes) {
                Ok((answer, keeps)) => {
                    *kept = keeps.then_some(connection);
                    return Ok(answer);
                }
                // The server may have closed it while nobody asked.
                Err(_) if matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS") => {}
                Err(error) => return Err(error),
            }
        }
        let stream = TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut connection = BufReader::new(stream);
        let (answer, keeps) = self.exchange(&mut connection, request, &bytes)?;
        *kept = keeps.then_some(connection);
        Ok(answer)
    }

    fn exchange(
        &self,
        connection: &mut BufReader<TcpStream>,
        request: &Request,
        bytes: &[u8],
    ) -> io::Result<(Answer, bool)> {
        // A server that has had enough answers before it has read everything.
        let written = connection.get_mut().write_all(bytes);
        let message = match (read_answer(connection, &request.method), written) {
            (Ok(message), _) => message,
            (Err(_), Err(error)) | (Err(error), Ok(())) => return Err(error),
        };
        let answer = Answer {
            asked: request.shown(),
            status: status(&message.start)?,
            headers: message.headers,
            body: message.body,
        };
        if let Some(record) = &self.record {
            let (method, target) = (request.method.clone(), request.target.clone());
            let recorded = Recorded { method, target, status: answer.status };
            record.lock().unwrap_or_else(PoisonError::into_inner).push(recorded);
        }
        let closes = answer.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        Ok((answer, !closes))
    }
}

/// Whether nobody listens there.
pub fn refuses_connections(address: SocketAddr) -> bool {
    match TcpStream::connect_timeout(&address, Duration::from_secs(2)) {
        Ok(_) => false,
        Err(error) => matches!(
            error.kind(),
            ErrorKind::ConnectionRefused
                | ErrorKind::TimedOut
                | ErrorKind::NetworkUnreachable
                | ErrorKind::HostUnreachable
        ),
    }
}
