//! The time and the ids of a world.

pub mod clock;
pub mod random;
