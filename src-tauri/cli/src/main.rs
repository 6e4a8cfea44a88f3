//! The program `roost`: the REST interface on localhost without a window, and further commands.

mod account;
mod console_assets;
mod emulator;
mod failure;
mod fidelity;
mod files;
mod help;
mod memory;
mod openapi;
mod outputs;
mod records;
mod sync;
mod terminal;

use std::{env, process::ExitCode};

use clap::{
    Arg, Command, CommandFactory, FromArgMatches, Parser, Subcommand,
    builder::{BoolishValueParser, ValueParser},
};
use roost_app::{
    diagnostics::{
        crash,
        log::{self, LogFormat},
    },
    find_data_folder,
};

use crate::failure::CliFailure;

#[derive(Parser)]
#[command(
    name = "roost",
    version,
    about = "Keeps a messaging account on your machine, syncs it with its service, and emulates the service",
    after_long_help = sync::STATUSES
)]
struct RoostCli {
    #[command(subcommand)]
    act: CliCommand,
}

#[derive(Subcommand)]
enum CliCommand {
    /// Emulate the service's REST interface on localhost.
    Serve(Box<emulator::ServeCommand>),
    /// Run a command with a server of its own.
    Exec(Box<emulator::ExecCommand>),
    /// Wait until a server is ready.
    Wait(emulator::WaitCommand),
    /// Replace what a running server holds with a seed. Like a reset, this removes fault rules and clears the journal.
    Seed(emulator::SeedCommand),
    /// Reset a running server to its seed, without fault rules, policies, receivers and journal.
    Reset(emulator::ResetCommand),
    /// Take a snapshot of a running server, or list its snapshots.
    Snapshot(emulator::SnapshotCommand),
    /// Restore a snapshot of a running server, with its fault rules and policies. The journal is cleared.
    Restore(emulator::RestoreCommand),
    /// Compare two snapshots, or a snapshot with the current state.
    Diff(emulator::DiffCommand),
    /// Print the requests of a running server as they arrive.
    Tail(emulator::TailCommand),
    /// Print the callbacks that arrive at a receiver of a running server, and forward them.
    Listen(emulator::ListenCommand),
    /// Check that the expected requests arrived.
    Verify(emulator::VerifyCommand),
    /// Generate test data.
    Fixtures(emulator::FixturesCommand),
    /// Send recorded requests again and report differing responses.
    Replay(emulator::ReplayCommand),
    /// Find out how the real service behaves where its documentation is silent.
    Fidelity(fidelity::FidelityCommand),
    /// Show what uses the port, whether a server answers there, and with which settings. With --db, examine an account.
    Doctor(emulator::DoctorCommand),
    /// Export an account or lists to a file: seed, csv, xlsx, vCards, JSON lines. Or export a running server.
    Export(Box<files::ExportCommand>),
    /// Import files of contacts into a list, or a seed into a running server.
    Import(Box<files::ImportCommand>),
    /// Create, list, check, back up and restore accounts.
    Account(Box<account::AccountCommand>),
    /// Show or set the country of an account. Numbers without a country code are read as numbers of it.
    Country(files::CountryCommand),
    /// Count the contacts of a list that can be messaged on each channel, and why the others cannot.
    Readiness(files::ReadinessCommand),
    /// Look numbers up: may they be messaged, on each channel?
    Lookup(records::LookupCommand),
    /// List, add, import and export opt-outs.
    Optouts(Box<records::OptoutsCommand>),
    /// List the lists of an account.
    Lists(records::ListsCommand),
    /// List the short links of an account.
    Links(records::LinksCommand),
    /// Rename a damaged account file, so that a copy can take its place.
    SetAside(files::SetAsideCommand),
    /// Print the OpenAPI 3.1 document of the interface.
    Openapi(openapi::OpenapiCommand),
    /// Connect an account to its service and store the key.
    Connect(Box<sync::ConnectCommand>),
    /// Read the service's records into the account.
    Pull(Box<sync::PullCommand>),
    /// List the conflicts: records changed both here and at the service.
    Conflicts(Box<sync::ConflictsCommand>),
    /// Answer a conflict.
    Answer(Box<sync::AnswerCommand>),
    /// Show what a push would send, and what it costs.
    Plan(Box<sync::PlanCommand>),
    /// Send your changes to the service and see them arrive.
    Push(Box<sync::PushCommand>),
    /// Show how an account compares with its service.
    Status(Box<sync::StatusCommand>),
    /// List the runs so far.
    Runs(Box<sync::RunsCommand>),
    /// Write a report of one run, for others to read.
    Report(Box<sync::ReportCommand>),
    /// Print the completions for a shell.
    Completions(help::CompletionsCommand),
    /// Print the manual, or write all its pages into a folder.
    Man(help::ManCommand),
}

