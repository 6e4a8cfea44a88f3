//! Reads the contacts of one list: page by page, or from one response if the service is known to return all at once.

use std::collections::HashSet;

use roost_ops::{By, Core, Error};
use roost_store::{
    tables::{
        custom_fields,
        sync::{
            Place,
            local::Times,
            scopes::{self, Scope, Seen},
        },
    },
    tx::{ReadTx, WriteTx},
};

use super::pages;
use crate::{
    Client, Failed, cells, gather,
    merge::STRETCH,
    on,
    remote::{Contact, ContactsAsked, PageAsked},
};

/// The most contacts that the service returns in one page.
pub const PAGE: u32 = 100;
/// The number of attempts to read all contacts at once before they are read by pages.
const TRIES: u32 = 5;

/// Called with the pages read and their number, and the contacts read and their number. Returns whether to go on.
pub type Told<'a> = &'a (dyn Fn((u32, Option<u32>), (u64, Option<u64>)) -> bool + Send + Sync);

/// The reading of one list.
#[derive(Clone, Copy)]
pub struct Sweep<'a> {
    pub core: &'a Core,
    pub client: &'a Client,
    pub list: i64,
    pub uid: &'a str,
    /// Whether to read all contacts from one response, if the service supports it.
    pub at_once: bool,
    pub told: Told<'a>,
}

impl Sweep<'_> {
    /// Stores every page that is not read yet. Returns the totals of the first and the last page, or `None` if the list
    /// still has the time `assumed` and the same number of contacts as at the last reading.
    pub async fn read(self, assumed: Option<&str>) -> Result<Option<(u64, u64)>, Failed> {
        let Self { core, client, list, uid, .. } = self;
        let facts = on(core, move |core| {
            core.read(|tx| Ok((scopes::get(tx, Place::Contacts, list)?, gather::capabilities(tx)?.all_pages_read)))
        });
        let (mut known, can) = facts.await?;
        let mut at_once = can && self.at_once && known.page == 0;
        let may_be_assumed = assumed.is_some() && known.marker.as_deref() == assumed;
        let ask =
            |number| async move { client.contacts(uid, &ContactsAsked::Page(PageAsked { number, size: PAGE })).await };
        // The next page is requested while the present one is stored.
        let mut ahead = None;
        loop {
            if at_once && !may_be_assumed {
                if let Some(claimed) = self.all().await? {
                    return Ok(Some(claimed));
                }
                at_once = false;
            }
            let number = known.page + 1;
            let page = match ahead.take() {
                Some(came) => came?,
                None => ask(number).await?,
            };
            if number == 1 && may_be_assumed && known.total == Some(page.total) {
                return Ok(None);
            }
            let is_last = page.items.is_empty() || u64::from(number) >= page.pages;
            if number == 1 && at_once && !is_last {
                at_once = false;
                if let Some(claimed) = self.all().await? {
                    return Ok(Some(claimed));
                }
            }
            let first = known.claimed.unwrap_or(page.total);
            let (total, rows) = (page.total, u64::from(known.page) * u64::from(PAGE) + page.items.len() as u64);
            let (page_number, claimed) = if is_last { (0, None) } else { (number, Some(first)) };
            let next = Scope { page: page_number, claimed, ..known.clone() };
            let (items, kept, is_first) = (page.items, next.clone(), number == 1);
            let goes_on = (self.told)((number, u32::try_from(page.pages).ok()), (rows, Some(total)));
            let kept = on(core, move |core| {
                fields(core, &items)?;
                core.write_quietly(|tx| {
                    if is_first {
                        scopes::empty(tx, Place::Contacts, list)?;
                    }
                    scopes::add(tx, Place::Contacts, list, &seen(&items))?;
                    Ok(scopes::set(tx, Place::Contacts, list, &kept)?)
                })
            });
            if is_last {
                kept.await?;
                return Ok(Some((first, total)));
            }
            if !goes_on {
                kept.await?;
                return Err(Failed::Stopped);
            }
            let (kept, came) = tokio::join!(kept, ask(number + 1));
            kept?;
            ahead = Some(came);
            known = next;
        }
    }

    /// Reads all contacts from one response. Returns `None` if that fails and pages have to be read.
    async fn all(self) -> Result<Option<(u64, u64)>, Failed> {
        for _ in 0..TRIES {
            match self.all_once().await {
                Ok(total) => return Ok(Some((total, total))),
                Err(Failed::Service(error)) if error.is_silent() || !self.client.may_repeat(&error) => break,
                Err(Failed::Service(_)) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(None)
    }

    async fn all_once(self) -> Result<u64, Failed> {
        let Self { core, list, .. } = self;
        on(core, move |core| core.write_quietly(|tx| Ok(restart(tx, list)?))).await?;
        let mut reading = self.client.all_contacts(self.uid).await?;
        let (mut waiting, mut rows): (Vec<Contact>, u64) = (Vec::new(), 0);
        loop {
            let more = reading.next().await?;
            let is_last = more.is_none();
            waiting.extend(more.into_iter().flatten());
            if waiting.len() >= STRETCH as usize || is_last {
                let items = std::mem::take(&mut waiting);
                rows += items.len() as u64;
                on(core, move |core| {
                    fields(core, &items)?;
                    core.write_quietly(|tx| Ok(scopes::add(tx, Place::Contacts, list, &seen(&items))?))
                })
                .await?;
                if !(self.told)((0, None), (rows, reading.paging().map(|(total, _)| total))) && !is_last {
                    return Err(Failed::Stopped);
                }
            }
            if let (true, Some((total, _))) = (is_last, reading.paging()) {
                return Ok(total);
            }
        }
    }
}

/// Restarts the reading of a list from its first page.
pub fn restart(tx: &WriteTx, list: i64) -> Result<(), roost_ops::StoreError> {
    scopes::empty(tx, Place::Contacts, list)?;
    let known = scopes::get(tx, Place::Contacts, list)?;
    scopes::set(tx, Place::Contacts, list, &Scope { page: 0, claimed: None, ..known })
}

/// Creates the custom fields that the contacts need.
fn fields(core: &Core, items: &[Contact]) -> Result<(), Error> {
    let came: HashSet<u32> = items.iter().flat_map(|contact| contact.custom_fields.iter().copied()).collect();
    let is_new = |tx: &ReadTx| -> Result<bool, Error> {
        let known = custom_fields::numbers(tx)?;
        Ok(came.iter().any(|number| !known.contains(number)))
    };
    if core.read(is_new)? {
        core.write(&By::sync(), |tx| pages::fields(tx, &came))?;
    }
    Ok(())
}

/// Converts contacts to the rows of the tables.
pub fn seen(items: &[Contact]) -> Vec<Seen> {
    let of = |contact: &Contact| Seen {
        uid: contact.uid.clone(),
        cells: cells::of(&contact.row),
        times: Times { made: contact.created_at.map(|at| at.unix()), changed: contact.updated_at.map(|at| at.unix()) },
    };
    // A contact without an identifier cannot be stored. The service's total then exceeds the count, so the reading
    // removes nothing.
    items.iter().filter(|contact| !contact.uid.is_empty()).map(of).collect()
}
