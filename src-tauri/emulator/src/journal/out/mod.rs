//! Writes lines of the journal in formats of other programs.

mod curl;
mod har;
mod http;
mod shown;
pub mod sse;

pub use self::{curl::curl, har::har, http::http};
