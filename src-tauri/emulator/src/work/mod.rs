//! What goes on besides answering: jobs, callbacks, and long answers on their way out.

mod callbacks;
mod due;
mod jobs;
mod pipe;
mod pump;
mod settle;

use tokio::sync::watch;

pub use callbacks::{Content, Policy as CallbackPolicy, Reason, Sign, Try};
pub use due::Ran;
pub use jobs::{Fault as JobFault, Moment as JobMoment, Policy as JobPolicy, What as JobWhat};
pub(crate) use jobs::{due as job_due, ended as job_ended, queued, run_job};
pub use pipe::{Pipe, pipe};
pub use pump::Pump;
pub use settle::{Standing, standing};

/// Ends when the server is told to stop, or is gone.
pub(crate) async fn told_to_stop(stop: &mut watch::Receiver<bool>) {
    // An error means that whoever could tell is gone, which tells the same.
    let _ = stop.wait_for(|stops| *stops).await;
}
