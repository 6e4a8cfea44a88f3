//! Which world a request names: by its path, its host name, its key.

use axum::http::HeaderMap;
use roost_wire::Path;

use super::KEY_HEADER;
use crate::world::{Named, Worlds};

/// The first segment of paths that name a world.
pub const WORLD_SEGMENT: &str = "w";

/// What a request says of its world. `label` is what stands before `.localhost` in the host's name.
pub fn named<'a>(worlds: &Worlds, path: &'a Path<'_>, headers: &'a HeaderMap, label: Option<&'a str>) -> Named<'a> {
    let mut segments = path.segments().iter();
    let is_prefixed = segments.next().is_some_and(|first| first == WORLD_SEGMENT);
    let by_path = segments.next().filter(|_| is_prefixed).map(AsRef::as_ref);
    if worlds.is_alone() {
        // Nothing but the prefix can mean another one: any name below localhost was ours before there were worlds.
        return Named { path: by_path, ..Named::default() };
    }
    let key = headers.get(KEY_HEADER).map(|value| value.as_bytes().trim_ascii()).filter(|key| !key.is_empty());
    Named { path: by_path, host: label, key }
}
