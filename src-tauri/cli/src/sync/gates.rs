//! The texts that must be typed before anything is sent: a person types them at a terminal, and a script gives them as
//! arguments.

use std::io::{self, BufRead, IsTerminal, Write};

use roost_sync_session::{PlanDetails, PlanGate, SyncFailureKind};
use serde::Serialize;

use super::{exit::failure_of_kind, text::describe_gate};
use crate::{
    failure::CliFailure,
    terminal::{has_json_messages, plain_line},
};

/// A place where a person answers questions.
pub(super) trait Prompt {
    /// Returns the typed line, trimmed.
    fn ask(&mut self, question: &str) -> Result<String, CliFailure>;
}

pub(super) struct TerminalPrompt;

impl TerminalPrompt {
    /// Returns None for a script, and unless both standard input and standard error are terminals.
    pub(super) fn new() -> Option<Self> {
        (!has_json_messages() && io::stdin().is_terminal() && io::stderr().is_terminal()).then_some(Self)
    }
}

impl Prompt for TerminalPrompt {
    fn ask(&mut self, question: &str) -> Result<String, CliFailure> {
        let mut line = String::new();
        let result = write!(io::stderr(), "{question} ").and_then(|()| io::stdin().lock().read_line(&mut line));
        result.map_err(|why| failure_of_kind(SyncFailureKind::Gate, format!("no answer: {why}")))?;
        Ok(line.trim().to_owned())
    }
}

/// What a script must add before the plan is sent.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct MissingInput {
    /// The words, each with its effect.
    #[serde(rename = "type")]
    typed: Vec<WantedWord>,
    yes: bool,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct WantedWord {
    word: String,
    does: String,
}

pub(super) fn find_missing(plan: &PlanDetails, typed: &[String], yes: bool) -> MissingInput {
    let open = plan.gates.iter().filter(|gate| !typed.contains(&gate.wanted));
    let wanted = |gate: &PlanGate| WantedWord { word: gate.wanted.clone(), does: describe_gate(gate) };
    MissingInput { typed: open.map(wanted).collect(), yes: !yes }
}

impl MissingInput {
    fn failure_text(&self) -> String {
        let does: Vec<&str> = self.typed.iter().map(|one| one.does.as_str()).collect();
        let mut words: Vec<String> =
            self.typed.iter().map(|one| format!("--type '{}'", plain_line(&one.word, 100))).collect();
        words.dedup();
        words.extend(self.yes.then(|| "--yes".to_owned()));
        let words = words.join(" ");
        match does.as_slice() {
            [] => format!("Add {words} to send this. Nothing was sent."),
            does => format!("This would {}. If you want that, add {words}. Nothing was sent.", does.join(", ")),
        }
    }
}

/// Returns the words for the gates of a plan, from arguments or from the person. The final confirmation comes last.
pub(super) fn pass_gates(
    plan: &PlanDetails,
    mut typed: Vec<String>,
    yes: bool,
    prompt: Option<&mut dyn Prompt>,
) -> Result<Vec<String>, CliFailure> {
    let missing = find_missing(plan, &typed, yes);
    if missing.typed.is_empty() && yes {
        return Ok(typed);
    }
    let refuse = |line: String| failure_of_kind(SyncFailureKind::Gate, line);
    let Some(prompt) = prompt else { return Err(refuse(missing.failure_text())) };
    for one in missing.typed {
        if typed.contains(&one.word) {
            continue;
        }
        let wanted = plain_line(&one.word, 100);
        let answer = prompt.ask(&format!("This will {}. Type {wanted} to confirm:", one.does))?;
        if answer != one.word {
            return Err(refuse("That does not match. Nothing was sent.".to_owned()));
        }
        typed.push(answer);
    }
    if yes {
        return Ok(typed);
    }
    match prompt.ask("Send it? [y/N]")?.to_lowercase().as_str() {
        "y" | "yes" => Ok(typed),
        _ => Err(refuse("Nothing was sent.".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::{exit, text::tests::sample_plan};

    /// The answers to give in turn, and the questions received.
    struct TestPerson(Vec<&'static str>, Vec<String>);

    impl Prompt for TestPerson {
        fn ask(&mut self, question: &str) -> Result<String, CliFailure> {
            self.1.push(question.to_owned());
            Ok(self.0.remove(0).to_owned())
        }
    }

    fn pass_with_answers(
        answers: &[&'static str],
        typed: &[&str],
        yes: bool,
    ) -> (Result<Vec<String>, CliFailure>, Vec<String>) {
        let mut person = TestPerson(answers.to_vec(), Vec::new());
        let typed = typed.iter().map(|&word| word.to_owned()).collect();
        let passed = pass_gates(&sample_plan(), typed, yes, Some(&mut person));
        (passed, person.1)
    }

    #[test]
    fn a_script_types_every_word_and_says_yes() {
        let refused = pass_gates(&sample_plan(), Vec::new(), true, None).expect_err("nobody typed it");
        assert_eq!(refused.status(), exit::GATE);
        assert!(refused.line().contains("delete 40 contacts of VIP") && refused.line().contains("--type '40'"));
        let refused = pass_gates(&sample_plan(), Vec::new(), false, None).expect_err("no gate was confirmed");
        assert!(refused.line().contains("--type '40' --type 'Old list' --yes"), "all at once: {}", refused.line());
        let typed = || vec!["40".to_owned(), "Old list".to_owned()];
        assert!(pass_gates(&sample_plan(), typed(), false, None).expect_err("no yes").line().contains("--yes"));
        assert_eq!(pass_gates(&sample_plan(), typed(), true, None), Ok(typed()));
    }

    #[test]
    fn a_person_is_asked_for_what_was_not_typed_yet() {
        let (passed, questions) = pass_with_answers(&["Old list", "y"], &["40"], false);
        assert_eq!(passed, Ok(vec!["40".to_owned(), "Old list".to_owned()]));
        assert_eq!(questions.len(), 2);
        assert!(questions[0].contains("delete the list Old list with 3 contacts. Type Old list"), "{questions:?}");
        let (refused, questions) = pass_with_answers(&["41"], &[], true);
        assert_eq!((refused.expect_err("another number").status(), questions.len()), (exit::GATE, 1));
        let (refused, _) = pass_with_answers(&[""], &["40", "Old list"], false);
        assert_eq!(refused.expect_err("no is the usual answer").line(), "Nothing was sent.");
    }
}
