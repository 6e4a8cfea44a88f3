//! Routes for contact jobs, callbacks and the built-in receivers.

use roost_wire::openapi::OpenApiDocument;

use super::{
    super::{
        route::{AdminRoute, RouteHead},
        work::{callbacks, hooks, job, outcome},
    },
    fence_route,
};

pub(super) fn routes() -> Vec<AdminRoute> {
    [job_routes(), callback_routes(), receiver_routes()].into_iter().flatten().collect()
}

fn job_routes() -> Vec<AdminRoute> {
    vec![
        RouteHead("jobs.list", "GET", "/__admin/jobs", "List contact jobs, newest first")
            .json_act(job::list_jobs)
            .with_paging(),
        RouteHead("job_policy.get", "GET", "/__admin/job_policy", "Get the job policy").json_act(job::get_policy),
        fence_route(
            RouteHead(
                "job_policy.put",
                "PUT",
                "/__admin/job_policy",
                "Set the job policy: when jobs run, and how they fail",
            )
            .body_act(200, job::put_policy),
        ),
        RouteHead("jobs.get", "GET", "/__admin/jobs/{job_id}", "Get a contact job").json_act(job::get_job),
        RouteHead(
            "jobs.outcomes",
            "GET",
            "/__admin/jobs/{job_id}/outcomes",
            "List the outcome of each contact in a job",
        )
        .json_act(outcome::list_outcomes)
        .with_paging()
        .with_queries(&["outcome"]),
        RouteHead("jobs.moments", "GET", "/__admin/jobs/{job_id}/moments", "List what was done to a job, and when")
            .json_act(outcome::list_moments)
            .with_paging(),
        RouteHead("jobs.run", "POST", "/__admin/jobs/{job_id}/run", "Run a job to its end now")
            .json_act(job::run_to_end),
        RouteHead("jobs.step", "POST", "/__admin/jobs/{job_id}/step", "Process some of a job's contacts now")
            .body_act(200, job::step_job),
        fence_route(
            RouteHead("jobs.pause", "POST", "/__admin/jobs/{job_id}/pause", "Pause a job. Others run before it")
                .json_act(job::pause_job),
        ),
        fence_route(
            RouteHead("jobs.resume", "POST", "/__admin/jobs/{job_id}/resume", "Resume a paused job")
                .json_act(job::resume_job),
        ),
        RouteHead("jobs.fail", "POST", "/__admin/jobs/{job_id}/fail", "Fail the rest of a job. Its callback is sent")
            .json_act(job::fail_job),
        RouteHead("jobs.drop", "POST", "/__admin/jobs/{job_id}/drop", "Drop the rest of a job. No callback is sent")
            .json_act(job::drop_job),
    ]
}

fn callback_routes() -> Vec<AdminRoute> {
    vec![
        RouteHead(
            "callbacks.list",
            "GET",
            "/__admin/callbacks",
            "List callbacks with all attempts, newest first, or wait \
         for one",
        )
        .host_act(callbacks::list_callbacks)
        .with_paging()
        .with_queries(&["state", "correlation_id", "went", "wait"]),
        RouteHead("callback_policy.get", "GET", "/__admin/callback_policy", "Get the callback policy")
            .json_act(callbacks::get_policy),
        fence_route(
            RouteHead("callback_policy.put", "PUT", "/__admin/callback_policy", "Set the callback policy")
                .body_act(200, callbacks::put_policy)
                .with_secrets(),
        ),
        RouteHead(
            "settle",
            "POST",
            "/__admin/settle",
            "Wait until jobs and callbacks are settled. 406 if they are not",
        )
        .response_act(OpenApiDocument::response_schema::<callbacks::SettleResult>, callbacks::settle_world)
        .with_body::<callbacks::SettleRequest>()
        .with_denial(406),
        RouteHead("release_callbacks", "POST", "/__admin/release_callbacks", "Release all held callbacks")
            .json_act(callbacks::release_all),
        RouteHead("callbacks.get", "GET", "/__admin/callbacks/{callback_id}", "Get a callback with all attempts")
            .json_act(callbacks::get_callback),
        RouteHead(
            "callbacks.redeliver",
            "POST",
            "/__admin/callbacks/{callback_id}/redeliver",
            "Send a callback now, or send it again",
        )
        .json_act(callbacks::redeliver_callback),
        RouteHead(
            "callbacks.hold",
            "POST",
            "/__admin/callbacks/{callback_id}/hold",
            "Hold a callback until it is released",
        )
        .json_act(callbacks::hold_callback),
        RouteHead("callbacks.release", "POST", "/__admin/callbacks/{callback_id}/release", "Release a held callback")
            .json_act(callbacks::release_callback),
        RouteHead("callbacks.cancel", "POST", "/__admin/callbacks/{callback_id}/cancel", "Cancel a waiting callback")
            .json_act(callbacks::cancel_callback),
    ]
}

fn receiver_routes() -> Vec<AdminRoute> {
    vec![
        RouteHead("hooks.list", "GET", "/__admin/hooks", "List the receivers of this world")
            .json_act(hooks::list_receivers)
            .with_paging(),
        RouteHead(
            "hooks.get",
            "GET",
            "/__admin/hooks/{hook}",
            "List the calls to /__hook/{world}/{hook}, or wait for new ones",
        )
        .host_act(hooks::get_receiver)
        .with_queries(&["since", "count", "wait", "limit"]),
        fence_route(
            RouteHead(
                "hooks.put",
                "PUT",
                "/__admin/hooks/{hook}",
                "Set how a receiver answers: a list of answers, then one \
             for all later calls",
            )
            .body_act(200, hooks::put_receiver),
        ),
        fence_route(
            RouteHead("hooks.remove", "DELETE", "/__admin/hooks/{hook}", "Remove a receiver's calls and answers")
                .json_act(hooks::remove_receiver),
        ),
    ]
}
