//! What carries a request and its response: connection, bodies, bounds, errors and kept responses.

pub mod bounds;
mod cache;
mod connection;
pub mod error;
pub mod request_body;
pub mod response;
pub mod seats;
mod stop;
mod tally;

pub use cache::{CacheKey, CacheVersion, KeptSize, ResponseCache};
pub use connection::{CloseMode, ConnectionFault, ConnectionStream, DoorConnection, RequestOvertaken};
pub use stop::wait_for_stop;
pub use tally::{CountedRequest, RequestKind, RequestTally};
