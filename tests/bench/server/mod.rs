//! The server under load: P2, P3, P4, P10, alone and compared with popular mock servers.

pub mod bare;
pub mod http;
pub mod jobs;
pub mod peers;
pub mod reads;
pub mod start;
pub mod worlds;
