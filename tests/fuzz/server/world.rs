//! Bytes for the reader `world`.
#![no_main]

#[path = "../server.rs"]
mod server;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| server::world(bytes));
