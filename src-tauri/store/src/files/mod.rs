//! Account files and what stands beside them, as files: who may open one, copies, and what is written whole.

pub mod closed;
pub(crate) mod companions;
pub(crate) mod copies;
pub(crate) mod header;
pub mod identity;
pub(crate) mod lock;
pub(crate) mod log;
pub mod output;
pub mod whole_file;
