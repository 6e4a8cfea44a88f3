//! Counts what the house watches over time: the size of each crate, the names of one word, the renaming re-exports.

use std::collections::BTreeMap;
use std::path::Path;

use super::names;
use super::rust_source::{production_code, production_lines};
use super::tree::SourceTree;

/// Prints the counts and returns whether the sources could be read.
pub(crate) fn run(root: &Path) -> bool {
    match SourceTree::read(root) {
        Ok(tree) => {
            eprint!("{}", render(&tree));
            true
        }
        Err(why) => {
            eprintln!("cargo xtask counts: {why}");
            false
        }
    }
}

fn render(tree: &SourceTree) -> String {
    let mut lines_by_crate: BTreeMap<&str, usize> = BTreeMap::new();
    let mut renames = 0;
    for file in tree.rust_files().filter(|file| file.is_production()) {
        let Some(path) = file.path.strip_prefix("src-tauri/") else { continue };
        // Only the window has no folder `src`.
        let name = path.split_once("/src/").or_else(|| path.split_once('/')).map_or(path, |(name, _)| name);
        *lines_by_crate.entry(name).or_default() += production_lines(&file.text);
        renames += renaming_exports(&production_code(&file.text));
    }
    let mut text = String::from("lines of production code\n");
    for (name, lines) in &lines_by_crate {
        text.push_str(&format!("{lines:>8}  {name}\n"));
    }
    let total: usize = lines_by_crate.values().sum();
    text.push_str(&format!(
        "{total:>8}  together\n{}\nre-exports under another name: {renames}\n",
        names::summary(tree)
    ));
    text
}

/// Returns how many items are re-exported under another name.
fn renaming_exports(code: &str) -> usize {
    let exports = code.split(';').filter_map(|item| item.rsplit_once("pub use ").map(|(_, paths)| paths));
    exports.map(|paths| paths.matches(" as ").count() - paths.matches(" as _").count()).sum()
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::SampleTree;
    use super::*;

    #[test]
    fn lines_names_and_exports_are_counted() {
        let sample = SampleTree::with_files(&[
            (
                "src-tauri/ops/src/lib.rs",
                "//! Ops.\npub use list::{List as Lists, open};\nuse a::B as _;\nfn close_list() {}\n",
            ),
            ("src-tauri/cli/src/main.rs", "//! The commands.\nstruct Command;\n#[cfg(test)]\nmod tests {}\n"),
        ]);
        assert_eq!(
            render(&sample.read_tree()),
            "lines of production code\n       2  cli\n       4  ops\n       6  together\n\
             names of one word: 100 % of types (at most 30), 0 % of functions (at most 40)\n\
             re-exports under another name: 1\n"
        );
    }
}
