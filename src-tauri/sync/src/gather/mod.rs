//! Gathers the input of a plan from the account: the changes and the facts about them.

mod opt_outs;
mod steps;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use roost_ops::{Error, StoreError};
use roost_reconcile::{
    ContactRow, PlanInput,
    audit::{Digest, JsonDigester},
    input::{ChangeChoice, ContactChange, LinkChange, PlannedList, RemoteListState, RemoteState, SenderChange},
    merge::{ColumnRule, ContactAnswers, ForkAnswer, MergePolicy, RowAnswer},
    plan::StepKind,
    row::{ContactKey, KeyKind, SyncField},
    schedule::PlanStepState,
};
use roost_store::{
    tables::sync::{
        SyncedTable,
        answers::{self, SyncAnswer},
        changes::{self, ServiceState, SyncChange},
        local, runs, scopes,
    },
    tx::ReadTx,
};
use serde::de::DeserializeOwned;

pub use opt_outs::{OptOutRecordKey, find_scopes, gather_opt_out_group, parse_entry};
pub use steps::{
    failed_steps, for_each_step, list_of_step, parse_step, read_step, read_steps, serialize_step, state_text,
    step_outline, step_outlines,
};

use crate::{
    account::{read_capabilities, read_speed},
    cells,
};

type Result<T> = std::result::Result<T, StoreError>;

/// The key of the note that an abandoned run may have created a list or a link.
pub const MAYBE_CREATED: &str = "maybe_made";

/// Returns the scope that stores the contacts of a list as they were when the run began. Local ids of lists are
/// positive, so it is free.
pub fn stored_scope(list: i64) -> i64 {
    -list
}

/// Returns everything that a plan considers, in its present state.
pub fn gather_input(tx: &ReadTx) -> std::result::Result<PlanInput, Error> {
    let (mut contacts, mut ledgers) = (Vec::new(), BalancesByList::default());
    for_each_contact(tx, |change| {
        ledgers.add_change(&change);
        contacts.push(change);
    })?;
    Ok(PlanInput { contacts, ..gather_other_records(tx, ledgers)? })
}

/// Returns the digest of [`input`] without holding all contacts in memory.
pub fn digest_input(tx: &ReadTx) -> std::result::Result<Digest, Error> {
    let (mut contacts, mut ledgers) = (JsonDigester::default(), BalancesByList::default());
    for_each_contact(tx, |mut change| {
        ledgers.add_change(&change);
        change.sort_answers();
        contacts.add(&change);
    })?;
    Ok(gather_other_records(tx, ledgers)?.digest_after(contacts))
}

fn gather_other_records(tx: &ReadTx, ledgers: BalancesByList) -> std::result::Result<PlanInput, Error> {
    Ok(PlanInput {
        lists: gather_lists(tx, ledgers)?,
        contacts: Vec::new(),
        opt_outs: opt_outs::gather_groups(tx)?,
        links: gather_links(tx)?,
        senders: gather_senders(tx)?,
        in_flight: numbers_in_flight(tx)?,
        capabilities: read_capabilities(tx)?,
        policy: read_policy(tx)?,
        learnt: read_speed(tx)?,
        limits: Default::default(),
    })
}

fn parse_word<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_value(text.into()).ok()
}

pub fn read_policy(tx: &ReadTx) -> Result<MergePolicy> {
    let mut policy = MergePolicy::default();
    for (field, rule) in answers::read_rules(tx)? {
        if field.starts_with(HELD_PREFIX) {
            continue;
        } else if field.is_empty() {
            policy.delete_anyway = rule == "delete_anyway";
        } else if let (Some(field), Some(rule)) = (SyncField::parse(&field), parse_word::<ColumnRule>(&rule)) {
            policy.columns.insert(field, rule);
        }
    }
    Ok(policy)
}

/// The prefix of a held column in the table of rules, next to the rule for its forks.
pub const HELD_PREFIX: &str = "held ";

/// Returns the columns that are not sent.
pub fn held_columns(tx: &ReadTx) -> Result<BTreeSet<SyncField>> {
    let rules = answers::read_rules(tx)?;
    Ok(rules.iter().filter_map(|(field, _)| SyncField::parse(field.strip_prefix(HELD_PREFIX)?)).collect())
}

/// Removes the local changes in held columns from the contact. A column that the other side changed as well stays a
/// conflict. If no number is left, the whole contact waits.
pub fn remove_held_changes(change: &mut ContactChange, held: &BTreeSet<SyncField>) {
    let remote = change.remote.resolve(change.base.as_ref()).cloned();
    let Some(local) = &mut change.local else { return };
    for field in held {
        let base = change.base.as_ref().and_then(|row| row.get(*field));
        let is_theirs = remote.as_ref().is_some_and(|row| row.get(*field) != base);
        if !is_theirs && local.get(*field) != base {
            local.set(*field, base);
        }
    }
    change.held |= local.keys().next().is_none();
}

/// The decisions about a record.
#[derive(Debug, Default)]
pub struct RecordDecisions {
    pub answers: ContactAnswers,
    pub choice: Option<ChangeChoice>,
    held: bool,
}

