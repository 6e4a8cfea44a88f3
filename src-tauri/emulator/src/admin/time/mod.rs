//! Routes on the clock and the IDs of a world.

pub(super) mod clock;
pub(super) mod random;
