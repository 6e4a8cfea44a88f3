//! Merges three versions of one record: it finds where the two sides agree and where they fork, and settles the forks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::row::{Field, Row, same_but_for_form};

/// A field that both sides changed to different values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fork {
    pub field: Field,
    pub base: Option<String>,
    pub mine: Option<String>,
    pub theirs: Option<String>,
}

/// The result of a merge for the record as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// Both sides have the record, neither has it, or only one side ever touched it.
    Agreed,
    /// Deleted locally, edited at the service.
    DeletedByMe,
    /// Edited locally, deleted at the service.
    DeletedByThem,
}

/// The two sides combined as far as they agree. The merge favours neither side: swapping them mirrors the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The agreed values, without the fields in dispute.
    pub row: Option<Row>,
    pub forks: Vec<Fork>,
    pub presence: Presence,
}

/// Merges two descendants of `base`. Without a base, each value of either side counts as a change of that side.
pub fn merge3(base: Option<&Row>, mine: Option<&Row>, theirs: Option<&Row>) -> Merged {
    let agreed = |row: Option<&Row>| Merged { row: row.cloned(), forks: Vec::new(), presence: Presence::Agreed };
    if mine == theirs || theirs == base {
        return agreed(mine);
    }
    if mine == base {
        return agreed(theirs);
    }
    let (mine, theirs) = match (mine, theirs) {
        (Some(mine), Some(theirs)) => (mine, theirs),
        (None, kept) => return Merged { presence: Presence::DeletedByMe, ..agreed(kept) },
        (kept, None) => return Merged { presence: Presence::DeletedByThem, ..agreed(kept) },
    };
    let empty = Row::default();
    let base = base.unwrap_or(&empty);
    let mut row = mine.clone();
    let mut forks = Vec::new();
    for difference in mine.differences(theirs) {
        let (field, before) = (difference.field, base.get(difference.field));
        if difference.from == before {
            row.set(field, difference.to);
        } else if difference.to != before {
            row.set(field, None);
            let owned = |text: Option<&str>| text.map(str::to_owned);
            forks.push(Fork { field, base: owned(before), mine: owned(difference.from), theirs: owned(difference.to) });
        }
    }
    Merged { row: Some(row), forks, presence: Presence::Agreed }
}

/// The rule that settles the forks of one column without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnRule {
    #[default]
    Ask,
    Mine,
    Theirs,
    NonEmpty,
    Longer,
}

/// The rules that settle conflicts without asking.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Policy {
    #[serde(serialize_with = "rules_as_list")]
    pub columns: BTreeMap<Field, ColumnRule>,
    /// Whether a local deletion takes precedence although the service's record was edited since.
    pub delete_anyway: bool,
}

fn rules_as_list<S: serde::Serializer>(rules: &BTreeMap<Field, ColumnRule>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(rules.iter())
}

/// A person's decision about one fork.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Mine,
    Theirs,
    Base,
    Value(Option<String>),
}

/// A person's decision about a record that one side deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowAnswer {
    /// Take the local side: an edited record is created again, a deleted one is deleted at the service too.
    Mine,
    /// Take the record as the service has it.
    Theirs,
}

/// A person's answers about one contact.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Answers {
    pub fields: Vec<(Field, Answer)>,
    pub row: Option<RowAnswer>,
}

/// A note to the user about a record that was settled without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// Deleted locally, edited at the service: the deletion was dropped.
    DeletionDropped,
    /// Both sides wrote the same value in different forms: the service's form was taken.
    FormTaken,
}

/// A conflict that neither the policy nor the answers settle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Dispute {
    Fields {
        forks: Vec<Fork>,
    },
    /// Edited locally, deleted at the service.
    DeletedThere,
}

/// A merged record about which nobody has to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The record that both sides are to have, or `None` if both are to delete it.
    pub target: Option<Row>,
    pub note: Option<Note>,
}

/// Merges the record and settles what the policy and the person's answers decide. Whatever stays open is a dispute.
pub fn settle(
    base: Option<&Row>,
    mine: Option<&Row>,
    theirs: Option<&Row>,
    policy: &Policy,
    answers: &Answers,
) -> Result<Settled, Dispute> {
    let Merged { row, forks, presence } = merge3(base, mine, theirs);
    let plain = |target: Option<Row>, note| Ok(Settled { target, note });
    match (presence, answers.row) {
        (Presence::DeletedByMe, Some(RowAnswer::Mine)) => return plain(None, None),
        (Presence::DeletedByMe, None) if policy.delete_anyway => return plain(None, None),
        (Presence::DeletedByMe, answer) => return plain(row, answer.is_none().then_some(Note::DeletionDropped)),
        (Presence::DeletedByThem, None) => return Err(Dispute::DeletedThere),
        (Presence::DeletedByThem, Some(RowAnswer::Mine)) => return plain(row, None),
        (Presence::DeletedByThem, Some(RowAnswer::Theirs)) => return plain(None, None),
        (Presence::Agreed, _) => {}
    }
    let Some(mut row) = row else { return plain(None, None) };
    let (mut open, mut note) = (Vec::new(), None);
    for fork in forks {
        let answer = answers.fields.iter().find(|(field, _)| *field == fork.field).map(|(_, answer)| answer);
        let rule = policy.columns.get(&fork.field).copied().unwrap_or_default();
        match value_of(&fork, answer, rule) {
            Some((value, form)) => {
                row.set(fork.field, value);
                note = note.or(form);
            }
            None => open.push(fork),
        }
    }
    if open.is_empty() { plain(Some(row), note) } else { Err(Dispute::Fields { forks: open }) }
}

