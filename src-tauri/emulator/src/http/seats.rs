//! The connections of a server. When all are taken, a new one replaces the one whose caller has kept the server waiting
//! for the longest time.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use hyper::body::{Body, Frame, SizeHint};
use tokio::{
    sync::Notify,
    time::{Instant, sleep},
};

/// How often a new connection looks for one to replace while all of them wait for the server itself.
const PAUSE: Duration = Duration::from_millis(5);

/// The places for connections of a server.
#[derive(Debug)]
pub(crate) struct ConnectionSeats {
    rows: Mutex<[SeatRow; 2]>,
}

/// The connections with a common bound.
#[derive(Debug)]
struct SeatRow {
    is_reserved: bool,
    most: usize,
    taken: Vec<Arc<ConnectionSeat>>,
}

/// One connection: whether its caller keeps the server waiting, and since when.
#[derive(Debug, Default)]
pub(crate) struct ConnectionSeat {
    state: Mutex<SeatState>,
    leave: Notify,
    is_reserved: bool,
}

#[derive(Debug, Default)]
struct SeatState {
    /// The running requests.
    requests: u32,
    /// The running requests that wait for the caller: to send more of a body, or to take more of a response.
    waiting: u32,
    /// The time when one of them changed or bytes arrived. A new connection has no time until the server first reads
    /// from it, which happens late while many others are served.
    since: Option<Instant>,
}

/// A connection that counts until this is dropped.
pub(crate) struct TakenSeat {
    pub seat: Arc<ConnectionSeat>,
    seats: Arc<ConnectionSeats>,
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ConnectionSeats {
    /// Creates places for general connections and for those reserved for the operator and health checks.
    pub(crate) fn new(general: usize, reserved: usize) -> Self {
        let row = |most, is_reserved| SeatRow { is_reserved, most, taken: Vec::new() };
        Self { rows: Mutex::new([row(general, false), row(reserved, true)]) }
    }

    /// Returns how many places are taken.
    pub(crate) fn count(&self) -> usize {
        lock_mutex(&self.rows).iter().map(|row| row.taken.len()).sum()
    }

    /// Takes a free place, or ends a connection that waits for its caller.
    pub(crate) async fn take_seat(self: &Arc<Self>) -> TakenSeat {
        loop {
            let seat = lock_mutex(&self.rows).iter_mut().find_map(SeatRow::take_seat);
            match seat {
                Some(seat) => return TakenSeat { seat, seats: self.clone() },
                None => sleep(PAUSE).await,
            }
        }
    }
}

impl SeatRow {
    fn take_seat(&mut self) -> Option<Arc<ConnectionSeat>> {
        if self.taken.len() >= self.most {
            let waits = self.taken.iter().enumerate().filter_map(|(at, seat)| Some((seat.waiting_since()?, at)));
            let (_, longest) = waits.min()?;
            self.taken.swap_remove(longest).leave.notify_one();
        }
        let seat = Arc::new(ConnectionSeat { is_reserved: self.is_reserved, ..ConnectionSeat::default() });
        self.taken.push(seat.clone());
        Some(seat)
    }
}

impl Drop for TakenSeat {
    fn drop(&mut self) {
        for row in &mut *lock_mutex(&self.seats.rows) {
            row.taken.retain(|seat| !Arc::ptr_eq(seat, &self.seat));
        }
    }
}

impl ConnectionSeat {
    /// Returns whether the connection serves only the operator and health checks.
    pub(crate) fn is_reserved(&self) -> bool {
        self.is_reserved
    }

    /// Waits until another connection replaces this one.
    pub(crate) async fn wait_for_eviction(&self) {
        self.leave.notified().await;
    }

    fn waiting_since(&self) -> Option<Instant> {
        let state = lock_mutex(&self.state);
        state.since.filter(|_| state.waiting >= state.requests)
    }

    fn change_state(&self, change: impl FnOnce(&mut SeatState)) {
        let mut state = lock_mutex(&self.state);
        change(&mut state);
        state.since = Some(Instant::now());
    }

    /// Notes that the server looks for bytes of the caller, or has found some.
    pub(crate) fn touch(&self) {
        self.change_state(|_| {});
    }

