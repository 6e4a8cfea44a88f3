//! Gathers the input of a plan from the account: the changes and the facts about them.

mod opt_outs;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use roost_ops::{Error, StoreError};
use roost_reconcile::{
    Input, Row,
    audit::{Digest, Digester},
    input::{Capabilities, Choice, ContactChange, Learnt, LinkChange, List, ListThere, Seen, SenderChange},
    merge::{Answer, Answers, ColumnRule, Policy, RowAnswer},
    plan::{Step, StepKind},
    row::{Field, Key, KeyKind},
    schedule::State,
};
use roost_store::{
    tables::sync::{
        Place,
        answers::{self, Answer as Told},
        changes::{self, There, Touched},
        connection, local, runs, scopes,
    },
    tx::ReadTx,
};
use serde::de::DeserializeOwned;

pub use opt_outs::{Standing, entry_of, opt_out_group, scopes_of};

use crate::{apply, cells, plan};

type Result<T> = std::result::Result<T, StoreError>;

/// Returns everything that a plan considers, in its present state.
pub fn input(tx: &ReadTx) -> std::result::Result<Input, Error> {
    let (mut contacts, mut ledgers) = (Vec::new(), Ledgers::default());
    each_contact(tx, |change| {
        ledgers.count(&change);
        contacts.push(change);
    })?;
    Ok(Input { contacts, ..beside_contacts(tx, ledgers)? })
}

/// Returns the digest of [`input`] without holding all contacts in memory.
pub fn digest(tx: &ReadTx) -> std::result::Result<Digest, Error> {
    let (mut contacts, mut ledgers) = (Digester::default(), Ledgers::default());
    each_contact(tx, |mut change| {
        ledgers.count(&change);
        change.normalise();
        contacts.add(&change);
    })?;
    Ok(beside_contacts(tx, ledgers)?.digest_behind(contacts))
}

fn beside_contacts(tx: &ReadTx, ledgers: Ledgers) -> std::result::Result<Input, Error> {
    Ok(Input {
        lists: lists(tx, ledgers)?,
        contacts: Vec::new(),
        opt_outs: opt_outs::groups(tx)?,
        links: links(tx)?,
        senders: senders(tx)?,
        in_flight: in_flight(tx)?,
        capabilities: capabilities(tx)?,
        policy: policy(tx)?,
        learnt: learnt(tx)?,
        limits: Default::default(),
    })
}

pub fn capabilities(tx: &ReadTx) -> Result<Capabilities> {
    let connection = connection::get(tx)?;
    Ok(connection.and_then(|known| serde_json::from_str(&known.capabilities).ok()).unwrap_or_default())
}

pub fn learnt(tx: &ReadTx) -> Result<Learnt> {
    let connection = connection::get(tx)?;
    Ok(connection.and_then(|known| serde_json::from_str(&known.learnt).ok()).unwrap_or_default())
}

fn word<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_value(text.into()).ok()
}

pub fn policy(tx: &ReadTx) -> Result<Policy> {
    let mut policy = Policy::default();
    for (field, rule) in answers::rules(tx)? {
        if field.starts_with(HELD) {
            continue;
        } else if field.is_empty() {
            policy.delete_anyway = rule == "delete_anyway";
        } else if let (Some(field), Some(rule)) = (Field::parse(&field), word::<ColumnRule>(&rule)) {
            policy.columns.insert(field, rule);
        }
    }
    Ok(policy)
}

/// The prefix of a held column in the table of rules, next to the rule for its forks.
pub const HELD: &str = "held ";

/// Returns the columns that are not sent.
pub fn held_columns(tx: &ReadTx) -> Result<BTreeSet<Field>> {
    let rules = answers::rules(tx)?;
    Ok(rules.iter().filter_map(|(field, _)| Field::parse(field.strip_prefix(HELD)?)).collect())
}

