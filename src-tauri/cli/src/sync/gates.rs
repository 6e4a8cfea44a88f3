//! The texts that must be typed before anything is sent: a person types them at a terminal, and a script gives them as
//! arguments.

use std::io::{self, BufRead, IsTerminal, Write};

use roost_sync::session::{PlanDetails, PlanGate};
use serde::Serialize;

use super::{exit, text::gate_text};
use crate::{failure::Failure, said::plain_line};

/// A place where a person answers questions.
pub trait Asked {
    /// Returns the typed line, trimmed.
    fn ask(&mut self, question: &str) -> Result<String, Failure>;
}

pub struct Terminal;

impl Terminal {
    /// Returns None unless both standard input and standard error are terminals.
    pub fn new() -> Option<Self> {
        (io::stdin().is_terminal() && io::stderr().is_terminal()).then_some(Self)
    }
}

impl Asked for Terminal {
    fn ask(&mut self, question: &str) -> Result<String, Failure> {
        let mut line = String::new();
        let asked = write!(io::stderr(), "{question} ").and_then(|()| io::stdin().lock().read_line(&mut line));
        asked.map_err(|why| Failure::with(exit::GATE, format!("nobody answered: {why}")))?;
        Ok(line.trim().to_owned())
    }
}

/// What a script must add before the plan is sent.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// The words, each with its effect.
    #[serde(rename = "type")]
    typed: Vec<Wanted>,
    yes: bool,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Wanted {
    word: String,
    does: String,
}

pub fn missing(plan: &PlanDetails, typed: &[String], yes: bool) -> Missing {
    let open = plan.gates.iter().filter(|gate| !typed.contains(&gate.wanted));
    let wanted = |gate: &PlanGate| Wanted { word: gate.wanted.clone(), does: gate_text(gate) };
    Missing { typed: open.map(wanted).collect(), yes: !yes }
}

impl Missing {
    fn line(&self) -> String {
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
pub fn pass(
    plan: &PlanDetails,
    mut typed: Vec<String>,
    yes: bool,
    asked: Option<&mut dyn Asked>,
) -> Result<Vec<String>, Failure> {
    let missing = missing(plan, &typed, yes);
    if missing.typed.is_empty() && yes {
        return Ok(typed);
    }
    let Some(asked) = asked else { return Err(Failure::with(exit::GATE, missing.line())) };
    for one in missing.typed {
        if typed.contains(&one.word) {
            continue;
        }
        let wanted = plain_line(&one.word, 100);
        let answer = asked.ask(&format!("This will {}. Type {wanted} to confirm:", one.does))?;
        if answer != one.word {
            return Err(Failure::with(exit::GATE, "That does not match. Nothing was sent."));
        }
        typed.push(answer);
    }
    if yes {
        return Ok(typed);
    }
    match asked.ask("Send it? [y/N]")?.to_lowercase().as_str() {
        "y" | "yes" => Ok(typed),
        _ => Err(Failure::with(exit::GATE, "Nothing was sent.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::text::tests::shown;

    /// The answers to give in turn, and the questions received.
    struct Person(Vec<&'static str>, Vec<String>);

    impl Asked for Person {
        fn ask(&mut self, question: &str) -> Result<String, Failure> {
            self.1.push(question.to_owned());
            Ok(self.0.remove(0).to_owned())
        }
    }

    fn asked(answers: &[&'static str], typed: &[&str], yes: bool) -> (Result<Vec<String>, Failure>, Vec<String>) {
        let mut person = Person(answers.to_vec(), Vec::new());
        let typed = typed.iter().map(|&word| word.to_owned()).collect();
        let passed = pass(&shown(), typed, yes, Some(&mut person));
        (passed, person.1)
    }

    #[test]
    fn a_script_types_every_word_and_says_yes() {
        let refused = pass(&shown(), Vec::new(), true, None).expect_err("nobody typed it");
        assert_eq!(refused.status(), exit::GATE);
        assert!(refused.line().contains("delete 40 contacts of VIP") && refused.line().contains("--type '40'"));
        let refused = pass(&shown(), Vec::new(), false, None).expect_err("nothing was said");
        assert!(refused.line().contains("--type '40' --type 'Old list' --yes"), "all at once: {}", refused.line());
        let typed = || vec!["40".to_owned(), "Old list".to_owned()];
        assert!(pass(&shown(), typed(), false, None).expect_err("no yes").line().contains("--yes"));
        assert_eq!(pass(&shown(), typed(), true, None), Ok(typed()));
    }

    #[test]
    fn a_person_is_asked_for_what_was_not_typed_yet() {
        let (passed, questions) = asked(&["Old list", "y"], &["40"], false);
        assert_eq!(passed, Ok(vec!["40".to_owned(), "Old list".to_owned()]));
        assert_eq!(questions.len(), 2);
        assert!(questions[0].contains("delete the list Old list with 3 contacts. Type Old list"), "{questions:?}");
        let (refused, questions) = asked(&["41"], &[], true);
        assert_eq!((refused.expect_err("another number").status(), questions.len()), (exit::GATE, 1));
        let (refused, _) = asked(&[""], &["40", "Old list"], false);
        assert_eq!(refused.expect_err("no is the usual answer").line(), "Nothing was sent.");
    }
}
