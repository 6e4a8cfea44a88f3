//! Reports failures: an exit status, and one line that says what to do.

use std::{any::Any, ffi::OsString, fmt::Display, io, path::Path, process::ExitCode};

use clap::{
    Command,
    error::{ContextKind, ContextValue, ErrorKind},
};
use roost_app::file::OutputRefusal;
use roost_emulator::client::ClientError;
use roost_model::error::ErrorCode;
use roost_ops::StoreError;
use roost_sync_session::SyncFailureKind;
use serde::Serialize;

use crate::terminal::{StderrMessage, print_text};

/// The exit status of a command line that was not understood, and of failures without a status of their own.
pub(crate) const USAGE_ERROR: u8 = 2;
/// The exit status if a confirmation is missing or wrong.
pub(crate) const UNCONFIRMED: u8 = 4;
/// The exit status if another window or program uses the account.
pub(crate) const IN_USE: u8 = 9;
/// The code with which a server asks for the number of opt-outs that it would remove.
const SERVER_UNCONFIRMED: &str = "unconfirmed";

/// Removes the numbers that the system adds to its errors, such as ` (os error 2)`.
fn without_error_numbers(line: &str) -> String {
    let mut parts = line.split(" (os error ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => out.push_str(rest),
            _ => out = format!("{out} (os error {part}"),
        }
    }
    out
}

/// Says why a file could not be written, and what to do.
pub(crate) fn write_failure(path: &Path, why: &io::Error) -> CliFailure {
    let file = path.display();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let failure = CliFailure::new(match (why.kind(), folder) {
        (io::ErrorKind::NotFound, Some(folder)) => {
            format!(
                "{file} cannot be written: the folder {} does not exist. Create it, or choose another file.",
                folder.display()
            )
        }
        (io::ErrorKind::StorageFull, _) => format!(
            "The disk is full, so {file} was not written. Free some space and \
         retry."
        ),
        _ => format!("{file} cannot be written: {why}. Choose another file."),
    });
    failure.with_io_code(why)
}

/// Says why a file could not be read.
pub(crate) fn read_failure(path: &Path, why: &io::Error) -> CliFailure {
    let file = path.display();
    let failure = CliFailure::new(match why.kind() {
        io::ErrorKind::NotFound => format!("There is no file {file}."),
        io::ErrorKind::IsADirectory => format!("{file} is a folder, not a file."),
        _ => format!("{file} cannot be read: {why}."),
    });
    failure.with_io_code(why)
}

/// The word by which a script recognises a failure.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum FailureCode {
    Account(ErrorCode),
    Sync(SyncFailureKind),
    /// The code of a server's response.
    Server(String),
}

impl From<ErrorCode> for FailureCode {
    fn from(code: ErrorCode) -> Self {
        Self::Account(code)
    }
}

impl From<SyncFailureKind> for FailureCode {
    fn from(kind: SyncFailureKind) -> Self {
        Self::Sync(kind)
    }
}

/// Returns the code of an error that has one. Errors of every type pass through here, so that no caller can drop a code.
fn find_code(error: &dyn Any) -> Option<FailureCode> {
    if let Some(error) = error.downcast_ref::<roost_ops::Error>() {
        return Some(error.code().into());
    }
    if let Some(refusal) = error.downcast_ref::<OutputRefusal>() {
        let is_taken = matches!(refusal, OutputRefusal::Exists { .. });
        return Some(if is_taken { ErrorCode::Conflict } else { ErrorCode::Invalid }.into());
    }
    match error.downcast_ref::<ClientError>()? {
        ClientError::Refused { code, .. } => Some(FailureCode::Server(code.clone())),
        ClientError::Unreachable { .. } => Some(SyncFailureKind::Unreachable.into()),
        _ => None,
    }
}

/// Returns the exit status of an error. Errors of every type pass through here, so that a condition has the same status
/// in every command.
fn find_status(error: &dyn Any) -> u8 {
    match (error.downcast_ref::<roost_ops::Error>(), error.downcast_ref::<ClientError>()) {
        (Some(error), _) if error.code() == ErrorCode::Locked => IN_USE,
        (Some(roost_ops::Error::Store(StoreError::Unconfirmed { .. })), _) => UNCONFIRMED,
        (_, Some(ClientError::Refused { code, .. })) if code == SERVER_UNCONFIRMED => UNCONFIRMED,
        _ => USAGE_ERROR,
    }
}

