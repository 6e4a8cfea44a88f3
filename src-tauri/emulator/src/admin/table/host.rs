//! Routes for the server and its worlds.

use roost_wire::openapi::OpenApiDocument;
use serde_json::Value;

use super::{
    super::{
        account::{self, metrics},
        document, index, journal,
        route::{AdminRoute, At},
        rules::{fidelity, settings},
        state, worlds,
    },
    beside,
};

pub fn routes() -> Vec<AdminRoute> {
    let health = [("livez.root", "/livez"), ("livez", "/__admin/livez")]
        .map(|(name, path)| At(name, "GET", path, "Check that the process is alive").shows(account::alive));
    let ready = [("readyz.root", "/readyz"), ("readyz", "/__admin/readyz")]
        .map(|(name, path)| At(name, "GET", path, "Check that the server is ready").shows(account::ready));
    let others = [
        At("index", "GET", "/__admin", "Get the version, the document and links to everything")
            .awaits(200, index::show),
        At("openapi", "GET", "/__admin/openapi.json", "Get this document")
            .answers(OpenApiDocument::response_schema::<Value>, document::show),
        At("worlds.list", "GET", "/__admin/worlds", "List worlds, the default one first")
            .awaits(200, worlds::list)
            .paged()
            .of_host(),
        At("worlds.add", "POST", "/__admin/worlds", "Create a world")
            .awaits_with(201, worlds::add)
            .of_host()
            .with_secrets(),
        At("worlds.get", "GET", "/__admin/worlds/{world}", "Get a world").awaits(200, worlds::get).of_host(),
        At("worlds.remove", "DELETE", "/__admin/worlds/{world}", "Remove a world and end everything in it")
            .awaits_removal(worlds::take_away)
            .of_host(),
        At("metrics", "GET", "/__admin/metrics", "Get metrics of all worlds in the Prometheus text format")
            .answers(journal::text_schema, metrics::show)
            .of_type("text/plain")
            .of_host()
            .unseen(),
        At("info", "GET", "/__admin/info", "Get information about the server").looks(account::info),
        At("settings.get", "GET", "/__admin/settings", "Get the settings in force").looks(settings::get),
        beside(
            At("settings.put", "PUT", "/__admin/settings", "Replace all settings. Those left out get their defaults")
                .takes(200, settings::put)
                .with_secrets(),
        ),
        beside(
            At("settings.change", "PATCH", "/__admin/settings", "Change settings by name, all or none")
                .takes(200, settings::change)
                .with_secrets(),
        ),
        At(
            "fidelity.get",
            "GET",
            "/__admin/fidelity",
            "List behaviours with how certain each is: documented, \
         inferred or assumed",
        )
        .looks(fidelity::get)
        .paged()
        .queries(&["operation", "mark"]),
        At(
            "fidelity.header.get",
            "GET",
            "/__admin/fidelity/header",
            "Get whether responses name assumptions (X-Roost-Assumed)",
        )
        .looks(fidelity::header),
        beside(
            At(
                "fidelity.header.put",
                "PUT",
                "/__admin/fidelity/header",
                "Set whether responses name assumptions (X-Roost-Assumed)",
            )
            .takes(200, fidelity::switch),
        ),
        At("export", "GET", "/__admin/export", "Export the account or one record: json, yaml, ndjson, sqlite or world")
            .streams(account::export_schema, state::export::export)
            .or_of_type(&["application/yaml", "application/x-ndjson", "application/vnd.sqlite3"])
            .queries(&["format", "record", "contacts"]),
    ];
    // Health checks are left out of the journal, because commands run them before everything else.
    let health = health.into_iter().chain(ready).map(AdminRoute::of_host).map(AdminRoute::unseen);
    health.chain(others).collect()
}
