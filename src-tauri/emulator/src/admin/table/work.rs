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
        At("jobs.list", "GET", "/__admin/jobs", "Contact jobs, newest first").pages(job::list),
        At("job_policy.get", "GET", "/__admin/job_policy", "How jobs go on").looks(job::policy),
        beside(
            At(
                "job_policy.put",
                "PUT",
                "/__admin/job_policy",
                "Jobs go on otherwise: later, in parts, by hand, or badly",
            )
            .takes(200, job::put_policy),
        ),
        At("jobs.get", "GET", "/__admin/jobs/{job_id}", "A contact job").looks(job::get),
        At("jobs.outcomes", "GET", "/__admin/jobs/{job_id}/outcomes", "What became of each contact of a job")
            .looks(outcome::outcomes)
            .paged()
            .queries(&["outcome"]),
        At("jobs.moments", "GET", "/__admin/jobs/{job_id}/moments", "What was done about a job, and when")
            .looks(outcome::moments)
            .paged(),
        At("jobs.run", "POST", "/__admin/jobs/{job_id}/run", "Run a job to its end now").does(job::run),
        At("jobs.step", "POST", "/__admin/jobs/{job_id}/step", "Do some of a job's contacts now").takes(200, job::step),
        beside(
            At("jobs.pause", "POST", "/__admin/jobs/{job_id}/pause", "Keep a job waiting; others go before it")
                .does(job::pause),
        ),
        beside(At("jobs.resume", "POST", "/__admin/jobs/{job_id}/resume", "Let a paused job go on").does(job::resume)),
        At("jobs.fail", "POST", "/__admin/jobs/{job_id}/fail", "What is left of a job fails; it calls back")
            .does(job::fail),
        At("jobs.drop", "POST", "/__admin/jobs/{job_id}/drop", "What is left of a job is lost; nobody is told")
            .does(job::drop_it),
    ]
}

fn callbacks() -> Vec<AdminRoute> {
    let list =
        At("callbacks.list", "GET", "/__admin/callbacks", "Callbacks with every try, newest first; waits for one")
            .awaits(200, callbacks::list)
            .queries(&["state", "correlation_id", "went", "wait"]);
    vec![
        AdminRoute { is_paged: true, ..list },
        At("callback_policy.get", "GET", "/__admin/callback_policy", "How callbacks are sent").looks(callbacks::policy),
        beside(
            At("callback_policy.put", "PUT", "/__admin/callback_policy", "Callbacks are sent otherwise")
                .takes(200, callbacks::put_policy)
                .with_secrets(),
        ),
        At("settle", "POST", "/__admin/settle", "Wait until jobs and callbacks are settled; 406 if not")
            .answers_with::<_, callbacks::Waited, _>(200, callbacks::wait)
            .denies(406),
        At("release_callbacks", "POST", "/__admin/release_callbacks", "Let all that are held go")
            .does(callbacks::release_all),
        At("callbacks.get", "GET", "/__admin/callbacks/{callback_id}", "A callback with every try")
            .looks(callbacks::get),
        At(
            "callbacks.redeliver",
            "POST",
            "/__admin/callbacks/{callback_id}/redeliver",
            "Send it now, once more or sooner",
        )
        .does(callbacks::redeliver),
        At("callbacks.hold", "POST", "/__admin/callbacks/{callback_id}/hold", "Keep it back until it is released")
            .does(callbacks::hold),
        At("callbacks.release", "POST", "/__admin/callbacks/{callback_id}/release", "Let a held one go")
            .does(callbacks::release),
        At("callbacks.cancel", "POST", "/__admin/callbacks/{callback_id}/cancel", "Give up what waits")
            .does(callbacks::cancel),
    ]
}

fn hooks() -> Vec<AdminRoute> {
    vec![
        At("hooks.list", "GET", "/__admin/hooks", "Receivers of this world by name").looks(hooks::list).paged(),
        At(
            "hooks.get",
            "GET",
            "/__admin/hooks/{hook}",
            "What came to /__hook/{world}/{hook}; waits for more when asked to",
        )
        .awaits(200, hooks::get)
        .queries(&["since", "count", "wait", "limit"]),
        beside(
            At("hooks.put", "PUT", "/__admin/hooks/{hook}", "How a receiver answers: some answers, then one for ever")
                .takes(200, hooks::put),
        ),
        beside(
            At("hooks.remove", "DELETE", "/__admin/hooks/{hook}", "Forget what came to a receiver, and its answers")
                .removes(hooks::remove),
        ),
    ]
}
