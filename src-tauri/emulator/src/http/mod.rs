//! What carries a request and its response: connection, bodies, bounds, errors and kept responses.

pub(crate) mod bounds;
mod cache;
mod connection;
pub(crate) mod error;
pub(crate) mod request_body;
pub(crate) mod response;
pub(crate) mod seats;
mod stop;
mod tally;

pub(crate) use cache::{CacheKey, CacheVersion, KeptSize, ResponseCache};
pub(crate) use connection::{CloseMode, ConnectionFault, ConnectionStream, DoorConnection, RequestOvertaken};
pub(crate) use stop::wait_for_stop;
pub(crate) use tally::{CountedRequest, RequestKind, RequestTally};
