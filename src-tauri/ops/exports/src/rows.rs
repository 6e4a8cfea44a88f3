//! Selects the contacts of an export and reads them one after the other.

use std::{borrow::Cow, collections::HashSet};

use roost_model::{channel::Channel, contact::ContactField, id::ListId, list::List, time::Timestamp};
use roost_store::{
    change_log::Noun,
    error::{Result as StoreResult, StoreError},
    tables::{
        batch::MatchKey,
        contacts::grid::{
            drafts, filter,
            scan::{self, Row, ScanMethod},
        },
        counts::recent::ListDrafts,
        lists::{self, facts},
    },
    tx::ReadTx,
    watch::Watch,
};

use roost_ops::error::{OrNotFound, Result};

/// The contacts of an export. They are chosen when it is prepared: a contact that is added later is not among them.
#[derive(Debug)]
pub(crate) enum ExportRows {
    /// The ids of contacts, in the order in which they are written.
    Chosen { list: ListId, ids: Vec<i64> },
    /// Whole lists, one after the other.
    Lists(Vec<ListId>),
}

/// Receives the contacts that are read.
pub(crate) trait RowVisitor {
    /// Starts a list: the contacts that follow belong to it.
    fn visit_list(&mut self, list: &List) -> StoreResult<()>;
    /// Receives one contact. An error ends the reading.
    fn visit_row(&mut self, id: i64, row: &Row) -> StoreResult<()>;
}

/// The ids of the contacts that opted out of each channel.
#[derive(Debug, Default)]
pub(crate) struct OptedOutIds {
    on_channel: [HashSet<i64>; Channel::ALL.len()],
    /// The contacts without a number on a channel whose other number opted out of it. Nobody can message them there, so
    /// they are neither counted nor left out, but the file says it.
    by_other_number: [HashSet<i64>; Channel::ALL.len()],
}

impl OptedOutIds {
    pub(crate) fn has_any(&self, channel: Channel) -> bool {
        [&self.on_channel, &self.by_other_number].into_iter().any(|ids| !ids[channel as usize].is_empty())
    }

    pub(crate) fn contains(&self, channel: Channel, id: i64) -> bool {
        [&self.on_channel, &self.by_other_number].into_iter().any(|ids| ids[channel as usize].contains(&id))
    }

    /// Returns the contacts that opted out of at least one channel on which they have a number.
    pub(crate) fn on_any_channel(&self) -> HashSet<i64> {
        self.on_channel.iter().flatten().copied().collect()
    }
}

impl ExportRows {
    pub(crate) fn find_opted_out(&self, tx: &ReadTx) -> Result<OptedOutIds> {
        let mut out = OptedOutIds::default();
        for channel in Channel::ALL {
            let [own, other] = facts::number_keys(channel);
            self.visit_opted_out(tx, channel, own, |_, id| {
                out.on_channel[channel as usize].insert(id);
            })?;
            let by_other_number = &mut out.by_other_number[channel as usize];
            self.visit_opted_out(tx, channel, other, |_, id| {
                by_other_number.insert(id);
            })?;
            for list in self.lists_and_chosen().0 {
                let Some(row) = lists::row_of(tx, list)? else { continue };
                facts::remove_with_number(tx, row, own, by_other_number)?;
            }
        }
        Ok(out)
    }

    /// Returns the numbers of the contacts that opted out of a channel, in E.164, also those that the channel does not
    /// use.
    pub(crate) fn find_opted_out_numbers(&self, tx: &ReadTx, channel: Channel) -> Result<HashSet<String>> {
        let mut numbers = HashSet::new();
        for key in facts::number_keys(channel) {
            self.visit_opted_out(tx, channel, key, |number, _| {
                numbers.insert(format!("+{number}"));
            })?;
        }
        Ok(numbers)
    }

    fn visit_opted_out(
        &self,
        tx: &ReadTx,
        channel: Channel,
        key: MatchKey,
        mut visit: impl FnMut(u64, i64),
    ) -> Result<()> {
        let (lists, chosen) = self.lists_and_chosen();
        for list in lists {
            let Some(row) = lists::row_of(tx, list)? else { continue };
            facts::visit_opted_out(tx, row, channel, key, |number, id| {
                if chosen.as_ref().is_none_or(|chosen| chosen.contains(&id)) {
                    visit(number, id);
                }
            })?;
        }
        Ok(())
    }

