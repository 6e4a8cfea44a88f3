//! P7: a plan of a thousand edits in a list of a million, from the account's file to the stored plan.

use std::{error::Error, path::Path, time::Instant};

use roost_model::id::ContactId;
use roost_ops::{
    Actor, Core, Ctx,
    contact::{self, FieldValues},
};
use rusqlite::{Connection, params};

use super::{ours, temporary_folder};
use crate::{
    BenchOutcome,
    grid::file,
    numbers,
    report::{Measurement, median_of},
};

const LONG: u64 = 1_000_000;
const EDITS: u64 = 1_000;
const RUNS: usize = 5;
const LIMIT_MS: f64 = 100.0;

fn contact_uid(n: u64) -> String {
    format!("CON_{n:027}")
}

/// Generates a long list on which both sides agree. The contacts to edit have unique numbers.
fn make_agreed(path: &Path) -> Result<(), Box<dyn Error>> {
    file::make_in_process(path, LONG)?;
    let mut conn = Connection::open(path)?;
    let tx = conn.transaction()?;
    let own = numbers::fiction(100_000 + EDITS as usize).split_off(100_000);
    for (at, number) in own.iter().enumerate() {
        let changed = tx.execute(
            "UPDATE contacts SET phone = ?1, whatsapp = NULL, whatsapp_region = NULL WHERE uid = ?2",
            params![number, contact_uid(at as u64 * (LONG / EDITS))],
        )?;
        if changed != 1 {
            return Err("the list is not as it was made".into());
        }
    }
    // The state after a first pull.
    tx.execute(
        "INSERT INTO connection (id, uid, name, base_url, header, capabilities) VALUES (1, 'c', 'Service', 'http://localhost', 'X', ?1)",
        [ours::probe_result(false)],
    )?;
    Ok(tx.commit()?)
}

pub(crate) fn run() -> BenchOutcome {
    let folder = temporary_folder()?;
    let path = folder.path().join("ours.roost");
    make_agreed(&path)?;
    let core = Core::open(&path, Ctx::system())?;
    let edit: FieldValues = [("firstname".to_owned(), Some("Edited".to_owned()))].into();
    for at in 0..EDITS {
        let uid = ContactId::parse(&contact_uid(at * (LONG / EDITS)))?;
        contact::update(&core, &Actor::user(None), &uid, &edit, None)?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    let mut times = Vec::new();
    let mut cost = None;
    for _ in 0..RUNS {
        let begun = Instant::now();
        let plan = runtime.block_on(roost_sync::plan::make(&core))?.plan;
        times.push(begun.elapsed().as_secs_f64() * 1_000.0);
        cost = Some((plan.cost.writes as f64, plan.cost.reads as f64));
    }
    let (writes, reads) = cost.ok_or("no plan")?;
    let what = format!("plan of {EDITS} edits in a list of {LONG}");
    Ok(vec![
        Measurement::at_most("P7", format!("{what}, read and written down"), "ms", median_of(times), LIMIT_MS, 1.0),
        Measurement::at_most(
            "P7",
            format!("{what}: calls that change"),
            "",
            writes,
            EDITS.div_ceil(10_000) as f64,
            1.0,
        ),
        // Contacts are looked up one by one, because reading the whole list would take ten thousand calls: once just
        // before the change, so that nothing is overwritten on old knowledge, and once to verify it.
        Measurement::at_most("P7", format!("{what}: calls that look"), "", reads, (2 * EDITS) as f64, 1.0),
    ])
}
