//! `roost conflicts` and `roost answer`: list the questions that a pull left, and answer them.

use std::fmt::Write as _;

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_model::error::ErrorCode;
use roost_ops::Actor;
use roost_sync_session::{
    ConflictAnswer, ConflictRow, DisputeKind, PlanBlocked, PlanChoice, RecordChoice, RecordKey, SyncNoun,
};

use super::{
    ExitResult,
    account::{AccountArgs, OpenAccount},
    exit::WORK_LEFT,
    print_json, print_text, text,
};
use crate::{
    failure::CliFailure,
    terminal::{count_with_noun, plain_line},
};

/// The number of questions read at once.
const PAGE_SIZE: u32 = 1_000;

#[derive(Args)]
#[command(after_help = super::STATUSES)]
pub(crate) struct ConflictsCommand {
    #[command(flatten)]
    account: AccountArgs,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl ConflictsCommand {
    pub(crate) fn run(self) -> ExitResult {
        let open = self.account.open()?;
        let (rows, answered) = read_questions(&open)?;
        let obstacles = read_obstacles(&open)?;
        if self.json {
            let questions = rows.iter().map(
                |row| serde_json::json!({ "answer_key": to_key_text(&row.key), "conflict": row, "obstacle": null }),
            );
            let others = obstacles.iter().map(
                |one| serde_json::json!({ "answer_key": to_key_text(&one.key), "conflict": null, "obstacle": one }),
            );
            print_json(&questions.chain(others).collect::<Vec<_>>())?;
        } else {
            let mut out: String =
                rows.iter().map(describe_question).chain(obstacles.iter().map(describe_obstacle)).collect();
            if out.is_empty() {
                out.push_str("There are no conflicts.\n");
            }
            out.push_str(&text::describe_answered(answered));
            print_text(&out)?;
        }
        Ok(if rows.is_empty() && obstacles.is_empty() { 0 } else { WORK_LEFT })
    }
}

/// Returns the questions without an answer, and how many have an answer that waits for the next push or pull.
fn read_questions(open: &OpenAccount) -> Result<(Vec<ConflictRow>, u64), CliFailure> {
    let mut rows = Vec::new();
    loop {
        let from = u32::try_from(rows.len()).map_err(CliFailure::new)?;
        let page = open.session.conflict_page(None, None, from, PAGE_SIZE)?;
        let is_last = page.rows.is_empty();
        rows.extend(page.rows);
        if is_last || rows.len() as u64 >= page.total {
            break;
        }
    }
    let all = rows.len();
    rows.retain(|row| row.choice.is_none());
    let answered = (all - rows.len()) as u64;
    Ok((rows, answered))
}

/// Returns the changes that are not possible without a choice; none if the account has no service.
fn read_obstacles(open: &OpenAccount) -> Result<Vec<PlanBlocked>, CliFailure> {
    if open.session.is_connected() { Ok(open.session.open_obstacles()?) } else { Ok(Vec::new()) }
}

const NOUNS: [(&str, SyncNoun); 4] = [
    ("contact", SyncNoun::Contact),
    ("list", SyncNoun::List),
    ("opt-out", SyncNoun::OptOut),
    ("short-link", SyncNoun::ShortLink),
];

/// Writes a key as it is typed, without spaces.
fn to_key_text(key: &RecordKey) -> String {
    let noun = NOUNS.iter().find(|(_, noun)| *noun == key.noun).map_or("record", |(word, _)| word);
    format!("{noun}:{}", key.id.replacen(' ', "/", 2))
}

fn parse_key(text: &str) -> Result<RecordKey, String> {
    let (word, id) = text.split_once(':').unwrap_or_default();
    let noun = NOUNS.iter().find(|(known, _)| *known == word).map(|(_, noun)| *noun);
    let noun = noun.ok_or("expected a key as printed by roost conflicts, for example contact:12")?;
    let id = if noun == SyncNoun::OptOut { id.replacen('/', " ", 2) } else { id.to_owned() };
    Ok(RecordKey { noun, id })
}

fn describe_question(row: &ConflictRow) -> String {
    let list = match (&row.list, row.key.noun) {
        (Some(list), SyncNoun::Contact) => format!(" in {}", plain_line(&list.name, 40)),
        _ => String::new(),
    };
    let (what, choices) = match row.dispute {
        DisputeKind::Fields => ("changed here and at the service", "mine, theirs, base"),
        DisputeKind::DeletedThere => ("changed here, deleted at the service", "mine, theirs"),
        DisputeKind::ListGone => ("changed here, deleted at the service", "recreate, discard"),
        DisputeKind::ListChanged => ("deleted here, its contacts changed at the service", "delete-anyway, discard"),
        DisputeKind::OptOutGone => ("the service no longer has it", "create-again, let-go"),
    };
    let mut out = format!("{}  {}{list}: {what} ({choices})\n", to_key_text(&row.key), plain_line(&row.title, 60));
    for fork in &row.forks {
        let side =
            |value: &Option<String>| value.as_deref().map_or("(empty)".to_owned(), |value| plain_line(value, 60));
        // Writing to a String never fails.
        let _ = writeln!(out, "    {}: here {}, there {}", fork.field, side(&fork.mine), side(&fork.theirs));
    }
    out
}

fn describe_obstacle(one: &PlanBlocked) -> String {
    let choices = one.choices.iter().filter_map(|option| {
        let choice =
            AnswerChoice::value_variants().iter().find(|choice| choice.to_plan_choice() == Some(option.choice))?;
        Some(choice.to_possible_value()?.get_name().to_owned())
    });
    let (key, title) = (to_key_text(&one.key), plain_line(&one.title, 60));
    let choices = choices.collect::<Vec<_>>().join(", ");
    format!("{key}  {title}: {} ({choices})\n", text::describe_obstacle(one.obstacle, &one.fields))
}

#[derive(Args)]
#[command(after_help = super::STATUSES)]
pub(crate) struct AnswerCommand {
    /// The conflict, as printed by roost conflicts: contact:12, list:3, short-link:4, opt-out:+447700900001/SMS/.
    #[arg(value_parser = parse_key)]
    key: RecordKey,
    /// The answer.
    #[arg(value_enum)]
    choice: AnswerChoice,
    #[command(flatten)]
    account: AccountArgs,
    /// Answer for this field of a contact only.
    #[arg(long, env = "ROOST_ANSWER_FIELD", value_name = "FIELD")]
    field: Option<String>,
    /// Give the same answer to all conflicts of this kind.
    #[arg(long, env = "ROOST_ANSWER_ALIKE", value_parser = BoolishValueParser::new())]
    alike: bool,
    /// Why the opt-out is removed: who asked to be messaged again, when, and how.
    #[arg(long, env = "ROOST_ANSWER_REASON", value_name = "REASON")]
    reason: Option<String>,
    /// The number of opt-outs to remove, as a confirmation.
    #[arg(long, env = "ROOST_ANSWER_OPT_OUTS", value_name = "COUNT", requires = "reason")]
    opt_outs: Option<u64>,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AnswerChoice {
    /// Use the value here.
    Mine,
    /// Use the value at the service.
    Theirs,
    /// Use the value from before both changes.
    Base,
    /// Create the list at the service again.
    Recreate,
    /// Discard the change made here: a deleted list comes back, a removed opt-out stays.
    Discard,
    /// Delete the list although its contacts changed.
    DeleteAnyway,
    /// Opt the number out again.
    CreateAgain,
    /// Remove the opt-out here too. Needs --reason and --opt-outs.
    LetGo,
    /// Keep here what the service cannot do.
    KeepLocal,
    /// Create the record at the service again, then delete the old one there.
    Replace,
    /// Create the record at the service again, and keep the old one too.
    KeepBoth,
    /// Show the new name of the list only here.
    Alias,
}

impl AnswerChoice {
    /// Returns the choice for a change that is not possible as it is.
    fn to_plan_choice(self) -> Option<PlanChoice> {
        match self {
            Self::KeepLocal => Some(PlanChoice::KeepLocal),
            Self::Replace => Some(PlanChoice::Replace),
            Self::KeepBoth => Some(PlanChoice::KeepBoth),
            Self::Alias => Some(PlanChoice::Alias),
            Self::Recreate => Some(PlanChoice::Recreate),
            Self::Discard => Some(PlanChoice::Discard),
            Self::DeleteAnyway => Some(PlanChoice::DeleteAnyway),
            Self::Mine | Self::Theirs | Self::Base | Self::CreateAgain | Self::LetGo => None,
        }
    }

