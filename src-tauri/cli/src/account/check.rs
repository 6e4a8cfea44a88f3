//! `roost account check`: looks for damage and says what to do.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use clap::{Args, builder::BoolishValueParser};
use roost_ops::account::backup::{self, FaultArea, FileCheck};
use serde_json::json;

use crate::{
    failure::CliFailure,
    files::check_existing,
    terminal::{count_with_noun, path_argument, plain_value, print_json, print_text},
};

/// The exit status if there are faults.
const FAULTY: u8 = 1;

#[derive(Args)]
#[command(
    after_help = "Checks every page and index, every reference between records, the schema, and what Roost knows about \
     its records: counts, custom fields, used codes of links, and that no opt-out left without a removal. Exit status: \
     0: sound. 1: damaged. 2: it could not be checked."
)]
pub(super) struct CheckCommand {
    /// The account file. It may be open in another program.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl CheckCommand {
    pub(super) fn run(self) -> Result<u8, CliFailure> {
        check_existing(&self.db)?;
        let found = backup::check_file(&self.db).map_err(CliFailure::new)?;
        let is_sound = found.faults.is_empty();
        if self.json {
            let faults = found.faults.iter();
            let faults: Vec<_> =
                faults.map(|fault| json!({ "area": area_word(fault.area), "detail": fault.detail })).collect();
            print_json(&json!({
                "file": self.db.to_string_lossy(),
                "sound": is_sound,
                "schema": found.schema,
                "faults": faults,
                "sound_copy": found.sound_copy.as_ref().map(|copy| copy.to_string_lossy()),
            }))?;
        } else {
            print_text(&self.describe(&found))?;
        }
        Ok(if is_sound { 0 } else { FAULTY })
    }

    fn describe(&self, found: &FileCheck) -> String {
        let db = plain_value(&self.db.to_string_lossy());
        if found.faults.is_empty() {
            return format!("{db} is sound (schema {}).\n", found.schema);
        }
        let mut text = format!("{db} has {}:\n", count_with_noun(found.faults.len() as u64, "fault"));
        for fault in &found.faults {
            let _ = writeln!(text, "  {}: {}", area_word(fault.area), plain_value(&fault.detail));
        }
        text += "Nothing was changed. Close Roost and keep a copy of the file.\n";
        if found.faults.iter().all(|fault| fault.area == FaultArea::Log) {
            let _ = writeln!(text, "{}", describe_log_way(&self.db));
        }
        let db = path_argument(&self.db);
        let _ = match &found.sound_copy {
            Some(copy) => {
                let shown = plain_value(&copy.to_string_lossy());
                let copy = path_argument(copy);
                writeln!(
                    text,
                    "The newest sound copy is {shown}. To go back to it:\n  roost set-aside --db {db}\n  roost account \
                     restore --db {db} {copy}"
                )
            }
            None => writeln!(
                text,
                "No sound copy is beside it. If you have a backup elsewhere:\n  roost set-aside --db {db}\n  roost \
                 account restore --db {db} BACKUP"
            ),
        };
        text
    }
}

/// Says what happens to a damaged log.
pub(super) fn describe_log_way(db: &Path) -> String {
    format!(
        "Whatever opens the account next keeps all changes up to the damage, and first copies the account and its log to \
         {}.damaged-log-DATE.",
        plain_value(&db.to_string_lossy())
    )
}

pub(super) fn area_word(area: FaultArea) -> &'static str {
    match area {
        FaultArea::Pages => "pages",
        FaultArea::Log => "log",
        FaultArea::References => "references",
        FaultArea::Schema => "schema",
        FaultArea::ContactCounts => "contact_counts",
        FaultArea::CustomFields => "custom_fields",
        FaultArea::ShortLinks => "short_links",
        FaultArea::OptOuts => "opt_outs",
    }
}
