//! Lists conflicts, stores the answers to them, and reopens them.

mod answering;
mod open_conflicts;
mod reopening;
mod rows;

use std::{collections::BTreeSet, sync::Arc};

use roost_reconcile::row::SyncField;
use roost_sync::gather;

use self::{
    open_conflicts::ContactConflict,
    rows::{ConflictLine, build_row},
};
pub(super) use self::{open_conflicts::OpenConflicts, reopening::LastSettlement};
use crate::{
    ConflictField, ConflictsPage, RuleEffect, Session, SessionResult, SyncNoun, changes::parse_field,
    titles::FieldTitles,
};

impl Session {
    /// Returns the open conflicts, which are cached until something changes.
    pub(super) fn open_conflicts(&self) -> SessionResult<Arc<OpenConflicts>> {
        let moment = self.state_version();
        if let Some((at, disputes)) = &self.state().disputes
            && *at == moment
        {
            return Ok(Arc::clone(disputes));
        }
        let disputes = Arc::new(self.read(|tx| Ok(OpenConflicts::read(tx)?))?);
        self.state().disputes = Some((moment, Arc::clone(&disputes)));
        Ok(disputes)
    }

    /// Returns a page of the open conflicts, with the rule of each column.
    pub fn conflict_page(
        &self,
        noun: Option<SyncNoun>,
        field: Option<&str>,
        from: u32,
        count: u32,
    ) -> SessionResult<ConflictsPage> {
        let field = field.map(parse_field).transpose()?;
        let disputes = self.open_conflicts()?;
        let is_of =
            |one: SyncNoun| noun.is_none_or(|wanted| wanted == one) && (field.is_none() || one == SyncNoun::Contact);
        let mut lines: Vec<ConflictLine<'_>> = Vec::new();
        if is_of(SyncNoun::List) {
            lines.extend(disputes.lists.iter().map(|(id, choice)| ConflictLine::List(*id, *choice)));
        }
        if is_of(SyncNoun::OptOut) {
            lines.extend(disputes.opt_outs.iter().map(|(id, choice)| ConflictLine::OptOut(id, *choice)));
        }
        if is_of(SyncNoun::Contact) {
            let fitting = |one: &&ContactConflict| field.is_none_or(|field| one.fields.contains(&field));
            lines.extend(disputes.contacts.iter().filter(fitting).map(ConflictLine::Contact));
        }
        let total = lines.len() as u64;
        let wanted = lines.iter().skip(from as usize).take(count as usize);
        self.read(|tx| {
            let (fields, policy) = (FieldTitles::read(tx)?, gather::read_policy(tx)?);
            let mut rows = Vec::new();
            for line in wanted {
                rows.extend(build_row(tx, &fields, &policy, line)?);
            }
            let column = |field: SyncField, (count, settles): (u64, RuleEffect)| ConflictField {
                title: fields.title(&field.name()),
                rule: policy.columns.get(&field).copied().unwrap_or_default(),
                field: field.name().into_owned(),
                count,
                settles,
            };
            // List a column with a rule even if it has no conflicts.
            let known: BTreeSet<SyncField> = disputes.fields.keys().chain(policy.columns.keys()).copied().collect();
            let count = |field: &SyncField| disputes.fields.get(field).copied().unwrap_or_default();
            let columns = known.into_iter().map(|field| column(field, count(&field))).collect();
            Ok(ConflictsPage {
                total,
                rows,
                fields: columns,
                open_opt_outs: disputes.open_opt_outs().count() as u64,
                delete_anyway: policy.delete_anyway,
            })
        })
    }
}
