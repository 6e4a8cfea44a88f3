//! Rebuilds when a migration is added: the embedding macro notices edits only.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
