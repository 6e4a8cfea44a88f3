//! `--profile` and `--allow-prefer`: the faults that every world begins with.

use clap::{
    Args,
    builder::{BoolishValueParser, PossibleValuesParser},
};
use roost_emulator::{EmulatorConfig, PROFILE_NAMES};

#[derive(Args)]
pub(super) struct Faults {
    /// The fault profile that every world begins with, and goes back to with a reset.
    #[arg(long, env = "ROOST_PROFILE", value_name = "NAME", value_parser = PossibleValuesParser::new(PROFILE_NAMES))]
    profile: Option<String>,
    /// Callers may ask for a fault of their own request with the header Prefer, for example Prefer: code=429, delay=800.
    #[arg(long, env = "ROOST_ALLOW_PREFER", value_parser = BoolishValueParser::new())]
    allow_prefer: bool,
}

impl Faults {
    pub(super) fn put_into(&self, config: &mut EmulatorConfig) {
        config.start.profile = PROFILE_NAMES.into_iter().find(|name| self.profile.as_deref() == Some(*name));
        config.start.allows_prefer = self.allow_prefer;
    }
}
