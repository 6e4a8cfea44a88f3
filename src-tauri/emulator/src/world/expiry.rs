//! Removes worlds that nobody used for their lifetime.

use std::{sync::Weak, time::Duration};

use super::{Host, remove};

/// The shortest sleep between two checks, so that a busy world is not checked all the time.
const SHORTEST: Duration = Duration::from_millis(20);

/// Removes expired worlds until the server stops.
pub async fn expire(host: Weak<Host>) {
    loop {
        let next = {
            let Some(host) = host.upgrade() else { return };
            look(&host).await
        };
        let Some(host) = host.upgrade() else { return };
        let (ground, changed) = (host.ground.clone(), host.worlds.changed());
        drop(host);
        let wait = async {
            match next {
                Some(time) => tokio::time::sleep(time.max(SHORTEST)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = ground.told_to_stop() => return,
            () = changed => {}
            () = wait => {}
        }
    }
}

/// Removes expired worlds, and returns the time until the next one can expire.
async fn look(host: &Host) -> Option<Duration> {
    let mut next: Option<Duration> = None;
    for world in host.worlds.all() {
        let Some(left) = world.life.left() else { continue };
        // A request under way or a held poll counts as use.
        if left.is_zero() && world.flight.here() == 0 {
            remove(host, world.id.as_str()).await;
            continue;
        }
        next = Some(next.map_or(left, |next| next.min(left)));
    }
    next
}
