//! The judge. After everything has settled, every intention must be fulfilled or a question must be open.

pub(crate) mod consent;
pub(crate) mod ledger;
mod outcome;
mod runs;
pub(crate) mod say;

use std::collections::{HashMap, HashSet};

use self::consent::is_questioned;
use self::ledger::{RowHistory, RowKind, WorldHistory, describe_row, share_identity};
use self::outcome::RowOutcome;
use crate::account::{AccountRow, AccountState};
use crate::service::{CONTACT_FIELDS, Service, field_index};

/// A broken promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The name of the rule, for example `contact.doubled`.
    pub rule: &'static str,
    /// The row or number that it concerns.
    pub subject: String,
    /// The facts, including the history of the subject.
    pub facts: String,
}

impl Violation {
    pub(crate) fn new(rule: &'static str, subject: &str, facts: &str) -> Violation {
        Violation { rule, subject: subject.to_owned(), facts: facts.to_owned() }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} [{}] {}", self.rule, self.subject, self.facts)
    }
}

/// A record at the service, in one form for all kinds.
struct JudgedRecord<'a> {
    uid: &'a str,
    list: Option<&'a str>,
    values: Vec<Option<&'a str>>,
}

/// The names of the rules for one kind of row.
struct RuleNames {
    doubled: &'static str,
    missing: &'static str,
    not_gone: &'static str,
    value: &'static str,
    lost_edit: &'static str,
    invented: &'static str,
    account: &'static str,
}

fn rule_names(kind: RowKind) -> RuleNames {
    macro_rules! names {
        ($kind:literal) => {
            RuleNames {
                doubled: concat!($kind, ".doubled"),
                missing: concat!($kind, ".missing"),
                not_gone: concat!($kind, ".not-gone"),
                value: concat!($kind, ".value"),
                lost_edit: concat!($kind, ".lost-edit"),
                invented: concat!($kind, ".invented"),
                account: concat!($kind, ".account"),
            }
        };
    }
    match kind {
        RowKind::Contact => names!("contact"),
        RowKind::List => names!("list"),
        RowKind::Link => names!("link"),
        RowKind::Sender => names!("sender"),
    }
}

/// The state of judging the final state.
struct JudgementRun<'a> {
    ledger: &'a WorldHistory,
    service: &'a Service,
    account: &'a AccountState,
    out: Vec<Violation>,
}

/// Judges the final state.
pub(crate) fn judge(ledger: &WorldHistory, service: &Service, account: &AccountState) -> Vec<Violation> {
    let mut judgement = JudgementRun { ledger, service, account, out: ledger.violations.clone() };
    ledger.consent.judge(account, service, &mut judgement.out);
    for kind in [RowKind::List, RowKind::Contact, RowKind::Link, RowKind::Sender] {
        judgement.judge_kind(kind);
    }
    judgement.judge_pending();
    judgement.out
}

