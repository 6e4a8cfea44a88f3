//! All that makes a world what it is, as one value: what a snapshot keeps, a restore puts back, a world begins with that
//! is made from another, an export writes and an import reads, and what a restart goes on from.

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
    /// The data, with the jobs and callbacks that wait.
    pub image: Image,
    /// Everything else.
    pub head: Head,
}

impl WorldState {
    /// Bytes that it takes, about: rules, policies and counts are small beside the data, and what came and went.
    pub fn size(&self) -> usize {
        self.image.bytes().len() + self.head.control.size()
    }

    /// What a world is like now, seen through `core`. No job is run meanwhile, so that the data and what is known of it
    /// are of one moment.
    pub fn of(world: &World, core: &Core) -> Result<Self, roost_ops::Error> {
        let resting = world.pump.job_desk().moments().rest();
        let image = core.image()?;
        // After the image, so that no id in it comes once more.
        let head = Head::of(world, core);
        drop(resting);
        Ok(Self { image, head })
    }
}

impl Head {
    /// All of a world but its data.
    pub fn of(world: &World, core: &Core) -> Self {
        // Each field is named, so that a new one has its place in here or a reason beside it.
        let World {
            lanes,
            faults,
            pump,
            hooks,
            // Who and where it is, and what it shares with the process.
            id: _,
            base: _,
            keys: _,
            core: _,
            ground: _,
            account: _,
            life: _,
            keeper: _,
            // What was asked of it, kept answers, and who is inside now.
            journal: _,
            cache: _,
            flight: _,
            waits: _,
            requests: _,
            turn: _,
            heard: _,
            first_step: _,
            // Of the clock, only who waits for it; the clock itself is in the beginning.
            ticker: _,
            // What it may go back to.
            snapshots: _,
            seed: _,
            beginning: _,
            settings_at_start: _,
            // In the settings and beside them.
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
    /// Puts what was arranged in the place of what is. For a world in which nothing is under way.
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
