//! Plays the engine in a world that remembers: an independent model of the service, its other writers, faults and a
//! person with intentions (`tests/world`), connected through the engine's one seam.

mod account_view;
mod acts;
mod backups;
mod programs;
mod seam;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};

use roost_model::time::Timestamp;
use roost_ops::{Core, Ctx, Image, ctx::Clock};
use roost_store::tables::sync::{connection, local, runs};
use roost_world::{
    AccountState, AdapterTask, Dice, DisturbedSituation, OPERATIONS, OccurrenceKind, RunKind, SITUATIONS, Script,
    ScriptTaste, SituationSubject, Violation, World, generate_script, shrink_script,
};

use self::seam::{WorldSeam, WorldStage};
use super::world::{build_connection, build_settings, run_paused as on_a_clock};
use crate::{
    Client, Progress, apply, plan,
    pull::{self, PullOptions},
};

/// The engine and its connection to the world.
pub(super) struct Engine {
    core: Core,
    seam: Arc<WorldSeam>,
    client: Client,
}

impl Engine {
    fn open(core: Core, world: World) -> Self {
        let seam = Arc::new(WorldSeam::new(WorldStage::new(core.clone(), world)));
        let client = Client::new(seam.clone(), build_settings());
        Self { core, seam, client }
    }

    /// Opens the account as after a kill: only what is on disk remains.
    fn reopen(&mut self) {
        self.client = Client::new(self.seam.clone(), build_settings());
    }

    fn with_stage<T>(&self, act: impl FnOnce(&mut WorldStage) -> T) -> T {
        self.seam.with_stage(act)
    }

    async fn run_script_step(&mut self, kind: RunKind, believe: bool) {
        self.seam.keep_time();
        self.with_stage(|stage| {
            stage.world.begin_run();
            stage.control = apply::RunControl::default();
            stage.is_running = true;
        });
        let killed = self.seam.wait_until_killed();
        tokio::select! {
            biased;
            () = killed => {}
            () = self.do_work(kind, believe) => {}
        }
        self.with_stage(|stage| stage.is_running = false);
        if self.with_stage(|stage| stage.world.take_kill()) {
            self.reopen();
        }
        self.with_stage(WorldStage::observe);
    }

    async fn do_work(&self, kind: RunKind, believe: bool) {
        match kind {
            RunKind::Pull | RunKind::FullPull => {
                let options = PullOptions { full: kind == RunKind::FullPull, believe, ..PullOptions::default() };
                let pulled = pull::run_pull(&self.core, &self.client, &options, &Progress::default()).await;
                self.with_stage(|stage| {
                    stage.doubtful = pulled.map_or(true, |pulled| !pulled.doubtful.is_empty());
                    if !stage.doubtful {
                        let account = account_view::current_account(stage);
                        stage.world.end_pull(&account);
                    }
                });
            }
            RunKind::Plan => drop(self.make_plan().await),
            RunKind::Push => {
                if self.resume().await
                    && let Some(id) = self.make_plan().await
                {
                    self.push_plan(id).await;
                }
                self.end_push();
            }
            RunKind::PushOldPlan => {
                let made = self.with_stage(|stage| stage.plan);
                if self.resume().await
                    && let Some(id) = made
                {
                    self.push_plan(id).await;
                }
                self.end_push();
            }
        }
    }

    /// Shows the account to the judge, unless a run is still open.
    fn end_push(&self) {
        self.with_stage(|stage| {
            let account = account_view::current_account(stage);
            if !account.has_open_run {
                stage.world.end_push(&account);
            }
        });
    }

    async fn make_plan(&self) -> Option<i64> {
        let id = plan::make(&self.core).await.ok()?.id;
        self.with_stage(|stage| stage.plan = Some(id));
        Some(id)
    }

