//! Routes for the journal of a world.

use roost_wire::openapi::OpenApiDocument;

use super::{
    super::{
        journal,
        route::{AdminRoute, RouteHead},
    },
    fence_route,
};

pub(super) fn routes() -> Vec<AdminRoute> {
    let routes = vec![
        RouteHead("requests.list", "GET", "/__admin/requests", "List journal lines, or wait for new ones")
            .host_act(journal::list_requests)
            .with_queries(&["since", "filter", "wait", "limit", "stable"]),
        RouteHead("requests.clear", "DELETE", "/__admin/requests", "Clear the journal, or the lines before one")
            .json_act(journal::clear_requests)
            .with_queries(&["before"]),
        RouteHead("requests.count", "POST", "/__admin/journal/count", "Count matching requests")
            .json_act(journal::count_requests)
            .with_matchers::<journal::JournalSearch>(),
        RouteHead("requests.find", "POST", "/__admin/journal/find", "Find matching requests")
            .json_act(journal::find_requests)
            .with_matchers::<journal::JournalSearch>(),
        RouteHead(
            "requests.verify",
            "POST",
            "/__admin/journal/verify",
            "Verify that the expected requests arrived. 406 with \
         near misses if not",
        )
        .response_act(OpenApiDocument::response_schema::<journal::VerifyResponse>, journal::verify_requests)
        .with_status(202)
        .with_body::<journal::VerifyRequest>()
        .with_denial(406),
        RouteHead("requests.archive", "GET", "/__admin/journal/har", "Get the matching lines as one HTTP archive")
            .response_act(journal::har_schema, journal::show_archive)
            .with_queries(&["since", "filter"]),
        RouteHead("requests.get", "GET", "/__admin/requests/{seq}", "Get a journal line")
            .json_act(journal::get_request),
        RouteHead(
            "requests.curl",
            "GET",
            "/__admin/requests/{seq}/curl",
            "Get the request as a curl command, with secrets \
         as variables",
        )
        .response_act(journal::text_schema, journal::show_curl)
        .with_media("text/plain"),
        RouteHead("requests.http", "GET", "/__admin/requests/{seq}/http", "Get the request as a .http file")
            .response_act(journal::text_schema, journal::show_http)
            .with_media("text/plain"),
        RouteHead("requests.har", "GET", "/__admin/requests/{seq}/har", "Get the exchange as an HTTP archive")
            .response_act(journal::har_schema, journal::show_har),
        RouteHead("events", "GET", "/__admin/events", "Stream journal lines as events. Resumes after Last-Event-ID")
            .response_act(journal::text_schema, journal::stream_events)
            .with_media("text/event-stream")
            .with_queries(&["since", "filter", "stable"]),
        RouteHead("unmatched", "GET", "/__admin/unmatched", "List unmatched requests with the closest routes")
            .json_act(journal::list_unmatched)
            .with_paging(),
        RouteHead("journal.get", "GET", "/__admin/journal", "Get the state of the journal")
            .json_act(journal::get_journal),
        RouteHead("journal.change", "PATCH", "/__admin/journal", "Start or stop recording, and set how much is stored")
            .body_act(200, journal::change_journal),
    ];
    let changes = |route: &AdminRoute| ["PATCH", "DELETE"].contains(&route.method);
    let fenced = |route: AdminRoute| if changes(&route) { fence_route(route) } else { route };
    // Reading the journal is not recorded: a request that waits for a line would wake itself.
    routes.into_iter().map(fenced).map(AdminRoute::without_journal).collect()
}
