//! Sends callbacks, with one time-out and only a small part of the response kept.

use std::{
    cell::Cell,
    net::SocketAddr,
    time::{Duration, Instant},
};

use reqwest::{ClientBuilder, header};
use tower::util::MapFutureLayer;

use crate::{
    address::AddressPolicy,
    client_pool::ClientPool,
    failure::{CallFailure, innermost_cause},
};

pub const TIME_OUT: Duration = Duration::from_secs(10);
/// Most bytes of a response body that are read.
pub const ANSWER_MAX: usize = 64 * 1024;
pub const USER_AGENT: &str = concat!("roost/", env!("CARGO_PKG_VERSION"));

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallbackResponse {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Posts what users requested to addresses that users named.
#[derive(Default)]
pub struct CallbackClient {
    policy: AddressPolicy,
    clients: ClientPool,
    open: Option<fn(&str) -> bool>,
}

/// A request to post.
#[derive(Debug, Clone, Copy)]
pub struct PostRequest<'a> {
    pub url: &'a str,
    pub body: &'a str,
    pub content_type: &'a str,
    /// Headers in addition to those of every call.
    pub headers: &'a [(String, String)],
    /// Header that is added only to calls to this server itself.
    pub own_header: Option<(&'static str, &'a str)>,
    pub time_out: Duration,
}

impl<'a> PostRequest<'a> {
    /// Posts an empty JSON object with the usual time-out.
    pub fn empty_json(url: &'a str) -> Self {
        Self { url, body: "{}", content_type: "application/json", headers: &[], own_header: None, time_out: TIME_OUT }
    }
}

/// The result of a call.
#[derive(Debug)]
pub struct PostResult {
    pub result: Result<CallbackResponse, CallFailure>,
    /// The address that responded, or else the first address of the name.
    pub address: Option<SocketAddr>,
    /// How long it took to connect, including TLS. `None` if the connection was not established.
    pub connect: Option<Duration>,
    /// Time from the beginning until the head of the response arrived.
    pub first_byte: Option<Duration>,
    pub took: Duration,
}

/// The facts about a call that are known before it ends.
#[derive(Default)]
struct CallTrace {
    address: Option<SocketAddr>,
    first_byte: Option<Duration>,
}

tokio::task_local! {
    /// How long the call of this task took to connect.
    static CONNECT_TIME: Cell<Option<Duration>>;
}

/// Records how long it took to connect. Connections are not reused, so each call connects in its own task.
async fn record_connect_time<T, E>(connecting: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let begun = Instant::now();
    let connection = connecting.await?;
    CONNECT_TIME.with(|took| took.set(Some(begun.elapsed())));
    Ok(connection)
}

impl CallbackClient {
    pub fn new(policy: AddressPolicy) -> Self {
        Self { policy, ..Self::default() }
    }

    /// Allows calls to this process itself if `open` accepts the path.
    pub fn open_to(self, open: fn(&str) -> bool) -> Self {
        Self { open: Some(open), ..self }
    }

    /// Posts a JSON text.
    pub async fn post_json(&self, url: &str, body: String) -> Result<CallbackResponse, CallFailure> {
        let post = PostRequest { body: &body, ..PostRequest::empty_json(url) };
        self.post(post).await.result
    }

    /// Posts a request and returns its result with its times.
    pub async fn post(&self, post: PostRequest<'_>) -> PostResult {
        let begun = Instant::now();
        let mut trace = CallTrace::default();
        let (result, connect) = CONNECT_TIME
            .scope(Cell::default(), async {
                let answered = tokio::time::timeout(post.time_out, self.send_request(post, begun, &mut trace)).await;
                (answered.unwrap_or(Err(CallFailure::TimedOut(post.time_out))), CONNECT_TIME.with(Cell::get))
            })
            .await;
        PostResult { result, address: trace.address, connect, first_byte: trace.first_byte, took: begun.elapsed() }
    }