    /// Resumes the run that has not ended. Returns whether no run is open afterwards.
    async fn resume(&self) -> bool {
        let open = self.core.read(|tx| Ok(runs::find_open_run(tx)?)).expect("read");
        if let Some(open) = open {
            self.drive_run(open.id).await;
        }
        self.core.read(|tx| Ok(runs::find_open_run(tx)?)).expect("read").is_none()
    }

    async fn push_plan(&self, id: i64) {
        let Some(saved) = plan::read_saved(&self.core, Some(id)).expect("read") else { return };
        let typed: Vec<String> = saved.plan.gates.iter().map(|gate| gate.wanted.clone()).collect();
        if let Ok(run) = plan::begin_run(&self.core, id, &typed).await {
            self.drive_run(run).await;
        }
    }

    async fn drive_run(&self, run: i64) {
        let control = self.with_stage(|stage| stage.control.clone());
        let _ = apply::drive_run(&self.core, &self.client, run, &control, &Progress::default()).await;
    }
}

/// The custom fields that most contacts of a world have.
const COMMON_FIELDS: [u32; 2] = [1, 2];

/// Returns an account that is connected and empty. Defining custom fields takes a fifth of the time of a history, so
/// seven of eight accounts know the common ones already.
fn empty_account(seed: u64) -> Core {
    static IMAGES: [OnceLock<Image>; 2] = [const { OnceLock::new() }; 2];
    let ctx = || Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_600_000)), seed);
    let knows_fields = !seed.is_multiple_of(8);
    let [plain, with_fields] = &IMAGES;
    let image = if knows_fields { with_fields } else { plain }.get_or_init(|| {
        let core = Core::in_memory(ctx()).expect("a database");
        core.write_quietly(|tx| {
            for number in COMMON_FIELDS.into_iter().filter(|_| knows_fields) {
                local::ensure_field(tx, number)?;
            }
            Ok(connection::set(tx, &build_connection())?)
        })
        .expect("connected");
        core.image().expect("an image")
    });
    Core::from_image(image, ctx()).expect("a database")
}

/// The number of pulls and pushes at the end after which the engine must come to rest.
const ROUNDS: u32 = 4;

/// Plays a script and judges its end.
pub(super) fn play_script(script: &Script) -> Vec<Violation> {
    play_in_world(script).violations
}

struct PlayedScript {
    violations: Vec<Violation>,
    world: World,
    /// The calls of the last run of the script, each by its position among the operations.
    last_calls: Vec<Option<usize>>,
}

fn play_in_world(script: &Script) -> PlayedScript {
    crate::account::IS_INLINE.set(true);
    on_a_clock(async {
        let mut engine = Engine::open(empty_account(script.seed), World::new(script.seed));
        engine.with_stage(WorldStage::observe);
        for step in &script.steps {
            engine.seam.keep_time();
            match engine.with_stage(|stage| stage.world.perform_step(step)) {
                AdapterTask::Nothing => {}
                AdapterTask::Act(act) => engine.with_stage(|stage| stage.perform(&act)),
                AdapterTask::Run(kind) => engine.run_script_step(kind, false).await,
                AdapterTask::Reopen => engine.reopen(),
            }
        }
        let last_calls = engine.with_stage(|stage| {
            stage.world.settle_all();
            stage.world.wait(100_000);
            stage.world.run_calls().to_vec()
        });
        // A round that changes nothing would be repeated by all others.
        let mut is_at_rest = false;
        for _ in 0..ROUNDS {
            let before = engine.with_stage(describe_progress);
            engine.run_script_step(RunKind::FullPull, true).await;
            engine.run_script_step(RunKind::Push, true).await;
            engine.with_stage(|stage| stage.world.wait(3_000));
            is_at_rest = engine.with_stage(describe_progress) == before;
            if is_at_rest {
                break;
            }
        }
        engine.run_script_step(RunKind::FullPull, true).await;
        engine.with_stage(|stage| {
            let account = account_view::current_account(stage);
            let mut violations = stage.world.judge(&account);
            if !is_at_rest {
                let facts =
                    format!("Round {ROUNDS} of a pull and a push still changed something, with nobody else at work.");
                violations.push(Violation { rule: "account.restless", subject: String::new(), facts });
            }
            PlayedScript { violations, world: stage.world.clone(), last_calls }
        })
    })
}

