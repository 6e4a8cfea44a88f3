//! The emulator beyond the interface: the operator's side, worlds, and their state.

pub(crate) mod callbacks;
pub(crate) mod clock;
pub(crate) mod determinism;
pub(crate) mod faults;
pub(crate) mod fidelity;
pub(crate) mod hooks;
pub(crate) mod jobs;
pub(crate) mod journal;
pub(crate) mod limits;
pub(crate) mod operator;
pub(crate) mod state;
pub(crate) mod strictness;
pub(crate) mod waits;
pub(crate) mod worlds;
