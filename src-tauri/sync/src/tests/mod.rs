//! The engine against a service in memory, on a clock that is moved by hand. Invariants 15 to 20 of the design are tried
//! against the emulator itself, in `tests/it/remote/sync`.

mod during;
mod edges;
mod service;
mod walk;
mod world;
