//! Sends callbacks. Every attempt is recorded before it is sent, so that a restart continues where the server stopped.

mod trace;

use std::{borrow::Cow, collections::HashMap, sync::Arc, time::Duration};

use roost_model::time::DueTime;
use roost_ops::{
    Core, Error,
    callback::{self, AttemptOutcome, AttemptResult, Callback, CallbackAttempt, DueCallback},
};
use roost_outbound::{CallFailure, PostRequest, TIME_OUT};
use tokio::{task::JoinSet, time::sleep};

use self::trace::CallbackTrace;
use super::scheduler::OutgoingCall;
use crate::{
    faults::LOSSY_CALLBACKS,
    hooks::{self, HOOK_SEGMENT},
    settings::HumanDuration,
    world::{
        AttemptContext, AttemptDetails, CallbackOrder, CallbackPolicy, CallbackTemplate, CompletedWork, GiveUpReason,
        TaskGuard, World,
    },
};

/// The number of due callbacks read at once, enough to find new ones behind those under way.
const DUE_BATCH: u32 = 64;
/// The number read at once if the policy's order may prefer any due callback.
const DUE_BATCH_MAX: u32 = 10_000;
/// The longest sleep of the sender without a wake-up.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);
const SHORT_SLEEP: Duration = Duration::from_millis(200);

