//! The entry point of the admin interface: its version, its document and links to everything else.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{refused::Refused, route::Whole, table::admin_routes};

/// The version of the rules that the admin interface follows (ADMIN.md), not of the program.
pub const VERSION: &str = "1";

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Index", deny_unknown_fields)]
pub struct Index {
    /// Of this interface.
    version: &'static str,
    /// Of the program.
    server_version: &'static str,
    /// Where the OpenAPI document is.
    document: &'static str,
    /// Where to go on from here, by name.
    links: BTreeMap<&'static str, &'static str>,
}

pub async fn show(_: Whole) -> Result<Index, Refused> {
    let is_beginning = |path: &&str| path.split('/').count() == 3 && !path.contains('{');
    let paths = admin_routes().iter().map(|route| route.path).filter(is_beginning);
    let links = paths.filter_map(|path| Some((path.strip_prefix("/__admin/")?, path))).collect();
    let server_version = env!("CARGO_PKG_VERSION");
    Ok(Index { version: VERSION, server_version, document: "/__admin/openapi.json", links })
}
