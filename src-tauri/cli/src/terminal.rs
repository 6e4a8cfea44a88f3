//! Prints the program's output for people and programs. Names of files, values of records and responses of servers
//! come from outside, so nothing in them may control a terminal or reorder its text.

use std::{
    env,
    ffi::OsString,
    io::{self, Write},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use clap::{
    Command,
    builder::{BoolishValueParser, TypedValueParser as _},
};
use roost_model::error::shell::quote_path;
use serde::Serialize;

use crate::failure::{CliFailure, FailureCode};

/// The variable of `--json`.
const JSON_VARIABLE: &str = "ROOST_JSON";
/// Whether messages on standard error are JSON.
static HAS_JSON_MESSAGES: AtomicBool = AtomicBool::new(false);

/// A message on standard error, as a script reads it.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StderrMessage<'a> {
    Error { code: Option<&'a FailureCode>, message: &'a str, exit_status: u8 },
    Warning { message: &'a str },
}

/// Whether a command line asks for JSON. It need not be a valid one, because its error is for the script as well.
pub(crate) fn wants_json(words: &[OsString]) -> bool {
    let by_flag = words.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    let is_true = |value: OsString| BoolishValueParser::new().parse_ref(&Command::new("roost"), None, &value);
    by_flag || env::var_os(JSON_VARIABLE).is_some_and(|value| is_true(value).unwrap_or(false))
}

/// Makes each message on standard error a line of JSON.
pub(crate) fn use_json_messages() {
    HAS_JSON_MESSAGES.store(true, Ordering::Relaxed);
}

/// Whether a script reads standard error, so that it gets no questions, and no progress.
pub(crate) fn has_json_messages() -> bool {
    HAS_JSON_MESSAGES.load(Ordering::Relaxed)
}

/// Whether a terminal treats the character as a command, or reorders the text around it.
fn is_terminal_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Returns the noun for a count, such as `row` for 1 and `rows` for 2.
pub(crate) fn plural_noun(count: u64, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// Writes a count with its noun, such as `1 call` or `2 calls`.
pub(crate) fn count_with_noun(count: u64, noun: &str) -> String {
    format!("{count} {}", plural_noun(count, noun))
}

/// Replaces each character that could control a terminal with a visible mark.
pub(crate) fn plain_text(text: &str) -> String {
    text.chars().map(|c| if is_terminal_control(c) { '\u{fffd}' } else { c }).collect()
}

/// Does the same for a value that must stay in its line.
pub(crate) fn plain_value(text: &str) -> String {
    plain_text(text).replace(char::is_control, "\u{fffd}")
}

/// Returns a path as an argument of a command that is shown.
pub(crate) fn path_argument(path: &Path) -> String {
    plain_value(&quote_path(path))
}

/// Does the same, and shortens the text to `most` characters.
pub(crate) fn plain_line(text: &str, most: usize) -> String {
    let mut shortened: String = plain_value(text).chars().take(most).collect();
    if text.chars().nth(most).is_some() {
        shortened.pop();
        shortened.push('…');
    }
    shortened
}

/// Prints text for people on standard output.
pub(crate) fn print_text(text: &str) -> Result<(), CliFailure> {
    print_raw(&plain_text(text))
}

/// Prints text that contains nothing from outside: a manual, or a script for a shell.
pub(crate) fn print_raw(text: &str) -> Result<(), CliFailure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        // The reader closed the pipe because it needs no more.
        Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|why| CliFailure::new(format!("standard output cannot be written: {why}"))),
    }
}

pub(crate) fn print_json(answer: &impl Serialize) -> Result<(), CliFailure> {
    let text = serde_json::to_string_pretty(answer).map_err(CliFailure::new)?;
    print_raw(&format!("{}\n", plain_json(&text)))
}

/// Escapes such characters in JSON. They occur only in strings, where JSON has an escape for each.
pub(crate) fn plain_json(text: &str) -> String {
    let escape = |c: char| if is_terminal_control(c) { format!("\\u{:04x}", c as u32) } else { c.to_string() };
    text.chars().map(escape).collect()
}

/// Prints a line on standard error about something that is not a failure.
pub(crate) fn print_warning(text: &str) {
    StderrMessage::Warning { message: text }.print();
}

impl StderrMessage<'_> {
    /// Prints one line on standard error. Ignores errors, because there is no other place to report them.
    pub(crate) fn print(&self) {
        let (Self::Error { message, .. } | Self::Warning { message }) = self;
        let line = match serde_json::to_string(self) {
            Ok(document) if has_json_messages() => plain_json(&document),
            _ => format!("roost: {}", plain_text(&message.split_whitespace().collect::<Vec<_>>().join(" "))),
        };
        let _ = writeln!(io::stderr(), "{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_steers_a_terminal() {
        let hostile = "a\u{1b}[31m\r\u{7}\u{9b}2J\u{202e}b\u{2066}c\u{200f}\u{2028}d\te\n";
        assert_eq!(
            plain_text(hostile),
            "a\u{fffd}[31m\u{fffd}\u{fffd}\u{fffd}2J\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}d\te\n"
        );
        assert!(plain_line(hostile, 99).chars().all(|c| !c.is_control()));
        assert_eq!(plain_line("abcdef", 4), "abc…");
    }
}
