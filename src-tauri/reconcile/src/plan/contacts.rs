//! Plans contacts: decides what each change asks of the service and builds the requests for it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use roost_model::{contact::MergeType, phone};

use super::{
    BlockedChange, ChangeObstacle, ConflictKind, ContactItem, GateKind, PlanConflict, PlanNotice, PlanSubject,
    QuarantinedContact, RecordAdoption, RunGate, StepKind, SyncPlan, check,
    express::{ExpressedUpdate, drop_unknown_fields, express_update},
    lists::{self, ListSteps},
    pack::{ContactToSend, pack_requests},
};
use crate::{
    input::{ChangeChoice, ContactChange, PlanInput, PlannedList, RemoteListState},
    merge::MergeDispute,
    row::{ContactKey, ContactRow},
};

/// The record of the service that an action removes.
#[derive(Debug)]
pub(super) struct OldRecord<'a> {
    pub list: i64,
    pub uid: &'a str,
    pub before: &'a ContactRow,
}

/// The request that a changed contact needs at the service.
#[derive(Debug)]
pub(super) enum ContactAction<'a> {
    Create {
        row: ContactRow,
        replaces: Option<OldRecord<'a>>,
        wave: u32,
    },
    Update {
        /// `None` once the update has been moved into a request.
        update: Option<Box<ExpressedUpdate>>,
        before: &'a ContactRow,
        wave: u32,
    },
    Delete {
        old: OldRecord<'a>,
    },
    /// Deletes the old record of a contact that was moved into a list that is uploaded as a whole.
    MoveOut {
        old: OldRecord<'a>,
    },
}

/// The actions for all changed contacts.
#[derive(Debug)]
pub(super) struct ContactActions<'a> {
    pub actions: Vec<(&'a ContactChange, ContactAction<'a>)>,
    /// The lists with something inside that is not settled.
    pub unsettled: BTreeSet<i64>,
}

fn contact_subject(change: &ContactChange) -> PlanSubject {
    PlanSubject::Contact { id: change.id, list: change.list }
}

/// A change whose merge is settled, before its action is decided.
struct SettledChange<'a> {
    change: &'a ContactChange,
    uid: Option<&'a str>,
    remote: Option<&'a ContactRow>,
    target: Option<ContactRow>,
    /// Whether the contact was deleted and created again, so that a replacement needs no question.
    is_recreation: bool,
}

/// Merges every changed contact and decides its action. Conflicts, obstacles and notices are added to the plan.
pub(super) fn decide_actions<'a>(input: &'a PlanInput, plan: &mut SyncPlan) -> ContactActions<'a> {
    let mut wanted = ContactActions { actions: Vec::new(), unsettled: BTreeSet::new() };
    let mut ready = Vec::new();
    for change in &input.contacts {
        let Some(list) = input.find_list(change.list) else { continue };
        // A contact cannot be sent to a list that is not created yet.
        if list.deleted || list.held && list.uid.is_none() {
            continue;
        }
        if list.there == RemoteListState::Gone && list.uid.is_some() {
            if lists::is_recreated(list) && change.held {
                plan.add_notice(contact_subject(change), PlanNotice::Held);
                wanted.unsettled.insert(change.list);
            } else if lists::is_recreated(list) {
                let (uid, remote) = (change.uid.as_deref(), change.remote_row());
                ready.push(SettledChange { change, uid, remote, target: change.local.clone(), is_recreation: false });
            }
            continue;
        }
        match change.settle_merge(&input.policy) {
            Err(dispute) => {
                let disputed = match dispute {
                    MergeDispute::Fields { forks } => ConflictKind::Fields { forks },
                    MergeDispute::DeletedThere => ConflictKind::DeletedThere,
                };
                plan.conflicts.push(PlanConflict { subject: contact_subject(change), disputed });
                wanted.unsettled.insert(change.list);
            }
            Ok(settled) => {
                if let Some(note) = settled.note {
                    plan.add_notice(contact_subject(change), PlanNotice::Merge { note });
                }
                if settled.target.as_ref() == change.remote_row() && change.was_in.is_none() {
                    continue;
                }
                if change.held || has_number_in_flight(input, change, settled.target.as_ref()) {
                    plan.add_notice(
                        contact_subject(change),
                        if change.held { PlanNotice::Held } else { PlanNotice::Waiting },
                    );
                    wanted.unsettled.insert(change.list);
                    continue;
                }
                let (uid, remote) = (change.uid.as_deref(), change.remote_row());
                ready.push(SettledChange { change, uid, remote, target: settled.target, is_recreation: false });
            }
        }
    }
    let ready = adopt_recreated(input, ready, plan);
    let (mut claims, mut makings) = (HashMap::new(), Vec::new());
    for one in ready {
        makings.extend(decide_action(input, one, &mut claims, plan, &mut wanted));
    }
    // Create contacts last: a merge by a number must not find a contact that has just been given the same number.
    for making in makings {
        plan_creation(input, making, &mut claims, plan, &mut wanted);
    }
    wanted
}

