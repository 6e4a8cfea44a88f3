//! The binary `roost`: the REST interface on localhost without a window, and chores around it.

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
    about = "A messaging account on your own machine: kept, exchanged with its service, served",
    after_long_help = sync::STATUSES
)]
struct Roost {
    #[command(subcommand)]
    act: Act,
}

#[derive(Subcommand)]
enum Act {
    /// Answer the REST interface on localhost.
    Serve(Box<emulator::Serve>),
    /// Run a command with a server of its own, which ends with it.
    Exec(Box<emulator::Exec>),
    /// Wait until a server answers.
    Wait(emulator::Wait),
    /// Fill a running server anew from a seed.
    Seed(emulator::Seed),
    /// Put a running server back to its seed.
    Reset(emulator::Reset),
    /// Keep what a running server holds under a name, or list what was kept.
    Snapshot(emulator::Snapshot),
    /// Put a running server back to a snapshot.
    Restore(emulator::Restore),
    /// Tell what differs between two snapshots, or between one and what a running server holds now.
    Diff(emulator::Diff),
    /// Print the requests of a running server as they come.
    Tail(emulator::Tail),
    /// Print the callbacks that come to a receiver of a running server, and pass them on.
    Listen(emulator::Listen),
    /// Check whether the requests came that were to come.
    Verify(emulator::Verify),
    /// Make data to test with.
    Fixtures(emulator::Fixtures),
    /// Send recorded requests again, and tell where the answers differ.
    Replay(emulator::Replay),
    /// Learn from a service what its documents leave open.
    Fidelity(fidelity::Fidelity),
    /// Tell who holds the port, whether a server answers there, and by which rules.
    Doctor(emulator::Doctor),
    /// Write an account, or some of its lists, as a file: seed, csv, xlsx, vCards, JSON lines. Or what a server holds.
    Export(Box<files::Export>),
    /// Put files of contacts into a list; or a seed into a running server.
    Import(Box<files::Import>),
    /// Show or choose the country of an account: numbers without a country code are read as numbers of it.
    Country(files::Country),
    /// Count how many contacts of a list can be messaged on each channel, and why the others cannot.
    Readiness(files::Readiness),
    /// Give a damaged account file another name, so that a copy of it can take its place.
    SetAside(files::SetAside),
    /// Print the OpenAPI 3.1 document of the interface.
    Openapi(openapi::Openapi),
    /// Say where the service of an account is, and keep its key.
    Connect(Box<sync::Connect>),
    /// Bring here what the service has.
    Pull(Box<sync::Pull>),
    /// List the questions that a pull left: records that both sides changed.
    Conflicts(Box<sync::Conflicts>),
    /// Answer one of these questions.
    Answer(Box<sync::Answer>),
    /// Show what would be sent to the service, and what it costs.
    Plan(Box<sync::Plan>),
    /// Send what was changed here, and see it arrive.
    Push(Box<sync::Push>),
    /// Tell how an account and its service stand to each other.
    Status(Box<sync::Status>),
    /// List what was sent so far.
    Runs(Box<sync::Runs>),
    /// Write what became of one push, for somebody else to read.
    Report(Box<sync::Report>),
    /// Print what a shell needs to complete a command line of roost.
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
