//! The guides name only commands, flags and variables that exist. `ui/guides/guides.test.mjs` checks their links and the
//! words of the window.

use std::{collections::BTreeSet, fs, path::Path};

use roost_app::CommandLine;
use roost_tests::spawned::command;

const DOCUMENTS: [&str; 8] = [
    "README.md",
    "ui/guides/account-manager.md",
    "ui/guides/offline-editor.md",
    "ui/guides/developer.md",
    "ui/guides/operations.md",
    "ui/guides/limits.md",
    "ui/guides/rest.md",
    "src-tauri/ops/imports/IMPORT.md",
];

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).expect(path)
}

fn help_text(verbs: &[&str]) -> String {
    let output = command(verbs.iter().copied().chain(["--help"])).output().expect("the binary can be started");
    assert!(output.status.success(), "roost {verbs:?} --help");
    String::from_utf8(output.stdout).expect("text")
}

fn list_verbs(help: &str) -> BTreeSet<String> {
    let listed = help.split("Commands:\n").nth(1).unwrap_or_default().lines();
    let names = listed.take_while(|line| line.starts_with("  ")).filter_map(|line| line.split_whitespace().next());
    // clap adds `help` to every group of commands.
    let names = names.filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

/// Returns the code of a Markdown text: the lines of blocks, and what is between backticks.
fn list_code(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if in_block {
            found.push(line);
        } else {
            found.extend(line.split('`').skip(1).step_by(2));
        }
    }
    found
}

/// Returns the words behind `roost` in a line of code, up to a comment, a pipe, or a command of the person.
fn read_command(code: &str) -> Option<Vec<&str>> {
    let code = code.split(" #").next().unwrap_or(code).trim();
    let rest = code.strip_prefix("roost ")?;
    Some(rest.split_whitespace().take_while(|word| !matches!(*word, "--" | "|" | "<" | ">")).collect())
}

/// Returns what does not exist in a command. Words in capital letters stand for something else, and `list\|add` for two.
fn find_fault(words: &[&str]) -> Option<String> {
    let mut verbs: Vec<&str> = Vec::new();
    let mut help = help_text(&verbs);
    for word in words {
        let known = list_verbs(&help);
        if known.is_empty() || !word.starts_with(|first: char| first.is_ascii_lowercase()) {
            break;
        }
        let alternatives: Vec<&str> = word.split("\\|").collect();
        if let Some(unknown) = alternatives.iter().find(|verb| !known.contains(**verb)) {
            return Some(format!("there is no `roost {} {unknown}`", verbs.join(" ")));
        }
        verbs.push(alternatives[0]);
        help = help_text(&verbs);
    }
    let flags: BTreeSet<&str> = help.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').collect();
    let named = words.iter().map(|word| word.trim_matches(['[', ']', '…']).split('=').next().unwrap_or(word));
    let unknown = named.filter(|word| word.starts_with("--")).find(|flag| !flags.contains(flag));
    unknown.map(|flag| format!("`roost {}` has no {flag}", verbs.join(" ")))
}

fn list_variables(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !letter.is_ascii_uppercase() && letter != '_');
    words.filter(|word| word.starts_with("ROOST_") && word.len() > "ROOST_".len()).collect()
}

#[test]
fn every_command_and_flag_in_the_guides_exists() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for document in DOCUMENTS {
        let text = read(document);
        for words in list_code(&text).into_iter().filter_map(read_command) {
            seen += 1;
            wrong.extend(find_fault(&words).map(|fault| format!("{document}: {fault}")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen > 60, "{seen} commands");
    // The check finds faults.
    let faults = |code: &str| read_command(code).and_then(|words| find_fault(&words));
    assert_eq!(faults("roost pul --db a"), Some("there is no `roost  pul`".to_owned()));
    assert_eq!(faults("roost account backup --bd a"), Some("`roost account backup` has no --bd".to_owned()));
    assert_eq!(faults("roost exec -- pytest --no-such-flag"), None);
    assert_eq!(faults("roost COMMAND --help # --nothing"), None);
}

#[test]
fn every_variable_in_the_guides_exists() {
    let mut helps = CommandLine::HELP.to_owned();
    for verb in list_verbs(&help_text(&[])) {
        let help = help_text(&[&verb]);
        for inner in list_verbs(&help) {
            helps += &help_text(&[&verb, &inner]);
        }
        helps += &help;
    }
    let known = list_variables(&helps);
    let mut wrong = Vec::new();
    for document in DOCUMENTS {
        let text = read(document);
        let named = list_variables(&text);
        wrong.extend(named.difference(&known).map(|name| format!("{document}: {name}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(known.contains("ROOST_DB") && !known.contains("ROOST_BD"));
}
