//! Handles account files and their companions as files: who may open one, how it is copied, and how a file is written
//! whole.

pub mod closed;
pub(crate) mod companions;
pub(crate) mod copies;
pub(crate) mod disk;
pub(crate) mod header;
pub mod identity;
pub(crate) mod lock;
pub(crate) mod looking;
pub mod output;
pub mod whole_file;
pub(crate) mod write_ahead_log;
