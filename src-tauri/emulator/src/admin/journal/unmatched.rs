//! Lists the requests that matched no route, each with the most similar routes.

use std::sync::OnceLock;

use roost_journal::{Exchange, RefusalCheck, is_unmatched};
use roost_wire::{
    OPERATIONS,
    paging::{Paged, Paging},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::{error::AdminError, route::AdminRequest, table::admin_routes};
use crate::door::WorldVisit;

#[derive(Serialize, JsonSchema)]
pub(crate) struct UnmatchedPage {
    /// Whether requests are recorded. If not, unmatched requests are missing here.
    enabled: bool,
    /// Lines replaced by newer ones. Some of them may have been unmatched too.
    dropped: u64,
    /// Oldest first, at most the newest thousand.
    items: Vec<UnmatchedRequest>,
    paging: Paging,
}

#[derive(Serialize, JsonSchema)]
struct UnmatchedRequest {
    seq: u64,
    number: u64,
    #[schemars(extend("format" = "date-time"))]
    at: String,
    method: String,
    url: String,
    status: Option<u16>,
    /// Why nothing matched.
    why: String,
    /// Routes that were probably meant, best match first: none, one, or one by path and one by method.
    closest: Vec<KnownRoute>,
}

/// A route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "KnownRoute")]
struct KnownRoute {
    name: &'static str,
    method: &'static str,
    path: &'static str,
}

const MAX_ITEMS: usize = 1_000;

pub(crate) fn list_unmatched(visit: &WorldVisit, request: &AdminRequest) -> Result<UnmatchedPage, AdminError> {
    let found = visit.world().journal.read_since(None);
    let unmatched: Vec<_> = found.lines.iter().filter(|line| is_unmatched(line)).collect();
    let newest = &unmatched[unmatched.len().saturating_sub(MAX_ITEMS)..];
    let stray = |line: &Exchange| UnmatchedRequest {
        seq: line.id,
        number: line.number,
        at: line.at.to_iso(),
        method: line.method.to_string(),
        url: line.target.clone(),
        status: line.status,
        why: line.why.as_ref().map(|why| why.words.to_string()).unwrap_or_default(),
        closest: match &line.why {
            Some(why) if why.check == RefusalCheck::World => Vec::new(),
            _ => find_closest(&line.method, line.path()),
        },
    };
    let Paged { items, paging } = request.paginate(newest.iter().map(|line| stray(line)))?;
    Ok(UnmatchedPage { enabled: visit.world().journal.is_on(), dropped: found.status.dropped, items, paging })
}

fn known_routes() -> &'static [KnownRoute] {
    static KNOWN: OnceLock<Vec<KnownRoute>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let interface = OPERATIONS.iter().map(|o| KnownRoute { name: o.name, method: o.method.as_str(), path: o.path });
        let admin =
            admin_routes().iter().map(|route| KnownRoute { name: route.name, method: route.method, path: route.path });
        interface.chain(admin).collect()
    })
}

/// The largest distance at which paths count as similar.
const MAX_DISTANCE: f64 = 0.6;

/// Returns method and path of the routes that an unmatched request probably meant, the most likely first.
pub fn closest_routes(method: &str, target: &str) -> Vec<(&'static str, &'static str)> {
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    find_closest(method, path).into_iter().map(|known| (known.method, known.path)).collect()
}

/// Returns the route with the nearest path and, if that has another method, the nearest route with the right method.
fn find_closest(method: &str, path: &str) -> Vec<KnownRoute> {
    let segments = split_path(path);
    // A world named before the path is left out; admin routes have it after their own prefix.
    let within;
    let requested = match segments.as_slice() {
        ["w", world, "__admin", rest @ ..] => {
            within = [&["__admin", "worlds", *world], rest].concat();
            within.as_slice()
        }
        ["w", _, rest @ ..] => rest,
        all => all,
    };
    let rated: Vec<(f64, KnownRoute)> = known_routes()
        .iter()
        .map(|known| (path_distance(requested, &self::split_path(known.path)), *known))
        .filter(|(distance, known)| {
            *distance <= MAX_DISTANCE && has_common_word(requested, &self::split_path(known.path))
        })
        .collect();
    let method = if method == "HEAD" { "GET" } else { method };
    // Among routes with the same path, the one with the right method comes first.
    let is_other = |known: &KnownRoute| known.method != method;
    let by_path = rated.iter().min_by(|a, b| a.0.total_cmp(&b.0).then(is_other(&a.1).cmp(&is_other(&b.1))));
    let by_method = rated.iter().filter(|(_, known)| !is_other(known)).min_by(|a, b| a.0.total_cmp(&b.0));
    let mut found: Vec<KnownRoute> = by_path.into_iter().chain(by_method).map(|(_, known)| *known).collect();
    found.dedup();
    found
}