/// Removes the local changes in held columns from the contact. A column that the other side changed as well stays a
/// conflict. If no number is left, the whole contact waits.
pub fn without_held(change: &mut ContactChange, held: &BTreeSet<Field>) {
    let there = change.remote.over(change.base.as_ref()).cloned();
    let Some(local) = &mut change.local else { return };
    for field in held {
        let base = change.base.as_ref().and_then(|row| row.get(*field));
        let is_theirs = there.as_ref().is_some_and(|row| row.get(*field) != base);
        if !is_theirs && local.get(*field) != base {
            local.set(*field, base);
        }
    }
    change.held |= local.keys().next().is_none();
}

/// The decisions about a record.
#[derive(Debug, Default)]
pub struct Decided {
    pub answers: Answers,
    pub choice: Option<Choice>,
    held: bool,
}

/// Groups stored answers by record.
pub fn decided<I: Ord>(told: Vec<Told<I>>) -> BTreeMap<I, Decided> {
    let mut all: BTreeMap<I, Decided> = BTreeMap::new();
    for Told { id, about, answer } in told {
        let decided = all.entry(id).or_default();
        match about.as_str() {
            "row" => decided.answers.row = serde_json::from_str::<RowAnswer>(&answer).ok(),
            "choice" => decided.choice = serde_json::from_str(&answer).ok(),
            "held" => decided.held = true,
            field => {
                if let (Some(field), Ok(answer)) = (Field::parse(field), serde_json::from_str::<Answer>(&answer)) {
                    decided.answers.fields.push((field, answer));
                }
            }
        }
    }
    all
}

/// Builds the change of a contact for a merge.
pub fn change(touched: Touched<i64>, decided: Decided) -> ContactChange {
    let row = |text: Option<String>| text.map(|text| cells::row(&text));
    ContactChange {
        id: touched.id,
        list: touched.list.unwrap_or_default(),
        was_in: touched.was_in,
        uid: touched.uid,
        base: row(touched.base),
        local: row(touched.local),
        remote: match touched.there {
            There::AsAgreed => Seen::AsBase,
            There::Gone => Seen::Gone,
            There::Is(text) => Seen::Is(cells::row(&text)),
        },
        answers: decided.answers,
        choice: decided.choice,
        held: decided.held,
    }
}

/// Calls `take` with every contact that one side changed, by id.
fn each_contact(tx: &ReadTx, mut take: impl FnMut(ContactChange)) -> Result<()> {
    let mut decided = decided(answers::all::<i64>(tx, Place::Contacts)?);
    let refused: HashMap<i64, String> =
        runs::quarantine(tx, Place::Contacts)?.into_iter().map(|one| (one.id, one.cells)).collect();
    let held = held_columns(tx)?;
    changes::each::<i64>(tx, Place::Contacts, |touched| {
        let mut told = decided.remove(&touched.id).unwrap_or_default();
        // A refused contact waits until it is edited.
        told.held |= refused.get(&touched.id).is_some_and(|cells| touched.local.as_ref() == Some(cells));
        let mut change = change(touched, told);
        without_held(&mut change, &held);
        take(change);
    })
}

/// The counts of a list at the service minus the local ones: its contacts, and its contacts with each number.
#[derive(Default)]
struct Ledger {
    rows: i64,
    keys: HashMap<Key, i64>,
}

#[derive(Default)]
struct Ledgers(BTreeMap<i64, Ledger>);

