//! Plans: made from the account, written down as they were shown, and begun only while they are still true.

use std::collections::{HashMap, HashSet};

use roost_model::{contact::MergeType, time::Timestamp};
use roost_ops::{Core, Error};
use roost_reconcile::{
    Plan, Row,
    audit::Digest,
    plan::{Item, StepKind, plan, without_unknown},
    schedule::State,
};
use roost_store::{
    tables::sync::{
        Place, changes, connection, local,
        runs::{self, RunStep},
        scopes,
    },
    tx::ReadTx,
};

use crate::{Failed, apply, cells, gather, on, remote::Call};

/// Makes a plan from everything as it stands now, and writes it down.
pub async fn make(core: &Core) -> Result<(i64, Plan), Failed> {
    on(core, |core| {
        let (count, input) = core.read(|tx| Ok((changes::count_contacts(tx)?, gather::input(tx)?)))?;
        let made = plan(input);
        let (mark, body) = (mark(count, made.input), serde_json::to_string(&made).unwrap_or_default());
        let now = core.ctx().now();
        let id = core.write_quietly(|tx| Ok(runs::save_plan(tx, now, &mark, &body)?))?;
        Ok((id, made))
    })
    .await
}

/// What tells the inputs of plans apart. How many contacts are changed is soon counted, and other for most that are.
fn mark(changed: u64, input: Digest) -> String {
    format!("{changed} {}", input.hex())
}

/// A plan as it was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    pub id: i64,
    pub at: Timestamp,
    pub plan: Plan,
}

/// A plan that was made before: the newest, when none is named. One that this program cannot read is none.
pub fn saved(core: &Core, id: Option<i64>) -> Result<Option<Saved>, Error> {
    let found = core.read(|tx| Ok(runs::saved_plan(tx, id)?))?;
    Ok(found.and_then(|(id, at, body)| Some(Saved { id, at, plan: serde_json::from_str(&body).ok()? })))
}

/// Whether what the plan was made from has changed; so too when there is no such plan. Where as many contacts are changed
/// as before, it costs what the changes cost.
pub fn is_stale(core: &Core, id: i64) -> Result<bool, Error> {
    core.read(|tx| {
        let Some(known) = runs::plan_input(tx, id)? else { return Ok(true) };
        let count = changes::count_contacts(tx)?;
        Ok(!known.starts_with(&format!("{count} ")) || known != mark(count, gather::input(tx)?.digest()))
    })
}

/// The request of a step as it would leave now, with at most `most` of its contacts.
pub fn call(core: &Core, kind: &StepKind, most: usize) -> Result<Call, Error> {
    core.read(|tx| {
        let mut kind = whole(tx, kind, most as u64)?;
        match &mut kind {
            StepKind::Contacts { items, .. } => items.truncate(most),
            StepKind::OptOutDelete { numbers, .. } => numbers.truncate(most),
            _ => {}
        }
        apply::call(tx, &kind)
    })
}

/// Begins a run of a plan. What a person has to type is typed by then.
pub async fn begin(core: &Core, id: i64, typed: &[String]) -> Result<i64, Failed> {
    let typed = typed.to_vec();
    let begun = on(core, move |core| {
        let now = core.ctx().now();
        core.write_quietly(|tx| {
            let fresh = match check(tx, id, &typed)? {
                Ok(fresh) => fresh,
                Err(refusal) => return Ok(Err(refusal)),
            };
            // From now on the service changes: what was read so far is out of date.
            scopes::abandon(tx)?;
            for adoption in &fresh.adoptions {
                changes::adopt(tx, adoption.id, adoption.of, &adoption.uid)?;
            }
            let run = runs::begin(tx, id, now)?;
            for step in &fresh.steps {
                let kind = whole(tx, &step.kind, u64::MAX)?;
                let body = serde_json::to_string(&(&step.after, &kind)).unwrap_or_default();
                // What an earlier run may have made is looked for first.
                let state = if apply::is_maybe_made(tx, &kind)? { State::Uncertain } else { State::Ready };
                let state = apply::spelt(state);
                runs::add_step(tx, run, &RunStep { step: step.id, body, state, why: None })?;
                apply::keep_list(tx, &kind)?;
            }
            Ok(Ok(run))
        })
    });
    begun.await?
}

fn check(tx: &ReadTx, id: i64, typed: &[String]) -> Result<Result<Plan, Failed>, Error> {
    let Some(known) = runs::plan_input(tx, id)? else { return Ok(Err(Failed::Unknown)) };
    if connection::get(tx)?.is_some_and(|known| known.read_only) {
        return Ok(Err(Failed::ReadOnly));
    }
    if runs::open(tx)?.is_some() {
        return Ok(Err(Failed::Open));
    }
    let fresh = plan(gather::input(tx)?);
    if mark(changes::count_contacts(tx)?, fresh.input) != known {
        return Ok(Err(Failed::Stale));
    }
    // Each gate takes a word of its own, also where two want the same.
    let mut typed = typed.to_vec();
    let shut = fresh.gates.iter().map(|gate| &gate.wanted).find(|wanted| {
        let word = typed.iter().position(|word| word == *wanted);
        word.map(|at| typed.swap_remove(at)).is_none()
    });
    let shut = shut.cloned();
    Ok(shut.map_or(Ok(fresh), |wanted| Err(Failed::Gate(wanted))))
}

/// What a list or a link holds is settled when the run begins: whoever edits on does not move what is sent.
fn whole(tx: &ReadTx, kind: &StepKind, most: u64) -> Result<StepKind, Error> {
    if let StepKind::LinkCreate { id, .. } = kind {
        let cells = changes::one::<i64>(tx, Place::ShortLinks, *id)?.local;
        return Ok(StepKind::LinkCreate { id: *id, cells });
    }
    let StepKind::Upload { list, from, count } = kind else { return Ok(kind.clone()) };
    let (can, held) = (gather::capabilities(tx)?, gather::held_columns(tx)?);
    let all = local::contacts(tx, *list, *from, (*count).min(most))?;
    let touched: HashSet<i64> =
        if held.is_empty() { HashSet::new() } else { local::touched_in(tx, *list)?.into_iter().collect() };
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
    Ok(StepKind::Contacts { list: *list, merge: MergeType::AllowDuplicates, region: None, items })
}
