//! The program `roost`: the REST interface on localhost without a window, and further commands.

mod console_assets;
mod emulator;
mod failure;
mod fidelity;
mod files;
mod help;
mod memory;
mod openapi;
mod outputs;
mod said;
mod sync;

use std::{env, process::ExitCode};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use tracing_subscriber::EnvFilter;

use crate::failure::Failure;

#[derive(Parser)]
#[command(
    name = "roost",
    version,
    about = "Keeps a messaging account on your machine, syncs it with its service, and emulates the service",
    after_long_help = sync::STATUSES
)]
struct Roost {
    #[command(subcommand)]
    act: Act,
}

#[derive(Subcommand)]
enum Act {
    /// Emulate the service's REST interface on localhost.
    Serve(Box<emulator::Serve>),
    /// Run a command with a server of its own.
    Exec(Box<emulator::Exec>),
    /// Wait until a server is ready.
    Wait(emulator::Wait),
    /// Replace what a running server holds with a seed.
    Seed(emulator::Seed),
    /// Reset a running server to its seed.
    Reset(emulator::Reset),
    /// Take a snapshot of a running server, or list its snapshots.
    Snapshot(emulator::Snapshot),
    /// Restore a snapshot of a running server.
    Restore(emulator::Restore),
    /// Compare two snapshots, or a snapshot with the current state.
    Diff(emulator::Diff),
    /// Print the requests of a running server as they arrive.
    Tail(emulator::Tail),
    /// Print the callbacks that arrive at a receiver of a running server, and forward them.
    Listen(emulator::Listen),
    /// Check that the expected requests arrived.
    Verify(emulator::Verify),
    /// Generate test data.
    Fixtures(emulator::Fixtures),
    /// Send recorded requests again and report differing responses.
    Replay(emulator::Replay),
    /// Find out how the real service behaves where its documentation is silent.
    Fidelity(fidelity::Fidelity),
    /// Show what uses the port, whether a server answers there, and with which settings.
    Doctor(emulator::Doctor),
    /// Export an account or lists to a file: seed, csv, xlsx, vCards, JSON lines. Or export a running server.
    Export(Box<files::Export>),
    /// Import files of contacts into a list, or a seed into a running server.
    Import(Box<files::Import>),
    /// Show or set the country of an account. Numbers without a country code are read as numbers of it.
    Country(files::Country),
    /// Count the contacts of a list that can be messaged on each channel, and why the others cannot.
    Readiness(files::Readiness),
    /// Rename a damaged account file, so that a copy can take its place.
    SetAside(files::SetAside),
    /// Print the OpenAPI 3.1 document of the interface.
    Openapi(openapi::Openapi),
    /// Connect an account to its service and store the key.
    Connect(Box<sync::Connect>),
    /// Read the service's records into the account.
    Pull(Box<sync::Pull>),
    /// List the conflicts: records changed both here and at the service.
    Conflicts(Box<sync::Conflicts>),
    /// Answer a conflict.
    Answer(Box<sync::Answer>),
    /// Show what a push would send, and what it costs.
    Plan(Box<sync::Plan>),
    /// Send your changes to the service and see them arrive.
    Push(Box<sync::Push>),
    /// Show how an account compares with its service.
    Status(Box<sync::Status>),
    /// List the runs so far.
    Runs(Box<sync::Runs>),
    /// Write a report of one run, for others to read.
    Report(Box<sync::Report>),
    /// Print the completions for a shell.
    Completions(help::Completions),
    /// Print the manual, or write all its pages into a folder.
    Man(help::Man),
}

fn main() -> ExitCode {
    let words: Vec<_> = env::args_os().collect();
    let parsed = Roost::command()
        .try_get_matches_from(&words)
        .and_then(|matches| Roost::from_arg_matches(&matches).map(|roost| (matches, roost.act)));
    let (matches, act) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return failure::of_arguments(&error, &Roost::command(), &words),
    };
    if let Err(refused) = outputs::check(&matches) {
        return refused.report();
    }
    let filter = EnvFilter::try_from_env("ROOST_LOG").unwrap_or_else(|_| EnvFilter::new("error"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).init();
    let done = match act {
        Act::Serve(serve) => serve.run(),
        Act::Exec(exec) => exec.run(),
        Act::Wait(wait) => wait.run(),
        Act::Seed(seed) => seed.run(),
        Act::Reset(reset) => reset.run(),
        Act::Snapshot(snapshot) => snapshot.run(),
        Act::Restore(restore) => restore.run(),
        Act::Diff(diff) => diff.run(),
        Act::Tail(tail) => tail.run(),
        Act::Listen(listen) => listen.run(),
        Act::Verify(verify) => verify.run(),
        Act::Fixtures(fixtures) => fixtures.run(),
        Act::Replay(replay) => replay.run(),
        Act::Fidelity(fidelity) => fidelity.run(),
        Act::Doctor(doctor) => doctor.run(),
        Act::Export(export) => export.run().map(|()| 0),
        Act::Import(import) => import.run(),
        Act::Country(country) => country.run().map(|()| 0),
        Act::Readiness(readiness) => readiness.run().map(|()| 0),
        Act::SetAside(set_aside) => set_aside.run().map(|()| 0),
        Act::Openapi(openapi) => openapi.run().map(|()| 0),
        Act::Connect(connect) => connect.run(),
        Act::Pull(pull) => pull.run(),
        Act::Conflicts(conflicts) => conflicts.run(),
        Act::Answer(answer) => answer.run(),
        Act::Plan(plan) => plan.run(),
        Act::Push(push) => push.run(),
        Act::Status(status) => status.run(),
        Act::Runs(runs) => runs.run(),
        Act::Report(report) => report.run(),
        Act::Completions(completions) => completions.run(),
        Act::Man(man) => man.run(),
    };
    done.map_or_else(Failure::report, ExitCode::from)
}
