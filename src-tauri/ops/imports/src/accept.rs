//! Carries out a rehearsed import in one transaction and as one step.

use std::slice;

use roost_model::{
    contact::ContactField,
    error::FieldError,
    id::{ContactId, ListId},
    list::check_name,
    opt_out::{OptOut, OptOutRecordScope, OptOutType},
    time::Timestamp,
};
use roost_sheets::RowFlag;
use roost_store::{
    change_log::{ActorKind, ChangeAction, ChangeLogEntry, Noun},
    tables::{
        contacts::{
            appender::ContactAppender,
            grid::{drafts, edit::CellSetter},
            numbers,
        },
        custom_fields,
        imports::{self, NewImport, rejects},
        lists::{self, ListRow},
        opt_outs,
    },
    tx::{ActDescription, WriteTx},
    watch::Watch,
};
use serde::Serialize;

use super::{
    rehearse::{FieldComparison, ImportSummary, Rehearsal, RowMatch, SpooledRows, visit_matches},
    verdicts::{BucketCounts, RowBucket, RowOptOut},
};
use crate::packed_number::{PackedNumber, TEXT_MAX};
use roost_ops::{
    contact::fields::number_fields,
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
    list,
    opt_out::{ContactNumbers, LostOptOut, collect_lost_opt_outs},
};

/// How an import is recorded, and the list that it fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AcceptOptions<'a> {
    /// The name of the file, or of the files.
    pub name: &'a str,
    pub kind: &'a str,
    /// The name of the list to create, if the rehearsal has no list.
    pub new_list: Option<&'a str>,
    /// The number of added opt-outs, as the person typed it.
    pub typed_count: Option<u64>,
    /// A unique mark, by which a restarted program finds out whether the import was completed.
    pub mark: Option<&'a str>,
}

/// The stored form of a rehearsal's result, with the mark of the import.
#[derive(Serialize)]
struct MarkedSummary<'a> {
    #[serde(flatten)]
    summary: &'a ImportSummary,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<&'a str>,
}

/// The first second of the year 2000. An earlier time of an opt-out is a placeholder.
const EARLIEST_OPT_OUT: i64 = 946_684_800;

/// Refuses an import that adds another number of opt-outs than the person typed.
pub(crate) fn check_typed_count(typed_count: Option<u64>, opt_outs: u64) -> Result<()> {
    let message = match opt_outs {
        _ if typed_count.unwrap_or_default() == opt_outs => return Ok(()),
        0 => "This adds no opt-outs.".to_owned(),
        1 => "This adds 1 opt-out. Type 1 to accept it.".to_owned(),
        _ => format!("This adds {opt_outs} opt-outs. Type {opt_outs} to accept them."),
    };
    Err(FieldError::new("typed_count", message, typed_count).into())
}

/// The result of an import that was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AcceptedImport {
    /// The id of the import in the history.
    #[serde(rename = "past")]
    pub import: i64,
    /// The step that undo takes back.
    pub step: i64,
    #[cfg_attr(feature = "ts", ts(as = "String"))]
    pub list: ListId,
    pub counts: BucketCounts,
    /// Refused rows, which are stored with the import so that they can be fixed.
    pub rejects: u64,
    /// Opt-outs that were added.
    pub opt_outs: u64,
    /// The opt-outs that the new numbers of changed contacts lack. Empty if the program was restarted since.
    pub lost_opt_outs: Vec<LostOptOut>,
}

const STALE_MESSAGE: &str =
    "The account has changed since the rehearsal was shown. Nothing was imported. Check the rehearsal again.";

/// Imports what was rehearsed, and stores the refused rows with the import.
pub fn accept_rehearsal(
    core: &Core,
    by: &Actor,
    rows: SpooledRows,
    rehearsal: &Rehearsal,
    how: &AcceptOptions,
) -> Result<AcceptedImport> {
    let by = Actor { source: ActorKind::Import, ..by.clone() };
    core.write(&by, |tx| {
        let mut import = write_accepted_rows(core, &by, tx, rows, rehearsal, how, None)?;
        import.accepted.rejects = import.store_rejects()?;
        import.finish_act("import_accept")
    })
}

/// An import that is being written to the account.
pub(super) struct ImportWriter<'a, 'c> {
    core: &'a Core,
    tx: &'a WriteTx<'c>,
    watch: std::sync::Arc<Watch>,
    rows: SpooledRows<'a>,
    rehearsal: &'a Rehearsal,
    options: &'a AcceptOptions<'a>,
    list: ListRow,
    now: Timestamp,
    accepted: AcceptedImport,
}

