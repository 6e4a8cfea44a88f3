//! Routes on the rules of a world: settings, limits and the register of fidelity.

pub mod fidelity;
pub mod limits;
pub mod settings;
