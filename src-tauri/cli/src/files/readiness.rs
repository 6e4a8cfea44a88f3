//! `roost readiness`: counts how many contacts of a list can be messaged on each channel, and why the others cannot.

use std::{fmt::Write as _, path::PathBuf, sync::Arc};

use clap::{Args, builder::BoolishValueParser};
use roost_model::{channel::Channel, readiness::Readiness as Status};
use roost_ops::{
    Core, Ctx, Watch, files,
    list::{self, AssetReadiness, ChannelReadiness, ListReadiness},
};

use super::import_report::counted;
use crate::{
    failure::Failure,
    said::{plain_value, say, say_json},
};

#[derive(Args)]
pub struct Readiness {
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

impl Readiness {
    pub fn run(self) -> Result<(), Failure> {
        super::check_existing(&self.db)?;
        let core = Core::open(&self.db, Ctx::system()).map_err(Failure::new)?;
        let list = files::find_list(&core, &self.list).map_err(Failure::new)?;
        let watch = Arc::new(Watch::default());
        let counted = list::count_readiness(&core, &list.uid, &watch).map_err(Failure::new)?;
        if self.json { say_json(&counted) } else { say(&told(&list.name, &counted)) }
    }
}

fn told(list: &str, ListReadiness { contacts, channels, .. }: &ListReadiness) -> String {
    let mut text = format!("{}: {}\n", plain_value(list), counted(*contacts, "contact"));
    for ChannelReadiness { channel, counts, assets } in channels {
        let name = match channel {
            Channel::Sms => "SMS",
            Channel::WhatsApp => "WhatsApp",
        };
        let _ = writeln!(text, "\n{name}");
        for status in [Status::Ready].into_iter().chain(Status::ALL.into_iter().filter(|of| *of != Status::Ready)) {
            let _ = writeln!(text, "{:>10}  {}", counts.count_of(status), words(status));
        }
        for AssetReadiness { number, counts, .. } in assets {
            let _ = writeln!(text, "From {number}: {} ready, {} opted out", counts.ready, counts.opted_out);
        }
    }
    text
}

fn words(status: Status) -> &'static str {
    match status {
        Status::OptedOut => "opted out",
        Status::NoNumber => "no number",
        Status::Invalid => "invalid number",
        Status::Landline => "landline",
        Status::Duplicate => "duplicate",
        Status::Ready => "ready",
    }
}
