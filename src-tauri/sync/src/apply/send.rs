//! Sends a step: stores the intent before the request leaves, and interprets the response.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    time::Duration,
};

use roost_ops::Error;
use roost_reconcile::{
    plan::{ContactItem, Lane, PlanStep, RepeatRule, StepKind},
    response::{RefusalReason, ResponseMeaning},
    schedule::PlanStepState,
};
use roost_store::{
    tables::sync::{
        SyncedTable, answers, changes, ids,
        runs::{self, RefusedRecord, RequestResult},
    },
    tx::{ReadTx, WriteTx},
};

use tokio::time::timeout;

use super::{
    ActiveRun, RunCommand, StepResult, WorkResult, guard, lists, read_step,
    removal::{self, RemovalCheck},
    rows, settle, wait_unless_paused,
};
use crate::{
    SyncError, cells,
    gather::state_text,
    remote::{self, AcceptedWrite, LaneTurn, LinkBody, ServiceCall},
    run_blocking,
};

/// The placeholder for the identifier in a request that is shown before its list has been created.
const UNKNOWN_YET: &str = "list-made-by-an-earlier-step";
/// The interval at which a step that waits for its lane checks whether the run is to end.
const TURN_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The number of attempts for a request that never leaves.
const MAX_ATTEMPTS: u32 = 5;

/// Sends a step, split into as many parts as the service requires.
pub(super) async fn send_step(run: ActiveRun<'_>, step: u32) -> Result<(Vec<u32>, WorkResult), SyncError> {
    Ok((vec![step], send_parts(run, read_step(run, step).await?, None).await?))
}

