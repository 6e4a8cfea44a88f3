//! Checks that the modules within a crate lean only on modules below them. Imports are followed to where a
//! thing lives.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{
    Finding,
    rust_source::production_code,
    tree::{SourceFile, SourceTree},
};

struct InnerFloors {
    /// The folder of the crate under `src-tauri`.
    name: &'static str,
    /// The modules of its top level, from the bottom up.
    order: &'static [&'static str],
}

const CRATES: &[InnerFloors] = &[
    InnerFloors {
        name: "store",
        order: &[
            "error",
            "watch",
            "text_functions",
            "page_cache",
            "migrations",
            "schema",
            "files",
            "change_log",
            "row_recorder",
            "tx",
            "tables",
            "row_changes",
            "open",
            "db",
        ],
    },
    InnerFloors {
        name: "sheets",
        order: &[
            "limits", "error", "xml", "block", "head", "packed", "text", "write", "format", "xlsx", "ods", "json",
            "vcard", "source",
        ],
    },
    InnerFloors {
        name: "ops",
        order: &[
            "error",
            "ctx",
            "core",
            "history",
            "operator",
            "account",
            "opt_out",
            "contact",
            "custom_field",
            "list",
            "search",
            "job",
            "short_link",
        ],
    },
    InnerFloors {
        name: "ops/exports",
        order: &["formula", "csv", "columns", "encoder", "rows", "pipeline", "evidence"],
    },
    InnerFloors { name: "ops/grid", order: &["background", "grid", "duplicates", "clean"] },
    InnerFloors {
        name: "ops/imports",
        order: &[
            "packed_number",
            "spool",
            "mapping",
            "reading",
            "validate",
            "verdicts",
            "ledger",
            "rehearse",
            "accept",
            "history",
            "rejects",
            "session",
        ],
    },
    InnerFloors {
        name: "sync",
        order: &[
            "progress", "vault", "remote", "account", "probe", "gather", "merge", "pull", "apply", "plan", "decide",
        ],
    },
    InnerFloors {
        name: "sync/session",
        order: &[
            "types",
            "error",
            "titles",
            "copy",
            "work",
            "local_only",
            "sync_status",
            "connection",
            "key",
            "changes",
            "conflicts",
            "plans",
            "runs",
        ],
    },
    InnerFloors {
        name: "emulator",
        order: &[
            "client", "settings", "http", "fidelity", "access", "faults", "hooks", "world", "work", "door", "handlers",
            "admin", "server",
        ],
    },
    InnerFloors {
        name: "app",
        order: &[
            "error",
            "file",
            "data_folder",
            "diagnostics",
            "changes",
            "tasks",
            "desktop",
            "preferences",
            "page_cache",
            "local_server",
            "accounts",
            "reading",
            "commands",
            "console",
        ],
    },
];

pub(crate) fn check(tree: &SourceTree) -> Vec<Finding> {
    CRATES.iter().flat_map(|floors| check_crate(tree, floors)).collect()
}

fn check_crate(tree: &SourceTree, floors: &InnerFloors) -> Vec<Finding> {
    let modules = CrateModules::read(tree, &format!("src-tauri/{}/src/", floors.name));
    let height = |module: &str| floors.order.iter().position(|name| *name == module);
    let mut found = Vec::new();
    for (file, from, to) in modules.arrows() {
        let (Some(here), Some(there)) = (height(&from), height(&to)) else {
            let unknown = if height(&from).is_none() { &from } else { &to };
            found.push(Finding::error(
                file,
                format!("the module {unknown} of {} has no floor", floors.name),
                "give it one in src-tauri/xtask/src/tidy/floors/inner.rs",
            ));
            continue;
        };
        if there > here {
            found.push(Finding::error(
                file,
                format!("{from} leans on {to}, which is above it in {}", floors.name),
                "move what is needed down, or hand it in from above",
            ));
        }
    }
    found
}

type ModulePath = Vec<String>;

/// The modules of a crate with their code and what they export from others.
struct CrateModules<'a> {
    files: BTreeMap<ModulePath, (&'a SourceFile, String)>,
    modules: BTreeSet<ModulePath>,
    /// What each module imports from elsewhere and its children may name through it: the written path and the name,
    /// which is `*` for everything.
    imports: BTreeMap<ModulePath, Vec<(ModulePath, String)>>,
}

impl<'a> CrateModules<'a> {
    fn read(tree: &'a SourceTree, folder: &str) -> Self {
        let mut read = Self { files: BTreeMap::new(), modules: BTreeSet::new(), imports: BTreeMap::new() };
        for file in tree.rust_files().filter(|file| file.is_production()) {
            let Some(path) = file.path.strip_prefix(folder).and_then(|path| path.strip_suffix(".rs")) else { continue };
            let mut module: ModulePath = path.split('/').map(str::to_owned).collect();
            module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
            for depth in 0..=module.len() {
                read.modules.insert(module[..depth].to_vec());
            }
            let code = production_code(&file.text);
            read.imports.insert(module.clone(), find_uses(&code));
            read.files.insert(module, (file, code));
        }
        read
    }

    /// Returns the path of every file with its top module and another one on which it leans. The root leans on all.
    fn arrows(&self) -> BTreeSet<(&'a str, String, String)> {
        let mut arrows = BTreeSet::new();
        for (module, (file, code)) in &self.files {
            let Some(top) = module.first() else { continue };
            let named = find_uses(code).into_iter().map(|(path, _)| path).chain(find_inline_paths(code));
            for path in named.filter_map(|path| self.to_absolute(module, &path)) {
                let home = self.find_home(&path, 0);
                if let Some(other) = home.first().filter(|other| *other != top) {
                    arrows.insert((file.path.as_str(), top.clone(), other.clone()));
                }
            }
        }
        arrows
    }

