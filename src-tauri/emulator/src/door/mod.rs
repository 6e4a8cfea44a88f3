//! Takes a request from the connection to its response.

pub mod bounds;
mod cache;
mod call;
mod connection;
pub mod cors;
pub mod error;
mod limits;
mod pipeline;
pub mod request_body;
pub mod response;
pub mod routes;
pub mod seats;
mod strictness;
mod tally;

pub use cache::{CacheVersion, KeptSize, ResponseCache};
pub use call::{CalledAt, OperationCall, WorldVisit, is_read_only};
pub use connection::{CloseMode, ConnectionFault, ConnectionStream, DoorConnection};
pub use routes::RequestOvertaken;
pub use tally::{CountedRequest, RequestKind, RequestTally};
