//! Makes plans from the account, stores them as they were shown, and begins them only while they are still current.

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use roost_model::{contact::MergeType, time::Timestamp};
use roost_ops::{Core, Error};
use roost_reconcile::{
    Plan, Row,
    audit::Digest,
    plan::{Item, Step, StepKind, plan, without_unknown},
    schedule::State,
};
use roost_store::{
    tables::sync::{
        Place, answers, changes, connection, local,
        runs::{self, RunStep},
        scopes,
    },
    tx::ReadTx,
};

use crate::{Failed, apply, cells, gather, identity, on, remote::Call};

/// Makes a plan from the present state of the account and stores it.
pub async fn make(core: &Core) -> Result<Saved, Failed> {
    on(core, |core| {
        core.write_quietly(|tx| Ok(answers::forget_kept(tx)?))?;
        let (count, input) = core.read(|tx| Ok((changes::count_contacts(tx)?, gather::input(tx)?)))?;
        let mut made = plan(input);
        let (mark, at) = (mark(count, made.input), core.ctx().now());
        let steps = mem::take(&mut made.steps);
        let body = serde_json::to_string(&made).unwrap_or_default();
        made.steps = steps;
        let id = core.write_quietly(|tx| {
            let id = runs::save_plan(tx, at, &mark, &body)?;
            for step in &made.steps {
                runs::add_plan_step(tx, id, step.id, &body_of(&step.after, &step.kind))?;
            }
            Ok(id)
        })?;
        Ok(Saved { id, at, plan: made })
    })
    .await
}

/// Serialises a step for the tables of plans and runs.
pub fn body_of(after: &[u32], kind: &StepKind) -> String {
    serde_json::to_string(&(after, kind)).unwrap_or_default()
}

/// Parses a step that [`body_of`] wrote. Returns `None` if this program cannot read it.
pub fn read_body(id: u32, body: &str) -> Option<Step> {
    let (after, kind) = serde_json::from_str::<(Vec<u32>, StepKind)>(body).ok()?;
    Some(Step::new(id, kind, after))
}

/// Returns the mark that identifies the input of a plan. It begins with the number of changed contacts, which is quick
/// to count and differs for most inputs.
fn mark(changed: u64, input: Digest) -> String {
    format!("{changed} {}", input.hex())
}

/// A stored plan as it was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    pub id: i64,
    pub at: Timestamp,
    pub plan: Plan,
}

/// Returns a stored plan, or the newest if no id is given. A plan that this program cannot read counts as missing.
pub fn saved(core: &Core, id: Option<i64>) -> Result<Option<Saved>, Error> {
    core.read(|tx| {
        let Some((id, at, body)) = runs::saved_plan(tx, id)? else { return Ok(None) };
        let Ok(mut plan) = serde_json::from_str::<Plan>(&body) else { return Ok(None) };
        let is_read = each_step(tx, id, |step| {
            plan.steps.push(step);
            Ok(())
        })?;
        Ok(is_read.then_some(Saved { id, at, plan }))
    })
}

/// Calls `take` with the steps of a plan, one after the other. Returns whether this program can read all of them.
fn each_step(tx: &ReadTx, plan: i64, mut take: impl FnMut(Step) -> Result<(), Error>) -> Result<bool, Error> {
    for number in 0.. {
        let Some(body) = runs::plan_step(tx, plan, number)? else { break };
        let Some(step) = read_body(number, &body) else { return Ok(false) };
        take(step)?;
    }
    Ok(true)
}

/// Returns whether the input of a plan has changed or the plan does not exist. If the number of changed contacts is the
/// same, the check reads all changes.
pub fn is_stale(core: &Core, id: i64) -> Result<bool, Error> {
    core.read(|tx| {
        let Some(known) = runs::plan_input(tx, id)? else { return Ok(true) };
        let count = changes::count_contacts(tx)?;
        Ok(!known.starts_with(&format!("{count} ")) || known != mark(count, gather::digest(tx)?))
    })
}

/// Returns the request of a step as it would be sent now, with at most `most` of its contacts.
pub fn call(core: &Core, kind: &StepKind, most: usize) -> Result<Call, Error> {
    core.read(|tx| {
        let mut kind = whole(tx, kind.clone(), most as u64)?;
        match &mut kind {
            StepKind::Contacts { items, .. } => items.truncate(most),
            StepKind::OptOutDelete { numbers, .. } => numbers.truncate(most),
            _ => {}
        }
        apply::call(tx, &kind)
    })
}

