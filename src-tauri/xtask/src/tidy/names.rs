//! Checks type and function names: most have several words, none is meaningless alone, and no type is in many files.

use std::collections::BTreeMap;

use super::Finding;
use super::named_paths::code_spans;
use super::rust_source::production_code;
use super::tree::{SourceFile, SourceTree};

/// A type whose name appears in more files than this cannot be found by its name.
const MOST_FILES: usize = 3;
/// The largest share of type names and of function names that may be a single word, in percent.
const MOST_TYPES: usize = 30;
const MOST_FUNCTIONS: usize = 40;

/// Type names that say nothing in a search result.
const EMPTY_TYPES: &[&str] = &[
    "Asked", "At", "Beside", "Found", "Given", "Gone", "Kept", "Known", "Look", "Made", "Named", "Place", "Reach",
    "Seen", "Shown", "Standing", "Taken", "Told", "Turn", "Wanted", "Way", "What", "Which", "Wish", "Written",
];
/// Function names that do not say what the function does.
const EMPTY_FUNCTIONS: &[&str] = &[
    "asked", "beside", "gone", "kept", "look", "named", "of", "one", "seen", "shown", "standing", "tell", "told",
    "wanted", "wished",
];

/// Names of variables that do not say what they hold.
const EMPTY_VARIABLES: &[&str] = &["said", "standing", "told", "wish"];

/// The document whose third column names the types that stand for words.
const GLOSSARY: &str = "src-tauri/GLOSSARY.md";

/// Names that a trait of another crate or a convention of the language prescribes.
const PRESCRIBED_TYPES: &[&str] =
    &["Data", "Err", "Error", "Future", "Item", "Output", "Response", "Result", "Target", "Value"];

/// The declarations of production code.
#[derive(Default)]
struct Names<'a> {
    /// Types by name, with the files that declare them.
    types: BTreeMap<&'a str, Vec<&'a str>>,
    functions: BTreeMap<&'a str, Vec<&'a str>>,
    variables: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Names<'a> {
    fn read(sources: &'a [(&'a SourceFile, String)]) -> Self {
        let mut names = Self::default();
        for (file, code) in sources {
            for (kind, name) in declarations(code) {
                let named = match kind {
                    "fn" => &mut names.functions,
                    "let" => &mut names.variables,
                    _ => &mut names.types,
                };
                named.entry(name).or_default().push(&file.path);
            }
        }
        names
    }

    /// Returns the shares of one-word names with their limits.
    fn shares(&self) -> [(&'static str, usize, usize); 2] {
        [
            ("types", share_of_one_word(&self.types, is_type_of_one_word), MOST_TYPES),
            ("functions", share_of_one_word(&self.functions, is_function_of_one_word), MOST_FUNCTIONS),
        ]
    }
}

/// Returns the share of names that are a single word, in percent.
fn share_of_one_word(names: &BTreeMap<&str, Vec<&str>>, is_one_word: fn(&str) -> bool) -> usize {
    let all: usize = names.values().map(Vec::len).sum();
    let of_one_word: usize = names.iter().filter(|(name, _)| is_one_word(name)).map(|(_, files)| files.len()).sum();
    of_one_word * 100 / all.max(1)
}

fn is_type_of_one_word(name: &str) -> bool {
    name.chars().filter(char::is_ascii_uppercase).count() == 1
}

fn is_function_of_one_word(name: &str) -> bool {
    !name.trim_matches('_').contains('_')
}

/// Returns the keyword and the name of every type, function and variable that is declared.
fn declarations(code: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut words = code.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).peekable();
    std::iter::from_fn(move || {
        loop {
            let kind = words.next()?;
            let mut name = *words.peek()?;
            if (kind, name) == ("let", "mut") {
                words.next();
                name = *words.peek()?;
            }
            let is_type = matches!(kind, "struct" | "enum" | "trait" | "type")
                && name.starts_with(char::is_uppercase)
                && !(kind == "type" && PRESCRIBED_TYPES.contains(&name));
            if is_type || matches!(kind, "fn" | "let") {
                return Some((kind, name));
            }
        }
    })
}

/// Summarizes the names of the crates in one line.
pub(super) fn summary(tree: &SourceTree) -> String {
    let sources = sources(tree);
    let shares =
        Names::read(&sources).shares().map(|(kind, share, most)| format!("{share} % of {kind} (at most {most})"));
    format!("names of one word: {}", shares.join(", "))
}

fn sources(tree: &SourceTree) -> Vec<(&SourceFile, String)> {
    let is_of_house = |file: &&SourceFile| file.is_production() && file.path.starts_with("src-tauri/");
    tree.rust_files().filter(is_of_house).map(|file| (file, production_code(&file.text))).collect()
}

