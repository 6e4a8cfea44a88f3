//! Routes for the journal of a world.

use super::{
    super::{
        journal,
        route::{AdminRoute, At},
    },
    beside,
};

pub fn routes() -> Vec<AdminRoute> {
    let routes = vec![
        At("requests.list", "GET", "/__admin/requests", "List journal lines, or wait for new ones")
            .awaits_long(200, journal::list)
            .queries(&["since", "filter", "wait", "limit", "stable"]),
        At("requests.clear", "DELETE", "/__admin/requests", "Clear the journal, or the lines before one")
            .removes(journal::clear)
            .queries(&["before"]),
        At("requests.count", "POST", "/__admin/journal/count", "Count matching requests")
            .takes_query(200, journal::count),
        At("requests.find", "POST", "/__admin/journal/find", "Find matching requests").takes_query(200, journal::find),
        At(
            "requests.verify",
            "POST",
            "/__admin/journal/verify",
            "Verify that the expected requests arrived. 406 with \
         near misses if not",
        )
        .answers_query::<journal::Verify, journal::Verified, _>(202, journal::verify)
        .denies(406),
        At("requests.archive", "GET", "/__admin/journal/har", "Get the matching lines as one HTTP archive")
            .answers(journal::har_schema, journal::archive)
            .queries(&["since", "filter"]),
        At("requests.get", "GET", "/__admin/requests/{seq}", "Get a journal line").looks(journal::get),
        At(
            "requests.curl",
            "GET",
            "/__admin/requests/{seq}/curl",
            "Get the request as a curl command, with secrets \
         as variables",
        )
        .answers(journal::text_schema, journal::curl)
        .of_type("text/plain"),
        At("requests.http", "GET", "/__admin/requests/{seq}/http", "Get the request as a .http file")
            .answers(journal::text_schema, journal::http)
            .of_type("text/plain"),
        At("requests.har", "GET", "/__admin/requests/{seq}/har", "Get the exchange as an HTTP archive")
            .answers(journal::har_schema, journal::har),
        At("events", "GET", "/__admin/events", "Stream journal lines as events. Resumes after Last-Event-ID")
            .answers(journal::text_schema, journal::events)
            .of_type("text/event-stream")
            .queries(&["since", "filter", "stable"]),
        At("unmatched", "GET", "/__admin/unmatched", "List unmatched requests with the closest routes")
            .looks(journal::unmatched)
            .paged(),
        At("journal.get", "GET", "/__admin/journal", "Get the state of the journal").looks(journal::state),
        At("journal.change", "PATCH", "/__admin/journal", "Start or stop recording, and set how much is stored")
            .takes(200, journal::change),
    ];
    let changes = |route: &AdminRoute| ["PATCH", "DELETE"].contains(&route.method);
    let fenced = |route: AdminRoute| if changes(&route) { beside(route) } else { route };
    // Reading the journal is not recorded: a request that waits for a line would wake itself.
    routes.into_iter().map(fenced).map(AdminRoute::unseen).collect()
}