impl<'a> JudgementRun<'a> {
    fn service_records(&self, kind: RowKind) -> Vec<JudgedRecord<'a>> {
        let service = self.service;
        match kind {
            RowKind::Contact => service
                .contacts
                .iter()
                .map(|row| JudgedRecord {
                    uid: &row.uid,
                    list: Some(&row.list),
                    values: row.values.iter().map(Option::as_deref).collect(),
                })
                .collect(),
            RowKind::List => service.lists.iter().map(|row| named_record(&row.uid, &row.name)).collect(),
            RowKind::Link => service.links.iter().map(|row| named_record(&row.uid, &row.title)).collect(),
            RowKind::Sender => service.senders.iter().map(|row| named_record(&row.uid, &row.name)).collect(),
        }
    }

    fn account_rows(&self, kind: RowKind) -> &'a [AccountRow] {
        match kind {
            RowKind::Contact => &self.account.contacts,
            RowKind::List => &self.account.lists,
            RowKind::Link => &self.account.links,
            RowKind::Sender => &self.account.senders,
        }
    }

    fn report_violation(&mut self, rule: &'static str, story: &RowHistory, what: &str) {
        let subject = story.key.clone().or_else(|| story.names.first().cloned()).unwrap_or_default();
        self.out.push(Violation::new(rule, &subject, &format!("{what} {}", describe_row(story))));
    }

    fn judge_kind(&mut self, kind: RowKind) {
        let ledger = self.ledger;
        let records = self.service_records(kind);
        let rules = rule_names(kind);
        let mut by_story: HashMap<usize, Vec<&JudgedRecord<'a>>> = HashMap::new();
        for record in &records {
            match ledger.owners.get(record.uid) {
                Some(index) => by_story.entry(*index).or_default().push(record),
                None => self.out.push(Violation::new(
                    rules.invented,
                    record.uid,
                    &format!("The engine made a record that nobody asked for: {:?}.", record.values),
                )),
            }
        }
        let mut done: HashSet<usize> = HashSet::new();
        for (index, story) in ledger.stories.iter().enumerate() {
            if story.kind != kind || !done.insert(index) {
                continue;
            }
            let group = self.find_similar(index, &mut done);
            let has_excuse = group.iter().any(|member| self.is_excused(*member));
            let owned: Vec<&JudgedRecord<'a>> =
                group.iter().filter_map(|member| by_story.get(member)).flatten().copied().collect();
            if has_excuse {
                continue;
            }
            if group.len() == 1 {
                self.judge_single(index, story, &owned);
            } else {
                self.judge_twins(&group, &owned);
            }
        }
        self.judge_invented_rows(kind);
    }

    /// Returns the rows that may be mistaken for this one, including itself.
    fn find_similar(&self, index: usize, done: &mut HashSet<usize>) -> Vec<usize> {
        let stories = &self.ledger.stories;
        let mut group = vec![index];
        let mut next = 0;
        while let Some(member) = group.get(next).copied() {
            next += 1;
            let Some(story) = stories.get(member) else {
                continue;
            };
            for (other, candidate) in stories.iter().enumerate() {
                if !group.contains(&other) && share_identity(story, candidate) {
                    done.insert(other);
                    group.push(other);
                }
            }
        }
        group
    }

    /// Returns whether a question is open about a row or its list.
    fn is_excused(&self, index: usize) -> bool {
        let stories = &self.ledger.stories;
        let Some(story) = stories.get(index) else {
            return false;
        };
        if self.account.questions.is_empty() {
            return false;
        }
        let all =
            self.account.questions.iter().any(|question| question.subjects.is_empty() && !question.reason.is_empty());
        // An undo may have moved the row back to any of its lists.
        let lists = story.lists.iter().rev().take(if story.loose_life { usize::MAX } else { 1 });
        all || std::iter::once(story).chain(lists.filter_map(|list| stories.get(*list))).any(|story| {
            let subjects: Vec<&str> =
                story.key.iter().chain(&story.uids).chain(&story.names).map(String::as_str).collect();
            is_questioned(self.account, &subjects)
        })
    }

    /// Returns whether the engine deleted one of two records that one request created.
    fn has_deleted_echo(&self, story: &RowHistory) -> bool {
        story.engine_deleted != 0 && story.uids.iter().any(|uid| self.is_echo(uid))
    }

    fn is_trashed(&self, key: &str) -> bool {
        self.account.trash.iter().any(|row| row.key == key)
    }

    fn is_echo(&self, uid: &str) -> bool {
        self.ledger.echoes.contains(uid)
    }

    fn judge_single(&mut self, index: usize, story: &RowHistory, owned: &[&JudgedRecord<'a>]) {
        let rules = rule_names(story.kind);
        let outcome = self.ledger.find_outcome(index);
        let own: Vec<&JudgedRecord<'a>> = owned.iter().filter(|record| !self.is_echo(record.uid)).copied().collect();
        if own.len() > 1 {
            let uids: Vec<&str> = own.iter().map(|record| record.uid).collect();
            self.report_violation(rules.doubled, story, &format!("The service has it {} times: {uids:?}.", own.len()));
            return;
        }
        let trashed = story.key.as_ref().is_some_and(|key| self.is_trashed(key));
        match outcome {
            RowOutcome::Alive if owned.is_empty() => {
                self.report_violation(rules.missing, story, "It is not at the service.");
            }
            RowOutcome::Gone if !own.is_empty() && !self.has_deleted_echo(story) => {
                self.report_violation(rules.not_gone, story, "It was deleted but is at the service.");
            }
            RowOutcome::Traced if owned.is_empty() && !trashed => {
                self.report_violation(rules.lost_edit, story, "It was deleted by another writer; what the person said is neither at the service, nor in the trash, nor asked about.");
            }
            _ => {
                if let Some(record) = own.first().or(owned.first()) {
                    self.judge_record(story, record, outcome);
                }
            }
        }
        self.judge_row(story, owned, outcome);
    }

    fn judge_record(&mut self, story: &RowHistory, record: &JudgedRecord<'a>, outcome: RowOutcome) {
        if outcome == RowOutcome::Gone {
            return;
        }
        let rules = rule_names(story.kind);
        for (field, value) in record.values.iter().enumerate() {
            if !story.allows_outcome(field, *value) {
                let name = CONTACT_FIELDS.get(field).map_or("name", |(name, _)| *name);
                self.report_violation(rules.value, story, &format!("{name} is {value:?} at the service."));
                return;
            }
        }
        let home = record.list.and_then(|list| self.ledger.owners.get(list));
        let wrong_list = record.list.is_some() && home != story.lists.last();
        if wrong_list && outcome == RowOutcome::Alive && !story.loose_values {
            self.report_violation("contact.wrong-list", story, &format!("It is in list {:?}.", record.list));
        }
    }

    /// Checks that the row in the account mirrors the record at the service.
    fn judge_row(&mut self, story: &RowHistory, owned: &[&JudgedRecord<'a>], outcome: RowOutcome) {
        // If one request created two records, the engine may use either.
        if story.uids.iter().any(|uid| self.is_echo(uid)) {
            return;
        }
        let rules = rule_names(story.kind);
        let rows: Vec<&AccountRow> = self
            .account_rows(story.kind)
            .iter()
            .filter(|row| {
                story.key.as_ref() == Some(&row.key)
                    || row.uid.as_ref().is_some_and(|uid| story.uids.contains(uid) && !self.is_echo(uid))
            })
            .collect();
        let record = owned.iter().find(|record| !self.is_echo(record.uid)).or(owned.first());
        match (rows.as_slice(), record) {
            ([], None) => {}
            ([], Some(record)) if outcome != RowOutcome::Gone => {
                self.report_violation(
                    rules.account,
                    story,
                    &format!("{} is at the service but not in the account.", record.uid),
                );
            }
            ([_], None) => {
                self.report_violation(rules.account, story, "It is in the account but not at the service.");
            }
            ([row], Some(record)) => {
                let values_differ = record.values.iter().enumerate().any(|(field, value)| {
                    let name = match story.kind {
                        RowKind::Contact => CONTACT_FIELDS.get(field).map_or("", |(name, _)| *name),
                        RowKind::Link => "title",
                        _ => "name",
                    };
                    let shown = row.values.get(name).map(String::as_str).filter(|text| !text.is_empty());
                    shown != *value
                });
                if values_differ {
                    self.report_violation(
                        rules.account,
                        story,
                        &format!("The account shows {:?}, the service has {:?}.", row.values, record.values),
                    );
                } else if story.key.as_ref().is_some_and(|key| *key != row.key && !self.is_trashed(key))
                    && !self.is_echo(record.uid)
                {
                    self.report_violation("key.changed", story, &format!("The row now has the key {}.", row.key));
                } else if row.uid.as_deref().is_some_and(|uid| uid != record.uid && !self.is_echo(uid)) {
                    self.report_violation(
                        rules.account,
                        story,
                        &format!("The row has the UID {:?}, the record {}.", row.uid, record.uid),
                    );
                }
            }
            ([_, _, ..], _) => {
                self.report_violation(rules.doubled, story, "The account shows it more than once.");
            }
            _ => {}
        }
    }

    /// Judges rows that share a number. They cannot be distinguished, so only their count is judged, and that records of
    /// other writers stay.
    fn judge_twins(&mut self, group: &[usize], owned: &[&JudgedRecord<'a>]) {
        let ledger = self.ledger;
        let stories: Vec<&RowHistory> = group.iter().filter_map(|index| ledger.stories.get(*index)).collect();
        let Some(first) = stories.first().copied() else {
            return;
        };
        let rules = rule_names(first.kind);
        let outcomes: Vec<RowOutcome> = group.iter().map(|index| ledger.find_outcome(*index)).collect();
        let most = outcomes.iter().filter(|outcome| **outcome != RowOutcome::Gone).count();
        let own = owned.iter().filter(|record| !self.is_echo(record.uid)).count();
        if own > most {
            self.report_violation(
                rules.doubled,
                first,
                &format!("{own} records of rows with one number; at most {most} were asked for."),
            );
        }
        if owned.is_empty() && outcomes.contains(&RowOutcome::Alive) {
            self.report_violation(rules.missing, first, "None of the rows with this number is at the service.");
        }
        let deleted_here = stories.iter().any(|story| {
            story.touched_here
                || story.lists.iter().any(|list| ledger.stories.get(*list).is_some_and(|list| list.touched_here))
        });
        for (story, outcome) in stories.iter().zip(&outcomes) {
            let kept = owned.iter().any(|record| story.uids.iter().any(|uid| uid == record.uid));
            if *outcome == RowOutcome::Alive && story.is_created_at_service() && !deleted_here && !kept {
                self.report_violation(rules.missing, story, "A record of another writer is gone.");
            }
        }
    }

    fn judge_invented_rows(&mut self, kind: RowKind) {
        for row in self.account_rows(kind) {
            let known = self.ledger.find_key(kind, &row.key).is_some()
                || row.uid.as_ref().is_some_and(|uid| self.ledger.owners.contains_key(uid));
            if !known {
                self.out.push(Violation::new(
                    rule_names(kind).invented,
                    &row.key,
                    &format!("The account shows a row that nobody made: {:?}.", row.values),
                ));
            }
        }
    }

    fn judge_pending(&mut self) {
        for question in &self.account.questions {
            if question.reason.is_empty() {
                self.out.push(Violation::new(
                    "question.no-reason",
                    &question.kind,
                    &format!("The question about {:?} gives no reason.", question.subjects),
                ));
            }
        }
        for work in &self.account.pending {
            let is_questioned = self
                .account
                .questions
                .iter()
                .any(|question| question.subjects.is_empty() || question.subjects.contains(&work.subject));
            let stories = [RowKind::Contact, RowKind::List, RowKind::Link, RowKind::Sender];
            let excused = stories
                .iter()
                .filter_map(|kind| self.ledger.find_key(*kind, &work.subject))
                .any(|index| self.is_excused(index));
            if !is_questioned && !excused {
                self.out.push(Violation::new(
                    "pending.stuck",
                    &work.subject,
                    &format!("Work is still pending without a question: {}.", work.what),
                ));
            }
        }
    }
}

fn named_record<'a>(uid: &'a str, name: &'a str) -> JudgedRecord<'a> {
    JudgedRecord { uid, list: None, values: vec![Some(name)] }
}

/// Returns whether a name is a field of contacts, for adapters that hold more fields.
pub fn is_contact_field(name: &str) -> bool {
    field_index(name).is_some()
}
