//! The complete state of a world as one value. Snapshots, restores, copies, exports, imports and restarts all use it.

mod file;
mod head;
mod keeper;
mod records;
pub mod written;

use roost_ops::{Core, Image};

pub use self::{
    file::{MAGIC, NotRead, WORLD_VERSION, WorldFile},
    head::{ControlState, Head},
    keeper::{Keeper, Place, snapshot_file},
    records::write_whole,
};
use super::{Beginning, Keep, World};

#[derive(Clone)]
pub struct WorldState {
    /// The data, including waiting jobs and callbacks.
    pub image: Image,
    /// Everything else.
    pub head: Head,
}

impl WorldState {
    /// Returns the approximate size. Rules, policies and counts are small compared to the data and the records of
    /// calls, so they are not included.
    pub fn size(&self) -> usize {
        self.image.bytes().len() + self.head.control.size()
    }

    /// Captures the present state of a world as read through `core`. No job runs meanwhile, so that the data and the
    /// state of its jobs belong together.
    pub fn of(world: &World, core: &Core) -> Result<Self, roost_ops::Error> {
        let resting = world.pump.job_desk().moments().rest();
        let image = core.image()?;
        // The head is captured after the image, so that no ID in the image is generated again.
        let head = Head::of(world, core);
        drop(resting);
        Ok(Self { image, head })
    }
}

impl Head {
    /// Captures everything of a world except its data.
    pub fn of(world: &World, core: &Core) -> Self {
        // Every field is named, so that a new one is either stored or listed here with a reason.
        let World {
            lanes,
            faults,
            pump,
            hooks,
            // Identity and address, and resources shared with the process.
            id: _,
            base: _,
            keys: _,
            core: _,
            ground: _,
            account: _,
            life: _,
            keeper: _,
            // Records of past requests, cached responses, and present callers.
            journal: _,
            cache: _,
            flight: _,
            waits: _,
            requests: _,
            turn: _,
            heard: _,
            first_step: _,
            // The ticker only wakes those who wait; the clock itself is in the starting point.
            ticker: _,
            // States to which the world can return.
            snapshots: _,
            seed: _,
            beginning: _,
            settings_at_start: _,
            // Stored as settings or beside them.
            rules: _,
            settings_epoch: _,
            from_seed: _,
        } = world;
        let control = ControlState {
            jobs: pump.job_desk().save(),
            callbacks: pump.desk().save(),
            hooks: hooks.save(),
            faults: faults.save(),
            lanes: lanes.save(),
        };
        let settings = world.rules().settings.clone();
        Self { settings, beginning: Beginning::of(core), is_from_seed: world.is_from_seed(), control }
    }
}

impl World {
    /// Replaces the arranged state. Call only while nothing is under way in the world.
    pub fn load_control(&self, state: ControlState, keep: Keep) {
        let ControlState { jobs, callbacks, hooks, faults, lanes } = state;
        if !keep.limits {
            self.lanes.load(lanes);
        }
        if keep.faults {
            self.pump.forget_work();
        } else {
            self.faults.load(&faults);
            self.pump.desk().load(callbacks);
            self.pump.job_desk().load(jobs, self.flight.epoch());
        }
        self.hooks.load(hooks);
    }
}
