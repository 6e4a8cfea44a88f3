//! `roost optouts`: lists, adds, imports and exports opt-outs.

mod add;
mod export;
mod import;
mod list;

use clap::{Args, Subcommand};

use crate::failure::CliFailure;

#[derive(Args)]
pub(crate) struct OptoutsCommand {
    #[command(subcommand)]
    act: OptoutsAction,
}

#[derive(Subcommand)]
enum OptoutsAction {
    /// List opt-outs, the newest first.
    List(list::ListCommand),
    /// Opt numbers out, with a reason.
    Add(add::AddCommand),
    /// Add the opt-outs of a file. Never removes or weakens one.
    Import(import::ImportCommand),
    /// Write all opt-outs as CSV, which roost optouts import reads.
    Export(export::ExportCommand),
}

impl OptoutsCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        match self.act {
            OptoutsAction::List(list) => list.run().map(|()| 0),
            OptoutsAction::Add(add) => add.run().map(|()| 0),
            OptoutsAction::Import(import) => import.run(),
            OptoutsAction::Export(export) => export.run().map(|()| 0),
        }
    }
}
