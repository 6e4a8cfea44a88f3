//! Rebuilds the crate when a migration is added, because the macro that embeds migrations notices only edits.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