/// A failed command: one line for the person, an exit status and perhaps a code for the script.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CliFailure {
    status: u8,
    code: Option<FailureCode>,
    line: String,
}

impl CliFailure {
    pub(crate) fn new(error: impl Display + 'static) -> Self {
        Self::with_status(find_status(&error), error)
    }

    /// The failure of a command that changed nothing because a confirmation is missing or wrong.
    pub(crate) fn unconfirmed(error: impl Display + 'static) -> Self {
        Self::with_status(UNCONFIRMED, error).with_code(SyncFailureKind::Gate)
    }

    pub(crate) fn with_status(status: u8, error: impl Display + 'static) -> Self {
        Self { status, code: find_code(&error), line: without_error_numbers(&error.to_string()) }
    }

    pub(crate) fn with_code(self, code: impl Into<FailureCode>) -> Self {
        Self { code: Some(code.into()), ..self }
    }

    pub(crate) fn with_io_code(self, why: &io::Error) -> Self {
        match why.kind() {
            io::ErrorKind::NotFound => self.with_code(ErrorCode::NotFound),
            io::ErrorKind::StorageFull => self.with_code(ErrorCode::DiskFull),
            _ => self,
        }
    }

    /// Appends `more` to the line.
    pub(crate) fn append(self, more: &str) -> Self {
        Self { line: self.line + more, ..self }
    }

    pub(crate) fn line(&self) -> &str {
        &self.line
    }

    pub(crate) fn report(self) -> ExitCode {
        let Self { status, code, line } = self;
        StderrMessage::Error { code: code.as_ref(), message: &line, exit_status: status }.print();
        ExitCode::from(status)
    }
}

#[cfg(test)]
impl CliFailure {
    pub(crate) fn status(&self) -> u8 {
        self.status
    }
}

/// Prints help or version if the arguments ask for it; turns every other error into one line. `words` are those of the command line.
pub(crate) fn report_argument_error(error: &clap::Error, roost: &Command, words: &[OsString]) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // The rendered help may contain values of variables, so it is printed as foreign text.
            let _ = print_text(&error.render().to_string());
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            report_invalid("expected a command, such as serve, import, pull or push (see roost --help)".to_owned())
        }
        _ => report_invalid(summarize_clap_error(error, roost, words)),
    }
}

fn report_invalid(line: String) -> ExitCode {
    CliFailure::new(line).with_code(ErrorCode::Invalid).report()
}

/// What the parser says, and how this program says it.
const WORDS: [(&str, &str); 9] = [
    ("unrecognized subcommand ", "unknown command "),
    ("unexpected argument ", "unknown argument "),
    (" found;", ";"),
    ("; a similar argument exists: ", ". Did you mean "),
    ("; a similar subcommand exists: ", ". Did you mean "),
    ("; a similar value exists: ", ". Did you mean "),
    ("the following required arguments were not provided: ", "missing argument: "),
    ("invalid digit found in string", "expected a number"),
    ("cannot parse integer from empty string", "expected a number"),
];

/// Returns the cause and the tips of a message that goes on with usage and hints, and names the help that explains it.
fn summarize_clap_error(error: &clap::Error, roost: &Command, words: &[OsString]) -> String {
    let rendered = error.render().to_string();
    let cause = rendered.split("\n\nUsage:").next().unwrap_or_default();
    let cause = cause.split("\nFor more information").next().unwrap_or_default();
    let cause = to_one_line(cause.trim_start_matches("error: ")).replace(" tip: ", "; ");
    let cause = cause.split("; to pass '").next().unwrap_or_default();
    let cause = cause.trim_end_matches('.').trim_end_matches(" found");
    let mut cause = WORDS.iter().fold(cause.to_owned(), |cause, (theirs, ours)| cause.replace(theirs, ours));
    let suggestion = cause.split_once(". Did you mean ");
    match suggestion.map(|(refused, near)| (refused.len(), first_letter(refused) == first_letter(near))) {
        Some((_, true)) => cause.push('?'),
        // The parser also suggests words that nobody misspells like this.
        Some((length, false)) => cause.truncate(length),
        None => {}
    }
    let command = command_of(roost, words);
    if let Some(line) = without_hyphens(error, &command, words) {
        cause.push_str(&format!(". Put -- before the command: {line}"));
    }
    format!("{cause} (see {command} --help)")
}

