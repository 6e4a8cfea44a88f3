//! The lines that come nearest to what was wanted, with what does not fit.

use std::sync::Arc;

use super::matcher::{Matcher, Miss};
use crate::journal::Exchange;

/// How many are told.
const MOST: usize = 5;

pub struct Near {
    pub line: Arc<Exchange>,
    pub misses: Vec<Miss>,
}

/// Those with the fewest misses, of equals the newest.
pub fn nearest<'l>(matcher: &Matcher, lines: impl Iterator<Item = &'l Arc<Exchange>>) -> Vec<Near> {
    let mut near: Vec<Near> = Vec::new();
    for line in lines {
        let misses = matcher.test(line.as_ref()).misses;
        if misses.is_empty() {
            continue;
        }
        // Few are kept at a time, so the place is found by looking.
        let at = near.partition_point(|other| (other.misses.len(), line.id) < (misses.len(), other.line.id));
        if at < MOST {
            near.insert(at, Near { line: line.clone(), misses });
            near.truncate(MOST);
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_fewest_misses_come_first_and_of_equals_the_newest() {
        let line = |id: u64, method: &'static str, status: u16| {
            Arc::new(Exchange { id, method: method.into(), status: Some(status), ..Exchange::default() })
        };
        let lines: Vec<_> = (1..=20)
            .map(|id| match id {
                5 => line(id, "POST", 201),
                3 | 9 => line(id, "POST", 400),
                12 => line(id, "GET", 201),
                _ => line(id, "GET", 404),
            })
            .collect();
        let matcher = Matcher::read(&json!({ "method": "POST", "status": 201 }), "match").expect("a matcher");
        let near = nearest(&matcher, lines.iter());
        let told: Vec<_> = near.iter().map(|near| (near.line.id, near.misses.len())).collect();
        assert_eq!(told, [(12, 1), (9, 1), (3, 1), (20, 2), (19, 2)]);
        assert_eq!(near[0].misses[0].field, "method");
    }
}
