//! Makes plans from the account, stores them as they were shown, and begins them only while they are still current.

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use roost_model::{contact::MergeType, time::Timestamp};
use roost_ops::{Core, Error};
use roost_reconcile::{
    ContactRow, SyncPlan,
    audit::Digest,
    plan::{ContactItem, PlanStep, StepKind, drop_unknown_fields, make_plan},
    schedule::PlanStepState,
};
use roost_store::{
    tables::sync::{
        SyncedTable, answers, changes, connection, local,
        runs::{self, RunStep},
        scopes,
    },
    tx::ReadTx,
};
use serde::de::IgnoredAny;

use crate::{SyncError, account, apply, cells, fields, gather, identity, remote::ServiceCall, run_blocking};

/// Makes a plan from the present state of the account and stores it.
pub async fn make(core: &Core) -> Result<SavedPlan, SyncError> {
    run_blocking(core, |core| {
        core.write_quietly(|tx| Ok(answers::remove_obsolete_choices(tx)?))?;
        let (count, input) = core.read(|tx| Ok((changes::count_changed_contacts(tx)?, gather::gather_input(tx)?)))?;
        let mut made = make_plan(input);
        let (mark, at) = (input_mark(count, made.input), core.ctx().now());
        let steps = mem::take(&mut made.steps);
        let body = serde_json::to_string(&made).unwrap_or_default();
        made.steps = steps;
        let id = core.write_quietly(|tx| {
            let id = runs::save_plan(tx, at, &mark, &body)?;
            for step in &made.steps {
                runs::add_plan_step(tx, id, step.id, &gather::serialize_step(&step.after, &step.kind))?;
            }
            Ok(id)
        })?;
        Ok(SavedPlan { id, at, plan: made })
    })
    .await
}

/// Returns the mark that identifies the input of a plan. It begins with the number of changed contacts, which is quick
/// to count and differs for most inputs.
fn input_mark(changed: u64, input: Digest) -> String {
    format!("{changed} {}", input.to_hex())
}

/// A stored plan as it was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedPlan {
    pub id: i64,
    pub at: Timestamp,
    pub plan: SyncPlan,
}

/// Returns a stored plan, or the newest if no id is given. A plan that this program cannot read counts as missing.
pub fn read_saved(core: &Core, id: Option<i64>) -> Result<Option<SavedPlan>, Error> {
    core.read(|tx| load_plan(tx, id))
}

fn load_plan(tx: &ReadTx, id: Option<i64>) -> Result<Option<SavedPlan>, Error> {
    let Some((id, at, body)) = runs::read_plan(tx, id)? else { return Ok(None) };
    let Ok(mut plan) = serde_json::from_str::<SyncPlan>(&body) else { return Ok(None) };
    let is_read = for_each_step(tx, id, |step| {
        plan.steps.push(step);
        Ok(())
    })?;
    Ok(is_read.then_some(SavedPlan { id, at, plan }))
}

/// Calls `take` with the steps of a plan, one after the other. Returns whether this program can read all of them.
fn for_each_step(tx: &ReadTx, plan: i64, mut take: impl FnMut(PlanStep) -> Result<(), Error>) -> Result<bool, Error> {
    for number in 0.. {
        let Some(body) = runs::read_plan_step(tx, plan, number)? else { break };
        let Some(step) = gather::parse_step(number, &body) else { return Ok(false) };
        take(step)?;
    }
    Ok(true)
}

/// Returns whether a plan can no longer be sent: its input has changed, or the plan does not exist.
pub fn is_stale(core: &Core, id: i64) -> Result<bool, Error> {
    core.read(|tx| Ok(!runs::read_plan_input(tx, id)?.map_or(Ok(false), |known| is_current(tx, id, &known))?))
}

/// Returns whether the input of a plan is still the one of its mark. If the number of changed contacts is the same, the
/// check reads all changes.
fn is_current(tx: &ReadTx, id: i64, known: &str) -> Result<bool, Error> {
    let count = changes::count_changed_contacts(tx)?;
    if !known.starts_with(&format!("{count} ")) {
        return Ok(false);
    }
    Ok(known == input_mark(count, gather::digest_input(tx)?) || is_made_alike(tx, id)?)
}

