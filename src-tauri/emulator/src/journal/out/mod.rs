//! Lines of the journal in the forms other programs take.

mod curl;
mod har;
mod http;
mod shown;
pub mod sse;

pub use self::{curl::curl, har::har, http::http};
