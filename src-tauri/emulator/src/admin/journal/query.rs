//! Queries with matchers: read within the room there is for them, and tried in turn.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::super::{refused::Refused, route::Asked};
use crate::{
    door::bounds::{QueryRoom, Room},
    journal::query::weight_of_text,
};

/// What holds matchers.
pub trait Matching {
    /// What they take in memory.
    fn weight(&self) -> usize;
}

/// The longest body with matchers. The longest body that the journal keeps can be matched whole.
const QUERY_MAX: usize = 256 * 1024;

/// Reads or tries matchers on a thread of its own, in turn with others that do.
pub async fn in_turn<T: Send + 'static>(room: &Room, act: impl FnOnce() -> T + Send + 'static) -> Result<T, Refused> {
    let turn = room.query_turn().await.map_err(Refused::busy)?;
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        act()
    });
    done.await.map_err(|_| Refused::internal())
}

/// Reads a query of the journal, within the room there is for them. The room is given back with what is returned.
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