fn has_number_in_flight(input: &PlanInput, change: &ContactChange, target: Option<&ContactRow>) -> bool {
    let mut rows = [change.remote_row(), target].into_iter().flatten();
    rows.any(|row| row.keys().any(|key| input.is_in_flight(change.list, &key)))
}

/// Turns a contact that was deleted and created again with the same number into an edit of the existing record.
fn adopt_recreated<'a>(
    input: &PlanInput,
    mut ready: Vec<SettledChange<'a>>,
    plan: &mut SyncPlan,
) -> Vec<SettledChange<'a>> {
    // The deleted and the created contacts, by list and number.
    let mut pairs: BTreeMap<(i64, ContactKey), (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (at, one) in ready.iter().enumerate() {
        if let (Some(remote), None, Some(_)) = (one.remote, &one.target, one.uid) {
            remote.keys().for_each(|key| pairs.entry((one.change.list, key)).or_default().0.push(at));
        }
    }
    for (at, one) in ready.iter().enumerate() {
        if let (None, Some(target), None) = (one.remote, &one.target, one.change.was_in) {
            for key in target.keys() {
                pairs.entry((one.change.list, key)).and_modify(|(_, made)| made.push(at));
            }
        }
    }
    let mut replaced = BTreeSet::new();
    let mut joined = BTreeSet::new();
    for (place, (deleted, made)) in &pairs {
        let ([old], [new]) = (deleted.as_slice(), made.as_slice()) else { continue };
        let alone = input.find_list(place.0).is_some_and(|list| list.count_number(&place.1) == 1);
        if !alone || replaced.contains(old) || joined.contains(new) {
            continue;
        }
        replaced.insert(*old);
        joined.insert(*new);
        let (uid, remote, of) = (ready[*old].uid, ready[*old].remote, ready[*old].change.id);
        let new = &mut ready[*new];
        (new.uid, new.remote, new.is_recreation) = (uid, remote, true);
        plan.adoptions.extend(uid.map(|uid| RecordAdoption { id: new.change.id, uid: uid.to_owned(), of }));
    }
    let mut at = 0;
    ready.retain(|_| {
        at += 1;
        !replaced.contains(&(at - 1))
    });
    ready
}

/// The first wave in which a number is free, by list and number.
type ClaimedNumbers = HashMap<(i64, ContactKey), u32>;

/// Returns the first wave in which all the numbers are free, and uses them in it.
fn claim_numbers(claims: &mut ClaimedNumbers, list: i64, keys: impl Iterator<Item = ContactKey>) -> u32 {
    let places: Vec<_> = keys.map(|key| (list, key)).collect();
    let wave = places.iter().filter_map(|place| claims.get(place)).max().copied().unwrap_or(0);
    claims.extend(places.into_iter().map(|place| (place, wave + 1)));
    wave
}

/// A contact to be created.
struct PlannedContact<'a> {
    list: &'a PlannedList,
    change: &'a ContactChange,
    row: ContactRow,
    replaces: Option<OldRecord<'a>>,
}

/// Decides what a change asks for. Returns the contact if it has to be created.
fn decide_action<'a>(
    input: &'a PlanInput,
    one: SettledChange<'a>,
    claims: &mut ClaimedNumbers,
    plan: &mut SyncPlan,
    wanted: &mut ContactActions<'a>,
) -> Option<PlannedContact<'a>> {
    let SettledChange { change, uid, remote, target, is_recreation } = one;
    let list = input.find_list(change.list)?;
    let at_home = change.was_in.unwrap_or(change.list);
    let old = uid.zip(remote).map(|(uid, before)| OldRecord { list: at_home, uid, before });
    let whole = lists::is_recreated(list);
    match (remote, target) {
        (None, None) => {}
        (Some(_), None) => {
            if let (Some(old), false) = (old, whole) {
                wanted.actions.push((change, ContactAction::Delete { old }));
            }
        }
        (_, Some(row)) if whole => {
            let (row, unknown) = drop_unknown_fields(&row, &input.capabilities);
            if !unknown.is_empty() {
                plan.blocked.push(blocked_contact(change, ChangeObstacle::UnknownField { fields: unknown }, None));
            }
            let found = check::find_violations(&row, &row);
            if !found.is_empty() {
                // One bad row would make the service refuse the whole upload.
                wanted.unsettled.insert(change.list);
                plan.quarantine.push(QuarantinedContact { id: change.id, list: change.list, faults: found });
                return None;
            }
            if let (Some(old), true) = (old, change.was_in.is_some()) {
                wanted.actions.push((change, ContactAction::MoveOut { old }));
            }
        }
        (None, Some(row)) => return Some(PlannedContact { list, change, row, replaces: None }),
        (Some(_), Some(row)) if change.was_in.is_some() => {
            return Some(PlannedContact { list, change, row, replaces: old });
        }
        (Some(remote), Some(row)) => {
            let update = express_update(remote, &row, list, &input.capabilities);
            let replace = update.needs_replacement() && (is_recreation || change.choice == Some(ChangeChoice::Replace));
            if replace {
                return Some(PlannedContact { list, change, row, replaces: old });
            }
            let found = check::find_violations(&update.send, &update.expect);
            if !found.is_empty() {
                plan.quarantine.push(QuarantinedContact { id: change.id, list: change.list, faults: found });
                return None;
            }
            for obstacle in &update.obstacles {
                let replacing = !matches!(obstacle, ChangeObstacle::UnknownField { .. });
                plan.blocked.push(blocked_contact(
                    change,
                    obstacle.clone(),
                    replacing.then_some((ChangeChoice::Replace, 2)),
                ));
            }
            if let Some(key) = update.send.keys().find(|key| claims.contains_key(&(list.id, key.clone()))) {
                plan.blocked.push(blocked_contact(change, ChangeObstacle::KeyTaken { key }, None));
                return None;
            }
            if update.has_content() {
                let keys = update.keys.iter().filter_map(|kind| remote.key_of_kind(*kind));
                let wave = claim_numbers(claims, list.id, keys.chain(update.send.keys()));
                wanted
                    .actions
                    .push((change, ContactAction::Update { update: Some(Box::new(update)), before: remote, wave }));
            }
        }
    }
    None
}