/// Sends a step in parts. `only` selects contacts by their position; the others are known to have arrived.
pub(super) async fn send_parts(
    run: ActiveRun<'_>,
    step: PlanStep,
    only: Option<Vec<usize>>,
) -> Result<WorkResult, SyncError> {
    let (kind, deleted) = match only.as_deref() {
        Some(only) => (Some(choose_items(&step.kind, only)), 0),
        None => leave_out_deleted(run, &step).await?,
    };
    // Every result also says what was left out.
    let left_out = (deleted > 0).then(|| guard::describe_deleted_contacts(deleted));
    let came = |state, why: Option<String>| {
        let reasons: Vec<String> = left_out.clone().into_iter().chain(why).collect();
        let why = (!reasons.is_empty()).then(|| reasons.join(" "));
        WorkResult::Finished(vec![StepResult { step: step.id, state, why }])
    };
    let Some(kind) = kind else { return Ok(came(PlanStepState::Rejected, None)) };
    let mut waiting: VecDeque<StepKind> = match &kind {
        // Each number is read again just before its opt-out is removed.
        StepKind::OptOutDelete { channel, asset, numbers } => {
            let alone = |number: &String| StepKind::OptOutDelete {
                channel: *channel,
                asset: asset.clone(),
                numbers: vec![number.clone()],
            };
            numbers.iter().map(alone).collect()
        }
        _ => match rows::leave_out_changed(run, &step, kind).await? {
            Ok(kind) => VecDeque::from([kind]),
            Err(why) => return Ok(came(PlanStepState::Rejected, Some(why.to_owned()))),
        },
    };
    let mut refused: HashSet<i64> = HashSet::new();
    // The numbers whose opt-outs stay, by reason.
    let mut unremoved: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut tries, mut unnamed) = (0, 0);
    let mut end: Option<(PlanStepState, Option<String>)> = None;
    while let Some(kind) = waiting.pop_front() {
        let Some(turn) = wait_for_turn(run, step.lane, end.is_none() && refused.is_empty()).await else {
            return Ok(WorkResult::Finished(Vec::new()));
        };
        if let StepKind::OptOutDelete { channel, asset, numbers } = &kind
            && let [number] = numbers.as_slice()
        {
            match removal::check_removal(run, number, *channel, asset.as_deref(), &step).await? {
                RemovalCheck::Confirmed => {}
                RemovalCheck::Gone => {
                    end = Some(combine_results(end, (PlanStepState::Verified, None)));
                    continue;
                }
                RemovalCheck::Refused(why) => {
                    unremoved.entry(why.to_owned()).or_default().push(number.clone());
                    continue;
                }
            }
        }
        if let Some(why) = refuse_part(run, &kind).await? {
            end = Some(combine_results(end, (PlanStepState::Rejected, Some(why))));
            continue;
        }
        let error = match send_request(run, turn, &step, &kind).await? {
            Ok(done) => {
                match (settle::apply_success(run, &step, &kind, &done).await?, &kind) {
                    ((PlanStepState::Rejected, Some(why)), StepKind::OptOutDelete { numbers, .. }) => {
                        unremoved.entry(why).or_default().extend(numbers.iter().cloned());
                    }
                    (came, _) => end = Some(combine_results(end, came)),
                }
                continue;
            }
            Err(error) => error,
        };
        let rows = match error.verdict {
            ResponseMeaning::Done => continue,
            ResponseMeaning::Gone => {
                end = Some(combine_results(end, settle::apply_not_found(run, &step, &kind).await?));
                continue;
            }
            ResponseMeaning::Throttled { .. } if wait_unless_paused(run, Duration::ZERO).await => {
                waiting.push_front(kind);
                continue;
            }
            ResponseMeaning::Again if tries < MAX_ATTEMPTS && run.client.can_retry(&error) => {
                tries += 1;
                waiting.push_front(kind);
                continue;
            }
            ResponseMeaning::Uncertain
                if error.is_busy()
                    && step.repeat == RepeatRule::Blindly
                    && wait_unless_paused(run, Duration::ZERO).await =>
            {
                waiting.push_front(kind);
                continue;
            }
            ResponseMeaning::Uncertain => return Ok(WorkResult::Unanswered(step.id, error)),
            ResponseMeaning::Stop(_) | ResponseMeaning::Again | ResponseMeaning::Throttled { .. } => {
                // A part was accepted, so the fate of the rest is looked up before anything is sent twice.
                let may_double = end.is_some() && step.repeat == RepeatRule::AfterReading;
                return Ok(match may_double {
                    true => came(PlanStepState::Uncertain, Some(error.to_string())),
                    false => WorkResult::Stopped(error),
                });
            }
            ResponseMeaning::Refused(refusal) => match drop_refused(&kind, &error) {
                Some((rest, rows)) => {
                    waiting.extend(rest);
                    rows
                }
                // The service refuses some part of the request without naming it, so halve the request.
                None if may_concern_one(refusal, &error) && unnamed < MAX_UNNAMED_REFUSALS => {
                    unnamed += 1;
                    match split_in_half(&kind) {
                        Some(halves) => {
                            halves.into_iter().rev().for_each(|half| waiting.push_front(half));
                            continue;
                        }
                        None => refuse_last_contact(&kind, &error),
                    }
                }
                // Too many refusals without a name: the rest stays unchanged locally.
                None => leave_unsent(&kind, end.is_some() || !refused.is_empty()),
            },
            ResponseMeaning::TooLarge => match split_in_half(&kind) {
                Some(halves) => {
                    halves.into_iter().rev().for_each(|half| waiting.push_front(half));
                    continue;
                }
                None => refuse_last_contact(&kind, &error),
            },
        };
        if rows.is_empty() {
            end = Some(combine_results(end, (PlanStepState::Rejected, Some(describe_refusal(&kind, &error)))));
        } else {
            refused.extend(rows.iter().map(|(id, _)| *id));
            settle::quarantine_contacts(run, &step, rows).await?;
        }
    }
    for (why, numbers) in unremoved {
        end = Some(combine_results(end, (PlanStepState::Rejected, Some(format!("{}: {why}", numbers.join(", "))))));
    }
    let all_refused = matches!(&step.kind, StepKind::Contacts { items, .. } if items.len() == refused.len() + deleted);
    Ok(match end {
        _ if all_refused && deleted > 0 => {
            came(PlanStepState::Rejected, Some("The service refused every other contact of it.".to_owned()))
        }
        _ if all_refused => came(PlanStepState::Rejected, Some("the service refused every contact of it".to_owned())),
        Some((state, why)) => came(state, why),
        None => came(PlanStepState::Accepted, None),
    })
}

