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
        At("requests.list", "GET", "/__admin/requests", "Lines of the journal; waits for the next when asked to")
            .awaits_long(200, journal::list)
            .queries(&["since", "filter", "wait", "limit", "stable"]),
        At("requests.clear", "DELETE", "/__admin/requests", "Empty the journal, or the lines before one")
            .removes(journal::clear)
            .queries(&["before"]),
        At("requests.count", "POST", "/__admin/journal/count", "How many requests fit")
            .takes_query(200, journal::count),
        At("requests.find", "POST", "/__admin/journal/find", "The requests that fit").takes_query(200, journal::find),
        At("requests.verify", "POST", "/__admin/journal/verify", "Whether requests came; 406 with what nearly fits")
            .answers_query::<journal::Verify, journal::Verified, _>(202, journal::verify)
            .denies(406),
        At("requests.archive", "GET", "/__admin/journal/har", "The lines that fit as one HTTP archive")
            .answers(journal::har_schema, journal::archive)
            .queries(&["since", "filter"]),
        At("requests.get", "GET", "/__admin/requests/{seq}", "A line of the journal").looks(journal::get),
        At("requests.curl", "GET", "/__admin/requests/{seq}/curl", "The request for a shell, secrets as variables")
            .answers(journal::text_schema, journal::curl)
            .of_type("text/plain"),
        At("requests.http", "GET", "/__admin/requests/{seq}/http", "The request as a .http file")
            .answers(journal::text_schema, journal::http)
            .of_type("text/plain"),
        At("requests.har", "GET", "/__admin/requests/{seq}/har", "Request and answer as an HTTP archive")
            .answers(journal::har_schema, journal::har),
        At("events", "GET", "/__admin/events", "Lines of the journal as they come; resumes after Last-Event-ID")
            .answers(journal::text_schema, journal::events)
            .of_type("text/event-stream")
            .queries(&["since", "filter", "stable"]),
        At("unmatched", "GET", "/__admin/unmatched", "Requests that led nowhere, with the closest route")
            .looks(journal::unmatched)
            .paged(),
        At("journal.get", "GET", "/__admin/journal", "What the journal does and holds").looks(journal::state),
        At("journal.change", "PATCH", "/__admin/journal", "Record or not, and how much is kept")
            .takes(200, journal::change),
    ];
    let changes = |route: &AdminRoute| ["PATCH", "DELETE"].contains(&route.method);
    let fenced = |route: AdminRoute| if changes(&route) { beside(route) } else { route };
    // Reading the journal is not recorded: a request that waits for a line would wake itself.
    routes.into_iter().map(fenced).map(AdminRoute::unseen).collect()
}
