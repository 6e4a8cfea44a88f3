//! `roost account new`: creates an account file.

use clap::{Args, builder::BoolishValueParser};
use roost_model::error::{ErrorCode, size_message};
use roost_ops::{
    Core, Ctx,
    account::{self, AccountColour, backup},
    custom_field,
};
use serde_json::json;

use crate::{
    failure::CliFailure,
    files::parse_country,
    outputs::OwnPath,
    terminal::{path_argument, plain_value, print_json, print_text, print_warning},
};

#[derive(Args)]
pub(super) struct NewCommand {
    /// The account file to create. It must not exist yet, or be empty.
    #[arg(value_name = "FILE")]
    file: OwnPath,
    /// The name of the account. Default: the name of its file.
    #[arg(long, env = "ROOST_ACCOUNT_NAME")]
    name: Option<String>,
    /// The country of numbers without a country code, for example GB.
    #[arg(long, env = "ROOST_ACCOUNT_COUNTRY", value_name = "CODE")]
    country: Option<String>,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl NewCommand {
    pub(super) fn run(self) -> Result<(), CliFailure> {
        let path = self.file.as_ref();
        let file = path.display();
        if path.metadata().is_ok_and(|about| !about.is_file() || about.len() > 0) {
            let line = format!("{file} already exists. Choose another name for the new account.");
            return Err(CliFailure::new(line).with_code(ErrorCode::Conflict));
        }
        let name = self.name.as_deref().map(account::check_name).transpose();
        let to_failure = |line| CliFailure::new(line).with_code(ErrorCode::Invalid);
        let name = name.map_err(|fault| {
            to_failure(if fault.message == size_message(1, account::NAME_MAX) {
                format!("--name: a name has 1 to {} characters.", account::NAME_MAX)
            } else {
                format!("--name: a name {}.", fault.message)
            })
        })?;
        let country = self.country.as_deref().map(parse_country).transpose()?;
        let core = Core::open(path, Ctx::system()).map_err(CliFailure::new)?;
        let filled = custom_field::remove_initial(&core)
            .and_then(|()| {
                name.iter().try_for_each(|name| account::set_initial_profile(&core, name, AccountColour::default()))
            })
            .and_then(|()| country.map_or(Ok(()), |country| account::set_initial_country(&core, country)));
        if filled.is_err() {
            core.discard_made();
        }
        core.end_background_work();
        filled.map_err(CliFailure::new)?;
        let earlier = backup::list_set_aside(path).into_iter().next().or_else(|| backup::find_sound_copy(path));
        if let Some(earlier) = earlier {
            print_warning(&format!(
                "{} has people and opt-outs of an earlier account, which the new one lacks. To go back to it: roost account \
                 restore --db {} {}",
                earlier.display(),
                path_argument(path),
                path_argument(&earlier)
            ));
        }
        if self.json {
            return print_json(
                &json!({ "file": path.to_string_lossy(), "name": name, "country": country.map(|one| one.code()) }),
            );
        }
        print_text(&format!("The account {} was created.\n", plain_value(&path.to_string_lossy())))
    }
}