impl Ledgers {
    fn count(&mut self, change: &ContactChange) {
        let home = change.was_in.unwrap_or(change.list);
        let sides = [
            (home, change.there(), 1),
            (change.list, change.local.as_ref(), -1),
            // Each number is looked up in both lists, even if the contact no longer has it.
            (home, change.base.as_ref(), 0),
            (home, change.local.as_ref(), 0),
            (change.list, change.base.as_ref(), 0),
            (change.list, change.there(), 0),
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

impl Ledger {
    fn taken(self, tx: &ReadTx, list: i64) -> Result<Vec<(Key, u32)>> {
        let mut taken = Vec::new();
        for (key, beyond) in self.keys {
            let column = match key.kind {
                KeyKind::Phone => "phone",
                KeyKind::Whatsapp => "whatsapp",
            };
            let here = i64::from(local::with_number(tx, list, column, &key.number)?);
            if let Ok(count @ 1..) = u32::try_from(here + beyond) {
                taken.push((key, count));
            }
        }
        Ok(taken)
    }
}

fn lists(tx: &ReadTx, Ledgers(mut ledgers): Ledgers) -> Result<Vec<List>> {
    let touched: Vec<Touched<i64>> = changes::all(tx, Place::Lists)?;
    let mut ids: BTreeSet<i64> = touched.iter().map(|list| list.id).collect();
    let decided = answers::all::<i64>(tx, Place::Lists)?;
    ids.extend(ledgers.keys());
    ids.extend(decided.iter().map(|told| told.id));
    let about = |wanted: &'static str| decided.iter().filter(move |told| told.about == wanted);
    let held: BTreeSet<i64> = about("held").map(|told| told.id).collect();
    let choices: HashMap<i64, _> =
        about("choice").filter_map(|told| Some((told.id, serde_json::from_str(&told.answer).ok()?))).collect();
    let superseded: HashMap<i64, i64> =
        about(answers::SUPERSEDED_BY).filter_map(|told| Some((told.id, told.answer.parse().ok()?))).collect();
    let name = |text: Option<&String>| text.map(|text| cells::text(text, "name"));
    let mut lists = Vec::new();
    for id in ids {
        let known = changes::one::<i64>(tx, Place::Lists, id)?;
        let here = local::list(tx, id)?;
        let count = here.as_ref().map_or(0, |(_, count)| *count);
        let ledger = ledgers.remove(&id).unwrap_or_default();
        let base_name = name(known.base.as_ref());
        lists.push(List {
            id,
            uid: known.uid,
            name: name(known.local.as_ref()).or_else(|| base_name.clone()).unwrap_or_default(),
            base_name,
            deleted: known.local.is_none(),
            there: match known.there {
                There::AsAgreed => ListThere::AsBase,
                There::Gone => ListThere::Gone,
                There::Is(_) => ListThere::Changed,
            },
            rows: match superseded.get(&id) {
                Some(_) => scopes::distinct(tx, Place::Contacts, apply::kept_scope(id))?,
                None => count.saturating_add_signed(ledger.rows),
            },
            local_rows: count,
            taken: ledger.taken(tx, id)?,
            choice: choices.get(&id).copied(),
            held: held.contains(&id),
            superseded_by: superseded.get(&id).copied(),
        });
    }
    Ok(lists)
}

fn links(tx: &ReadTx) -> Result<Vec<LinkChange>> {
    let decided = decided(answers::all::<i64>(tx, Place::ShortLinks)?);
    let change = |touched: Touched<i64>| LinkChange {
        id: touched.id,
        title: cells::text(touched.local.as_ref().or(touched.base.as_ref()).map_or("", String::as_str), "title"),
        deleted: touched.local.is_none(),
        edited: touched.base.is_some() && touched.local != touched.base,
        gone_there: touched.there == There::Gone,
        choice: decided.get(&touched.id).and_then(|decided| decided.choice),
        held: decided.get(&touched.id).is_some_and(|decided| decided.held),
        uid: touched.uid.filter(|_| touched.base.is_some()),
    };
    Ok(changes::all(tx, Place::ShortLinks)?.into_iter().map(change).collect())
}

/// Returns the deleted senders. Senders come from the service alone, so a local one needs no request.
fn senders(tx: &ReadTx) -> Result<Vec<SenderChange>> {
    let deleted = changes::all::<String>(tx, Place::Senders)?.into_iter().filter(|sender| sender.local.is_none());
    let decided = decided(answers::all::<String>(tx, Place::Senders)?);
    let change = |touched: Touched<String>| {
        let name = cells::text(&touched.base?, "name");
        let held = decided.get(&touched.id).is_some_and(|decided| decided.held);
        Some(SenderChange { uid: touched.id, name, gone_there: touched.there == There::Gone, held })
    };
    Ok(deleted.filter_map(change).collect())
}

/// Returns the numbers in requests whose end is not known yet.
fn in_flight(tx: &ReadTx) -> Result<Vec<(i64, Key)>> {
    let Some(run) = runs::open(tx)? else { return Ok(Vec::new()) };
    let mut keys = BTreeSet::new();
    each_step(tx, run.id, |step, state| {
        let is_open = !state.is_settled() && state != State::Ready;
        if let (true, StepKind::Contacts { list, items, .. }) = (is_open, step.kind) {
            for item in items {
                let rows = [Some(item.send), item.before, Some(item.expect)];
                keys.extend(rows.iter().flatten().flat_map(Row::keys).map(|key| (list, key)));
            }
        }
        Ok(())
    })?;
    Ok(keys.into_iter().collect())
}

/// Returns the names of lists and the titles of links that an open run may have created and not yet identified.
pub fn names_being_made(tx: &ReadTx) -> std::result::Result<(BTreeSet<String>, BTreeSet<String>), Error> {
    let (mut lists, mut links) = (BTreeSet::new(), BTreeSet::new());
    let Some(run) = runs::open(tx)? else { return Ok((lists, links)) };
    for (step, state) in step_outlines(tx, run.id)? {
        match step.kind {
            _ if state.is_settled() || state == State::Ready => {}
            StepKind::ListCreate { name, .. } => drop(lists.insert(name)),
            StepKind::LinkCreate { id, cells: sent } => {
                let here = changes::one::<i64>(tx, Place::ShortLinks, id)?.local;
                links.extend(sent.or(here).map(|text| cells::text(&text, "title")));
            }
            _ => {}
        }
    }
    Ok((lists, links))
}

fn read(step: runs::RunStep) -> Option<(Step, State)> {
    Some((plan::read_body(step.step, &step.body)?, word(&step.state)?))
}

/// Returns the steps of a run with their states, as they were stored.
pub fn steps(tx: &ReadTx, run: i64) -> Result<Vec<(Step, State)>> {
    let mut steps = Vec::new();
    each_step(tx, run, |step, state| {
        steps.push((step, state));
        Ok(())
    })?;
    Ok(steps)
}

/// Calls `take` with each step of a run and its state.
pub fn each_step(tx: &ReadTx, run: i64, mut take: impl FnMut(Step, State) -> Result<()>) -> Result<()> {
    runs::each_step(tx, run, |step| read(step).map_or(Ok(()), |(step, state)| take(step, state)))
}

/// Returns the steps of a run that did not succeed.
pub fn failed_steps(tx: &ReadTx, run: i64) -> Result<Vec<Step>> {
    let steps = runs::steps_in_state(tx, run, &apply::spelt(State::Rejected))?;
    Ok(steps.into_iter().filter_map(read).map(|(step, _)| step).collect())
}

/// Returns the steps with the number of their contacts in place of the contacts, which take a lot of memory.
pub fn step_outlines(tx: &ReadTx, run: i64) -> Result<Vec<(Step, State)>> {
    let mut steps = Vec::new();
    each_step(tx, run, |step, state| {
        steps.push((outline(step), state));
        Ok(())
    })?;
    Ok(steps)
}

pub fn step_outline(tx: &ReadTx, run: i64, step: u32) -> Result<Option<Step>> {
    Ok(self::step(tx, run, step)?.map(outline))
}

fn outline(mut step: Step) -> Step {
    if let StepKind::Contacts { list, items, .. } = &step.kind {
        step.kind = StepKind::Upload { list: *list, from: 0, count: items.len() as u64 };
    }
    step
}

/// Returns one step of a run.
pub fn step(tx: &ReadTx, run: i64, step: u32) -> Result<Option<Step>> {
    Ok(runs::step(tx, run, step)?.and_then(read).map(|(step, _)| step))
}
