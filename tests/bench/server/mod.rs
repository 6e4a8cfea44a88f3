//! The server under load: P2, P3, P4, P10, alone and compared with popular mock servers.

pub(crate) mod bare;
pub(crate) mod http;
pub(crate) mod jobs;
pub(crate) mod peers;
pub(crate) mod reads;
pub(crate) mod start;
pub(crate) mod worlds;