/// Checks that the account has not changed since the rehearsal, then writes everything but the refused rows. `of` is
/// the earlier import whose refused rows are imported now.
pub(super) fn write_accepted_rows<'a, 'c>(
    core: &'a Core,
    by: &Actor,
    tx: &'a WriteTx<'c>,
    rows: SpooledRows<'a>,
    rehearsal: &'a Rehearsal,
    how: &'a AcceptOptions,
    of: Option<i64>,
) -> Result<ImportWriter<'a, 'c>> {
    if rehearsal.is_stale_in(tx)? {
        return Err(Error::conflict(STALE_MESSAGE));
    }
    let summary = rehearsal.summary();
    check_typed_count(how.typed_count, summary.opt_outs)?;
    let BucketCounts { new, changed, invalid, .. } = summary.counts;
    tx.expect_rows(new + changed + invalid + summary.opt_outs);
    if summary.opt_outs > 0 {
        tx.set_reason(&format!("Imported from {}", how.name))?;
    }
    let (list, list_name, row) = find_or_create_list(core, tx, rehearsal, how)?;
    for field in rehearsal.new_fields() {
        custom_fields::insert(tx, field)?;
        tx.log_change(ChangeLogEntry::single(Noun::CustomField, ChangeAction::Created, field.number));
    }
    let now = core.ctx().now();
    let written = NewImport {
        list: &list,
        list_name: &list_name,
        name: how.name,
        kind: how.kind,
        of,
        result: &to_json(&MarkedSummary { summary, mark: how.mark })?,
        heads: &to_json(rows.heads)?,
        mapping: &to_json(&rehearsal.mapping)?,
    };
    let accepted = AcceptedImport {
        import: imports::insert(tx, now, &written)?,
        step: tx.step(),
        list,
        counts: summary.counts,
        rejects: 0,
        opt_outs: summary.opt_outs,
        lost_opt_outs: Vec::new(),
    };
    let watch = by.watch.clone().unwrap_or_default();
    let mut import = ImportWriter { core, tx, watch, rows, rehearsal, options: how, list: row, now, accepted };
    import.append_contacts()?;
    let renumbered = import.change_contacts()?;
    import.add_opt_outs()?;
    // The file may opt the new numbers out itself.
    for (before, after) in &renumbered {
        collect_lost_opt_outs(tx, slice::from_ref(before), after, &mut import.accepted.lost_opt_outs)?;
    }
    if new + changed > 0 {
        lists::touch(tx, row, now, new as i64)?;
    }
    Ok(import)
}

pub(super) fn to_json(value: &(impl Serialize + ?Sized)) -> Result<String> {
    serde_json::to_string(value).map_err(|why| Error::conflict(format!("The import cannot be written down: {why}.")))
}

/// Returns the list to fill, and creates it if the import asks for a new one.
fn find_or_create_list(
    core: &Core,
    tx: &WriteTx,
    rehearsal: &Rehearsal,
    how: &AcceptOptions,
) -> Result<(ListId, String, ListRow)> {
    match (rehearsal.list(), how.new_list) {
        (Some(uid), _) => {
            let list = lists::get(tx, uid)?.or_not_found(Noun::List, uid)?;
            let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
            tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, uid));
            Ok((list.uid, list.name, row))
        }
        (None, Some(name)) => {
            check_name(name)?;
            let (list, row) = list::insert_empty(core, tx, name)?;
            Ok((list.uid, list.name, row))
        }
        (None, None) => Err(FieldError::new("new_list", "Name the list that the contacts go into.", "").into()),
    }
}

