//! Resolves requests whose fate is unknown: reads the service before anything is sent twice.

use std::{collections::HashSet, time::Duration};

use roost_model::{opt_out::OptOutType, time::Timestamp};
use roost_reconcile::{
    plan::{ContactItem, PlanStep, StepKind},
    row::ContactRow,
    schedule::PlanStepState,
    uncertain::{self, FirstAction, NextAction, ReadTarget, RecordCandidate},
};
use roost_store::tables::sync::{SyncedTable, changes, ids};
use tokio::time::{Instant, sleep_until};

use super::{ActiveRun, RunCommand, StepResult, WorkResult, read_step, send, settle};
use crate::{
    SyncError,
    remote::{ContactsParams, LinksParams, ListsParams, PageParams, QueryOrder, RemoteLink},
    run_blocking,
};

/// The waits between reads, in seconds. After the last one, the service has had the time it needs; its jobs may wait
/// for minutes.
const WAITS: [u64; 9] = [1, 2, 4, 8, 15, 30, 60, 60, 120];

/// Finds out what became of a step. `spared` are the records that are to be replaced and still exist.
pub(super) async fn resolve_step(
    run: ActiveRun<'_>,
    step: u32,
    spared: HashSet<String>,
) -> Result<(Vec<u32>, WorkResult), SyncError> {
    let step = read_step(run, step).await?;
    let came = |state, why| (vec![step.id], WorkResult::Finished(vec![StepResult { step: step.id, state, why }]));
    let FirstAction::Read(look) = uncertain::choose_first_action(&step, false) else {
        // Sending again repeats what may have happened the first time.
        return if run.control.command() == RunCommand::Cancel {
            give_up_step(run, step, spared).await
        } else {
            Ok(came(PlanStepState::Ready, None))
        };
    };
    let mut sent_at = None;
    for wait in WAITS.into_iter().map(Some).chain([None]) {
        let settled = wait.is_none();
        let (then, link) = match look {
            ReadTarget::ListsByName => (look_for_list(run, &step, settled).await?, None),
            ReadTarget::LinksByTitle => look_for_link(run, &step, settled).await?,
            ReadTarget::OptOutsOfNumber => {
                let then;
                (then, sent_at) = look_for_opt_out(run, &step).await?;
                (then, None)
            }
            ReadTarget::EachNumber => (look_for_contacts(run, &step, settled).await?, None),
        };
        return Ok(match then {
            NextAction::Done if look == ReadTarget::OptOutsOfNumber => {
                let (state, why) = settle::apply_opt_out(run, &step, sent_at).await?;
                came(state, why)
            }
            NextAction::Done => came(PlanStepState::Accepted, None),
            NextAction::Adopt(uid) => {
                let (state, why) = settle::apply_creation(run, &step, uid, link).await?;
                came(state, why)
            }
            NextAction::Repeat if run.control.command() == RunCommand::Cancel && !settled => {
                return give_up_step(run, step, spared).await;
            }
            NextAction::Repeat => came(PlanStepState::Ready, None),
            NextAction::RepeatOnly(missing) => (vec![step.id], send::send_parts(run, step, Some(missing)).await?),
            NextAction::Ask => {
                came(PlanStepState::Rejected, Some("several records could be the one that was made".to_owned()))
            }
            NextAction::LookAgain if run.control.command() == RunCommand::Cancel => {
                return give_up_step(run, step, spared).await;
            }
            NextAction::LookAgain => {
                let until = Instant::now() + Duration::from_secs(wait.unwrap_or_default());
                while run.control.command() == RunCommand::Continue && Instant::now() < until {
                    sleep_until(until.min(Instant::now() + Duration::from_secs(1))).await;
                }
                if run.control.command() != RunCommand::Pause {
                    continue;
                }
                (vec![step.id], WorkResult::Finished(Vec::new()))
            }
        });
    }
    Ok(came(PlanStepState::Ready, None))
}

/// Ends a step of a cancelled run without waiting for a late effect. The next pull looks for it.
async fn give_up_step(
    run: ActiveRun<'_>,
    step: PlanStep,
    spared: HashSet<String>,
) -> Result<(Vec<u32>, WorkResult), SyncError> {
    let number = step.id;
    run_blocking(run.core, move |core| core.write_quietly(|tx| settle::leave_in_doubt(tx, &step.kind, &spared)))
        .await?;
    let came = StepResult { step: number, state: PlanStepState::Rejected, why: Some(settle::IN_DOUBT.to_owned()) };
    Ok((vec![number], WorkResult::Finished(vec![came])))
}

