//! The engine in a world that remembers: an independent model of the service, its other writers, faults and a person
//! with intentions (`tests/world`), driven through the engine's one seam.

mod acts;
mod programs;
mod seam;
mod view;

use std::sync::Arc;

use roost_model::time::Timestamp;
use roost_ops::{Core, Ctx, ctx::Clock};
use roost_store::tables::sync::{connection, runs};
use roost_world::{
    Account, Dice, OPERATIONS, RunKind, Script, ScriptTaste, Task, Violation, World, generate_script, shrink_script,
};

use self::seam::{Seam, Stage};
use super::world::{connected, run as on_a_clock, settings};
use crate::{
    Client, Progress, apply, plan,
    pull::{self, Asked},
};

/// The engine, and the way to its world.
pub struct Engine {
    core: Core,
    seam: Arc<Seam>,
    client: Client,
}

impl Engine {
    fn open(core: Core, world: World) -> Self {
        let seam = Arc::new(Seam::new(Stage::new(core.clone(), world)));
        let client = Client::new(seam.clone(), settings());
        Self { core, seam, client }
    }

    /// As after a kill: what is on disk is all there is.
    fn reopen(&mut self) {
        self.client = Client::new(self.seam.clone(), settings());
    }

    fn stage<T>(&self, act: impl FnOnce(&mut Stage) -> T) -> T {
        self.seam.stage(act)
    }

    async fn run(&mut self, kind: RunKind, believe: bool) {
        self.seam.keep_time();
        self.stage(|stage| {
            stage.world.begin_run();
            stage.control = apply::Control::default();
        });
        let killed = self.seam.killed();
        tokio::select! {
            biased;
            () = killed => {}
            () = self.work(kind, believe) => {}
        }
        if self.stage(|stage| stage.world.take_kill()) {
            self.reopen();
        }
        self.stage(Stage::observe);
    }

    async fn work(&self, kind: RunKind, believe: bool) {
        match kind {
            RunKind::Pull | RunKind::FullPull => {
                let asked = Asked { full: kind == RunKind::FullPull, believe, ..Asked::default() };
                let pulled = pull::pull(&self.core, &self.client, &asked, &Progress::default()).await;
                self.stage(|stage| stage.doubtful = pulled.map_or(true, |pulled| !pulled.doubtful.is_empty()));
            }
            RunKind::Plan => drop(self.make_plan().await),
            RunKind::Push => {
                if self.resume().await
                    && let Some(id) = self.make_plan().await
                {
                    self.push(id).await;
                }
            }
            RunKind::PushOldPlan => {
                let made = self.stage(|stage| stage.plan);
                if self.resume().await
                    && let Some(id) = made
                {
                    self.push(id).await;
                }
            }
        }
    }

    async fn make_plan(&self) -> Option<i64> {
        let id = plan::make(&self.core).await.ok()?.id;
        self.stage(|stage| stage.plan = Some(id));
        Some(id)
    }

    /// Goes on with the run that has not ended; whether there is none any more.
    async fn resume(&self) -> bool {
        let open = self.core.read(|tx| Ok(runs::open(tx)?)).expect("read");
        if let Some(open) = open {
            self.go(open.id).await;
        }
        self.core.read(|tx| Ok(runs::open(tx)?)).expect("read").is_none()
    }

    async fn push(&self, id: i64) {
        let Some(saved) = plan::saved(&self.core, Some(id)).expect("read") else { return };
        let typed: Vec<String> = saved.plan.gates.iter().map(|gate| gate.wanted.clone()).collect();
        if let Ok(run) = plan::begin(&self.core, id, &typed).await {
            self.go(run).await;
        }
    }

    async fn go(&self, run: i64) {
        let control = self.stage(|stage| stage.control.clone());
        let _ = apply::run(&self.core, &self.client, run, &control, &Progress::default()).await;
    }
}

/// An account that is connected and empty.
fn empty_account(seed: u64) -> Core {
    let core =
        Core::in_memory(Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_600_000)), seed)).expect("a database");
    core.write_quietly(|tx| Ok(connection::set(tx, &connected())?)).expect("connected");
    core
}

