//! `roost account restore`: goes back to a copy of an account.

use std::{fmt::Write as _, fs, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_ops::{
    Actor,
    account::restore::{
        ComparedAccount, MissingOptOuts, Restore, RestoreConsent, RestoreDifference, describe_other_account,
    },
    overview::AccountCounts,
};
use serde_json::{Value, json};

use crate::{
    failure::{CliFailure, read_failure},
    terminal::{count_with_noun, path_argument, plain_value, print_json, print_text, print_warning},
};

/// The exit status if it was restored, but opt-outs may be missing.
const INCOMPLETE: u8 = 1;
/// The number of opt-outs that are shown.
const SHOWN_MAX: usize = 10;

#[derive(Args)]
#[command(
    after_help = "The copy is opened beside the account and compared with it before anything is replaced. What was there \
     is kept as FILE.replaced-DATE.backup. Opt-outs made since the copy are never lost silently: name --keep-opt-outs, \
     or --lose-opt-outs with their exact number. A copy of another account takes the account's place only with \
     --other-account. If there is no account, opt-outs are read from the damaged file that roost set-aside renamed, as \
     far as that can be read. Exit status: 0: restored, or --dry-run. 1: restored, but not all \
     opt-outs of the damaged file could be read. 2: an error. 4: a confirmation is missing."
)]
pub(super) struct RestoreCommand {
    /// The copy, as roost account backups lists it.
    #[arg(value_name = "COPY")]
    copy: PathBuf,
    /// The account file. It must be closed. If there is none, it is created.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// Keep the opt-outs in force that the copy lacks.
    #[arg(
        long,
        env = "ROOST_RESTORE_KEEP_OPT_OUTS",
        value_parser = BoolishValueParser::new(),
        conflicts_with = "lose_opt_outs"
    )]
    keep_opt_outs: bool,
    /// End the opt-outs that the copy lacks. COUNT is their number.
    #[arg(long, env = "ROOST_RESTORE_LOSE_OPT_OUTS", value_name = "COUNT")]
    lose_opt_outs: Option<u64>,
    /// Restore the copy although it is one of another account.
    #[arg(long, env = "ROOST_RESTORE_OTHER_ACCOUNT", value_parser = BoolishValueParser::new())]
    other_account: bool,
    /// Show what would change, and change nothing.
    #[arg(long, env = "ROOST_RESTORE_DRY_RUN", value_parser = BoolishValueParser::new())]
    dry_run: bool,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl RestoreCommand {
    pub(super) fn run(self) -> Result<u8, CliFailure> {
        self.check_paths()?;
        let restore = Restore::prepare(&self.db, &self.copy).map_err(CliFailure::new)?;
        let difference = restore.difference().clone();
        let missing = difference.missing_opt_outs.len() as u64;
        let unread = describe_unread(&difference);
        let erased_at: Vec<&str> = difference.newer_erasures.iter().map(|erasure| erasure.at.as_str()).collect();
        let choice = match self.lose_opt_outs {
            Some(confirmed) => Some(MissingOptOuts::Lose { confirmed }),
            None if self.keep_opt_outs || missing == 0 && unread.is_none() => Some(MissingOptOuts::Keep),
            None => None,
        };
        let is_strange = difference.is_other_account && !self.other_account;
        let is_confirmed = match choice {
            Some(MissingOptOuts::Lose { confirmed }) => confirmed == missing,
            Some(MissingOptOuts::Keep) => true,
            None => false,
        };
        let is_refused = !self.dry_run && (is_strange || !is_confirmed);
        let replaced_copy = match choice {
            Some(choice) if !self.dry_run && !is_refused => {
                let consent = RestoreConsent { missing: choice, other_account: self.other_account };
                restore.apply(&Actor::user(None), consent).map_err(CliFailure::new)?
            }
            _ => None,
        };
        let is_restored = !self.dry_run && !is_refused;
        if self.json {
            print_json(&json!({
                "restored": is_restored,
                "kept_as": replaced_copy.as_ref().map(|replaced_copy| replaced_copy.to_string_lossy()),
                "now": difference.now.as_ref().map(compared_json),
                "copy": compared_json(&difference.restored),
                "differing": counts_json(&difference.differing),
                "other_account": difference.is_other_account,
                "missing_opt_outs": missing,
                "returning_opt_outs": difference.returning_opt_outs,
                "set_aside": difference.set_aside.as_ref().map(|file| file.path.to_string_lossy()),
                "unread_opt_outs": unread.is_some(),
                "newer_erasures": erased_at,
            }))?;
        } else {
            let mut text = describe_difference(&difference);
            if is_restored {
                let db = plain_value(&self.db.to_string_lossy());
                let _ = writeln!(text, "{db} was restored from {}.", plain_value(&self.copy.to_string_lossy()));
                if let Some(replaced_copy) = replaced_copy {
                    let _ =
                        writeln!(text, "What was there is kept as {}.", plain_value(&replaced_copy.to_string_lossy()));
                }
            }
            print_text(&text)?;
        }
        if !erased_at.is_empty() {
            print_warning(&format!(
                "The copy still holds people whose data was erased from the account at {}. Erase them again: roost account \
                 erase --number NUMBER.",
                erased_at.join(", ")
            ));
        }
        if let Some(unread) = &unread {
            print_warning(unread);
        }
        if is_refused {
            return Err(CliFailure::unconfirmed(if is_strange {
                describe_strange(&difference.restored)
            } else {
                describe_refusal(&difference)
            }));
        }
        Ok(if is_restored && unread.is_some() { INCOMPLETE } else { 0 })
    }

    fn check_paths(&self) -> Result<(), CliFailure> {
        let db = self.db.display();
        match fs::metadata(&self.db) {
            Ok(about) if !about.is_file() => {
                return Err(CliFailure::new(format!("{db} is not a file. Name an account file with --db.")));
            }
            _ => {}
        }
        match fs::metadata(&self.copy) {
            Ok(about) if about.is_file() => Ok(()),
            Ok(_) => Err(CliFailure::new(format!("{} is not a file. Name a copy of {db}.", self.copy.display()))),
            Err(why) => Err(read_failure(&self.copy, &why)
                .append(&format!(" roost account backups --db {} lists the copies.", path_argument(&self.db)))),
        }
    }
}

