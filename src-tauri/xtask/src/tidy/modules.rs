//! Checks that every Rust module begins with a line that states its purpose, and that a module with a folder is its
//! file `mod.rs`.

use super::Finding;
use super::tree::SourceTree;

pub(super) fn check(tree: &SourceTree) -> Vec<Finding> {
    let folders = tree.folders();
    let without_doc = tree.rust_files().filter(|file| !has_module_doc(&file.text)).map(|file| {
        Finding::error(
            format!("{}:1", file.path),
            "does not open with a `//!` line",
            "write one line, `//! …`, that says what the module is for",
        )
    });
    let beside_folder = tree.rust_files().filter(|file| file.path.starts_with("src-tauri/")).filter_map(|file| {
        let folder = file.path.strip_suffix(".rs").filter(|folder| folders.contains(folder))?;
        Some(Finding::error(&file.path, "stands beside its folder", format!("move it to {folder}/mod.rs")))
    });
    without_doc.chain(beside_folder).collect()
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
        let findings = messages(
            check,
            &[
                ("src-tauri/ops/src/bare.rs", "fn a() {}"),
                ("src-tauri/ops/src/empty.rs", "//!\nfn a() {}"),
                ("tests/it/said.rs", "//! Says it.\nfn a() {}"),
            ],
        );
        assert_eq!(
            findings,
            [
                "src-tauri/ops/src/bare.rs:1: does not open with a `//!` line",
                "src-tauri/ops/src/empty.rs:1: does not open with a `//!` line",
            ]
        );
    }

    #[test]
    fn a_module_beside_its_folder_is_refused() {
        let findings = messages(
            check,
            &[
                ("src-tauri/ops/src/list.rs", "//! Lists."),
                ("src-tauri/ops/src/list/many.rs", "//! Many lists."),
                ("src-tauri/ops/src/job/mod.rs", "//! Jobs."),
            ],
        );
        assert_eq!(findings, ["src-tauri/ops/src/list.rs: stands beside its folder"]);
    }
}
