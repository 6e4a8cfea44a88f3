//! Looks after account files: checks them, backs them up, counts what waits in them, and finds what they hold about a
//! number.

pub mod backup;
pub mod check;
pub mod health;
pub mod held;
pub mod reading;
