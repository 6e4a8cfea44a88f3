//! The doors of the server: TLS, HTTP/2 and the Unix socket.

pub(crate) mod certificates;
pub(crate) mod files;
pub(crate) mod frames;
pub(crate) mod program;
pub(crate) mod socket;
pub(crate) mod staged;
pub(crate) mod tls;

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    time::Duration,
};

use axum::http::{HeaderMap, Request, Version};
use bytes::Bytes;
use h2::{Reason, client::SendRequest};
use roost_emulator::TlsOptions;
use roost_tests::{Served, Setup, seeds};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    runtime::{Builder, Runtime},
};
use tokio_rustls::TlsConnector;

const LISTS: &str = "/contacts/v1/lists/";
const H1: &[u8] = b"http/1.1";
const H2: &[u8] = b"h2";

/// A setup with a frozen clock and something to read.
fn readable_setup() -> Setup {
    let lists = [seeds::filled_list(&seeds::id("LST_", "1"), "VIP", 2)];
    Setup::new().at("2026-01-05T09:00:00Z").seed(json!({ "lists": lists }))
}

/// Starts such a server behind TLS, with an authority in memory.
fn start_secured() -> Served {
    let mut setup = readable_setup();
    setup.config.tls = Some(TlsOptions::Own { folder: None });
    setup.serve()
}

/// Returns the configuration of a client that trusts these authorities and speaks these protocols.
pub(crate) fn trusting_config(authorities: &str, protocols: &[&[u8]]) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for root in CertificateDer::pem_slice_iter(authorities.as_bytes()) {
        roots.add(root.expect("PEM")).expect("an authority");
    }
    let provider = Arc::new(ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().expect("versions");
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    Arc::new(config)
}

fn open_connection(address: SocketAddr) -> TcpStream {
    let line = TcpStream::connect(address).expect("a line");
    line.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
    line
}

/// Performs a TLS handshake and returns the connection or the error.
pub(crate) fn shake_hands(
    address: SocketAddr,
    name: &str,
    config: &Arc<ClientConfig>,
) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    let connection = ClientConnection::new(config.clone(), name).expect("a configuration");
    let mut line = StreamOwned::new(connection, open_connection(address));
    while line.conn.is_handshaking() {
        line.conn.complete_io(&mut line.sock)?;
    }
    Ok(line)
}

/// Sends one HTTP/1.1 request and reads to the end. Returns head and body.
fn ask_once(mut line: impl Read + Write, head: &str) -> (String, Vec<u8>) {
    line.write_all(format!("{head}\r\nconnection: close\r\n\r\n").as_bytes()).expect("sent");
    let mut bytes = Vec::new();
    line.read_to_end(&mut bytes).expect("an answer and its end");
    let at = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
    (String::from_utf8_lossy(&bytes[..at]).to_lowercase(), bytes[at + 4..].to_vec())
}

/// The response on a stream.
#[derive(Debug)]
struct StreamResponse {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
    /// The reason for which the stream ended early.
    ended: Option<Reason>,
}

impl StreamResponse {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("text"))
    }

    fn to_json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }
}

/// An HTTP/2 connection with the threads that drive it.
struct StreamConnection {
    runtime: Runtime,
    send: SendRequest<Bytes>,
    base: String,
}

impl StreamConnection {
    /// Connects over TLS to a server with its own authority.
    fn connect_to(api: &Served) -> Self {
        let (address, config) = (api.address(), trusting_config(api.ca(), &[H2]));
        let open = async move {
            let line = tokio::net::TcpStream::connect(address).await.expect("a line");
            let name = ServerName::try_from("localhost").expect("a name");
            let line = TlsConnector::from(config).connect(name, line).await.expect("hands shaken");
            assert_eq!(line.get_ref().1.alpn_protocol(), Some(H2));
            line
        };
        Self::connect_over(api.url(), open)
    }

    /// Connects without TLS to a server that is known to support this.
    fn in_the_open(api: &Served) -> Self {
        let address = api.address();
        Self::connect_over(api.url(), async move { tokio::net::TcpStream::connect(address).await.expect("a line") })
    }

    fn connect_over<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        base: &str,
        open: impl Future<Output = S>,
    ) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        let (send, connection) =
            runtime.block_on(async { h2::client::handshake(open.await).await.expect("a connection") });
        runtime.spawn(async move {
            // The clients of its streams notice when it ends.
            let _ = connection.await;
        });
        Self { runtime, send, base: base.to_owned() }
    }

    fn request_builder(&self, method: &str, target: &str) -> axum::http::request::Builder {
        Request::builder()
            .method(method)
            .version(Version::HTTP_2)
            .uri(format!("{}{target}", self.base))
            .header("x-auth-key", "a-key")
    }

    fn get(&self, target: &str) -> StreamResponse {
        self.send_request(self.request_builder("GET", target), "").expect("an answer")
    }

    /// Returns the response, or the reason for which the stream ended without one.
    fn send_request(
        &self,
        request: axum::http::request::Builder,
        body: &str,
    ) -> Result<StreamResponse, Option<Reason>> {
        let body = Bytes::copy_from_slice(body.as_bytes());
        self.runtime.block_on(exchange_on(self.send.clone(), request.body(()).expect("a request"), body))
    }
}

async fn exchange_on(
    send: SendRequest<Bytes>,
    request: Request<()>,
    body: Bytes,
) -> Result<StreamResponse, Option<Reason>> {
    let reason = |why: h2::Error| why.reason();
    let mut send = send.ready().await.map_err(reason)?;
    let (answer, mut out) = send.send_request(request, body.is_empty()).map_err(reason)?;
    if !body.is_empty() {
        // If the request was refused early, the server no longer reads its body. The response still arrives.
        let _ = out.send_data(body, true);
    }
    let (parts, mut stream) = answer.await.map_err(reason)?.into_parts();
    let mut heard =
        StreamResponse { status: parts.status.as_u16(), headers: parts.headers, body: Vec::new(), ended: None };
    while let Some(piece) = stream.data().await {
        match piece {
            Ok(piece) => {
                heard.body.extend_from_slice(&piece);
                stream.flow_control().release_capacity(piece.len()).map_err(reason)?;
            }
            Err(why) => {
                heard.ended = Some(why.reason().unwrap_or(Reason::NO_ERROR));
                break;
            }
        }
    }
    Ok(heard)
}
