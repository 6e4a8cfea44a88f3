//! `roost readiness`: counts how many contacts of a list can be messaged on each channel, and why the others cannot.

use std::{fmt::Write as _, path::PathBuf, sync::Arc};

use clap::{Args, builder::BoolishValueParser};
use roost_model::{channel::Channel, readiness::Readiness};
use roost_ops::{
    Core, Ctx, Watch,
    list::{self, AssetReadiness, ChannelReadiness, ListReadiness},
};

use crate::{
    failure::CliFailure,
    terminal::{count_with_noun, plain_value, print_json, print_text},
};

#[derive(Args)]
pub(crate) struct ReadinessCommand {
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// The list, by its name or uid.
    #[arg(long, env = "ROOST_READINESS_LIST", value_name = "NAME")]
    list: String,
    /// Print the counts as JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl ReadinessCommand {
    pub(crate) fn run(self) -> Result<(), CliFailure> {
        super::check_existing(&self.db)?;
        let core = Core::open(&self.db, Ctx::system()).map_err(CliFailure::new)?;
        let list = list::find_list(&core, &self.list).map_err(CliFailure::new)?;
        let watch = Arc::new(Watch::default());
        let counted = list::count_readiness(&core, &list.uid, &watch).map_err(CliFailure::new)?;
        if self.json { print_json(&counted) } else { print_text(&describe_readiness(&list.name, &counted)) }
    }
}

fn describe_readiness(list: &str, ListReadiness { contacts, channels, .. }: &ListReadiness) -> String {
    let mut text = format!("{}: {}\n", plain_value(list), count_with_noun(*contacts, "contact"));
    for ChannelReadiness { channel, counts, assets } in channels {
        let name = match channel {
            Channel::Sms => "SMS",
            Channel::WhatsApp => "WhatsApp",
        };
        let _ = writeln!(text, "\n{name}");
        for status in
            [Readiness::Ready].into_iter().chain(Readiness::ALL.into_iter().filter(|other| *other != Readiness::Ready))
        {
            let _ = writeln!(text, "{:>10}  {}", counts.count_of(status), status_words(status));
        }
        for AssetReadiness { number, counts, .. } in assets {
            let _ = writeln!(text, "From {number}: {} ready, {} opted out", counts.ready, counts.opted_out);
        }
    }
    text
}

fn status_words(status: Readiness) -> &'static str {
    match status {
        Readiness::OptedOut => "opted out",
        Readiness::NoNumber => "no number",
        Readiness::Invalid => "invalid number",
        Readiness::Landline => "landline",
        Readiness::Duplicate => "duplicate",
        Readiness::Ready => "ready",
    }
}