/// Returns whether a plan of a version before schema 7 is, with its price, the plan that would be made now. Those
/// versions digested the input in another form, so their marks prove nothing.
fn is_made_alike(tx: &ReadTx, id: i64) -> Result<bool, Error> {
    // The migration to schema 7 left the number of each step in its body.
    let is_numbered = |body: String| {
        serde_json::from_str::<(IgnoredAny, HashMap<String, IgnoredAny>)>(&body)
            .is_ok_and(|(_, step)| step.contains_key("step"))
    };
    if !runs::read_plan_step(tx, id, 0)?.is_some_and(is_numbered) {
        return Ok(false);
    }
    let Some(SavedPlan { plan: saved, .. }) = load_plan(tx, Some(id))? else { return Ok(false) };
    let made = make_plan(gather::gather_input(tx)?);
    let calls = (made.cost.writes, made.cost.reads);
    // The rest of the price is time, which follows from the measured speed.
    let made = SyncPlan { input: saved.input, cost: saved.cost.clone(), ..made };
    Ok(calls == (saved.cost.writes, saved.cost.reads) && made == saved)
}

/// Returns the request of a step as it would be sent now, with at most `most` of its contacts.
pub fn preview_call(core: &Core, kind: &StepKind, most: usize) -> Result<ServiceCall, Error> {
    core.read(|tx| {
        let mut kind = fix_contents(tx, kind.clone(), most as u64)?;
        match &mut kind {
            StepKind::Contacts { items, .. } => items.truncate(most),
            StepKind::OptOutDelete { numbers, .. } => numbers.truncate(most),
            _ => {}
        }
        apply::build_call(tx, &kind)
    })
}

/// Begins the run of a plan. `typed` holds the confirmations that the user has typed.
pub async fn begin_run(core: &Core, id: i64, typed: &[String]) -> Result<i64, SyncError> {
    let typed = typed.to_vec();
    let begun = run_blocking(core, move |core| {
        let now = core.ctx().now();
        core.write_quietly(|tx| {
            let plan = match check_begin(tx, id, &typed)? {
                Ok(plan) => plan,
                Err(refusal) => return Ok(Err(refusal)),
            };
            // The service changes from now on, so whatever was read so far is out of date.
            scopes::discard_readings(tx)?;
            fields::agree_on_sent(tx)?;
            for adoption in &plan.adoptions {
                changes::adopt_record(tx, adoption.id, adoption.of, &adoption.uid)?;
            }
            let run = runs::begin_run(tx, id, now)?;
            for_each_step(tx, id, |step| {
                let kind = fix_contents(tx, step.kind, u64::MAX)?;
                let body = gather::serialize_step(&step.after, &kind);
                // A record that an earlier run may have created is looked for first.
                let state =
                    if apply::may_be_created(tx, &kind)? { PlanStepState::Uncertain } else { PlanStepState::Ready };
                let state = gather::state_text(state);
                runs::add_step(tx, run, &RunStep { step: step.id, body, state, why: None })?;
                apply::store_known_contacts(tx, &kind)
            })?;
            Ok(Ok(run))
        })
    });
    begun.await?
}

/// Returns the plan without its steps if it may begin. That it is current proves that the stored steps are still right.
fn check_begin(tx: &ReadTx, id: i64, typed: &[String]) -> Result<Result<SyncPlan, SyncError>, Error> {
    let Some(known) = runs::read_plan_input(tx, id)? else { return Ok(Err(SyncError::Unknown)) };
    if connection::get(tx)?.is_some_and(|known| known.read_only) {
        return Ok(Err(SyncError::ReadOnly));
    }
    if runs::find_open_run(tx)?.is_some() {
        return Ok(Err(SyncError::Open));
    }
    if identity::is_unconfirmed(tx)? {
        return Ok(Err(SyncError::Unconfirmed));
    }
    if !is_current(tx, id, &known)? {
        return Ok(Err(SyncError::Stale));
    }
    let saved = runs::read_plan(tx, Some(id))?.and_then(|(.., body)| serde_json::from_str::<SyncPlan>(&body).ok());
    let Some(saved) = saved else { return Ok(Err(SyncError::Unknown)) };
    if !for_each_step(tx, id, |_| Ok(()))? {
        return Ok(Err(SyncError::Unknown));
    }
    // Each gate needs its own confirmation, even if two want the same text.
    let mut typed = typed.to_vec();
    let shut = saved.gates.iter().map(|gate| &gate.wanted).find(|wanted| {
        let word = typed.iter().position(|word| word == *wanted);
        word.map(|at| typed.swap_remove(at)).is_none()
    });
    let shut = shut.cloned();
    Ok(shut.map_or(Ok(saved), |wanted| Err(SyncError::Gate(wanted))))
}

