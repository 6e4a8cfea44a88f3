//! Sending: one time-out, no redirects, no proxy, a small part of the answer kept.

use std::{
    net::{IpAddr, SocketAddr},
    sync::OnceLock,
    time::Duration,
};

use reqwest::{Client, header, redirect};
use url::{Host, Url};

use crate::{address::Policy, pins::Pins};

pub const TIME_OUT: Duration = Duration::from_secs(10);
/// As much of an answer's body as is read.
pub const ANSWER_MAX: usize = 64 * 1024;
pub const USER_AGENT: &str = concat!("roost/", env!("CARGO_PKG_VERSION"));

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{0} is no http or https address")]
    NoAddress(String),
    #[error("refused to call: {0}")]
    Refused(String),
    #[error("the name could not be resolved: {0}")]
    Unresolved(#[source] std::io::Error),
    #[error("no answer within {} s", TIME_OUT.as_secs())]
    TimedOut,
    #[error("no connection: {0}")]
    NoConnection(String),
    #[error("this machine's certificates cannot be used: {0}")]
    NoCertificates(String),
}

impl Failure {
    /// Whether another try could end otherwise.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::NoAddress(_) | Self::Refused(_) => false,
            Self::Unresolved(_) | Self::TimedOut | Self::NoConnection(_) | Self::NoCertificates(_) => true,
        }
    }
}

/// The client. Made without cost: its connections and certificates come with the first call.
#[derive(Default)]
pub struct Outbound {
    policy: Policy,
    pins: Pins,
    plain: OnceLock<Result<Client, String>>,
    secure: OnceLock<Result<Client, String>>,
}

impl Outbound {
    pub fn new(policy: Policy) -> Self {
        Self { policy, ..Self::default() }
    }

    /// Posts a JSON text.
    pub async fn post_json(&self, url: &str, body: String) -> Result<Answer, Failure> {
        match tokio::time::timeout(TIME_OUT, self.post(url, body)).await {
            Ok(answer) => answer,
            Err(_) => Err(Failure::TimedOut),
        }
    }

    async fn post(&self, url: &str, body: String) -> Result<Answer, Failure> {
        let no_address = || Failure::NoAddress(url.to_owned());
        let target = Url::parse(url).map_err(|_| no_address())?;
        if !matches!(target.scheme(), "http" | "https") {
            return Err(no_address());
        }
        let port = target.port_or_known_default().ok_or_else(no_address)?;
        let (_pin, addresses) = match target.host().ok_or_else(no_address)? {
            Host::Ipv4(ip) => (None, vec![IpAddr::V4(ip)]),
            Host::Ipv6(ip) => (None, vec![IpAddr::V6(ip)]),
            Host::Domain(name) => {
                let pin = self.pins.pin(name, port).await.map_err(Failure::Unresolved)?;
                let addresses = pin.addresses.clone();
                (Some(pin), addresses)
            }
        };
        // One bad address among several is enough: which of them is connected to is not ours to choose.
        if let Some(why) = addresses.iter().find_map(|ip| self.policy.refusal(SocketAddr::new(*ip, port))) {
            return Err(Failure::Refused(why));
        }
        let client = self.client(target.scheme() == "https")?;
        let request = client.post(target).header(header::CONTENT_TYPE, "application/json").body(body);
        let mut response = request.send().await.map_err(failure)?;
        let mut answer = Answer { status: response.status().as_u16(), body: Vec::new() };
        // The status settles the outcome; a body that breaks off is kept as far as it came.
        while let Ok(Some(chunk)) = response.chunk().await {
            let room = ANSWER_MAX - answer.body.len();
            answer.body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if answer.body.len() == ANSWER_MAX {
                break;
            }
        }
        Ok(answer)
    }

    fn client(&self, secure: bool) -> Result<&Client, Failure> {
        // Plain calls carry no certificates, so that they work, and at once, on a machine that has none.
        let slot = if secure { &self.secure } else { &self.plain };
        let built = slot.get_or_init(|| {
            let builder = Client::builder()
                .user_agent(USER_AGENT)
                .redirect(redirect::Policy::none())
                .no_proxy()
                .dns_resolver(self.pins.clone())
                .pool_max_idle_per_host(0)
                .timeout(TIME_OUT);
            let builder = if secure { builder } else { builder.tls_certs_only([]) };
            builder.build().map_err(|error| deepest(&error))
        });
        built.as_ref().map_err(|why| Failure::NoCertificates(why.clone()))
    }
}

fn failure(error: reqwest::Error) -> Failure {
    if error.is_timeout() { Failure::TimedOut } else { Failure::NoConnection(deepest(&error)) }
}

/// The innermost cause is the one that helps.
fn deepest(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;

    /// Answers one call with `reply` and gives back what was asked.
    async fn one_call(reply: String) -> (u16, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let asked = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a call");
            let mut asked = Vec::new();
            while !asked.ends_with(b"{}") {
                let mut buffer = [0; 4096];
                let read = stream.read(&mut buffer).await.expect("readable");
                asked.extend_from_slice(&buffer[..read]);
            }
            stream.write_all(reply.as_bytes()).await.expect("writable");
            String::from_utf8(asked).expect("text")
        });
        (port, asked)
    }

    #[tokio::test]
    async fn a_call_is_plain_and_keeps_little_of_the_answer() {
        let long = "x".repeat(ANSWER_MAX * 2);
        let (port, asked) =
            one_call(format!("HTTP/1.1 202 Accepted\r\ncontent-length: {}\r\n\r\n{long}", long.len())).await;
        let answer = Outbound::default()
            .post_json(&format!("http://localhost:{port}/hook?a=1"), "{}".to_owned())
            .await
            .expect("an answer");
        assert_eq!((answer.status, answer.body.len()), (202, ANSWER_MAX));
        let asked = asked.await.expect("answered").to_ascii_lowercase();
        assert!(asked.starts_with("post /hook?a=1 http/1.1\r\n"), "{asked}");
        assert!(
            asked.contains(&format!("\r\nuser-agent: {USER_AGENT}\r\n"))
                && asked.contains("\r\ncontent-type: application/json\r\n")
        );
        assert!(!asked.contains("x-auth-key"));
    }

    #[tokio::test]
    async fn redirects_are_answers() {
        let (port, _asked) =
            one_call("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n".to_owned())
                .await;
        let answer = Outbound::default()
            .post_json(&format!("http://127.0.0.1:{port}/"), "{}".to_owned())
            .await
            .expect("an answer");
        assert_eq!(answer.status, 302);
    }

    #[tokio::test]
    async fn refusals_and_failures_say_whether_another_try_helps() {
        let own = Outbound::new(Policy { private: false, own: vec!["127.0.0.1:4010".parse().expect("an address")] });
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
            assert_eq!(failure.may_pass(), may_pass, "{url}: {failure}");
        }
        assert!(own.pins.pin("localhost", 1).await.is_ok_and(|pin| pin.addresses.iter().all(IpAddr::is_loopback)));
    }
}
