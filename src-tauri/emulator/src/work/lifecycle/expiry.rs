//! Removes worlds that nobody used for their lifetime.

use std::{sync::Weak, time::Duration};

use super::remove_world;
use crate::world::Host;

/// The shortest sleep between two checks, so that a busy world is not checked all the time.
const SLEEP_MIN: Duration = Duration::from_millis(20);

/// Removes expired worlds until the server stops.
pub(crate) async fn remove_expired_worlds(host: Weak<Host>) {
    loop {
        let next = {
            let Some(host) = host.upgrade() else { return };
            remove_expired(&host).await
        };
        let Some(host) = host.upgrade() else { return };
        let (resources, changed) = (host.resources.clone(), host.worlds.wait_for_change());
        drop(host);
        let wait = async {
            match next {
                Some(time) => tokio::time::sleep(time.max(SLEEP_MIN)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = resources.wait_for_stop() => return,
            () = changed => {}
            () = wait => {}
        }
    }
}

/// Removes expired worlds, and returns the time until the next one can expire.
async fn remove_expired(host: &Host) -> Option<Duration> {
    let mut next: Option<Duration> = None;
    for world in host.worlds.list_worlds() {
        let Some(left) = world.lifetime.time_left() else { continue };
        // A request under way or a held poll counts as use.
        if left.is_zero() && world.epoch.occupants() == 0 {
            remove_world(host, world.id.as_str()).await;
            continue;
        }
        next = Some(next.map_or(left, |next| next.min(left)));
    }
    next
}
