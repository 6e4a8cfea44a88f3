//! Finds out which world a request names: by its path, its host name or its key.

use axum::http::HeaderMap;
use roost_wire::RequestPath;

use super::KEY_HEADER;
use crate::{
    hooks::{HOOK, TRY, world_of_try},
    world::{Named, Worlds},
};

/// The first segment of a path that names a world.
pub const WORLD_SEGMENT: &str = "w";

/// Collects the worlds that a request names. `label` is the label before `.localhost` in the host name.
pub fn named<'a>(
    worlds: &Worlds,
    path: &'a RequestPath<'_>,
    headers: &'a HeaderMap,
    label: Option<&'a str>,
) -> Named<'a> {
    let segments = path.segments();
    let by_path = match segments {
        [first, world, ..] if first == WORLD_SEGMENT => Some(world.as_ref()),
        [first, world, _] if first == HOOK => Some(world.as_ref()),
        // A callback attempt of this server that names only a receiver means the receiver of the world that sent it.
        [first, _] if first == HOOK => of_try(worlds, headers),
        _ => None,
    };
    if worlds.is_alone() {
        // With a single world, only the path prefix can name another one. Any name below localhost and any key belongs
        // to this world.
        return Named { path: by_path, ..Named::default() };
    }
    let key = headers.get(KEY_HEADER).map(|value| value.as_bytes().trim_ascii()).filter(|key| !key.is_empty());
    Named { path: by_path, host: label, key }
}

fn of_try<'a>(worlds: &Worlds, headers: &'a HeaderMap) -> Option<&'a str> {
    let world = world_of_try(headers.get(TRY)?.to_str().ok()?)?;
    worlds.get(world).map(|_| world)
}
