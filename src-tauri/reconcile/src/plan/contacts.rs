//! Plans contacts: decides what each change asks of the service and builds the requests for it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use roost_model::{contact::MergeType, phone};

use super::{
    Adoption, Blocked, Conflict, Disputed, Gate, GateKind, Item, Obstacle, Plan, Quarantined, StepKind, Subject, Told,
    check,
    express::{Expressed, express, without_unknown},
    lists::{self, Lists},
    pack::{Cargo, pack},
};
use crate::{
    input::{Choice, ContactChange, Input, List, ListThere},
    merge::Dispute,
    row::{Key, Row},
};

/// The record of the service that an action removes.
#[derive(Debug)]
pub struct Old<'a> {
    pub list: i64,
    pub uid: &'a str,
    pub before: &'a Row,
}

/// The request that a changed contact needs at the service.
#[derive(Debug)]
pub enum Act<'a> {
    Create {
        row: Row,
        replaces: Option<Old<'a>>,
        wave: u32,
    },
    Update {
        /// `None` once the update has been moved into a request.
        said: Option<Box<Expressed>>,
        before: &'a Row,
        wave: u32,
    },
    Delete {
        old: Old<'a>,
    },
    /// Deletes the old record of a contact that was moved into a list that is uploaded as a whole.
    Leave {
        old: Old<'a>,
    },
}

/// The actions for all changed contacts.
#[derive(Debug)]
pub struct Wanted<'a> {
    pub acts: Vec<(&'a ContactChange, Act<'a>)>,
    /// The lists with something inside that is not settled.
    pub unsettled: BTreeSet<i64>,
}

fn subject(change: &ContactChange) -> Subject {
    Subject::Contact { id: change.id, list: change.list }
}

/// A change whose merge is settled, before its action is decided.
struct Ready<'a> {
    change: &'a ContactChange,
    uid: Option<&'a str>,
    there: Option<&'a Row>,
    target: Option<Row>,
    /// Whether the contact was deleted and created again, so that a replacement needs no question.
    remade: bool,
}

/// Merges every changed contact and decides its action. Conflicts, obstacles and notices are added to the plan.
pub fn wanted<'a>(input: &'a Input, plan: &mut Plan) -> Wanted<'a> {
    let mut wanted = Wanted { acts: Vec::new(), unsettled: BTreeSet::new() };
    let mut ready = Vec::new();
    for change in &input.contacts {
        let Some(list) = input.list(change.list) else { continue };
        // A contact cannot be sent to a list that is not created yet.
        if list.deleted || list.held && list.uid.is_none() {
            continue;
        }
        if list.there == ListThere::Gone && list.uid.is_some() {
            if lists::is_recreated(list) && change.held {
                plan.tell(subject(change), Told::Held);
                wanted.unsettled.insert(change.list);
            } else if lists::is_recreated(list) {
                let (uid, there) = (change.uid.as_deref(), change.there());
                ready.push(Ready { change, uid, there, target: change.local.clone(), remade: false });
            }
            continue;
        }
        match change.settle(&input.policy) {
            Err(dispute) => {
                let disputed = match dispute {
                    Dispute::Fields { forks } => Disputed::Fields { forks },
                    Dispute::DeletedThere => Disputed::DeletedThere,
                };
                plan.conflicts.push(Conflict { subject: subject(change), disputed });
                wanted.unsettled.insert(change.list);
            }
            Ok(settled) => {
                if let Some(note) = settled.note {
                    plan.tell(subject(change), Told::Merge { note });
                }
                if settled.target.as_ref() == change.there() && change.was_in.is_none() {
                    continue;
                }
                if change.held || is_waiting(input, change, settled.target.as_ref()) {
                    plan.tell(subject(change), if change.held { Told::Held } else { Told::Waiting });
                    wanted.unsettled.insert(change.list);
                    continue;
                }
                let (uid, there) = (change.uid.as_deref(), change.there());
                ready.push(Ready { change, uid, there, target: settled.target, remade: false });
            }
        }
    }
    let ready = adopt_remade(input, ready, plan);
    let (mut claims, mut makings) = (HashMap::new(), Vec::new());
    for one in ready {
        makings.extend(act(input, one, &mut claims, plan, &mut wanted));
    }
    // Create contacts last: a merge by a number must not find a contact that has just been given the same number.
    for making in makings {
        create(input, making, &mut claims, plan, &mut wanted);
    }
    wanted
}

