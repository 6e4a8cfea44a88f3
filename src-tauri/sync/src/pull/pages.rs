//! Reads page by page and checks whether the result can be trusted.

use std::collections::HashSet;

use roost_model::time::Timestamp;
use roost_ops::{Core, Error, Noun};
use roost_store::{
    change_log::{Action, Change},
    tables::{
        steps::Act,
        sync::{
            Place, local,
            scopes::{self, Seen},
        },
    },
    tx::WriteTx,
};

use super::{Asked, Pulled, Sight, judge};
use crate::{Client, Failed, Progress, on, remote::Page};

/// A reading in progress.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    pub core: &'a Core,
    pub client: &'a Client,
    pub asked: &'a Asked,
    pub progress: &'a Progress,
}

impl Reader<'_> {
    /// Begins a full reading of one kind of records.
    pub async fn begin(self, place: Place) -> Result<(), Failed> {
        self.progress.begin(Some(place), "");
        on(self.core, move |core| core.write_quietly(|tx| Ok(scopes::empty(tx, place, 0)?))).await
    }

    /// Sets observed records aside, to be compared once all are read.
    pub async fn put(self, place: Place, rows: Vec<Seen>) -> Result<(), Failed> {
        on(self.core, move |core| core.write_quietly(|tx| Ok(scopes::add(tx, place, 0, &rows)?))).await
    }

    /// Returns whether a record that was not seen no longer exists.
    pub async fn is_whole(self, place: Place, claimed: (u64, u64), pulled: &mut Pulled) -> Result<bool, Failed> {
        let counts = on(self.core, move |core| {
            core.read(|tx| Ok((scopes::distinct(tx, place, 0)?, scopes::agreed(tx, place)?)))
        });
        let (distinct, agreed) = counts.await?;
        let sight = judge(claimed, distinct, agreed);
        if sight == Sight::Shrunk && !self.asked.believe {
            pulled.doubtful.push(place);
            pulled.gone.push((place, agreed.saturating_sub(distinct)));
        }
        Ok(sight == Sight::Whole || sight == Sight::Shrunk && self.asked.believe)
    }
}

/// Iterates over pages until an empty one or the last.
#[derive(Default)]
pub struct Pages {
    read: u32,
    rows: u64,
    claimed: Option<(u64, u64)>,
    ended: bool,
}

impl Pages {
    /// Returns the number of the next page, if there is one.
    pub fn next(&self, reader: Reader<'_>) -> Result<Option<u32>, Failed> {
        if self.ended {
            return Ok(None);
        }
        if reader.progress.is_stopped() { Err(Failed::Stopped) } else { Ok(Some(self.read + 1)) }
    }

    pub fn came<T>(&mut self, reader: Reader<'_>, page: &Page<T>) {
        self.read += 1;
        self.rows += page.items.len() as u64;
        self.claimed = Some((self.claimed.map_or(page.total, |(first, _)| first), page.total));
        self.ended = page.items.is_empty() || u64::from(self.read) >= page.pages;
        reader.progress.page((self.read, u32::try_from(page.pages).ok()), (self.rows, Some(page.total)));
    }

    /// Returns whether as many records came as the service claims to have.
    pub fn are_complete(&self) -> bool {
        self.claimed() == (self.rows, self.rows)
    }

    /// Returns the totals that the first and the last page claimed.
    pub fn claimed(&self) -> (u64, u64) {
        self.claimed.unwrap_or_default()
    }
}

/// Creates the custom fields that the service has, so that contacts can store their values.
pub fn fields(tx: &WriteTx, numbers: &HashSet<u32>) -> Result<(), Error> {
    for number in numbers {
        if local::ensure_field(tx, *number)? {
            tx.log(Change::one(Noun::CustomField, Action::Created, number));
        }
    }
    tx.act(Act::new("sync_pull"));
    Ok(())
}

/// Writes the count to the change log, so that pages are refreshed.
pub fn told(tx: &WriteTx, noun: Noun, count: u64) {
    if count > 0 {
        tx.log(Change::bulk(noun, Action::Updated, count));
        tx.act(Act::new("sync_pull").count(count));
    }
}

/// Writes to the change log how many records were removed because the service no longer has them. They go to the trash.
pub fn told_removed(tx: &WriteTx, noun: Noun, count: u64) {
    if count > 0 {
        tx.log(Change::bulk(noun, Action::Deleted, count));
        tx.act(Act::new("sync_remove").count(count).into_trash(noun));
    }
}

pub fn unix(at: Option<Timestamp>) -> Option<i64> {
    at.map(Timestamp::unix)
}