/// Plays a script and judges its end.
pub fn play(script: &Script) -> Vec<Violation> {
    on_a_clock(async {
        let mut engine = Engine::open(empty_account(script.seed), World::new(script.seed));
        engine.stage(Stage::observe);
        for step in &script.steps {
            engine.seam.keep_time();
            match engine.stage(|stage| stage.world.perform(step)) {
                Task::Nothing => {}
                Task::Act(act) => engine.stage(|stage| stage.perform(&act)),
                Task::Run(kind) => engine.run(kind, false).await,
                Task::Reopen => engine.reopen(),
            }
        }
        engine.stage(|stage| {
            stage.world.settle();
            stage.world.wait(100_000);
        });
        // At most four rounds: from one on that changes nothing, the others would be the same.
        for _ in 0..4 {
            let before = engine.stage(describe_progress);
            engine.run(RunKind::FullPull, true).await;
            engine.run(RunKind::Push, true).await;
            engine.stage(|stage| stage.world.wait(3_000));
            if engine.stage(describe_progress) == before {
                break;
            }
        }
        engine.run(RunKind::FullPull, true).await;
        engine.stage(|stage| {
            let account = view::account(stage);
            stage.world.judge(&account)
        })
    })
}

/// What the account shows, and how many requests to change something reached the service.
fn describe_progress(stage: &mut Stage) -> (Account, u64) {
    let is_read = |operation: &str| operation.starts_with("GET ") || operation.ends_with("/filter");
    let counts = OPERATIONS.iter().zip(stage.world.operation_counts());
    let writes = counts.filter(|(operation, _)| !is_read(operation)).map(|(_, count)| count).sum();
    (view::account(stage), writes)
}

/// `ROOST_HISTORIES` sets another number, `ROOST_FIRST` another first seed.
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The last is for looking at one kind of thing, by `ROOST_TASTE=3`.
fn tastes() -> [ScriptTaste; 4] {
    [ScriptTaste::calm(), ScriptTaste::rough(), ScriptTaste::wild(), ScriptTaste::focused()]
}

/// Histories that went wrong once, as small as they could be made, each in a file that is named after what holds now.
#[test]
fn what_went_wrong_once_does_not_again() {
    let cases = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/histories/cases");
    let mut played = 0;
    for case in std::fs::read_dir(cases).expect("a folder") {
        let path = case.expect("an entry").path();
        let script = std::fs::read_to_string(&path).expect("a file").parse().expect("a script");
        let violations: Vec<String> = play(&script).iter().map(ToString::to_string).collect();
        assert!(violations.is_empty(), "{}: {}", path.display(), violations.join("\n"));
        played += 1;
    }
    assert!(played > 0);
}

/// One script, as a failure prints it: `ROOST_SCRIPT` names its file. With `ROOST_TRACE=1` each request is printed.
#[test]
#[ignore = "for looking at one history"]
fn one_history() {
    let path = std::env::var("ROOST_SCRIPT").expect("ROOST_SCRIPT names a file");
    let script = std::fs::read_to_string(path).expect("a file").parse().expect("a script");
    let violations: Vec<String> = play(&script).iter().map(ToString::to_string).collect();
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn whatever_happens_the_last_word_counts_and_nothing_is_lost() {
    let (first, count) = (number("ROOST_FIRST", 0), number("ROOST_HISTORIES", 300));
    let only = std::env::var("ROOST_TASTE").ok().and_then(|text| text.parse::<usize>().ok());
    let began = std::time::Instant::now();
    let mut failed = std::collections::BTreeMap::<&str, (u64, String)>::new();
    for seed in first..first + count {
        let taste = &tastes()[only.unwrap_or(seed as usize % 3)];
        let script = generate_script(&mut Dice::new(seed), taste);
        let violations = play(&script);
        let Some(violation) = violations.first() else { continue };
        let rule = violation.rule;
        let known = failed.entry(rule).or_default();
        known.0 += 1;
        if known.1.is_empty() {
            let small = shrink_script(&script, &mut |script| play(script).iter().any(|one| one.rule == rule));
            let told: Vec<String> = play(&small).iter().map(ToString::to_string).collect();
            known.1 = format!("seed {seed}\n{small}\n{}", told.join("\n"));
        }
    }
    let rate = count as f64 * 60.0 / began.elapsed().as_secs_f64();
    println!("{count} histories, {rate:.0} a minute");
    for (rule, (count, example)) in &failed {
        println!("=== {rule}: {count}\n{example}\n");
    }
    assert!(failed.is_empty(), "{} rules were broken", failed.len());
}
