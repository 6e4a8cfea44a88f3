//! The entry point of the admin interface: its version, its document and links to everything else.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{error::AdminError, route::HostRequest, table::admin_routes};

/// Version of the admin interface (ADMIN.md), not of the program.
pub(super) const VERSION: &str = "1";

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Index", deny_unknown_fields)]
pub(super) struct AdminIndex {
    /// Version of the admin interface.
    version: &'static str,
    /// Version of the program.
    server_version: &'static str,
    /// Address of the OpenAPI document.
    document: &'static str,
    /// Links to the other resources, by name.
    links: BTreeMap<&'static str, IndexLink>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IndexLink", deny_unknown_fields)]
struct IndexLink {
    path: &'static str,
    /// The methods that the path supports.
    methods: Vec<&'static str>,
}

pub(super) async fn show_index(_: HostRequest) -> Result<AdminIndex, AdminError> {
    let is_beginning = |path: &&str| path.split('/').count() == 3 && !path.contains('{');
    let mut links: BTreeMap<&'static str, IndexLink> = BTreeMap::new();
    for route in admin_routes().iter().filter(|route| is_beginning(&route.path)) {
        if let Some(name) = route.path.strip_prefix("/__admin/") {
            let link = links.entry(name).or_insert(IndexLink { path: route.path, methods: Vec::new() });
            link.methods.push(route.method);
        }
    }
    let server_version = env!("CARGO_PKG_VERSION");
    Ok(AdminIndex { version: VERSION, server_version, document: "/__admin/openapi.json", links })
}
