//! The entry point of the admin interface: its version, its document and links to everything else.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{error::AdminError, route::HostRequest, table::admin_routes};

/// Version of the admin interface (ADMIN.md), not of the program.
pub const VERSION: &str = "1";

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Index", deny_unknown_fields)]
pub struct AdminIndex {
    /// Version of the admin interface.
    version: &'static str,
    /// Version of the program.
    server_version: &'static str,
    /// Address of the OpenAPI document.
    document: &'static str,
    /// Links to the other resources, by name.
    links: BTreeMap<&'static str, &'static str>,
}

pub async fn show_index(_: HostRequest) -> Result<AdminIndex, AdminError> {
    let is_beginning = |path: &&str| path.split('/').count() == 3 && !path.contains('{');
    let paths = admin_routes().iter().map(|route| route.path).filter(is_beginning);
    let links = paths.filter_map(|path| Some((path.strip_prefix("/__admin/")?, path))).collect();
    let server_version = env!("CARGO_PKG_VERSION");
    Ok(AdminIndex { version: VERSION, server_version, document: "/__admin/openapi.json", links })
}
