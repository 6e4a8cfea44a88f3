//! Checks that files are short enough to be read in one go.

use super::Finding;
use super::rust_source::production_lines;
use super::tree::{SourceFile, SourceTree};

const WARNING_LINES: usize = 400;
const MAX_LINES: usize = 600;
const CODE_EXTENSIONS: &[&str] = &["rs", "ts", "svelte", "css", "sql"];
/// Generated files, which are not meant to be read.
const GENERATED: &[&str] = &["ui/src/api/generated.ts", "ui/src/api/admin.generated.ts"];

pub(super) fn check(tree: &SourceTree) -> Vec<Finding> {
    tree.files.iter().filter_map(check_file).collect()
}

fn check_file(file: &SourceFile) -> Option<Finding> {
    let kind = file.name().rsplit_once('.').map(|(_, kind)| kind)?;
    if !CODE_EXTENSIONS.contains(&kind) || !file.is_production() || GENERATED.contains(&file.path.as_str()) {
        return None;
    }
    let lines = if kind == "rs" { production_lines(&file.text) } else { file.text.lines().count() };
    let to_do = "split it by what its parts are for, and give each part a name of the trade";
    if lines > MAX_LINES {
        Some(Finding::error(&file.path, format!("{lines} lines without tests, {MAX_LINES} are the most"), to_do))
    } else if lines > WARNING_LINES {
        Some(Finding::warning(&file.path, format!("{lines} lines without tests, {WARNING_LINES} are wanted"), to_do))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::Severity;
    use super::super::tree::sample::{SampleTree, messages};
    use super::*;

    #[test]
    fn long_files_are_warned_of_and_longer_ones_refused() {
        let (long, longer) = ("a();\n".repeat(401), "a();\n".repeat(601));
        let sample = SampleTree::with_files(&[
            ("src-tauri/ops/src/long.rs", &long),
            ("ui/src/app/longer.svelte", &longer),
            ("migrations/V1__longer.sql", &longer),
            ("src-tauri/ops/src/fine.rs", &"a();\n".repeat(400)),
        ]);
        let found = check(&sample.read_tree());
        let weights: Vec<(&str, Severity)> = found.iter().map(|one| (one.place.as_str(), one.weight)).collect();
        assert_eq!(
            weights,
            [
                ("migrations/V1__longer.sql", Severity::Refused),
                ("src-tauri/ops/src/long.rs", Severity::Warned),
                ("ui/src/app/longer.svelte", Severity::Refused),
            ]
        );
    }

    #[test]
    fn tests_and_generated_files_may_be_long() {
        let longer = "a();\n".repeat(601);
        let with_tests = format!("//! x\n#[cfg(test)]\nmod tests {{\n{longer}}}\n");
        let findings = messages(
            check,
            &[
                ("src-tauri/ops/src/a.rs", &with_tests),
                ("src-tauri/ops/src/tests.rs", &longer),
                ("tests/it/contract.rs", &longer),
                ("ui/src/lib/a.test.ts", &longer),
                ("ui/src/api/generated.ts", &longer),
            ],
        );
        assert!(findings.is_empty(), "{findings:?}");
    }
}
