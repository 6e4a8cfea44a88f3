//! Stores a person's answers to conflicts, and applies at once those that settle something.

use std::collections::{BTreeMap, BTreeSet};

use roost_ops::Actor;
use roost_reconcile::{
    input::{ListChoice, OptOutAnswer},
    merge::{ForkAnswer, RowAnswer},
    row::SyncField,
};
use roost_store::tables::sync::{SyncedTable, answers, changes};
use roost_sync::{
    decide::{self, ContactDecision, RecordKeys},
    gather::OptOutRecordKey,
    merge as merging,
};
use serde_json::Value;

use super::{
    open_conflicts::{OpenConflicts, RECORDS_PER_READ},
    reopening::FormerState,
};
use crate::{
    ColumnRule, ConflictAnswer, ConflictsSettled, RecordChoice, RecordKey, Session, SessionError, SessionResult,
    SyncNoun, changes::parse_field,
};

impl Session {
    /// Answers for a field of some contacts, or for each contact as a whole. Whatever this settles is merged at once.
    pub fn answer_conflicts(
        &self,
        keys: &[RecordKey],
        field: Option<&str>,
        answer: Option<&ConflictAnswer>,
        alike: bool,
    ) -> SessionResult<ConflictsSettled> {
        let field = field.map(parse_field).transpose()?;
        if field.is_none() && matches!(answer, Some(ConflictAnswer::Value { .. })) {
            return Err(SessionError::invalid_field(
                "field",
                "A value needs a field. Give the field as well.",
                Value::Null,
            ));
        }
        let disputes = self.open_conflicts()?;
        let ids: BTreeSet<i64> =
            keys.iter().filter(|key| key.noun == SyncNoun::Contact).filter_map(RecordKey::numeric_id).collect();
        if ids.len() != keys.len() {
            return Err(SessionError::invalid_field("keys", "Only contacts have values to decide about.", Value::Null));
        }
        let (mut of_fields, mut deleted) = (BTreeMap::<SyncField, Vec<i64>>::new(), Vec::new());
        for id in ids {
            // A contact that was settled meanwhile needs no answer. An answer that is withdrawn may not have settled
            // anything.
            let Some(one) = disputes.get(id) else { continue };
            match field {
                Some(field) => of_fields.entry(field).or_default().push(id),
                None if one.fields.is_empty() => deleted.push(id),
                None => one.fields.iter().for_each(|field| of_fields.entry(*field).or_default().push(id)),
            }
        }
        if alike {
            for (field, ids) in &mut of_fields {
                *ids = disputes.with_field(*field);
            }
            if !deleted.is_empty() {
                deleted = disputes.deleted_there();
            }
        }
        let row_answer = match answer {
            None => None,
            Some(ConflictAnswer::Mine) => Some(RowAnswer::Mine),
            Some(ConflictAnswer::Theirs) => Some(RowAnswer::Theirs),
            Some(_) if deleted.is_empty() => None,
            Some(_) => {
                return Err(SessionError::invalid_field(
                    "answer",
                    "A contact that was deleted at the service can only be kept or deleted here as well.",
                    Value::Null,
                ));
            }
        };
        let concerned: BTreeSet<i64> = of_fields.values().flatten().chain(&deleted).copied().collect();
        let before = self.remember_contacts(&concerned)?;
        for (field, ids) in &of_fields {
            for part in ids.chunks(RECORDS_PER_READ as usize) {
                decide::decide_contacts(
                    self.core(),
                    part,
                    &ContactDecision::Field(*field, answer.map(to_fork_answer)),
                )?;
            }
        }
        for part in deleted.chunks(RECORDS_PER_READ as usize) {
            decide::decide_contacts(self.core(), part, &ContactDecision::Row(row_answer))?;
        }
        self.summarize_settled(&disputes, before.map(|records| FormerState { records, rule: None }))
    }

