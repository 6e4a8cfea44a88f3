//! Checks that a folder has few enough entries to be seen at a glance.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::tree::SourceTree;

const MAX_ENTRIES: usize = 15;
/// Folders whose entries are numbered or have names fixed by others.
const MAY_GROW: &[&str] = &["migrations", "icons", ".github/adr"];

pub(super) fn check(tree: &SourceTree) -> Vec<Finding> {
    let mut entries: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let files = tree.files.iter().map(|file| file.path.as_str());
    for path in files.chain(tree.folders()) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        // Dot files belong to tools, which require them in this place.
        if !name.starts_with('.') {
            entries.entry(folder).or_default().insert(name);
        }
    }
    entries
        .into_iter()
        .filter(|(folder, names)| names.len() > MAX_ENTRIES && !is_exempt(folder))
        .map(|(folder, names)| {
            let place = if folder.is_empty() { "the top folder" } else { folder };
            Finding::error(
                place,
                format!("{} entries, {MAX_ENTRIES} are the most", names.len()),
                "group what belongs together in a folder with a name of the trade",
            )
        })
        .collect()
}

fn is_exempt(folder: &str) -> bool {
    MAY_GROW.contains(&folder) || folder.starts_with("tests/fixtures")
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::messages;
    use super::*;

    fn folder_of(count: usize, folder: &str) -> Vec<(String, &'static str)> {
        (0..count).map(|number| (format!("{folder}/f{number}.rs"), "")).collect()
    }

    fn findings_of(files: &[(String, &str)]) -> Vec<String> {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        messages(check, &files)
    }

    #[test]
    fn sixteen_entries_are_refused_and_fifteen_pass() {
        assert_eq!(findings_of(&folder_of(16, "ui/src/kit")), ["ui/src/kit: 16 entries, 15 are the most"]);
        assert!(findings_of(&folder_of(15, "ui/src/kit")).is_empty());
    }

    #[test]
    fn a_folder_inside_counts_as_one_entry() {
        let mut files = folder_of(14, "ui/src/kit");
        files.extend(folder_of(15, "ui/src/kit/inner"));
        assert!(findings_of(&files).is_empty());
        files.extend(folder_of(1, "ui/src/kit/other"));
        assert_eq!(findings_of(&files), ["ui/src/kit: 16 entries, 15 are the most"]);
    }

    #[test]
    fn the_folder_of_migrations_has_no_limit() {
        assert!(findings_of(&folder_of(40, "migrations")).is_empty());
    }
}
