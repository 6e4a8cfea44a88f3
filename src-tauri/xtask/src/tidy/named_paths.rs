//! Checks that every path in the documents exists, so that the documents stay true.

use super::Finding;
use super::tree::{SourceFile, SourceTree};

const DOCUMENTS: &[&str] = &[
    "README.md",
    "src-tauri/ARCHITECTURE.md",
    "src-tauri/emulator/README.md",
    "src-tauri/emulator/GUIDE.md",
    "src-tauri/emulator/ADMIN.md",
    "src-tauri/emulator/clients/README.md",
    ".github/CONTRIBUTING.md",
    "ui/guides/account-manager.md",
    "ui/guides/offline-editor.md",
    "ui/guides/developer.md",
    "ui/guides/operations.md",
    "ui/guides/limits.md",
];
/// Paths that a build creates, so they do not exist in a fresh clone.
const MADE: &[&str] = &["target/", "ui/dist", "ui/node_modules", "gen/"];
/// The first parts of our own paths. Other texts between backticks (routes, types, media types) are not paths.
const TOPS: &[&str] = &["src-tauri", "ui", "tests", "migrations", "icons", ".ci", ".cargo"];
const ROOMS: &[&str] =
    &["shell", "cli", "app", "model", "store", "ops", "wire", "outbound", "emulator", "sync", "xtask", "adr"];
const KINDS: &[&str] = &[".rs", ".ts", ".svelte", ".toml", ".md", ".sql", ".sh", ".json", ".css"];

pub(super) fn check(tree: &SourceTree) -> Vec<Finding> {
    DOCUMENTS.iter().filter_map(|path| tree.get(path)).flat_map(|file| check_file(tree, file)).collect()
}

fn check_file(tree: &SourceTree, file: &SourceFile) -> Vec<Finding> {
    let home = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut found = Vec::new();
    let mut in_block = false;
    for (number, line) in file.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
            continue;
        }
        let links = link_targets(line).map(|target| (target, MentionKind::ByLink));
        let spans = code_spans(line).map(|span| (span, MentionKind::ByName));
        let named: Vec<_> = if in_block { Vec::new() } else { links.chain(spans).collect() };
        for (name, how) in named {
            let name = name.split(['#', '?']).next().unwrap_or(name).trim_end_matches('/');
            if !path_exists(tree, home, name, how) {
                found.push(Finding::error(
                    format!("{}:{}", file.path, number + 1),
                    format!("names `{name}`, which is not there"),
                    "name the place where it stands now, or drop the name",
                ));
            }
        }
    }
    found
}

#[derive(Clone, Copy)]
enum MentionKind {
    ByLink,
    ByName,
}

fn path_exists(tree: &SourceTree, home: &str, name: &str, how: MentionKind) -> bool {
    let below_home = if home.is_empty() { name.to_owned() } else { format!("{home}/{name}") };
    match how {
        MentionKind::ByLink => name.is_empty() || name.contains(':') || tree.exists(&below_home),
        MentionKind::ByName if !is_repository_path(name) || MADE.iter().any(|made| name.starts_with(made)) => true,
        MentionKind::ByName if !name.contains('/') => tree.files.iter().any(|file| file.name() == name),
        MentionKind::ByName => {
            tree.exists(name) || tree.exists(&below_home) || tree.exists(&format!("src-tauri/{name}")) || {
                // People write `model/phone.rs` for `src-tauri/model/src/phone.rs`.
                let (room, rest) = name.split_once('/').unwrap_or((name, ""));
                tree.exists(&format!("src-tauri/{room}/src/{rest}"))
            }
        }
    }
}

fn is_repository_path(name: &str) -> bool {
    let plain = name.chars().all(|one| one.is_ascii_alphanumeric() || "-_./".contains(one));
    let first = name.split('/').next().unwrap_or(name);
    let is_path = name.contains('/') && (TOPS.contains(&first) || ROOMS.contains(&first));
    let is_file = !name.contains('/') && KINDS.iter().any(|kind| name.len() > kind.len() && name.ends_with(kind));
    plain && (is_path || is_file)
}

/// Returns the texts between single backticks.
pub(super) fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Returns the targets of `[text](target)`.
fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("](").filter_map(move |(at, _)| line[at + 2..].split(')').next())
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::messages;
    use super::*;

    #[test]
    fn a_name_that_leads_nowhere_is_refused() {
        let text = "See `src-tauri/ops/src/gone.rs`, `ops/src/lists.rs`,\nthe [plan](PLAN.md) and `nobody.rs`.\n";
        let findings = messages(check, &[("src-tauri/ARCHITECTURE.md", text), ("src-tauri/ops/src/contacts.rs", "")]);
        assert_eq!(
            findings,
            [
                "src-tauri/ARCHITECTURE.md:1: names `src-tauri/ops/src/gone.rs`, which is not there",
                "src-tauri/ARCHITECTURE.md:1: names `ops/src/lists.rs`, which is not there",
                "src-tauri/ARCHITECTURE.md:2: names `PLAN.md`, which is not there",
                "src-tauri/ARCHITECTURE.md:2: names `nobody.rs`, which is not there",
            ]
        );
    }

    #[test]
    fn existing_paths_and_texts_that_are_not_our_paths_pass() {
        let text = "`src-tauri/ops/src/lists.rs`, `ops/lists.rs`, `lists.rs`, `ops/`, `/lists/{id}`, `application/json`, `std::fs`, \
                    `target/release/roost`, `V<n>__<what>.sql`, [why](src-tauri/adr/0001-a.md#top), [web](https://example.com/a)\n\
                    ```\n`src-tauri/gone`\n```\n";
        let findings = messages(
            check,
            &[("README.md", text), ("src-tauri/ops/src/lists.rs", ""), ("src-tauri/adr/0001-a.md", "")],
        );
        assert!(findings.is_empty(), "{findings:?}");
    }
}