async fn look_for_list(run: ActiveRun<'_>, step: &PlanStep, settled: bool) -> Result<NextAction, SyncError> {
    let StepKind::ListCreate { name, .. } = &step.kind else { return Ok(NextAction::Repeat) };
    let mut candidates = Vec::new();
    for number in 1.. {
        let page =
            run.client.query_lists(&ListsParams { name: Some(name), page: PageParams { number, size: 100 } }).await?;
        for list in &page.items {
            if list.name == *name {
                candidates.push(build_candidate(run, SyncedTable::Lists, &list.uid).await?);
            }
        }
        if page.items.is_empty() || u64::from(number) >= page.pages {
            break;
        }
    }
    Ok(uncertain::find_created(&candidates, i64::MIN, settled))
}

/// Builds a candidate from a record that equals the request. It counts as known if a local record has its identifier.
async fn build_candidate(run: ActiveRun<'_>, place: SyncedTable, uid: &str) -> Result<RecordCandidate, SyncError> {
    let owned = uid.to_owned();
    let known =
        run_blocking(run.core, move |core| core.read(|tx| Ok(ids::find_by_service_uid(tx, place, &owned)?.is_some())))
            .await?;
    Ok(RecordCandidate { uid: uid.to_owned(), created_at: 0, equal: true, known })
}

async fn look_for_link(
    run: ActiveRun<'_>,
    step: &PlanStep,
    settled: bool,
) -> Result<(NextAction, Option<RemoteLink>), SyncError> {
    let StepKind::LinkCreate { id, cells } = step.kind.clone() else { return Ok((NextAction::Repeat, None)) };
    let (title, target, tags, tracked) =
        run_blocking(run.core, move |core| core.read(|tx| send::read_link_values(tx, id, cells))).await?;
    let page = PageParams { number: 1, size: 100 };
    let params = LinksParams { text: Some(&title), since: None, order: QueryOrder::Falling, page };
    let equal = |link: &RemoteLink| {
        link.title == title && link.target_url == target && link.tags == tags && link.track_clicks == Some(tracked)
    };
    let found: Vec<RemoteLink> = run.client.search_links(&params).await?.items.into_iter().filter(equal).collect();
    let mut candidates = Vec::new();
    for link in &found {
        candidates.push(build_candidate(run, SyncedTable::ShortLinks, &link.uid).await?);
    }
    let then = uncertain::find_created(&candidates, i64::MIN, settled);
    let link = match &then {
        NextAction::Adopt(uid) => found.into_iter().find(|link| link.uid == *uid),
        _ => None,
    };
    Ok((then, link))
}

/// Returns the next action, and the time of the opt-out if the request created it.
async fn look_for_opt_out(run: ActiveRun<'_>, step: &PlanStep) -> Result<(NextAction, Option<Timestamp>), SyncError> {
    let StepKind::OptOutCreate { number, channel, asset } = &step.kind else { return Ok((NextAction::Repeat, None)) };
    let found = settle::find_opt_out(run, number, *channel, asset.as_deref(), false).await?;
    let then = uncertain::resolve_opt_out(found.is_some());
    let made = found.filter(|one| one.kind == OptOutType::ApiImport.as_str());
    Ok((then, made.and_then(|one| one.opt_out_time)))
}

/// Finds which contacts arrived as they were sent. An existing contact does not count as a new one.
async fn look_for_contacts(run: ActiveRun<'_>, step: &PlanStep, settled: bool) -> Result<NextAction, SyncError> {
    let StepKind::Contacts { list, items, .. } = &step.kind else { return Ok(NextAction::Repeat) };
    let id = *list;
    let uid = run_blocking(run.core, move |core| {
        core.read(|tx| Ok(changes::read_record::<i64>(tx, SyncedTable::Lists, id)?.uid))
    })
    .await?;
    let uid = uid.unwrap_or_default();
    let mut found = Vec::with_capacity(items.len());
    let mut used: Vec<String> = Vec::new();
    for item in items {
        let Some(key) = item.send.keys().next() else {
            found.push(false);
            continue;
        };
        let page = run.client.query_contacts(&uid, &ContactsParams::Number(&key.number)).await?;
        let mut found_uid = None;
        for contact in &page.items {
            let fits = matches_sent_values(item, &contact.row) && !used.contains(&contact.uid);
            if fits && !build_candidate(run, SyncedTable::Contacts, &contact.uid).await?.known {
                found_uid = Some(contact.uid.clone());
                break;
            }
        }
        found.push(found_uid.is_some());
        used.extend(found_uid);
    }
    Ok(uncertain::resolve_contacts(&found, settled))
}

fn matches_sent_values(item: &ContactItem, seen: &ContactRow) -> bool {
    item.send.to_folded().iter().all(|(field, text)| seen.to_folded().get(field) == Some(text))
}
