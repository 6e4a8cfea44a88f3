//! Takes a request from the connection to its response.

pub mod answer;
pub mod bounds;
mod cache;
mod call;
pub mod cors;
pub mod error;
pub mod intake;
mod limits;
mod line;
mod pipeline;
pub mod routes;
pub mod seats;
mod strictness;
mod tally;

pub use cache::{Cache, State};
pub use call::{Call, CalledAt, Visit, looks};
pub use line::{Carrier, Ending, Line, LineFault};
pub use routes::Closed;
pub use tally::{Counted, Kind, Tally};
