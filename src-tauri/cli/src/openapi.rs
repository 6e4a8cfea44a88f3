//! `roost openapi`: the description of the interface, generated from the types that implement it.

use clap::{Args, builder::BoolishValueParser};

use crate::{failure::CliFailure, terminal::print_raw};

#[derive(Args)]
pub(crate) struct OpenapiCommand {
    /// Print the admin interface instead.
    #[arg(long, env = "ROOST_OPENAPI_ADMIN", value_parser = BoolishValueParser::new())]
    admin: bool,
}

impl OpenapiCommand {
    pub(crate) fn run(self) -> Result<(), CliFailure> {
        let document = if self.admin { roost_emulator::admin_document() } else { roost_emulator::interface_document() };
        print_raw(&format!("{document:#}\n"))
    }
}
