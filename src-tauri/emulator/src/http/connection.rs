//! A connection that may end without a response, and that does not wait for ever for a caller who does not read.

use std::{
    error::Error,
    fmt, io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::http::StatusCode;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

use super::{
    response::{HttpResponse, empty_response},
    seats::ConnectionSeat,
};

/// An injected fault that ends the connection instead of a response. It travels among the extensions of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionFault {
    /// The connection is torn down (RST).
    Reset,
    /// The connection is closed (FIN).
    Close,
}

impl ConnectionFault {
    pub(crate) fn into_response(self) -> HttpResponse {
        let mut response = empty_response(StatusCode::INTERNAL_SERVER_ERROR);
        response.extensions_mut().insert(self);
        response
    }

    /// Returns the fault that a response carries, if any.
    pub(crate) fn from_response(response: &HttpResponse) -> Option<Self> {
        response.extensions().get().copied()
    }
}

/// The world of the request was reset or removed, so the connection closes without a response.
#[derive(Debug, thiserror::Error)]
#[error("the world of the request was reset or removed")]
pub(crate) struct RequestOvertaken;

impl From<RequestOvertaken> for ConnectionFault {
    fn from(_: RequestOvertaken) -> Self {
        Self::Close
    }
}

impl fmt::Display for ConnectionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection ends without a response")
    }
}

impl Error for ConnectionFault {}

/// The way in which a connection is to end, shared between connection and handler.
#[derive(Clone, Default)]
pub(crate) struct CloseMode(Arc<AtomicU8>);

const RESET: u8 = 1;
const LINGER: u8 = 2;

impl CloseMode {
    /// Requests that the connection be torn down.
    pub(crate) fn request_reset(&self) {
        self.0.store(RESET, Ordering::Release);
    }

    /// Requests that what is still arriving be read before the connection closes. Unread bytes would make the system
    /// send RST, and the caller would lose the response.
    pub(crate) fn request_linger(&self) {
        self.0.store(LINGER, Ordering::Release);
    }

    fn is_set_to(&self, wanted: u8) -> bool {
        self.0.load(Ordering::Acquire) == wanted
    }
}

/// How long, and how many bytes of, a lingering connection is read. The bytes exceed the largest body, because many
/// callers send all of it before they look for a response. A new connection may replace a lingering one.
const LINGER_TIME: Duration = Duration::from_secs(2);
const LINGER_MAX: usize = 128 << 20;

/// A caller who does not read this many bytes in this time while a response waits is given up.
const STALL_LEAST: usize = 64 * 1024;
const STALL_TIME: Duration = Duration::from_secs(20);

/// A write that waits for the caller, and its deadline.
struct WriteStall {
    deadline: Pin<Box<Sleep>>,
    written: usize,
}

/// The largest number of bytes that are inspected to detect the protocol.
pub(super) const PEEK_MAX: usize = 24;

/// The stream of a connection, with a way to tear it down.
pub(crate) trait ConnectionStream: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Makes the next drop send RST, if the stream supports it.
    fn tear_down(&self);
}

impl ConnectionStream for TcpStream {
    fn tear_down(&self) {
        // If this fails, the connection closes normally.
        let _ = self.set_zero_linger();
    }
}

/// A Unix socket has no RST: it ends without a byte.
#[cfg(unix)]
impl ConnectionStream for tokio::net::UnixStream {
    fn tear_down(&self) {}
}

/// A connection whose first bytes can be inspected, and that ends in the requested way.
pub(crate) struct DoorConnection<S: ConnectionStream> {
    stream: S,
    ending: CloseMode,
    seat: Arc<ConnectionSeat>,
    stall: Option<WriteStall>,
    /// Set once the sending half is closed: the deadline of the lingering and the bytes it may still read.
    lingering: Option<(Pin<Box<Sleep>>, usize)>,
    ahead: [u8; PEEK_MAX],
    /// The range of `ahead` that was read but not yet passed on.
    from: u8,
    to: u8,
}

impl<S: ConnectionStream> DoorConnection<S> {
    pub(crate) fn new(stream: S, ending: CloseMode, seat: Arc<ConnectionSeat>) -> Self {
        Self { stream, ending, seat, stall: None, lingering: None, ahead: [0; PEEK_MAX], from: 0, to: 0 }
    }

    /// Records the result of a write, and gives up a caller who does not read.
    fn watch_write(&mut self, cx: &mut Context<'_>, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match (&polled, &mut self.stall) {
            (Poll::Pending, stall) => {
                let stall =
                    stall.get_or_insert_with(|| WriteStall { deadline: Box::pin(sleep(STALL_TIME)), written: 0 });
                ready!(stall.deadline.as_mut().poll(cx));
                Poll::Ready(Err(io::Error::from(io::ErrorKind::TimedOut)))
            }
            (Poll::Ready(Ok(written)), Some(stall)) => {
                stall.written += written;
                if stall.written >= STALL_LEAST {
                    self.stall = None;
                }
                polled
            }
            _ => polled,
        }
    }

    /// Returns whether the connection begins with these bytes (at most [`PEEK_MAX`]), which remain to be read. Reads no
    /// further than it must.
    pub(crate) async fn begins_with(&mut self, wanted: &[u8]) -> io::Result<bool> {
        let mut length = usize::from(self.to);
        while length < wanted.len() && self.ahead[..length] == wanted[..length] {
            self.seat.touch();
            let read = self.stream.read(&mut self.ahead[length..wanted.len()]).await?;
            if read == 0 {
                return Ok(false);
            }
            length += read;
            self.to = u8::try_from(length).unwrap_or(u8::MAX);
        }
        Ok(self.ahead[..length] == wanted[..length.min(wanted.len())])
    }
}

impl<S: ConnectionStream> Drop for DoorConnection<S> {
    fn drop(&mut self) {
        if self.ending.is_set_to(RESET) {
            self.stream.tear_down();
        }
    }
}

impl<S: ConnectionStream> AsyncRead for DoorConnection<S> {
    #[inline]
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.from < self.to {
            let line = &mut *self;
            let peeked = &line.ahead[usize::from(line.from)..usize::from(line.to)];
            let taken = peeked.len().min(buf.remaining());
            buf.put_slice(&peeked[..taken]);
            line.from += u8::try_from(taken).unwrap_or(u8::MAX);
            return Poll::Ready(Ok(()));
        }
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if read.is_ready() {
            self.seat.touch();
        }
        read
    }
}

impl<S: ConnectionStream> AsyncWrite for DoorConnection<S> {
    #[inline]
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.watch_write(cx, polled)
    }

    #[inline]
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.watch_write(cx, polled)
    }

    #[inline]
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    #[inline]
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        // Everything was sent.
        self.stall = None;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let line = &mut *self;
        if line.lingering.is_none() {
            ready!(Pin::new(&mut line.stream).poll_shutdown(cx))?;
        }
        if !line.ending.is_set_to(LINGER) {
            return Poll::Ready(Ok(()));
        }
        let (deadline, left) = line.lingering.get_or_insert_with(|| (Box::pin(sleep(LINGER_TIME)), LINGER_MAX));
        let mut space = [0; 4_096];
        while *left > 0 && deadline.as_mut().poll(cx).is_pending() {
            let mut unread = ReadBuf::new(&mut space);
            // If reading fails, the caller has left and loses nothing.
            let read = ready!(Pin::new(&mut line.stream).poll_read(cx, &mut unread)).map(|()| unread.filled().len());
            match read {
                Ok(1..) => *left = left.saturating_sub(unread.filled().len()),
                Ok(0) | Err(_) => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}
