//! `roost account erase`: erases everything that is held about a phone number.

use std::{collections::BTreeMap, fmt::Write as _, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_ops::{
    Actor,
    account::{
        erase::{Erasure, ErasureConsent, ErasureCounts, ErasureObstacle, ErasurePlan},
        held::describe_table,
    },
};
use serde_json::{Value, json};

use super::read_number;
use crate::{
    failure::CliFailure,
    files::check_existing,
    terminal::{count_with_noun, plain_value, print_json, print_text},
};

#[derive(Args)]
#[command(
    after_help = "For a person who asks you to delete what you hold about them. roost account held shows it. It goes from \
     every table of the account, from the undo memory and from every copy beside the account; each copy is written anew. \
     Opt-outs stay in force, so that the person is not written to again, unless --opt-outs gives their number. The audit \
     says when this was done, without the number. Not erased: what the service holds, files that were exported, and \
     copies elsewhere. Exit status: 0: erased, or --dry-run. 2: an error. 4: a confirmation is missing."
)]
pub(super) struct EraseCommand {
    /// The number, in any spelling.
    #[arg(long, env = "ROOST_ERASE_NUMBER", value_name = "NUMBER")]
    number: String,
    /// The account file. It must be closed.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// The country of a number without a country code, for example GB. Default: the account's.
    #[arg(long, env = "ROOST_ERASE_COUNTRY", value_name = "CODE")]
    country: Option<String>,
    /// How many rows will be erased, in the account and its copies.
    #[arg(long, env = "ROOST_ERASE_CONFIRM_COUNT", value_name = "COUNT")]
    confirm_count: Option<u64>,
    /// Erase the opt-outs as well. COUNT is their number.
    #[arg(long, env = "ROOST_ERASE_OPT_OUTS", value_name = "COUNT")]
    opt_outs: Option<u64>,
    /// Erase here although the connected service still has contacts with the number. A pull may bring them back.
    #[arg(long, env = "ROOST_ERASE_HERE_ONLY", value_parser = BoolishValueParser::new())]
    here_only: bool,
    /// Delete copies and files set aside that cannot be read, because they may hold the number.
    #[arg(long, env = "ROOST_ERASE_DELETE_UNREADABLE", value_parser = BoolishValueParser::new())]
    delete_unreadable: bool,
    /// Discard the imports that are under way, because their files may hold the number.
    #[arg(long, env = "ROOST_ERASE_DISCARD_IMPORTS", value_parser = BoolishValueParser::new())]
    discard_imports: bool,
    /// Discard the state and the snapshots that a server keeps beside the account, because they may hold the number.
    #[arg(long, env = "ROOST_ERASE_DISCARD_SERVER_STATE", value_parser = BoolishValueParser::new())]
    discard_server_state: bool,
    /// Show what would be erased, and erase nothing.
    #[arg(long, env = "ROOST_ERASE_DRY_RUN", value_parser = BoolishValueParser::new())]
    dry_run: bool,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl EraseCommand {
    pub(super) fn run(self) -> Result<u8, CliFailure> {
        check_existing(&self.db)?;
        let number = read_number(&self.number, self.country.as_deref(), &self.db)?;
        let erasure = Erasure::prepare(&self.db, &number, self.opt_outs).map_err(CliFailure::new)?;
        let consent = ErasureConsent {
            opt_outs: self.opt_outs,
            here_only: self.here_only,
            delete_unreadable: self.delete_unreadable,
            discard_imports: self.discard_imports,
            discard_server_state: self.discard_server_state,
        };
        let plan = erasure.plan().clone();
        let mut missing: Vec<String> = plan.find_obstacles(&consent).iter().map(|one| describe(one, &plan)).collect();
        let rows = plan.rows();
        if self.confirm_count != Some(rows) && rows > 0 {
            let given = self.confirm_count.map_or(String::new(), |given| format!("{given} is not {rows}. "));
            missing.push(format!("{given}Add --confirm-count {rows} to erase {}.", count_with_noun(rows, "row")));
        }
        let is_erased = !self.dry_run && missing.is_empty();
        if is_erased {
            erasure.apply(&Actor::user(None), &consent).map_err(CliFailure::new)?;
        }
        if self.json {
            let mut report = to_json(&plan, is_erased, self.opt_outs.is_some());
            report["missing"] = json!(missing);
            print_json(&report)?;
        } else {
            let mut text = describe_plan(&plan, is_erased, self.opt_outs.is_some());
            if self.dry_run && !missing.is_empty() {
                let _ = writeln!(text, "{}", missing.join("\n"));
            }
            print_text(&text)?;
        }
        if self.dry_run || is_erased {
            return Ok(0);
        }
        Err(CliFailure::unconfirmed(format!("Nothing was erased. {}", missing.join(" "))))
    }
}

/// Says what stands in the way of an erasure, and what to do.
fn describe(obstacle: &ErasureObstacle, plan: &ErasurePlan) -> String {
    match obstacle {
        ErasureObstacle::OpenRun => "A push has not ended. Resume or cancel it first.".to_owned(),
        ErasureObstacle::AtService(count) => format!(
            "{} has {} with the number. Delete {} in the window, push, and try again. Or add --here-only: then the service \
             keeps {}, and a pull may bring {} back.",
            plain_value(plan.service.as_deref().unwrap_or("The service")),
            count_with_noun(*count, "contact"),
            them(*count),
            them(*count),
            them(*count),
        ),
        ErasureObstacle::MentionedAtService(count) => format!(
            "{} has {} of somebody else whose text mentions the number. Keep {}, take the number out of the text, push, and \
             try again. Or add --here-only: then the service keeps the text, and a pull may bring it back.",
            plain_value(plan.service.as_deref().unwrap_or("The service")),
            count_with_noun(*count, "contact"),
            them(*count),
        ),
        ErasureObstacle::Unreadable(files) => {
            let names: Vec<String> = files.iter().map(|file| plain_value(&file.to_string_lossy())).collect();
            format!(
                "{} cannot be read and may hold the number. Delete {}, or add --delete-unreadable.",
                names.join(", "),
                them(files.len() as u64)
            )
        }
        ErasureObstacle::ImportsUnderWay => {
            "Imports are under way, and their files may hold the number. Finish or cancel \
             them in the window, or add --discard-imports."
                .to_owned()
        }
        ErasureObstacle::ServerState => {
            "A server keeps its state and its snapshots beside the account, and they may hold \
             the number. Add --discard-server-state to delete them."
                .to_owned()
        }
        ErasureObstacle::OptOuts(count) => {
            format!(
                "The number has {}. Add --opt-outs {count} to erase {}.",
                count_with_noun(*count, "opt-out"),
                them(*count)
            )
        }
    }
}

fn them(count: u64) -> &'static str {
    if count == 1 { "it" } else { "them" }
}