    /// Returns a written path from the root of the crate, or `None` if it leads out of the crate.
    fn to_absolute(&self, module: &[String], path: &[String]) -> Option<ModulePath> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                let above = &module[..module.len().saturating_sub(ups)];
                Some([above, &path[ups..]].concat())
            }
            _ => {
                let child = [module, std::slice::from_ref(first)].concat();
                self.modules.contains(&child).then(|| [module, path].concat())
            }
        }
    }

    /// Returns the module in which the thing at a path is declared.
    fn find_home(&self, path: &[String], depth: usize) -> ModulePath {
        let length = (0..=path.len()).rev().find(|length| self.modules.contains(&path[..*length])).unwrap_or_default();
        let (module, rest) = (&path[..length], &path[length..]);
        let (Some(name), Some(imports)) = (rest.first(), self.imports.get(module)) else { return module.to_vec() };
        if depth > 8 || self.declares(module, name) {
            return module.to_vec();
        }
        for (written, imported) in imports {
            let Some(target) = self.to_absolute(module, written) else { continue };
            if imported == name && target != path {
                return self.find_home(&[&target[..], &rest[1..]].concat(), depth + 1);
            }
            if imported == "*" && self.declares(&target, name) {
                return target;
            }
        }
        module.to_vec()
    }

    fn declares(&self, module: &[String], name: &str) -> bool {
        const KEYWORDS: [&str; 8] = ["fn", "struct", "enum", "trait", "type", "const", "static", "union"];
        let Some((_, code)) = self.files.get(module) else { return false };
        let mut words =
            code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.next() {
            if KEYWORDS.contains(&word) && words.peek() == Some(&name) {
                return true;
            }
        }
        false
    }
}

/// Returns the paths of all `use` declarations with the names that they get.
fn find_uses(code: &str) -> Vec<(ModulePath, String)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let before = code[..at].trim_end_matches(' ');
        let line = before.rsplit('\n').next().unwrap_or_default().trim();
        if !(line.is_empty() || line.starts_with("pub")) {
            continue;
        }
        let Some(end) = code[at..].find(';') else { continue };
        expand(code[at + 4..at + end].trim(), &[], &mut found);
    }
    found
}

/// Expands a tree such as `a::{b, c as d}` into paths with the names that they get.
fn expand(tree: &str, prefix: &[String], paths: &mut Vec<(ModulePath, String)>) {
    let (mut depth, mut begin) = (0_usize, 0);
    for (at, c) in tree.char_indices().chain([(tree.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                expand_one(tree[begin..at].trim(), prefix, paths);
                begin = (at + 1).min(tree.len());
            }
            _ => {}
        }
    }
}

fn expand_one(part: &str, prefix: &[String], paths: &mut Vec<(ModulePath, String)>) {
    let to_path = |text: &str| -> ModulePath {
        let parts = text.split("::").map(str::trim).filter(|part| !part.is_empty());
        prefix.iter().cloned().chain(parts.map(str::to_owned)).collect()
    };
    if let Some((before, inner)) = part.split_once('{') {
        expand(inner.trim_end().strip_suffix('}').unwrap_or(inner), &to_path(before), paths);
        return;
    }
    let (written, alias) = part.split_once(" as ").map_or((part, None), |(path, alias)| (path, Some(alias.trim())));
    let mut path = to_path(written);
    if path.len() > 1 {
        path.pop_if(|last| last == "self");
    }
    let Some(last) = path.last().cloned() else { return };
    if last == "*" {
        path.pop();
    }
    paths.push((path, alias.map_or(last, str::to_owned)));
}

/// Returns the paths from `crate` or `super` that stand within the code.
fn find_inline_paths(code: &str) -> impl Iterator<Item = ModulePath> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    code.split(move |c: char| !is_part(c))
        .filter(|word| word.starts_with("crate::") || word.starts_with("super::"))
        .map(|word| word.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::{super::super::tree::sample::SampleTree, *};

    const FLOORS: InnerFloors = InnerFloors { name: "a", order: &["low", "high"] };

    fn findings_of(floors: &InnerFloors, files: &[(&str, &str)]) -> Vec<String> {
        let sample = SampleTree::with_files(files);
        check_crate(&sample.read_tree(), floors).iter().map(|f| format!("{}: {}", f.place, f.what)).collect()
    }

    #[test]
    fn an_arrow_up_is_refused_however_it_is_written() {
        for code in [
            "use crate::high::Thing;",
            "use super::high::{self, Thing};",
            "fn f() { crate::high::g() }",
            "use crate::{Thing};",
            "use crate::low::inner::Thing;",
        ] {
            let findings = findings_of(
                &FLOORS,
                &[
                    ("src-tauri/a/src/lib.rs", "mod low; mod high;\nuse crate::high::Thing;"),
                    ("src-tauri/a/src/low/mod.rs", code),
                    ("src-tauri/a/src/low/inner.rs", "pub use crate::high::*;"),
                    ("src-tauri/a/src/high.rs", "use crate::low::f;\npub struct Thing;\npub fn g() {}"),
                ],
            );
            assert!(
                findings.contains(&"src-tauri/a/src/low/mod.rs: low leans on high, which is above it in a".to_owned()),
                "{code}: {findings:?}"
            );
            assert!(findings.iter().all(|one| one.contains("low leans on high")), "{findings:?}");
        }
    }

    #[test]
    fn a_module_without_a_floor_is_refused() {
        let files = [("src-tauri/a/src/low.rs", "use crate::attic::x;"), ("src-tauri/a/src/attic.rs", "")];
        assert_eq!(findings_of(&FLOORS, &files), ["src-tauri/a/src/low.rs: the module attic of a has no floor"]);
    }
}