/// Fixes the contents of an upload or a link when the run begins, so that later edits do not change what is sent.
fn fix_contents(tx: &ReadTx, kind: StepKind, most: u64) -> Result<StepKind, Error> {
    if let StepKind::LinkCreate { id, .. } = kind {
        let cells = changes::read_record::<i64>(tx, SyncedTable::ShortLinks, id)?.local;
        return Ok(StepKind::LinkCreate { id, cells });
    }
    let StepKind::Upload { list, from, count } = kind else { return Ok(kind) };
    let (can, held) = (account::read_capabilities(tx)?, gather::held_columns(tx)?);
    let all = local::read_contacts(tx, list, from, count.min(most))?;
    let touched: HashSet<i64> =
        if held.is_empty() { HashSet::new() } else { local::changed_contacts(tx, list)?.into_iter().collect() };
    let mut before: HashMap<i64, ContactRow> = HashMap::new();
    for (id, _) in all.iter().filter(|(id, _)| touched.contains(id)) {
        let mut change = gather::build_change(
            changes::read_record::<i64>(tx, SyncedTable::Contacts, *id)?,
            gather::RecordDecisions::default(),
        );
        gather::remove_held_changes(&mut change, &held);
        before.extend(change.local.filter(|_| !change.held).map(|row| (*id, row)));
    }
    let item = |(id, text): (i64, String)| {
        let row = before.get(&id).cloned().unwrap_or_else(|| cells::parse_row(&text));
        let (row, _) = drop_unknown_fields(&row, &can);
        ContactItem { id, send: row.clone(), clear: Vec::new(), before: None, expect: row }
    };
    let items = all.into_iter().map(item).collect();
    Ok(StepKind::Contacts { list, merge: MergeType::AllowDuplicates, region: None, items })
}

#[cfg(test)]
mod tests {
    use roost_ops::Ctx;
    use roost_reconcile::plan::Lane;
    use roost_store::tx::WriteTx;
    use tempfile::TempDir;
    use tokio::runtime::Builder;

    use super::*;

    fn open_kept(name: &str) -> (Core, TempDir) {
        let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/accounts");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::copy(format!("{kept}/{name}"), &path).expect("copied");
        (Core::open(&path, Ctx::system()).expect("opened"), folder)
    }

    /// It was saved before each step had its own row.
    #[test]
    fn a_plan_that_an_earlier_version_saved_is_read_with_its_steps() {
        let (core, _folder) = open_kept("v6.roost");
        let plan = read_saved(&core, None).expect("read").expect("a plan").plan;
        let rows: Vec<(Lane, usize)> = plan.steps.iter().map(|step| (step.lane, step.kind.row_count())).collect();
        let created = [Lane::OptOutsCreate, Lane::ListsCreate, Lane::ListsCreate, Lane::ShortLinksCreate];
        assert_eq!(rows[..4], created.map(|lane| (lane, 1)));
        assert_eq!(rows[4..], [(Lane::ContactsCreate, 2)]);
        assert_eq!((plan.steps[4].after.as_slice(), plan.blocked.len()), ([1].as_slice(), 1));
    }

    /// Version 5 counted fewer reads for the same steps, so its plan has another price.
    #[test]
    fn a_plan_of_an_earlier_version_begins_only_if_it_would_be_made_again_as_it_is() {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let kept = [("rich-v5.roost", 2), ("rich-v6.roost", 2), ("rich-v7.roost", 2), ("v6.roost", 1), ("v9.roost", 1)];
        for (name, id) in kept {
            let (core, _folder) = open_kept(name);
            let is_other = name == "rich-v5.roost";
            assert_eq!(is_stale(&core, id).expect("read"), is_other, "{name}");
            let hold = |answer: Option<&str>| {
                let set = |tx: &WriteTx| answers::set_answer(tx, SyncedTable::Contacts, &2_i64, "held", answer);
                core.write_quietly(|tx| Ok(set(tx)?)).expect("written");
            };
            hold(Some("true"));
            assert!(is_stale(&core, id).expect("read"), "{name}: a contact of it is held back");
            hold(None);
            let begun = runtime.block_on(begin_run(&core, id, &[]));
            assert_eq!(matches!(begun, Err(SyncError::Stale)), is_other, "{name}: {begun:?}");
            assert_eq!(begun.is_ok(), !is_other, "{name}: {begun:?}");
        }
    }
}