    /// Decides about a list or an opt-out that one side deleted, and returns the number of open conflicts. Removing an
    /// opt-out needs the confirmation of the user and takes effect at once. With `alike`, all open opt-outs are created
    /// again.
    pub fn choose_for(
        &self,
        by: &Actor,
        key: &RecordKey,
        choice: Option<RecordChoice>,
        confirmed: Option<(u64, &str)>,
        alike: bool,
    ) -> SessionResult<u64> {
        let wrong = || SessionError::invalid_field("choice", "This choice is not possible here.", Value::Null);
        if alike && (key.noun != SyncNoun::OptOut || choice != Some(RecordChoice::CreateAgain)) {
            let message = "Only the choice to opt out again can be made for all at once.";
            return Err(SessionError::invalid_field("alike", message, Value::Null));
        }
        match key.noun {
            SyncNoun::List => {
                let id = key.numeric_id().ok_or(SessionError::Unknown)?;
                let choice = match choice {
                    None => None,
                    // The user discards the deletion, so the list returns with its contacts from the service.
                    Some(RecordChoice::Discard) if self.is_deleted_locally(id)? => {
                        decide::discard_changes(self.core(), by, &[RecordKeys::Lists(vec![id])])?;
                        None
                    }
                    Some(RecordChoice::DeleteAnyway) if self.is_deleted_locally(id)? => Some(ListChoice::DeleteAnyway),
                    Some(_) if self.is_deleted_locally(id)? => return Err(wrong()),
                    Some(RecordChoice::Recreate) => Some(ListChoice::Recreate),
                    Some(RecordChoice::Discard) => Some(ListChoice::Discard),
                    Some(_) => return Err(wrong()),
                };
                decide::choose_for_list(self.core(), id, choice)?;
            }
            SyncNoun::OptOut => {
                let opt_out = OptOutRecordKey::parse(&key.id).ok_or(SessionError::Unknown)?;
                let answer = match choice {
                    None => None,
                    Some(RecordChoice::CreateAgain) => Some(OptOutAnswer::CreateAgain),
                    Some(RecordChoice::LetGo) => {
                        let Some((count, reason)) = confirmed else {
                            let message = "Give the reason and the number of opt-outs to remove, which is 1.";
                            return Err(SessionError::invalid_field("reason", message, Value::Null));
                        };
                        decide::remove_opt_out(self.core(), by, &opt_out, count, reason)?;
                        None
                    }
                    Some(_) => return Err(wrong()),
                };
                let keys = if alike { self.open_opt_outs(&opt_out)? } else { vec![opt_out] };
                decide::answer_opt_outs(self.core(), &keys, answer)?;
            }
            _ => return Err(wrong()),
        }
        self.announce_change();
        Ok(self.open_conflicts()?.unanswered_count())
    }

    /// Returns this opt-out and all others that nobody has decided about.
    fn open_opt_outs(&self, first: &OptOutRecordKey) -> SessionResult<Vec<OptOutRecordKey>> {
        let disputes = self.open_conflicts()?;
        let first = first.id();
        let others = disputes.open_opt_outs().filter(|id| *id != first);
        Ok(std::iter::once(first.as_str()).chain(others).filter_map(OptOutRecordKey::parse).collect())
    }

    fn is_deleted_locally(&self, list: i64) -> SessionResult<bool> {
        self.read(|tx| Ok(changes::read_record::<i64>(tx, SyncedTable::Lists, list)?.local.is_none()))
    }

    /// Sets the rule for a column, and settles the waiting conflicts that it decides.
    pub fn set_rule(&self, field: &str, rule: ColumnRule) -> SessionResult<ConflictsSettled> {
        let before = self.open_conflicts()?;
        if field.is_empty() {
            decide::set_delete_anyway(self.core(), rule == ColumnRule::Mine)?;
            return self.summarize_settled(&before, None);
        }
        let field = parse_field(field)?;
        let waiting = before.with_field(field);
        let known = self.read(|tx| Ok(answers::read_rules(tx)?))?;
        let was = known.into_iter().find(|(name, _)| *name == field.name()).map(|(_, rule)| rule);
        let records = self.remember_contacts(&waiting.iter().copied().collect())?;
        decide::set_column_rule(self.core(), field, rule)?;
        for part in waiting.chunks(RECORDS_PER_READ as usize) {
            merging::merge_settled_contacts(self.core(), part)?;
        }
        let rule = Some((field.name().into_owned(), was));
        self.summarize_settled(&before, records.map(|records| FormerState { records, rule }))
    }

    fn summarize_settled(&self, then: &OpenConflicts, before: Option<FormerState>) -> SessionResult<ConflictsSettled> {
        self.announce_change();
        let left = self.open_conflicts()?.unanswered_count();
        let settled = then.unanswered_count().saturating_sub(left);
        let undo = if settled > 0 { self.store_settlement(before)? } else { None };
        Ok(ConflictsSettled { settled, left, undo })
    }
}

fn to_fork_answer(answer: &ConflictAnswer) -> ForkAnswer {
    match answer {
        ConflictAnswer::Mine => ForkAnswer::Mine,
        ConflictAnswer::Theirs => ForkAnswer::Theirs,
        ConflictAnswer::Base => ForkAnswer::Base,
        ConflictAnswer::Value { value } => ForkAnswer::Value(value.clone().filter(|text| !text.is_empty())),
    }
}
