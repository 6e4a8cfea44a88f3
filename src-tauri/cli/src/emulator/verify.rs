//! `roost verify`: verifies by a file of checks that the expected requests were received.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use clap::{Args, builder::BoolishValueParser};
use serde_json::{Value, json};

use super::{
    exec::{AnnotationForm, annotations, junit, junit::JunitCase},
    target::{self, ServerTarget, run_async},
};
use crate::{
    failure::{CliFailure, read_failure},
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
pub struct VerifyCommand {
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
    pub fn run(self) -> Result<u8, CliFailure> {
        let (form, checks) = read_checks(&self.file)?;
        let told: Vec<(Value, Duration)> = run_async(async {
            let admin = self.target.admin_client()?;
            let mut told = Vec::new();
            for (at, check) in checks.iter().enumerate() {
                let place = |why| CliFailure::new(format!("{}, check {}: {why}", self.file.display(), at + 1));
                let begun = Instant::now();
                let (status, answer) =
                    admin.call_with_status("POST", "/journal/verify", Some(check)).await.map_err(place)?;
                if !answer["verified"].is_boolean() {
                    return Err(CliFailure::new(format!("the server answered {status} without a result")));
                }
                told.push((answer, begun.elapsed()));
            }
            Ok(told)
        })?;
        let failed = told.iter().filter(|(answer, _)| answer["verified"] != true).count();
        if self.json {
            let answers: Vec<_> = told.iter().map(|(answer, _)| answer).collect();
            print_json(&json!({ "verified": failed == 0, "checks": answers }))?;
        } else {
            let count = count_with_noun(checks.len() as u64, "check");
            let mut out = format!("{count} of {}, read as {form}\n", self.file.display());
            for (at, (check, (answer, _))) in checks.iter().zip(&told).enumerate() {
                out += &describe_check(at, check, answer);
            }
            print_text(&out)?;
        }
        let cases: Vec<JunitCase> = checks.iter().zip(&told).enumerate().map(|(at, told)| to_case(at, told)).collect();
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
    let held = answer["verified"] == true;
    let name = check["message"].as_str().map_or_else(|| check["match"].to_string(), str::to_owned);
    let name = format!("{}: {name}", at + 1);
    JunitCase { name, failure: (!held).then(|| describe_check(at, check, answer).trim_end().to_owned()), took: *took }
}

/// Returns the format of the file and its checks.
fn read_checks(path: &Path) -> Result<(&'static str, Vec<Value>), CliFailure> {
    let told = |why: &dyn std::fmt::Display| CliFailure::new(format!("the checks {}: {why}", path.display()));
    let text = target::read_input(path).map_err(|why| read_failure(path, &why))?;
    let (form, read) = match text.trim_ascii_start().first() {
        None => return Err(told(&"the file is empty, so nothing was checked")),
        Some(b'{' | b'[') => (
            "JSON",
            serde_json::from_slice(&text)
                .map_err(|why| told(&format!("not valid JSON (line {}, column {})", why.line(), why.column())))?,
        ),
        Some(_) => ("YAML", serde_saphyr::from_slice(&text).map_err(|why| told(&format!("not valid YAML: {why}")))?),
    };
    match read {
        Value::Array(checks) if checks.is_empty() => Err(told(&"the list is empty, so nothing was checked")),
        Value::Array(checks) => Ok((form, checks)),
        check @ Value::Object(_) => Ok((form, vec![check])),
        _ => Err(told(&format!("read as {form}, it is neither a check nor a list of checks"))),
    }
}

fn describe_check(at: usize, check: &Value, answer: &Value) -> String {
    let mut out = String::new();
    let (held, matched) = (answer["verified"] == true, &answer["matched"]);
    let (word, wanted) = (if held { "ok  " } else { "FAIL" }, answer["wanted"].as_str().unwrap_or_default());
    let _ = writeln!(out, "{word} {}: {}: expected {wanted}, found {matched}", at + 1, check["match"]);
    if let Some(message) = check["message"].as_str().filter(|_| !held) {
        let _ = writeln!(out, "     {}", message.replace(char::is_control, "\u{fffd}"));
    }
    let fits: Vec<String> = answer["lines"].as_array().into_iter().flatten().map(Value::to_string).collect();
    if !held && !fits.is_empty() {
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
