//! `roost conflicts` and `roost answer`: the questions that a pull left, and their answers.

use std::fmt::Write as _;

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_sync::session::{ConflictAnswer, ConflictRow, DisputeKind, RecordChoice, RecordKey, SyncNoun};

use super::{
    Done,
    account::{Account, Open},
    exit::WORK_LEFT,
    say, say_json, text,
};
use crate::{failure::Failure, said::plain_line};

/// Questions that are read at once.
const PAGE: u32 = 1_000;

#[derive(Args)]
#[command(after_help = super::STATUSES)]
pub struct Conflicts {
    #[command(flatten)]
    account: Account,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl Conflicts {
    pub fn run(self) -> Done {
        let open = self.account.open()?;
        let rows = all(&open)?;
        if self.json {
            let rows: Vec<_> = rows.iter().map(|row| (key_text(&row.key), row)).collect();
            let shown: Vec<_> =
                rows.iter().map(|(key, row)| serde_json::json!({ "answer_key": key, "conflict": row })).collect();
            say_json(&shown)?;
        } else if rows.is_empty() {
            say("There are no questions.\n")?;
        } else {
            say(&rows.iter().map(told).collect::<String>())?;
        }
        Ok(if rows.is_empty() { 0 } else { WORK_LEFT })
    }
}

fn all(open: &Open) -> Result<Vec<ConflictRow>, Failure> {
    let mut rows = Vec::new();
    loop {
        let from = u32::try_from(rows.len()).map_err(Failure::new)?;
        let page = open.session.conflicts(None, None, from, PAGE)?;
        let is_last = page.rows.is_empty();
        rows.extend(page.rows);
        if is_last || rows.len() as u64 >= page.total {
            return Ok(rows);
        }
    }
}

const NOUNS: [(&str, SyncNoun); 3] =
    [("contact", SyncNoun::Contact), ("list", SyncNoun::List), ("opt-out", SyncNoun::OptOut)];

/// A key as it is typed: without spaces.
fn key_text(key: &RecordKey) -> String {
    let noun = NOUNS.iter().find(|(_, noun)| *noun == key.noun).map_or("record", |(word, _)| word);
    format!("{noun}:{}", key.id.replacen(' ', "/", 2))
}

fn parse_key(text: &str) -> Result<RecordKey, String> {
    let (word, id) = text.split_once(':').unwrap_or_default();
    let noun = NOUNS.iter().find(|(known, _)| *known == word).map(|(_, noun)| *noun);
    let noun = noun.ok_or("expected a key as roost conflicts prints it, for example contact:12")?;
    let id = if noun == SyncNoun::OptOut { id.replacen('/', " ", 2) } else { id.to_owned() };
    Ok(RecordKey { noun, id })
}

fn told(row: &ConflictRow) -> String {
    let list = row.list.as_ref().map_or_else(String::new, |list| format!(" in {}", plain_line(&list.name, 40)));
    let (what, choices) = match row.dispute {
        DisputeKind::Fields => ("changed here and at the service", "mine, theirs, base"),
        DisputeKind::DeletedThere => ("changed here, deleted at the service", "mine, theirs"),
        DisputeKind::ListGone => ("changed here, deleted at the service", "recreate, discard"),
        DisputeKind::ListChanged => ("deleted here, its contacts changed at the service", "delete-anyway, discard"),
        DisputeKind::OptOutGone => ("the service no longer has it", "create-again, let-go"),
    };
    let mut out = format!("{}  {}{list}: {what} ({choices})\n", key_text(&row.key), plain_line(&row.title, 60));
    for fork in &row.forks {
        let side =
            |value: &Option<String>| value.as_deref().map_or("(empty)".to_owned(), |value| plain_line(value, 60));
        // Writing to a string cannot fail.
        let _ = writeln!(out, "    {}: here {}, there {}", fork.field, side(&fork.mine), side(&fork.theirs));
    }
    out
}

#[derive(Args)]
#[command(after_help = super::STATUSES)]
pub struct Answer {
    /// The question, as roost conflicts prints it: contact:12, list:3, opt-out:+447700900001/SMS/.
    #[arg(value_parser = parse_key)]
    key: RecordKey,
    /// What to do.
    #[arg(value_enum)]
    choice: Choice,
    #[command(flatten)]
    account: Account,
    /// Decide about this field of a contact alone.
    #[arg(long, env = "ROOST_ANSWER_FIELD", value_name = "FIELD")]
    field: Option<String>,
    /// Give the same answer to all questions of this kind about contacts.
    #[arg(long, env = "ROOST_ANSWER_ALIKE", value_parser = BoolishValueParser::new())]
    alike: bool,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// What is here counts.
    Mine,
    /// What the service has counts.
    Theirs,
    /// The value before both changes counts.
    Base,
    /// Make the list again at the service.
    Recreate,
    /// Discard what was changed here; a list that was deleted here comes back.
    Discard,
    /// Delete the list although its contacts changed.
    DeleteAnyway,
    /// Opt the number out again.
    CreateAgain,
    /// Remove the opt-out here, too.
    LetGo,
}

impl Choice {
    fn for_record(self) -> Result<RecordChoice, ConflictAnswer> {
        match self {
            Self::Mine => Err(ConflictAnswer::Mine),
            Self::Theirs => Err(ConflictAnswer::Theirs),
            Self::Base => Err(ConflictAnswer::Base),
            Self::Recreate => Ok(RecordChoice::Recreate),
            Self::Discard => Ok(RecordChoice::Discard),
            Self::DeleteAnyway => Ok(RecordChoice::DeleteAnyway),
            Self::CreateAgain => Ok(RecordChoice::CreateAgain),
            Self::LetGo => Ok(RecordChoice::LetGo),
        }
    }
}

impl Answer {
    pub fn run(self) -> Done {
        let open = self.account.open()?;
        if !all(&open)?.iter().any(|row| row.key == self.key) {
            let key = key_text(&self.key);
            return Err(Failure::new(format!("There is no question {key}. roost conflicts lists them.")));
        }
        let left = match (self.choice.for_record(), self.key.noun) {
            (Err(answer), SyncNoun::Contact) => {
                let keys = [self.key];
                open.session.answer(&keys, self.field.as_deref(), Some(&answer), self.alike)?.left
            }
            (Ok(choice), SyncNoun::List | SyncNoun::OptOut) if self.field.is_none() && !self.alike => {
                open.session.choose_for(&self.key, Some(choice))?
            }
            _ => {
                return Err(Failure::new(
                    "This answer does not fit the question. roost conflicts prints those that do.",
                ));
            }
        };
        if self.json {
            say_json(&serde_json::json!({ "left": left }))?;
        } else {
            say(&format!("Answered. {} left.\n", text::count(left, "question")))?;
        }
        Ok(if left > 0 { WORK_LEFT } else { 0 })
    }
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
            assert_eq!(parse_key(&key_text(&key)), Ok(key));
        }
        assert!(parse_key("12").is_err() && parse_key("sender:1").is_err());
    }
}
