//! What happens in a world: its jobs and callbacks, long responses on their way out, the moves of its clock, and its
//! own beginning, reset and end.

mod advance;
mod callbacks;
mod due;
mod jobs;
mod lifecycle;
mod scheduler;
mod spool;
mod status;

pub(crate) use advance::{AdvanceError, AdvanceTarget, advance_clock};
pub(crate) use jobs::{decide_faults, finish_job, job_due, run_job, to_queued};
pub(crate) use lifecycle::{
    BackupCopy, CreateWorldError, NewWorld, Replacement, ResetError, ResetMode, ResetReport, WorldSource,
    change_settings, check_image_removal, check_removed_count, count_removed_opt_outs, create_world,
    remove_expired_worlds, remove_world, replace_account, replace_world, reset_world, restore_snapshot,
};
pub(crate) use scheduler::subscribe_to_account;
pub(crate) use spool::{LongResponseError, MEMORY_MAX, SpoolWriter, make_long_response};
pub(crate) use status::{WorkStatus, read_work_status};

/// Creates an empty world for tests, with the sender that stops it.
#[cfg(test)]
pub(crate) fn empty_world() -> (tokio::sync::watch::Sender<bool>, std::sync::Arc<crate::world::World>) {
    use roost_outbound::{AddressPolicy, CallbackClient};

    use crate::{
        access::WorldId,
        world::{AccountOwnership, HostResources, World, WorldLifetime, WorldParts},
    };

    let (stop, stopped) = tokio::sync::watch::channel(false);
    let base = "http://127.0.0.1:4010".to_owned();
    let outbound = CallbackClient::new(AddressPolicy { private: true, own: Vec::new() });
    let image = roost_ops::Image::empty().expect("an image").clone();
    let parts = WorldParts {
        id: WorldId::default_world(),
        base: base.clone(),
        keys: Vec::new(),
        core: roost_ops::Core::from_image(&image, roost_ops::Ctx::system()).expect("an account"),
        resources: std::sync::Arc::new(HostResources::new(base, outbound, false, stopped, None, Default::default())),
        journal: roost_journal::Journal::default(),
        ownership: AccountOwnership::Own,
        lifetime: WorldLifetime::new(None),
        seed: Some(image),
        settings: crate::settings::Settings::default(),
    };
    (stop, World::new(parts, subscribe_to_account))
}
