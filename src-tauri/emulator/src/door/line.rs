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
    io::{AsyncRead, AsyncWrite, ReadBuf},
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

/// A connection that knows how it is to end.
pub struct Line {
    stream: TcpStream,
    abort: Abort,
}

impl Line {
    pub fn new(stream: TcpStream, abort: Abort) -> Self {
        Self { stream, abort }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.abort.0.load(Ordering::Acquire) {
            // Without it the line closes in good order, which is the best that is left.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Line {
    #[inline]
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Line {
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