/// Groups stored answers by record.
pub fn decisions_by_record<I: Ord>(stored: Vec<SyncAnswer<I>>) -> BTreeMap<I, RecordDecisions> {
    let mut all: BTreeMap<I, RecordDecisions> = BTreeMap::new();
    for SyncAnswer { id, about, answer } in stored {
        let decided = all.entry(id).or_default();
        match about.as_str() {
            "row" => decided.answers.row = serde_json::from_str::<RowAnswer>(&answer).ok(),
            "choice" => decided.choice = serde_json::from_str(&answer).ok(),
            "held" => decided.held = true,
            field => {
                if let (Some(field), Ok(answer)) =
                    (SyncField::parse(field), serde_json::from_str::<ForkAnswer>(&answer))
                {
                    decided.answers.fields.push((field, answer));
                }
            }
        }
    }
    all
}

/// Builds the change of a contact for a merge.
pub fn build_change(touched: SyncChange<i64>, decided: RecordDecisions) -> ContactChange {
    let row = |text: Option<String>| text.map(|text| cells::parse_row(&text));
    ContactChange {
        id: touched.id,
        list: touched.list.unwrap_or_default(),
        was_in: touched.was_in,
        uid: touched.uid,
        base: row(touched.base),
        local: row(touched.local),
        remote: match touched.at_service {
            ServiceState::AsAgreed => RemoteState::AsBase,
            ServiceState::Deleted => RemoteState::Gone,
            ServiceState::Changed(text) => RemoteState::Is(cells::parse_row(&text)),
        },
        answers: decided.answers,
        choice: decided.choice,
        held: decided.held,
    }
}

/// Calls `take` with every contact that one side changed, by id.
fn for_each_contact(tx: &ReadTx, mut take: impl FnMut(ContactChange)) -> Result<()> {
    let mut decided = decisions_by_record(answers::read_all::<i64>(tx, SyncedTable::Contacts)?);
    let refused: HashMap<i64, String> =
        runs::read_refused(tx, SyncedTable::Contacts)?.into_iter().map(|one| (one.id, one.cells)).collect();
    let held = held_columns(tx)?;
    changes::visit_all::<i64>(tx, SyncedTable::Contacts, |touched| {
        let mut decisions = decided.remove(&touched.id).unwrap_or_default();
        // A refused contact waits until it is edited.
        decisions.held |= refused.get(&touched.id).is_some_and(|cells| touched.local.as_ref() == Some(cells));
        let mut change = build_change(touched, decisions);
        remove_held_changes(&mut change, &held);
        take(change);
    })
}

/// The counts of a list at the service minus the local ones: its contacts, and its contacts with each number.
#[derive(Default)]
struct NumberBalance {
    rows: i64,
    keys: HashMap<ContactKey, i64>,
}

#[derive(Default)]
struct BalancesByList(BTreeMap<i64, NumberBalance>);

impl BalancesByList {
    fn add_change(&mut self, change: &ContactChange) {
        let home = change.was_in.unwrap_or(change.list);
        let sides = [
            (home, change.remote_row(), 1),
            (change.list, change.local.as_ref(), -1),
            // Each number is looked up in both lists, even if the contact no longer has it.
            (home, change.base.as_ref(), 0),
            (home, change.local.as_ref(), 0),
            (change.list, change.base.as_ref(), 0),
            (change.list, change.remote_row(), 0),
        ];
        for (list, row, sign) in sides {
            let ledger = self.0.entry(list).or_default();
            let Some(row) = row else { continue };
            ledger.rows += sign;
            for key in row.keys() {
                *ledger.keys.entry(key).or_default() += sign;
            }
        }
    }
}

impl NumberBalance {
    fn count_numbers(self, tx: &ReadTx, list: i64) -> Result<Vec<(ContactKey, u32)>> {
        let mut taken = Vec::new();
        for (key, beyond) in self.keys {
            let column = match key.kind {
                KeyKind::Phone => "phone",
                KeyKind::Whatsapp => "whatsapp",
            };
            let here = i64::from(local::count_with_number(tx, list, column, &key.number)?);
            if let Ok(count @ 1..) = u32::try_from(here + beyond) {
                taken.push((key, count));
            }
        }
        Ok(taken)
    }
}

