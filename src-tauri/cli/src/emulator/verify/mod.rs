//! `roost verify`: verifies by a file of checks that the expected requests were received.

mod check_file;

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use clap::{Args, builder::BoolishValueParser};
use roost_emulator::client::ClientError;
use serde_json::{Value, json};

use self::check_file::CheckFile;
use super::{
    exec::{AnnotationForm, annotations, junit, junit::JunitCase},
    target::{ServerTarget, run_async},
};
use crate::{
    failure::CliFailure,
    outputs::OutputPath,
    terminal::{count_with_noun, print_json, print_text},
};

/// The exit status if a check does not hold.
const NOT_VERIFIED: u8 = 1;

#[derive(Args)]
#[command(
    after_help = "A check in YAML:\n\n  match: {operation: lists.create}\n  times: {exactly: 1}\n  message: The list \
     is created once\n\nQuote phone numbers in YAML, or they are read as numbers. Exit status: 0: all checks \
     passed, 1: a check failed, 2: an error, not every check was made."
)]
pub(crate) struct VerifyCommand {
    /// A check or a list of checks, in YAML or JSON, as for POST /__admin/journal/verify. Use - for standard input.
    file: PathBuf,
    #[command(flatten)]
    target: ServerTarget,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
    /// Also write the results to a JUnit file, one case per check.
    #[arg(long, env = "ROOST_VERIFY_JUNIT", value_name = "FILE")]
    junit: Option<OutputPath>,
    /// Overwrite an existing JUnit file.
    #[arg(long, env = "ROOST_VERIFY_FORCE", value_parser = BoolishValueParser::new(), requires = "junit")]
    force: bool,
    /// Also print failures as annotations for a build server.
    #[arg(long, env = "ROOST_VERIFY_ANNOTATIONS", value_name = "FORM", value_enum, conflicts_with = "json")]
    annotations: Option<AnnotationForm>,
}

impl VerifyCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let file = CheckFile::read(&self.file)?;
        let (form, checks) = (file.form, &file.checks);
        let results: Vec<(Value, Duration)> = run_async(async {
            let admin = self.target.admin_client()?;
            let mut results = Vec::new();
            for (at, check) in checks.iter().enumerate() {
                let place = |why| refused_check(&file, &self.file, at, why);
                let begun = Instant::now();
                let (status, answer) =
                    admin.call_with_status("POST", "/journal/verify", Some(check)).await.map_err(place)?;
                if !answer["verified"].is_boolean() {
                    return Err(CliFailure::new(format!("the server answered {status} without a result")));
                }
                results.push((answer, begun.elapsed()));
            }
            Ok(results)
        })?;
        let failed = results.iter().filter(|(answer, _)| answer["verified"] != true).count();
        if self.json {
            let answers: Vec<_> = results.iter().map(|(answer, _)| answer).collect();
            print_json(&json!({ "verified": failed == 0, "checks": answers }))?;
        } else {
            let count = count_with_noun(checks.len() as u64, "check");
            let mut out = format!("{count} of {}, read as {form}\n", self.file.display());
            for (at, (check, (answer, _))) in checks.iter().zip(&results).enumerate() {
                out += &describe_check(at, check, answer);
            }
            print_text(&out)?;
        }
        let cases: Vec<JunitCase> =
            checks.iter().zip(&results).enumerate().map(|(at, result)| to_case(at, result)).collect();
        if let Some(AnnotationForm::Github) = self.annotations {
            print_text(&annotations::github_annotations(&cases))?;
        }
        if let Some(path) = &self.junit {
            junit::write_report(path, self.force, "verify", &cases)?;
        }
        Ok(if failed == 0 { 0 } else { NOT_VERIFIED })
    }
}

/// Builds the JUnit case of a check. Its name is the check's message, or else its matcher.
fn to_case(at: usize, (check, (answer, took)): (&Value, &(Value, Duration))) -> JunitCase {
    let is_verified = answer["verified"] == true;
    let name = check["message"].as_str().map_or_else(|| check["match"].to_string(), str::to_owned);
    let name = format!("{}: {name}", at + 1);
    JunitCase {
        name,
        failure: (!is_verified).then(|| describe_check(at, check, answer).trim_end().to_owned()),
        took: *took,
    }
}

/// Says where in the file a check is that the server refused, and why.
fn refused_check(file: &CheckFile, path: &Path, at: usize, why: ClientError) -> CliFailure {
    let (place, explanation) = match &why {
        ClientError::Refused { message, hint, pointer, .. } => {
            let pointer = pointer.as_deref().unwrap_or_default();
            let line = file.line_of(at, pointer).map(|line| format!(":{line}")).unwrap_or_default();
            let field = pointer.trim_start_matches('/').replace('/', ".");
            let field =
                if field.is_empty() || message.starts_with(&field) { String::new() } else { format!("{field}: ") };
            (line, format!("{field}{message} {hint}"))
        }
        _ => (String::new(), why.to_string()),
    };
    CliFailure::new(format!("{}{place}, check {}: {explanation}", path.display(), at + 1))
}

fn describe_check(at: usize, check: &Value, answer: &Value) -> String {
    let mut out = String::new();
    let (is_verified, matched) = (answer["verified"] == true, &answer["matched"]);
    let (word, wanted) = (if is_verified { "ok  " } else { "FAIL" }, answer["wanted"].as_str().unwrap_or_default());
    let _ = writeln!(out, "{word} {}: {}: expected {wanted}, found {matched}", at + 1, check["match"]);
    if let Some(message) = check["message"].as_str().filter(|_| !is_verified) {
        let _ = writeln!(out, "     {}", message.replace(char::is_control, "\u{fffd}"));
    }
    if let Some(note) = answer["note"].as_str() {
        let _ = writeln!(out, "     {note}");
    }
    let fits: Vec<String> = answer["lines"].as_array().into_iter().flatten().map(Value::to_string).collect();
    if !is_verified && !fits.is_empty() {
        let _ = writeln!(out, "     matches: line {}", fits.join(", "));
    }
    for near in answer["nearest"].as_array().into_iter().flatten() {
        let text = |name: &str| near[name].as_str().unwrap_or_default().replace(char::is_control, "\u{fffd}");
        let _ =
            writeln!(out, "     near: line {}, {} {}, {}", near["seq"], text("method"), text("url"), near["status"]);
        for miss in near["misses"].as_array().into_iter().flatten() {
            let text = |name: &str| miss[name].as_str().unwrap_or_default().replace(char::is_control, "\u{fffd}");
            let _ = writeln!(out, "       {}: expected {}, found {}", text("field"), text("wanted"), text("found"));
        }
    }
    out
}
