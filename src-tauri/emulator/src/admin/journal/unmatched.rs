//! Requests that led nowhere, each with the route that is most like it.

use std::sync::OnceLock;

use roost_wire::OPERATIONS;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::{refused::Refused, route::Asked, table::admin_routes};
use crate::{
    door::Visit,
    journal::{Exchange, is_stray},
};

#[derive(Serialize, JsonSchema)]
pub struct Unmatched {
    /// Lines that gave way to newer ones; some of them may have led nowhere, too.
    dropped: u64,
    /// Oldest first, the newest thousand.
    items: Vec<Stray>,
}

#[derive(Serialize, JsonSchema)]
struct Stray {
    seq: u64,
    number: u64,
    at: String,
    method: String,
    url: String,
    status: Option<u16>,
    closest: Option<Known>,
}

/// A route there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "KnownRoute")]
struct Known {
    name: &'static str,
    method: &'static str,
    path: &'static str,
}

const MOST: usize = 1_000;

pub fn unmatched(visit: &Visit, _: &Asked) -> Result<Unmatched, Refused> {
    let found = visit.world().journal.since(None);
    let strays: Vec<_> = found.lines.iter().filter(|line| is_stray(line)).collect();
    let newest = &strays[strays.len().saturating_sub(MOST)..];
    let stray = |line: &Exchange| Stray {
        seq: line.id,
        number: line.number,
        at: line.at.iso(),
        method: line.method.to_string(),
        url: line.target.clone(),
        status: line.status,
        closest: closest(&line.method, line.path()),
    };
    Ok(Unmatched { dropped: found.standing.dropped, items: newest.iter().map(|line| stray(line)).collect() })
}

fn known() -> &'static [Known] {
    static KNOWN: OnceLock<Vec<Known>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let interface = OPERATIONS.iter().map(|o| Known { name: o.name, method: o.method.as_str(), path: o.path });
        let admin =
            admin_routes().iter().map(|route| Known { name: route.name, method: route.method, path: route.path });
        interface.chain(admin).collect()
    })
}

/// The most that a path may differ and still be called alike.
const FAR: f64 = 0.6;
/// What another method counts.
const METHOD: f64 = 0.15;

/// Method and path of the route that is most like a request that led nowhere.
pub fn closest_route(method: &str, target: &str) -> Option<(&'static str, &'static str)> {
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    closest(method, path).map(|known| (known.method, known.path))
}

fn closest(method: &str, path: &str) -> Option<Known> {
    let segments = segments(path);
    // The name of a world before the path is said elsewhere; the operator's side has it behind its own.
    let within;
    let asked = match segments.as_slice() {
        ["w", world, "__admin", rest @ ..] => {
            within = [&["__admin", "worlds", *world], rest].concat();
            within.as_slice()
        }
        ["w", _, rest @ ..] => rest,
        all => all,
    };
    let rated = known().iter().map(|known| {
        let distance = distance(asked, &self::segments(known.path));
        (distance + if known.method == method { 0.0 } else { METHOD }, known)
    });
    rated.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(distance, _)| *distance <= FAR + METHOD).map(|(_, known)| *known)
}

fn segments(path: &str) -> Vec<&str> {
    path.split('/').filter(|segment| !segment.is_empty()).collect()
}

/// Edit distance of segments by their share of the longer path; a segment that is spelled alike costs little.
fn distance(asked: &[&str], known: &[&str]) -> f64 {
    let change = |asked: &str, known: &str| match known.starts_with('{') {
        true if asked.len() > 20 => 0.0,
        // Anything may stand there, but a word of the path more likely belongs to another place.
        true => 0.3,
        false => 1.0 - strsim::normalized_damerau_levenshtein(asked, known),
    };
    let mut row: Vec<f64> = (0..=known.len()).map(|n| n as f64).collect();
    for (n, segment) in asked.iter().enumerate() {
        let mut before = row[0];
        row[0] = (n + 1) as f64;
        for (m, wanted) in known.iter().enumerate() {
            let best = (before + change(segment, wanted)).min(row[m] + 1.0).min(row[m + 1] + 1.0);
            before = std::mem::replace(&mut row[m + 1], best);
        }
    }
    row[known.len()] / asked.len().max(known.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_route_that_was_probably_meant_is_named() {
        let name = |method, path| closest(method, path).map(|known| known.name);
        for (method, path, want) in [
            ("GET", "/contacts/v1/list", Some("lists.query")),
            ("GET", "/contacts/v1/lists", Some("lists.query")),
            ("POST", "/contacts/v1/lists/crate", Some("lists.create")),
            ("PUT", "/contacts/v1/lists/create", Some("lists.create")),
            ("POST", "/w/checkout/contacts/v1/list/create", Some("lists.create")),
            ("POST", "/contacts/contacts", Some("contacts.create")),
            ("GET", "/__admin/requsts", Some("requests.list")),
            ("GET", "/w/checkout/__admin/jobs", Some("worlds.jobs.list")),
            ("GET", "/favicon.ico", None),
            ("GET", "/", None),
        ] {
            assert_eq!(name(method, path), want, "{method} {path}");
        }
    }
}
