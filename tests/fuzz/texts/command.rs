//! Bytes for the reader `command`.
#![no_main]

#[path = "../texts.rs"]
mod texts;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| texts::command(bytes));
