-- Jobs and callbacks are counted, and found by their correlation ID, without a pass over the contacts of every job.
CREATE INDEX jobs_by_correlation ON jobs (correlation_id);
CREATE INDEX callbacks_given_up ON callbacks (id) WHERE state = 'given_up';
