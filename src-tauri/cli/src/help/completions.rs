//! `roost completions`: prints the script with which a shell completes command lines.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::{RoostCli, failure::CliFailure, terminal::print_raw};

#[derive(Args)]
pub(crate) struct CompletionsCommand {
    /// The shell.
    shell: Shell,
}

impl CompletionsCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let mut script = Vec::new();
        generate(self.shell, &mut RoostCli::command(), "roost", &mut script);
        print_raw(&String::from_utf8_lossy(&script))?;
        Ok(0)
    }
}
