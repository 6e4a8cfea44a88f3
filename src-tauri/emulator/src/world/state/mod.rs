//! The complete state of a world as one value. Snapshots, restores, copies, exports, imports and restarts all use it.

mod file;
mod head;
mod records;
mod writer;

use roost_ops::{Core, Image, job};

pub use self::{file::WORLD_MAGIC, writer::StateLocation};
pub(crate) use self::{
    file::{ReadWorldError, WORLD_VERSION, WorldFile},
    head::{ControlState, WorldHead},
    records::write_whole,
    writer::{StateWriter, snapshot_file},
};
use super::{StartingPoint, World};

/// The parts of the world to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct KeepOptions {
    pub settings: bool,
    pub limits: bool,
    pub faults: bool,
    pub journal: bool,
    pub clock: bool,
    /// The seed and style of ids.
    pub random: bool,
}

#[derive(Clone)]
pub(crate) struct WorldState {
    /// The data, including waiting jobs and callbacks.
    pub image: Image,
    /// Everything else.
    pub head: WorldHead,
}

impl WorldState {
    /// Returns the approximate size. Rules, policies and counts are small compared to the data and the records of
    /// calls, so they are not included.
    pub(crate) fn size(&self) -> usize {
        self.image.bytes().len() + self.head.control.size()
    }

    /// Captures the present state of a world as read through `core`. No job runs meanwhile, so that the data and the
    /// state of its jobs belong together.
    pub(crate) fn capture(world: &World, core: &Core) -> Result<Self, roost_ops::Error> {
        let resting = world.work.job_tracker().events().block_work();
        let image = core.image()?;
        // The head is captured after the image, so that no ID in the image is generated again.
        let head = WorldHead::capture(world, core);
        drop(resting);
        Ok(Self { image, head })
    }
}

impl World {
    /// Returns what a reset restores besides the data.
    pub(crate) fn head_at_start(&self) -> WorldHead {
        WorldHead {
            settings: self.settings_at_start.clone(),
            starting_point: self.starting_point(),
            is_from_seed: true,
            control: ControlState::default(),
        }
    }
}

impl WorldHead {
    /// Captures everything of a world except its data.
    pub(crate) fn capture(world: &World, core: &Core) -> Self {
        // Every field is named, so that a new one is either stored or listed here with a reason.
        let World {
            lanes,
            faults,
            work: pump,
            hooks,
            receivers,
            // Identity and address, and resources shared with the process.
            id: _,
            base: _,
            keys: _,
            core: _,
            resources: _,
            ownership: _,
            lifetime: _,
            state_writer: _,
            // Records of past requests, cached responses, and present callers.
            journal: _,
            cache: _,
            contact_records: _,
            epoch: _,
            waits: _,
            requests: _,
            change_lock: _,
            subscription: _,
            first_step: _,
            // The ticker only wakes those who wait; the clock itself is in the starting point.
            ticker: _,
            // States to which the world can return.
            snapshots: _,
            seed: _,
            starting_point: _,
            settings_at_start: _,
            // Stored as settings or beside them.
            active_settings: _,
            settings_epoch: _,
            from_seed: _,
        } = world;
        let control = ControlState {
            jobs: pump.job_tracker().save(),
            callbacks: pump.callback_tracker().save(),
            hooks: hooks.save(),
            faults: faults.save(),
            lanes: lanes.save(),
            receivers: receivers
                .save(world.receiver_home(), core.generation(), || job::last_id(core).unwrap_or_default()),
        };
        let settings = world.active_settings().settings.clone();
        Self { settings, starting_point: StartingPoint::from_core(core), is_from_seed: world.is_from_seed(), control }
    }
}

impl World {
    /// Replaces the arranged state. Call only while nothing is under way in the world.
    pub(crate) fn load_control(&self, state: ControlState, keep: KeepOptions) {
        let ControlState { jobs, callbacks, hooks, faults, lanes, receivers } = state;
        if !keep.limits {
            self.lanes.load(lanes);
        }
        if keep.faults {
            self.work.forget_work(self.epoch.epoch());
        } else {
            self.faults.load(&faults);
            self.work.callback_tracker().load(callbacks);
            self.work.job_tracker().load(jobs, self.epoch.epoch());
        }
        self.hooks.load(hooks);
        self.receivers.load(receivers);
    }
}
