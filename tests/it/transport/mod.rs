//! What holds for every operation: who gets in, how paths, queries and bodies are read, how answers are written.

pub mod auth;
pub mod bodies;
pub mod doors;
pub mod errors;
pub mod journal;
pub mod limits;
pub mod order;
pub mod paging;
pub mod paths;
pub mod queries;
pub mod times;
pub mod writing;
