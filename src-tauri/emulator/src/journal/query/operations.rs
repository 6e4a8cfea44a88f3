//! The names of operations in the journal, to refuse matchers with unknown ones.

use std::{collections::BTreeSet, sync::OnceLock};

use roost_wire::OPERATIONS;

use super::{
    facts::Fact,
    read::{At, Read},
    text::TextTest,
};
use crate::admin::admin_routes;

/// Names in the journal besides the operations of the interface and of the operator.
const BESIDES: [&str; 5] = ["admin", "callback", "hook", "openapi", "short_link"];

/// Returns all names and their groups.
fn known() -> &'static BTreeSet<String> {
    static KNOWN: OnceLock<BTreeSet<String>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let interface = OPERATIONS.iter().map(|operation| operation.name.to_owned());
        let operator = admin_routes().iter().map(|route| format!("admin.{}", route.name));
        let names = interface.chain(operator).chain(BESIDES.map(str::to_owned));
        names.flat_map(|name| with_groups(&name).map(str::to_owned).collect::<Vec<_>>()).collect()
    })
}

/// Returns a name and its groups: `admin.faults.add`, `admin.faults`, `admin`.
pub fn with_groups(name: &str) -> impl Iterator<Item = &str> {
    let groups = name.match_indices('.').map(|(at, _)| &name[..at]);
    std::iter::once(name).chain(groups)
}

/// Refuses a test that no existing operation passes.
pub fn check(test: &TextTest, at: &At<'_>) -> Read<()> {
    let passes = |name: &str, test: &TextTest| test.holds(&Fact::text(name), |_| None);
    if test.is_negative() {
        return Ok(());
    }
    for given in test.exact() {
        if !known().contains(given) {
            let names = OPERATIONS.iter().map(|operation| operation.name).chain(BESIDES);
            // The admin routes are too many to list; a similar name is still suggested.
            let near = known().iter().map(String::as_str);
            return at.unknown_among(given, near, &names.collect::<Vec<_>>().join(", "));
        }
    }
    match known().iter().any(|name| passes(name, test)) {
        true => Ok(()),
        false => at.fault("unknown operation; use a name such as contacts.create, or a group such as contacts"),
    }
}

/// Whether one of the sixteen operations, which fault rules can match, passes the test.
pub fn is_of_interface(test: &TextTest) -> bool {
    OPERATIONS
        .iter()
        .flat_map(|operation| with_groups(operation.name))
        .any(|name| test.holds(&Fact::text(name), |_| None))
}
