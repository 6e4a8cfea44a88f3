//! The names of operations in the journal, to refuse matchers with unknown ones.

use std::{collections::BTreeSet, sync::OnceLock};

use roost_wire::OPERATIONS;

use super::{
    facts::FieldValue,
    read::{JsonPlace, MatcherResult},
    text::TextTest,
};
use crate::admin::admin_routes;

/// Names in the journal besides the operations of the interface and of the operator.
const OTHER_NAMES: [&str; 5] = ["admin", "callback", "hook", "openapi", "short_link"];

/// Returns all names and their groups.
fn known_names() -> &'static BTreeSet<String> {
    static KNOWN: OnceLock<BTreeSet<String>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let interface = OPERATIONS.iter().map(|operation| operation.name.to_owned());
        let operator = admin_routes().iter().map(|route| format!("admin.{}", route.name));
        let names = interface.chain(operator).chain(OTHER_NAMES.map(str::to_owned));
        names.flat_map(|name| name_and_groups(&name).map(str::to_owned).collect::<Vec<_>>()).collect()
    })
}

/// Returns a name and its groups: `admin.faults.add`, `admin.faults`, `admin`.
pub(super) fn name_and_groups(name: &str) -> impl Iterator<Item = &str> {
    let groups = name.match_indices('.').map(|(at, _)| &name[..at]);
    std::iter::once(name).chain(groups)
}

/// Refuses a test that no existing operation passes.
pub(super) fn check_operation_test(test: &TextTest, at: &JsonPlace<'_>) -> MatcherResult<()> {
    let passes = |name: &str, test: &TextTest| test.passes(&FieldValue::from_text(name), |_| None);
    if test.is_negative() {
        return Ok(());
    }
    for given in test.exact_texts() {
        if !known_names().contains(given) {
            let names = OPERATIONS.iter().map(|operation| operation.name).chain(OTHER_NAMES);
            // The admin routes are too many to list; a similar name is still suggested.
            let near = known_names().iter().map(String::as_str);
            return at.unknown_value_error(given, near, &names.collect::<Vec<_>>().join(", "));
        }
    }
    match known_names().iter().any(|name| passes(name, test)) {
        true => Ok(()),
        false => at.error_here("unknown operation; use a name such as contacts.create, or a group such as contacts"),
    }
}

/// Whether one of the sixteen operations, which fault rules can match, passes the test.
pub(super) fn can_match_interface(test: &TextTest) -> bool {
    OPERATIONS
        .iter()
        .flat_map(|operation| name_and_groups(operation.name))
        .any(|name| test.passes(&FieldValue::from_text(name), |_| None))
}
