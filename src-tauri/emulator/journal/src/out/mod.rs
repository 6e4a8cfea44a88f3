//! Writes lines of the journal in formats of other programs.

mod curl;
mod har;
mod http;
mod secrets;
pub mod sse;

pub use self::curl::to_curl;
pub use self::{har::to_har, http::to_http_file};
