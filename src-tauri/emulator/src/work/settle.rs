//! Whether anything in a world goes on by itself.

use roost_ops::{
    Core, Error,
    callback::{self, Counts},
    job,
};

use crate::world::World;

/// Jobs that wait and callbacks, of one correlation id or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Jobs that will run by themselves.
    pub jobs: u64,
    /// Jobs that wait for the operator.
    pub jobs_held: u64,
    pub callbacks: Counts,
    /// Whether a try is under way.
    pub under_way: bool,
    /// Whether there is a job of that correlation id.
    pub is_known: bool,
}

impl Standing {
    pub fn is_settled(&self) -> bool {
        self.is_known && self.jobs == 0 && self.callbacks.waiting == 0 && !self.under_way
    }
}

pub fn standing(world: &World, core: &Core, correlation_id: Option<&str>) -> Result<Standing, Error> {
    // In the order in which a job goes on, so that none is missed: it is known, it waits, its callback waits. Whatever
    // ends after the first look tells of it.
    let is_known = correlation_id.map_or(Ok(true), |id| job::is_known(core, id))?;
    let under_way = correlation_id.is_none() && world.pump.desk().anything_under_way();
    let queued = job::queued(core, u32::MAX)?;
    let meant = |job: &&job::Queued| correlation_id.is_none_or(|id| job.correlation_id.as_deref() == Some(id));
    let (held, jobs): (Vec<_>, Vec<_>) =
        queued.iter().filter(meant).partition(|job| world.pump.job_desk().is_held(job));
    Ok(Standing {
        jobs: jobs.len() as u64,
        jobs_held: held.len() as u64,
        callbacks: callback::counts(core, correlation_id)?,
        under_way,
        is_known,
    })
}
