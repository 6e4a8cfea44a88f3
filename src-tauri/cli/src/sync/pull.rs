//! `roost pull`: reads the service and merges the result into the account.

use std::fmt::Write as _;

use clap::{Args, builder::BoolishValueParser};
use roost_ops::list;
use roost_sync_session::{GoneList, ListRead, PullSummary, SyncNoun};

use super::{
    ExitResult,
    account::{AccountArgs, OpenAccount},
    exit::WORK_LEFT,
    follow::WorkEnd,
    print_json, print_text, text,
};
use crate::{
    failure::CliFailure,
    terminal::{count_with_noun, plain_line},
};

#[derive(Args)]
#[command(after_help = super::STATUSES)]
pub(crate) struct PullCommand {
    #[command(flatten)]
    account: AccountArgs,
    /// Only the contacts of this list, by its name or uid.
    #[arg(long, env = "ROOST_PULL_LIST", value_name = "NAME")]
    list: Option<String>,
    /// Read also what looks unchanged.
    #[arg(long, env = "ROOST_PULL_FULL", value_parser = BoolishValueParser::new())]
    full: bool,
    /// Accept that much is missing at the service at once, and remove it here too.
    #[arg(long, env = "ROOST_PULL_BELIEVE", value_parser = BoolishValueParser::new())]
    believe: bool,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl PullCommand {
    pub(crate) fn run(self) -> ExitResult {
        let open = self.account.open()?;
        open.unlock()?;
        let list = self.list.as_deref().map(|name| find_list(&open, name)).transpose()?;
        let ended = open.follow_work(|| {
            open.session.begin_pull(list, self.full, self.believe)?;
            Ok(())
        })?;
        if ended == WorkEnd::Paused {
            return Err(CliFailure::with_status(
                WORK_LEFT,
                "Stopped after a page. The next roost pull continues there.",
            ));
        }
        let pulled = open.session.last_pull()?.ok_or_else(|| CliFailure::new("nothing was read"))?;
        if self.json {
            print_json(&pulled)?;
        } else {
            print_text(&describe_pull(&pulled))?;
        }
        let conflicts = open.session.status()?.conflicts;
        Ok(if conflicts > 0 || pulled.is_doubtful() { WORK_LEFT } else { 0 })
    }
}

fn find_list(open: &OpenAccount, name: &str) -> Result<i64, CliFailure> {
    let list = list::find_list(open.session.core(), name).map_err(CliFailure::new)?;
    Ok(open.session.list_id(list.uid.as_str())?)
}

fn describe_pull(pulled: &PullSummary) -> String {
    let mut out = String::new();
    // Writing to a String never fails.
    let _ = writeln!(
        out,
        "{} added, {} changed, {} removed; {}.",
        count_with_noun(pulled.added, "contact"),
        pulled.changed,
        pulled.removed,
        count_with_noun(pulled.conflicts, "conflict")
    );
    if !pulled.other_changes.is_empty() {
        let other_changes = pulled.other_changes.iter().map(|one| text::count_noun(one.noun, one.count));
        let _ = writeln!(out, "Also new, changed or removed: {}.", other_changes.collect::<Vec<_>>().join(", "));
    }
    if pulled.unsupported > 0 {
        let records = count_with_noun(pulled.unsupported, "record");
        let _ = writeln!(
            out,
            "{records} at the service are of a kind that this version of roost does not know. Look for a newer \
         version."
        );
    }
    if pulled.brought_back > 0 {
        let (contacts, verb) = match pulled.brought_back {
            1 => ("1 contact that was deleted here is".to_owned(), "it was"),
            many => (format!("{many} contacts that were deleted here are"), "they were"),
        };
        let _ = writeln!(out, "{contacts} back, because {verb} changed at the service since.");
        for contact in &pulled.restored {
            let _ = writeln!(out, "  {} in {}", plain_line(&contact.name, 60), plain_line(&contact.list.name, 60));
        }
    }
    for GoneList { name, contacts } in &pulled.removed_lists {
        let contacts = count_with_noun(*contacts, "contact");
        let name = plain_line(name, 60);
        let _ = writeln!(out, "{name}: removed here with {contacts}, because the service no longer has it");
    }
    for title in &pulled.removed_links {
        let title = plain_line(title, 60);
        let _ = writeln!(out, "{title}: short link removed here, because the service no longer has it");
    }
    match pulled.unnamed {
        0 => {}
        1 => out.push_str("1 opt-out at the service has no number, so it cannot be stored here and blocks nobody.\n"),
        many => {
            let _ = writeln!(
                out,
                "{many} opt-outs at the service have no number, so they cannot be stored here and block nobody."
            );
        }
    }
    for list in &pulled.lists {
        let how = match list.how {
            ListRead::AssumedUnchanged => "looks unchanged and was not read (--full reads it)",
            ListRead::InUse => "waits for the current run",
            ListRead::Whole | ListRead::Drifting | ListRead::Shrunk => continue,
        };
        let _ = writeln!(out, "{}: {how}", plain_line(&list.name, 60));
    }
    for doubt in describe_doubts(pulled) {
        let _ = writeln!(out, "{doubt}");
    }
    out
}

/// Describes what stays open until the next pull, one line each.
pub(super) fn describe_doubts(pulled: &PullSummary) -> Vec<String> {
    let of_lists = pulled.lists.iter().filter_map(|list| {
        let how = match list.how {
            ListRead::Drifting => "changed while it was read; run roost pull again",
            ListRead::Shrunk => {
                "lost many records at once; they stay here (roost pull --believe removes them here too)"
            }
            ListRead::Whole | ListRead::AssumedUnchanged | ListRead::InUse => return None,
        };
        Some(format!("{}: {how}", plain_line(&list.name, 60)))
    });
    let of_nouns = pulled.doubtful.iter().map(|noun| describe_missing(pulled, *noun));
    let short = pulled.drifting.iter().map(|noun| {
        let what = text::noun_plural(*noun);
        format!("The service returned fewer {what} than it announced. None was removed here. Pull again.")
    });
    of_lists.chain(of_nouns).chain(short).collect()
}

/// Describes records that no longer exist at the service and were not removed here.
fn describe_missing(pulled: &PullSummary, noun: SyncNoun) -> String {
    let count = |noun| pulled.gone.iter().find(|one| one.noun == noun).map_or(0, |one| one.count);
    let (what, many) = match (noun, count(noun)) {
        // The count is missing in results of an older version.
        (noun, 0) => (format!("Many {}", text::noun_plural(noun)), 2),
        (SyncNoun::List, lists) => {
            let contacts = count_with_noun(count(SyncNoun::Contact), "contact");
            (format!("{} with {contacts}", text::count_noun(noun, lists)), lists)
        }
        (noun, many) => (text::count_noun(noun, many), many),
    };
    let (are, stay, them) = if many == 1 { ("is", "it stays", "it") } else { ("are", "they stay", "them") };
    let mut notice =
        format!("{what} {are} missing at once; {stay} here (roost pull --believe removes {them} here too)");
    if noun == SyncNoun::List {
        for GoneList { name, contacts } in &pulled.missing_lists {
            let contacts = count_with_noun(*contacts, "contact");
            let _ = write!(notice, "\n  {}: {contacts}", plain_line(name, 60));
        }
    }
    if noun == SyncNoun::ShortLink {
        for title in &pulled.missing_links {
            let _ = write!(notice, "\n  {}", plain_line(title, 60));
        }
    }
    notice
}

#[cfg(test)]
mod tests {
    use roost_model::time::Timestamp;
    use roost_sync_session::{PulledCount, RestoredContact, ScopeList};

