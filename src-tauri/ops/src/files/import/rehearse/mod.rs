//! The dry run of an import: validates every row and compares it with the other rows, the list and the opt-outs,
//! without writing anything.

mod compare;
mod matches;
mod window;

use std::{io, ops::Range, sync::Arc};

use roost_model::{
    channel::Channel,
    contact::ContactField,
    custom_field::{CustomField, NUMBER_MAX},
    id::ListId,
    opt_out::Scope,
    phone::Region,
};
use roost_sheets::Row;
use roost_store::{
    change_log::{self, Noun},
    db::scanners::HANDS,
    error::Error as StoreError,
    tables::{
        custom_fields,
        lists::{
            self, ListRow,
            changed::{self, Since},
        },
        opt_outs,
    },
    tx::ReadTx,
    watch::Watch,
};
use serde::{Deserialize, Serialize};

pub use self::window::{Change, FieldText, Problem, RowTold, RowsPage, Which, try_mapping};
pub(super) use self::{
    compare::Comparison,
    matches::{Match, each_match},
};
use super::{
    ledger::ImportLedger,
    mapping::{OpenMapping, OptedOut},
    number::{PackedNumber, TEXT_MAX},
    settle::{Plan, Reason},
    spool::{FrameReader, Spool},
    verdicts::{Bucket, Counts, OptedOutDigits, RowOptOut, Verdicts},
};
use crate::{
    contact::fields,
    core::Core,
    ctx::Ctx,
    error::{Error, OrNotFound, Result},
};

/// The spooled rows of all files of an import.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    pub spool: &'a Spool,
    /// Names of all columns.
    pub heads: &'a [String],
    /// The first row that holds values.
    pub first: u64,
    /// Rows of files in which everybody opted out, according to the person.
    pub opted_out: &'a [Range<u64>],
}

impl Rows<'_> {
    /// Calls `visit` with every row that holds values and its number.
    pub fn each(&self, mut visit: impl FnMut(u64, &Row) -> Result<()>) -> Result<()> {
        let mut reader = FrameReader::default();
        for frame in 0..self.spool.frames() {
            self.spool.read(frame, &mut reader).map_err(unreadable)?;
            let numbered = (self.spool.first_row(frame)..).zip(reader.block.rows());
            numbered.filter(|(at, _)| *at >= self.first).try_for_each(|(at, row)| visit(at, &row))?;
        }
        Ok(())
    }
}

/// The number of contacts whose value of a field changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportFieldCount"))]
pub struct FieldCount {
    pub field: String,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
}

/// The number of rows that are refused for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportReasonCount"))]
pub struct ReasonCount {
    pub reason: Reason,
    pub message: String,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
}

/// The result of a rehearsal in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportTold"))]
pub struct Told {
    pub counts: Counts,
    /// Fields in the order of the mapping.
    pub fields: Vec<FieldCount>,
    pub reasons: Vec<ReasonCount>,
    /// New, unchanged and changed rows whose number is opted out.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub opted_out: u64,
    /// Opt-outs that would be added.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub opt_outs: u64,
    /// How many of these come only from invalid rows.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub opt_outs_of_invalid_rows: u64,
    /// Custom fields that would be created.
    pub new_fields: Vec<NewField>,
    /// Everything in the files and what is done with it; empty for rows that an earlier import refused.
    #[serde(default)]
    pub ledger: ImportLedger,
}

/// Values of the files that are not imported into a field because of the value in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptValues {
    pub field: String,
    pub count: u64,
    /// The first of these values, with that of the list.
    pub example: String,
}

/// A custom field that the import creates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportNewField"))]
pub struct NewField {
    pub number: u32,
    pub label: String,
}

/// The result of a rehearsal for every row, based on the account as it was at that time.
pub struct Rehearsal {
    list: Option<ListId>,
    /// The mapping with its new fields numbered and its region filled in.
    pub(super) mapping: OpenMapping,
    pub(super) plan: Plan,
    pub(super) custom: Vec<u32>,
    pub(super) verdicts: Verdicts,
    /// The contacts of unchanged and changed rows, in the order of the file.
    pub(super) matches: Vec<Match>,
    pub(super) kept_values: Vec<KeptValues>,
    /// Opt-outs that do not exist yet.
    pub(super) opt_outs: Vec<RowOptOut>,
    told: Told,
    /// The number of the last change-log entry before the rehearsal.
    seen: i64,
}

