//! Sends a step: stores the intent before the request leaves, and interprets the response.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    time::Duration,
};

use roost_ops::Error;
use roost_reconcile::{
    answer::{Refusal, Verdict},
    plan::{Item, Lane, Repeat, Step, StepKind},
    schedule::State,
};
use roost_store::{
    tables::sync::{
        Place, changes,
        runs::{self, Ending, Refused},
    },
    tx::ReadTx,
};

use tokio::time::timeout;

use super::{
    Came, Ended, Run, Wish, guard, lists, pause, read_step,
    removal::{self, RemovalCheck},
    rows, settle, spelt,
};
use crate::{
    Failed, cells, on,
    remote::{self, Call, Done, LinkMade, Turn},
};

/// The placeholder for the identifier in a request that is shown before its list has been created.
const UNKNOWN_YET: &str = "list-made-by-an-earlier-step";
/// The interval at which a step that waits for its lane checks whether the run is to end.
const LOOK: Duration = Duration::from_secs(1);
/// The number of attempts for a request that never leaves.
const TRIES: u32 = 5;

/// Sends a step, split into as many parts as the service requires.
pub async fn send(run: Run<'_>, step: u32) -> Result<(Vec<u32>, Ended), Failed> {
    Ok((vec![step], send_parts(run, read_step(run, step).await?, None).await?))
}

