//! Finds out which world a request names: by its path, its host name or its key.

use axum::http::HeaderMap;
use roost_wire::RequestPath;

use crate::{
    access::KEY_HEADER,
    access::WORLD_SEGMENT,
    hooks::{ATTEMPT_HEADER, HOOK_SEGMENT, world_of_attempt},
    world::{WorldReference, Worlds},
};

/// Collects the worlds that a request names. `label` is the label before `.localhost` in the host name.
pub(crate) fn find_world_names<'a>(
    worlds: &Worlds,
    path: &'a RequestPath<'_>,
    headers: &'a HeaderMap,
    label: Option<&'a str>,
) -> WorldReference<'a> {
    let segments = path.segments();
    let by_path = match segments {
        [first, world, ..] if first == WORLD_SEGMENT => Some(world.as_ref()),
        [first, world, _] if first == HOOK_SEGMENT => Some(world.as_ref()),
        // A callback attempt of this server that names only a receiver means the receiver of the world that sent it.
        [first, _] if first == HOOK_SEGMENT => world_of_own_attempt(worlds, headers),
        _ => None,
    };
    if worlds.is_alone() {
        // With a single world, only the path prefix can name another one. Any name below localhost and any key belongs
        // to this world.
        return WorldReference { path: by_path, ..WorldReference::default() };
    }
    let key = headers.get(KEY_HEADER).map(|value| value.as_bytes().trim_ascii()).filter(|key| !key.is_empty());
    WorldReference { path: by_path, host: label, key }
}

fn world_of_own_attempt<'a>(worlds: &Worlds, headers: &'a HeaderMap) -> Option<&'a str> {
    let world = world_of_attempt(headers.get(ATTEMPT_HEADER)?.to_str().ok()?)?;
    worlds.get(world).map(|_| world)
}
