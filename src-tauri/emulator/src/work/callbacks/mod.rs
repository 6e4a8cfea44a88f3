//! Sends callbacks. Every attempt is recorded before it is sent, so that a restart continues where the server stopped.

mod desk;
mod policy;
mod template;

use std::{borrow::Cow, collections::HashMap, sync::Arc, time::Duration};

use roost_model::time::Timestamp;
use roost_ops::{
    Core, Error,
    callback::{self, AttemptOutcome, AttemptResult, Callback, CallbackAttempt, DueCallback},
};
use roost_outbound::{CallFailure, PostRequest, TIME_OUT};
use tokio::{task::JoinSet, time::sleep};

pub use self::{
    desk::{CallbacksState, Desk, Reason, Try},
    policy::{Policy, Sign},
    template::Content,
};
use self::{
    policy::{Order, Tried},
    template::Template,
};
use crate::{
    faults::LOSSY_CALLBACKS,
    hooks::{self, HOOK},
    journal::Sent,
    work::{due::Ran, pump::Call},
    world::{Working, World},
};

/// How many due callbacks are read at once: enough to find new ones behind those under way.
const LOOK: u32 = 64;
/// The same if the order of the policy can prefer any due callback.
const LOOK_ALL: u32 = 10_000;
/// The longest sleep of the sender without a wake-up.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);
const SHORT_SLEEP: Duration = Duration::from_millis(200);

