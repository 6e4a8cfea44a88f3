//! What goes on besides answering: jobs, callbacks, and long answers on their way out.

mod callbacks;
mod jobs;
mod pipe;

use std::sync::Arc;

use roost_ops::{Core, Noun, Source, Subscription};
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

impl Wakes {
    /// Hears of new work whoever makes it: a request, a page, another handle of the same account.
    pub fn listen(&self, core: &Core) -> Subscription {
        let wakes = self.clone();
        core.subscribe(move |notice| {
            if notice.by != Source::Job && notice.nouns.contains(&Noun::Job) {
                wakes.jobs.wake();
            }
            if notice.nouns.contains(&Noun::Callback) {
                wakes.callbacks.notify_one();
            }
        })
    }
}

/// Ends when the server is told to stop, or is gone.
pub(crate) async fn told_to_stop(stop: &mut watch::Receiver<bool>) {
    // An error means that whoever could tell is gone, which tells the same.
    let _ = stop.wait_for(|stops| *stops).await;
}