/// Returns what the account shows, and how many writing requests reached the service.
fn describe_progress(stage: &mut WorldStage) -> (Arc<AccountState>, u64) {
    let is_read = |operation: &str| operation.starts_with("GET ") || operation.ends_with("/filter");
    let counts = OPERATIONS.iter().zip(stage.world.operation_counts());
    let writes = counts.filter(|(operation, _)| !is_read(operation)).map(|(_, count)| count).sum();
    (account_view::current_account(stage), writes)
}

/// Returns the number of histories from `ROOST_HISTORIES`, or the first seed from `ROOST_FIRST`.
fn read_number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Plays histories that failed once, shrunk as far as possible, each in a file that is named after what holds now.
#[test]
fn histories_that_failed_once_now_pass() {
    let cases = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/histories/cases");
    let mut played = 0;
    let folders = std::fs::read_dir(cases).expect("a folder").map(|folder| folder.expect("an entry").path());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).expect("a folder of cases"));
    for path in files.map(|case| case.expect("an entry").path()) {
        let script = std::fs::read_to_string(&path).expect("a file").parse().expect("a script");
        let violations: Vec<String> = play_script(&script).iter().map(ToString::to_string).collect();
        assert!(violations.is_empty(), "{}: {}", path.display(), violations.join("\n"));
        played += 1;
    }
    assert!(played > 0);
}