fn is_waiting(input: &Input, change: &ContactChange, target: Option<&Row>) -> bool {
    let mut rows = [change.there(), target].into_iter().flatten();
    rows.any(|row| row.keys().any(|key| input.is_in_flight(change.list, &key)))
}

/// Turns a contact that was deleted and created again with the same number into an edit of the existing record.
fn adopt_remade<'a>(input: &Input, mut ready: Vec<Ready<'a>>, plan: &mut Plan) -> Vec<Ready<'a>> {
    // The deleted and the created contacts, by list and number.
    let mut pairs: BTreeMap<(i64, Key), (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (at, one) in ready.iter().enumerate() {
        if let (Some(there), None, Some(_)) = (one.there, &one.target, one.uid) {
            there.keys().for_each(|key| pairs.entry((one.change.list, key)).or_default().0.push(at));
        }
    }
    for (at, one) in ready.iter().enumerate() {
        if let (None, Some(target), None) = (one.there, &one.target, one.change.was_in) {
            for key in target.keys() {
                pairs.entry((one.change.list, key)).and_modify(|(_, made)| made.push(at));
            }
        }
    }
    let mut gone = BTreeSet::new();
    let mut joined = BTreeSet::new();
    for (place, (deleted, made)) in &pairs {
        let ([old], [new]) = (deleted.as_slice(), made.as_slice()) else { continue };
        let alone = input.list(place.0).is_some_and(|list| list.taken(&place.1) == 1);
        if !alone || gone.contains(old) || joined.contains(new) {
            continue;
        }
        gone.insert(*old);
        joined.insert(*new);
        let (uid, there, of) = (ready[*old].uid, ready[*old].there, ready[*old].change.id);
        let new = &mut ready[*new];
        (new.uid, new.there, new.remade) = (uid, there, true);
        plan.adoptions.extend(uid.map(|uid| Adoption { id: new.change.id, uid: uid.to_owned(), of }));
    }
    let mut at = 0;
    ready.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
    ready
}

/// The first wave in which a number is free, by list and number.
type Claims = HashMap<(i64, Key), u32>;

/// Returns the first wave in which all the numbers are free, and uses them in it.
fn claim(claims: &mut Claims, list: i64, keys: impl Iterator<Item = Key>) -> u32 {
    let places: Vec<_> = keys.map(|key| (list, key)).collect();
    let wave = places.iter().filter_map(|place| claims.get(place)).max().copied().unwrap_or(0);
    claims.extend(places.into_iter().map(|place| (place, wave + 1)));
    wave
}

/// A contact to be created.
struct Making<'a> {
    list: &'a List,
    change: &'a ContactChange,
    row: Row,
    replaces: Option<Old<'a>>,
}

