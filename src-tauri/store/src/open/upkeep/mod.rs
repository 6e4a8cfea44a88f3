//! Looks after account files: checks them, backs them up, counts what waits in them, and finds and erases what they hold
//! about a number.

pub mod backup;
pub mod check;
pub mod erasure;
pub mod health;
pub mod held;
mod number_text;
mod person_part;
pub mod reading;
pub mod salvage;
