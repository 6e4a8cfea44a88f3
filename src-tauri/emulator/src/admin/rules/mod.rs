//! Routes on the rules of a world: settings, limits and the register of fidelity, and warnings of changes without effect.

pub mod fidelity;
pub mod limits;
pub mod settings;
pub mod warnings;