/// The facts about the account that a rehearsal needs before it examines rows.
struct Standing {
    /// The list and the number of its contacts.
    list: Option<(ListRow, u64)>,
    custom: Vec<u32>,
    next_field: u32,
    region: Region,
    opted_out: OptedOutDigits,
    seen: i64,
}

impl Standing {
    fn read(tx: &ReadTx, ctx: &Ctx, mapping: &OpenMapping, list: Option<&ListId>) -> Result<Self> {
        let list = match list {
            None => None,
            Some(uid) => {
                let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
                Some((row, lists::get(tx, uid)?.or_not_found(Noun::List, uid)?.contact_count))
            }
        };
        let mut opted_out = OptedOutDigits::default();
        for channel in Channel::ALL {
            let digits = &mut opted_out[channel as usize];
            opt_outs::numbers(tx, channel, |number| digits.extend(PackedNumber::digits_of(number)))?;
            digits.sort_unstable();
        }
        Ok(Self {
            list,
            custom: custom_fields::numbers(tx)?,
            next_field: custom_fields::next_number(tx)?,
            region: fields::region(tx, ctx, mapping.region.as_deref())?,
            opted_out,
            seen: change_log::last(tx)?,
        })
    }

    /// Numbers the new fields of a mapping and fills in its region. Returns the new fields as well.
    fn resolve(&self, mapping: &OpenMapping) -> Result<(OpenMapping, Vec<NewField>)> {
        let mut resolved = mapping.clone();
        resolved.region = Some(self.region.code());
        let mut made = Vec::new();
        for target in &mut resolved.targets {
            if let Some(label) = target.new_field.take() {
                let number = self.next_field + made.len() as u32;
                target.field = ContactField::Custom(number).name().into_owned();
                made.push(NewField { number, label });
            }
        }
        if made.last().is_some_and(|field| field.number > NUMBER_MAX) {
            return Err(Error::conflict(format!("The account has only {NUMBER_MAX} numbers of custom fields.")));
        }
        Ok((resolved, made))
    }
}

/// Checks a mapping and makes the plan from it.
fn plan(rows: Rows, mapping: &OpenMapping, standing: &Standing) -> Result<(OpenMapping, Plan, Vec<NewField>)> {
    let faults = mapping.check(rows.heads.len(), &standing.custom);
    if !faults.is_empty() {
        return Err(Error::Invalid { faults });
    }
    let (mapping, made) = standing.resolve(mapping)?;
    let custom: Vec<u32> = standing.custom.iter().copied().chain(made.iter().map(|field| field.number)).collect();
    let plan =
        Plan::of(&mapping, rows.heads.len(), &custom, standing.region).map_err(|faults| Error::Invalid { faults })?;
    Ok((mapping, plan, made))
}

/// Converts an error of the spool.
pub(super) fn unreadable(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::Interrupted => StoreError::Cancelled.into(),
        _ => Error::conflict(error.to_string()),
    }
}

