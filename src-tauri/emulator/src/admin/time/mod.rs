//! Routes on the clock and the IDs of a world.

pub mod clock;
pub mod random;