/// Decides what a change asks for. Returns the contact if it has to be created.
fn act<'a>(
    input: &'a Input,
    one: Ready<'a>,
    claims: &mut Claims,
    plan: &mut Plan,
    wanted: &mut Wanted<'a>,
) -> Option<Making<'a>> {
    let Ready { change, uid, there, target, remade } = one;
    let list = input.list(change.list)?;
    let at_home = change.was_in.unwrap_or(change.list);
    let old = uid.zip(there).map(|(uid, before)| Old { list: at_home, uid, before });
    let whole = lists::is_recreated(list);
    match (there, target) {
        (None, None) => {}
        (Some(_), None) => {
            if let (Some(old), false) = (old, whole) {
                wanted.acts.push((change, Act::Delete { old }));
            }
        }
        (_, Some(row)) if whole => {
            let (row, unknown) = without_unknown(&row, &input.capabilities);
            if !unknown.is_empty() {
                plan.blocked.push(blocked(change, Obstacle::UnknownField { fields: unknown }, None));
            }
            let found = check::faults(&row, &row);
            if !found.is_empty() {
                // One bad row would make the service refuse the whole upload.
                wanted.unsettled.insert(change.list);
                plan.quarantine.push(Quarantined { id: change.id, list: change.list, faults: found });
                return None;
            }
            if let (Some(old), true) = (old, change.was_in.is_some()) {
                wanted.acts.push((change, Act::Leave { old }));
            }
        }
        (None, Some(row)) => return Some(Making { list, change, row, replaces: None }),
        (Some(_), Some(row)) if change.was_in.is_some() => {
            return Some(Making { list, change, row, replaces: old });
        }
        (Some(there), Some(row)) => {
            let said = express(there, &row, list, &input.capabilities);
            let replace = said.wants_replacing() && (remade || change.choice == Some(Choice::Replace));
            if replace {
                return Some(Making { list, change, row, replaces: old });
            }
            let found = check::faults(&said.send, &said.expect);
            if !found.is_empty() {
                plan.quarantine.push(Quarantined { id: change.id, list: change.list, faults: found });
                return None;
            }
            for obstacle in &said.obstacles {
                let replacing = !matches!(obstacle, Obstacle::UnknownField { .. });
                plan.blocked.push(blocked(change, obstacle.clone(), replacing.then_some((Choice::Replace, 2))));
            }
            if let Some(key) = said.send.keys().find(|key| claims.contains_key(&(list.id, key.clone()))) {
                plan.blocked.push(blocked(change, Obstacle::KeyTaken { key }, None));
                return None;
            }
            if said.says_something() {
                let keys = said.by.iter().filter_map(|kind| there.key(*kind));
                let wave = claim(claims, list.id, keys.chain(said.send.keys()));
                wanted.acts.push((change, Act::Update { said: Some(Box::new(said)), before: there, wave }));
            }
        }
    }
    None
}

fn blocked(change: &ContactChange, obstacle: Obstacle, besides: Option<(Choice, u64)>) -> Blocked {
    Blocked {
        subject: subject(change),
        obstacle,
        choices: [(Choice::KeepLocal, 0)].into_iter().chain(besides).collect(),
        list_choices: Vec::new(),
        chosen: change.choice,
    }
}

/// Decides how a new contact is created, unless it breaks a rule or its number is taken.
fn create<'a>(input: &Input, making: Making<'a>, claims: &mut Claims, plan: &mut Plan, wanted: &mut Wanted<'a>) {
    let Making { list, change, row, replaces } = making;
    let (row, unknown) = without_unknown(&row, &input.capabilities);
    let found = check::faults(&row, &row);
    if !found.is_empty() {
        return plan.quarantine.push(Quarantined { id: change.id, list: change.list, faults: found });
    }
    // A replacement in the same list may keep its number, since the old record is deleted once the new one has arrived.
    let own = |key: &Key| {
        replaces.as_ref().is_some_and(|old| old.list == list.id && old.before.key(key.kind).as_ref() == Some(key))
    };
    let taken =
        row.keys().find(|key| list.taken(key) > u32::from(own(key)) || claims.contains_key(&(list.id, key.clone())));
    if let Some(key) = taken
        && change.choice != Some(Choice::KeepBoth)
        && change.choice != Some(Choice::Replace)
    {
        return plan.blocked.push(blocked(change, Obstacle::KeyTaken { key }, Some((Choice::KeepBoth, 1))));
    }
    if !unknown.is_empty() {
        plan.blocked.push(blocked(change, Obstacle::UnknownField { fields: unknown }, None));
    }
    let wave = claim(claims, list.id, row.keys());
    wanted.acts.push((change, Act::Create { row, replaces, wave }));
}

/// Returns the merge types with which a new contact may be sent.
fn ways(input: &Input, list: &List, row: &Row, wave: u32) -> Vec<MergeType> {
    if wave > 0 || row.keys().any(|key| list.taken(&key) > 0) {
        return vec![MergeType::AllowDuplicates];
    }
    if !input.capabilities.merge_also_creates {
        return vec![MergeType::SkipDuplicates];
    }
    row.keys().map(|key| merge_by(key.kind)).collect()
}

fn merge_by(kind: crate::row::KeyKind) -> MergeType {
    match kind {
        crate::row::KeyKind::Phone => MergeType::MergeByPhone,
        crate::row::KeyKind::Whatsapp => MergeType::MergeByWhatsapp,
    }
}

