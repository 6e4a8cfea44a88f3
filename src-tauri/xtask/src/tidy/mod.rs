//! The rules of the house, each in its own file. A finding names the place, the problem and the remedy.

pub(crate) mod counts;
mod floors;
mod folders;
mod gated;
mod migrations;
mod modules;
mod named_paths;
mod named_tests;
mod names;
mod rust_source;
mod size;
mod tree;
mod unwraps;
mod words;

pub(crate) use migrations::{Migration, SHIPPED, compute_checksum, read_shipped, shipped_file};

use std::fmt;
use std::path::Path;

use tree::SourceTree;

/// The violation of a rule at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub weight: Severity,
    /// The path from the top of the repository, with the line if there is one.
    pub place: String,
    pub what: String,
    pub what_to_do: String,
}

/// The consequence of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    Warned,
    Refused,
}

impl Finding {
    fn error(place: impl Into<String>, what: impl Into<String>, what_to_do: impl Into<String>) -> Self {
        Self { weight: Severity::Refused, place: place.into(), what: what.into(), what_to_do: what_to_do.into() }
    }

    fn warning(place: impl Into<String>, what: impl Into<String>, what_to_do: impl Into<String>) -> Self {
        Self { weight: Severity::Warned, ..Self::error(place, what, what_to_do) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = match self.weight {
            Severity::Warned => "warning",
            Severity::Refused => "refused",
        };
        write!(out, "{weight}: {}: {}\n         {}", self.place, self.what, self.what_to_do)
    }
}

type TidyRule = fn(&SourceTree) -> Vec<Finding>;

const RULES: &[TidyRule] = &[
    size::check,
    folders::check,
    floors::check,
    floors::inner::check,
    modules::check,
    unwraps::check,
    gated::check,
    migrations::check,
    named_paths::check,
    named_tests::check,
    names::check,
    words::check,
];

/// Returns every finding of every rule. Refusals come last, where a terminal shows them.
pub(crate) fn find_all(root: &Path) -> Result<Vec<Finding>, String> {
    let tree = SourceTree::read(root)?;
    let mut all: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&tree)).collect();
    all.sort_by(|a, b| (a.weight, &a.place).cmp(&(b.weight, &b.place)));
    Ok(all)
}

/// Prints every finding and returns whether none is a refusal.
pub(crate) fn run(root: &Path) -> bool {
    let all = match find_all(root) {
        Ok(all) => all,
        Err(why) => {
            eprintln!("cargo xtask tidy: {why}");
            return false;
        }
    };
    for finding in &all {
        eprintln!("{finding}");
    }
    let refused = all.iter().filter(|finding| finding.weight == Severity::Refused).count();
    eprintln!("tidy: {} rules, {refused} refused, {} warned", RULES.len(), all.len() - refused);
    refused == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_repository_keeps_the_measures() {
        let refused: Vec<String> = find_all(&crate::repository_root())
            .unwrap()
            .iter()
            .filter(|finding| finding.weight == Severity::Refused)
            .map(ToString::to_string)
            .collect();
        assert!(refused.is_empty(), "\n{}", refused.join("\n"));
    }

    #[test]
    fn a_finding_says_where_what_and_what_to_do() {
        let text = Finding::error("a/b.rs:3", "too long", "split it").to_string();
        assert_eq!(text, "refused: a/b.rs:3: too long\n         split it");
    }
}
