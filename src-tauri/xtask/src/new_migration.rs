//! `cargo xtask new-migration`: the next number, and the earlier ones frozen.
