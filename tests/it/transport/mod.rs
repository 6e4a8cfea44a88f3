//! Rules for every operation: access, the reading of paths, queries and bodies, and the writing of answers.

pub(crate) mod auth;
pub(crate) mod bodies;
pub(crate) mod damaged;
pub(crate) mod doors;
pub(crate) mod errors;
pub(crate) mod journal;
pub(crate) mod limits;
pub(crate) mod order;
pub(crate) mod paging;
pub(crate) mod paths;
pub(crate) mod queries;
pub(crate) mod times;
pub(crate) mod writing;
