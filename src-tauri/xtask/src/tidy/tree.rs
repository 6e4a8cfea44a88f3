//! Reads the files of the repository once, without build output and installed packages.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose content is generated or installed.
const NOT_OURS: &[&str] = &[".git", ".svelte-check", "target", "node_modules", "dist", "gen"];

pub(super) struct SourceTree {
    root: PathBuf,
    pub files: Vec<SourceFile>,
}

pub(super) struct SourceFile {
    /// The path from the top of the repository, with `/` between the parts.
    pub path: String,
    /// Empty for a binary file.
    pub text: String,
}

impl SourceTree {
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let mut tree = Self { root: root.to_path_buf(), files: Vec::new() };
        tree.walk("")?;
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    fn walk(&mut self, folder: &str) -> Result<(), String> {
        let here = self.root.join(folder);
        let entries = fs::read_dir(&here).map_err(|why| format!("cannot read the folder {}: {why}", here.display()))?;
        for entry in entries {
            let entry = entry.map_err(|why| format!("cannot read the folder {}: {why}", here.display()))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let kind = entry.file_type().map_err(|why| format!("cannot look at {path}: {why}"))?;
            if kind.is_dir() {
                if !NOT_OURS.contains(&name.as_str()) {
                    self.walk(&path)?;
                }
            } else if kind.is_file() {
                // An editor may remove a temporary file between the listing and the read. That is not a finding.
                let Ok(bytes) = fs::read(entry.path()) else { continue };
                self.files.push(SourceFile { path, text: String::from_utf8(bytes).unwrap_or_default() });
            }
        }
        Ok(())
    }

    pub(super) fn get(&self, path: &str) -> Option<&SourceFile> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|at| &self.files[at])
    }

    /// Returns whether a file or folder exists at this path, including generated ones.
    pub(super) fn exists(&self, path: &str) -> bool {
        self.root.join(path).exists()
    }

    /// Returns every folder that contains something, without the top folder.
    pub(super) fn folders(&self) -> BTreeSet<&str> {
        let mut folders = BTreeSet::new();
        for file in &self.files {
            let mut path = file.path.as_str();
            while let Some((folder, _)) = path.rsplit_once('/') {
                folders.insert(folder);
                path = folder;
            }
        }
        folders
    }

    pub(super) fn rust_files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }
}

impl SourceFile {
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Returns whether this is code that ships, unlike tests, fixtures and benchmarks.
    pub(super) fn is_production(&self) -> bool {
        let ours = ["src-tauri/", "ui/", "migrations/"].iter().any(|top| self.path.starts_with(top));
        let name = self.name();
        let tests = name == "tests.rs"
            || name.ends_with("_tests.rs")
            || name.ends_with(".test.ts")
            || name.ends_with(".spec.ts")
            || self.path.contains("/tests/");
        ours && !tests
    }
}

#[cfg(test)]
pub(super) mod sample {
    use super::*;

    /// A small repository that is deleted when the value is dropped.
    pub(crate) struct SampleTree(tempfile::TempDir);

    impl SampleTree {
        pub(crate) fn with_files(files: &[(&str, &str)]) -> Self {
            let sample = Self(tempfile::tempdir().unwrap());
            for (path, text) in files {
                sample.write(path, text);
            }
            sample
        }

        pub(crate) fn write(&self, path: &str, text: &str) {
            let path = self.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        pub(crate) fn root(&self) -> &Path {
            self.0.path()
        }

        pub(crate) fn read_tree(&self) -> SourceTree {
            SourceTree::read(self.root()).unwrap()
        }
    }

    /// Returns the findings of one rule as text, without the remedies.
    pub(crate) fn messages(rule: fn(&SourceTree) -> Vec<super::super::Finding>, files: &[(&str, &str)]) -> Vec<String> {
        let sample = SampleTree::with_files(files);
        rule(&sample.read_tree()).iter().map(|finding| format!("{}: {}", finding.place, finding.what)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::sample::SampleTree;

    #[test]
    fn generated_files_are_not_read() {
        let sample = SampleTree::with_files(&[
            ("src-tauri/a/b.rs", ""),
            ("target/x.rs", ""),
            ("ui/node_modules/y.ts", ""),
            ("ui/dist/z.ts", ""),
        ]);
        let tree = sample.read_tree();
        let paths: Vec<&str> = tree.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["src-tauri/a/b.rs"]);
        assert!(tree.get("src-tauri/a/b.rs").is_some());
        assert!(tree.get("target/x.rs").is_none());
        assert!(tree.exists("target/x.rs"));
        assert_eq!(tree.folders().into_iter().collect::<Vec<_>>(), ["src-tauri", "src-tauri/a"]);
    }
}
