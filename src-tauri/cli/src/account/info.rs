//! `roost account info`: shows what an account holds.

use std::{fmt::Write as _, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_ops::{
    Core,
    account::backup::{self, KeyLocation},
};
use serde_json::json;

use super::{copy_time, counts_json, describe_bytes, describe_counts};
use crate::{
    failure::CliFailure,
    files::check_existing,
    terminal::{count_with_noun, plain_value, print_json, print_text},
};

#[derive(Args)]
pub(super) struct InfoCommand {
    /// The account file. It may be open in another program.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl InfoCommand {
    pub(super) fn run(self) -> Result<(), CliFailure> {
        check_existing(&self.db)?;
        let summary = backup::summarize_file(&self.db).map_err(CliFailure::new)?;
        let last = backup::list_copies(&self.db).into_iter().find(|copy| copy.is_sound);
        let (known, service) = (Core::schema_version(), summary.connection.as_ref());
        if self.json {
            return print_json(&json!({
                "file": self.db.to_string_lossy(),
                "name": summary.profile.name,
                "country": summary.country,
                "bytes": summary.bytes,
                "schema": summary.schema,
                "newest_schema": known,
                "counts": counts_json(&summary),
                "connection": service.map(|one| json!({
                    "name": one.name,
                    "url": one.base_url,
                    "key_at": one.key_at.map(key_word),
                    "read_only": one.read_only,
                })),
                "last_copy": last.map(|copy| json!({ "file": copy.path.to_string_lossy(), "at": copy_time(&copy.date) })),
            }));
        }
        let name = summary.profile.name.as_deref().map_or(String::new(), |name| format!("{}, ", plain_value(name)));
        let mut text =
            format!("{name}{}, {}\n", plain_value(&self.db.to_string_lossy()), describe_bytes(summary.bytes));
        let links = count_with_noun(summary.counts.short_links, "short link");
        let senders = count_with_noun(summary.counts.senders, "sender");
        let _ = writeln!(text, "{}, {links}, {senders}", describe_counts(&summary));
        let upgrade = if summary.schema < known {
            format!(". Roost copies it and upgrades it to {known} when it opens it")
        } else {
            String::new()
        };
        let _ = writeln!(text, "Schema {}{upgrade}", summary.schema);
        let _ = match service {
            None => writeln!(text, "Not connected to a service"),
            Some(one) => {
                let (name, url) = (plain_value(&one.name), plain_value(&one.base_url));
                writeln!(text, "Connected to {name}, {url}, {}", describe_key(one.key_at))
            }
        };
        let _ = match last {
            None => writeln!(text, "No sound copy is beside it. Make one with roost account backup."),
            Some(copy) => writeln!(text, "Last copied at {}", copy_time(&copy.date)),
        };
        print_text(&text)
    }
}

fn key_word(at: KeyLocation) -> &'static str {
    match at {
        KeyLocation::Keyring => "keyring",
        KeyLocation::Sealed => "sealed",
    }
}

fn describe_key(at: Option<KeyLocation>) -> &'static str {
    match at {
        None => "without a key",
        Some(KeyLocation::Keyring) => "with its key in the keyring",
        Some(KeyLocation::Sealed) => "with its key in a sealed file",
    }
}
