//! A receiver of callbacks: records requests and answers as arranged.

use std::{
    collections::VecDeque,
    io::{BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::http::message::{Message, header, read_request};

/// How to treat one request.
#[derive(Debug, Clone)]
pub enum Reply {
    Status(u16),
    /// A status with a body.
    Text(u16, &'static str),
    /// 302 to this address.
    Redirect(String),
    /// The connection is closed without a word.
    Close,
    /// Nothing is sent while the receiver lives.
    Silence,
}

/// A request that came.
#[derive(Debug, Clone)]
pub struct Received {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub at: Instant,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a callback is JSON")
    }
}

#[derive(Default)]
struct Inner {
    received: Vec<Received>,
    replies: VecDeque<Reply>,
    /// Kept open, so that silence is not a close.
    silent: Vec<TcpStream>,
    closed: bool,
}

#[derive(Default)]
struct Shared {
    inner: Mutex<Inner>,
    came: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Listens on a free port of loopback until dropped.
pub struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
}

const BOUND: Duration = Duration::from_secs(30);

impl Receiver {
    /// Answers 200 to everything.
    pub fn start() -> Self {
        Self::replying([])
    }

    /// Gives these replies one after the other, then 200.
    pub fn replying(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared::default());
        shared.lock().replies.extend(replies);
        let kept = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if kept.lock().closed {
                    return;
                }
                let (Ok(stream), shared) = (stream, Arc::clone(&kept)) else { continue };
                thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { address, shared }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// More replies, behind those still waiting.
    pub fn reply(&self, replies: impl IntoIterator<Item = Reply>) {
        self.shared.lock().replies.extend(replies);
    }

    /// What has come so far.
    pub fn received(&self) -> Vec<Received> {
        self.shared.lock().received.clone()
    }

    /// Waits until this many have come.
    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Vec<Received> {
        let guard = self.shared.lock();
        let (guard, result) = self
            .shared
            .came
            .wait_timeout_while(guard, BOUND, |inner| inner.received.len() < count)
            .expect("no panic while held");
        assert!(!result.timed_out(), "{} of {count} callbacks came within {} s", guard.received.len(), BOUND.as_secs());
        guard.received.clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let mut inner = self.shared.lock();
        inner.closed = true;
        inner.silent.clear();
        drop(inner);
        // Wakes the thread that accepts.
        drop(TcpStream::connect(self.address));
    }
}

fn serve(stream: TcpStream, shared: &Shared) {
    let mut reader = BufReader::new(stream);
    while let Ok(Some(Message { start, headers, body })) = read_request(&mut reader) {
        let mut words = start.split(' ').map(str::to_owned);
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let reply = {
            let mut inner = shared.lock();
            inner.received.push(Received { method, target, headers, body, at: Instant::now() });
            inner.replies.pop_front().unwrap_or(Reply::Status(200))
        };
        shared.came.notify_all();
        let head = match reply {
            Reply::Status(status) => format!("HTTP/1.1 {status} Told\r\ncontent-length: 0\r\n\r\n"),
            Reply::Text(status, body) => {
                format!("HTTP/1.1 {status} Told\r\ncontent-length: {}\r\n\r\n{body}", body.len())
            }
            Reply::Redirect(to) => format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n"),
            Reply::Close => return,
            Reply::Silence => {
                shared.lock().silent.push(reader.into_inner());
                return;
            }
        };
        if reader.get_mut().write_all(head.as_bytes()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::http::Client;

    #[test]
    fn requests_are_recorded_and_answered_as_arranged() {
        let receiver = Receiver::replying([Reply::Status(500), Reply::Close]);
        let client = Client::new(receiver.address);
        assert_eq!(client.post("/hook?a=1", &json!({ "x": 1 })).status, 500);
        assert!(client.try_send(&crate::Request::post("/hook").json(&json!(2))).is_err());
        assert_eq!(client.post("/hook", &json!(3)).status, 200);
        let came = receiver.wait_for(3);
        assert_eq!((came[0].method.as_str(), came[0].target.as_str()), ("POST", "/hook?a=1"));
        assert_eq!((came[0].json(), came[2].json()), (json!({ "x": 1 }), json!(3)));
    }
}