    fn to_question_answer(self) -> Option<Result<RecordChoice, ConflictAnswer>> {
        Some(match self {
            Self::Mine => Err(ConflictAnswer::Mine),
            Self::Theirs => Err(ConflictAnswer::Theirs),
            Self::Base => Err(ConflictAnswer::Base),
            Self::Recreate => Ok(RecordChoice::Recreate),
            Self::Discard => Ok(RecordChoice::Discard),
            Self::DeleteAnyway => Ok(RecordChoice::DeleteAnyway),
            Self::CreateAgain => Ok(RecordChoice::CreateAgain),
            Self::LetGo => Ok(RecordChoice::LetGo),
            Self::KeepLocal | Self::Replace | Self::KeepBoth | Self::Alias => return None,
        })
    }
}

impl AnswerCommand {
    pub(crate) fn run(self) -> ExitResult {
        let open = self.account.open()?;
        // An answer can be changed while it waits.
        let questions = open.session.conflict_page(None, None, 0, u32::MAX)?.rows;
        if let Some(question) = questions.iter().find(|row| row.key == self.key) {
            self.check_field(question)?;
            self.answer_question(&open)?;
        } else if let Some(obstacle) = read_obstacles(&open)?.into_iter().find(|one| one.key == self.key) {
            let choice = self.choice.to_plan_choice().filter(|_| self.field.is_none());
            let choice = choice.filter(|choice| obstacle.choices.iter().any(|option| option.choice == *choice));
            open.session.choose_option(&self.key, Some(choice.ok_or_else(unfit_answer)?), self.alike)?;
        } else {
            let key = to_key_text(&self.key);
            let line = format!("There is no conflict {key}. roost conflicts lists them.");
            return Err(CliFailure::new(line).with_code(ErrorCode::NotFound));
        }
        let left = (read_questions(&open)?.0.len() + read_obstacles(&open)?.len()) as u64;
        if self.json {
            print_json(&serde_json::json!({ "left": left }))?;
        } else {
            print_text(&format!("Answered. {} left.\n", count_with_noun(left, "conflict")))?;
        }
        Ok(if left > 0 { WORK_LEFT } else { 0 })
    }

