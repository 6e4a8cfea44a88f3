//! `roost fixtures gen`: writes a seed file with any number of contacts.

use std::io::{self, BufWriter, Write};

use clap::{Args, Subcommand, builder::BoolishValueParser};
use roost_samples::{CrowdOptions, write_crowd};
use serde::Serialize;

use crate::{
    failure::CliFailure,
    outputs::{OutputPath, print_written_file, write_file_or_stdout},
};

#[derive(Args)]
#[command(disable_help_subcommand = true)]
pub(crate) struct FixturesCommand {
    #[command(subcommand)]
    act: FixturesAction,
}

#[derive(Subcommand)]
enum FixturesAction {
    /// Generate a seed file of invented people. The same numbers give the same file.
    Gen(GenerateFixtures),
}

#[derive(Args)]
#[command(after_help = "Every phone number is from a range that a regulator reserves for fiction. There are about \
 150,000 of them, so larger files contain duplicate numbers.")]
struct GenerateFixtures {
    /// The number of contacts.
    #[arg(long, env = "ROOST_FIXTURES_CONTACTS", value_name = "COUNT", default_value_t = 1_000,
        value_parser = clap::value_parser!(u64).range(0..=10_000_000))]
    contacts: u64,
    /// The number of lists to spread them over.
    #[arg(long, env = "ROOST_FIXTURES_LISTS", value_name = "COUNT", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    lists: u32,
    /// A different seed gives different people.
    #[arg(long, env = "ROOST_FIXTURES_SEED", value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// The file to write. Default: standard output.
    #[arg(long, short, env = "ROOST_FIXTURES_OUT", value_name = "FILE")]
    out: Option<OutputPath>,
    /// Overwrite an existing file.
    #[arg(long, env = "ROOST_FIXTURES_FORCE", value_parser = BoolishValueParser::new())]
    force: bool,
    /// Print JSON about the file. Without --out, the seed is printed, which is JSON as well.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// What is in the file.
#[derive(Serialize)]
struct GeneratedContacts {
    contacts: u64,
    lists: u32,
}

impl FixturesCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let FixturesAction::Gen(options) = self.act;
        options.run()
    }
}

impl GenerateFixtures {
    fn run(self) -> Result<u8, CliFailure> {
        let crowd = CrowdOptions { contacts: self.contacts, lists: self.lists, seed: self.seed };
        write_file_or_stdout(self.out.as_ref(), self.force, |out| {
            let mut out = BufWriter::new(out);
            write_crowd(crowd, &mut out).map_err(io::Error::other)?;
            out.flush()
        })?;
        if self.json {
            let generated = GeneratedContacts { contacts: self.contacts, lists: self.lists };
            print_written_file(self.out.as_ref(), generated)?;
        }
        Ok(0)
    }
}