/// Returns the region that a request must name, if the service requires the one of its numbers.
fn region_of(input: &Input, row: &Row) -> Option<String> {
    if input.capabilities.e164_with_any_region {
        return None;
    }
    let number = row.keys().next()?.number;
    phone::parse_international(&number).map(|phone| phone.region)
}

/// Plans the requests with contacts.
pub fn send(input: &Input, lists: &Lists, wanted: &mut Wanted<'_>, plan: &mut Plan) {
    let mut cargo = Vec::new();
    for (change, act) in &mut wanted.acts {
        let Some(list) = input.list(change.list) else { continue };
        let (by, wave, item) = match act {
            Act::Create { row, wave, .. } => {
                let (send, expect) = (row.clone(), row.clone());
                (
                    ways(input, list, row, *wave),
                    *wave,
                    Item { id: change.id, send, clear: vec![], before: None, expect },
                )
            }
            Act::Update { said, before, wave } => {
                let Some(said) = said.take() else { continue };
                let Expressed { by, send, clear, expect, .. } = *said;
                let by = by.into_iter().map(merge_by).collect();
                (by, *wave, Item { id: change.id, send, clear, before: Some((*before).clone()), expect })
            }
            Act::Delete { .. } | Act::Leave { .. } => continue,
        };
        let region = region_of(input, item.before.as_ref().unwrap_or(&item.send));
        cargo.push(Cargo { list: list.id, wave, region, by, item });
    }
    let mut earlier: BTreeMap<(i64, u32), Vec<u32>> = BTreeMap::new();
    for parcel in pack(cargo, &input.limits) {
        let mut after: Vec<u32> = lists.created.get(&parcel.list).copied().into_iter().collect();
        if let Some(before) = parcel.wave.checked_sub(1) {
            after.extend(earlier.get(&(parcel.list, before)).into_iter().flatten());
        }
        let kind =
            StepKind::Contacts { list: parcel.list, merge: parcel.merge, region: parcel.region, items: parcel.items };
        let step = plan.push(kind, after);
        earlier.entry((parcel.list, parcel.wave)).or_default().push(step);
    }
}

/// Returns the step that sends each contact.
pub fn senders_of(plan: &Plan) -> HashMap<i64, u32> {
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
fn made_again(wanted: &Wanted<'_>, made_by: &HashMap<i64, u32>) -> HashMap<Key, u32> {
    let mut deleted = BTreeSet::new();
    for (_, act) in &wanted.acts {
        if let Act::Delete { old } = act {
            deleted.extend(old.before.keys());
        }
    }
    let mut steps = HashMap::new();
    for (change, act) in &wanted.acts {
        if let (Act::Create { row, .. }, Some(step)) = (act, made_by.get(&change.id)) {
            steps.extend(row.keys().filter(|key| deleted.contains(key)).map(|key| (key, *step)));
        }
    }
    steps
}

/// Plans the deletions. Those of replaced and moved contacts wait until the new contact is verified.
pub fn delete(input: &Input, wanted: &Wanted<'_>, plan: &mut Plan) {
    let made_by = senders_of(plan);
    let made_again = made_again(wanted, &made_by);
    let mut of_list: BTreeMap<i64, u64> = BTreeMap::new();
    for (change, act) in &wanted.acts {
        let (old, after) = match act {
            Act::Delete { old } => (old, old.before.keys().filter_map(|key| made_again.get(&key).copied()).collect()),
            Act::Create { replaces: Some(old), .. } => (old, made_by.get(&change.id).copied().into_iter().collect()),
            Act::Leave { old } => (old, lists::uploads_of(plan, change.list)),
            _ => continue,
        };
        // The deletion of a whole list deletes its contacts as well.
        if input.list(old.list).is_some_and(|list| list.deleted || lists::is_recreated(list)) {
            continue;
        }
        *of_list.entry(old.list).or_default() += 1;
        let (uid, before) = (old.uid.to_owned(), old.before.clone());
        plan.push(StepKind::ContactDelete { id: change.id, list: old.list, uid, before }, after);
    }
    for (list, count) in of_list {
        let rows = input.list(list).map_or(0, |list| list.rows);
        if count > 50 || count * 20 > rows {
            let gate = GateKind::ManyDeletions;
            plan.gates.push(Gate { gate, list: Some(list), step: None, wanted: count.to_string() });
        }
    }
}
