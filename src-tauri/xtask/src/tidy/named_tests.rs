//! Checks that every test that the documents name as a proof exists, such as
//! `old_knowledge::a_login_page_deletes_nothing_however_it_answers`.

use super::{
    Finding,
    named_paths::code_spans,
    tree::{SourceFile, SourceTree},
};

const DOCUMENTS: &[&str] = &["src-tauri/sync/PROMISES.md", "tests/world/README.md"];

pub fn check(tree: &SourceTree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in DOCUMENTS.iter().filter_map(|path| tree.get(path)) {
        for (number, line) in file.text.lines().enumerate() {
            let named = code_spans(line).filter_map(|span| Some((span, span.rsplit_once("::")?)));
            // A name that begins with a capital is a method of a type, not a test.
            let tests = named.filter(|(span, _)| span.starts_with(|first: char| first.is_ascii_lowercase()));
            for (span, (module, test)) in tests {
                if !tree.rust_files().any(|file| is_module(file, module) && file.text.contains(&format!("fn {test}(")))
                {
                    found.push(Finding::error(
                        format!("{}:{}", file.path, number + 1),
                        format!("names the test `{span}`, which is not there"),
                        "name the file of the test and the test that proves it now, as file::test",
                    ));
                }
            }
        }
    }
    found
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
}