/// Begins the run of a plan. `typed` holds the confirmations that the user has typed.
pub async fn begin(core: &Core, id: i64, typed: &[String]) -> Result<i64, Failed> {
    let typed = typed.to_vec();
    let begun = on(core, move |core| {
        let now = core.ctx().now();
        core.write_quietly(|tx| {
            let plan = match check(tx, id, &typed)? {
                Ok(plan) => plan,
                Err(refusal) => return Ok(Err(refusal)),
            };
            // The service changes from now on, so whatever was read so far is out of date.
            scopes::abandon(tx)?;
            for adoption in &plan.adoptions {
                changes::adopt(tx, adoption.id, adoption.of, &adoption.uid)?;
            }
            let run = runs::begin(tx, id, now)?;
            each_step(tx, id, |step| {
                let kind = whole(tx, step.kind, u64::MAX)?;
                let body = body_of(&step.after, &kind);
                // A record that an earlier run may have created is looked for first.
                let state = if apply::is_maybe_made(tx, &kind)? { State::Uncertain } else { State::Ready };
                let state = apply::spelt(state);
                runs::add_step(tx, run, &RunStep { step: step.id, body, state, why: None })?;
                apply::keep_list(tx, &kind)
            })?;
            Ok(Ok(run))
        })
    });
    begun.await?
}

/// Returns the plan without its steps if it may begin. The mark of its input proves that the stored steps are still
/// right.
fn check(tx: &ReadTx, id: i64, typed: &[String]) -> Result<Result<Plan, Failed>, Error> {
    let Some(known) = runs::plan_input(tx, id)? else { return Ok(Err(Failed::Unknown)) };
    if connection::get(tx)?.is_some_and(|known| known.read_only) {
        return Ok(Err(Failed::ReadOnly));
    }
    if runs::open(tx)?.is_some() {
        return Ok(Err(Failed::Open));
    }
    if identity::is_unconfirmed(tx)? {
        return Ok(Err(Failed::Unconfirmed));
    }
    if mark(changes::count_contacts(tx)?, gather::digest(tx)?) != known {
        return Ok(Err(Failed::Stale));
    }
    let saved = runs::saved_plan(tx, Some(id))?.and_then(|(.., body)| serde_json::from_str::<Plan>(&body).ok());
    let Some(saved) = saved else { return Ok(Err(Failed::Unknown)) };
    if !each_step(tx, id, |_| Ok(()))? {
        return Ok(Err(Failed::Unknown));
    }
    // Each gate needs its own confirmation, even if two want the same text.
    let mut typed = typed.to_vec();
    let shut = saved.gates.iter().map(|gate| &gate.wanted).find(|wanted| {
        let word = typed.iter().position(|word| word == *wanted);
        word.map(|at| typed.swap_remove(at)).is_none()
    });
    let shut = shut.cloned();
    Ok(shut.map_or(Ok(saved), |wanted| Err(Failed::Gate(wanted))))
}

/// Fixes the contents of an upload or a link when the run begins, so that later edits do not change what is sent.
fn whole(tx: &ReadTx, kind: StepKind, most: u64) -> Result<StepKind, Error> {
    if let StepKind::LinkCreate { id, .. } = kind {
        let cells = changes::one::<i64>(tx, Place::ShortLinks, id)?.local;
        return Ok(StepKind::LinkCreate { id, cells });
    }
    let StepKind::Upload { list, from, count } = kind else { return Ok(kind) };
    let (can, held) = (gather::capabilities(tx)?, gather::held_columns(tx)?);
    let all = local::contacts(tx, list, from, count.min(most))?;
    let touched: HashSet<i64> =
        if held.is_empty() { HashSet::new() } else { local::touched_in(tx, list)?.into_iter().collect() };
    let mut before: HashMap<i64, Row> = HashMap::new();
    for (id, _) in all.iter().filter(|(id, _)| touched.contains(id)) {
        let mut change = gather::change(changes::one::<i64>(tx, Place::Contacts, *id)?, gather::Decided::default());
        gather::without_held(&mut change, &held);
        before.extend(change.local.filter(|_| !change.held).map(|row| (*id, row)));
    }
    let item = |(id, text): (i64, String)| {
        let row = before.get(&id).cloned().unwrap_or_else(|| cells::row(&text));
        let (row, _) = without_unknown(&row, &can);
        Item { id, send: row.clone(), clear: Vec::new(), before: None, expect: row }
    };
    let items = all.into_iter().map(item).collect();
    Ok(StepKind::Contacts { list, merge: MergeType::AllowDuplicates, region: None, items })
}

#[cfg(test)]
mod tests {
    use roost_ops::Ctx;
    use roost_reconcile::plan::Lane;

    use super::*;

    /// It was saved before each step had its own row.
    #[test]
    fn a_plan_that_an_earlier_version_saved_is_read_with_its_steps() {
        let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/accounts/v6.roost");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("v6.roost");
        std::fs::copy(kept, &path).expect("copied");
        let core = Core::open(&path, Ctx::system()).expect("opened");
        let plan = saved(&core, None).expect("read").expect("a plan").plan;
        let rows: Vec<(Lane, usize)> = plan.steps.iter().map(|step| (step.lane, step.kind.rows())).collect();
        let created = [Lane::OptOutsCreate, Lane::ListsCreate, Lane::ListsCreate, Lane::ShortLinksCreate];
        assert_eq!(rows[..4], created.map(|lane| (lane, 1)));
        assert_eq!(rows[4..], [(Lane::ContactsCreate, 2)]);
        assert_eq!((plan.steps[4].after.as_slice(), plan.blocked.len()), ([1].as_slice(), 1));
    }
}
