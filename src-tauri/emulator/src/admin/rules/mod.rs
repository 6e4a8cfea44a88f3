//! Routes on the rules of a world: settings, limits and the register of fidelity.

pub(super) mod fidelity;
pub(super) mod limits;
pub(super) mod settings;