/// Sends a step in parts. `only` selects contacts by their position; the others are known to have arrived.
pub async fn send_parts(run: Run<'_>, step: Step, only: Option<Vec<usize>>) -> Result<Ended, Failed> {
    let came = |state, why| Ended::Came(vec![Came { step: step.id, state, why }]);
    let mut waiting: VecDeque<StepKind> = match &step.kind {
        // Each number is read again just before its opt-out is removed.
        StepKind::OptOutDelete { channel, asset, numbers } => {
            let alone = |number: &String| StepKind::OptOutDelete {
                channel: *channel,
                asset: asset.clone(),
                numbers: vec![number.clone()],
            };
            numbers.iter().map(alone).collect()
        }
        kind => {
            let found = rows::leave_out_changed(run, &step, chosen(kind, only.as_deref())).await?;
            match found {
                Ok(kind) => VecDeque::from([kind]),
                Err(why) => return Ok(came(State::Rejected, Some(why.to_owned()))),
            }
        }
    };
    let mut refused: HashSet<i64> = HashSet::new();
    // The numbers whose opt-outs stay, by reason.
    let mut unremoved: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut tries, mut unnamed) = (0, 0);
    let mut end: Option<(State, Option<String>)> = None;
    while let Some(kind) = waiting.pop_front() {
        let Some(turn) = turn(run, step.lane, end.is_none() && refused.is_empty()).await else {
            return Ok(Ended::Came(Vec::new()));
        };
        if let StepKind::OptOutDelete { channel, asset, numbers } = &kind
            && let [number] = numbers.as_slice()
        {
            match removal::check_removal(run, number, *channel, asset.as_deref(), &step).await? {
                RemovalCheck::Confirmed => {}
                RemovalCheck::Gone => {
                    end = Some(worse(end, (State::Verified, None)));
                    continue;
                }
                RemovalCheck::Refused(why) => {
                    unremoved.entry(why.to_owned()).or_default().push(number.clone());
                    continue;
                }
            }
        }
        if let Some(why) = refuse(run, &kind).await? {
            end = Some(worse(end, (State::Rejected, Some(why))));
            continue;
        }
        let error = match attempt(run, turn, &step, &kind).await? {
            Ok(done) => {
                match (settle::done(run, &step, &kind, &done).await?, &kind) {
                    ((State::Rejected, Some(why)), StepKind::OptOutDelete { numbers, .. }) => {
                        unremoved.entry(why).or_default().extend(numbers.iter().cloned());
                    }
                    (came, _) => end = Some(worse(end, came)),
                }
                continue;
            }
            Err(error) => error,
        };
        let rows = match error.verdict {
            Verdict::Done => continue,
            Verdict::Gone => {
                end = Some(worse(end, settle::gone(run, &step, &kind).await?));
                continue;
            }
            Verdict::Throttled { .. } if pause(run, Duration::ZERO).await => {
                waiting.push_front(kind);
                continue;
            }
            Verdict::Again if tries < TRIES && run.client.may_repeat(&error) => {
                tries += 1;
                waiting.push_front(kind);
                continue;
            }
            Verdict::Uncertain
                if error.is_busy() && step.repeat == Repeat::Blindly && pause(run, Duration::ZERO).await =>
            {
                waiting.push_front(kind);
                continue;
            }
            Verdict::Uncertain => return Ok(Ended::Unheard(step.id, error)),
            Verdict::Stop(_) | Verdict::Again | Verdict::Throttled { .. } => {
                // A part was accepted, so the fate of the rest is looked up before anything is sent twice.
                let may_double = end.is_some() && step.repeat == Repeat::AfterReading;
                return Ok(match may_double {
                    true => came(State::Uncertain, Some(error.to_string())),
                    false => Ended::Stopped(error),
                });
            }
            Verdict::Refused(refusal) => match without(&kind, &error) {
                Some((rest, rows)) => {
                    waiting.extend(rest);
                    rows
                }
                // The service refuses some part of the request without naming it, so halve the request.
                None if may_be_one(refusal, &error) && unnamed < MOST_UNNAMED => {
                    unnamed += 1;
                    match halves(&kind) {
                        Some(halves) => {
                            halves.into_iter().rev().for_each(|half| waiting.push_front(half));
                            continue;
                        }
                        None => alone(&kind, &error),
                    }
                }
                // Too many refusals without a name: the rest stays unchanged locally.
                None => left(&kind, end.is_some() || !refused.is_empty()),
            },
            Verdict::TooLarge => match halves(&kind) {
                Some(halves) => {
                    halves.into_iter().rev().for_each(|half| waiting.push_front(half));
                    continue;
                }
                None => alone(&kind, &error),
            },
        };
        if rows.is_empty() {
            end = Some(worse(end, (State::Rejected, Some(named(&kind, &error)))));
        } else {
            refused.extend(rows.iter().map(|(id, _)| *id));
            settle::refused(run, &step, rows).await?;
        }
    }
    for (why, numbers) in unremoved {
        end = Some(worse(end, (State::Rejected, Some(format!("{}: {why}", numbers.join(", "))))));
    }
    let all_refused = matches!(&step.kind, StepKind::Contacts { items, .. } if items.len() == refused.len());
    Ok(match end {
        _ if all_refused => came(State::Rejected, Some("the service refused every contact of it".to_owned())),
        Some((state, why)) => came(state, why),
        None => came(State::Accepted, None),
    })
}

/// Returns the reason for not sending a part of a step after all. The local check runs again at the end, because the
/// user may act while the service is read.
async fn refuse(run: Run<'_>, kind: &StepKind) -> Result<Option<String>, Failed> {
    let changed_here = || {
        let kind = kind.clone();
        on(run.core, move |core| core.read(|tx| guard::refusal(tx, &kind)))
    };
    if let Some(why) = changed_here().await? {
        return Ok(Some(why));
    }
    if let Some(why) = lists::refusal(run, kind).await? {
        return Ok(Some(why.to_owned()));
    }
    changed_here().await
}

/// The most refusals in one step that name no contact, before the search for the refused ones is given up.
const MOST_UNNAMED: u32 = 64;

/// Describes why a part was refused, with the numbers in it.
fn named(kind: &StepKind, error: &remote::Error) -> String {
    match kind {
        StepKind::OptOutCreate { number, .. } => format!("{number}: {error}"),
        StepKind::OptOutDelete { numbers, .. } => format!("{}: {error}", numbers.join(", ")),
        _ => error.to_string(),
    }
}