/// Returns the value that settles a fork, or `None` when the user has to be asked.
fn value_of<'a>(
    fork: &'a Fork,
    answer: Option<&'a Answer>,
    rule: ColumnRule,
) -> Option<(Option<&'a str>, Option<Note>)> {
    let (mine, theirs) = (fork.mine.as_deref(), fork.theirs.as_deref());
    let value = match answer {
        Some(Answer::Mine) => mine,
        Some(Answer::Theirs) => theirs,
        Some(Answer::Base) => fork.base.as_deref(),
        Some(Answer::Value(value)) => value.as_deref(),
        None => match (mine, theirs) {
            (Some(mine), Some(there)) if same_but_for_form(fork.field, mine, there) => {
                return Some((theirs, Some(Note::FormTaken)));
            }
            _ => by_rule(mine, theirs, rule)?,
        },
    };
    Some((value, None))
}

fn by_rule<'a>(mine: Option<&'a str>, theirs: Option<&'a str>, rule: ColumnRule) -> Option<Option<&'a str>> {
    let length = |text: Option<&str>| text.map_or(0, |text| text.chars().count());
    match rule {
        ColumnRule::Ask => None,
        ColumnRule::Mine => Some(mine),
        ColumnRule::Theirs => Some(theirs),
        ColumnRule::NonEmpty => match (mine, theirs) {
            (Some(_), Some(_)) => None,
            (one, other) => Some(one.or(other)),
        },
        ColumnRule::Longer => match length(mine).cmp(&length(theirs)) {
            std::cmp::Ordering::Greater => Some(mine),
            std::cmp::Ordering::Less => Some(theirs),
            std::cmp::Ordering::Equal => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use roost_model::contact::Attribute;

    use super::*;

    const FIRST: Field = Field::Attribute(Attribute::Firstname);
    const CITY: Field = Field::Attribute(Attribute::City);

    fn row(first: &str, city: &str) -> Row {
        Row::default().with(Field::Phone, "+447700900001").with(FIRST, first).with(CITY, city)
    }

    fn settled(base: Option<&Row>, mine: Option<&Row>, theirs: Option<&Row>) -> Result<Settled, Dispute> {
        settle(base, mine, theirs, &Policy::default(), &Answers::default())
    }

    #[test]
    fn changes_of_different_fields_go_together() {
        let (base, mine, theirs) = (row("a", "x"), row("b", "x"), row("a", "y"));
        let got = settled(Some(&base), Some(&mine), Some(&theirs)).expect("no dispute");
        assert_eq!(got.target, Some(row("b", "y")));
    }

    #[test]
    fn the_same_field_is_asked_about_unless_a_rule_or_an_answer_says() {
        let (base, mine, theirs) = (row("a", "x"), row("bb", "x"), row("c", "x"));
        let with = |rule: ColumnRule, answers: &[(Field, Answer)]| {
            let policy = Policy { columns: [(FIRST, rule)].into(), ..Policy::default() };
            let answers = Answers { fields: answers.to_vec(), row: None };
            settle(Some(&base), Some(&mine), Some(&theirs), &policy, &answers)
                .map(|settled| settled.target.and_then(|row| row.get(FIRST).map(str::to_owned)))
        };
        assert!(matches!(with(ColumnRule::Ask, &[]), Err(Dispute::Fields { forks }) if forks.len() == 1));
        assert!(with(ColumnRule::NonEmpty, &[]).is_err());
        for (rule, want) in [(ColumnRule::Mine, "bb"), (ColumnRule::Theirs, "c"), (ColumnRule::Longer, "bb")] {
            assert_eq!(with(rule, &[]), Ok(Some(want.to_owned())), "{rule:?}");
        }
        for (answer, want) in [(Answer::Base, Some("a")), (Answer::Value(Some("z".to_owned())), Some("z"))] {
            assert_eq!(with(ColumnRule::Mine, &[(FIRST, answer)]), Ok(want.map(str::to_owned)));
        }
        assert_eq!(with(ColumnRule::Ask, &[(FIRST, Answer::Value(None))]), Ok(None));
    }

    #[test]
    fn an_edit_there_outlives_a_deletion_here_but_not_the_other_way_unasked() {
        let (base, edited) = (row("a", "x"), row("b", "x"));
        assert_eq!(
            settled(Some(&base), None, Some(&edited)),
            Ok(Settled { target: Some(edited.clone()), note: Some(Note::DeletionDropped) })
        );
        assert_eq!(settled(Some(&base), Some(&edited), None), Err(Dispute::DeletedThere));
        assert_eq!(settled(Some(&base), None, None), Ok(Settled { target: None, note: None }));
        let anyway = Policy { delete_anyway: true, ..Policy::default() };
        assert_eq!(
            settle(Some(&base), None, Some(&edited), &anyway, &Answers::default()),
            Ok(Settled { target: None, note: None })
        );
    }

    #[test]
    fn two_records_made_with_one_key_are_merged_over_nothing() {
        let got = settled(None, Some(&row("a", "")), Some(&row("", "y"))).expect("no dispute");
        assert_eq!(got.target, Some(row("a", "y")));
        assert!(settled(None, Some(&row("a", "")), Some(&row("b", ""))).is_err());
    }

    #[test]
    fn another_form_of_the_same_is_no_dispute() {
        let got = settled(Some(&row("a", "x")), Some(&row("anna ", "x")), Some(&row("Anna", "x"))).expect("one name");
        assert_eq!((got.target, got.note), (Some(row("Anna", "x")), Some(Note::FormTaken)));
    }
}
