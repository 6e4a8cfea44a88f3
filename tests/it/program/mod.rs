//! The program `roost`, in everything that other programs rely on.

mod account;
mod diagnostics;
mod exec;
pub(crate) mod export;
mod help;
pub(crate) mod import;
mod journal;
pub(crate) mod local_server;
pub(crate) mod seeds;
pub(crate) mod serve;
pub(crate) mod settings;
mod state;
mod sync;
mod wait;

use std::process::{Command, Output};

use roost_tests::spawned::command;

/// Runs a command that ends by itself.
fn run_program(args: &[&str]) -> Output {
    command_output(command(args))
}

fn command_output(mut command: Command) -> Output {
    command.output().expect("the binary can be started")
}

/// Returns the message of a refused command: status 2, no standard output, one line of standard error.
#[track_caller]
fn refusal_message(output: &Output) -> String {
    failure_message(output, 2)
}

/// Returns the message of a command that failed with this status, as [`refusal_message`] does.
#[track_caller]
fn failure_message(output: &Output, status: i32) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    let line: serde_json::Value = serde_json::from_str(&stderr).unwrap_or_default();
    line["error"]["message"].as_str().map_or(stderr, str::to_owned)
}
