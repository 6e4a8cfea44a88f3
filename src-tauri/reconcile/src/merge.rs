//! Merges three versions of one record: it finds where the two sides agree and where they fork, and settles the forks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::row::{ContactRow, SyncField, differs_only_in_form};

/// A field that both sides changed to different values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldFork {
    pub field: SyncField,
    pub base: Option<String>,
    pub mine: Option<String>,
    pub theirs: Option<String>,
}

/// The result of a merge for the record as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordPresence {
    /// Both sides have the record, neither has it, or only one side ever touched it.
    Agreed,
    /// Deleted locally, edited at the service.
    DeletedByMe,
    /// Edited locally, deleted at the service.
    DeletedByThem,
}

/// The two sides combined as far as they agree. The merge favours neither side: swapping them mirrors the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeResult {
    /// The agreed values, without the fields in dispute.
    pub row: Option<ContactRow>,
    pub forks: Vec<FieldFork>,
    pub presence: RecordPresence,
}

/// Merges two descendants of `base`. Without a base, each value of either side counts as a change of that side.
pub fn merge_rows(base: Option<&ContactRow>, mine: Option<&ContactRow>, theirs: Option<&ContactRow>) -> MergeResult {
    let agreed = |row: Option<&ContactRow>| MergeResult {
        row: row.cloned(),
        forks: Vec::new(),
        presence: RecordPresence::Agreed,
    };
    if mine == theirs || theirs == base {
        return agreed(mine);
    }
    if mine == base {
        return agreed(theirs);
    }
    let (mine, theirs) = match (mine, theirs) {
        (Some(mine), Some(theirs)) => (mine, theirs),
        (None, kept) => return MergeResult { presence: RecordPresence::DeletedByMe, ..agreed(kept) },
        (kept, None) => return MergeResult { presence: RecordPresence::DeletedByThem, ..agreed(kept) },
    };
    let empty = ContactRow::default();
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
            forks.push(FieldFork {
                field,
                base: owned(before),
                mine: owned(difference.from),
                theirs: owned(difference.to),
            });
        }
    }
    MergeResult { row: Some(row), forks, presence: RecordPresence::Agreed }
}

/// The rule that settles the forks of one column without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
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
pub struct MergePolicy {
    #[serde(serialize_with = "rules_as_list")]
    pub columns: BTreeMap<SyncField, ColumnRule>,
    /// Whether a local deletion takes precedence although the service's record was edited since.
    pub delete_anyway: bool,
}

fn rules_as_list<S: serde::Serializer>(rules: &BTreeMap<SyncField, ColumnRule>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(rules.iter())
}

/// A person's decision about one fork.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForkAnswer {
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
pub struct ContactAnswers {
    pub fields: Vec<(SyncField, ForkAnswer)>,
    pub row: Option<RowAnswer>,
}

/// A note to the user about a record that was settled without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeNote {
    /// Deleted locally, edited at the service: the deletion was dropped.
    DeletionDropped,
    /// Both sides wrote the same value in different forms: the service's form was taken.
    FormTaken,
}

/// A conflict that neither the policy nor the answers settle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MergeDispute {
    Fields {
        forks: Vec<FieldFork>,
    },
    /// Edited locally, deleted at the service.
    DeletedThere,
}

/// A merged record about which nobody has to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledMerge {
    /// The record that both sides are to have, or `None` if both are to delete it.
    pub target: Option<ContactRow>,
    pub note: Option<MergeNote>,
}

/// Merges the record and settles what the policy and the person's answers decide. Whatever stays open is a dispute.
pub fn settle_merge(
    base: Option<&ContactRow>,
    mine: Option<&ContactRow>,
    theirs: Option<&ContactRow>,
    policy: &MergePolicy,
    answers: &ContactAnswers,
) -> Result<SettledMerge, MergeDispute> {
    let MergeResult { row, forks, presence } = merge_rows(base, mine, theirs);
    let plain = |target: Option<ContactRow>, note| Ok(SettledMerge { target, note });
    match (presence, answers.row) {
        (RecordPresence::DeletedByMe, Some(RowAnswer::Mine)) => return plain(None, None),
        (RecordPresence::DeletedByMe, None) if policy.delete_anyway => return plain(None, None),
        (RecordPresence::DeletedByMe, answer) => {
            return plain(row, answer.is_none().then_some(MergeNote::DeletionDropped));
        }
        (RecordPresence::DeletedByThem, None) => return Err(MergeDispute::DeletedThere),
        (RecordPresence::DeletedByThem, Some(RowAnswer::Mine)) => return plain(row, None),
        (RecordPresence::DeletedByThem, Some(RowAnswer::Theirs)) => return plain(None, None),
        (RecordPresence::Agreed, _) => {}
    }
    let Some(mut row) = row else { return plain(None, None) };
    let (mut open, mut note) = (Vec::new(), None);
    for fork in forks {
        let answer = answers.fields.iter().find(|(field, _)| *field == fork.field).map(|(_, answer)| answer);
        let rule = policy.columns.get(&fork.field).copied().unwrap_or_default();
        match settle_fork(&fork, answer, rule) {
            Some((value, form)) => {
                row.set(fork.field, value);
                note = note.or(form);
            }
            None => open.push(fork),
        }
    }
    if open.is_empty() { plain(Some(row), note) } else { Err(MergeDispute::Fields { forks: open }) }
}

