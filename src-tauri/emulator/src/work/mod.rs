//! What goes on besides answering: jobs, callbacks, and long answers on their way out.

mod callbacks;
mod jobs;
mod pipe;

use std::sync::Arc;

use tokio::sync::{Notify, watch};

pub use jobs::JobsWake;
pub use pipe::{Pipe, pipe};
pub(crate) use {callbacks::send_all, jobs::run_all};

/// How the workers are told that there is something to do.
#[derive(Clone)]
pub struct Wakes {
    pub jobs: JobsWake,
    pub callbacks: Arc<Notify>,
}

/// Ends when the server is told to stop, or is gone.
pub(crate) async fn told_to_stop(stop: &mut watch::Receiver<bool>) {
    // An error means that whoever could tell is gone, which tells the same.
    let _ = stop.wait_for(|stops| *stops).await;
}