/// Returns the first letter of the first quoted word, without the hyphens of a flag.
fn first_letter(text: &str) -> Option<char> {
    text.split('\'').nth(1)?.trim_start_matches('-').chars().next()
}

/// The command that a line is for, as it is written: `roost fidelity check`.
fn command_of(roost: &Command, words: &[OsString]) -> String {
    let (mut command, mut line) = (roost, roost.get_name().to_owned());
    for word in words.iter().skip(1) {
        let Some(below) = word.to_str().and_then(|word| command.find_subcommand(word)) else { break };
        line = format!("{line} {}", below.get_name());
        command = below;
    }
    line
}

/// The line of `roost exec` with the two hyphens that it lacks.
fn without_hyphens(error: &clap::Error, command: &str, words: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(unexpected)) = error.get(ContextKind::InvalidArg) else { return None };
    if command != "roost exec" || error.kind() != ErrorKind::UnknownArgument || unexpected.starts_with('-') {
        return None;
    }
    let at = words.iter().position(|word| word == unexpected.as_str())?;
    let text = |words: &[OsString]| words.iter().map(|word| word.display().to_string()).collect::<Vec<_>>().join(" ");
    Some(["roost", &text(&words[1..at]), "--", &text(&words[at..])].join(" "))
}

fn to_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::RoostCli;

    fn summary_of(words: &[&str]) -> String {
        let error = RoostCli::try_parse_from(words).err().expect("refused");
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        summarize_clap_error(&error, &RoostCli::command(), &words)
    }

    #[test]
    fn every_fault_of_the_arguments_is_one_line_and_names_its_help() {
        for (arguments, want) in [
            (
                ["roost", "serve", "--prot", "1"].as_slice(),
                "unknown argument '--prot'. Did you mean '--port'? (see roost serve --help)",
            ),
            (
                &["roost", "serve", "--port", "x"],
                "invalid value 'x' for '--port <PORT>': expected a number (see roost serve --help)",
            ),
            (&["roost", "nope"], "unknown command 'nope' (see roost --help)"),
            (&["roost", "serv"], "unknown command 'serv'. Did you mean 'serve'? (see roost --help)"),
            (
                &["roost", "serve", "--auth", "x"],
                "invalid value 'x' for '--auth <AUTH>' [possible values: any, off, keys] (see roost serve --help)",
            ),
            (
                &["roost", "fixtures", "gen", "--contacts", "x"],
                "invalid value 'x' for '--contacts <COUNT>': expected a number (see roost fixtures gen --help)",
            ),
            (
                &["roost", "exec", "ls"],
                "unknown argument 'ls'. Put -- before the command: roost exec -- ls (see roost exec --help)",
            ),
        ] {
            assert_eq!(summary_of(arguments), want);
        }
        let shell = summary_of(&["roost", "completions", "tcsh"]);
        assert!(shell.contains("'tcsh'") && !shell.contains("Did you mean") && !shell.contains("similar"), "{shell}");
    }

    #[test]
    fn a_command_of_exec_without_hyphens_gets_a_hint_where_they_belong() {
        for (arguments, want) in [
            (["roost", "exec", "ls"].as_slice(), "roost exec -- ls"),
            (&["roost", "exec", "--limits", "off", "pytest", "-q"], "roost exec --limits off -- pytest -q"),
        ] {
            let message = summary_of(arguments);
            assert!(
                message.ends_with(&format!(". Put -- before the command: {want} (see roost exec --help)")),
                "{message}"
            );
        }
        let flag = summary_of(&["roost", "exec", "--limit", "off", "--", "ls"]);
        assert!(flag.starts_with("unknown argument '--limit'"), "{flag}");
    }
}