/// Returns the value that settles a fork, or `None` when the user has to be asked.
fn settle_fork<'a>(
    fork: &'a FieldFork,
    answer: Option<&'a ForkAnswer>,
    rule: ColumnRule,
) -> Option<(Option<&'a str>, Option<MergeNote>)> {
    let (mine, theirs) = (fork.mine.as_deref(), fork.theirs.as_deref());
    let value = match answer {
        Some(ForkAnswer::Mine) => mine,
        Some(ForkAnswer::Theirs) => theirs,
        Some(ForkAnswer::Base) => fork.base.as_deref(),
        Some(ForkAnswer::Value(value)) => value.as_deref(),
        None => match (mine, theirs) {
            (Some(mine), Some(there)) if differs_only_in_form(fork.field, mine, there) => {
                return Some((theirs, Some(MergeNote::FormTaken)));
            }
            _ => apply_column_rule(mine, theirs, rule)?,
        },
    };
    Some((value, None))
}

fn apply_column_rule<'a>(mine: Option<&'a str>, theirs: Option<&'a str>, rule: ColumnRule) -> Option<Option<&'a str>> {
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

    const FIRST: SyncField = SyncField::Attribute(Attribute::Firstname);
    const CITY: SyncField = SyncField::Attribute(Attribute::City);

    fn build_row(first: &str, city: &str) -> ContactRow {
        ContactRow::default()
            .with_value(SyncField::Phone, "+447700900001")
            .with_value(FIRST, first)
            .with_value(CITY, city)
    }

    fn settle_default(
        base: Option<&ContactRow>,
        mine: Option<&ContactRow>,
        theirs: Option<&ContactRow>,
    ) -> Result<SettledMerge, MergeDispute> {
        settle_merge(base, mine, theirs, &MergePolicy::default(), &ContactAnswers::default())
    }

    #[test]
    fn changes_of_different_fields_go_together() {
        let (base, mine, theirs) = (build_row("a", "x"), build_row("b", "x"), build_row("a", "y"));
        let got = settle_default(Some(&base), Some(&mine), Some(&theirs)).expect("no dispute");
        assert_eq!(got.target, Some(build_row("b", "y")));
    }

    #[test]
    fn the_same_field_is_asked_about_unless_a_rule_or_an_answer_says() {
        let (base, mine, theirs) = (build_row("a", "x"), build_row("bb", "x"), build_row("c", "x"));
        let with = |rule: ColumnRule, answers: &[(SyncField, ForkAnswer)]| {
            let policy = MergePolicy { columns: [(FIRST, rule)].into(), ..MergePolicy::default() };
            let answers = ContactAnswers { fields: answers.to_vec(), row: None };
            settle_merge(Some(&base), Some(&mine), Some(&theirs), &policy, &answers)
                .map(|settled| settled.target.and_then(|row| row.get(FIRST).map(str::to_owned)))
        };
        assert!(matches!(with(ColumnRule::Ask, &[]), Err(MergeDispute::Fields { forks }) if forks.len() == 1));
        assert!(with(ColumnRule::NonEmpty, &[]).is_err());
        for (rule, want) in [(ColumnRule::Mine, "bb"), (ColumnRule::Theirs, "c"), (ColumnRule::Longer, "bb")] {
            assert_eq!(with(rule, &[]), Ok(Some(want.to_owned())), "{rule:?}");
        }
        for (answer, want) in [(ForkAnswer::Base, Some("a")), (ForkAnswer::Value(Some("z".to_owned())), Some("z"))] {
            assert_eq!(with(ColumnRule::Mine, &[(FIRST, answer)]), Ok(want.map(str::to_owned)));
        }
        assert_eq!(with(ColumnRule::Ask, &[(FIRST, ForkAnswer::Value(None))]), Ok(None));
    }

    #[test]
    fn an_edit_there_outlives_a_deletion_here_but_not_the_other_way_unasked() {
        let (base, edited) = (build_row("a", "x"), build_row("b", "x"));
        assert_eq!(
            settle_default(Some(&base), None, Some(&edited)),
            Ok(SettledMerge { target: Some(edited.clone()), note: Some(MergeNote::DeletionDropped) })
        );
        assert_eq!(settle_default(Some(&base), Some(&edited), None), Err(MergeDispute::DeletedThere));
        assert_eq!(settle_default(Some(&base), None, None), Ok(SettledMerge { target: None, note: None }));
        let anyway = MergePolicy { delete_anyway: true, ..MergePolicy::default() };
        assert_eq!(
            settle_merge(Some(&base), None, Some(&edited), &anyway, &ContactAnswers::default()),
            Ok(SettledMerge { target: None, note: None })
        );
    }

    #[test]
    fn two_records_created_with_the_same_key_are_merged_without_a_base() {
        let got = settle_default(None, Some(&build_row("a", "")), Some(&build_row("", "y"))).expect("no dispute");
        assert_eq!(got.target, Some(build_row("a", "y")));
        assert!(settle_default(None, Some(&build_row("a", "")), Some(&build_row("b", ""))).is_err());
    }

    #[test]
    fn values_that_differ_only_in_form_are_not_a_conflict() {
        let got =
            settle_default(Some(&build_row("a", "x")), Some(&build_row("anna ", "x")), Some(&build_row("Anna", "x")))
                .expect("one name");
        assert_eq!((got.target, got.note), (Some(build_row("Anna", "x")), Some(MergeNote::FormTaken)));
    }
}
