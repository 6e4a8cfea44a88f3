//! One connection: what is spoken on it, and its requests until it ends.

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
    idle::{Going, UnderWay},
    tls::H2,
};
use crate::{
    door::{
        Carrier, Ending, Line, LineFault,
        answer::HttpResponse,
        routes::{self, Caller, UnreadBody},
        seats::Seat,
    },
    work::told_to_stop,
    world::Host,
};

/// How long a caller may take for the head of a request, idle time between requests included.
const HEAD_TIME: Duration = Duration::from_secs(60);
/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(20);
/// What HTTP/2 begins with where nobody has agreed on it before.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// What TLS begins with.
const RECORD: &[u8] = &[0x16];

/// Requests of one connection at the same time.
const STREAMS: u32 = 256;
/// A head of a request, its names and values counted with 32 bytes each.
const HEAD_MAX: u32 = 64 * 1024;
/// Requests taken back by the caller, or refused for a fault in them, before the connection is seen as an attack.
const TAKEN_BACK: usize = 64;
const FAULTY: usize = 128;
/// How often a caller is asked whether it is still there, and how long it may be silent.
const ASKED: Duration = Duration::from_secs(30);
const SILENT: Duration = Duration::from_secs(20);

/// How long somebody who does not speak TLS is listened to, and how much of it.
const AWAY: Duration = Duration::from_secs(5);
const AWAY_MAX: u64 = 64 * 1024;

/// What the connections of one door have in common.
#[derive(Clone)]
pub struct Talk {
    pub host: Arc<Host>,
    pub tls: Option<Arc<ServerConfig>>,
    pub stop: watch::Receiver<bool>,
}

impl Talk {
    /// Finds out what is spoken, and answers until the end.
    pub async fn begin<S: Carrier>(mut self, stream: S, caller: Caller) {
        let ending = Ending::default();
        let mut line = Line::new(stream, ending.clone(), caller.seat.clone());
        let wanted = if self.tls.is_some() { RECORD } else { PREFACE };
        let begins = tokio::select! {
            () = told_to_stop(&mut self.stop) => return,
            begins = timeout(HEAD_TIME, line.begins_with(wanted)) => begins,
        };
        // Who leaves before saying anything has nothing to be told.
        let Ok(Ok(begins)) = begins else { return };
        match (self.tls.take(), begins) {
            (None, false) => requests(line, ending, caller, self.host, self.stop).await,
            // What is rare is kept out of the memory of what is not.
            (None, true) => Box::pin(self.streams(line, caller)).await,
            (Some(tls), true) => Box::pin(self.secured(tls, line, ending, caller)).await,
            (Some(_), false) => Box::pin(self.turned_away(line)).await,
        }
    }

    async fn secured<S: Carrier>(mut self, tls: Arc<ServerConfig>, line: Line<S>, ending: Ending, caller: Caller) {
        let shaken = tokio::select! {
            () = told_to_stop(&mut self.stop) => return,
            shaken = timeout(HANDSHAKE, TlsAcceptor::from(tls).accept(line)) => shaken,
        };
        // A caller who does not trust us leaves here; that is its business.
        let Ok(Ok(stream)) = shaken else { return };
        if stream.get_ref().1.alpn_protocol() == Some(H2) {
            self.streams(stream, caller).await;
        } else {
            requests(stream, ending, caller, self.host, self.stop).await;
        }
    }

    async fn streams(self, stream: impl AsyncRead + AsyncWrite + Unpin, caller: Caller) {
        let seat = caller.seat.clone();
        let answer = move |request| routes::answer(self.host.clone(), caller.clone(), request);
        streams(stream, answer, seat, self.stop).await;
    }

    /// Says in plain words that TLS is spoken here.
    async fn turned_away<S: Carrier>(mut self, mut line: Line<S>) {
        let said = format!("This port speaks TLS. Call {}\n", self.host.ground.url);
        let answer = format!(
            "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\
             connection: close\r\nx-content-type-options: nosniff\r\ncross-origin-resource-policy: same-origin\r\n\r\n",
            said.len()
        );
        let told = async {
            line.write_all((answer + &said).as_bytes()).await?;
            line.shutdown().await?;
            // What is still on its way is read, or the answer would be lost with the line.
            tokio::io::copy(&mut line.take(AWAY_MAX), &mut tokio::io::sink()).await
        };
        tokio::select! {
            () = told_to_stop(&mut self.stop) => {}
            // Who does not hear it out is free to go.
            _ = timeout(AWAY, told) => {}
        }
    }
}