/// Leaves out the contacts of a step that were deleted here after the plan was made, and counts them. Returns no step if
/// no contact is left.
async fn leave_out_deleted(run: ActiveRun<'_>, step: &PlanStep) -> Result<(Option<StepKind>, usize), SyncError> {
    let StepKind::Contacts { list, items, .. } = &step.kind else { return Ok((Some(step.kind.clone()), 0)) };
    let (id, number, list) = (run.id, step.id, *list);
    let contacts: Vec<i64> = items.iter().map(|item| item.id).collect();
    let deleted = run_blocking(run.core, move |core| {
        core.read(|tx| guard::find_deleted_contacts(tx, (id, number), list, &contacts))
    })
    .await?;
    let count = deleted.len();
    let left: Vec<ContactItem> = items.iter().filter(|item| !deleted.contains(&item.id)).cloned().collect();
    if left.is_empty() {
        return Ok((None, count));
    }
    if count > 0 {
        run_blocking(run.core, move |core| core.write_quietly(|tx| settle::remove_from_step(tx, id, number, &deleted)))
            .await?;
    }
    Ok((Some(with_items(&step.kind, left)), count))
}

/// Returns the reason for not sending a part of a step after all. The local check runs again at the end, because the
/// user may act while the service is read.
async fn refuse_part(run: ActiveRun<'_>, kind: &StepKind) -> Result<Option<String>, SyncError> {
    let changed_here = || {
        let kind = kind.clone();
        run_blocking(run.core, move |core| core.read(|tx| guard::find_refusal(tx, &kind)))
    };
    if let Some(why) = changed_here().await? {
        return Ok(Some(why));
    }
    if let Some(why) = lists::find_list_refusal(run, kind).await? {
        return Ok(Some(why.to_owned()));
    }
    changed_here().await
}

/// The most refusals in one step that name no contact, before the search for the refused ones is given up.
const MAX_UNNAMED_REFUSALS: u32 = 64;

/// Describes why a part was refused, with the numbers in it.
fn describe_refusal(kind: &StepKind, error: &remote::ServiceError) -> String {
    match kind {
        StepKind::OptOutCreate { number, .. } => format!("{number}: {error}"),
        StepKind::OptOutDelete { numbers, .. } => format!("{}: {error}", numbers.join(", ")),
        _ => error.to_string(),
    }
}

/// Combines the results of two parts of a step: the worse one counts.
fn combine_results(
    one: Option<(PlanStepState, Option<String>)>,
    other: (PlanStepState, Option<String>),
) -> (PlanStepState, Option<String>) {
    let rank = |state: &PlanStepState| match state {
        PlanStepState::Verified => 0,
        PlanStepState::Accepted => 1,
        PlanStepState::Rejected => 2,
        _ => 3,
    };
    match one {
        Some(one) if rank(&one.0) > rank(&other.0) => one,
        Some((state, Some(why))) if rank(&state) == rank(&other.0) => {
            (other.0, Some(other.1.map_or(why.clone(), |more| format!("{why} {more}"))))
        }
        _ => other,
    }
}

/// Returns whether a refusal that names no contact may concern only one of many.
fn may_concern_one(refusal: RefusalReason, error: &remote::ServiceError) -> bool {
    let is_unplaced = error.response().is_none_or(|refused| refused.entries.iter().all(|entry| entry.field.is_empty()));
    matches!(refusal, RefusalReason::Rule | RefusalReason::Body | RefusalReason::Unknown) && is_unplaced
}

/// Returns the only contact left in a request, with advice.
fn refuse_last_contact(kind: &StepKind, error: &remote::ServiceError) -> RefusedContacts {
    match kind {
        StepKind::Contacts { items, .. } => items.iter().map(|item| (item.id, vec![error.to_string()])).collect(),
        _ => Vec::new(),
    }
}

