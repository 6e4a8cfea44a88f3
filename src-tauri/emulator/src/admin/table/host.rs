//! Routes for the server and its worlds.

use roost_wire::openapi::OpenApiDocument;
use serde_json::Value;

use super::{
    super::{
        account::{self, metrics},
        document, index, journal,
        route::{AdminRoute, RouteHead},
        rules::{fidelity, settings},
        state, worlds,
    },
    fence_route,
};

pub(super) fn routes() -> Vec<AdminRoute> {
    let health = [("livez.root", "/livez"), ("livez", "/__admin/livez")].map(|(name, path)| {
        RouteHead(name, "GET", path, "Check that the process is alive").host_act(account::check_alive).without_token()
    });
    let ready = [("readyz.root", "/readyz"), ("readyz", "/__admin/readyz")].map(|(name, path)| {
        RouteHead(name, "GET", path, "Check that the server is ready").host_act(account::check_ready).without_token()
    });
    let others = [
        RouteHead("index", "GET", "/__admin", "Get the version, the document and links to everything")
            .host_act(index::show_index),
        RouteHead("openapi", "GET", "/__admin/openapi.json", "Get this document")
            .response_act(OpenApiDocument::response_schema::<Value>, document::show_document),
        RouteHead("worlds.list", "GET", "/__admin/worlds", "List worlds, the default one first")
            .host_act(worlds::list_worlds)
            .with_paging()
            .for_host(),
        RouteHead("worlds.add", "POST", "/__admin/worlds", "Create a world")
            .host_act(worlds::add_world)
            .with_status(201)
            .with_body::<worlds::WorldRequest>()
            .for_host()
            .with_secrets(),
        RouteHead("worlds.get", "GET", "/__admin/worlds/{world}", "Get a world").host_act(worlds::get_world).for_host(),
        RouteHead("worlds.remove", "DELETE", "/__admin/worlds/{world}", "Remove a world and end everything in it")
            .host_act(worlds::delete_world)
            .for_host(),
        RouteHead("metrics", "GET", "/__admin/metrics", "Get metrics of all worlds in the Prometheus text format")
            .response_act(journal::text_schema, metrics::show_metrics)
            .with_media("text/plain")
            .for_host()
            .without_journal(),
        RouteHead("info", "GET", "/__admin/info", "Get information about the server").json_act(account::get_info),
        RouteHead("settings.get", "GET", "/__admin/settings", "Get the settings in force")
            .json_act(settings::get_settings),
        fence_route(
            RouteHead(
                "settings.put",
                "PUT",
                "/__admin/settings",
                "Replace all settings. Those left out get their defaults",
            )
            .body_act(200, settings::put_settings)
            .with_secrets(),
        ),
        fence_route(
            RouteHead("settings.change", "PATCH", "/__admin/settings", "Change settings by name, all or none")
                .body_act(200, settings::patch_settings)
                .with_secrets(),
        ),
        RouteHead(
            "fidelity.get",
            "GET",
            "/__admin/fidelity",
            "List behaviours with how certain each is: documented, \
         inferred or assumed",
        )
        .json_act(fidelity::get_fidelity)
        .with_paging()
        .with_queries(&["operation", "mark"]),
        RouteHead(
            "fidelity.header.get",
            "GET",
            "/__admin/fidelity/header",
            "Get whether responses name assumptions (X-Roost-Assumed)",
        )
        .json_act(fidelity::get_header),
        fence_route(
            RouteHead(
                "fidelity.header.put",
                "PUT",
                "/__admin/fidelity/header",
                "Set whether responses name assumptions (X-Roost-Assumed)",
            )
            .body_act(200, fidelity::put_header),
        ),
        RouteHead(
            "export",
            "GET",
            "/__admin/export",
            "Export the account or one record: json, yaml, ndjson, sqlite or world",
        )
        .stream_act(account::export_schema, state::export::export_account)
        .with_other_media(&["application/yaml", "application/x-ndjson", "application/vnd.sqlite3"])
        .with_queries(&["format", "record", "contacts"]),
    ];
    // Health checks are left out of the journal, because commands run them before everything else.
    let health = health.into_iter().chain(ready).map(AdminRoute::for_host).map(AdminRoute::without_journal);
    health.chain(others).collect()
}
