//! Taking a request's body in: counted while it comes, and not for ever.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::StreamExt;
use hyper::body::{Body as _, Incoming};

/// Largest body of any request.
pub const BODY_MAX: usize = 64 * 1024 * 1024;
/// Longest silence within a body.
const SILENCE: Duration = Duration::from_secs(30);
/// How much of a body that is too large is read on, so that the caller hears why before the line closes.
const DRAIN_MAX: usize = BODY_MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    TooLarge,
    /// Broken off, or silent for too long.
    Broken,
}

/// Reads a body up to the cap.
pub async fn body(incoming: Incoming) -> Result<Bytes, Fault> {
    if incoming.is_end_stream() {
        return Ok(Bytes::new());
    }
    let announced = usize::try_from(incoming.size_hint().lower()).unwrap_or(usize::MAX);
    let mut chunks = Body::new(incoming).into_data_stream();
    let mut next = async || match tokio::time::timeout(SILENCE, chunks.next()).await {
        Ok(Some(Ok(chunk))) => Ok(Some(chunk)),
        Ok(None) => Ok(None),
        Ok(Some(Err(_))) | Err(_) => Err(Fault::Broken),
    };
    if announced <= BODY_MAX {
        let first = next().await?.unwrap_or_default();
        let Some(second) = next().await? else { return Ok(first) };
        let mut whole = Vec::with_capacity(announced.max(first.len() + second.len()));
        let mut pending = Some(second);
        whole.extend_from_slice(&first);
        while let Some(chunk) = pending {
            if whole.len() + chunk.len() > BODY_MAX {
                break;
            }
            whole.extend_from_slice(&chunk);
            pending = next().await?;
            if pending.is_none() {
                return Ok(whole.into());
            }
        }
    }
    let mut drained = 0;
    while drained < DRAIN_MAX {
        let Ok(Some(chunk)) = next().await else { break };
        drained += chunk.len();
    }
    Err(Fault::TooLarge)
}