/// Adds up the rows of tables that have the same words.
fn add_words(counts: &BTreeMap<String, u64>) -> BTreeMap<&str, u64> {
    let mut sums = BTreeMap::new();
    for (table, count) in counts {
        *sums.entry(describe_table(table)).or_default() += count;
    }
    sums
}

fn describe_plan(plan: &ErasurePlan, is_erased: bool, with_opt_outs: bool) -> String {
    let account = &plan.account;
    let mut text = match (is_erased, plan.rows()) {
        (_, 0) => format!("{}: there is nothing to erase.\n", plan.number),
        (true, _) => format!("{}: erased.\n", plan.number),
        (false, _) => format!("{}: what would be erased:\n", plan.number),
    };
    if let Some(at) = &plan.finished {
        let _ = writeln!(text, "The erasure of {at} had been interrupted. It was finished now.");
    }
    for (words, count) in add_words(&account.erased) {
        let _ = writeln!(text, "{count:>10}  {words}");
    }
    for (words, count) in add_words(&account.replaced) {
        let _ = writeln!(text, "{count:>10}  {words}: only the number is replaced");
    }
    for (copy, counts) in &plan.copies {
        let _ = writeln!(text, "{} in {}", count_with_noun(counts.rows(), "row"), plain_value(&copy.to_string_lossy()));
    }
    for file in &plan.unreadable {
        let _ = writeln!(text, "{} cannot be read, and is deleted as a whole.", plain_value(&file.to_string_lossy()));
    }
    if account.steps_forgotten > 0 {
        let steps = count_with_noun(account.steps_forgotten, "step");
        let _ = writeln!(text, "{steps} of the history can no longer be undone or redone.");
    }
    if account.steps_with_gaps > 0 {
        let steps = count_with_noun(account.steps_with_gaps, "step");
        let _ = writeln!(text, "{steps} can still be undone or redone, but not for this person.");
    }
    if account.opt_outs > 0 && !with_opt_outs {
        let opt_outs = count_with_noun(account.opt_outs, "opt-out");
        let stay = if account.opt_outs == 1 { "stays" } else { "stay" };
        let _ = writeln!(text, "{opt_outs} {stay} in force, so that nobody writes to the number again.");
        let _ = writeln!(
            text,
            "Reasons of opt-outs that also concern other numbers stay without the number. A name may stay in them: see the activity."
        );
    }
    for number in &account.other_numbers {
        let _ = writeln!(text, "The contact also had {}. Erase that number, too.", plain_value(number));
    }
    if let Some(service) = &plan.service {
        let service = plain_value(service);
        let _ = match account.at_service {
            0 => {
                writeln!(text, "{service} has no contact with the number, as far as is known. Its opt-outs stay there.")
            }
            count => writeln!(
                text,
                "{service} still has {} with this number. Roost does not delete {} there, and a pull may bring {} back.",
                count_with_noun(count, "contact"),
                them(count),
                them(count)
            ),
        };
    }
    text
}

fn to_json(plan: &ErasurePlan, is_erased: bool, with_opt_outs: bool) -> Value {
    let counts = |counts: &ErasureCounts| json!({ "erased": counts.erased, "replaced": counts.replaced });
    let copies = plan.copies.iter().map(
        |(copy, of_copy)| json!({ "file": copy.to_string_lossy(), "rows": of_copy.rows(), "counts": counts(of_copy) }),
    );
    let unreadable = plan.unreadable.iter().map(|file| file.to_string_lossy());
    let account = &plan.account;
    json!({
        "number": plan.number,
        "done": is_erased,
        "rows": plan.rows(),
        "account": counts(account),
        "copies": copies.collect::<Vec<_>>(),
        "unreadable": unreadable.collect::<Vec<_>>(),
        "imports_under_way": plan.has_imports,
        "server_state": plan.has_server_state,
        "opt_outs": account.opt_outs,
        "opt_outs_erased": with_opt_outs,
        "steps_forgotten": account.steps_forgotten,
        "steps_with_gaps": account.steps_with_gaps,
        "other_numbers": account.other_numbers,
        "service": plan.service,
        "finished": plan.finished,
        "at_service": account.at_service,
        "mentioned_at_service": account.mentioned_at_service,
    })
}