/// Returns the contacts of a part that is not sent after other parts of its step were. They are reported without a
/// reason.
fn leave_unsent(kind: &StepKind, others_were_sent: bool) -> RefusedContacts {
    match kind {
        StepKind::Contacts { items, .. } if others_were_sent => {
            items.iter().map(|item| (item.id, Vec::new())).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the step with the chosen contacts alone.
fn choose_items(kind: &StepKind, only: &[usize]) -> StepKind {
    match kind {
        StepKind::Contacts { items, .. } => {
            with_items(kind, only.iter().filter_map(|at| items.get(*at)).cloned().collect())
        }
        _ => kind.clone(),
    }
}

fn with_items(kind: &StepKind, items: Vec<ContactItem>) -> StepKind {
    match kind {
        StepKind::Contacts { list, merge, region, .. } => {
            StepKind::Contacts { list: *list, merge: *merge, region: region.clone(), items }
        }
        other => other.clone(),
    }
}

/// Splits a part in two if it has more than one contact.
fn split_in_half(kind: &StepKind) -> Option<[StepKind; 2]> {
    match kind {
        StepKind::Contacts { items, .. } if items.len() > 1 => {
            let (first, second) = items.split_at(items.len() / 2);
            Some([with_items(kind, first.to_vec()), with_items(kind, second.to_vec())])
        }
        _ => None,
    }
}

type RefusedContacts = Vec<(i64, Vec<String>)>;

/// Returns the part without the contacts that the refusal names, and those contacts with advice for each.
fn drop_refused(kind: &StepKind, error: &remote::ServiceError) -> Option<(Option<StepKind>, RefusedContacts)> {
    let StepKind::Contacts { items, .. } = kind else { return None };
    let named = error.refused_contacts();
    let rows: RefusedContacts = named.into_iter().filter_map(|(at, words)| Some((items.get(at)?.id, words))).collect();
    if rows.is_empty() {
        return None;
    }
    let refused: HashSet<i64> = rows.iter().map(|(id, _)| *id).collect();
    let left: Vec<ContactItem> = items.iter().filter(|item| !refused.contains(&item.id)).cloned().collect();
    Some(((!left.is_empty()).then(|| with_items(kind, left)), rows))
}

/// Waits for the right to send, which a busy service may delay for long. Returns `None` if the run is to end first and
/// `may` allows it.
async fn wait_for_turn(run: ActiveRun<'_>, lane: Lane, may: bool) -> Option<LaneTurn<'_>> {
    loop {
        match timeout(TURN_CHECK_INTERVAL, run.client.wait_for_turn(lane)).await {
            Ok(turn) => return Some(turn),
            Err(_) if may && run.control.command() != RunCommand::Continue => return None,
            Err(_) => {}
        }
    }
}

/// Sends one request, after storing its intent.
async fn send_request(
    run: ActiveRun<'_>,
    turn: LaneTurn<'_>,
    step: &PlanStep,
    kind: &StepKind,
) -> Result<Result<AcceptedWrite, remote::ServiceError>, SyncError> {
    let (id, number, step_kind) = (run.id, step.id, kind.clone());
    let (call, attempt) = run_blocking(run.core, move |core| {
        let call = core.read(|tx| build_call(tx, &step_kind))?;
        let now = core.ctx().now();
        let attempt = core.write_quietly(|tx| {
            runs::set_step(tx, id, number, &state_text(PlanStepState::Intent), None)?;
            note_deletion(tx, &step_kind, Some("true"))?;
            Ok(runs::begin_attempt(tx, id, number, &call.digest().to_hex(), now)?)
        })?;
        Ok((call, attempt))
    })
    .await?;
    let answer = turn.send(&call).await;
    let response = answer.as_ref().err().and_then(remote::ServiceError::response);
    let ending = RequestResult {
        verdict: answer.as_ref().err().map_or("done".to_owned(), |error| format!("{:?}", error.verdict)),
        status: answer.as_ref().map(|done| done.status).ok().or(response.map(|response| response.status)),
        code: response.and_then(|response| response.code.clone()),
        trace_id: response.and_then(|response| response.trace_id.clone()),
    };
    // A request that surely had no effect becomes ready again; one that may have had an effect does not.
    let back = answer.as_ref().is_err_and(|error| error.verdict != ResponseMeaning::Uncertain);
    let kind = kind.clone();
    run_blocking(run.core, move |core| {
        let now = core.ctx().now();
        core.write_quietly(|tx| {
            runs::end_attempt(tx, attempt, now, &ending)?;
            if back {
                runs::set_step(tx, id, number, &state_text(PlanStepState::Ready), None)?;
                if !runs::may_have_effect(tx, id, number)? {
                    note_deletion(tx, &kind, None)?;
                }
            }
            Ok(())
        })
    })
    .await?;
    Ok(answer)
}

/// Remembers that the deletion of a record was sent, or forgets it. If the record is restored and then missing at the
/// service, the deletion is the reason, and nobody else. A sender cannot be created again.
fn note_deletion(tx: &WriteTx, kind: &StepKind, sent: Option<&str>) -> Result<(), Error> {
    let (place, uid) = match kind {
        StepKind::ContactDelete { uid, .. } => (SyncedTable::Contacts, uid),
        StepKind::ListDelete { uid, .. } => (SyncedTable::Lists, uid),
        StepKind::LinkDelete { uid, .. } => (SyncedTable::ShortLinks, uid),
        _ => return Ok(()),
    };
    if let Some(id) = ids::find_by_service_uid(tx, place, uid)? {
        answers::set_answer(tx, place, &id, answers::DELETION_SENT, sent)?;
    }
    Ok(())
}

/// Builds the request of a step. Lists that the run created are named by the identifier that the service gave them.
pub(crate) fn build_call(tx: &ReadTx, kind: &StepKind) -> Result<ServiceCall, Error> {
    let list_uid = |list: i64| -> Result<String, Error> {
        Ok(changes::read_record::<i64>(tx, SyncedTable::Lists, list)?.uid.unwrap_or_else(|| UNKNOWN_YET.to_owned()))
    };
    Ok(match kind {
        StepKind::OptOutCreate { number, channel, asset } => {
            ServiceCall::create_opt_out(number, *channel, asset.as_deref())
        }
        StepKind::OptOutDelete { channel, asset, numbers } => {
            ServiceCall::delete_opt_outs(numbers, *channel, asset.as_deref())
        }
        StepKind::ListCreate { name, .. } => ServiceCall::create_list(name),
        StepKind::ListDelete { uid, .. } => ServiceCall::delete_list(uid),
        StepKind::LinkCreate { id, cells } => {
            let (title, target_url, tags, track_clicks) = read_link_values(tx, *id, cells.clone())?;
            ServiceCall::create_link(&LinkBody { title: &title, target_url: &target_url, tags: &tags, track_clicks })
        }
        StepKind::LinkDelete { uid, .. } => ServiceCall::delete_link(uid),
        StepKind::SenderDelete { uid } => ServiceCall::delete_sender(uid),
        StepKind::ContactDelete { uid, .. } => ServiceCall::delete_contact(uid),
        StepKind::Contacts { list, merge, region, items } => {
            ServiceCall::create_contacts(&list_uid(*list)?, region.as_deref(), *merge, items)
        }
        // An upload is turned into contacts when the run begins.
        StepKind::Upload { list, .. } => {
            ServiceCall::create_contacts(&list_uid(*list)?, None, roost_model::contact::MergeType::SkipDuplicates, &[])
        }
    })
}

/// Returns title, target, tags and tracking of a link from its step or, if the step has none, from the local link.
pub(super) fn read_link_values(
    tx: &ReadTx,
    id: i64,
    sent: Option<String>,
) -> Result<(String, String, Vec<String>, bool), Error> {
    let text = match sent {
        Some(cells) => cells,
        None => changes::read_record::<i64>(tx, SyncedTable::ShortLinks, id)?.local.unwrap_or_default(),
    };
    let cell = |name| cells::cell_text(&text, name);
    Ok((
        cell("title"),
        cell("target_url"),
        serde_json::from_str(&cell("tags")).unwrap_or_default(),
        cell("track_clicks") == "1",
    ))
}

/// Builds the quarantine entry of a refused contact.
pub(super) fn quarantine_entry(tx: &ReadTx, run: i64, id: i64, words: &[String]) -> Result<RefusedRecord<i64>, Error> {
    let cells = changes::read_record::<i64>(tx, SyncedTable::Contacts, id)?.local.unwrap_or_default();
    Ok(RefusedRecord { id, run, cells, faults: serde_json::to_string(words).unwrap_or_default() })
}