/// Rehearses an import without writing anything. Without a list, the import would create one.
pub fn rehearse(
    core: &Core,
    rows: Rows,
    mapping: &OpenMapping,
    list: Option<&ListId>,
    watch: &Arc<Watch>,
) -> Result<Rehearsal> {
    let standing = core.read(|tx| Standing::read(tx, core.ctx(), mapping, list))?;
    let (mapping, mut plan, new_fields) = plan(rows, mapping, &standing)?;
    plan.opted_out_rows = rows.opted_out.to_vec();
    plan.set_today(core.ctx().now());
    watch.will_change(rows.spool.rows());
    let mut verdicts = Verdicts::settle(rows.spool, &plan, rows.first, HANDS, watch).map_err(unreadable)?;
    verdicts.mark_opted_out(&standing.opted_out, mapping.opted_out == OptedOut::LeaveOut);
    let keys = verdicts.leave_out_twins(plan.match_by, mapping.twice);
    let comparison = Comparison::of(&plan, &standing.custom);
    let mut fields: Vec<FieldCount> =
        comparison.fields().map(|field| FieldCount { field: field.name().into_owned(), count: 0 }).collect();
    let mut matches = Vec::new();
    let mut kept_values: Vec<KeptValues> = comparison
        .fields()
        .map(|field| KeptValues { field: field.name().into_owned(), count: 0, example: String::new() })
        .collect();
    if let Some(list) = standing.list {
        let found = core.scan(watch, 1, |tx| matches::find(tx, rows, list, &keys, &comparison, &verdicts, watch))?;
        for found in found {
            found.several.into_iter().for_each(|row| verdicts.put(row as usize, Bucket::DuplicateInList));
            for (found, is_changed) in &found.single {
                verdicts.put(found.row as usize, if *is_changed { Bucket::Changed } else { Bucket::Same });
            }
            fields.iter_mut().zip(found.changed).for_each(|(field, count)| field.count += count);
            for (kept, (count, example)) in kept_values.iter_mut().zip(found.stays) {
                if kept.count == 0 {
                    kept.example = example;
                }
                kept.count += count;
            }
            matches.extend(found.single.into_iter().map(|(found, _)| found));
        }
    }
    let opt_outs = core.read(|tx| not_opted_out(tx, verdicts.opt_outs()))?;
    let told = Told {
        counts: verdicts.counts(),
        fields,
        reasons: verdicts.reasons(),
        opted_out: verdicts.opted_out(),
        opt_outs: opt_outs.len() as u64,
        opt_outs_of_invalid_rows: opt_outs.iter().filter(|one| one.is_of_invalid_row).count() as u64,
        new_fields,
        ledger: ImportLedger::default(),
    };
    kept_values.retain(|kept| kept.count > 0);
    let (custom, seen) = (standing.custom, standing.seen);
    Ok(Rehearsal { list: list.cloned(), mapping, plan, custom, verdicts, matches, kept_values, opt_outs, told, seen })
}

/// Returns the opt-outs that do not exist yet for the whole account.
fn not_opted_out(tx: &ReadTx, wanted: &[RowOptOut]) -> Result<Vec<RowOptOut>> {
    let mut missing = Vec::new();
    for one in wanted {
        if !opt_outs::exists(tx, one.number.e164(&mut [0; TEXT_MAX]), one.channel, &Scope::Account)? {
            missing.push(*one);
        }
    }
    Ok(missing)
}

impl Rehearsal {
    /// Returns the list; `None` if the import would create one.
    pub fn list(&self) -> Option<&ListId> {
        self.list.as_ref()
    }

    pub fn told(&self) -> &Told {
        &self.told
    }

    /// Adds the ledger, which only the session can make, because it knows what else the files hold.
    pub(super) fn put_ledger(&mut self, ledger: ImportLedger) {
        self.told.ledger = ledger;
    }

    /// Returns whether the account has changed since in a way that affects the import.
    pub fn is_stale(&self, core: &Core) -> Result<bool> {
        core.read(|tx| self.is_stale_in(tx))
    }

    pub(super) fn is_stale_in(&self, tx: &ReadTx) -> Result<bool> {
        let next = custom_fields::next_number(tx)?;
        if custom_fields::numbers(tx)? != self.custom
            || self.told.new_fields.first().is_some_and(|field| field.number != next)
        {
            return Ok(true);
        }
        Ok(match changed::since(tx, self.seen)?.1 {
            Since::Everything => true,
            Since::Lists(lists) => self.list.as_ref().is_some_and(|list| lists.iter().any(|uid| uid == list.as_str())),
        })
    }

    /// Returns the custom fields that accepting creates.
    pub(super) fn new_fields(&self) -> impl Iterator<Item = CustomField> {
        self.told.new_fields.iter().map(|field| CustomField { number: field.number, label: field.label.clone() })
    }
}
