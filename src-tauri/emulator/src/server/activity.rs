//! Tracks the running requests of one HTTP/2 connection: how long it has been idle, and whether its caller stopped
//! reading.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout},
};

/// The longest time that a caller may take to read one piece of a response.
const STALL_TIME: Duration = Duration::from_secs(30);
/// The largest piece of a response. A stream that nobody reads buffers no more than this.
const MAX_PIECE: usize = 64 * 1024;

/// The number of running requests, and since when pieces of responses have been waiting for their reader.
#[derive(Clone, Default)]
pub(super) struct ActiveRequests {
    count: watch::Sender<usize>,
    pieces: Arc<Mutex<PendingPieces>>,
}

#[derive(Default)]
struct PendingPieces {
    next: u64,
    since: HashMap<u64, Instant>,
}

/// A running request, which ends when its response was sent or abandoned.
pub(super) struct ActiveRequest {
    all: ActiveRequests,
    number: u64,
}

impl ActiveRequests {
    fn lock_pieces(&self) -> MutexGuard<'_, PendingPieces> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin_request(&self) -> ActiveRequest {
        self.count.send_modify(|count| *count += 1);
        let mut handed = self.lock_pieces();
        handed.next += 1;
        ActiveRequest { all: self.clone(), number: handed.next }
    }

    /// Waits until no request has been running for the given time.
    pub(super) async fn wait_until_idle(&self, so_long: Duration) {
        let mut count = self.count.subscribe();
        loop {
            let is_idle = *count.borrow_and_update() == 0;
            // This also notices a request that began and ended since the last check. The sender is `self`, so it still
            // exists.
            let changed = count.changed();
            if !is_idle {
                let _ = changed.await;
            } else if timeout(so_long, changed).await.is_err() {
                return;
            }
        }
    }

    /// Waits until the caller has left a piece of a response unread for too long.
    pub(super) async fn wait_until_stalled(&self) {
        loop {
            let oldest = self.lock_pieces().since.values().min().copied();
            match oldest {
                Some(since) if since.elapsed() >= STALL_TIME => return,
                Some(since) => sleep(STALL_TIME.saturating_sub(since.elapsed())).await,
                None => sleep(STALL_TIME).await,
            }
        }
    }
}

impl ActiveRequest {
    /// Notes that from now on the server waits for the caller.
    fn start_waiting(&self) {
        self.all.lock_pieces().since.insert(self.number, Instant::now());
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.all.lock_pieces().since.remove(&self.number);
        self.all.count.send_modify(|count| *count -= 1);
    }
}

/// The body of a response. Its request counts as running while the body exists.
pub(super) struct TrackedBody {
    body: Body,
    /// The rest of a large piece.
    rest: Bytes,
    one: ActiveRequest,
}

impl TrackedBody {
    pub(super) fn new(body: Body, one: ActiveRequest) -> Self {
        one.start_waiting();
        Self { body, rest: Bytes::new(), one }
    }
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let going = &mut *self;
        if going.rest.is_empty() {
            match Pin::new(&mut going.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => going.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                other => {
                    // From now on the caller waits for the server.
                    going.one.all.lock_pieces().since.remove(&going.one.number);
                    return other;
                }
            }
        }
        let piece = going.rest.split_to(going.rest.len().min(MAX_PIECE));
        going.one.start_waiting();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.rest.len() as u64;
        let hint = self.body.size_hint();
        let mut all = SizeHint::new();
        all.set_lower(hint.lower() + rest);
        if let Some(upper) = hint.upper() {
            all.set_upper(upper + rest);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, sleep};

    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);
    const MINUTE: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn nothing_is_idle_while_something_is_under_way() {
        let (under_way, begun) = (ActiveRequests::default(), Instant::now());
        let (one, two) = (under_way.begin_request(), under_way.begin_request());
        drop(one);
        assert!(timeout(HOUR, under_way.wait_until_idle(MINUTE)).await.is_err());
        drop(two);
        under_way.wait_until_idle(MINUTE).await;
        assert_eq!(begun.elapsed(), HOUR + MINUTE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_who_does_not_read_is_noticed_and_one_who_waits_is_not() {
        let (under_way, begun) = (ActiveRequests::default(), Instant::now());
        let mut large = TrackedBody::new(Body::from(vec![0; MAX_PIECE * 2]), under_way.begin_request());
        let mut late = TrackedBody::new(
            Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>()),
            under_way.begin_request(),
        );
        let mut context = Context::from_waker(std::task::Waker::noop());
        assert!(Pin::new(&mut late).poll_frame(&mut context).is_pending());
        for _ in 0..2 {
            let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut large).poll_frame(&mut context) else {
                panic!("no piece")
            };
            assert_eq!(frame.data_ref().map(Bytes::len), Some(MAX_PIECE));
        }
        under_way.wait_until_stalled().await;
        assert_eq!(begun.elapsed(), STALL_TIME);
        drop(large);
        assert!(timeout(HOUR, under_way.wait_until_stalled()).await.is_err());
        let begun = Instant::now();
        let _unread = TrackedBody::new(Body::empty(), under_way.begin_request());
        under_way.wait_until_stalled().await;
        assert!(begun.elapsed() <= STALL_TIME * 2, "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn even_the_shortest_request_restarts_the_idle_time() {
        let (under_way, begun) = (ActiveRequests::default(), Instant::now());
        let request = async {
            sleep(MINUTE / 2).await;
            drop(under_way.begin_request());
        };
        tokio::join!(request, under_way.wait_until_idle(MINUTE));
        assert_eq!(begun.elapsed(), MINUTE / 2 + MINUTE);
    }
}
