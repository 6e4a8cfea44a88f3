//! `roost optouts list`: lists opt-outs.

use std::{fmt::Write as _, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_model::page::{PageRequest, SortOrder};
use roost_ops::opt_out::{self, OptOutGridQuery, OptOutItem};

use super::super::{ChannelOption, read_all};
use crate::{
    failure::CliFailure,
    terminal::{plain_value, print_json, print_text},
};

#[derive(Args)]
pub(super) struct ListCommand {
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// Part of the number, in any spelling.
    #[arg(long, env = "ROOST_OPTOUTS_NUMBER", value_name = "NUMBER")]
    number: Option<String>,
    /// The channel. Default: both.
    #[arg(long, env = "ROOST_OPTOUTS_CHANNEL", value_enum)]
    channel: Option<ChannelOption>,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl ListCommand {
    pub(super) fn run(self) -> Result<(), CliFailure> {
        let query = |page: PageRequest| OptOutGridQuery {
            number: self.number.as_deref().and_then(opt_out::parse_number_part),
            kind: None,
            channel: self.channel.map(Into::into),
            scope: None,
            asset: None,
            inbound_number: None,
            from: None,
            to: None,
            order: SortOrder::Descending,
            page,
        };
        let found = read_all(&self.db, |core, page| opt_out::read_grid(core, &query(page)))?;
        if self.json {
            return print_json(&found);
        }
        let mut text = String::new();
        for OptOutItem { record, reason, .. } in &found {
            let scope =
                record.scope_number.as_deref().map_or("everything".to_owned(), |number| format!("from {number}"));
            let reason = reason.as_deref().map_or(String::new(), |reason| format!(": {}", plain_value(reason)));
            let (time, channel, kind) = (record.time.to_iso(), record.channel.as_str(), record.kind.as_str());
            let _ = writeln!(text, "{time}  {}  {channel}, {}, {kind}{reason}", record.number, plain_value(&scope));
        }
        let is_filtered = self.number.is_some() || self.channel.is_some();
        print_text(match (found.is_empty(), is_filtered) {
            (false, _) => &text,
            (true, true) => "No opt-out matches.\n",
            (true, false) => "The account has no opt-outs.\n",
        })
    }
}
