//! Rules for every operation: access, the reading of paths, queries and bodies, and the writing of answers.

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
