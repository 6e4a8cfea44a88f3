//! The port that the doctor looks at. On the command line it takes precedence over a server that only a variable names.

use clap::{ArgMatches, Args, Command, FromArgMatches, parser::ValueSource};

/// The arguments that name a server in another way.
const PLACE_ARGUMENTS: [&str; 2] = ["url", "ready_file"];

#[derive(Args)]
struct PortOption {
    /// The port to look at on this machine. It takes precedence over ROOST_ADMIN_URL and ROOST_READY_FILE, but not over
    /// --url and --ready-file.
    #[arg(long, env = "ROOST_PORT", default_value_t = 4010)]
    port: u16,
}

pub(super) struct ExaminedPort {
    pub port: u16,
    /// Whether the port is meant even if an address or a ready file is known.
    pub takes_precedence: bool,
}

impl FromArgMatches for ExaminedPort {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let PortOption { port } = PortOption::from_arg_matches(matches)?;
        let is_on_the_line = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
        let takes_precedence = is_on_the_line("port") && !PLACE_ARGUMENTS.into_iter().any(is_on_the_line);
        Ok(Self { port, takes_precedence })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ExaminedPort {
    fn augment_args(command: Command) -> Command {
        PortOption::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        PortOption::augment_args_for_update(command)
    }
}