/// Makes an empty variable of a flag count as not set. Some systems set every variable that they know.
fn ignore_empty_variables(command: Command) -> Command {
    let flag = ValueParser::from(BoolishValueParser::new()).type_id();
    let is_empty = |argument: &Arg| {
        let value = argument.get_env().and_then(env::var_os);
        value.is_some_and(|value| value.is_empty()) && argument.get_value_parser().type_id() == flag
    };
    command
        .mut_args(|argument| if is_empty(&argument) { argument.env(None::<&str>) } else { argument })
        .mut_subcommands(ignore_empty_variables)
}

fn main() -> ExitCode {
    crash::report_crashes(crash::COMMAND_LINE, find_data_folder());
    let words: Vec<_> = env::args_os().collect();
    let is_for_script = terminal::wants_json(&words);
    if is_for_script {
        terminal::use_json_messages();
    }
    let parsed = ignore_empty_variables(RoostCli::command())
        .try_get_matches_from(&words)
        .and_then(|matches| RoostCli::from_arg_matches(&matches).map(|roost| (matches, roost.act)));
    let (matches, act) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return failure::report_argument_error(&error, &RoostCli::command(), &words),
    };
    if let Err(refused) = outputs::check_output_paths(&matches) {
        return refused.report();
    }
    log::start_log("error", if is_for_script { LogFormat::Json } else { LogFormat::Text }, None);
    let done = match act {
        CliCommand::Serve(serve) => serve.run(),
        CliCommand::Exec(exec) => exec.run(),
        CliCommand::Wait(wait) => wait.run(),
        CliCommand::Seed(seed) => seed.run(),
        CliCommand::Reset(reset) => reset.run(),
        CliCommand::Snapshot(snapshot) => snapshot.run(),
        CliCommand::Restore(restore) => restore.run(),
        CliCommand::Diff(diff) => diff.run(),
        CliCommand::Tail(tail) => tail.run(),
        CliCommand::Listen(listen) => listen.run(),
        CliCommand::Verify(verify) => verify.run(),
        CliCommand::Fixtures(fixtures) => fixtures.run(),
        CliCommand::Replay(replay) => replay.run(),
        CliCommand::Fidelity(fidelity) => fidelity.run(),
        CliCommand::Doctor(doctor) => doctor.run(),
        CliCommand::Export(export) => export.run().map(|()| 0),
        CliCommand::Import(import) => import.run(),
        CliCommand::Account(account) => account.run(),
        CliCommand::Country(country) => country.run().map(|()| 0),
        CliCommand::Readiness(readiness) => readiness.run().map(|()| 0),
        CliCommand::Lookup(lookup) => lookup.run(),
        CliCommand::Optouts(optouts) => optouts.run(),
        CliCommand::Lists(lists) => lists.run().map(|()| 0),
        CliCommand::Links(links) => links.run().map(|()| 0),
        CliCommand::SetAside(set_aside) => set_aside.run().map(|()| 0),
        CliCommand::Openapi(openapi) => openapi.run().map(|()| 0),
        CliCommand::Connect(connect) => connect.run(),
        CliCommand::Pull(pull) => pull.run(),
        CliCommand::Conflicts(conflicts) => conflicts.run(),
        CliCommand::Answer(answer) => answer.run(),
        CliCommand::Plan(plan) => plan.run(),
        CliCommand::Push(push) => push.run(),
        CliCommand::Status(status) => status.run(),
        CliCommand::Runs(runs) => runs.run(),
        CliCommand::Report(report) => report.run(),
        CliCommand::Completions(completions) => completions.run(),
        CliCommand::Man(man) => man.run(),
    };
    done.map_or_else(CliFailure::report, ExitCode::from)
}
