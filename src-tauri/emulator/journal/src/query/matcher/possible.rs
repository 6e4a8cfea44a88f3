//! Finds out whether any incoming call can pass a matcher, so that a rule that could never fire is refused.

use roost_wire::{OPERATIONS, Operation, RequestPath, Route, find_route};

use super::{
    super::{body::BodyTest, facts::FieldValue, operations},
    Matcher, TestedField,
};

/// Why no incoming call passes all tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeverMatches {
    Direction,
    Operation,
    Path,
    /// A path contains no query.
    PathWithQuery,
    /// The operation has another path.
    Combination,
    Method,
    /// The operations have no body.
    Body,
}

impl Matcher {
    /// Checks whether an incoming call can match at all by its direction, operation, method, path and body.
    pub fn check_can_match(&self) -> Result<(), NeverMatches> {
        for (part, test) in &self.tests {
            match part {
                TestedField::Direction if !test.passes(&FieldValue::from_text("in"), |_| None) => {
                    return Err(NeverMatches::Direction);
                }
                TestedField::Operation if !test.is_negative() && !operations::can_match_interface(test) => {
                    return Err(NeverMatches::Operation);
                }
                TestedField::Path if !test.is_negative() && test.exact_texts().count() > 0 => {
                    let leads =
                        |path: &str| !matches!(find_route("OPTIONS", &RequestPath::parse(path)), Route::Unknown);
                    if test.exact_texts().all(|path| path.contains('?')) {
                        return Err(NeverMatches::PathWithQuery);
                    }
                    if !test.exact_texts().any(leads) {
                        return Err(NeverMatches::Path);
                    }
                }
                _ => {}
            }
        }
        let holds = |part: &TestedField, text: &str| {
            let tests = self.tests.iter().filter(|(tested, _)| tested == part);
            tests.into_iter().all(|(_, test)| test.is_negative() || test.passes(&FieldValue::from_text(text), |_| None))
        };
        let has_method = |operation: &Operation| {
            let method = operation.method.as_str();
            holds(&TestedField::Method, method) || (method == "GET" && holds(&TestedField::Method, "HEAD"))
        };
        let is_met = |operation: &&Operation| {
            let mut names = operations::name_and_groups(operation.name);
            names.any(|name| holds(&TestedField::Operation, name))
        };
        let has_path = |operation: &&Operation| {
            let exact = self.tests.iter().filter(|(tested, test)| *tested == TestedField::Path && !test.is_negative());
            exact.into_iter().all(|(_, test)| {
                let leads = |path: &str| match find_route(operation.method.as_str(), &RequestPath::parse(path)) {
                    Route::Operation { operation: found, .. } => found.id == operation.id,
                    _ => false,
                };
                test.exact_texts().count() == 0 || test.exact_texts().any(leads)
            })
        };
        let mut left: Vec<&Operation> = OPERATIONS.iter().filter(is_met).collect();
        for (why, keeps) in [
            (NeverMatches::Combination, &has_path as &dyn Fn(&&Operation) -> bool),
            (NeverMatches::Method, &|operation: &&Operation| has_method(operation)),
            (NeverMatches::Body, &|operation: &&Operation| {
                operation.reads_body || self.bodies.iter().all(BodyTest::passes_absent)
            }),
        ] {
            left.retain(|operation| keeps(operation));
            if left.is_empty() {
                return Err(why);
            }
        }
        Ok(())
    }
}