fn blocked_contact(
    change: &ContactChange,
    obstacle: ChangeObstacle,
    besides: Option<(ChangeChoice, u64)>,
) -> BlockedChange {
    BlockedChange {
        subject: contact_subject(change),
        obstacle,
        choices: [(ChangeChoice::KeepLocal, 0)].into_iter().chain(besides).collect(),
        list_choices: Vec::new(),
        chosen: change.choice,
    }
}

/// Decides how a new contact is created, unless it breaks a rule or its number is taken.
fn plan_creation<'a>(
    input: &PlanInput,
    making: PlannedContact<'a>,
    claims: &mut ClaimedNumbers,
    plan: &mut SyncPlan,
    wanted: &mut ContactActions<'a>,
) {
    let PlannedContact { list, change, row, replaces } = making;
    let (row, unknown) = drop_unknown_fields(&row, &input.capabilities);
    let found = check::find_violations(&row, &row);
    if !found.is_empty() {
        return plan.quarantine.push(QuarantinedContact { id: change.id, list: change.list, faults: found });
    }
    // A replacement in the same list may keep its number, since the old record is deleted once the new one has arrived.
    let own = |key: &ContactKey| {
        replaces
            .as_ref()
            .is_some_and(|old| old.list == list.id && old.before.key_of_kind(key.kind).as_ref() == Some(key))
    };
    let taken = row
        .keys()
        .find(|key| list.count_number(key) > u32::from(own(key)) || claims.contains_key(&(list.id, key.clone())));
    if let Some(key) = taken
        && change.choice != Some(ChangeChoice::KeepBoth)
        && change.choice != Some(ChangeChoice::Replace)
    {
        return plan.blocked.push(blocked_contact(
            change,
            ChangeObstacle::KeyTaken { key },
            Some((ChangeChoice::KeepBoth, 1)),
        ));
    }
    if !unknown.is_empty() {
        plan.blocked.push(blocked_contact(change, ChangeObstacle::UnknownField { fields: unknown }, None));
    }
    let wave = claim_numbers(claims, list.id, row.keys());
    wanted.actions.push((change, ContactAction::Create { row, replaces, wave }));
}

/// Returns the merge types with which a new contact may be sent.
fn allowed_merge_types(input: &PlanInput, list: &PlannedList, row: &ContactRow, wave: u32) -> Vec<MergeType> {
    if wave > 0 || row.keys().any(|key| list.count_number(&key) > 0) {
        return vec![MergeType::AllowDuplicates];
    }
    if !input.capabilities.merge_also_creates {
        return vec![MergeType::SkipDuplicates];
    }
    row.keys().map(|key| merge_type_of(key.kind)).collect()
}

fn merge_type_of(kind: crate::row::KeyKind) -> MergeType {
    match kind {
        crate::row::KeyKind::Phone => MergeType::MergeByPhone,
        crate::row::KeyKind::Whatsapp => MergeType::MergeByWhatsapp,
    }
}

/// Returns the region that a request must name, if the service requires the one of its numbers.
fn find_region(input: &PlanInput, row: &ContactRow) -> Option<String> {
    if input.capabilities.e164_with_any_region {
        return None;
    }
    let number = row.keys().next()?.number;
    phone::parse_international(&number).map(|phone| phone.region)
}

