//! By which rules a world plays: settings, limits, and where each behaviour comes from.

pub mod fidelity;
pub mod limits;
pub mod settings;
