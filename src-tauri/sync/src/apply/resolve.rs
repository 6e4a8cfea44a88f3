//! Resolves requests whose fate is unknown: reads the service before anything is sent twice.

use std::{collections::HashSet, time::Duration};

use roost_model::{opt_out::OptOutType, time::Timestamp};
use roost_reconcile::{
    plan::{Item, Step, StepKind},
    row::Row,
    schedule::State,
    uncertain::{self, Candidate, First, Look, Then},
};
use roost_store::tables::sync::{Place, changes, ids};
use tokio::time::{Instant, sleep_until};

use super::{Came, Ended, Run, Wish, read_step, send, settle};
use crate::{
    Failed, on,
    remote::{ContactsAsked, Link, LinksAsked, ListsAsked, Order, PageAsked},
};

/// The waits between reads, in seconds. After the last one, the service has had the time it needs; its jobs may wait
/// for minutes.
const WAITS: [u64; 9] = [1, 2, 4, 8, 15, 30, 60, 60, 120];

/// Finds out what became of a step. `spared` are the records that are to be replaced and still exist.
pub async fn resolve(run: Run<'_>, step: u32, spared: HashSet<String>) -> Result<(Vec<u32>, Ended), Failed> {
    let step = read_step(run, step).await?;
    let came = |state, why| (vec![step.id], Ended::Came(vec![Came { step: step.id, state, why }]));
    let First::Read(look) = uncertain::first(&step, false) else {
        // Sending again repeats what may have happened the first time.
        return if run.control.wish() == Wish::Cancel {
            give_up(run, step, spared).await
        } else {
            Ok(came(State::Ready, None))
        };
    };
    let mut sent_at = None;
    for wait in WAITS.into_iter().map(Some).chain([None]) {
        let settled = wait.is_none();
        let (then, link) = match look {
            Look::ListsByName => (lists(run, &step, settled).await?, None),
            Look::LinksByTitle => links(run, &step, settled).await?,
            Look::OptOutsOfNumber => {
                let then;
                (then, sent_at) = opt_out(run, &step).await?;
                (then, None)
            }
            Look::EachNumber => (contacts(run, &step, settled).await?, None),
        };
        return Ok(match then {
            Then::Done if look == Look::OptOutsOfNumber => {
                let (state, why) = settle::opted_out(run, &step, sent_at).await?;
                came(state, why)
            }
            Then::Done => came(State::Accepted, None),
            Then::Adopt(uid) => {
                let (state, why) = settle::made(run, &step, uid, link).await?;
                came(state, why)
            }
            Then::Repeat if run.control.wish() == Wish::Cancel && !settled => return give_up(run, step, spared).await,
            Then::Repeat => came(State::Ready, None),
            Then::RepeatOnly(missing) => (vec![step.id], send::send_parts(run, step, Some(missing)).await?),
            Then::Ask => came(State::Rejected, Some("several records could be the one that was made".to_owned())),
            Then::LookAgain if run.control.wish() == Wish::Cancel => return give_up(run, step, spared).await,
            Then::LookAgain => {
                let until = Instant::now() + Duration::from_secs(wait.unwrap_or_default());
                while run.control.wish() == Wish::Go && Instant::now() < until {
                    sleep_until(until.min(Instant::now() + Duration::from_secs(1))).await;
                }
                if run.control.wish() != Wish::Pause {
                    continue;
                }
                (vec![step.id], Ended::Came(Vec::new()))
            }
        });
    }
    Ok(came(State::Ready, None))
}

/// Ends a step of a cancelled run without waiting for a late effect. The next pull looks for it.
async fn give_up(run: Run<'_>, step: Step, spared: HashSet<String>) -> Result<(Vec<u32>, Ended), Failed> {
    let number = step.id;
    on(run.core, move |core| core.write_quietly(|tx| settle::leave_in_doubt(tx, &step.kind, &spared))).await?;
    let came = Came { step: number, state: State::Rejected, why: Some(settle::IN_DOUBT.to_owned()) };
    Ok((vec![number], Ended::Came(vec![came])))
}

