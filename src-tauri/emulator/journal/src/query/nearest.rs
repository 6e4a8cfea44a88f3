//! Finds the lines that nearly match, with the tests that they fail.

use std::sync::Arc;

use super::{
    matcher::{FieldMismatch, Matcher},
    verify::is_operator_traffic,
};
use crate::Exchange;

/// The most lines that are returned.
const NEAREST_MAX: usize = 5;

pub struct NearLine {
    pub line: Arc<Exchange>,
    pub misses: Vec<FieldMismatch>,
}

/// Returns the lines with the fewest failed tests, newest first among equals.
pub fn find_nearest<'l>(matcher: &Matcher, lines: impl Iterator<Item = &'l Arc<Exchange>>) -> Vec<NearLine> {
    let mut near: Vec<NearLine> = Vec::new();
    for line in lines {
        let misses = matcher.explain_match(line.as_ref()).misses;
        // A caller who looks for an operation of the interface cannot have meant an act of the operator.
        let is_another = is_operator_traffic(line) && misses.iter().any(|miss| miss.field == "operation");
        if misses.is_empty() || is_another {
            continue;
        }
        // There are at most a few lines at a time, so a search for the position is cheap.
        let at = near.partition_point(|other| (other.misses.len(), line.id) < (misses.len(), other.line.id));
        if at < NEAREST_MAX {
            near.insert(at, NearLine { line: line.clone(), misses });
            near.truncate(NEAREST_MAX);
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Direction;

    #[test]
    fn acts_of_the_operator_are_not_near_an_operation() {
        let line = |id: u64, operation: &'static str| {
            let direction = if operation == "callback" { Direction::Out } else { Direction::In };
            Arc::new(Exchange { id, operation: Some(operation.into()), direction, ..Exchange::default() })
        };
        let lines = [line(1, "lists.query"), line(2, "admin.export"), line(3, "callback"), line(4, "admin.info")];
        let near = |written: Value| -> Vec<u64> {
            let matcher = Matcher::read(&written, "match").expect("a matcher");
            find_nearest(&matcher, lines.iter()).iter().map(|near| near.line.id).collect()
        };
        assert_eq!(near(json!({ "operation": "lists.create" })), [1]);
        assert_eq!(near(json!({ "method": "POST" })), [4, 3, 2, 1], "where it is asked for by other means");
    }

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
        let near = find_nearest(&matcher, lines.iter());
        let reported: Vec<_> = near.iter().map(|near| (near.line.id, near.misses.len())).collect();
        assert_eq!(reported, [(12, 1), (9, 1), (3, 1), (20, 2), (19, 2)]);
        assert_eq!(near[0].misses[0].field, "method");
    }
}
