//! The sender of callbacks: every try is on record before it leaves, and a restart goes on where it stopped.

use std::{collections::HashSet, sync::Arc, time::Duration};

use roost_model::time::Timestamp;
use roost_ops::{
    Core, Error,
    callback::{self, AttemptResult, Callback, Next},
};
use roost_outbound::{Answer, Failure};
use roost_wire::contact::job_ended;
use tokio::{sync::watch, task::JoinSet, time::sleep};

use super::told_to_stop;
use crate::world::World;

/// Calls under way at once.
const PARALLEL: usize = 16;
/// Due ones looked at in one go: enough to find new ones behind those under way.
const LOOK: u32 = 64;
/// The longest the sender sleeps while anything waits, because clocks can be moved.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);
const SHORT_SLEEP: Duration = Duration::from_millis(200);

/// Sends what is due until it is told to stop; tries under way are given up then and come again.
pub(crate) async fn send_all(world: Arc<World>, mut stop: watch::Receiver<bool>) {
    let mut under_way = HashSet::new();
    let mut calls = JoinSet::new();
    loop {
        let sleeping = match start_due(&world, &mut under_way, &mut calls).await {
            Ok(wait) => wait,
            Err(error) => {
                tracing::error!(error = &error as &(dyn std::error::Error + 'static), "callbacks could not be read");
                Some(LONGEST_SLEEP)
            }
        };
        let wait = async {
            match sleeping {
                Some(time) => sleep(time).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = told_to_stop(&mut stop) => return,
            () = world.wakes.callbacks.notified() => {}
            Some(ended) = calls.join_next() => {
                match ended {
                    Ok(id) => {
                        under_way.remove(&id);
                    }
                    // Whichever it was, it is due again.
                    Err(_) => under_way.clear(),
                }
            }
            () = wait => {}
        }
    }
}

/// Starts what is due and not under way; answers how long to sleep, or nothing while nothing waits.
async fn start_due(
    world: &Arc<World>,
    under_way: &mut HashSet<i64>,
    calls: &mut JoinSet<i64>,
) -> Result<Option<Duration>, Error> {
    let (due, next) = off_loop(world, |core| Ok((callback::due(core, LOOK)?, callback::next_due_at(core)?))).await?;
    let mut is_full = false;
    for callback in due {
        if under_way.len() >= PARALLEL {
            is_full = true;
            break;
        }
        if under_way.insert(callback.id) {
            let (world, id) = (world.clone(), callback.id);
            calls.spawn(async move {
                if let Err(error) = send(&world, callback).await {
                    tracing::error!(
                        error = &error as &(dyn std::error::Error + 'static),
                        "a callback could not be recorded"
                    );
                    sleep(SHORT_SLEEP).await;
                }
                id
            });
        }
    }
    let now = world.core.ctx().now();
    Ok(match next {
        None => None,
        // The end of one under way wakes the sender.
        Some(_) if is_full => Some(LONGEST_SLEEP),
        Some(at) if at > now => Some(Duration::from_secs(at.unix().abs_diff(now.unix())).min(LONGEST_SLEEP)),
        Some(_) if under_way.is_empty() => Some(SHORT_SLEEP),
        Some(_) => Some(Duration::from_secs(1)),
    })
}

async fn send(world: &Arc<World>, callback: Callback) -> Result<(), Error> {
    let Some(url) = callback.job.callback_url.clone() else { return Ok(()) };
    let id = callback.id;
    let attempt = off_loop(world, move |core| callback::begin_attempt(core, id)).await?;
    let body = String::from_utf8_lossy(&job_ended(&callback.job)).into_owned();
    let sent = world.outbound.post_json(&url, body).await;
    let next = what_follows(&sent, callback.attempts, &world.rules().settings.retries, world.core.ctx().now());
    let result = match sent {
        Ok(answer) => AttemptResult { status: Some(answer.status), error: None },
        Err(failure) => AttemptResult { status: None, error: Some(failure.to_string()) },
    };
    tracing::debug!(job = callback.job.id, ?result, ?next, "callback tried");
    off_loop(world, move |core| callback::finish_attempt(core, attempt, &result, next)).await
}

/// Success is any 2xx. Only what may pass is tried again; `earlier` tries were made before this one.
fn what_follows(sent: &Result<Answer, Failure>, earlier: u32, waits: &[u32], now: Timestamp) -> Next {
    let may_pass = match sent {
        Ok(answer) if (200..300).contains(&answer.status) => return Next::Delivered,
        Ok(answer) => matches!(answer.status, 408 | 429 | 500..=599),
        Err(failure) => failure.may_pass(),
    };
    let wait = usize::try_from(earlier).ok().and_then(|earlier| waits.get(earlier)).filter(|_| may_pass);
    wait.map_or(Next::GivenUp, |wait| Next::RetryAt(Timestamp::from_unix(now.unix() + i64::from(*wait))))
}

/// Works on the account away from the event loop.
async fn off_loop<T: Send + 'static>(
    world: &Arc<World>,
    act: impl FnOnce(&Core) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let core = world.core.clone();
    let done = tokio::task::spawn_blocking(move || act(&core)).await;
    done.unwrap_or_else(|error| Err(Error::Conflict { message: format!("an act broke off: {error}") }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_pass_is_tried_again_and_not_for_ever() {
        let now = Timestamp::from_unix(1_000);
        let told = |status| Ok(Answer { status, body: Vec::new() });
        let after = |sent: Result<Answer, Failure>, earlier| what_follows(&sent, earlier, &[60, 120], now);
        assert_eq!(after(told(204), 0), Next::Delivered);
        assert_eq!(after(told(299), 9), Next::Delivered);
        for status in [408, 429, 500, 503, 599] {
            assert_eq!(after(told(status), 0), Next::RetryAt(Timestamp::from_unix(1_060)), "{status}");
        }
        assert_eq!(after(told(500), 1), Next::RetryAt(Timestamp::from_unix(1_120)));
        assert_eq!(after(told(500), 2), Next::GivenUp);
        for status in [301, 302, 400, 404, 410, 600] {
            assert_eq!(after(told(status), 0), Next::GivenUp, "{status}");
        }
        assert_eq!(after(Err(Failure::TimedOut), 0), Next::RetryAt(Timestamp::from_unix(1_060)));
        assert_eq!(after(Err(Failure::Refused(String::new())), 0), Next::GivenUp);
        assert_eq!(what_follows(&told(500), 0, &[], now), Next::GivenUp);
    }
}
