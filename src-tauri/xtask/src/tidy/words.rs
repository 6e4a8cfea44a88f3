//! Checks that no file names a machine or a registry, or contains a note of unfinished work.

use super::Finding;
use super::tree::{SourceFile, SourceTree};

struct ForbiddenWord {
    text: &'static str,
    what_to_do: &'static str,
}

const NOT_THIS_MACHINE: &str = "write a path from the top of the repository, or one that the environment gives";
const NO_REGISTRY: &str = "leave it to the package client's own settings";
const NO_NOTE: &str = "do it, or open an issue and leave the code without the note";

/// The forbidden texts. Each is assembled, so that this file does not match itself.
const FORBIDDEN: &[ForbiddenWord] = &[
    ForbiddenWord { text: concat!("/wo", "rk/"), what_to_do: NOT_THIS_MACHINE },
    ForbiddenWord { text: concat!("/ro", "ot/"), what_to_do: NOT_THIS_MACHINE },
    ForbiddenWord { text: concat!("/ho", "me/"), what_to_do: NOT_THIS_MACHINE },
    ForbiddenWord { text: concat!("arti", "factory"), what_to_do: NO_REGISTRY },
    ForbiddenWord { text: concat!("index.", "crates.io"), what_to_do: NO_REGISTRY },
    ForbiddenWord { text: concat!("static.", "crates.io"), what_to_do: NO_REGISTRY },
    ForbiddenWord { text: concat!("registry.", "npmjs"), what_to_do: NO_REGISTRY },
    ForbiddenWord { text: concat!("python", "hosted.org"), what_to_do: NO_REGISTRY },
    ForbiddenWord { text: concat!("pypi", ".org"), what_to_do: NO_REGISTRY },
    ForbiddenWord { text: concat!("deb.", "debian.org"), what_to_do: NO_REGISTRY },
    ForbiddenWord { text: concat!("TO", "DO"), what_to_do: NO_NOTE },
    ForbiddenWord { text: concat!("FIX", "ME"), what_to_do: NO_NOTE },
    ForbiddenWord { text: concat!("XX", "X:"), what_to_do: NO_NOTE },
];

pub(super) fn check(tree: &SourceTree) -> Vec<Finding> {
    tree.files.iter().filter(|file| !file.path.starts_with("tests/fixtures/")).flat_map(check_file).collect()
}

fn check_file(file: &SourceFile) -> Vec<Finding> {
    let mut found = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        for word in FORBIDDEN {
            if occurs_in(line, word.text) {
                let place = format!("{}:{}", file.path, number + 1);
                found.push(Finding::error(place, format!("the word `{}`", word.text), word.what_to_do));
            }
        }
    }
    found
}

/// Returns whether a line contains a text as a separate word or at the start of a path.
fn occurs_in(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let inside = |next: Option<char>| {
            next.is_some_and(|next| next.is_alphanumeric() || next == '_' || next == '}' || next == '.')
        };
        if word.starts_with('/') {
            !inside(before)
        } else if word.chars().all(char::is_uppercase) {
            !inside(before) && !after.is_some_and(|next| next.is_alphanumeric() || next == '_')
        } else {
            true
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::messages;
    use super::*;

    #[test]
    fn every_forbidden_word_is_found() {
        for word in FORBIDDEN {
            let findings = messages(check, &[("README.md", &format!("first\nsee {} there\n", word.text))]);
            assert_eq!(findings, [format!("README.md:2: the word `{}`", word.text)]);
        }
    }

    #[test]
    fn parts_of_longer_words_and_fixtures_pass() {
        let text = concat!("the AUTO", "DO list, ", "$HOME/wo", "rk/, src/ro", "ot/x and $", "{a}/wo", "rk/");
        let findings = messages(check, &[("README.md", text), ("tests/fixtures/a.csv", concat!("/wo", "rk/"))]);
        assert!(findings.is_empty(), "{findings:?}");
    }
}