pub(super) fn check(tree: &SourceTree) -> Vec<Finding> {
    let sources = sources(tree);
    let names = Names::read(&sources);
    let mut found = Vec::new();
    for (name, files) in &names.types {
        if EMPTY_TYPES.contains(name) {
            found.extend(files.iter().map(|file| {
                let what_to_do = "give it the noun that it is, for example `ImportStatus`";
                Finding::error(*file, format!("the type `{name}` says nothing alone"), what_to_do)
            }));
        } else if files.len() > MOST_FILES {
            let what = format!("the type `{name}` is declared in {} files", files.len());
            found.push(Finding::error(files.join(", "), what, "name each by what it belongs to"));
        }
    }
    for (name, files) in names.functions.iter().filter(|(name, _)| EMPTY_FUNCTIONS.contains(name)) {
        found.extend(files.iter().map(|file| {
            let what_to_do = "name what it does and to what, for example `record_edit`";
            Finding::error(*file, format!("the function `{name}` does not say what it does"), what_to_do)
        }));
    }
    for (name, files) in names.variables.iter().filter(|(name, _)| EMPTY_VARIABLES.contains(name)) {
        found.extend(files.iter().map(|file| {
            let what = format!("the variable `{name}` does not say what it holds");
            Finding::error(*file, what, "name what it holds, for example `message` or `response`")
        }));
    }
    for (kind, share, most) in names.shares() {
        if share > most {
            let what = format!("{share} % of the {kind} are named by one word, more than {most} %");
            found.push(Finding::error("src-tauri", what, "give new ones a name that stands alone"));
        }
    }
    found.extend(check_glossary(tree));
    found
}

/// Refuses words of the glossary whose type or constant does not exist.
fn check_glossary(tree: &SourceTree) -> Vec<Finding> {
    let lines = tree.get(GLOSSARY).into_iter().flat_map(|file| file.text.lines().enumerate());
    let named = lines.flat_map(|(at, line)| {
        let column = line.split('|').nth(3).unwrap_or_default();
        code_spans(column).filter(|span| span.starts_with(char::is_uppercase)).map(move |name| (at + 1, name))
    });
    let missing = named.filter(|(_, name)| !tree.rust_files().any(|file| declares(&file.text, name)));
    let describe = |(line, name)| {
        let what = format!("names `{name}`, which is declared nowhere");
        Finding::error(format!("{GLOSSARY}:{line}"), what, "name the type that stands for the word now, or none")
    };
    missing.map(describe).collect()
}

fn declares(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        ["struct ", "enum ", "trait ", "type ", "const ", "static "].iter().any(|kind| before.ends_with(kind))
            && !after.starts_with(|next: char| next.is_alphanumeric() || next == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::messages;
    use super::*;

    #[test]
    fn empty_and_common_names_are_refused() {
        let findings = messages(
            check,
            &[
                (
                    "src-tauri/ops/src/a.rs",
                    "//! A.\nstruct Told;\nstruct ListRow;\nfn of() {}\nfn read_list() { let mut told = 1; }\n",
                ),
                ("src-tauri/ops/src/b.rs", "//! B.\nenum ListRow { A }\nfn write_list() {}\nfn end_list() {}\n"),
                ("src-tauri/app/src/c.rs", "//! C.\nstruct ListRow;\n#[cfg(test)]\nmod tests { struct Told; }\n"),
                ("src-tauri/cli/src/d.rs", "//! D.\ntype ListRow = u8;\n// struct Kept;\n"),
            ],
        );
        assert_eq!(
            findings,
            [
                "src-tauri/app/src/c.rs, src-tauri/cli/src/d.rs, src-tauri/ops/src/a.rs, src-tauri/ops/src/b.rs: the type `ListRow` is declared in 4 files",
                "src-tauri/ops/src/a.rs: the type `Told` says nothing alone",
                "src-tauri/ops/src/a.rs: the function `of` does not say what it does",
                "src-tauri/ops/src/a.rs: the variable `told` does not say what it holds",
            ]
        );
    }

    #[test]
    fn a_type_of_the_glossary_that_does_not_exist_is_refused() {
        let table =
            "| word | meaning | type |\n|---|---|---|\n| list | Contacts, see `Gone`. | `ListRow`, `OldList` |\n";
        let source = ("src-tauri/ops/src/a.rs", "//! A.\nstruct ListRow;\n");
        let findings = messages(check, &[(GLOSSARY, table), source]);
        assert_eq!(findings, ["src-tauri/GLOSSARY.md:3: names `OldList`, which is declared nowhere"]);
    }

    #[test]
    fn too_many_names_of_one_word_are_refused() {
        let findings =
            messages(check, &[("src-tauri/ops/src/a.rs", "//! A.\nstruct List;\nfn open() {}\nfn close_list() {}\n")]);
        let shares = ["100 % of the types", "50 % of the functions"];
        assert_eq!(findings.len(), 2);
        assert!(
            findings.iter().zip(shares).all(|(finding, share)| finding.starts_with(&format!("src-tauri: {share}"))),
            "{findings:?}"
        );
        assert!(is_type_of_one_word("List") && !is_type_of_one_word("ListRow"));
        assert!(is_function_of_one_word("open") && !is_function_of_one_word("open_list"));
    }
}
