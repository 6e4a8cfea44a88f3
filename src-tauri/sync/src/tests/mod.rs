//! Tests the engine against a service in memory, with a clock that is moved by hand. Invariants 15 to 20 of the design
//! are tested against the emulator itself, in `tests/it/remote/sync`.

mod bent;
mod counted;
mod during;
mod edges;
mod histories;
mod last_word;
mod lists;
mod old_knowledge;
mod pace;
mod replaced;
mod service;
mod unsent;
mod walk;
mod world;
