//! Serves one connection: detects the protocol and answers its requests until it ends.

use std::{error::Error as _, sync::Arc, time::Duration};

use axum::http::Request;
use hyper::{
    body::Incoming,
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::ServerConfig;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    sync::watch,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;

use super::{
    activity::{ActiveRequests, TrackedBody},
    tls::H2,
};
use crate::{
    http::{
        CloseMode, ConnectionFault, ConnectionStream, DoorConnection, response::HttpResponse, seats::ConnectionSeat,
        wait_for_stop,
    },
    server::dispatch::routes::{self, RemoteCaller, UnreadBody},
    world::Host,
};

/// How long a caller may take for the head of a request, including idle time between requests.
const HEAD_TIME: Duration = Duration::from_secs(60);
const HANDSHAKE_TIME: Duration = Duration::from_secs(20);
/// The first bytes of HTTP/2 without prior negotiation.
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The first byte of a TLS handshake.
const TLS_RECORD: &[u8] = &[0x16];

/// The largest number of requests at the same time on one connection.
const MAX_STREAMS: u32 = 256;
/// The largest head of a request; each header counts 32 bytes more than its name and value.
const MAX_HEAD: u32 = 64 * 1024;
/// How many requests a caller may reset, or send with errors, before the connection counts as an attack.
const MAX_RESETS: usize = 64;
const MAX_STREAM_ERRORS: usize = 128;
/// How often the server pings a silent caller, and how long it waits for the answer.
const PING_INTERVAL: Duration = Duration::from_secs(30);
const PING_TIMEOUT: Duration = Duration::from_secs(20);

/// How long, and how many bytes of, a caller without TLS is read before the connection closes.
const REFUSAL_TIME: Duration = Duration::from_secs(5);
const MAX_REFUSED_BYTES: u64 = 64 * 1024;

/// What the connections of one door share.
#[derive(Clone)]
pub(super) struct ConnectionHandler {
    pub host: Arc<Host>,
    pub tls: Option<Arc<ServerConfig>>,
    pub stop: watch::Receiver<bool>,
}

impl ConnectionHandler {
    /// Detects the protocol of a connection and serves it until its end.
    pub(super) async fn serve_connection<S: ConnectionStream>(mut self, stream: S, caller: RemoteCaller) {
        let ending = CloseMode::default();
        let mut line = DoorConnection::new(stream, ending.clone(), caller.seat.clone());
        let wanted = if self.tls.is_some() { TLS_RECORD } else { HTTP2_PREFACE };
        let begins = tokio::select! {
            () = wait_for_stop(&mut self.stop) => return,
            begins = timeout(HEAD_TIME, line.begins_with(wanted)) => begins,
        };
        // The caller left or sent nothing, so there is nothing to answer.
        let Ok(Ok(begins)) = begins else { return };
        match (self.tls.take(), begins) {
            (None, false) => serve_http1(line, ending, caller, self.host, self.stop).await,
            // The rare cases are boxed, so that they do not enlarge the future of the common case.
            (None, true) => Box::pin(self.serve_http2(line, caller)).await,
            (Some(tls), true) => Box::pin(self.serve_tls(tls, line, ending, caller)).await,
            (Some(_), false) => Box::pin(self.refuse_plain_http(line)).await,
        }
    }

    async fn serve_tls<S: ConnectionStream>(
        mut self,
        tls: Arc<ServerConfig>,
        line: DoorConnection<S>,
        ending: CloseMode,
        caller: RemoteCaller,
    ) {
        let shaken = tokio::select! {
            () = wait_for_stop(&mut self.stop) => return,
            shaken = timeout(HANDSHAKE_TIME, TlsAcceptor::from(tls).accept(line)) => shaken,
        };
        // A caller who does not trust the certificate leaves here; that is not an error of the server.
        let Ok(Ok(stream)) = shaken else { return };
        if stream.get_ref().1.alpn_protocol() == Some(H2) {
            self.serve_http2(stream, caller).await;
        } else {
            serve_http1(stream, ending, caller, self.host, self.stop).await;
        }
    }

    async fn serve_http2(self, stream: impl AsyncRead + AsyncWrite + Unpin, caller: RemoteCaller) {
        let seat = caller.seat.clone();
        let answer = move |request| routes::answer_request(self.host.clone(), caller.clone(), request);
        serve_http2_streams(stream, answer, seat, self.stop).await;
    }

    /// Tells a caller without TLS in plain text that the server requires it.
    async fn refuse_plain_http<S: ConnectionStream>(mut self, mut line: DoorConnection<S>) {
        let text = format!("This port speaks TLS. Call {}\n", self.host.resources.url);
        let answer = format!(
            "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\
             connection: close\r\nx-content-type-options: nosniff\r\ncross-origin-resource-policy: same-origin\r\n\r\n",
            text.len()
        );
        let refusal = async {
            line.write_all((answer + &text).as_bytes()).await?;
            line.shutdown().await?;
            // Reads what is still arriving, because otherwise the system would send RST and the caller would lose the
            // response.
            tokio::io::copy(&mut line.take(MAX_REFUSED_BYTES), &mut tokio::io::sink()).await
        };
        tokio::select! {
            () = wait_for_stop(&mut self.stop) => {}
            // A caller that does not read the response is given up.
            _ = timeout(REFUSAL_TIME, refusal) => {}
        }
    }
}

/// Answers the requests of one HTTP/1.1 connection, one after the other, on any stream.
pub(super) async fn serve_http1(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    ending: CloseMode,
    caller: RemoteCaller,
    host: Arc<Host>,
    mut stop: watch::Receiver<bool>,
) {
    let is_unread = ending.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let under_way = caller.seat.begin_request();
        let (answered, is_unread) = (routes::answer_request(host.clone(), caller.clone(), request), is_unread.clone());
        async move {
            let response = answered.await?;
            if response.extensions().get::<UnreadBody>().is_some() {
                is_unread.request_linger();
            }
            Ok::<_, ConnectionFault>(response.map(|body| under_way.track_body(body)))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = wait_for_stop(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            connection.as_mut().await
        }
    };
    // Errors of the connection concern only the caller, except where a fault rule breaks it.
    if let Err(error) = ended
        && error.source().and_then(|cause| cause.downcast_ref()) == Some(&ConnectionFault::Reset)
    {
        ending.request_reset();
    }
}

/// Answers the requests of one HTTP/2 connection, where each request has a stream. A fault rule that ends the
/// connection ends only that stream, because the others may belong to other worlds.
async fn serve_http2_streams<A: Future<Output = Result<HttpResponse, ConnectionFault>> + Send + 'static>(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    answer: impl Fn(Request<Incoming>) -> A,
    seat: Arc<ConnectionSeat>,
    mut stop: watch::Receiver<bool>,
) {
    let under_way = ActiveRequests::default();
    let begun = under_way.clone();
    let service = service_fn(move |request| {
        let (one, seated, answered) = (begun.begin_request(), seat.begin_request(), answer(request));
        async move { Ok::<_, ConnectionFault>(answered.await?.map(|body| seated.track_body(TrackedBody::new(body, one)))) }
    });
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEAD)
        .max_pending_accept_reset_streams(MAX_RESETS)
        .max_local_error_reset_streams(MAX_STREAM_ERRORS)
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = under_way.wait_until_stalled() => return,
        () = wait_for_stop(&mut stop) => {}
        () = under_way.wait_until_idle(HEAD_TIME) => {}
    }
    connection.as_mut().graceful_shutdown();
    // A connection that never sent a request does not hear of the shutdown and does not close by itself. Errors of the
    // connection concern only the caller.
    tokio::select! {
        _ = connection => {}
        () = under_way.wait_until_stalled() => {}
        () = under_way.wait_until_idle(HEAD_TIME) => {}
    }
}

