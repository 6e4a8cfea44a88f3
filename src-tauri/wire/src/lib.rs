//! The contract of the REST interface: operations, paths, queries, bodies, both shapes of errors, and OpenAPI.

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

pub use envelope::{RestError, ValidationError};
pub use operation::{Family, Group, JobEffect, Method, OPERATIONS, Operation, OperationId, Route, find_route};
pub use path::RequestPath;
pub use query::QueryString;
