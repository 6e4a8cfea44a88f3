//! Routes for contact jobs, callbacks and the built-in receivers.

use super::{
    super::{
        route::{AdminRoute, At},
        work::{callbacks, hooks, job, outcome},
    },
    beside,
};

pub fn routes() -> Vec<AdminRoute> {
    [jobs(), callbacks(), hooks()].into_iter().flatten().collect()
}

fn jobs() -> Vec<AdminRoute> {
    vec![
        At("jobs.list", "GET", "/__admin/jobs", "List contact jobs, newest first").pages(job::list),
        At("job_policy.get", "GET", "/__admin/job_policy", "Get the job policy").looks(job::policy),
        beside(
            At("job_policy.put", "PUT", "/__admin/job_policy", "Set the job policy: when jobs run, and how they fail")
                .takes(200, job::put_policy),
        ),
        At("jobs.get", "GET", "/__admin/jobs/{job_id}", "Get a contact job").looks(job::get),
        At("jobs.outcomes", "GET", "/__admin/jobs/{job_id}/outcomes", "List the outcome of each contact in a job")
            .looks(outcome::outcomes)
            .paged()
            .queries(&["outcome"]),
        At("jobs.moments", "GET", "/__admin/jobs/{job_id}/moments", "List what was done to a job, and when")
            .looks(outcome::moments)
            .paged(),
        At("jobs.run", "POST", "/__admin/jobs/{job_id}/run", "Run a job to its end now").does(job::run),
        At("jobs.step", "POST", "/__admin/jobs/{job_id}/step", "Process some of a job's contacts now")
            .takes(200, job::step),
        beside(
            At("jobs.pause", "POST", "/__admin/jobs/{job_id}/pause", "Pause a job. Others run before it")
                .does(job::pause),
        ),
        beside(At("jobs.resume", "POST", "/__admin/jobs/{job_id}/resume", "Resume a paused job").does(job::resume)),
        At("jobs.fail", "POST", "/__admin/jobs/{job_id}/fail", "Fail the rest of a job. Its callback is sent")
            .does(job::fail),
        At("jobs.drop", "POST", "/__admin/jobs/{job_id}/drop", "Drop the rest of a job. No callback is sent")
            .does(job::drop_it),
    ]
}

fn callbacks() -> Vec<AdminRoute> {
    let list = At(
        "callbacks.list",
        "GET",
        "/__admin/callbacks",
        "List callbacks with all attempts, newest first, or wait \
         for one",
    )
    .awaits(200, callbacks::list)
    .queries(&["state", "correlation_id", "went", "wait"]);
    vec![
        AdminRoute { is_paged: true, ..list },
        At("callback_policy.get", "GET", "/__admin/callback_policy", "Get the callback policy")
            .looks(callbacks::policy),
        beside(
            At("callback_policy.put", "PUT", "/__admin/callback_policy", "Set the callback policy")
                .takes(200, callbacks::put_policy)
                .with_secrets(),
        ),
        At("settle", "POST", "/__admin/settle", "Wait until jobs and callbacks are settled. 406 if they are not")
            .answers_with::<_, callbacks::Waited, _>(200, callbacks::wait)
            .denies(406),
        At("release_callbacks", "POST", "/__admin/release_callbacks", "Release all held callbacks")
            .does(callbacks::release_all),
        At("callbacks.get", "GET", "/__admin/callbacks/{callback_id}", "Get a callback with all attempts")
            .looks(callbacks::get),
        At(
            "callbacks.redeliver",
            "POST",
            "/__admin/callbacks/{callback_id}/redeliver",
            "Send a callback now, or send it again",
        )
        .does(callbacks::redeliver),
        At("callbacks.hold", "POST", "/__admin/callbacks/{callback_id}/hold", "Hold a callback until it is released")
            .does(callbacks::hold),
        At("callbacks.release", "POST", "/__admin/callbacks/{callback_id}/release", "Release a held callback")
            .does(callbacks::release),
        At("callbacks.cancel", "POST", "/__admin/callbacks/{callback_id}/cancel", "Cancel a waiting callback")
            .does(callbacks::cancel),
    ]
}

fn hooks() -> Vec<AdminRoute> {
    vec![
        At("hooks.list", "GET", "/__admin/hooks", "List the receivers of this world").looks(hooks::list).paged(),
        At(
            "hooks.get",
            "GET",
            "/__admin/hooks/{hook}",
            "List the calls to /__hook/{world}/{hook}, or wait for new ones",
        )
        .awaits(200, hooks::get)
        .queries(&["since", "count", "wait", "limit"]),
        beside(
            At(
                "hooks.put",
                "PUT",
                "/__admin/hooks/{hook}",
                "Set how a receiver answers: a list of answers, then one \
             for all later calls",
            )
            .takes(200, hooks::put),
        ),
        beside(
            At("hooks.remove", "DELETE", "/__admin/hooks/{hook}", "Remove a receiver's calls and answers")
                .removes(hooks::remove),
        ),
    ]
}