fn counts_json(counts: &AccountCounts) -> Value {
    json!({
        "lists": counts.lists,
        "contacts": counts.contacts,
        "opt_outs": counts.opt_outs,
        "short_links": counts.short_links,
        "senders": counts.senders,
    })
}

fn compared_json(account: &ComparedAccount) -> Value {
    let mut about = counts_json(&account.counts);
    about["name"] = json!(account.name);
    about["service"] = json!(account.service);
    about["unsent"] = json!(account.unsent);
    about
}

fn name_counts(counts: &AccountCounts) -> [(&'static str, u64); 5] {
    [
        ("lists", counts.lists),
        ("contacts", counts.contacts),
        ("opt-outs", counts.opt_outs),
        ("short links", counts.short_links),
        ("senders", counts.senders),
    ]
}

/// Says that the copy is one of another account.
fn describe_strange(copy: &ComparedAccount) -> String {
    let name = copy.name.as_deref().map(plain_value);
    format!("{} To restore it all the same, add --other-account.", describe_other_account(name.as_deref()))
}

/// Says what of the account and of the copy differs besides the records.
fn describe_profiles(now: &ComparedAccount, copy: &ComparedAccount) -> String {
    let mut text = String::new();
    let name = |account: &ComparedAccount| plain_value(account.name.as_deref().unwrap_or("none"));
    if now.name != copy.name {
        let _ = writeln!(text, "Name: now {}, in the copy {}.", name(now), name(copy));
    }
    match (&now.service, &copy.service) {
        (Some(now), Some(copy)) if now != copy => {
            let (now, copy) = (plain_value(now), plain_value(copy));
            let _ = writeln!(text, "The account is connected to {now}. Afterwards it is connected to {copy}.");
        }
        (Some(now), None) => {
            let _ = writeln!(text, "The connection to {} would go: the copy has none.", plain_value(now));
        }
        (None, Some(copy)) => {
            let _ = writeln!(text, "The connection to {} would come back with the copy.", plain_value(copy));
        }
        _ => {}
    }
    if now.unsent != copy.unsent {
        let _ = writeln!(text, "Changes to send: now {}, in the copy {}.", now.unsent, copy.unsent);
    }
    text
}

/// Says which confirmation is missing.
fn describe_refusal(difference: &RestoreDifference) -> String {
    let missing = difference.missing_opt_outs.len() as u64;
    if missing == 0 {
        return "Nothing was changed. Add --keep-opt-outs to restore with the opt-outs that are known.".to_owned();
    }
    format!(
        "{} of {} {} missing in the copy. Nothing was changed. Add --keep-opt-outs to keep them, or --lose-opt-outs \
         {missing} to end them.",
        count_with_noun(missing, "opt-out"),
        if difference.set_aside.is_some() { "the damaged file" } else { "the account" },
        if missing == 1 { "is" } else { "are" },
    )
}

/// Says that the damaged file may hold opt-outs that nobody can read.
fn describe_unread(difference: &RestoreDifference) -> Option<String> {
    let file = difference.set_aside.as_ref().filter(|file| !file.is_whole)?;
    Some(format!(
        "Not all opt-outs in {} can be read. Opt-outs made since the copy may be missing: look for them where people \
         asked for them, and keep that file.",
        plain_value(&file.path.to_string_lossy())
    ))
}

fn describe_difference(difference: &RestoreDifference) -> String {
    let (now, then) = (difference.now.as_ref(), &difference.restored);
    let differing = name_counts(&difference.differing);
    let mut text = format!("{:>14}  {:>10}  {:>10}  {:>10}\n", "", "now", "copy", "differ");
    for (at, (name, then)) in name_counts(&then.counts).into_iter().enumerate() {
        let of_now = |count: u64| if now.is_some() { count.to_string() } else { "–".to_owned() };
        let (differ, now) = (of_now(differing[at].1), of_now(now.map_or(0, |now| name_counts(&now.counts)[at].1)));
        let _ = writeln!(text, "{name:>14}  {now:>10}  {then:>10}  {differ:>10}");
    }
    if difference.is_other_account {
        text += "The copy is of another account, whose records would take the place of those that are there now.\n";
    }
    text += &now.map_or_else(String::new, |now| describe_profiles(now, then));
    match &difference.set_aside {
        Some(file) => {
            let _ = writeln!(text, "Opt-outs were read from {}.", plain_value(&file.path.to_string_lossy()));
        }
        None if difference.now.is_none() => {
            text += "There is no account to compare with: opt-outs made after the copy are not known.\n";
        }
        None => {}
    }
    let missing = &difference.missing_opt_outs;
    if !missing.is_empty() {
        let _ = writeln!(text, "Opt-outs that the copy lacks: {}", missing.len());
        for record in missing.iter().take(SHOWN_MAX) {
            let _ = writeln!(text, "  {} on {}", plain_value(&record.number), record.channel.as_str());
        }
        if missing.len() > SHOWN_MAX {
            let _ = writeln!(text, "  and {} more", missing.len() - SHOWN_MAX);
        }
    }
    if difference.returning_opt_outs > 0 {
        let count = difference.returning_opt_outs;
        let _ = writeln!(text, "Opt-outs of the copy that the account lacks and that would be in force: {count}");
    }
    text
}