    async fn send_request(
        &self,
        post: PostRequest<'_>,
        begun: Instant,
        trace: &mut CallTrace,
    ) -> Result<CallbackResponse, CallFailure> {
        let target = self.clients.resolve_target(post.url).await?;
        trace.address = target.addresses.first().copied();
        let is_open = self.open.is_some_and(|open| open(target.url.path()));
        let is_own = is_open && target.addresses.iter().all(|address| self.policy.is_own(*address));
        // One forbidden address among several is enough to refuse, because the connection may use any of them.
        let refusal = target.addresses.iter().find_map(|address| self.policy.find_refusal(*address));
        if let Some(why) = refusal.filter(|_| !is_own) {
            return Err(CallFailure::Refused(why));
        }
        let tune = |builder: ClientBuilder| {
            builder.pool_max_idle_per_host(0).connector_layer(MapFutureLayer::new(record_connect_time))
        };
        let client = match target.is_secure() {
            true if is_own => self.clients.get_own(tune),
            is_secure => self.clients.client_for(is_secure, tune),
        }?;
        let mut request = client.post(target.url.clone()).header(header::CONTENT_TYPE, post.content_type);
        for (name, value) in post.headers {
            request = request.header(name, value);
        }
        if let Some((name, value)) = post.own_header.filter(|_| is_own) {
            request = request.header(name, value);
        }
        let mut response = request.body(post.body.to_owned()).send().await.map_err(to_failure)?;
        trace.first_byte = Some(begun.elapsed());
        trace.address = response.remote_addr().or(trace.address);
        let mut answer = CallbackResponse { status: response.status().as_u16(), body: Vec::new() };
        // The status determines the result. If the body breaks off, the part that arrived is kept.
        while let Ok(Some(chunk)) = response.chunk().await {
            let room = ANSWER_MAX - answer.body.len();
            answer.body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if answer.body.len() == ANSWER_MAX {
                break;
            }
        }
        Ok(answer)
    }
}

