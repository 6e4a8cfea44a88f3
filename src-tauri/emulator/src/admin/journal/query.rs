//! Reads queries with matchers within the memory bound, and evaluates them in turn.

use std::sync::Arc;

use roost_journal::query::json_text_weight;
use serde::de::DeserializeOwned;

use super::super::{error::AdminError, route::AdminRequest};
use crate::http::bounds::{QueryReservation, ServerCapacity};

/// A query that contains matchers.
pub(crate) trait MatcherQuery {
    /// Returns the memory that the matchers take.
    fn weight(&self) -> usize;
}

/// The longest body with matchers. It is long enough to match the longest recorded body as a whole.
const MAX_QUERY: usize = 256 * 1024;

/// Reads or evaluates matchers on a thread of their own, in turn with others.
pub(crate) async fn run_in_turn<T: Send + 'static>(
    room: &ServerCapacity,
    act: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AdminError> {
    let turn = room.acquire_query_turn().await.map_err(AdminError::busy)?;
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        act()
    });
    done.await.map_err(|_| AdminError::internal())
}

/// Reads a journal query within the memory bound. The memory is released when the returned reservation is dropped.
pub(crate) fn read_query<T: DeserializeOwned + MatcherQuery>(
    request: &AdminRequest,
    room: &Arc<ServerCapacity>,
) -> Result<(T, QueryReservation), AdminError> {
    if request.body.len() > MAX_QUERY {
        return Err(AdminError::query_too_long(MAX_QUERY));
    }
    let text = json_text_weight(request.body.len());
    let mut reservation = room.reserve_query(text).map_err(AdminError::busy)?;
    let read: T = request.parse_body()?;
    reservation.grow(read.weight().saturating_sub(text)).map_err(AdminError::busy)?;
    Ok((read, reservation))
}