    use super::*;

    #[test]
    fn changes_other_than_contacts_are_reported_too() {
        let mut pulled = PullSummary {
            at: Timestamp::from_unix(0),
            added: 1,
            changed: 2,
            removed: 0,
            conflicts: 0,
            other_changes: Vec::new(),
            unsupported: 0,
            lists: Vec::new(),
            doubtful: Vec::new(),
            gone: Vec::new(),
            drifting: Vec::new(),
            unnamed: 0,
            brought_back: 0,
            restored: Vec::new(),
            missing_lists: Vec::new(),
            missing_links: Vec::new(),
            removed_lists: Vec::new(),
            removed_links: Vec::new(),
        };
        let of_contacts = "1 contact added, 2 changed, 0 removed; 0 conflicts.\n";
        assert_eq!(describe_pull(&pulled), of_contacts);
        let other_changes =
            [(SyncNoun::List, 2), (SyncNoun::OptOut, 1), (SyncNoun::ShortLink, 3), (SyncNoun::Sender, 1)];
        pulled.other_changes = other_changes.map(|(noun, count)| PulledCount { noun, count }).to_vec();
        let also = "Also new, changed or removed: 2 lists, 1 opt-out, 3 short links, 1 sender.\n";
        assert_eq!(describe_pull(&pulled), format!("{of_contacts}{also}"));
        pulled.unsupported = 2;
        assert!(describe_pull(&pulled).ends_with(
            "\n2 records at the service are of a kind that this version of roost does not know. Look for a newer \
             version.\n"
        ));
        (pulled.unsupported, pulled.brought_back, pulled.unnamed) = (0, 1, 1);
        let list = ScopeList { uid: "l".to_owned(), name: "Spring".to_owned() };
        pulled.restored = vec![RestoredContact { uid: "c".to_owned(), name: "Ann Lee".to_owned(), list }];
        pulled.removed_lists = vec![GoneList { name: "Spring".to_owned(), contacts: 6 }];
        let lines = describe_pull(&pulled);
        assert!(
            lines.contains(
                "1 contact that was deleted here is back, because it was changed at the service since.\n  Ann Lee in Spring\n"
            )
        );
        assert!(
            lines.contains("Spring: removed here with 6 contacts, because the service no longer has it"),
            "{lines}"
        );
        assert!(lines.contains("1 opt-out at the service has no number"), "{lines}");
        (pulled.doubtful, pulled.drifting) = (vec![SyncNoun::List], vec![SyncNoun::OptOut]);
        pulled.gone =
            [(SyncNoun::List, 1), (SyncNoun::Contact, 6)].map(|(noun, count)| PulledCount { noun, count }).to_vec();
        let lines = describe_pull(&pulled);
        assert!(lines.contains("1 list with 6 contacts is missing at once; it stays here"), "{lines}");
        assert!(lines.contains("returned fewer opt-outs than it announced"), "{lines}");
        (pulled.doubtful, pulled.missing_links) = (vec![SyncNoun::ShortLink], vec!["Spring sale".to_owned()]);
        pulled.gone = vec![PulledCount { noun: SyncNoun::ShortLink, count: 1 }];
        let lines = describe_pull(&pulled);
        assert!(lines.contains("1 short link is missing at once; it stays here"), "{lines}");
        assert!(lines.contains("removes it here too)\n  Spring sale\n"), "{lines}");
    }
}
