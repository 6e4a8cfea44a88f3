//! Checks that production code does not panic: no `unwrap`, and a reason for every `expect`.

use super::Finding;
use super::rust_source::{code_only, production_code};
use super::tree::{SourceFile, SourceTree};

pub(super) fn check(tree: &SourceTree) -> Vec<Finding> {
    tree.rust_files().filter(|file| file.is_production()).flat_map(check_file).collect()
}

fn check_file(file: &SourceFile) -> Vec<Finding> {
    let production = production_code(&file.text);
    let explained = code_only(&file.text).contains("clippy::expect_used");
    let mut found = Vec::new();
    for (number, line) in production.lines().enumerate() {
        let place = format!("{}:{}", file.path, number + 1);
        if line.contains(".unwrap()") {
            found.push(Finding::error(
                place,
                "`unwrap()` in production code",
                "return an error that says what to do, or `expect(\"BUG: …\")` with `#[expect(clippy::expect_used, reason = \"…\")]`",
            ));
        } else if line.contains(".expect(") && !explained {
            found.push(Finding::error(
                place,
                "`expect(…)` without a reason",
                "return an error, or put `#[expect(clippy::expect_used, reason = \"…\")]` above the function",
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::messages;
    use super::*;

    #[test]
    fn unwrap_and_bare_expect_are_refused() {
        let findings = messages(
            check,
            &[
                ("src-tauri/ops/src/a.rs", "//! A.\nfn a() { b().unwrap(); }\nfn c() { d().expect(\"BUG: e\"); }\n"),
                (
                    "src-tauri/ops/src/f.rs",
                    "//! F.\n#[expect(clippy::expect_used, reason = \"g\")]\nfn h() { i().expect(\"BUG: j\"); }\n",
                ),
            ],
        );
        assert_eq!(
            findings,
            [
                "src-tauri/ops/src/a.rs:2: `unwrap()` in production code",
                "src-tauri/ops/src/a.rs:3: `expect(…)` without a reason",
            ]
        );
    }

    #[test]
    fn tests_comments_and_words_may_say_unwrap() {
        let findings = messages(
            check,
            &[
                (
                    "src-tauri/ops/src/a.rs",
                    "//! A.\n// b.unwrap()\nconst C: &str = \".unwrap()\";\n#[cfg(test)]\nmod tests { fn d() { e().unwrap(); } }\n",
                ),
                ("tests/it/a.rs", "//! A.\nfn d() { e().unwrap(); }\n"),
            ],
        );
        assert!(findings.is_empty(), "{findings:?}");
    }
}
