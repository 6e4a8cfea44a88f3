//! Judges the account when a pull or a push ends, because what is wrong then may be repaired before the end.

use std::collections::HashSet;

use super::Violation;
use super::consent::is_questioned;
use super::ledger::{RowHistory, RowKind, WorldHistory, describe_row};
use super::outcome::RowOutcome;
use crate::account::{AccountRow, AccountState, UnsentChange};
use crate::service::{CONTACT_FIELDS, Service};

/// What the account showed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShownAccount {
    /// The rows that were shown last.
    rows: HashSet<(RowKind, String)>,
    /// The rows that were shown when the current run began.
    at_start: Vec<(RowKind, String)>,
    /// Every UID that was ever shown.
    uids: HashSet<String>,
    /// The UIDs of the lists that were shown last.
    lists: HashSet<String>,
    /// Whether the service has other lists than those that were shown when the current run began.
    is_other_account: bool,
}

const ROW_KINDS: [RowKind; 4] = [RowKind::List, RowKind::Contact, RowKind::Link, RowKind::Sender];

fn rows_of(account: &AccountState, kind: RowKind) -> &[AccountRow] {
    match kind {
        RowKind::List => &account.lists,
        RowKind::Contact => &account.contacts,
        RowKind::Link => &account.links,
        RowKind::Sender => &account.senders,
    }
}

fn subjects_of(story: &RowHistory) -> Vec<&str> {
    story.key.iter().chain(&story.uids).chain(&story.names).map(String::as_str).collect()
}

/// Returns whether the account still counts a row as changed, or asks about it.
fn is_pending_or_questioned(account: &AccountState, subjects: &[&str]) -> bool {
    let is_one = |own: &String| subjects.contains(&own.as_str());
    is_questioned(account, subjects)
        || account.questions.iter().any(|question| question.subjects.is_empty() && !question.reason.is_empty())
        || account.pending.iter().any(|work| is_one(&work.subject))
        || account.unsent.iter().any(|change| change.subjects.iter().any(is_one))
}

impl ShownAccount {
    pub(crate) fn note(&mut self, account: &AccountState) {
        self.rows.clear();
        for kind in ROW_KINDS {
            for row in rows_of(account, kind) {
                self.rows.insert((kind, row.key.clone()));
                self.uids.extend(row.uid.clone());
            }
        }
        self.lists = account.lists.iter().filter_map(|list| list.uid.clone()).collect();
    }
}

impl WorldHistory {
    pub(crate) fn begin_run(&mut self, service: &Service) {
        self.account.at_start = self.account.rows.iter().cloned().collect();
        self.account.at_start.sort_by(|left, right| left.1.cmp(&right.1));
        let ShownAccount { lists, uids, .. } = &self.account;
        let has_none = service.lists.iter().all(|list| !uids.contains(&list.uid));
        self.account.is_other_account = !lists.is_empty() && !service.lists.is_empty() && has_none;
    }

    /// Reports a pull that merged an account which has none of the known lists, although nobody confirmed it.
    pub(crate) fn judge_account(&self) -> Option<Violation> {
        let facts = "The service has none of the lists that the account showed when the pull began, so it may be the \
                     account of somebody else. The pull did not ask.";
        self.account.is_other_account.then(|| Violation::new("account.other", "", facts))
    }

    /// Returns the rows that the account showed when the pull began and that another writer deleted, which the account
    /// neither shows now nor can restore.
    pub(crate) fn judge_trash(&self, account: &AccountState) -> Vec<Violation> {
        let judge = |(kind, key): &(RowKind, String)| {
            let index = self.find_key(*kind, key)?;
            let story = self.stories.get(index)?;
            let is_shown =
                |row: &AccountRow| row.key == *key || row.uid.as_ref().is_some_and(|uid| story.uids.contains(uid));
            let is_deleted_here =
                |one: &RowHistory| one.loose_life || one.life.iter().any(|event| event.here && !event.alive);
            let mut lists = story.lists.iter().filter_map(|list| self.stories.get(*list));
            if rows_of(account, *kind).iter().any(is_shown)
                || account.trash.iter().any(|row| row.key == *key)
                || is_deleted_here(story)
                || lists.any(is_deleted_here)
                || !self.is_unique_identity(index)
                || is_pending_or_questioned(account, &subjects_of(story))
            {
                return None;
            }
            let facts = format!("The pull removed the row, and it cannot be restored. {}", describe_row(story));
            Some(Violation::new("row.not-in-trash", key, &facts))
        };
        self.account.at_start.iter().filter_map(judge).collect()
    }

    /// Returns the rows that the account showed when the pull began, that nobody deleted and the service still has, and
    /// that the account does not show any more.
    pub(crate) fn judge_removed_rows(&self, account: &AccountState, service: &Service) -> Vec<Violation> {
        let judge = |(kind, key): &(RowKind, String)| {
            let index = self.find_key(*kind, key)?;
            let story = self.stories.get(index)?;
            let uid = story.uids.iter().find(|uid| service.has_record(uid))?;
            let is_shown = |row: &AccountRow| row.key == *key || row.uid.as_ref() == Some(uid);
            if rows_of(account, *kind).iter().any(is_shown)
                || self.may_disappear(index, story)
                || is_pending_or_questioned(account, &subjects_of(story))
            {
                return None;
            }
            let facts = format!(
                "The account knew the row when the pull began, and does not show it now. Nobody deleted it, and the \
                 service has {uid}. {}",
                describe_row(story)
            );
            Some(Violation::new("row.removed-early", key, &facts))
        };
        self.account.at_start.iter().filter_map(judge).collect()
    }

