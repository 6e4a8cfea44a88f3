//! Links each job to the request that created it, as far as requests are recorded, for the current epoch.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The most jobs that are remembered; the oldest is dropped.
const JOBS_MAX: usize = 10_000;

#[derive(Default)]
pub(crate) struct JobOrigins(Mutex<OriginMaps>);

#[derive(Default)]
struct OriginMaps {
    epoch: u64,
    /// The number of the request by the ID of the job.
    requests: BTreeMap<i64, u64>,
    jobs: HashMap<u64, i64>,
}

impl JobOrigins {
    fn lock_maps(&self) -> MutexGuard<'_, OriginMaps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the request of a job. Ignores an epoch that has ended, because its numbers are reused.
    pub(crate) fn record_origin(&self, epoch: u64, request: u64, job: i64) {
        let mut known = self.lock_maps();
        if epoch < known.epoch {
            return;
        }
        if epoch > known.epoch {
            *known = OriginMaps { epoch, ..OriginMaps::default() };
        }
        known.requests.insert(job, request);
        known.jobs.insert(request, job);
        if known.requests.len() > JOBS_MAX
            && let Some((_, request)) = known.requests.pop_first()
        {
            known.jobs.remove(&request);
        }
    }

    pub(crate) fn request_of(&self, epoch: u64, job: i64) -> Option<u64> {
        let known = self.lock_maps();
        known.requests.get(&job).copied().filter(|_| known.epoch == epoch)
    }

    pub(crate) fn job_of(&self, epoch: u64, request: u64) -> Option<i64> {
        let known = self.lock_maps();
        known.jobs.get(&request).copied().filter(|_| known.epoch == epoch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_holds_both_ways_in_its_epoch_until_newer_ones_take_its_place() {
        let origins = JobOrigins::default();
        origins.record_origin(1, 17, 3);
        assert_eq!((origins.request_of(1, 3), origins.job_of(1, 17)), (Some(17), Some(3)));
        assert_eq!((origins.request_of(2, 3), origins.job_of(0, 17), origins.request_of(1, 4)), (None, None, None));
        origins.record_origin(0, 18, 3);
        assert_eq!(origins.request_of(1, 3), Some(17), "late work of an old epoch");
        origins.record_origin(2, 1, 3);
        assert_eq!((origins.request_of(2, 3), origins.job_of(2, 17)), (Some(1), None));
        for job in 4..4 + JOBS_MAX as i64 {
            origins.record_origin(2, job as u64, job);
        }
        assert_eq!((origins.request_of(2, 3), origins.job_of(2, 1), origins.job_of(2, 4)), (None, None, Some(4)));
    }
}
