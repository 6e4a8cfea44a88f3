//! The REST contract: operations, paths, queries, bodies, error envelopes of both shapes, OpenAPI.

pub mod body;
pub mod contact;
pub mod envelope;
pub mod list;
pub mod openapi;
pub mod operation;
pub mod opt_out;
pub mod paging;
pub mod path;
pub mod query;
pub mod sender;
pub mod short_link;
pub mod strictness;

pub use envelope::{Entry, Refusal};
pub use operation::{Family, Group, Method, OPERATIONS, Operation, OperationId, Route, route};
pub use path::Path;
pub use query::Query;