fn to_failure(error: reqwest::Error) -> CallFailure {
    if error.is_timeout() {
        CallFailure::TimedOut(TIME_OUT)
    } else {
        CallFailure::NoConnection(innermost_cause(&error))
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;

    /// Responds to one call with `reply` and returns the request.
    async fn one_call(reply: String) -> (u16, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let receiver = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a call");
            let mut request = Vec::new();
            while !request.ends_with(b"{}") {
                let mut buffer = [0; 4096];
                let read = stream.read(&mut buffer).await.expect("readable");
                request.extend_from_slice(&buffer[..read]);
            }
            stream.write_all(reply.as_bytes()).await.expect("writable");
            String::from_utf8(request).expect("text")
        });
        (port, receiver)
    }

    #[tokio::test]
    async fn a_call_is_plain_and_keeps_little_of_the_answer() {
        let long = "x".repeat(ANSWER_MAX * 2);
        let (port, receiver) =
            one_call(format!("HTTP/1.1 202 Accepted\r\ncontent-length: {}\r\n\r\n{long}", long.len())).await;
        let answer = CallbackClient::default()
            .post_json(&format!("http://localhost:{port}/hook?a=1"), "{}".to_owned())
            .await
            .expect("an answer");
        assert_eq!((answer.status, answer.body.len()), (202, ANSWER_MAX));
        let request = receiver.await.expect("answered").to_ascii_lowercase();
        assert!(request.starts_with("post /hook?a=1 http/1.1\r\n"), "{request}");
        assert!(
            request.contains(&format!("\r\nuser-agent: {USER_AGENT}\r\n"))
                && request.contains("\r\ncontent-type: application/json\r\n")
        );
        assert!(!request.contains("x-auth-key"));
    }

    #[tokio::test]
    async fn redirects_are_answers() {
        let (port, _asked) =
            one_call("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n".to_owned())
                .await;
        let answer = CallbackClient::default()
            .post_json(&format!("http://127.0.0.1:{port}/"), "{}".to_owned())
            .await
            .expect("an answer");
        assert_eq!(answer.status, 302);
    }

    #[tokio::test]
    async fn this_process_is_called_at_open_paths_only() {
        let (port, receiver) = one_call("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_owned()).await;
        let own = vec![SocketAddr::from(([127, 0, 0, 1], port))];
        let outbound = CallbackClient::new(AddressPolicy { private: false, own }).open_to(|path| path == "/open");
        let post = async |url: &str| {
            let post = PostRequest { own_header: Some(("x-own", "yes")), ..PostRequest::empty_json(url) };
            outbound.post(post).await
        };
        for path in
            ["", "/", "/open/", "/open/../admin", "/%6fpen", "/admin?/open", "/admin#/open", "/open%2f..%2fadmin"]
        {
            let called = post(&format!("http://localhost:{port}{path}")).await;
            assert!(matches!(called.result, Err(CallFailure::Refused(_))), "{path}: {called:?}");
        }
        let called = post(&format!("http://127.0.0.1:{port}/open?a=1")).await;
        assert_eq!(called.result.expect("an answer").status, 200);
        assert!(called.first_byte.is_some_and(|first| first <= called.took) && called.address.is_some());
        assert!(receiver.await.expect("answered").to_ascii_lowercase().contains("\r\nx-own: yes\r\n"));
        let (port, receiver) = one_call("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_owned()).await;
        assert!(post(&format!("http://127.0.0.1:{port}/open")).await.result.is_ok());
        assert!(!receiver.await.expect("answered").to_ascii_lowercase().contains("x-own"), "for this process alone");
    }

    #[tokio::test]
    async fn the_connect_time_of_a_connection_is_reported_even_if_the_call_times_out() {
        let outbound = CallbackClient::default();
        let post = async |port: u16, time_out| {
            let url = format!("http://127.0.0.1:{port}/");
            outbound.post(PostRequest { time_out, ..PostRequest::empty_json(&url) }).await
        };
        for _ in 0..2 {
            let (port, _asked) = one_call("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_owned()).await;
            let called = post(port, TIME_OUT).await;
            let connect = called.connect.expect("a connection of its own");
            let first_byte = called.first_byte.expect("an answer");
            assert!(connect <= first_byte && first_byte <= called.took, "{called:?}");
            assert_eq!(called.address, Some(SocketAddr::from(([127, 0, 0, 1], port))));
        }
        // The system's own queue accepts the connection, but nobody ever responds.
        let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = silent.local_addr().expect("bound").port();
        let called = loop {
            let called = post(port, Duration::from_millis(500)).await;
            assert!(
                matches!(called.result, Err(CallFailure::TimedOut(_))) && called.first_byte.is_none(),
                "{called:?}"
            );
            // If the machine stalled for that long, it may have stalled while connecting.
            if called.connect.is_some() {
                break called;
            }
        };
        assert!(called.connect <= Some(called.took));
        drop(silent);
        let called = post(port, TIME_OUT).await;
        assert!(matches!(called.result, Err(CallFailure::NoConnection(_))) && called.connect.is_none(), "{called:?}");
        assert!(called.address.is_some(), "the address is recorded");
    }

    #[tokio::test]
    async fn refusals_and_failures_say_whether_another_try_helps() {
        let own = CallbackClient::new(AddressPolicy {
            private: false,
            own: vec!["127.0.0.1:4010".parse().expect("an address")],
        });
        let cases = [
            ("ftp://client.example/", false),
            ("http://169.254.169.254/", false),
            ("http://[::ffff:a9fe:a9fe]/", false),
            ("http://localhost:4010/", false),
            ("http://10.0.0.1/", false),
            ("http://127.0.0.1:1/", true),
            ("http://name.invalid/", true),
        ];
        for (url, may_pass) in cases {
            let failure = own.post_json(url, "{}".to_owned()).await.expect_err(url);
            assert_eq!(failure.is_worth_retrying(), may_pass, "{url}: {failure}");
        }
        assert!(
            own.clients
                .pins
                .pin_host("localhost", 1)
                .await
                .is_ok_and(|pin| pin.addresses.iter().all(IpAddr::is_loopback))
        );
    }
}
