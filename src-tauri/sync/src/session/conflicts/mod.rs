//! Lists conflicts, stores the answers to them, and reopens them.

mod answering;
mod found;
mod reopening;
mod rows;

use std::{collections::BTreeSet, sync::Arc};

use roost_reconcile::{merge, row::Field};

use self::{
    found::Disputed,
    rows::{Line, row},
};
pub(super) use self::{found::Disputes, reopening::Settlement};
use super::{
    Answer, ColumnRule, ConflictField, ConflictsPage, RuleSettles, Session, SyncNoun, changes::field_of, titles::Fields,
};
use crate::gather;

impl Session {
    /// Returns the open conflicts, which are cached until something changes.
    pub(super) fn disputes(&self) -> Answer<Arc<Disputes>> {
        let moment = self.moment();
        if let Some((at, disputes)) = &self.state().disputes
            && *at == moment
        {
            return Ok(Arc::clone(disputes));
        }
        let disputes = Arc::new(self.read(|tx| Ok(Disputes::of(tx)?))?);
        self.state().disputes = Some((moment, Arc::clone(&disputes)));
        Ok(disputes)
    }

    /// Returns a page of the open conflicts, with the rule of each column.
    pub fn conflicts(
        &self,
        noun: Option<SyncNoun>,
        field: Option<&str>,
        from: u32,
        count: u32,
    ) -> Answer<ConflictsPage> {
        let field = field.map(field_of).transpose()?;
        let disputes = self.disputes()?;
        let is_of =
            |one: SyncNoun| noun.is_none_or(|wanted| wanted == one) && (field.is_none() || one == SyncNoun::Contact);
        let mut lines: Vec<Line<'_>> = Vec::new();
        if is_of(SyncNoun::List) {
            lines.extend(disputes.lists.iter().map(|(id, choice)| Line::List(*id, *choice)));
        }
        if is_of(SyncNoun::OptOut) {
            lines.extend(disputes.opt_outs.iter().map(|(id, choice)| Line::OptOut(id, *choice)));
        }
        if is_of(SyncNoun::Contact) {
            let fitting = |one: &&Disputed| field.is_none_or(|field| one.fields.contains(&field));
            lines.extend(disputes.contacts.iter().filter(fitting).map(Line::Contact));
        }
        let total = lines.len() as u64;
        let wanted = lines.iter().skip(from as usize).take(count as usize);
        self.read(|tx| {
            let (fields, policy) = (Fields::of(tx)?, gather::policy(tx)?);
            let mut rows = Vec::new();
            for line in wanted {
                rows.extend(row(tx, &fields, &policy, line)?);
            }
            let column = |field: Field, (count, settles): (u64, RuleSettles)| ConflictField {
                title: fields.title(&field.name()),
                rule: rule_of(policy.columns.get(&field).copied().unwrap_or_default()),
                field: field.name().into_owned(),
                count,
                settles,
            };
            // List a column with a rule even if it has no conflicts.
            let known: BTreeSet<Field> = disputes.fields.keys().chain(policy.columns.keys()).copied().collect();
            let count = |field: &Field| disputes.fields.get(field).copied().unwrap_or_default();
            let columns = known.into_iter().map(|field| column(field, count(&field))).collect();
            Ok(ConflictsPage { total, rows, fields: columns, delete_anyway: policy.delete_anyway })
        })
    }
}

fn rule_of(rule: merge::ColumnRule) -> ColumnRule {
    match rule {
        merge::ColumnRule::Ask => ColumnRule::Ask,
        merge::ColumnRule::Mine => ColumnRule::Mine,
        merge::ColumnRule::Theirs => ColumnRule::Theirs,
        merge::ColumnRule::NonEmpty => ColumnRule::NonEmpty,
        merge::ColumnRule::Longer => ColumnRule::Longer,
    }
}