/// Answers the requests of one connection, one after the other, whatever carries it.
pub async fn requests(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    ending: Ending,
    caller: Caller,
    host: Arc<Host>,
    mut stop: watch::Receiver<bool>,
) {
    let is_unread = ending.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let under_way = caller.seat.begin_request();
        let (answered, is_unread) = (routes::answer(host.clone(), caller.clone(), request), is_unread.clone());
        async move {
            let response = answered.await?;
            if response.extensions().get::<UnreadBody>().is_some() {
                is_unread.linger();
            }
            Ok::<_, LineFault>(response.map(|body| under_way.answer(body)))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = told_to_stop(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            connection.as_mut().await
        }
    };
    // Broken lines are the caller's business, unless a rule breaks them.
    if let Err(error) = ended
        && error.source().and_then(|cause| cause.downcast_ref()) == Some(&LineFault::Reset)
    {
        ending.reset();
    }
}

/// The same for HTTP/2, where each request has a stream of its own. A rule that ends a line ends the stream alone:
/// those beside it may be of other worlds.
async fn streams<A: Future<Output = Result<HttpResponse, LineFault>> + Send + 'static>(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    answer: impl Fn(Request<Incoming>) -> A,
    seat: Arc<Seat>,
    mut stop: watch::Receiver<bool>,
) {
    let under_way = UnderWay::default();
    let begun = under_way.clone();
    let service = service_fn(move |request| {
        let (one, seated, answered) = (begun.begin(), seat.begin_request(), answer(request));
        async move { Ok::<_, LineFault>(answered.await?.map(|body| seated.answer(Going::new(body, one)))) }
    });
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(HEAD_MAX)
        .max_pending_accept_reset_streams(TAKEN_BACK)
        .max_local_error_reset_streams(FAULTY)
        .keep_alive_interval(ASKED)
        .keep_alive_timeout(SILENT)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = under_way.stalls() => return,
        () = told_to_stop(&mut stop) => {}
        () = under_way.idles(HEAD_TIME) => {}
    }
    connection.as_mut().graceful_shutdown();
    // One that never began to speak is not told, and does not go by itself. Broken lines are the caller's business.
    tokio::select! {
        _ = connection => {}
        () = under_way.stalls() => {}
        () = under_way.idles(HEAD_TIME) => {}
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
    /// Nothing in it.
    const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
    /// GET http /, on the first stream, and no more of it.
    const ASKED: &[u8] = &[0, 0, 3, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 0x84];
    const PING: u8 = 6;
    const GOODBYE: u8 = 7;

    /// What comes on a connection until its end, frame by frame, from a caller who says that it is there.
    async fn heard(mut line: impl AsyncRead + AsyncWrite + Unpin) -> Vec<u8> {
        let mut kinds = Vec::new();
        let mut head = [0; 9];
        while line.read_exact(&mut head).await.is_ok() {
            let [a, b, c, kind, flags, ..] = head;
            let mut rest = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
            line.read_exact(&mut rest).await.expect("a whole frame");
            if kind == PING && flags == 0 {
                head[4] = 1;
                // The one who asks may have gone since.
                let _ = line.write_all(&[&head, &rest[..]].concat()).await;
            }
            kinds.push(kind);
        }
        kinds
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_of_streams_ends_once_none_was_there_for_so_long() {
        for (asked, most) in [(&[][..], Duration::ZERO), (ASKED, HOUR)] {
            let (ours, mut theirs) = duplex(64 * 1024);
            let (_stop, told) = watch::channel(false);
            let begun = Instant::now();
            let slow = |_| async {
                let end = futures_util::stream::once(async {
                    sleep(HOUR).await;
                    Ok::<_, LineFault>("at last")
                });
                Ok(Response::new(Body::from_stream(end)))
            };
            theirs.write_all(&[PREFACE, SETTINGS, asked].concat()).await.expect("written");
            let (kinds, ()) = tokio::join!(heard(theirs), streams(ours, slow, Arc::default(), told));
            assert!(kinds.contains(&GOODBYE), "{kinds:?}");
            let idle = begun.elapsed() - most;
            assert!(idle >= HEAD_TIME && idle < HEAD_TIME * 2, "{idle:?} after {most:?}");
        }
    }
}