/// Sends what is due, and ends when nothing waits. Attempts under way are aborted when the server stops and are
/// repeated after a restart. They are forgotten when their epoch ends.
pub(crate) async fn send_all(world: Arc<World>, _working: Working) {
    let mut under_way = HashMap::new();
    let mut calls = JoinSet::new();
    let mut epoch = None;
    while !world.is_over() {
        // Waits for the end of a reset, because a callback sent during it would belong to the replaced account.
        let now = world.flight.current().await;
        if epoch.replace(now) != Some(now) {
            calls.abort_all();
            while calls.join_next().await.is_some() {}
            under_way.clear();
            world.pump.desk().all_ended();
        }
        let core = world.core.fenced();
        let wakes = match start_due(&world, &core, now, &mut under_way, &mut calls).await {
            Ok(wakes) => wakes,
            Err(error) if error.is_superseded() => Some(Wake::After(Duration::ZERO)),
            Err(error) => {
                tracing::error!(error = &error as &(dyn std::error::Error + 'static), "callbacks could not be read");
                Some(Wake::After(LONGEST_SLEEP))
            }
        };
        if wakes.is_none() && under_way.is_empty() {
            if world.pump.callbacks().rest() {
                return;
            }
            continue;
        }
        let wait = async {
            match wakes {
                Some(Wake::At(time)) => world.ticker.reaches(time).await,
                Some(Wake::After(time)) => sleep(time).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = world.ground.told_to_stop() => return,
            () = world.flight.ended(now) => {}
            () = world.pump.callbacks().rung() => {}
            Some(ended) = calls.join_next() => {
                match ended {
                    Ok(id) => {
                        under_way.remove(&id);
                        world.pump.desk().ended(id);
                    }
                    // The aborted callback is due again, whichever it was.
                    Err(_) => {
                        under_way.clear();
                        world.pump.desk().all_ended();
                    }
                }
            }
            () = wait => {}
        }
    }
}

/// When the sender looks again without a wake-up.
enum Wake {
    /// A time by the world's clock.
    At(Timestamp),
    /// A duration of real time.
    After(Duration),
}

/// Starts what is due and not under way. Returns when to look again, or None if nothing waits.
async fn start_due(
    world: &Arc<World>,
    core: &Core,
    epoch: u64,
    under_way: &mut HashMap<i64, String>,
    calls: &mut JoinSet<i64>,
) -> Result<Option<Wake>, Error> {
    let policy = world.pump.desk().policy();
    let (most, per_receiver) =
        if world.ticker.is_in_order() { (1, 1) } else { (policy.parallel(), policy.per_receiver()) };
    let mut look = if policy.order == Order::Fifo { LOOK } else { LOOK_ALL };
    let (mut due, next) = loop {
        let (due, next) =
            off_loop(core, move |core| Ok((callback::list_due(core, look)?, callback::next_due_at(core)?))).await?;
        // Callbacks of other receivers can follow those whose receivers have no room.
        let can_start = |due: &DueCallback| has_room(under_way, due, per_receiver);
        if look == LOOK_ALL || due.len() < look as usize || due.iter().any(can_start) {
            break (due, next);
        }
        look = LOOK_ALL;
    };
    policy.arrange(&mut due);
    let mut is_full = false;
    for due in due {
        if under_way.len() >= most {
            is_full = true;
            break;
        }
        if has_room(under_way, &due, per_receiver) {
            let id = due.id;
            under_way.insert(id, receiver_of(&due.url));
            world.pump.desk().under_way(id);
            let (call, core) = (Call::begin(world), core.clone());
            calls.spawn(async move {
                let world = call.world();
                tokio::select! {
                    // The end of the epoch is checked first, so that nothing is sent once a reset has seen that
                    // nothing is under way.
                    biased;
                    () = world.flight.ended(epoch) => {}
                    () = try_once(world, &core, epoch, id) => {}
                }
                id
            });
        }
    }
    let now = core.ctx().now();
    Ok(match next {
        None => None,
        // The end of an attempt under way wakes the sender.
        Some(_) if is_full => Some(Wake::After(LONGEST_SLEEP)),
        Some(at) if at > now => Some(Wake::At(at)),
        Some(_) if under_way.is_empty() => Some(Wake::After(SHORT_SLEEP)),
        Some(_) => Some(Wake::After(Duration::from_secs(1))),
    })
}

/// Whether a callback is not under way and its receiver has room for another call.
fn has_room(under_way: &HashMap<i64, String>, due: &DueCallback, per_receiver: usize) -> bool {
    let receiver = receiver_of(&due.url);
    !under_way.contains_key(&due.id) && under_way.values().filter(|other| **other == receiver).count() < per_receiver
}

/// Returns scheme, host and port of the receiver.
fn receiver_of(url: &str) -> String {
    url::Url::parse(url).map_or_else(|_| url.to_owned(), |url| url.origin().ascii_serialization())
}

async fn try_once(world: &World, core: &Core, epoch: u64, id: i64) {
    if let Err(error) = send(world, core, epoch, id).await
        && !error.is_superseded()
    {
        tracing::error!(error = &error as &(dyn std::error::Error + 'static), "a callback could not be recorded");
        sleep(SHORT_SLEEP).await;
    }
}

async fn send(world: &World, core: &Core, epoch: u64, id: i64) -> Result<(), Error> {
    let begun = world.core.ctx().now();
    // If the callback was held or cancelled meanwhile, nothing is sent.
    let Some(due) = off_loop(core, move |core| callback::begin_due(core, id)).await? else { return Ok(()) };
    let (attempt, callback, earlier) = due;
    let (job, number) = (callback.job.id, callback.attempts + 1);
    let (result, next) = match policy_in_force(world).drops(id) && earlier.is_empty() {
        true => {
            world.pump.desk().set_reason(id, Some(Reason::Dropped));
            world.ground.tally.dropped();
            let is_own = world.pump.desk().policy().drops(id);
            let by = if is_own { "callback policy".to_owned() } else { format!("profile {LOSSY_CALLBACKS}") };
            let told = format!("dropped on purpose by the {by}; nothing was sent");
            (AttemptResult { status: None, error: Some(told) }, AttemptOutcome::GivenUp)
        }
        false => called(world, epoch, &callback, &earlier).await,
    };
    tracing::debug!(job, ?result, ?next, "callback attempted");
    let status = result.status;
    off_loop(core, move |core| callback::finish_attempt(core, attempt, &result, next)).await?;
    world.ticker.note(|| Ran::callback(begun, job, id, number, status));
    world.keep();
    Ok(())
}

/// Returns the world's policy, combined with the losses of the profile in force.
fn policy_in_force(world: &World) -> Arc<Policy> {
    let policy = world.pump.desk().policy();
    match world.faults.losses() {
        Some((losses, seed)) => Arc::new(policy.with_losses(losses, seed)),
        None => policy,
    }
}

/// Where a callback is sent. A receiver of the world is called where the server listens: its public address may lead
/// nowhere from here.
fn address<'u>(world: &World, url: &'u str) -> Cow<'u, str> {
    let public = world.ground.start.public_url.as_ref();
    match public.and_then(|public| url.strip_prefix(public.as_str())) {
        Some(path) if path.starts_with(&format!("/{HOOK}/{}/", world.id)) => {
            Cow::Owned(format!("{}{path}", world.ground.url))
        }
        _ => Cow::Borrowed(url),
    }
}

/// Calls the receiver. Returns the result and the next step.
async fn called(
    world: &World,
    epoch: u64,
    callback: &Callback,
    earlier: &[CallbackAttempt],
) -> (AttemptResult, AttemptOutcome) {
    let (desk, number) = (world.pump.desk(), callback.attempts + 1);
    let policy = policy_in_force(world);
    let url = callback.job.callback_url.as_deref().unwrap_or_default();
    let content = policy.template.content(callback, number);
    let noted = Sent::begin(world, url, &content, number, callback.job.id);
    let (headers, own) = (policy.headers(&content.body), hooks::tried(world.id.as_str(), epoch, callback.id, number));
    let post = PostRequest {
        url: &address(world, url),
        body: &content.body,
        content_type: &content.media,
        headers: &headers,
        own_header: Some((hooks::TRY, &own)),
        time_out: policy.timeout.0,
    };
    let called = world.ground.outbound.post(post).await;
    world.ground.tally.tried(called.result.as_ref().ok().map(|answer| answer.status));
    let tried = Tried {
        callback: callback.id,
        earlier: callback.attempts,
        was_delivered: earlier.iter().any(|attempt| attempt.status.is_some_and(|status| (200..300).contains(&status))),
        is_twice: desk.is_twice(callback.job.id),
    };
    let now = world.core.ctx().now();
    let next = policy.follows(&called.result, tried, &world.rules().settings.retries, now);
    // The documented content can be derived from the job at any time, so only the content of a template is stored.
    let made = (policy.template != Template::None).then_some(content);
    desk.note(callback.id, number, Try::of(made, headers, &called));
    if let Some(noted) = noted {
        noted.end(url, &called.result, &told(next, now));
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
fn told(next: AttemptOutcome, now: Timestamp) -> String {
    match next {
        AttemptOutcome::Delivered => "Delivered.".to_owned(),
        AttemptOutcome::RetryAt(at) if at == now => "A duplicate is sent immediately.".to_owned(),
        AttemptOutcome::RetryAt(at) => format!("Next attempt in {} s.", at.unix().abs_diff(now.unix())),
        AttemptOutcome::GivenUp => "Given up.".to_owned(),
    }
}

/// Runs an act on the account outside the event loop.
pub(super) async fn off_loop<T: Send + 'static>(
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
        work::empty_world,
        world::{Keep, Mode, reset},
    };

    #[tokio::test]
    async fn a_reset_waits_until_no_call_of_before_is_under_way() {
        let (_stop, world) = empty_world();
        let call = Call::begin(&world);
        let resetting = reset(&world, Keep::default(), Mode::Cancel, None);
        tokio::pin!(resetting);
        tokio::select! {
            _ = resetting.as_mut() => panic!("it did not wait"),
            () = world.flight.ended(0) => {}
        }
        // There is no event for “nothing happens”, so the test waits a little.
        assert!(timeout(Duration::from_millis(100), resetting.as_mut()).await.is_err());
        assert_eq!(world.core.epoch(), 0, "the account is still what the call is about");
        drop(call);
        resetting.await.expect("put back");
        assert_eq!(world.core.epoch(), 1);
    }
}
