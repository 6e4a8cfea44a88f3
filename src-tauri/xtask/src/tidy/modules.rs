//! Checks that every Rust module begins with a line that states its purpose.

use super::Finding;
use super::tree::SourceTree;

pub fn check(tree: &SourceTree) -> Vec<Finding> {
    tree.rust_files()
        .filter(|file| !has_module_doc(&file.text))
        .map(|file| {
            Finding::error(
                format!("{}:1", file.path),
                "does not open with a `//!` line",
                "write one line, `//! …`, that says what the module is for",
            )
        })
        .collect()
}

fn has_module_doc(source: &str) -> bool {
    let first = source.lines().map(str::trim).find(|line| !line.is_empty());
    first.and_then(|line| line.strip_prefix("//!")).is_some_and(|purpose| purpose.trim().len() > 2)
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::messages;
    use super::*;

    #[test]
    fn a_module_without_its_line_is_refused() {
        let said = messages(
            check,
            &[
                ("src-tauri/ops/src/bare.rs", "fn a() {}"),
                ("src-tauri/ops/src/empty.rs", "//!\nfn a() {}"),
                ("tests/it/said.rs", "//! Says it.\nfn a() {}"),
            ],
        );
        assert_eq!(
            said,
            [
                "src-tauri/ops/src/bare.rs:1: does not open with a `//!` line",
                "src-tauri/ops/src/empty.rs:1: does not open with a `//!` line",
            ]
        );
    }
}
