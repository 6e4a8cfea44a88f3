//! The documentation in `roost` itself: variables, completions, the manual.

use std::{fs, process::Stdio};

use tempfile::TempDir;

use super::{command_output, refusal_message, run_program};
use roost_tests::spawned::command;

fn help_text(args: &[&str]) -> String {
    let output = run_program(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn verb_names() -> Vec<String> {
    let help = help_text(&["--help"]);
    let commands = help.split("Commands:\n").nth(1).expect("a list of commands");
    let lines = commands.lines().take_while(|line| line.starts_with("  "));
    let names = lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    let verbs: Vec<String> = names.filter(|name| name != "help").collect();
    assert!(verbs.len() > 10 && verbs.iter().any(|verb| verb == "serve"), "{help}");
    verbs
}

/// Returns each flag of a verb with its help text.
fn verb_flags(verb: &str) -> Vec<(String, String)> {
    let help = help_text(&[verb, "--help"]);
    let mut flags: Vec<(String, String)> = Vec::new();
    for line in help.lines().skip_while(|line| !line.starts_with("Options:")) {
        let begins = line.trim_start().trim_start_matches(|c: char| c == '-' && !line.trim_start().starts_with("--"));
        let named = begins.split_whitespace().find(|word| word.starts_with("--")).filter(|_| {
            let text = line.trim_start();
            text.starts_with("--") || text.starts_with('-') && text.contains(", --")
        });
        if let Some(name) = named {
            let name = name.trim_start_matches("--").trim_end_matches(',').to_owned();
            flags.push((name, line.to_owned()));
        } else if let Some((_, text)) = flags.last_mut() {
            text.push_str(line);
        }
    }
    flags
}

#[test]
fn every_flag_has_a_variable() {
    let mut seen = 0;
    for verb in verb_names() {
        for (flag, text) in verb_flags(&verb).iter().filter(|(flag, _)| flag != "help" && flag != "version") {
            seen += 1;
            let has_one = text.contains("[env: ROOST_") || (flag == "set" && text.contains("ROOST_SET_"));
            assert!(has_one, "roost {verb} --{flag} has no variable: {text}");
        }
    }
    assert!(seen > 50, "{seen} flags");
    let mut by_variable = command(["openapi"]);
    by_variable.env("ROOST_OPENAPI_ADMIN", "yes");
    assert_eq!(command_output(by_variable).stdout, run_program(&["openapi", "--admin"]).stdout);
    let mut wrong = command(["openapi"]);
    wrong.env("ROOST_OPENAPI_ADMIN", "perhaps");
    assert!(refusal_message(&command_output(wrong)).contains("--admin"));
}

#[test]
fn an_empty_variable_of_a_flag_counts_as_not_set() {
    let mut printed = command(["openapi"]);
    printed.env("ROOST_OPENAPI_ADMIN", "");
    assert_eq!(command_output(printed).stdout, run_program(&["openapi"]).stdout);
    let folder = TempDir::new().expect("a folder");
    let mut list = command(["account", "list", "--folder"]);
    list.arg(folder.path()).env("ROOST_JSON", "");
    let output = command_output(list);
    assert!(output.status.success() && output.stdout.starts_with(b"There are no accounts"), "{output:?}");
}

#[test]
fn a_command_whose_reader_has_left_ends_quietly() {
    for args in [&["fixtures", "gen", "--contacts", "20000"][..], &["openapi"], &["man"]] {
        let mut started = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary");
        drop(started.stdout.take());
        let output = started.wait_with_output().expect("an end");
        assert!(output.status.success() && output.stderr.is_empty(), "{args:?}: {output:?}");
    }
}

#[test]
fn every_setting_is_listed_with_its_variable_its_values_and_its_default() {
    let usual = roost_emulator::Settings::default().to_json();
    for verb in ["serve", "exec"] {
        let help = help_text(&[verb, "--help"]);
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for setting in roost_emulator::SETTINGS {
            let head = format!(
                "{} [{}] {}. Takes {}. Default: ",
                setting.name,
                setting.environment_variable(),
                setting.doc,
                setting.values
            );
            let (_, behind) = words.split_once(&head).unwrap_or_else(|| panic!("roost {verb} lacks {head}: {help}"));
            let default = behind.split_once('.').map(|(default, _)| default).expect("a default");
            let want = match &usual[setting.name] {
                serde_json::Value::Null => "nothing".to_owned(),
                serde_json::Value::Array(all) if all.is_empty() => "none".to_owned(),
                serde_json::Value::Array(all) => all.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
                other => other.to_string().trim_matches('"').to_owned(),
            };
            assert_eq!(default, want, "{}", setting.name);
        }
    }
}

#[test]
fn every_verb_has_a_page_and_completions() {
    let folder = TempDir::new().expect("a folder");
    let pages = folder.path().join("new/man1");
    assert!(help_text(&["man", &pages.to_string_lossy()]).is_empty());
    let scripts: Vec<String> = ["bash", "zsh", "fish", "elvish", "powershell"]
        .iter()
        .map(|shell| help_text(&["completions", shell]))
        .collect();
    for verb in verb_names() {
        let page = fs::read_to_string(pages.join(format!("roost-{verb}.1"))).expect("a page");
        assert!(page.contains(&format!("roost\\-{verb}")) || page.contains(&format!(".TH roost-{verb}")), "{page}");
        for (flag, _) in verb_flags(&verb) {
            assert!(page.contains(&format!("\\-\\-{}", flag.replace('-', "\\-"))), "{verb}'s page lacks --{flag}");
            for script in &scripts {
                assert!(script.contains(verb.as_str()) && script.contains(flag.as_str()), "{verb} --{flag}");
            }
        }
    }
    assert_eq!(fs::read_to_string(pages.join("roost.1")).expect("a page"), help_text(&["man"]));
    let message = refusal_message(&run_program(&["man", &pages.to_string_lossy()]));
    assert!(message.contains("Choose another folder, or overwrite its pages with --force."), "{message}");
    assert!(refusal_message(&run_program(&["completions", "bush"])).contains("bash"));
    let blocked = folder.path().join("file");
    fs::write(&blocked, "").expect("a file");
    assert!(refusal_message(&run_program(&["man", &blocked.to_string_lossy()])).contains("is not a folder"));
}
