//! Routes on the rules of a world: settings, limits and the register of fidelity, and warnings of changes without effect.

pub(super) mod fidelity;
pub(super) mod limits;
pub(super) mod settings;
pub(super) mod warnings;