/// Combines the results of two parts of a step: the worse one counts.
fn worse(one: Option<(State, Option<String>)>, other: (State, Option<String>)) -> (State, Option<String>) {
    let rank = |state: &State| match state {
        State::Verified => 0,
        State::Accepted => 1,
        State::Rejected => 2,
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
fn may_be_one(refusal: Refusal, error: &remote::Error) -> bool {
    let is_unplaced = error.answer().is_none_or(|refused| refused.entries.iter().all(|entry| entry.field.is_empty()));
    matches!(refusal, Refusal::Rule | Refusal::Body | Refusal::Unknown) && is_unplaced
}

/// Returns the only contact left in a request, with advice.
fn alone(kind: &StepKind, error: &remote::Error) -> Rows {
    match kind {
        StepKind::Contacts { items, .. } => items.iter().map(|item| (item.id, vec![error.to_string()])).collect(),
        _ => Vec::new(),
    }
}

/// Returns the contacts of a part that is not sent after other parts of its step were. They are reported without a
/// reason.
fn left(kind: &StepKind, others_were_sent: bool) -> Rows {
    match kind {
        StepKind::Contacts { items, .. } if others_were_sent => {
            items.iter().map(|item| (item.id, Vec::new())).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the step with the chosen contacts alone.
fn chosen(kind: &StepKind, only: Option<&[usize]>) -> StepKind {
    match (kind, only) {
        (StepKind::Contacts { items, .. }, Some(only)) => {
            with_items(kind, only.iter().filter_map(|at| items.get(*at)).cloned().collect())
        }
        _ => kind.clone(),
    }
}

fn with_items(kind: &StepKind, items: Vec<Item>) -> StepKind {
    match kind {
        StepKind::Contacts { list, merge, region, .. } => {
            StepKind::Contacts { list: *list, merge: *merge, region: region.clone(), items }
        }
        other => other.clone(),
    }
}

/// Splits a part in two if it has more than one contact.
fn halves(kind: &StepKind) -> Option<[StepKind; 2]> {
    match kind {
        StepKind::Contacts { items, .. } if items.len() > 1 => {
            let (first, second) = items.split_at(items.len() / 2);
            Some([with_items(kind, first.to_vec()), with_items(kind, second.to_vec())])
        }
        _ => None,
    }
}

type Rows = Vec<(i64, Vec<String>)>;

/// Returns the part without the contacts that the refusal names, and those contacts with advice for each.
fn without(kind: &StepKind, error: &remote::Error) -> Option<(Option<StepKind>, Rows)> {
    let StepKind::Contacts { items, .. } = kind else { return None };
    let named = error.rows();
    let rows: Rows = named.into_iter().filter_map(|(at, words)| Some((items.get(at)?.id, words))).collect();
    if rows.is_empty() {
        return None;
    }
    let gone: HashSet<i64> = rows.iter().map(|(id, _)| *id).collect();
    let left: Vec<Item> = items.iter().filter(|item| !gone.contains(&item.id)).cloned().collect();
    Some(((!left.is_empty()).then(|| with_items(kind, left)), rows))
}

/// Waits for the right to send, which a busy service may delay for long. Returns `None` if the run is to end first and
/// `may` allows it.
async fn turn(run: Run<'_>, lane: Lane, may: bool) -> Option<Turn<'_>> {
    loop {
        match timeout(LOOK, run.client.turn(lane)).await {
            Ok(turn) => return Some(turn),
            Err(_) if may && run.control.wish() != Wish::Go => return None,
            Err(_) => {}
        }
    }
}

/// Sends one request, after storing its intent.
async fn attempt(
    run: Run<'_>,
    turn: Turn<'_>,
    step: &Step,
    kind: &StepKind,
) -> Result<Result<Done, remote::Error>, Failed> {
    let (id, number, asked) = (run.id, step.id, kind.clone());
    let (call, attempt) = on(run.core, move |core| {
        let call = core.read(|tx| call(tx, &asked))?;
        let now = core.ctx().now();
        let attempt = core.write_quietly(|tx| {
            runs::set_step(tx, id, number, &spelt(State::Intent), None)?;
            Ok(runs::begin_attempt(tx, id, number, &call.digest().hex(), now)?)
        })?;
        Ok((call, attempt))
    })
    .await?;
    let answer = turn.send(&call).await;
    let told = answer.as_ref().err().and_then(remote::Error::answer);
    let ending = Ending {
        verdict: answer.as_ref().err().map_or("done".to_owned(), |error| format!("{:?}", error.verdict)),
        status: answer.as_ref().map(|done| done.status).ok().or(told.map(|told| told.status)),
        code: told.and_then(|told| told.code.clone()),
        trace_id: told.and_then(|told| told.trace_id.clone()),
    };
    // A request that surely had no effect becomes ready again; one that may have had an effect does not.
    let back = answer.as_ref().is_err_and(|error| error.verdict != Verdict::Uncertain);
    on(run.core, move |core| {
        let now = core.ctx().now();
        core.write_quietly(|tx| {
            if back {
                runs::set_step(tx, id, number, &spelt(State::Ready), None)?;
            }
            Ok(runs::end_attempt(tx, attempt, now, &ending)?)
        })
    })
    .await?;
    Ok(answer)
}

/// Builds the request of a step. Lists that the run created are named by the identifier that the service gave them.
pub fn call(tx: &ReadTx, kind: &StepKind) -> Result<Call, Error> {
    let list_uid = |list: i64| -> Result<String, Error> {
        Ok(changes::one::<i64>(tx, Place::Lists, list)?.uid.unwrap_or_else(|| UNKNOWN_YET.to_owned()))
    };
    Ok(match kind {
        StepKind::OptOutCreate { number, channel, asset } => Call::create_opt_out(number, *channel, asset.as_deref()),
        StepKind::OptOutDelete { channel, asset, numbers } => {
            Call::delete_opt_outs(numbers, *channel, asset.as_deref())
        }
        StepKind::ListCreate { name, .. } => Call::create_list(name),
        StepKind::ListDelete { uid, .. } => Call::delete_list(uid),
        StepKind::LinkCreate { id, cells } => {
            let (title, target_url, tags, track_clicks) = link(tx, *id, cells.clone())?;
            Call::create_link(&LinkMade { title: &title, target_url: &target_url, tags: &tags, track_clicks })
        }
        StepKind::LinkDelete { uid, .. } => Call::delete_link(uid),
        StepKind::SenderDelete { uid } => Call::delete_sender(uid),
        StepKind::ContactDelete { uid, .. } => Call::delete_contact(uid),
        StepKind::Contacts { list, merge, region, items } => {
            Call::create_contacts(&list_uid(*list)?, region.as_deref(), *merge, items)
        }
        // An upload is turned into contacts when the run begins.
        StepKind::Upload { list, .. } => {
            Call::create_contacts(&list_uid(*list)?, None, roost_model::contact::MergeType::SkipDuplicates, &[])
        }
    })
}

/// Returns title, target, tags and tracking of a link from its step or, if the step has none, from the local link.
pub fn link(tx: &ReadTx, id: i64, sent: Option<String>) -> Result<(String, String, Vec<String>, bool), Error> {
    let text = match sent {
        Some(cells) => cells,
        None => changes::one::<i64>(tx, Place::ShortLinks, id)?.local.unwrap_or_default(),
    };
    let of = |name| cells::text(&text, name);
    Ok((
        of("title"),
        of("target_url"),
        serde_json::from_str(&of("tags")).unwrap_or_default(),
        of("track_clicks") == "1",
    ))
}

/// Builds the quarantine entry of a refused contact.
pub fn quarantined(tx: &ReadTx, run: i64, id: i64, words: &[String]) -> Result<Refused<i64>, Error> {
    let cells = changes::one::<i64>(tx, Place::Contacts, id)?.local.unwrap_or_default();
    Ok(Refused { id, run, cells, faults: serde_json::to_string(words).unwrap_or_default() })
}