    /// Marks a request as running until the result is dropped.
    pub(crate) fn begin_request(self: &Arc<Self>) -> SeatRequest {
        self.change_state(|state| state.requests += 1);
        SeatRequest(self.clone())
    }

    /// Marks a request as waiting for the caller until the result is dropped.
    pub(crate) fn wait_for_caller(self: &Arc<Self>) -> CallerTurn {
        self.change_state(|state| state.waiting += 1);
        CallerTurn(self.clone())
    }
}

/// A running request of a connection.
pub(crate) struct SeatRequest(Arc<ConnectionSeat>);

impl SeatRequest {
    /// Wraps the body of the response, with which the request ends.
    pub(crate) fn track_body<B>(self, body: B) -> SeatBody<B> {
        SeatBody { body, turn: Some(self.0.wait_for_caller()), request: self }
    }
}

impl Drop for SeatRequest {
    fn drop(&mut self) {
        self.0.change_state(|state| state.requests -= 1);
    }
}

/// The time during which a request waits for its caller.
pub(crate) struct CallerTurn(Arc<ConnectionSeat>);

impl Drop for CallerTurn {
    fn drop(&mut self) {
        self.0.change_state(|state| state.waiting -= 1);
    }
}

/// The body of a response. The server waits for the caller until the first piece is requested, and between two pieces
/// until the next one is: over HTTP/2 nothing is requested while the caller's window is empty.
pub(crate) struct SeatBody<B> {
    body: B,
    turn: Option<CallerTurn>,
    request: SeatRequest,
}

impl<B: Body + Unpin> Body for SeatBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        self.turn = None;
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(_))) = &polled {
            self.turn = Some(self.request.0.wait_for_caller());
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    async fn was_evicted(seat: &ConnectionSeat) -> bool {
        timeout(Duration::from_millis(1), seat.wait_for_eviction()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_connections_are_the_operators() {
        let seats = Arc::new(ConnectionSeats::new(2, 2));
        let mut busy = Vec::new();
        for n in 0..4 {
            let taken = seats.take_seat().await;
            assert_eq!(taken.seat.is_reserved(), n >= 2, "{n}");
            busy.push((taken.seat.begin_request(), taken));
        }
        assert_eq!(seats.count(), 4);
        let next = tokio::spawn({
            let seats = seats.clone();
            async move { seats.take_seat().await.seat.is_reserved() }
        });
        sleep(Duration::from_secs(9)).await;
        assert!(!next.is_finished(), "none waits for its caller");
        // It waits for a turn of the caller as well as for the end of a connection.
        let _turn = busy[3].1.seat.wait_for_caller();
        assert!(next.await.expect("no panic"));
        busy.remove(0);
        assert!(!seats.take_seat().await.seat.is_reserved());
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_connection_takes_the_place_of_the_one_that_kept_the_server_waiting_longest() {
        let seats = Arc::new(ConnectionSeats::new(4, 1));
        let mut taken = Vec::new();
        for _ in 0..4 {
            taken.push(seats.take_seat().await);
            sleep(Duration::from_secs(1)).await;
        }
        // The first serves a request, and so does the second, whose caller does not take the response. The server has
        // not read from the fourth yet.
        let _first = taken[0].seat.begin_request();
        let _second = taken[1].seat.begin_request();
        taken[2].seat.touch();
        sleep(Duration::from_secs(1)).await;
        let _turn = taken[1].seat.wait_for_caller();
        let fifth = seats.take_seat().await;
        let _fifth = fifth.seat.begin_request();
        assert!(was_evicted(&taken[2].seat).await, "it has been idle longest");
        let sixth = seats.take_seat().await;
        assert!(was_evicted(&taken[1].seat).await, "its caller does not read");
        for (name, seat) in [("first", &taken[0]), ("fourth", &taken[3]), ("fifth", &fifth), ("sixth", &sixth)] {
            assert!(!was_evicted(&seat.seat).await && !seat.seat.is_reserved(), "{name}");
        }
        let answered = taken[0].seat.begin_request().track_body(());
        drop(_first);
        let _seventh = seats.take_seat().await;
        assert!(was_evicted(&taken[0].seat).await, "its caller has not read the response");
        drop(answered);
        assert_eq!(seats.count(), 4);
        drop(taken);
        assert_eq!(seats.count(), 3, "a place that was given away is not given back");
    }
}
