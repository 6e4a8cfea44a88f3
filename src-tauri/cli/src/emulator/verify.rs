//! `roost verify`: whether the requests came that were to come, from a file of checks.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use clap::{Args, builder::BoolishValueParser};
use serde_json::{Value, json};

use super::target::{self, Target, ask};
use crate::{
    failure::Failure,
    said::{say, say_json},
};

/// Some check does not hold.
const NOT_VERIFIED: u8 = 1;

#[derive(Args)]
#[command(after_help = "Exit status: 0 when every check holds, 1 when one does not, 2 when it cannot be said.")]
pub struct Verify {
    /// The checks as JSON, one or a list of them, as POST /__admin/journal/verify takes them; - is standard input.
    file: PathBuf,
    #[command(flatten)]
    target: Target,
    /// Say it as JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl Verify {
    pub fn run(self) -> Result<u8, Failure> {
        let checks = read(&self.file)?;
        let told: Vec<Value> = ask(async {
            let admin = self.target.admin()?;
            let mut told = Vec::new();
            for (at, check) in checks.iter().enumerate() {
                let place = |why| Failure::new(format!("{}, check {}: {why}", self.file.display(), at + 1));
                let (status, answer) = admin.answer("POST", "/journal/verify", Some(check)).await.map_err(place)?;
                if !answer["verified"].is_boolean() {
                    return Err(Failure::new(format!("the server answered {status}, and not whether it holds")));
                }
                told.push(answer);
            }
            Ok(told)
        })?;
        let failed = told.iter().filter(|answer| answer["verified"] != true).count();
        if self.json {
            say_json(&json!({ "verified": failed == 0, "checks": told }))?;
        } else {
            say(&shown(&checks, &told))?;
        }
        Ok(if failed == 0 { 0 } else { NOT_VERIFIED })
    }
}

fn read(path: &Path) -> Result<Vec<Value>, Failure> {
    let told = |why: &dyn std::fmt::Display| Failure::new(format!("the checks {}: {why}", path.display()));
    let text = target::read(path).map_err(|why| told(&why))?;
    match serde_json::from_slice(&text).map_err(|why| told(&why))? {
        Value::Array(checks) if checks.is_empty() => Err(told(&"the list is empty, so nothing would be checked")),
        Value::Array(checks) => Ok(checks),
        check => Ok(vec![check]),
    }
}

fn shown(checks: &[Value], told: &[Value]) -> String {
    let mut out = String::new();
    for (at, (check, answer)) in checks.iter().zip(told).enumerate() {
        let (held, matched) = (answer["verified"] == true, &answer["matched"]);
        let (word, wanted) = (if held { "ok  " } else { "FAIL" }, answer["wanted"].as_str().unwrap_or_default());
        let _ = writeln!(out, "{word} {}: {}: wanted {wanted}, found {matched}", at + 1, check["match"]);
        let fits: Vec<String> = answer["lines"].as_array().into_iter().flatten().map(Value::to_string).collect();
        if !held && !fits.is_empty() {
            let _ = writeln!(out, "     fits: line {}", fits.join(", "));
        }
        for near in answer["nearest"].as_array().into_iter().flatten() {
            let text = |name: &str| near[name].as_str().unwrap_or_default().replace(char::is_control, "\u{fffd}");
            let _ = writeln!(
                out,
                "     near: line {}, {} {}, {}",
                near["seq"],
                text("method"),
                text("url"),
                near["status"]
            );
            for miss in near["misses"].as_array().into_iter().flatten() {
                let text = |name: &str| miss[name].as_str().unwrap_or_default().replace(char::is_control, "\u{fffd}");
                let _ = writeln!(out, "       {}: wanted {}, found {}", text("field"), text("wanted"), text("found"));
            }
        }
    }
    out
}
