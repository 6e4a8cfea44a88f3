//! The binary `roost`.
fn main() {}