fn gather_lists(tx: &ReadTx, BalancesByList(mut ledgers): BalancesByList) -> Result<Vec<PlannedList>> {
    let touched: Vec<SyncChange<i64>> = changes::read_all(tx, SyncedTable::Lists)?;
    let mut ids: BTreeSet<i64> = touched.iter().map(|list| list.id).collect();
    let decided = answers::read_all::<i64>(tx, SyncedTable::Lists)?;
    ids.extend(ledgers.keys());
    ids.extend(decided.iter().map(|stored| stored.id));
    let about = |wanted: &'static str| decided.iter().filter(move |stored| stored.about == wanted);
    let held: BTreeSet<i64> = about("held").map(|stored| stored.id).collect();
    let choices: HashMap<i64, _> =
        about("choice").filter_map(|stored| Some((stored.id, serde_json::from_str(&stored.answer).ok()?))).collect();
    let superseded: HashMap<i64, i64> =
        about(answers::SUPERSEDED_BY).filter_map(|stored| Some((stored.id, stored.answer.parse().ok()?))).collect();
    let name = |text: Option<&String>| text.map(|text| cells::cell_text(text, "name"));
    let mut lists = Vec::new();
    for id in ids {
        let known = changes::read_record::<i64>(tx, SyncedTable::Lists, id)?;
        let here = local::read_list(tx, id)?;
        let count = here.as_ref().map_or(0, |(_, count)| *count);
        let ledger = ledgers.remove(&id).unwrap_or_default();
        let base_name = name(known.base.as_ref());
        lists.push(PlannedList {
            id,
            uid: known.uid,
            name: name(known.local.as_ref()).or_else(|| base_name.clone()).unwrap_or_default(),
            base_name,
            deleted: known.local.is_none(),
            there: match known.at_service {
                ServiceState::AsAgreed => RemoteListState::AsBase,
                ServiceState::Deleted => RemoteListState::Gone,
                ServiceState::Changed(_) => RemoteListState::Changed,
            },
            rows: match superseded.get(&id) {
                Some(_) => scopes::count_records(tx, SyncedTable::Contacts, stored_scope(id))?,
                None => count.saturating_add_signed(ledger.rows),
            },
            local_rows: count,
            taken: ledger.count_numbers(tx, id)?,
            choice: choices.get(&id).copied(),
            held: held.contains(&id),
            superseded_by: superseded.get(&id).copied(),
        });
    }
    Ok(lists)
}

fn gather_links(tx: &ReadTx) -> Result<Vec<LinkChange>> {
    let decided = decisions_by_record(answers::read_all::<i64>(tx, SyncedTable::ShortLinks)?);
    let change = |touched: SyncChange<i64>| LinkChange {
        id: touched.id,
        title: cells::cell_text(touched.local.as_ref().or(touched.base.as_ref()).map_or("", String::as_str), "title"),
        deleted: touched.local.is_none(),
        edited: touched.base.is_some() && touched.local != touched.base,
        gone_there: touched.at_service == ServiceState::Deleted,
        choice: decided.get(&touched.id).and_then(|decided| decided.choice),
        held: decided.get(&touched.id).is_some_and(|decided| decided.held),
        uid: touched.uid.filter(|_| touched.base.is_some()),
    };
    Ok(changes::read_all(tx, SyncedTable::ShortLinks)?.into_iter().map(change).collect())
}

/// Returns the deleted senders. Senders come from the service alone, so a local one needs no request.
fn gather_senders(tx: &ReadTx) -> Result<Vec<SenderChange>> {
    let deleted =
        changes::read_all::<String>(tx, SyncedTable::Senders)?.into_iter().filter(|sender| sender.local.is_none());
    let decided = decisions_by_record(answers::read_all::<String>(tx, SyncedTable::Senders)?);
    let change = |touched: SyncChange<String>| {
        let name = cells::cell_text(&touched.base?, "name");
        let held = decided.get(&touched.id).is_some_and(|decided| decided.held);
        Some(SenderChange { uid: touched.id, name, gone_there: touched.at_service == ServiceState::Deleted, held })
    };
    Ok(deleted.filter_map(change).collect())
}

/// Returns the numbers in requests whose end is not known yet.
fn numbers_in_flight(tx: &ReadTx) -> Result<Vec<(i64, ContactKey)>> {
    let Some(run) = runs::find_open_run(tx)? else { return Ok(Vec::new()) };
    let mut keys = BTreeSet::new();
    for_each_step(tx, run.id, |step, state| {
        let is_open = !state.is_settled() && state != PlanStepState::Ready;
        if let (true, StepKind::Contacts { list, items, .. }) = (is_open, step.kind) {
            for item in items {
                let rows = [Some(item.send), item.before, Some(item.expect)];
                keys.extend(rows.iter().flatten().flat_map(ContactRow::keys).map(|key| (list, key)));
            }
        }
        Ok(())
    })?;
    Ok(keys.into_iter().collect())
}

/// Returns the names of lists and the titles of links that an open run may have created and not yet identified.
pub fn names_being_created(tx: &ReadTx) -> std::result::Result<(BTreeSet<String>, BTreeSet<String>), Error> {
    let (mut lists, mut links) = (BTreeSet::new(), BTreeSet::new());
    let Some(run) = runs::find_open_run(tx)? else { return Ok((lists, links)) };
    for (step, state) in step_outlines(tx, run.id)? {
        match step.kind {
            _ if state.is_settled() || state == PlanStepState::Ready => {}
            StepKind::ListCreate { name, .. } => drop(lists.insert(name)),
            StepKind::LinkCreate { id, cells: sent } => {
                let here = changes::read_record::<i64>(tx, SyncedTable::ShortLinks, id)?.local;
                links.extend(sent.or(here).map(|text| cells::cell_text(&text, "title")));
            }
            _ => {}
        }
    }
    Ok((lists, links))
}
