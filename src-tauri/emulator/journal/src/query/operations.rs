//! The names of operations in the journal, to refuse matchers with unknown ones.

use std::{collections::BTreeSet, sync::OnceLock};

use roost_wire::OPERATIONS;

use super::{
    facts::FieldValue,
    read::{JsonPlace, MatcherResult},
    text::TextTest,
};

/// Names in the journal besides the operations of the interface and of the operator.
const OTHER_NAMES: [&str; 5] = ["admin", "callback", "hook", "openapi", "short_link"];

/// The routes of the operator for the server.
const HOST_NAMES: &str = "\
    livez.root livez readyz.root readyz index worlds.list worlds.add worlds.get worlds.remove metrics";
/// The routes of the operator for a world. Each exists twice: for the world of the token, and for a named one.
const WORLD_NAMES: &str = "\
    openapi info settings.get settings.put settings.change fidelity.get fidelity.header.get fidelity.header.put \
    export reset seed.put import snapshots.take snapshots.list snapshots.remove snapshots.restore snapshots.diff \
    state.at state.list state.make state.get state.change state.remove state.steps state.undo state.redo \
    senders.list senders.request senders.approve senders.refuse senders.remove assets.list assets.add assets.change \
    assets.remove custom_fields.list custom_fields.add custom_fields.rename custom_fields.remove \
    inbound_messages.receive web_opt_outs.receive opt_out_imports.run clicks.list clicks.add lists.rename jobs.list \
    job_policy.get job_policy.put jobs.get jobs.outcomes jobs.moments jobs.run jobs.step jobs.pause jobs.resume \
    jobs.fail jobs.drop callbacks.list callback_policy.get callback_policy.put settle release_callbacks \
    callbacks.get callbacks.redeliver callbacks.hold callbacks.release callbacks.cancel hooks.list hooks.get \
    hooks.put hooks.remove clock.get clock.put clock.advance random.get random.change faults.clear faults.list \
    faults.add faults.explain faults.get faults.put faults.remove faults.plan.get faults.plan.put faults.plan.remove \
    faults.profiles.list faults.profile.get faults.profile.put faults.magic.get faults.magic.put faults.prefer.get \
    faults.prefer.put limits.get limits.put limits.change limits.buckets requests.list requests.clear requests.count \
    requests.find requests.verify requests.archive requests.get requests.curl requests.http requests.har events \
    unmatched journal.get journal.change";

/// Returns the names of the operator's routes.
pub fn operator_names() -> impl Iterator<Item = String> {
    let within = WORLD_NAMES.split(' ').map(|name| format!("worlds.{name}"));
    HOST_NAMES.split(' ').chain(WORLD_NAMES.split(' ')).map(str::to_owned).chain(within)
}

/// Returns all names and their groups.
fn known_names() -> &'static BTreeSet<String> {
    static KNOWN: OnceLock<BTreeSet<String>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let interface = OPERATIONS.iter().map(|operation| operation.name.to_owned());
        let operator = operator_names().map(|name| format!("admin.{name}"));
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
