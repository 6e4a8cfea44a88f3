//! A line that may end without an answer: closed in good order, or torn down.

use std::{
    error::Error,
    fmt, io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use axum::http::StatusCode;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use super::{
    answer::{HttpResponse, empty},
    routes::Closed,
};

/// Ends a line where an answer was due. It travels in the place of the answer, among its extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFault {
    /// RST.
    Reset,
    /// FIN.
    Close,
}

impl LineFault {
    pub fn into_response(self) -> HttpResponse {
        let mut response = empty(StatusCode::INTERNAL_SERVER_ERROR);
        response.extensions_mut().insert(self);
        response
    }

    pub fn of(response: &HttpResponse) -> Option<Self> {
        response.extensions().get().copied()
    }
}

impl From<Closed> for LineFault {
    fn from(_: Closed) -> Self {
        Self::Close
    }
}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the line ends without an answer")
    }
}

impl Error for LineFault {}

/// Says that a line is to be torn down at its end.
#[derive(Clone, Default)]
pub struct Abort(Arc<AtomicBool>);

impl Abort {
    pub fn ask(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// As many bytes as are looked at before it is settled what is spoken.
pub const AHEAD: usize = 24;

/// What carries a line, and how it is torn down.
pub trait Carrier: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// The next drop is an RST, where there is such a thing.
    fn tear_down(&self);
}

impl Carrier for TcpStream {
    fn tear_down(&self) {
        // Without it the line closes in good order, which is the best that is left.
        let _ = self.set_zero_linger();
    }
}

/// A socket of this machine knows no RST: it ends without a byte.
#[cfg(unix)]
impl Carrier for tokio::net::UnixStream {
    fn tear_down(&self) {}
}

/// A connection whose first bytes can be looked at, and that knows how it is to end.
pub struct Line<S: Carrier> {
    stream: S,
    abort: Abort,
    ahead: [u8; AHEAD],
    /// Of those, read and not yet handed on.
    from: u8,
    to: u8,
}

impl<S: Carrier> Line<S> {
    pub fn new(stream: S, abort: Abort) -> Self {
        Self { stream, abort, ahead: [0; AHEAD], from: 0, to: 0 }
    }

    /// Whether it begins with these bytes, at most [`AHEAD`]; they stay to be read. Looks no further than it must.
    pub async fn begins_with(&mut self, wanted: &[u8]) -> io::Result<bool> {
        let mut seen = usize::from(self.to);
        while seen < wanted.len() && self.ahead[..seen] == wanted[..seen] {
            let read = self.stream.read(&mut self.ahead[seen..wanted.len()]).await?;
            if read == 0 {
                return Ok(false);
            }
            seen += read;
            self.to = u8::try_from(seen).unwrap_or(u8::MAX);
        }
        Ok(self.ahead[..seen] == wanted[..seen.min(wanted.len())])
    }
}

impl<S: Carrier> Drop for Line<S> {
    fn drop(&mut self) {
        if self.abort.0.load(Ordering::Acquire) {
            self.stream.tear_down();
        }
    }
}

impl<S: Carrier> AsyncRead for Line<S> {
    #[inline]
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.from < self.to {
            let line = &mut *self;
            let ahead = &line.ahead[usize::from(line.from)..usize::from(line.to)];
            let taken = ahead.len().min(buf.remaining());
            buf.put_slice(&ahead[..taken]);
            line.from += u8::try_from(taken).unwrap_or(u8::MAX);
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: Carrier> AsyncWrite for Line<S> {
    #[inline]
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    #[inline]
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    #[inline]
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    #[inline]
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    #[inline]
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
