//! The binary `roost`: the REST interface on localhost without a window, and chores around it.

mod console_assets;
mod export;
mod failure;
mod file;
mod openapi;
mod ready;
mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

use crate::failure::Failure;

#[derive(Parser)]
#[command(name = "roost", version, about = "A messaging account's REST service on your own machine")]
struct Roost {
    #[command(subcommand)]
    act: Act,
}

#[derive(Subcommand)]
enum Act {
    /// Answer the REST interface on localhost.
    Serve(Box<serve::Serve>),
    /// Write a whole account as a seed file.
    Export(export::Export),
    /// Print the OpenAPI 3.1 document of the interface.
    Openapi(openapi::Openapi),
}

fn main() -> ExitCode {
    let act = match Roost::try_parse() {
        Ok(roost) => roost.act,
        Err(error) => return failure::of_arguments(&error),
    };
    let filter = EnvFilter::try_from_env("ROOST_LOG").unwrap_or_else(|_| EnvFilter::new("error"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).init();
    let done = match act {
        Act::Serve(serve) => serve.run(),
        Act::Export(export) => export.run(),
        Act::Openapi(openapi) => openapi.run(),
    };
    done.map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}
