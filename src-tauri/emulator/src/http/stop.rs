//! Waits until the server stops.

use tokio::sync::watch;

pub(crate) async fn wait_for_stop(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender no longer exists, which also means that the server has stopped.
    let _ = stop.wait_for(|stops| *stops).await;
}
