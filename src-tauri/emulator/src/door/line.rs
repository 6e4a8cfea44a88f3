//! A connection that may end without an answer, and that does not wait for ever for a caller who does not read.

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
    answer::{HttpResponse, empty},
    routes::Closed,
    seats::Seat,
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
        f.write_str("the connection ends without a response")
    }
}

impl Error for LineFault {}

/// How a connection is to end.
#[derive(Clone, Default)]
pub struct Ending(Arc<AtomicU8>);

const RESET: u8 = 1;
const LINGER: u8 = 2;

impl Ending {
    /// The connection is to be torn down.
    pub fn reset(&self) {
        self.0.store(RESET, Ordering::Release);
    }

    /// What is still on its way from the caller is read before the connection closes: unread bytes would make the system
    /// send RST, and the caller would lose the answer.
    pub fn linger(&self) {
        self.0.store(LINGER, Ordering::Release);
    }

    fn is(&self, wanted: u8) -> bool {
        self.0.load(Ordering::Acquire) == wanted
    }
}

/// How long a connection that lingers is read, and how much of it: a body of the largest size and more, because many
/// callers send all of it before they look for an answer. It gives way to new connections meanwhile.
const LINGER_TIME: Duration = Duration::from_secs(2);
const LINGER_MAX: usize = 128 << 20;

/// A caller who does not read so many bytes in so long a time, while an answer waits for it, is given up.
const STALL_LEAST: usize = 64 * 1024;
const STALL_TIME: Duration = Duration::from_secs(20);

/// Since when a write has been waiting for the caller.
struct Stall {
    deadline: Pin<Box<Sleep>>,
    written: usize,
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
    ending: Ending,
    seat: Arc<Seat>,
    stall: Option<Stall>,
    /// Set once the sending half is closed: until when it lingers, and how much it still reads.
    lingering: Option<(Pin<Box<Sleep>>, usize)>,
    ahead: [u8; AHEAD],
    /// Of those, read and not yet handed on.
    from: u8,
    to: u8,
}

impl<S: Carrier> Line<S> {
    pub fn new(stream: S, ending: Ending, seat: Arc<Seat>) -> Self {
        Self { stream, ending, seat, stall: None, lingering: None, ahead: [0; AHEAD], from: 0, to: 0 }
    }

    /// Notes how a write went; gives a caller up who does not read.
    fn watch_write(&mut self, cx: &mut Context<'_>, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match (&polled, &mut self.stall) {
            (Poll::Pending, stall) => {
                let stall = stall.get_or_insert_with(|| Stall { deadline: Box::pin(sleep(STALL_TIME)), written: 0 });
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

    /// Whether it begins with these bytes, at most [`AHEAD`]; they stay to be read. Looks no further than it must.
    pub async fn begins_with(&mut self, wanted: &[u8]) -> io::Result<bool> {
        let mut seen = usize::from(self.to);
        while seen < wanted.len() && self.ahead[..seen] == wanted[..seen] {
            self.seat.touch();
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
        if self.ending.is(RESET) {
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
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if read.is_ready() {
            self.seat.touch();
        }
        read
    }
}

impl<S: Carrier> AsyncWrite for Line<S> {
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
        // Everything has left.
        self.stall = None;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let line = &mut *self;
        if line.lingering.is_none() {
            ready!(Pin::new(&mut line.stream).poll_shutdown(cx))?;
        }
        if !line.ending.is(LINGER) {
            return Poll::Ready(Ok(()));
        }
        let (deadline, left) = line.lingering.get_or_insert_with(|| (Box::pin(sleep(LINGER_TIME)), LINGER_MAX));
        let mut space = [0; 4_096];
        while *left > 0 && deadline.as_mut().poll(cx).is_pending() {
            let mut unread = ReadBuf::new(&mut space);
            // A caller who is gone has nothing to lose.
            let read = ready!(Pin::new(&mut line.stream).poll_read(cx, &mut unread)).map(|()| unread.filled().len());
            match read {
                Ok(1..) => *left = left.saturating_sub(unread.filled().len()),
                Ok(0) | Err(_) => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}
