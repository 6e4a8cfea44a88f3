//! The background work of a world: jobs, callbacks, and long responses on their way out.

mod callbacks;
mod due;
mod jobs;
mod pump;
mod settle;
mod spool;

use tokio::sync::watch;

pub use callbacks::{CallbacksState, Content, Policy as CallbackPolicy, Reason, Sign, Try};
pub use due::Ran;
pub use jobs::{Fault as JobFault, JobsState, Moment as JobMoment, Policy as JobPolicy, What as JobWhat};
pub(crate) use jobs::{due as job_due, ended as job_ended, queued, run_job};
pub use pump::Pump;
pub use settle::{Standing, Undone as UndoneWork, What as UndoneWhat, standing};
pub use spool::{IN_MEMORY, NotMade, SpoolWriter, make_long_answer};

/// Waits until the server stops.
pub(crate) async fn told_to_stop(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender no longer exists, which also means that the server has stopped.
    let _ = stop.wait_for(|stops| *stops).await;
}

/// Creates an empty world for tests, with the sender that stops it.
#[cfg(test)]
fn empty_world() -> (watch::Sender<bool>, std::sync::Arc<crate::world::World>) {
    use roost_outbound::{AddressPolicy, CallbackClient};

    use crate::world::{Account, Ground, Life, Parts, World, WorldId};

    let (stop, stopped) = watch::channel(false);
    let base = "http://127.0.0.1:4010".to_owned();
    let outbound = CallbackClient::new(AddressPolicy { private: true, own: Vec::new() });
    let image = roost_ops::Image::empty().expect("an image").clone();
    let world = World::new(Parts {
        id: WorldId::default_world(),
        base: base.clone(),
        keys: Vec::new(),
        core: roost_ops::Core::from_image(&image, roost_ops::Ctx::system()).expect("an account"),
        ground: std::sync::Arc::new(Ground::new(base, outbound, false, stopped, None, Default::default())),
        journal: crate::journal::Journal::default(),
        account: Account::Own,
        life: Life::new(None),
        seed: Some(image),
        settings: crate::settings::Settings::default(),
    });
    (stop, world)
}
