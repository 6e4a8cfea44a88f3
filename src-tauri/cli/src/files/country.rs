//! `roost country`: shows or sets the country of an account.

use std::path::PathBuf;

use clap::{Args, builder::BoolishValueParser};
use roost_ops::{Actor, Core, Ctx, account};
use serde_json::json;

use crate::{
    failure::CliFailure,
    terminal::{plain_json, print_raw, print_text},
};

#[derive(Args)]
pub(crate) struct CountryCommand {
    /// The country to set, for example GB. Without it, the current one is shown.
    #[arg(value_name = "CODE")]
    code: Option<String>,
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl CountryCommand {
    pub(crate) fn run(self) -> Result<(), CliFailure> {
        super::check_existing(&self.db)?;
        let chosen = self.code.as_deref().map(super::parse_country).transpose()?;
        let core = Core::open(&self.db, Ctx::system()).map_err(CliFailure::new)?;
        let done = chosen.map_or(Ok(()), |country| account::set_country(&core, &Actor::user(None), country));
        let country = done.and_then(|()| account::read_country(&core));
        core.end_background_work();
        let account::Country { region, by } = country.map_err(CliFailure::new)?;
        if self.json {
            let country_json = json!({ "country": region.code(), "by": by });
            return print_raw(&format!("{}\n", plain_json(&country_json.to_string())));
        }
        print_text(&format!(
            "Numbers without a country code are read as numbers of {}, {}.\n",
            region.code(),
            by.describe()
        ))
    }
}
