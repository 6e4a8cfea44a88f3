//! Looks after account files: checks them, backs them up, and finds what they hold about a number.

pub mod backup;
pub mod check;
pub mod held;
pub mod reading;
