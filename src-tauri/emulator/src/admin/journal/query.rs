//! Reads queries with matchers within the memory bound, and evaluates them in turn.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::super::{refused::Refused, route::Asked};
use crate::{
    door::bounds::{QueryRoom, Room},
    journal::query::weight_of_text,
};

/// A query that contains matchers.
pub trait Matching {
    /// Returns the memory that the matchers take.
    fn weight(&self) -> usize;
}

/// The longest body with matchers. It is long enough to match the longest recorded body as a whole.
const QUERY_MAX: usize = 256 * 1024;

/// Reads or evaluates matchers on a thread of their own, in turn with others.
pub async fn in_turn<T: Send + 'static>(room: &Room, act: impl FnOnce() -> T + Send + 'static) -> Result<T, Refused> {
    let turn = room.query_turn().await.map_err(Refused::busy)?;
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        act()
    });
    done.await.map_err(|_| Refused::internal())
}

/// Reads a journal query within the memory bound. The memory is released when the returned reservation is dropped.
pub fn read_query<T: DeserializeOwned + Matching>(asked: &Asked, room: &Arc<Room>) -> Result<(T, QueryRoom), Refused> {
    if asked.body.len() > QUERY_MAX {
        return Err(Refused::long_query(QUERY_MAX));
    }
    let text = weight_of_text(asked.body.len());
    let mut held = room.query(text).map_err(Refused::busy)?;
    let read: T = asked.body()?;
    held.grow(read.weight().saturating_sub(text)).map_err(Refused::busy)?;
    Ok((read, held))
}
