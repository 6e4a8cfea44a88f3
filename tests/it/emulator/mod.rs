//! The emulator beyond the interface: the operator's side, worlds, and their state.

pub mod callbacks;
pub mod clock;
pub mod determinism;
pub mod faults;
pub mod fidelity;
pub mod hooks;
pub mod jobs;
pub mod journal;
pub mod limits;
pub mod operator;
pub mod state;
pub mod strictness;
pub mod waits;
pub mod worlds;
