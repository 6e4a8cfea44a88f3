//! Reads page by page and checks whether the result can be trusted.

use std::collections::HashSet;

use roost_model::time::Timestamp;
use roost_ops::{Core, Error, Noun};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry},
    tables::sync::{
        SyncedTable, changes, local,
        scopes::{self, ServiceRecord},
    },
    tx::{ActDescription, ReadTx, WriteTx},
};

use super::{PullOptions, PullResult, ReadingQuality, judge_reading};
use crate::{Client, Progress, SyncError, remote::RecordPage, run_blocking};

/// A reading in progress.
#[derive(Clone, Copy)]
pub(super) struct PullReader<'a> {
    pub core: &'a Core,
    pub client: &'a Client,
    pub asked: &'a PullOptions,
    pub progress: &'a Progress,
}

impl PullReader<'_> {
    /// Begins a full reading of one kind of records.
    pub(super) async fn begin_reading(self, place: SyncedTable) -> Result<(), SyncError> {
        self.progress.begin_phase(Some(place), "");
        run_blocking(self.core, move |core| core.write_quietly(|tx| Ok(scopes::delete_records(tx, place, 0)?))).await
    }

    /// Sets observed records aside, to be compared once all are read.
    pub(super) async fn store_rows(self, place: SyncedTable, rows: Vec<ServiceRecord>) -> Result<(), SyncError> {
        run_blocking(self.core, move |core| core.write_quietly(|tx| Ok(scopes::add_records(tx, place, 0, &rows)?)))
            .await
    }

    /// Returns whether a record that was not seen no longer exists.
    pub(super) async fn is_whole(
        self,
        place: SyncedTable,
        claimed: (u64, u64),
        pulled: &mut PullResult,
    ) -> Result<bool, SyncError> {
        let counts = run_blocking(self.core, move |core| {
            core.read(|tx| Ok((scopes::count_records(tx, place, 0)?, scopes::count_agreed(tx, place)?)))
        });
        let (distinct, agreed) = counts.await?;
        let sight = judge_reading(claimed, distinct, agreed);
        if sight == ReadingQuality::Shrunk && !self.asked.believe {
            pulled.doubtful.push(place);
            pulled.gone.push((place, agreed.saturating_sub(distinct)));
        }
        Ok(sight == ReadingQuality::Whole || sight == ReadingQuality::Shrunk && self.asked.believe)
    }

    /// Returns whether the reading lacks a record whose absence is news. A single response may lack one, so everything is
    /// read once more before a record is removed.
    pub(super) async fn lacks_records(self, place: SyncedTable) -> Result<bool, SyncError> {
        let is_news = move |tx: &ReadTx| -> Result<bool, Error> {
            if place == SyncedTable::Senders {
                return Ok(!scopes::missing_records::<String>(tx, place)?.is_empty());
            }
            for id in scopes::missing_records::<i64>(tx, place)? {
                if changes::read_record::<i64>(tx, place, id)?.at_service != changes::ServiceState::Deleted {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        run_blocking(self.core, move |core| core.read(is_news)).await
    }
}

/// Iterates over pages until an empty one or the last.
#[derive(Default)]
pub(super) struct PageCursor {
    read: u32,
    rows: u64,
    claimed: Option<(u64, u64)>,
    ended: bool,
}

impl PageCursor {
    /// Returns the number of the next page, if there is one.
    pub(super) fn next_page(&self, reader: PullReader<'_>) -> Result<Option<u32>, SyncError> {
        if self.ended {
            return Ok(None);
        }
        if reader.progress.is_stopped() { Err(SyncError::Stopped) } else { Ok(Some(self.read + 1)) }
    }

    pub(super) fn add_page<T>(&mut self, reader: PullReader<'_>, page: &RecordPage<T>) {
        self.read += 1;
        self.rows += page.items.len() as u64;
        self.claimed = Some((self.claimed.map_or(page.total, |(first, _)| first), page.total));
        self.ended = page.items.is_empty() || u64::from(self.read) >= page.pages;
        reader.progress.set_page((self.read, u32::try_from(page.pages).ok()), (self.rows, Some(page.total)));
    }

    /// Returns whether as many records came as the service claims to have.
    pub(super) fn is_complete(&self) -> bool {
        self.claimed_totals() == (self.rows, self.rows)
    }

    /// Returns the totals that the first and the last page claimed.
    pub(super) fn claimed_totals(&self) -> (u64, u64) {
        self.claimed.unwrap_or_default()
    }
}

/// Creates the custom fields that the service has, so that contacts can store their values.
pub(super) fn ensure_fields(tx: &WriteTx, numbers: &HashSet<u32>) -> Result<(), Error> {
    let mut created = Vec::new();
    for number in numbers {
        if local::ensure_field(tx, *number)? {
            tx.log_change(ChangeLogEntry::single(Noun::CustomField, ChangeAction::Created, number));
            created.push(*number);
        }
    }
    created.sort_unstable();
    let names: Vec<String> = created.iter().map(u32::to_string).collect();
    let act = ActDescription::new("sync_pull_fields").with_subject(names.join(", "));
    tx.describe_act(act.with_count(created.len() as u64));
    Ok(())
}

pub(super) fn to_unix(at: Option<Timestamp>) -> Option<i64> {
    at.map(Timestamp::unix)
}
