//! Stores a person's answers to conflicts, and applies at once those that settle something.

use std::collections::{BTreeMap, BTreeSet};

use roost_ops::By;
use roost_reconcile::{
    input::{ListChoice, OptOutAnswer},
    merge::{self, Answer as Chosen, RowAnswer},
    row::Field,
};
use roost_store::tables::sync::{Place, answers, changes};
use serde_json::Value;

use super::{
    super::{
        Answer, ColumnRule, ConflictAnswer, ConflictsSettled, RecordChoice, RecordKey, Refusal, Session, SyncNoun,
        changes::field_of,
    },
    found::{Disputes, STRETCH},
    reopening::Before,
};
use crate::{
    decide::{self, Decision, Records},
    gather::Standing,
    merge as merging,
};

impl Session {
    /// Answers for a field of some contacts, or for each contact as a whole. Whatever this settles is merged at once.
    pub fn answer(
        &self,
        keys: &[RecordKey],
        field: Option<&str>,
        answer: Option<&ConflictAnswer>,
        alike: bool,
    ) -> Answer<ConflictsSettled> {
        let field = field.map(field_of).transpose()?;
        if field.is_none() && matches!(answer, Some(ConflictAnswer::Value { .. })) {
            return Err(Refusal::fault("field", "A value belongs to a field. Say which.", Value::Null));
        }
        let disputes = self.disputes()?;
        let ids: BTreeSet<i64> =
            keys.iter().filter(|key| key.noun == SyncNoun::Contact).filter_map(RecordKey::number).collect();
        if ids.len() != keys.len() {
            return Err(Refusal::fault("keys", "Only contacts have values to decide about.", Value::Null));
        }
        let (mut of_fields, mut deleted) = (BTreeMap::<Field, Vec<i64>>::new(), Vec::new());
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
                return Err(Refusal::fault(
                    "answer",
                    "A contact that is gone there is kept, or goes here too.",
                    Value::Null,
                ));
            }
        };
        let concerned: BTreeSet<i64> = of_fields.values().flatten().chain(&deleted).copied().collect();
        let before = self.remember(&concerned)?;
        for (field, ids) in &of_fields {
            for part in ids.chunks(STRETCH as usize) {
                decide::contacts(self.core(), part, &Decision::Field(*field, answer.map(chosen)))?;
            }
        }
        for part in deleted.chunks(STRETCH as usize) {
            decide::contacts(self.core(), part, &Decision::Row(row_answer))?;
        }
        self.settled_since(&disputes, before.map(|records| Before { records, rule: None }))
    }

    /// Decides about a list or an opt-out that one side deleted, and returns the number of open conflicts. Removing an
    /// opt-out needs the confirmation of the user and takes effect at once.
    pub fn choose_for(
        &self,
        by: &By,
        key: &RecordKey,
        choice: Option<RecordChoice>,
        confirmed: Option<(u64, &str)>,
    ) -> Answer<u64> {
        let wrong = || Refusal::fault("choice", "This cannot be chosen here.", Value::Null);
        match key.noun {
            SyncNoun::List => {
                let id = key.number().ok_or(Refusal::Unknown)?;
                let choice = match choice {
                    None => None,
                    // The user discards the deletion, so the list returns with its contacts from the service.
                    Some(RecordChoice::Discard) if self.is_deleted_here(id)? => {
                        decide::discard(self.core(), by, &[Records::Lists(vec![id])])?;
                        None
                    }
                    Some(RecordChoice::DeleteAnyway) if self.is_deleted_here(id)? => Some(ListChoice::DeleteAnyway),
                    Some(_) if self.is_deleted_here(id)? => return Err(wrong()),
                    Some(RecordChoice::Recreate) => Some(ListChoice::Recreate),
                    Some(RecordChoice::Discard) => Some(ListChoice::Discard),
                    Some(_) => return Err(wrong()),
                };
                decide::list(self.core(), id, choice)?;
            }
            SyncNoun::OptOut => {
                let standing = Standing::parse(&key.id).ok_or(Refusal::Unknown)?;
                let answer = match choice {
                    None => None,
                    Some(RecordChoice::CreateAgain) => Some(OptOutAnswer::CreateAgain),
                    Some(RecordChoice::LetGo) => {
                        let Some((count, reason)) = confirmed else {
                            let told = "Give the reason and the number of opt-outs to remove, which is 1.";
                            return Err(Refusal::fault("reason", told, Value::Null));
                        };
                        decide::remove_opt_out(self.core(), by, &standing, count, reason)?;
                        None
                    }
                    Some(_) => return Err(wrong()),
                };
                decide::opt_out(self.core(), &standing, answer)?;
            }
            _ => return Err(wrong()),
        }
        self.moved();
        Ok(self.disputes()?.unanswered())
    }

    fn is_deleted_here(&self, list: i64) -> Answer<bool> {
        self.read(|tx| Ok(changes::one::<i64>(tx, Place::Lists, list)?.local.is_none()))
    }

    /// Sets the rule for a column, and settles the waiting conflicts that it decides.
    pub fn rule(&self, field: &str, rule: ColumnRule) -> Answer<ConflictsSettled> {
        let before = self.disputes()?;
        if field.is_empty() {
            decide::deletions(self.core(), rule == ColumnRule::Mine)?;
            return self.settled_since(&before, None);
        }
        let field = field_of(field)?;
        let kept = match rule {
            ColumnRule::Ask => merge::ColumnRule::Ask,
            ColumnRule::Mine => merge::ColumnRule::Mine,
            ColumnRule::Theirs => merge::ColumnRule::Theirs,
            ColumnRule::NonEmpty => merge::ColumnRule::NonEmpty,
            ColumnRule::Longer => merge::ColumnRule::Longer,
        };
        let waiting = before.with_field(field);
        let known = self.read(|tx| Ok(answers::rules(tx)?))?;
        let was = known.into_iter().find(|(name, _)| *name == field.name()).map(|(_, rule)| rule);
        let records = self.remember(&waiting.iter().copied().collect())?;
        decide::column(self.core(), field, kept)?;
        for part in waiting.chunks(STRETCH as usize) {
            merging::answered(self.core(), part)?;
        }
        let rule = Some((field.name().into_owned(), was));
        self.settled_since(&before, records.map(|records| Before { records, rule }))
    }

    fn settled_since(&self, then: &Disputes, before: Option<Before>) -> Answer<ConflictsSettled> {
        self.moved();
        let left = self.disputes()?.unanswered();
        let settled = then.unanswered().saturating_sub(left);
        let undo = if settled > 0 { self.keep_settled(before)? } else { None };
        Ok(ConflictsSettled { settled, left, undo })
    }
}

fn chosen(answer: &ConflictAnswer) -> Chosen {
    match answer {
        ConflictAnswer::Mine => Chosen::Mine,
        ConflictAnswer::Theirs => Chosen::Theirs,
        ConflictAnswer::Base => Chosen::Base,
        ConflictAnswer::Value { value } => Chosen::Value(value.clone().filter(|text| !text.is_empty())),
    }
}
