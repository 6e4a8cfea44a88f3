//! Checks that gated code stays behind its gate: the types for the pages behind the feature `ts`, and tokio's test
//! clock in tests. `make test` enables both, so its compiler cannot notice a missing gate.

use super::Finding;
use super::rust_source::{code_only, production_code};
use super::tree::{SourceFile, SourceTree};

const GATE: &str = "feature = \"ts\"";
/// Texts that reveal types for the pages. Each is assembled, so that this file does not match itself.
const TYPES: &[&str] =
    &[concat!("ts", "_rs"), concat!("#[", "ts("), concat!("type", "script::"), concat!("mod type", "script")];
/// Modules that are entirely behind a gate at their `mod` line.
const TYPES_MODULES: &[&str] = &["src-tauri/app/src/commands/table/typescript.rs", "src-tauri/xtask/src/codegen.rs"];
const TEST_CLOCK: &[&str] = &[concat!("time::", "pause"), concat!("time::", "advance"), concat!("start_", "paused")];

pub(super) fn check(tree: &SourceTree) -> Vec<Finding> {
    tree.rust_files()
        .filter(|file| file.path.starts_with("src-tauri/") && file.is_production())
        .flat_map(check_file)
        .collect()
}

fn check_file(file: &SourceFile) -> Vec<Finding> {
    let mut found = Vec::new();
    let lines: Vec<&str> = file.text.lines().collect();
    for (at, code) in code_only(&file.text).lines().enumerate() {
        let is_gated = lines[at].contains(GATE) || at > 0 && lines[at - 1].contains(GATE);
        if TYPES.iter().any(|word| code.contains(word)) && !is_gated && !TYPES_MODULES.contains(&file.path.as_str()) {
            found.push(Finding::error(
                format!("{}:{}", file.path, at + 1),
                "types for the pages outside the feature `ts`",
                "write `#[cfg_attr(feature = \"ts\", …)]`, or `#[cfg(feature = \"ts\")]` on the line above",
            ));
        }
    }
    for (at, code) in production_code(&file.text).lines().enumerate() {
        if TEST_CLOCK.iter().any(|word| code.contains(word)) {
            found.push(Finding::error(
                format!("{}:{}", file.path, at + 1),
                "tokio's clock for tests in production code",
                "move it into a test; the program is built without tokio's feature `test-util`",
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::messages;
    use super::*;

    const PATH: &str = "src-tauri/ops/src/a.rs";

    #[test]
    fn types_for_the_pages_stay_behind_their_feature() {
        let text = "//! A.\nuse ts_rs::TS;\n#[ts(type = \"string\")]\nstruct A;\n";
        let wanted = [2, 3].map(|line| format!("{PATH}:{line}: types for the pages outside the feature `ts`"));
        assert_eq!(messages(check, &[(PATH, text)]), wanted);
        let text = "//! A.\n#[cfg_attr(feature = \"ts\", derive(ts_rs::TS))]\nstruct A;\n#[cfg(feature = \"ts\")]\nmod typescript;\n";
        assert_eq!(messages(check, &[(PATH, text)]), [""; 0]);
    }

    #[test]
    fn the_clock_for_tests_is_for_tests() {
        let text =
            "//! A.\nfn a() { tokio::time::pause(); }\n#[cfg(test)]\nmod tests { fn b() { tokio::time::pause(); } }\n";
        assert_eq!(messages(check, &[(PATH, text)]), [format!("{PATH}:2: tokio's clock for tests in production code")]);
    }
}