    /// Returns the count and the reason, which only the removal of an opt-out needs.
    fn removal_confirmation(&self) -> Result<Option<(u64, &str)>, CliFailure> {
        match (self.choice, self.opt_outs, self.reason.as_deref()) {
            (AnswerChoice::LetGo, Some(1), Some(reason)) => Ok(Some((1, reason))),
            (AnswerChoice::LetGo, ..) => Err(CliFailure::unconfirmed(
                "This removes 1 opt-out. Repeat with --opt-outs 1 and --reason TEXT, which says who asked to be \
                 messaged again.",
            )),
            (_, None, None) => Ok(None),
            _ => Err(CliFailure::new("Only let-go takes --reason and --opt-outs.")),
        }
    }

    /// Refuses a field about which there is no conflict, and names those of the contact.
    fn check_field(&self, question: &ConflictRow) -> Result<(), CliFailure> {
        let Some(field) = self.field.as_deref().filter(|_| self.key.noun == SyncNoun::Contact) else { return Ok(()) };
        let known: Vec<&str> = question.forks.iter().map(|fork| fork.field.as_str()).collect();
        if known.is_empty() || known.contains(&field) {
            return Ok(());
        }
        let field = plain_line(field, 60);
        let line = format!("The conflict is not about the field “{field}”. Its fields are: {}.", known.join(", "));
        Err(CliFailure::new(line).with_code(ErrorCode::NotFound))
    }

    fn answer_question(&self, open: &OpenAccount) -> Result<(), CliFailure> {
        match (self.choice.to_question_answer(), self.key.noun) {
            (Some(Err(answer)), SyncNoun::Contact) => {
                let keys = [self.key.clone()];
                open.session.answer_conflicts(&keys, self.field.as_deref(), Some(&answer), self.alike)?;
            }
            (Some(Ok(choice)), SyncNoun::List | SyncNoun::OptOut)
                if self.field.is_none() && (!self.alike || choice == RecordChoice::CreateAgain) =>
            {
                let confirmed = self.removal_confirmation()?;
                open.session.choose_for(&Actor::user(None), &self.key, Some(choice), confirmed, self.alike)?;
            }
            _ => return Err(unfit_answer()),
        }
        Ok(())
    }
}

fn unfit_answer() -> CliFailure {
    CliFailure::new("This answer is not possible for this conflict. roost conflicts prints the possible ones.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_printed() {
        for (noun, id) in
            [(SyncNoun::Contact, "12"), (SyncNoun::List, "3"), (SyncNoun::OptOut, "+447700900001 SMS ASSET 1/2")]
        {
            let key = RecordKey { noun, id: id.to_owned() };
            assert_eq!(parse_key(&to_key_text(&key)), Ok(key));
        }
        assert!(parse_key("12").is_err() && parse_key("sender:1").is_err());
    }
}