    /// Returns the lists with contacts that have a draft in one of these fields.
    pub(crate) fn find_drafts(
        &self,
        tx: &ReadTx,
        fields: &[String],
        left_out: &HashSet<i64>,
    ) -> Result<Vec<ListDrafts>> {
        if !drafts::has_any(tx)? {
            return Ok(Vec::new());
        }
        let (lists, chosen) = self.lists_and_chosen();
        let mut found = Vec::new();
        for uid in lists {
            let (Some(row), Some(list)) = (lists::row_of(tx, uid)?, lists::get(tx, uid)?) else { continue };
            let is_exported = |id: &i64| chosen.as_ref().is_none_or(|ids| ids.contains(id)) && !left_out.contains(id);
            let contacts = drafts::contacts_of_list(tx, row, fields)?.into_iter().filter(is_exported).count() as u64;
            if contacts > 0 {
                found.push(ListDrafts { list: uid.clone(), name: list.name, contacts });
            }
        }
        Ok(found)
    }

    /// Returns the lists, and the contacts if not all of a list are exported.
    fn lists_and_chosen(&self) -> (&[ListId], Option<HashSet<i64>>) {
        match self {
            Self::Chosen { list, ids } => (std::slice::from_ref(list), Some(ids.iter().copied().collect())),
            Self::Lists(lists) => (lists.as_slice(), None),
        }
    }

    /// Visits the contacts. It skips those that were deleted meanwhile and those whose ids are in `left_out`.
    pub(crate) fn visit_rows(
        &self,
        tx: &ReadTx,
        now: Timestamp,
        fields: &[ContactField],
        left_out: &HashSet<i64>,
        watch: &Watch,
        taker: &mut dyn RowVisitor,
    ) -> Result<()> {
        match self {
            Self::Chosen { list, ids } => {
                let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
                taker.visit_list(&lists::get(tx, list)?.or_not_found(Noun::List, list)?)?;
                let ids: Cow<[i64]> = if left_out.is_empty() {
                    Cow::Borrowed(ids)
                } else {
                    ids.iter().copied().filter(|id| !left_out.contains(id)).collect()
                };
                Ok(scan::visit_by_ids(tx, row, &ids, fields, watch, &mut |at, row| taker.visit_row(ids[at], row))?)
            }
            Self::Lists(all) => {
                for uid in all {
                    let (Some(row), Some(list)) = (lists::row_of(tx, uid)?, lists::get(tx, uid)?) else { continue };
                    if watch.is_cancelled() {
                        return Err(StoreError::Cancelled.into());
                    }
                    taker.visit_list(&list)?;
                    let every = filter::compile_filter(tx, row, None, None, &[], now)?;
                    // A scan also counts the rows of other lists that it skips, so it must not report to the caller's
                    // watch.
                    let uncounted = Watch::default();
                    let mut visit =
                        |id: i64, _, row: &Row| if left_out.contains(&id) { Ok(()) } else { taker.visit_row(id, row) };
                    match scan::choose_method(tx, row, list.contact_count)? {
                        ScanMethod::Index => scan::visit_rows(tx, &every, None, fields, &uncounted, &mut visit)?,
                        ScanMethod::IdRanges(stretches) => {
                            for stretch in stretches {
                                scan::visit_rows(tx, &every, Some(stretch), fields, &uncounted, &mut visit)?;
                            }
                        }
                    }
                }
                Ok(())
            }
        }
    }
}

/// Returns the text of a cell; it is blank if the contact has no value.
pub(crate) fn cell_text<'r>(row: &'r Row, field: ContactField, column: usize) -> StoreResult<Cow<'r, str>> {
    Ok(match scan::shown_text(row, field, column)? {
        Some(Cow::Borrowed(bytes)) => String::from_utf8_lossy(bytes),
        Some(Cow::Owned(bytes)) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        None => Cow::Borrowed(""),
    })
}
