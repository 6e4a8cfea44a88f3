//! Takes a request from the connection to the code that answers it.

pub mod cors;
pub mod pipeline;
pub mod receive;
pub mod routes;
pub mod select;
