//! Every path that the documents name is there, so that they do not rot.

use super::Finding;
use super::tree::{File, Tree};

const DOCUMENTS: &[&str] = &[
    "README.md",
    "src-tauri/ARCHITECTURE.md",
    "src-tauri/emulator/README.md",
    "src-tauri/emulator/GUIDE.md",
    "src-tauri/emulator/ADMIN.md",
    "src-tauri/emulator/clients/README.md",
    ".github/CONTRIBUTING.md",
];
/// Made by a build, so not there on a fresh clone.
const MADE: &[&str] = &["target/", "ui/dist", "ui/node_modules", "gen/"];
/// First parts of a path of ours; anything else between backticks (a route, a type, a media type) is no path of ours.
const TOPS: &[&str] = &["src-tauri", "ui", "tests", "migrations", "icons", ".ci", ".cargo"];
const ROOMS: &[&str] =
    &["shell", "cli", "app", "model", "store", "ops", "wire", "outbound", "emulator", "sync", "xtask", "adr"];
const KINDS: &[&str] = &[".rs", ".ts", ".svelte", ".toml", ".md", ".sql", ".sh", ".json", ".css"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    DOCUMENTS.iter().filter_map(|path| tree.get(path)).flat_map(|file| look(tree, file)).collect()
}

fn look(tree: &Tree, file: &File) -> Vec<Finding> {
    let home = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut found = Vec::new();
    let mut in_block = false;
    for (number, line) in file.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
            continue;
        }
        let links = links(line).map(|target| (target, Named::ByLink));
        let spans = spans(line).map(|span| (span, Named::ByName));
        let named: Vec<_> = if in_block { Vec::new() } else { links.chain(spans).collect() };
        for (name, how) in named {
            let name = name.split(['#', '?']).next().unwrap_or(name).trim_end_matches('/');
            if !is_there(tree, home, name, how) {
                found.push(Finding::refused(
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
enum Named {
    ByLink,
    ByName,
}

fn is_there(tree: &Tree, home: &str, name: &str, how: Named) -> bool {
    let below_home = if home.is_empty() { name.to_owned() } else { format!("{home}/{name}") };
    match how {
        Named::ByLink => name.is_empty() || name.contains(':') || tree.exists(&below_home),
        Named::ByName if !looks_like_ours(name) || MADE.iter().any(|made| name.starts_with(made)) => true,
        Named::ByName if !name.contains('/') => tree.files.iter().any(|file| file.name() == name),
        Named::ByName => {
            tree.exists(name) || tree.exists(&below_home) || tree.exists(&format!("src-tauri/{name}")) || {
                // `model/phone.rs` for `src-tauri/model/src/phone.rs`: the way people speak of them.
                let (room, rest) = name.split_once('/').unwrap_or((name, ""));
                tree.exists(&format!("src-tauri/{room}/src/{rest}"))
            }
        }
    }
}

fn looks_like_ours(name: &str) -> bool {
    let plain = name.chars().all(|one| one.is_ascii_alphanumeric() || "-_./".contains(one));
    let first = name.split('/').next().unwrap_or(name);
    let is_path = name.contains('/') && (TOPS.contains(&first) || ROOMS.contains(&first));
    let is_file = !name.contains('/') && KINDS.iter().any(|kind| name.len() > kind.len() && name.ends_with(kind));
    plain && (is_path || is_file)
}

/// What stands between single backticks.
pub fn spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The targets of `[text](target)`.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("](").filter_map(move |(at, _)| line[at + 2..].split(')').next())
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::said;
    use super::*;

    #[test]
    fn a_name_that_leads_nowhere_is_refused() {
        let text = "See `src-tauri/ops/src/gone.rs`, `ops/src/lists.rs`,\nthe [plan](PLAN.md) and `nobody.rs`.\n";
        let said = said(check, &[("src-tauri/ARCHITECTURE.md", text), ("src-tauri/ops/src/contacts.rs", "")]);
        assert_eq!(
            said,
            [
                "src-tauri/ARCHITECTURE.md:1: names `src-tauri/ops/src/gone.rs`, which is not there",
                "src-tauri/ARCHITECTURE.md:1: names `ops/src/lists.rs`, which is not there",
                "src-tauri/ARCHITECTURE.md:2: names `PLAN.md`, which is not there",
                "src-tauri/ARCHITECTURE.md:2: names `nobody.rs`, which is not there",
            ]
        );
    }

    #[test]
    fn what_is_there_or_no_path_of_ours_passes() {
        let text = "`src-tauri/ops/src/lists.rs`, `ops/lists.rs`, `lists.rs`, `ops/`, `/lists/{id}`, `application/json`, `std::fs`, \
                    `target/release/roost`, `V<n>__<what>.sql`, [why](src-tauri/adr/0001-a.md#top), [web](https://example.com/a)\n\
                    ```\n`src-tauri/gone`\n```\n";
        let said =
            said(check, &[("README.md", text), ("src-tauri/ops/src/lists.rs", ""), ("src-tauri/adr/0001-a.md", "")]);
        assert!(said.is_empty(), "{said:?}");
    }
}