async fn lists(run: Run<'_>, step: &Step, settled: bool) -> Result<Then, Failed> {
    let StepKind::ListCreate { name, .. } = &step.kind else { return Ok(Then::Repeat) };
    let mut candidates = Vec::new();
    for number in 1.. {
        let page = run.client.lists(&ListsAsked { name: Some(name), page: PageAsked { number, size: 100 } }).await?;
        for list in &page.items {
            if list.name == *name {
                candidates.push(candidate(run, Place::Lists, &list.uid).await?);
            }
        }
        if page.items.is_empty() || u64::from(number) >= page.pages {
            break;
        }
    }
    Ok(uncertain::made(&candidates, i64::MIN, settled))
}

/// Builds a candidate from a record that equals the request. It counts as known if a local record has its identifier.
async fn candidate(run: Run<'_>, place: Place, uid: &str) -> Result<Candidate, Failed> {
    let owned = uid.to_owned();
    let known = on(run.core, move |core| core.read(|tx| Ok(ids::find(tx, place, &owned)?.is_some()))).await?;
    Ok(Candidate { uid: uid.to_owned(), created_at: 0, equal: true, known })
}

async fn links(run: Run<'_>, step: &Step, settled: bool) -> Result<(Then, Option<Link>), Failed> {
    let StepKind::LinkCreate { id, cells } = step.kind.clone() else { return Ok((Then::Repeat, None)) };
    let (title, target, tags, tracked) = on(run.core, move |core| core.read(|tx| send::link(tx, id, cells))).await?;
    let page = PageAsked { number: 1, size: 100 };
    let asked = LinksAsked { text: Some(&title), since: None, order: Order::Falling, page };
    let equal = |link: &Link| {
        link.title == title && link.target_url == target && link.tags == tags && link.track_clicks == Some(tracked)
    };
    let found: Vec<Link> = run.client.links(&asked).await?.items.into_iter().filter(equal).collect();
    let mut candidates = Vec::new();
    for link in &found {
        candidates.push(candidate(run, Place::ShortLinks, &link.uid).await?);
    }
    let then = uncertain::made(&candidates, i64::MIN, settled);
    let link = match &then {
        Then::Adopt(uid) => found.into_iter().find(|link| link.uid == *uid),
        _ => None,
    };
    Ok((then, link))
}

/// Returns the next action, and the time of the opt-out if the request created it.
async fn opt_out(run: Run<'_>, step: &Step) -> Result<(Then, Option<Timestamp>), Failed> {
    let StepKind::OptOutCreate { number, channel, asset } = &step.kind else { return Ok((Then::Repeat, None)) };
    let found = settle::find_opt_out(run, number, *channel, asset.as_deref(), false).await?;
    let then = uncertain::opt_out(found.is_some());
    let made = found.filter(|one| one.kind == OptOutType::ApiImport.as_str());
    Ok((then, made.and_then(|one| one.opt_out_time)))
}

/// Finds which contacts arrived as they were sent. An existing contact does not count as a new one.
async fn contacts(run: Run<'_>, step: &Step, settled: bool) -> Result<Then, Failed> {
    let StepKind::Contacts { list, items, .. } = &step.kind else { return Ok(Then::Repeat) };
    let id = *list;
    let uid = on(run.core, move |core| core.read(|tx| Ok(changes::one::<i64>(tx, Place::Lists, id)?.uid))).await?;
    let uid = uid.unwrap_or_default();
    let mut found = Vec::with_capacity(items.len());
    let mut used: Vec<String> = Vec::new();
    for item in items {
        let Some(key) = item.send.keys().next() else {
            found.push(false);
            continue;
        };
        let page = run.client.contacts(&uid, &ContactsAsked::Number(&key.number)).await?;
        let mut there = None;
        for contact in &page.items {
            let fits = arrived(item, &contact.row) && !used.contains(&contact.uid);
            if fits && !candidate(run, Place::Contacts, &contact.uid).await?.known {
                there = Some(contact.uid.clone());
                break;
            }
        }
        found.push(there.is_some());
        used.extend(there);
    }
    Ok(uncertain::contacts(&found, settled))
}

fn arrived(item: &Item, seen: &Row) -> bool {
    item.send.folded().iter().all(|(field, text)| seen.folded().get(field) == Some(text))
}
