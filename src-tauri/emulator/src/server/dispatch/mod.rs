//! Takes a request from the connection to the code that answers it.

pub(super) mod cors;
pub(super) mod pipeline;
pub(super) mod receive;
pub(super) mod routes;
pub(super) mod select;
