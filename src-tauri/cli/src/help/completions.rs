//! `roost completions`: prints the script with which a shell completes command lines.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::{Roost, failure::Failure, said::say_as_it_is};

#[derive(Args)]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub fn run(self) -> Result<u8, Failure> {
        let mut script = Vec::new();
        generate(self.shell, &mut Roost::command(), "roost", &mut script);
        say_as_it_is(&String::from_utf8_lossy(&script))?;
        Ok(0)
    }
}