#[cfg(test)]
mod tests {
    use axum::{body::Body, response::Response};
    use tokio::{
        io::duplex,
        time::{Instant, sleep},
    };

    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);
    /// An empty SETTINGS frame.
    const SETTINGS_FRAME: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
    /// A HEADERS frame with `GET /` on the first stream, which does not end the request.
    const REQUEST_FRAME: &[u8] = &[0, 0, 3, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 0x84];
    const PING: u8 = 6;
    const GOODBYE: u8 = 7;

    /// Reads the kinds of frames on a connection until its end, and answers pings.
    async fn read_frame_kinds(mut line: impl AsyncRead + AsyncWrite + Unpin) -> Vec<u8> {
        let mut kinds = Vec::new();
        let mut head = [0; 9];
        while line.read_exact(&mut head).await.is_ok() {
            let [a, b, c, kind, flags, ..] = head;
            let mut rest = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
            line.read_exact(&mut rest).await.expect("a whole frame");
            if kind == PING && flags == 0 {
                head[4] = 1;
                // The other side may have closed since.
                let _ = line.write_all(&[&head, &rest[..]].concat()).await;
            }
            kinds.push(kind);
        }
        kinds
    }

    #[tokio::test(start_paused = true)]
    async fn an_http_2_connection_is_closed_after_an_idle_time_without_streams() {
        for (frames, most) in [(&[][..], Duration::ZERO), (REQUEST_FRAME, HOUR)] {
            let (ours, mut theirs) = duplex(64 * 1024);
            let (_stop, stopped) = watch::channel(false);
            let begun = Instant::now();
            let slow = |_| async {
                let end = futures_util::stream::once(async {
                    sleep(HOUR).await;
                    Ok::<_, ConnectionFault>("at last")
                });
                Ok(Response::new(Body::from_stream(end)))
            };
            theirs.write_all(&[HTTP2_PREFACE, SETTINGS_FRAME, frames].concat()).await.expect("written");
            let (kinds, ()) =
                tokio::join!(read_frame_kinds(theirs), serve_http2_streams(ours, slow, Arc::default(), stopped));
            assert!(kinds.contains(&GOODBYE), "{kinds:?}");
            let idle = begun.elapsed() - most;
            assert!(idle >= HEAD_TIME && idle < HEAD_TIME * 2, "{idle:?} after {most:?}");
        }
    }
}