    /// Returns the rows that count as changed although they look like their record, which nobody changed since `began`.
    pub(crate) fn judge_unsent_rows(&self, account: &AccountState, service: &Service, began: u64) -> Vec<Violation> {
        if account.has_open_run {
            return Vec::new();
        }
        let judge = |change: &UnsentChange| {
            let kind = kind_of(change)?;
            // The key alone may stand for the old record of a replaced row, which is still to be deleted.
            let is_named = |row: &&AccountRow| row.uid.as_ref().is_some_and(|uid| change.subjects.contains(uid));
            let row = rows_of(account, kind).iter().find(is_named)?;
            let story = self.find_key(kind, &row.key).and_then(|index| self.stories.get(index))?;
            let is_new = story.engine_wrote > began || story.words.iter().any(|word| word.moment > began);
            if is_new || !is_equal(kind, row, account, service) {
                return None;
            }
            let facts =
                format!("It looks like its record and counts as unsent ({}). {}", change.what, describe_row(story));
            Some(Violation::new("unsent.equal", &row.key, &facts))
        };
        account.unsent.iter().filter_map(judge).collect()
    }

    /// Reports rows that count as changed although the person never touched them.
    pub(crate) fn report_untouched_changes(&mut self, account: &AccountState) {
        let is_touched = |story: &RowHistory| story.touched_here || story.loose_life || story.loose_values;
        let mut found = Vec::new();
        for change in &account.unsent {
            let Some(kind) = kind_of(change) else { continue };
            let index = change
                .subjects
                .iter()
                .find_map(|subject| self.find_key(kind, subject).or_else(|| self.owners.get(subject).copied()));
            let Some((index, story)) = index.and_then(|index| Some((index, self.stories.get(index)?))) else {
                continue;
            };
            let in_touched = story.lists.iter().any(|list| self.stories.get(*list).is_some_and(is_touched));
            let is_known = story.key.as_ref().is_none_or(|key| !self.unknown_keys.contains(key));
            if !is_touched(story) && !in_touched && is_known && self.is_unique_identity(index) {
                let facts = format!(
                    "Nobody changed it here, and it counts as unsent ({}). {}",
                    change.what,
                    describe_row(story)
                );
                found.push(Violation::new("unsent.untouched", &change.subjects.join(" "), &facts));
            }
        }
        found.retain(|one| !self.violations.iter().any(|old| old.rule == one.rule && old.subject == one.subject));
        self.violations.append(&mut found);
    }

    /// Returns the deletions that the person made before `began`, that did not come about, and that the account neither
    /// counts as unsent nor asks about.
    pub(crate) fn judge_deletions(&self, account: &AccountState, service: &Service, began: u64) -> Vec<Violation> {
        let mut found = Vec::new();
        for (index, story) in self.stories.iter().enumerate() {
            let is_deleted = story.last_life(true).is_some_and(|event| !event.alive && event.moment < began);
            if !is_deleted || self.find_outcome(index) != RowOutcome::Gone || !self.is_unique_identity(index) {
                continue;
            }
            let is_there = |uid: &&String| {
                self.account.uids.contains(*uid) && !self.echoes.contains(*uid) && service.has_record(uid)
            };
            let Some(uid) = story.uids.iter().find(is_there) else { continue };
            let lists = story.lists.iter().filter_map(|list| self.stories.get(*list));
            if std::iter::once(story).chain(lists).any(|one| is_pending_or_questioned(account, &subjects_of(one))) {
                continue;
            }
            let facts = format!(
                "The push has ended. The deletion is not shown as unsent, and the service still has {uid}. {}",
                describe_row(story)
            );
            found.push(Violation::new("row.deletion-untold", story.key.as_deref().unwrap_or(uid), &facts));
        }
        found
    }
}

fn kind_of(change: &UnsentChange) -> Option<RowKind> {
    ROW_KINDS.into_iter().find(|kind| kind.name() == change.kind)
}

/// Returns whether a row has the same values, in the same list, as its record at the service.
fn is_equal(kind: RowKind, row: &AccountRow, account: &AccountState, service: &Service) -> bool {
    let Some(uid) = row.uid.as_deref() else { return false };
    let shown = |name: &str| row.values.get(name).map(String::as_str).filter(|text| !text.is_empty());
    match kind {
        RowKind::Contact => service.contacts.iter().any(|record| {
            let list = account.lists.iter().find(|list| Some(&list.key) == row.list_key.as_ref());
            let is_same_list = list.is_some_and(|list| list.uid.as_ref() == Some(&record.list));
            let mut values = CONTACT_FIELDS.iter().zip(&record.values);
            record.uid == uid && is_same_list && values.all(|((name, _), value)| shown(name) == value.as_deref())
        }),
        RowKind::List => service.lists.iter().any(|record| record.uid == uid && shown("name") == Some(&record.name)),
        RowKind::Link => service.links.iter().any(|record| record.uid == uid && shown("title") == Some(&record.title)),
        RowKind::Sender => service.senders.iter().any(|record| record.uid == uid),
    }
}
