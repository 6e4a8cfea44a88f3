//! All that makes a world what it is, as one value: what a snapshot keeps, a restore puts back, and a world begins with
//! that is made from another.

use roost_ops::{Core, Image};

use super::{Beginning, Keep, World};
use crate::{
    access::LanesState,
    faults::FaultsState,
    hooks::HooksState,
    settings::Settings,
    work::{CallbacksState, JobsState},
};

#[derive(Clone)]
pub struct WorldState {
    /// The data, with the jobs and callbacks that wait.
    pub image: Image,
    pub settings: Settings,
    /// The clock and the ids that come next.
    pub beginning: Beginning,
    /// What it holds was made by a seed.
    pub is_from_seed: bool,
    pub control: ControlState,
}

/// What lies beside the data and was arranged for a test. As it is at the start, there is nothing in it.
#[derive(Clone, Default)]
pub struct ControlState {
    jobs: JobsState,
    callbacks: CallbacksState,
    hooks: HooksState,
    faults: FaultsState,
    lanes: LanesState,
}

impl WorldState {
    /// Bytes that it takes, about: rules, policies and counts are small beside the data, and what came and went.
    pub fn size(&self) -> usize {
        self.image.bytes().len() + self.control.hooks.size() + self.control.callbacks.size()
    }

    /// What a world is like now, seen through `core`. No job is run meanwhile, so that the data and what is known of it
    /// are of one moment.
    pub fn of(world: &World, core: &Core) -> Result<Self, roost_ops::Error> {
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
            // What was asked of it, kept answers, and who is inside now.
            journal: _,
            cache: _,
            flight: _,
            waits: _,
            requests: _,
            turn: _,
            heard: _,
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
        let settings = world.rules().settings.clone();
        let resting = pump.job_desk().moments().rest();
        let image = core.image()?;
        // After the image, so that no id in it comes once more.
        let beginning = Beginning::of(core);
        let control = ControlState {
            jobs: pump.job_desk().save(),
            callbacks: pump.desk().save(),
            hooks: hooks.save(),
            faults: faults.save(),
            lanes: lanes.save(),
        };
        drop(resting);
        Ok(Self { image, settings, beginning, is_from_seed: world.is_from_seed(), control })
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
