//! Receives the body of a request within the capacity of the server, and neither too slowly nor for ever.

use std::{ops::Deref, sync::Arc, time::Duration};

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures_util::StreamExt;
use hyper::body::{Body as _, Incoming};
use tokio::time::{Instant, timeout, timeout_at};

use crate::http::{
    bounds::{BodyReservation, BoundReached, ServerCapacity},
    seats::ConnectionSeat,
};

/// The largest body of any request.
pub(crate) const BODY_MAX: usize = 64 * 1024 * 1024;
/// The longest silence within a body.
const MAX_SILENCE: Duration = Duration::from_secs(30);
/// The time after which a body must arrive at a minimum rate: [`WINDOW_MIN_BYTES`] bytes in each [`RATE_WINDOW`].
const GRACE_TIME: Duration = Duration::from_secs(30);
const RATE_WINDOW: Duration = Duration::from_secs(10);
const WINDOW_MIN_BYTES: usize = 10 * 1024;
/// The longest time that a body may take.
const MAX_BODY_TIME: Duration = Duration::from_secs(300);
/// How much of a body that is too large is still read, so that the caller receives the error before the connection
/// closes.
const DRAIN_MAX: usize = BODY_MAX;
/// How much of a body that nobody reads is discarded, so that the connection can be used again.
const DISCARD_MAX: usize = 64 * 1024;
/// A full buffer grows by at least its length divided by this number.
const GROWTH_DIVISOR: usize = 8;
/// The most of an announced length that a buffer reserves at first. Bytes that do not arrive take no memory.
const ANNOUNCED_MAX: usize = 4 * 1024 * 1024;
const DISCARD_TIME: Duration = Duration::from_secs(2);

/// The reason why a body was not received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyError {
    TooLarge,
    /// The body ended early, paused for too long or came too slowly.
    Broken,
    BoundReached(BoundReached),
}

/// A received body with the capacity that it holds until it is dropped.
#[derive(Debug, Default)]
pub(crate) struct ReceivedBody {
    bytes: Bytes,
    _reservation: Option<BodyReservation>,
}

/// A body that was not received from a caller and holds no capacity.
impl From<Bytes> for ReceivedBody {
    fn from(bytes: Bytes) -> Self {
        Self { bytes, _reservation: None }
    }
}

impl Deref for ReceivedBody {
    type Target = Bytes;

    fn deref(&self) -> &Bytes {
        &self.bytes
    }
}

/// The body of a request before it is read.
pub(crate) struct RequestBody {
    incoming: Option<Incoming>,
    capacity: Arc<ServerCapacity>,
    seat: Arc<ConnectionSeat>,
}

impl RequestBody {
    pub(crate) fn new(incoming: Incoming, capacity: Arc<ServerCapacity>, seat: Arc<ConnectionSeat>) -> Self {
        Self { incoming: Some(incoming).filter(|body| !body.is_end_stream()), capacity, seat }
    }

    /// Returns whether the request came on a connection that is reserved for the operator and health checks.
    pub(crate) fn is_reserved(&self) -> bool {
        self.seat.is_reserved()
    }

    /// Reads the body up to the largest size.
    pub(crate) async fn read(&mut self) -> Result<ReceivedBody, BodyError> {
        // A body that announces too many bytes is left unread, so that a caller who sends Expect first does not send
        // it.
        if self.incoming.as_ref().is_some_and(|body| body.size_hint().lower() > BODY_MAX as u64) {
            return Err(BodyError::TooLarge);
        }
        let Some(incoming) = self.incoming.take() else { return Ok(ReceivedBody::default()) };
        let announced = usize::try_from(incoming.size_hint().lower()).map_or(0, |length| length.min(ANNOUNCED_MAX));
        let mut chunks = BodyChunks::new(incoming, self.seat.clone());
        let Some(first) = chunks.next().await? else { return Ok(ReceivedBody::default()) };
        let mut room = self.capacity.reserve_body();
        room.grow(first.len()).await.map_err(BodyError::BoundReached)?;
        let Some(second) = chunks.next().await? else {
            return Ok(ReceivedBody { bytes: first, _reservation: Some(room) });
        };
        let mut received = Vec::with_capacity(announced.max(first.len()));
        received.extend_from_slice(&first);
        let mut pending = Some(second);
        while let Some(chunk) = pending {
            if received.len() + chunk.len() > BODY_MAX {
                return chunks.drain().await;
            }
            room.grow(chunk.len()).await.map_err(BodyError::BoundReached)?;
            // The buffer grows by less than doubling, so that it does not take twice the capacity that was counted.
            if received.capacity() - received.len() < chunk.len() {
                received.reserve_exact(chunk.len().max(received.len() / GROWTH_DIVISOR));
            }
            received.extend_from_slice(&chunk);
            pending = chunks.next().await?;
        }
        Ok(ReceivedBody { bytes: received.into(), _reservation: Some(room) })
    }

    /// Discards a short body that nobody read and returns whether the connection can be used again.
    pub(crate) async fn discard(&mut self) -> bool {
        let Some(incoming) = self.incoming.take() else { return true };
        if incoming.size_hint().lower() > DISCARD_MAX as u64 {
            return false;
        }
        let mut chunks = BodyChunks::new(incoming, self.seat.clone());
        let all = async {
            while let Ok(Some(_)) = chunks.next().await {
                if chunks.received > DISCARD_MAX {
                    return false;
                }
            }
            chunks.has_ended
        };
        timeout(DISCARD_TIME, all).await.unwrap_or(false)
    }
}

/// The pieces of a body, as long as they arrive fast enough.
struct BodyChunks {
    stream: BodyDataStream,
    seat: Arc<ConnectionSeat>,
    began: Instant,
    window: Instant,
    in_window: usize,
    received: usize,
    has_ended: bool,
}

impl BodyChunks {
    fn new(incoming: Incoming, seat: Arc<ConnectionSeat>) -> Self {
        let now = Instant::now();
        let stream = Body::new(incoming).into_data_stream();
        Self { stream, seat, began: now, window: now + GRACE_TIME, in_window: 0, received: 0, has_ended: false }
    }

    async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        let now = Instant::now();
        if now >= self.window {
            if self.in_window < WINDOW_MIN_BYTES {
                return Err(BodyError::Broken);
            }
            (self.window, self.in_window) = (now + RATE_WINDOW, 0);
        }
        let deadline = (now + MAX_SILENCE).min(self.began + MAX_BODY_TIME);
        let _turn = self.seat.wait_for_caller();
        match timeout_at(deadline, self.stream.next()).await {
            Ok(Some(Ok(chunk))) => {
                self.in_window += chunk.len();
                self.received += chunk.len();
                Ok(Some(chunk))
            }
            Ok(None) => {
                self.has_ended = true;
                Ok(None)
            }
            Ok(Some(Err(_))) | Err(_) => Err(BodyError::Broken),
        }
    }

    /// Reads the rest, so that the caller receives the error before the connection closes.
    async fn drain(&mut self) -> Result<ReceivedBody, BodyError> {
        let from = self.received;
        while self.received - from < DRAIN_MAX && self.next().await?.is_some() {}
        Err(BodyError::TooLarge)
    }
}
