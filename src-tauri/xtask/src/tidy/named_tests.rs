//! Checks that every test that the documents name as a proof exists, such as
//! `old_knowledge::a_login_page_deletes_nothing_however_it_answers`, and every function and method of the walks.

use super::{
    Finding,
    named_paths::code_spans,
    tree::{SourceFile, SourceTree},
};

/// A document that names functions as `module::function`.
struct NamingDocument {
    path: &'static str,
    noun: &'static str,
    what_to_do: &'static str,
    /// Whether it also names methods as `Type::method`, and they are checked.
    has_methods: bool,
    /// Whether each row of its tables must name at least one function.
    proves_each_row: bool,
}

const fn proofs_of(path: &'static str) -> NamingDocument {
    let what_to_do = "name the file of the test and the test that proves it now, as file::test";
    NamingDocument { path, noun: "test", what_to_do, has_methods: false, proves_each_row: false }
}

const WALKS: &str = "src-tauri/ARCHITECTURE.md";
const DOCUMENTS: &[NamingDocument] = &[
    proofs_of("src-tauri/sync/PROMISES.md"),
    proofs_of("tests/world/README.md"),
    NamingDocument { proves_each_row: true, ..proofs_of("src-tauri/cli/FAULTS.md") },
    NamingDocument {
        path: WALKS,
        noun: "function",
        what_to_do: "follow the calls again, and name the function as module::function or Type::method",
        has_methods: true,
        proves_each_row: false,
    },
];

pub(super) fn check(tree: &SourceTree) -> Vec<Finding> {
    let mut found = Vec::new();
    for NamingDocument { path, noun, what_to_do, has_methods, proves_each_row } in DOCUMENTS {
        for (number, line) in tree.get(path).iter().flat_map(|file| file.text.lines().enumerate()) {
            if *proves_each_row && is_table_row(line) && !code_spans(line).any(|span| span.contains("::")) {
                let what = format!("has a row that names no {noun}");
                found.push(Finding::error(format!("{path}:{}", number + 1), what, *what_to_do));
            }
            for (span, (owner, function)) in code_spans(line).filter_map(|span| Some((span, span.rsplit_once("::")?))) {
                let is_type = owner.starts_with(|first: char| first.is_ascii_uppercase());
                let is_there = (is_type && !has_methods)
                    || tree.rust_files().any(|file| {
                        let is_owner = if is_type { has_methods_of(file, owner) } else { is_module(file, owner) };
                        is_owner && defines_function(file, function)
                    });
                if !is_there {
                    let what = format!("names the {noun} `{span}`, which is not there");
                    found.push(Finding::error(format!("{path}:{}", number + 1), what, *what_to_do));
                }
            }
        }
    }
    found
}

/// Returns whether a line is a row of a table, other than the one under its header.
fn is_table_row(line: &str) -> bool {
    line.starts_with('|')
        && line.chars().any(|one| !matches!(one, '|' | '-' | ':' | ' '))
        && !line.ends_with("proved by |")
}

fn defines_function(file: &SourceFile, name: &str) -> bool {
    file.text.contains(&format!("fn {name}(")) || file.text.contains(&format!("fn {name}<"))
}

/// Returns whether a file has an `impl` for a type, or declares a trait of this name.
fn has_methods_of(file: &SourceFile, name: &str) -> bool {
    let is_head = |line: &&str| ["impl", "pub trait ", "trait "].iter().any(|start| line.starts_with(*start));
    let has_name = |line: &str| line.split(|one: char| !one.is_alphanumeric() && one != '_').any(|word| word == name);
    file.text.lines().filter(is_head).any(has_name)
}

/// Returns whether the path of a file ends with the parts of a module path.
fn is_module(file: &SourceFile, module: &str) -> bool {
    let path = file.path.trim_end_matches(".rs").trim_end_matches("/mod");
    let wanted = module.replace("::", "/");
    path.strip_suffix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::{super::tree::sample::messages, *};

    #[test]
    fn a_test_that_is_not_there_is_refused() {
        let text = "| `a::it_holds`, `b::a::it_holds` | `a::gone`, `c::it_holds`, `World::wait`, `no_module` |\n";
        let files = [("src-tauri/sync/PROMISES.md", text), ("src-tauri/b/a.rs", "#[test]\nfn it_holds() {}\n")];
        let wanted = ["a::gone", "c::it_holds"]
            .map(|name| format!("src-tauri/sync/PROMISES.md:1: names the test `{name}`, which is not there"));
        assert_eq!(messages(check, &files), wanted);
    }

    #[test]
    fn a_row_without_a_test_is_refused() {
        let text = "| fault | proved by |\n|---|---|\n| It rains | `a::it_holds` |\n| It snows | a roof |\n";
        let files = [("src-tauri/cli/FAULTS.md", text), ("src-tauri/b/a.rs", "#[test]\nfn it_holds() {}\n")];
        assert_eq!(messages(check, &files), ["src-tauri/cli/FAULTS.md:4: has a row that names no test"]);
    }

    #[test]
    fn a_function_that_a_walk_names_wrongly_is_refused() {
        let text = "`b::a::open`, `a::read`, `Core::write`, `Core::scan`, `Carrier::carry`, `an_item`\n\
                    `c::open`, `a::opened`, `Core::open`, `Cor::write`, `Carrier::write`\n";
        let files = [
            (WALKS, text),
            ("src-tauri/b/a/mod.rs", "pub fn open() {}\nfn read<T>() {}\n"),
            ("src-tauri/b/core.rs", "impl<'a> Core<'a> {\n    pub fn write(&self) {}\n    fn scan<T>(&self) {}\n}\n"),
            ("src-tauri/b/carrier.rs", "pub trait Carrier: Send {\n    fn carry(&self);\n}\n"),
        ];
        let wanted = ["c::open", "a::opened", "Core::open", "Cor::write", "Carrier::write"]
            .map(|name| format!("{WALKS}:2: names the function `{name}`, which is not there"));
        assert_eq!(messages(check, &files), wanted);
    }
}