/// Plans the requests with contacts.
pub(super) fn plan_requests(
    input: &PlanInput,
    lists: &ListSteps,
    wanted: &mut ContactActions<'_>,
    plan: &mut SyncPlan,
) {
    let mut cargo = Vec::new();
    for (change, act) in &mut wanted.actions {
        let Some(list) = input.find_list(change.list) else { continue };
        let (by, wave, item) = match act {
            ContactAction::Create { row, wave, .. } => {
                let (send, expect) = (row.clone(), row.clone());
                (
                    allowed_merge_types(input, list, row, *wave),
                    *wave,
                    ContactItem { id: change.id, send, clear: vec![], before: None, expect },
                )
            }
            ContactAction::Update { update, before, wave } => {
                let Some(update) = update.take() else { continue };
                let ExpressedUpdate { keys: by, send, clear, expect, .. } = *update;
                let by = by.into_iter().map(merge_type_of).collect();
                (by, *wave, ContactItem { id: change.id, send, clear, before: Some((*before).clone()), expect })
            }
            ContactAction::Delete { .. } | ContactAction::MoveOut { .. } => continue,
        };
        let region = find_region(input, item.before.as_ref().unwrap_or(&item.send));
        cargo.push(ContactToSend { list: list.id, wave, region, merges: by, item });
    }
    let mut earlier: BTreeMap<(i64, u32), Vec<u32>> = BTreeMap::new();
    for parcel in pack_requests(cargo, &input.limits) {
        let mut after: Vec<u32> = lists.created.get(&parcel.list).copied().into_iter().collect();
        if let Some(before) = parcel.wave.checked_sub(1) {
            after.extend(earlier.get(&(parcel.list, before)).into_iter().flatten());
        }
        let kind =
            StepKind::Contacts { list: parcel.list, merge: parcel.merge, region: parcel.region, items: parcel.items };
        let step = plan.push_step(kind, after);
        earlier.entry((parcel.list, parcel.wave)).or_default().push(step);
    }
}

/// Returns the step that sends each contact.
pub(super) fn steps_by_contact(plan: &SyncPlan) -> HashMap<i64, u32> {
    let mut by_contact = HashMap::new();
    for step in &plan.steps {
        if let StepKind::Contacts { items, .. } = &step.kind {
            by_contact.extend(items.iter().map(|item| (item.id, step.id)));
        }
    }
    by_contact
}

/// Returns the steps that create contacts with the number of a deleted one, in any list. The deletion waits for them,
/// so that the person is never missing meanwhile.
fn find_replacement_steps(wanted: &ContactActions<'_>, made_by: &HashMap<i64, u32>) -> HashMap<ContactKey, u32> {
    let mut deleted = BTreeSet::new();
    for (_, act) in &wanted.actions {
        if let ContactAction::Delete { old } = act {
            deleted.extend(old.before.keys());
        }
    }
    let mut steps = HashMap::new();
    for (change, act) in &wanted.actions {
        if let (ContactAction::Create { row, .. }, Some(step)) = (act, made_by.get(&change.id)) {
            steps.extend(row.keys().filter(|key| deleted.contains(key)).map(|key| (key, *step)));
        }
    }
    steps
}

/// Plans the deletions. Those of replaced and moved contacts wait until the new contact is verified.
pub(super) fn plan_deletions(input: &PlanInput, wanted: &ContactActions<'_>, plan: &mut SyncPlan) {
    let made_by = steps_by_contact(plan);
    let made_again = find_replacement_steps(wanted, &made_by);
    let mut of_list: BTreeMap<i64, u64> = BTreeMap::new();
    for (change, act) in &wanted.actions {
        let (old, after) = match act {
            ContactAction::Delete { old } => {
                (old, old.before.keys().filter_map(|key| made_again.get(&key).copied()).collect())
            }
            ContactAction::Create { replaces: Some(old), .. } => {
                (old, made_by.get(&change.id).copied().into_iter().collect())
            }
            ContactAction::MoveOut { old } => (old, lists::upload_steps(plan, change.list)),
            _ => continue,
        };
        // The deletion of a whole list deletes its contacts as well.
        if input.find_list(old.list).is_some_and(|list| list.deleted || lists::is_recreated(list)) {
            continue;
        }
        *of_list.entry(old.list).or_default() += 1;
        let (uid, before) = (old.uid.to_owned(), old.before.clone());
        plan.push_step(StepKind::ContactDelete { id: change.id, list: old.list, uid, before }, after);
    }
    for (list, count) in of_list {
        let rows = input.find_list(list).map_or(0, |list| list.rows);
        if count > 50 || count * 20 > rows {
            let gate = GateKind::ManyDeletions;
            plan.gates.push(RunGate { gate, list: Some(list), step: None, wanted: count.to_string() });
        }
    }
}