impl ImportWriter<'_, '_> {
    /// Adds the new contacts, in the order of the file.
    fn append_contacts(&self) -> Result<()> {
        let Self { rehearsal, .. } = self;
        let plan = &rehearsal.plan;
        let numbers = [&plan.phone, &plan.whatsapp].map(|number| number.as_ref().and_then(|n| number_fields(n.field)));
        let texts = plan.texts.iter().map(|text| text.field);
        let fields: Vec<ContactField> = numbers.into_iter().flatten().flatten().chain(texts).collect();
        let mut appender = ContactAppender::new(self.tx, self.list, &fields, self.now)?;
        let mut drafts: Vec<(i64, ContactField, String)> = Vec::new();
        self.rows.visit_rows(|at, row| {
            if rehearsal.verdicts.bucket(at as usize) != RowBucket::New {
                return Ok(());
            }
            self.tx.check_cancelled()?;
            let settled = rehearsal.verdicts.numbers(at as usize);
            let mut column = 0;
            for (fields, number) in numbers.iter().zip([settled.phone, settled.whatsapp]) {
                if fields.is_some() {
                    let (mut digits, mut region) = ([0; TEXT_MAX], [0; 3]);
                    let number = (!number.is_none()).then_some(number);
                    appender.set_value(column, number.map(|number| number.write_e164(&mut digits)))?;
                    appender.set_value(column + 1, number.map(|number| number.write_region(&mut region)))?;
                    column += 2;
                }
            }
            let mut refused = Vec::new();
            for (text, column) in plan.texts.iter().zip(column..) {
                match text.read_value(row).unwrap_or_default() {
                    Some(value) if text.is_draft(row, &value) => {
                        appender.set_value(column, None)?;
                        refused.push((text.field, value.into_owned()));
                    }
                    value => appender.set_value(column, value.as_deref())?,
                }
            }
            let id = appender.append(&ContactId::new(self.core.ctx().ksuid(self.now)))?;
            drafts.extend(refused.into_iter().map(|(field, text)| (id, field, text)));
            self.watch.add_rows(1);
            Ok(())
        })?;
        let new = appender.end()?;
        for (contact, field, text) in &drafts {
            drafts::set_draft(self.tx, *contact, &field.name(), Some(text))?;
        }
        if new > 0 {
            self.tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Created, &self.accepted.list, new));
        }
        Ok(())
    }

    /// Writes new values to contacts of the list. They replace drafts in these cells, and invalid ones become drafts.
    /// Returns the numbers before and after of contacts that get another one.
    fn change_contacts(&self) -> Result<Vec<(ContactNumbers, ContactNumbers)>> {
        let Self { rehearsal, tx, .. } = self;
        let is_changed = |found: &&RowMatch| rehearsal.verdicts.bucket(found.row as usize) == RowBucket::Changed;
        let changed: Vec<RowMatch> = rehearsal.matches.iter().filter(is_changed).copied().collect();
        let mut renumbered = Vec::new();
        if changed.is_empty() {
            return Ok(renumbered);
        }
        let comparison = FieldComparison::new(&rehearsal.plan, &rehearsal.custom);
        let has_drafts = drafts::has_any(tx)?;
        visit_matches(
            tx,
            self.rows,
            self.list,
            &comparison,
            &rehearsal.verdicts,
            &changed,
            &self.watch,
            |found, _, _, differences| {
                let changes = &differences.changes;
                if changes.iter().any(|change| number_fields(change.field).is_some()) {
                    let (phone, whatsapp) = numbers::read_numbers(tx, found.contact)?;
                    let before = ContactNumbers { phone, whatsapp };
                    let mut after = before.clone();
                    for change in changes {
                        after.set(change.field, change.after.as_deref());
                    }
                    renumbered.push((before, after));
                }
                let (mut fields, mut values) = (Vec::with_capacity(changes.len()), Vec::with_capacity(changes.len()));
                for change in changes {
                    if change.is_draft {
                        drafts::set_draft(tx, found.contact, &change.field.name(), change.after.as_deref())?;
                        continue;
                    }
                    let region = (!change.number.is_none()).then(|| change.number.write_region(&mut [0; 3]).to_owned());
                    let after = change.after.as_deref().map(str::to_owned);
                    let columns = number_fields(change.field);
                    fields.extend(columns.into_iter().flatten().chain(columns.is_none().then_some(change.field)));
                    values.extend([after].into_iter().chain(columns.map(|_| region)));
                    if has_drafts {
                        drafts::set_draft(tx, found.contact, &change.field.name(), None)?;
                    }
                }
                if fields.is_empty() {
                    return Ok(());
                }
                CellSetter::new(tx, &fields)?.set_cells(found.contact, self.now, &values)
            },
        )?;
        tx.log_change(ChangeLogEntry::many(
            Noun::Contact,
            ChangeAction::Updated,
            &self.accepted.list,
            changed.len() as u64,
        ));
        Ok(renumbered)
    }

    /// Adds opt-outs. An import never changes or removes one.
    fn add_opt_outs(&self) -> Result<()> {
        let wanted = &self.rehearsal.opt_outs;
        for RowOptOut { number, channel, time, .. } in wanted {
            self.tx.check_cancelled()?;
            let record = OptOut {
                number: PackedNumber::write_e164(*number, &mut [0; TEXT_MAX]).to_owned(),
                channel: *channel,
                scope: OptOutRecordScope::Account,
                kind: OptOutType::AccountImport,
                inbound: None,
                time: time
                    .filter(|time| (EARLIEST_OPT_OUT..=self.now.unix()).contains(&time.unix()))
                    .unwrap_or(self.now),
            };
            opt_outs::insert(self.tx, &record)?;
        }
        if !wanted.is_empty() {
            self.tx.log_change(ChangeLogEntry::bulk(Noun::OptOut, ChangeAction::Created, wanted.len() as u64));
        }
        Ok(())
    }

    /// Stores the refused rows and returns how many there are.
    fn store_rejects(&self) -> Result<u64> {
        let verdicts = &self.rehearsal.verdicts;
        let mut inserter = rejects::RejectInserter::new(self.tx, self.accepted.import)?;
        self.rows.visit_rows(|at, row| {
            if verdicts.bucket(at as usize) == RowBucket::Invalid {
                self.tx.check_cancelled()?;
                let cells: Vec<&str> = row.cells().collect();
                let mut flags = row.flags;
                if self.rehearsal.plan.is_opted_out_row(at) {
                    flags.add(RowFlag::OptedOut);
                }
                inserter.insert(at, row.place, flags.bits(), &to_json(&cells)?)?;
                self.watch.add_rows(1);
            }
            Ok(())
        })?;
        Ok(inserter.end()?)
    }

    pub(crate) fn finish_act(self, act: &'static str) -> Result<AcceptedImport> {
        let BucketCounts { new, changed, .. } = self.accepted.counts;
        self.tx.describe_act(
            ActDescription::new(act)
                .with_subject(self.options.name)
                .with_uid(&self.accepted.list)
                .with_count(new + changed),
        );
        Ok(self.accepted)
    }
}