fn split_path(path: &str) -> Vec<&str> {
    path.split('/').filter(|segment| !segment.is_empty()).collect()
}

/// Returns whether a segment matches beyond the prefix that all paths of a kind share. Parameters do not count, because
/// they match anything.
fn has_common_word(requested: &[&str], known: &[&str]) -> bool {
    let is_like = |a: &&str, b: &&str| 1.0 - strsim::normalized_damerau_levenshtein(a, b) <= MAX_SLIP;
    let (requested, known) = match (requested, known) {
        ([first, requested @ ..], [other, known @ ..]) if first == other => (requested, known),
        all => all,
    };
    requested.iter().any(|a| known.iter().any(|b| !b.starts_with('{') && is_like(a, b)))
}

/// The largest distance at which a word counts as a typing error.
const MAX_SLIP: f64 = 0.4;

/// Returns the edit distance of the segments, relative to the longer path. A segment with a similar spelling costs
/// little.
fn path_distance(requested: &[&str], known: &[&str]) -> f64 {
    let change = |requested: &str, known: &str| match known.starts_with('{') {
        true if requested.len() > 20 => 0.0,
        // A parameter matches anything, but a literal segment more likely belongs to another path.
        true => 0.3,
        // A different word is not a typing error: nobody writes nope for profile.
        false => match 1.0 - strsim::normalized_damerau_levenshtein(requested, known) {
            slip if slip <= MAX_SLIP => slip,
            _ => 2.0,
        },
    };
    let mut row: Vec<f64> = (0..=known.len()).map(|n| n as f64).collect();
    for (n, segment) in requested.iter().enumerate() {
        let mut before = row[0];
        row[0] = (n + 1) as f64;
        for (m, wanted) in known.iter().enumerate() {
            let best = (before + change(segment, wanted)).min(row[m] + 1.0).min(row[m + 1] + 1.0);
            before = std::mem::replace(&mut row[m + 1], best);
        }
    }
    row[known.len()] / requested.len().max(known.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_route_that_was_probably_meant_is_named() {
        let names = |method, path| find_closest(method, path).iter().map(|known| known.name).collect::<Vec<_>>();
        for (method, path, want) in [
            ("GET", "/contacts/v1/list", vec!["lists.query"]),
            ("GET", "/contacts/v1/lists", vec!["lists.query"]),
            ("HEAD", "/contacts/v1/lists", vec!["lists.query"]),
            ("POST", "/contacts/v1/lists", vec!["lists.query", "lists.create"]),
            ("POST", "/contacts/v1/lists/crate", vec!["lists.create"]),
            ("PUT", "/contacts/v1/lists/create", vec!["lists.create"]),
            ("OPTIONS", "/contacts/v1/lists/crate", vec!["lists.create"]),
            ("POST", "/w/checkout/contacts/v1/list/create", vec!["lists.create"]),
            ("POST", "/contacts/contacts", vec!["contacts.create"]),
            ("GET", "/__admin/requsts", vec!["requests.list"]),
            ("POST", "/__admin/faults", vec!["faults.clear", "faults.add"]),
            ("GET", "/__admin/reset", vec!["reset"]),
            ("GET", "/w/checkout/__admin/jobs", vec!["worlds.jobs.list"]),
            ("GET", "/nope", vec![]),
            ("GET", "/__admin/nope", vec![]),
            ("GET", "/favicon.ico", vec![]),
            ("GET", "/", vec![]),
        ] {
            assert_eq!(names(method, path), want, "{method} {path}");
        }
    }
}
