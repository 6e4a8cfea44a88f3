//! P8: a push of a hundred thousand new contacts at the service's pace, counted by the emulator's own journal.

use std::{error::Error, time::Instant};

use roost_emulator::{Emulator, EmulatorConfig, Journal};
use roost_ops::{
    Actor, Core, Ctx,
    contact::{self, FieldValues},
    list::{self, UniqueNames},
};
use roost_reconcile::pace::CallRate;
use roost_sync::{
    Progress,
    apply::{self, RunControl},
    plan::{self, SavedPlan},
};

use super::{ours, temporary_folder};
use crate::{BenchOutcome, numbers, report::Measurement};

const NEW: usize = 100_000;
const CALLS: f64 = 10.0;
/// The reads of the total and of some contacts until all agree twice, with one more for each time that the list is
/// slow.
const LOOKS: f64 = 60.0;

fn make_contacts(core: &Core) -> Result<(), Box<dyn Error>> {
    let by = Actor::user(None);
    let list = list::create(core, &by, "Everybody", UniqueNames::Off)?.uid;
    for part in numbers::fiction(NEW).chunks(1_000) {
        let row = |number: &String| -> FieldValues {
            [("phone_number", number.as_str()), ("firstname", "Ada"), ("city", "Leeds")]
                .map(|(field, value)| (field.to_owned(), Some(value.to_owned())))
                .into()
        };
        let rows: Vec<FieldValues> = part.iter().map(row).collect();
        contact::paste(core, &by, &list, &rows, None)?;
    }
    Ok(())
}

/// Returns the most requests of one operation in any second.
fn busiest_second(journal: &Journal) -> usize {
    let mut came: Vec<(String, i64)> = journal
        .read_page(None, usize::MAX, |_| true)
        .lines
        .iter()
        .map(|line| {
            let at = line.at.unix * 1_000_000_000 + i64::from(line.at.nanos);
            (line.operation.as_deref().unwrap_or_default().to_owned(), at)
        })
        .collect();
    came.sort();
    let within = |at: usize| {
        let (operation, first) = &came[at];
        came[at..].iter().take_while(|(other, when)| other == operation && *when < first + 1_000_000_000).count()
    };
    (0..came.len()).map(within).max().unwrap_or_default()
}

pub(super) fn run() -> BenchOutcome {
    let folder = temporary_folder()?;
    let there = Core::open(&folder.path().join("there.roost"), Ctx::system())?;
    let core = Core::open(&folder.path().join("ours.roost"), Ctx::system())?;
    let journal = Journal::new_recording();
    let runtime = tokio::runtime::Runtime::new()?;
    let config = EmulatorConfig { journal: journal.clone(), ..EmulatorConfig::default() };
    let playing = {
        let _inside = runtime.enter();
        Emulator::start(config, there)?
    };
    ours::connect_account(&core, playing.url(), true)?;
    make_contacts(&core)?;
    let client = ours::build_client(playing.url(), CallRate::default())?;
    let begun = Instant::now();
    let planned = runtime.block_on(async {
        let SavedPlan { id, plan: planned, .. } = plan::make(&core).await?;
        let run = plan::begin_run(&core, id, &[]).await?;
        apply::drive_run(&core, &client, run, &RunControl::default(), &Progress::default()).await?;
        Ok::<_, Box<dyn Error>>(planned)
    })?;
    let took = begun.elapsed().as_secs_f64();
    let count = |operation: &str| {
        journal.read_page(None, 0, |line| line.operation.as_deref() == Some(operation)).matching as f64
    };
    let (sent, looked) = (count("contacts.create"), count("contacts.query"));
    let throttled = journal.read_page(None, 0, |line| line.status == Some(429)).matching;
    let most = busiest_second(&journal);
    runtime.block_on(playing.shutdown());
    let left = runtime.block_on(plan::make(&core))?.plan;
    if !left.has_no_work() || throttled > 0 {
        return Err(format!("{throttled} calls were throttled, and {} steps are left", left.steps.len()).into());
    }
    eprintln!("  {NEW} contacts are pushed and seen to have arrived in {took:.1} s, {looked} looks");
    let what = format!("push of {NEW} new contacts");
    Ok(vec![
        Measurement::at_most("P8", format!("{what}: calls"), "", sent, CALLS, 1.0),
        Measurement::at_most(
            "P8",
            format!("{what}: looks, and those planned"),
            "",
            looked,
            planned.cost.reads as f64 + LOOKS,
            1.0,
        ),
        Measurement::at_most("P8", format!("{what}: most in a second, of ten"), "", most as f64, 10.0, 1.0),
    ])
}