/// Sends due callbacks, and returns when none are left. Attempts under way are aborted when the server stops and are
/// repeated after a restart. They are forgotten when their epoch ends.
pub(crate) async fn send_all_callbacks(world: Arc<World>, _working: TaskGuard) {
    let mut under_way = HashMap::new();
    let mut calls = JoinSet::new();
    let mut epoch = None;
    while !world.has_ended() {
        // Waits for the end of a reset, because a callback sent during it would belong to the replaced account.
        let now = world.epoch.wait_until_open().await;
        if epoch.replace(now) != Some(now) {
            calls.abort_all();
            while calls.join_next().await.is_some() {}
            under_way.clear();
        }
        let core = world.core.fenced();
        let wakes = match start_due_callbacks(&world, &core, now, &mut under_way, &mut calls).await {
            Ok(wakes) => wakes,
            Err(error) if error.is_superseded() => Some(NextWake::After(Duration::ZERO)),
            Err(error) => {
                tracing::error!(error = &error as &(dyn std::error::Error + 'static), "callbacks could not be read");
                Some(NextWake::After(LONGEST_SLEEP))
            }
        };
        if wakes.is_none() && under_way.is_empty() {
            if world.work.callback_signal().try_finish() {
                return;
            }
            continue;
        }
        let wait = async {
            match wakes {
                Some(NextWake::At(time)) => world.ticker.wait_until(time).await,
                Some(NextWake::After(time)) => sleep(time).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = world.resources.wait_for_stop() => return,
            () = world.epoch.wait_until_ended(now) => {}
            () = world.work.callback_signal().wait_for_request() => {}
            Some(ended) = calls.join_next() => {
                match ended {
                    Ok(id) => drop(under_way.remove(&id)),
                    // The aborted callback is due again, whichever it was.
                    Err(_) => under_way.clear(),
                }
            }
            () = wait => {}
        }
    }
}

/// When the sender next looks for due callbacks, unless it is woken earlier.
enum NextWake {
    /// A time by the world's clock.
    At(DueTime),
    /// A duration of real time.
    After(Duration),
}

/// Starts the due callbacks that are not under way. Returns when to look again, or `None` if no callback is waiting.
async fn start_due_callbacks(
    world: &Arc<World>,
    core: &Core,
    epoch: u64,
    under_way: &mut HashMap<i64, String>,
    calls: &mut JoinSet<i64>,
) -> Result<Option<NextWake>, Error> {
    let policy = world.work.callback_tracker().policy();
    let (most, per_receiver) =
        if world.ticker.is_in_order() { (1, 1) } else { (policy.calls_at_once(), policy.calls_per_receiver()) };
    let mut look = if policy.order == CallbackOrder::Fifo { DUE_BATCH } else { DUE_BATCH_MAX };
    let (mut due, next) = loop {
        let (due, next) =
            run_blocking(core, move |core| Ok((callback::list_due(core, look)?, callback::next_due_at(core)?))).await?;
        // Callbacks of other receivers can follow those whose receivers have no room.
        let can_start = |due: &DueCallback| has_room(under_way, due, per_receiver);
        if look == DUE_BATCH_MAX || due.len() < look as usize || due.iter().any(can_start) {
            break (due, next);
        }
        look = DUE_BATCH_MAX;
    };
    policy.sort_due(&mut due);
    let mut is_full = false;
    for due in due {
        if under_way.len() >= most {
            is_full = true;
            break;
        }
        if has_room(under_way, &due, per_receiver) {
            let id = due.id;
            under_way.insert(id, receiver_origin(&due.url));
            let (call, core) = (OutgoingCall::begin(world, id), core.clone());
            calls.spawn(async move {
                let world = call.world();
                tokio::select! {
                    // The end of the epoch is checked first, so that nothing is sent once a reset has seen that
                    // nothing is under way.
                    biased;
                    () = world.epoch.wait_until_ended(epoch) => {}
                    () = attempt_once(world, &core, epoch, id) => {}
                }
                id
            });
        }
    }
    let now = core.ctx().due_now();
    Ok(match next {
        None => None,
        // The end of an attempt under way wakes the sender.
        Some(_) if is_full => Some(NextWake::After(LONGEST_SLEEP)),
        Some(at) if at > now => Some(NextWake::At(at)),
        Some(_) if under_way.is_empty() => Some(NextWake::After(SHORT_SLEEP)),
        Some(_) => Some(NextWake::After(Duration::from_secs(1))),
    })
}

/// Whether a callback is not under way and its receiver has room for another call.
fn has_room(under_way: &HashMap<i64, String>, due: &DueCallback, per_receiver: usize) -> bool {
    let receiver = receiver_origin(&due.url);
    !under_way.contains_key(&due.id) && under_way.values().filter(|other| **other == receiver).count() < per_receiver
}

/// Returns scheme, host and port of the receiver.
fn receiver_origin(url: &str) -> String {
    url::Url::parse(url).map_or_else(|_| url.to_owned(), |url| url.origin().ascii_serialization())
}

async fn attempt_once(world: &World, core: &Core, epoch: u64, id: i64) {
    if let Err(error) = send_callback(world, core, epoch, id).await
        && !error.is_superseded()
    {
        tracing::error!(error = &error as &(dyn std::error::Error + 'static), "a callback could not be recorded");
        sleep(SHORT_SLEEP).await;
    }
}

async fn send_callback(world: &World, core: &Core, epoch: u64, id: i64) -> Result<(), Error> {
    let begun = world.core.ctx().now();
    // If the callback was held or cancelled meanwhile, nothing is sent.
    let Some(due) = run_blocking(core, move |core| callback::begin_due(core, id)).await? else { return Ok(()) };
    let (attempt, callback, earlier) = due;
    let (job, number) = (callback.job.id, callback.attempts + 1);
    let (result, next) = match policy_in_force(world).is_dropped(id) && earlier.is_empty() {
        true => {
            world.work.callback_tracker().set_reason(id, Some(GiveUpReason::Dropped));
            world.resources.tally.count_dropped();
            let is_own = world.work.callback_tracker().policy().is_dropped(id);
            let by = if is_own { "callback policy".to_owned() } else { format!("profile {LOSSY_CALLBACKS}") };
            let message = format!("dropped on purpose by the {by}; nothing was sent");
            (AttemptResult { status: None, error: Some(message) }, AttemptOutcome::GivenUp)
        }
        false => call_receiver(world, epoch, &callback, &earlier).await,
    };
    tracing::debug!(job, ?result, ?next, "callback attempted");
    let status = result.status;
    run_blocking(core, move |core| callback::finish_attempt(core, attempt, &result, next)).await?;
    world.ticker.record_completed(|| CompletedWork::for_callback(begun, job, id, number, status));
    world.persist();
    Ok(())
}

/// Returns the world's policy, combined with the losses of the profile in force.
fn policy_in_force(world: &World) -> Arc<CallbackPolicy> {
    let policy = world.work.callback_tracker().policy();
    match world.faults.callback_losses() {
        Some((losses, seed)) => Arc::new(policy.with_losses(losses, seed)),
        None => policy,
    }
}

/// Returns the address to which a callback is sent. A receiver that the world itself hosts is called where the server
/// listens, because its public address may not be reachable from here.
fn address<'u>(world: &World, url: &'u str) -> Cow<'u, str> {
    let public = world.resources.start.public_url.as_ref();
    match public.and_then(|public| url.strip_prefix(public.as_str())) {
        Some(path) if path.starts_with(&format!("/{HOOK_SEGMENT}/{}/", world.id)) => {
            Cow::Owned(format!("{}{path}", world.resources.url))
        }
        _ => Cow::Borrowed(url),
    }
}

/// Calls the receiver. Returns the result and the next step.
async fn call_receiver(
    world: &World,
    epoch: u64,
    callback: &Callback,
    earlier: &[CallbackAttempt],
) -> (AttemptResult, AttemptOutcome) {
    let (tracker, number) = (world.work.callback_tracker(), callback.attempts + 1);
    let policy = policy_in_force(world);
    let url = &world.callback_address(callback.job.id, callback.job.callback_url.as_deref().unwrap_or_default());
    let content = policy.template.render(callback, number);
    let noted = CallbackTrace::begin(world, url, &content, number, callback.job.id);
    let (headers, own) = (
        policy.extra_headers(&content.body),
        hooks::attempt_header_value(world.id.as_str(), epoch, callback.id, number),
    );
    let post = PostRequest {
        url: &address(world, url),
        body: &content.body,
        content_type: &content.media,
        headers: &headers,
        own_header: Some((hooks::ATTEMPT_HEADER, &own)),
        time_out: policy.timeout.0,
    };
    let called = world.resources.outbound.post(post).await;
    world.resources.tally.count_attempt(called.result.as_ref().ok().map(|answer| answer.status));
    let tried = AttemptContext {
        callback: callback.id,
        earlier: callback.attempts,
        was_delivered: earlier.iter().any(|attempt| attempt.status.is_some_and(|status| (200..300).contains(&status))),
        is_twice: tracker.is_sent_twice(callback.job.id),
    };
    let now = world.core.ctx().due_now();
    let next = policy.next_after(&called.result, tried, &world.active_settings().settings.retries, now);
    // The documented content can be derived from the job at any time, so only the content of a template is stored.
    let template_content = (policy.template != CallbackTemplate::None).then_some(content);
    tracker.record_attempt(callback.id, number, AttemptDetails::from_call(template_content, headers, &called));
    if let Some(noted) = noted {
        noted.finish(url, &called.result, &describe_next(next, now));
    }
    let result = match &called.result {
        Ok(answer) => AttemptResult { status: Some(answer.status), error: None },
        Err(CallFailure::TimedOut(_)) if policy.timeout.0 != TIME_OUT => {
            AttemptResult { status: None, error: Some(format!("no answer within {}", policy.timeout)) }
        }
        Err(failure) => AttemptResult { status: None, error: Some(failure.to_string()) },
    };
    (result, next)
}

/// Describes the next step for a person.
fn describe_next(next: AttemptOutcome, now: DueTime) -> String {
    match next {
        AttemptOutcome::Delivered => "Delivered.".to_owned(),
        AttemptOutcome::RetryAt(at) if at == now => "A duplicate is sent immediately.".to_owned(),
        AttemptOutcome::RetryAt(at) => {
            format!("Next attempt in {}.", HumanDuration::from_ceil_millis(at.time_since(now)))
        }
        AttemptOutcome::GivenUp => "Given up.".to_owned(),
    }
}

/// Runs a blocking action on the account outside the event loop.
pub(super) async fn run_blocking<T: Send + 'static>(
    core: &Core,
    act: impl FnOnce(&Core) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let core = core.clone();
    let done = tokio::task::spawn_blocking(move || act(&core)).await;
    done.unwrap_or_else(|error| match error.is_cancelled() {
        // The server stops. Nothing was done, and no caller waits for the result any more.
        true => Err(Error::superseded()),
        false => Err(Error::Conflict { message: format!("an action stopped early: {error}") }),
    })
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;
    use crate::{
        work::{ResetMode, empty_world, reset_world},
        world::KeepOptions,
    };

    #[tokio::test]
    async fn a_reset_waits_until_no_call_of_before_is_under_way() {
        let (_stop, world) = empty_world();
        let call = OutgoingCall::begin(&world, 1);
        let resetting = reset_world(&world, KeepOptions::default(), ResetMode::Cancel, None);
        tokio::pin!(resetting);
        tokio::select! {
            _ = resetting.as_mut() => panic!("it did not wait"),
            () = world.epoch.wait_until_ended(0) => {}
        }
        // There is no event for “nothing happens”, so the test waits a little.
        assert!(timeout(Duration::from_millis(100), resetting.as_mut()).await.is_err());
        assert_eq!(world.core.epoch(), 0, "the account is still what the call is about");
        drop(call);
        resetting.await.expect("put back");
        assert_eq!(world.core.epoch(), 1);
    }

    #[tokio::test]
    async fn no_attempt_is_under_way_once_no_call_is() {
        let (_stop, world) = empty_world();
        let tracker = world.work.callback_tracker();
        let (mut news, calls) = (tracker.subscribe(), [1, 2].map(|id| OutgoingCall::begin(&world, id)));
        assert!(tracker.is_under_way(1) && tracker.is_under_way(2) && !tracker.is_under_way(3));
        news.borrow_and_update();
        drop(calls);
        world.work.wait_for_calls().await;
        assert!(!tracker.is_anything_under_way() && news.has_changed().expect("it lives"));
    }
}