/// Plays a script as a failure printed it: `ROOST_SCRIPT` names its file. `ROOST_TRACE=1` prints each request.
#[test]
#[ignore = "for looking at one history"]
fn one_history() {
    let path = std::env::var("ROOST_SCRIPT").expect("ROOST_SCRIPT names a file");
    let script = std::fs::read_to_string(path).expect("a file").parse().expect("a script");
    let violations: Vec<String> = play_script(&script).iter().map(ToString::to_string).collect();
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

/// The number of histories of all tastes together.
const HISTORIES: u64 = 1_000;

/// The rules that were broken, each with its count and the shrunk first history that broke it.
#[derive(Default)]
struct RuleFailures {
    by_rule: BTreeMap<&'static str, (u64, String)>,
}

impl RuleFailures {
    fn record(&mut self, name: &str, script: &Script, violations: &[Violation]) {
        let Some(rule) = violations.first().map(|violation| violation.rule) else { return };
        let (count, example) = self.by_rule.entry(rule).or_default();
        *count += 1;
        if example.is_empty() {
            println!("{rule}: {name}");
            let small = shrink_script(script, &mut |script| play_script(script).iter().any(|one| one.rule == rule));
            let broken: Vec<String> = play_script(&small).iter().map(ToString::to_string).collect();
            *example = format!("{name}\n{small}\n{}", broken.join("\n"));
        }
    }

    fn assert_none(&self) {
        for (rule, (count, example)) in &self.by_rule {
            println!("=== {rule}: {count}\n{example}\n");
        }
        assert!(self.by_rule.is_empty(), "{} rules were broken", self.by_rule.len());
    }
}

/// Plays the share of a taste, in percent.
fn play_all(taste: &ScriptTaste, share: u64) {
    let (first, count) = (read_number("ROOST_FIRST", 0), read_number("ROOST_HISTORIES", HISTORIES) * share / 100);
    let began = std::time::Instant::now();
    let mut failures = RuleFailures::default();
    let mut missing: BTreeSet<OccurrenceKind> = OccurrenceKind::all().collect();
    let mut calls = [0; OPERATIONS.len()];
    for seed in first..first + count {
        let script = generate_script(&mut Dice::new(seed), taste);
        let PlayedScript { violations, world, .. } = play_in_world(&script);
        missing.retain(|one| !world.mark_occurred().contains(one));
        calls.iter_mut().zip(world.operation_counts()).for_each(|(all, count)| *all += count);
        failures.record(&format!("seed {seed}, {:.1} s", began.elapsed().as_secs_f64()), &script, &violations);
    }
    let rate = count as f64 * 60.0 / began.elapsed().as_secs_f64();
    println!("{count} histories, {rate:.0} a minute");
    failures.assert_none();
    if taste.is_focused && count >= MIN_TELLING_HISTORIES {
        assert!(missing.is_empty(), "never happened in {count} histories: {missing:?}");
        let uncalled: Vec<&str> = OPERATIONS.iter().zip(calls).filter(|one| one.1 == 0).map(|one| *one.0).collect();
        assert!(uncalled.is_empty(), "never called in {count} histories: {uncalled:?}");
    }
}

/// With fewer histories of one taste, rare events may be missing.
const MIN_TELLING_HISTORIES: u64 = 2_000;

mod whatever_happens_the_last_word_counts_and_nothing_is_lost {
    use roost_world::ScriptTaste;

    use super::play_all;

    #[test]
    fn where_nothing_fails() {
        play_all(&ScriptTaste::without_trouble(), 10);
    }

    #[test]
    fn where_requests_fail_and_others_write_between_them() {
        play_all(&ScriptTaste::with_trouble(), 15);
    }

    #[test]
    fn where_clocks_jump_and_jobs_are_late() {
        play_all(&ScriptTaste::with_much_trouble(), 15);
    }

    #[test]
    fn where_one_thing_is_done_again_and_again() {
        play_all(&ScriptTaste::focused_on(), 30);
    }

    #[test]
    fn where_a_situation_is_disturbed_at_random() {
        play_all(&ScriptTaste::staged(), 30);
    }
}

/// Plays the situations about a subject, each with one disturbance of many. It picks the telling ones and every nth
/// of the others, so that all of them take part in `make soak` and a share in `make test`.
fn disturb_every_call(subject: SituationSubject) {
    let every = usize::try_from(read_number("ROOST_DISTURBANCES_EVERY", 4)).expect("a small number").max(1);
    let began = std::time::Instant::now();
    let (mut failures, mut met, mut played) = (RuleFailures::default(), 0, 0);
    let mut undisturbed = Vec::new();
    for situation in SITUATIONS.iter().filter(|situation| situation.subject == subject) {
        let script = situation.build_script();
        let PlayedScript { violations, last_calls, .. } = play_in_world(&script);
        failures.record("undisturbed", &script, &violations);
        undisturbed.push((situation, last_calls));
    }
    for (situation, calls) in undisturbed {
        for DisturbedSituation { script, is_telling } in situation.disturb_at(&calls) {
            met += 1;
            if is_telling || met % every == 0 {
                played += 1;
                let seconds = began.elapsed().as_secs_f64();
                let name = format!("disturbance {met}, {played} played, {seconds:.1} s");
                failures.record(&name, &script, &play_script(&script));
            }
        }
    }
    println!("{played} of {met} disturbed histories in {:.1} s", began.elapsed().as_secs_f64());
    failures.assert_none();
    assert!(played > 0);
}

mod whatever_disturbs_any_call_the_last_word_counts_and_nothing_is_lost {
    use roost_world::SituationSubject;

    use super::disturb_every_call;

    #[test]
    fn about_contacts() {
        disturb_every_call(SituationSubject::Contacts);
    }

    #[test]
    fn about_lists() {
        disturb_every_call(SituationSubject::Lists);
    }

    #[test]
    fn about_opt_outs() {
        disturb_every_call(SituationSubject::OptOuts);
    }

    #[test]
    fn about_links() {
        disturb_every_call(SituationSubject::Links);
    }

    #[test]
    fn about_senders() {
        disturb_every_call(SituationSubject::Senders);
    }
}
