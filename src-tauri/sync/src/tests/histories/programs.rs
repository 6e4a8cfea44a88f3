//! Plays the same histories with the real program: its commands over HTTP, and SIGKILL where the world says so. A
//! person's acts between two calls of a run are left out, since the running process then holds the account.

use std::{
    env,
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    mem,
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use roost_ops::{Core, Ctx};
use roost_store::tables::sync::runs;
use roost_world::{
    AdapterTask, Dice, RunKind, Script, ScriptStep, ScriptTaste, Violation, World, generate_script, shrink_script,
};
use serde_json::Value;
use tempfile::TempDir;

use super::{
    account_view, describe_progress, empty_account, read_number,
    seam::{KEY, WorldStage},
};

/// A command that takes longer is killed, as an impatient person would do. At the end, everybody waits until the
/// program has found out what became of each request.
const PATIENCE: Duration = Duration::from_secs(60);
const PATIENCE_AT_THE_END: Duration = Duration::from_secs(600);
/// Jobs take real time here.
const LONGEST_JOB: u32 = 1_500;

/// The service that the program calls, with the state of the program while it runs.
struct ProgramService {
    stage: WorldStage,
    child: Option<Child>,
    /// The plan that was made last, as the program shows it.
    plan: Option<Value>,
    /// The time up to which the world's clock was moved.
    at: Instant,
}

impl ProgramService {
    fn keep_time(&mut self) {
        let passed = self.at.elapsed();
        self.at += passed;
        self.stage.world.wait(u64::try_from(passed.as_millis()).unwrap_or(u64::MAX));
    }

    fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            child.kill().expect("our own child can be killed");
        }
    }
}

/// Reads one request and answers it, unless its response is lost or the program is killed during it.
fn answer_request(service: &Mutex<ProgramService>, stream: &TcpStream) -> io::Result<()> {
    let mut from = BufReader::new(stream);
    let mut line = String::new();
    from.read_line(&mut line)?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (mut headers, mut length) = (vec![(KEY.0.to_owned(), KEY.1.to_owned())], 0);
    loop {
        let mut line = String::new();
        from.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    let body = String::from_utf8_lossy(&body).into_owned();
    let reply = {
        let mut service = service.lock().expect("nobody panicked");
        service.keep_time();
        let body = (!body.is_empty()).then_some(body.as_str());
        let reply = service.stage.world.send_request(&method, &path, &headers, body);
        if service.stage.world.is_killed() {
            service.kill();
            return Ok(());
        }
        reply
    };
    let Ok(reply) = reply else { return Ok(()) };
    let mut to = stream;
    write!(to, "HTTP/1.1 {} Answer\r\nContent-Length: {}\r\nConnection: close\r\n", reply.status, reply.body.len())?;
    for (name, value) in reply.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-length")) {
        write!(to, "{name}: {value}\r\n")?;
    }
    write!(to, "\r\n{}", reply.body)
}

/// An account in a folder, the program, and the world's service on a port.
struct ProgramDesk {
    roost: PathBuf,
    folder: TempDir,
    service: Arc<Mutex<ProgramService>>,
    is_at_the_end: AtomicBool,
}

impl ProgramDesk {
    fn open(seed: u64) -> Self {
        let roost = env::var_os("ROOST_BIN").expect("ROOST_BIN names the program roost").into();
        // This account is a placeholder while the program holds the real one.
        let stage = WorldStage::new(empty_account(seed), World::new(seed));
        let service = Arc::new(Mutex::new(ProgramService { stage, child: None, plan: None, at: Instant::now() }));
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let weak = Arc::downgrade(&service);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(service) = weak.upgrade() else { return };
                // A client that is killed closes the connection in the middle.
                thread::spawn(move || drop(answer_request(&service, &stream)));
            }
        });
        let desk =
            Self { roost, folder: TempDir::new().expect("a folder"), service, is_at_the_end: AtomicBool::new(false) };
        desk.run_roost(&["connect", "--no-test", &url]).expect("connected");
        desk
    }

    fn lock_service(&self) -> MutexGuard<'_, ProgramService> {
        self.service.lock().expect("nobody panicked")
    }

    fn account_file(&self) -> PathBuf {
        self.folder.path().join("account.roost")
    }

    /// Opens the account, which must be possible after any kill. A child that another history is about to start briefly
    /// holds whatever this process holds.
    fn open_account(&self) -> Core {
        let open = || Core::open(&self.account_file(), Ctx::system());
        for _ in 0..200 {
            if let Ok(core) = open() {
                return core;
            }
            thread::sleep(Duration::from_millis(5));
        }
        open().expect("the account can be opened")
    }

    /// Runs `act` while no process holds the account.
    fn with_account<T>(&self, act: impl FnOnce(&mut WorldStage) -> T) -> T {
        let mut service = self.lock_service();
        service.keep_time();
        let core = self.open_account();
        let idle = mem::replace(&mut service.stage.core, core);
        service.stage.account = None;
        let done = act(&mut service.stage);
        mem::replace(&mut service.stage.core, idle).end_background_work();
        done
    }

    /// Returns what a command prints, or `None` if it was killed or refused.
    fn run_roost(&self, args: &[&str]) -> Option<String> {
        let output = self.folder.path().join("output");
        let mut command = Command::new(&self.roost);
        command.args(args).arg("--db").arg(self.account_file()).stdin(Stdio::null());
        command.stdout(File::create(&output).expect("a file")).stderr(Stdio::null());
        command.env("HOME", self.folder.path()).env("XDG_RUNTIME_DIR", self.folder.path());
        command.env("DBUS_SESSION_BUS_ADDRESS", "disabled:").env_remove("DISPLAY");
        let patience = if self.is_at_the_end.load(Ordering::Acquire) { PATIENCE_AT_THE_END } else { PATIENCE };
        let begun = Instant::now();
        self.lock_service().child = Some(command.spawn().expect("the program can be started"));
        loop {
            thread::sleep(Duration::from_millis(3));
            let mut service = self.lock_service();
            let status = service.child.as_mut()?.try_wait().expect("a child can be waited for");
            if let Some(status) = status {
                service.child = None;
                assert_ne!(status.code(), Some(101), "{args:?} panicked");
                drop(service);
                return status.code().and_then(|_| std::fs::read_to_string(output).ok());
            }
            if begun.elapsed() > patience {
                service.kill();
            }
        }
    }

    fn run_json(&self, args: &[&str]) -> Option<Value> {
        serde_json::from_str(&self.run_roost(args)?).ok()
    }

    fn run_script_step(&self, kind: RunKind, believe: bool) {
        self.lock_service().stage.world.begin_run();
        match kind {
            RunKind::Pull | RunKind::FullPull => {
                let full = (kind == RunKind::FullPull).then_some("--full");
                let args: Vec<&str> =
                    ["pull", "--json"].into_iter().chain(full).chain(believe.then_some("--believe")).collect();
                let is_read = self.run_json(&args).is_some();
                let status = self.run_json(&["status", "--json"]);
                let is_doubtful = status.is_none_or(|status| status["is_doubtful"] == true);
                self.lock_service().stage.doubtful = !is_read || is_doubtful;
            }
            RunKind::Plan => drop(self.make_plan()),
            RunKind::Push => {
                if self.resume()
                    && let Some(plan) = self.make_plan()
                {
                    self.push_plan(&plan);
                }
            }
            RunKind::PushOldPlan => {
                let plan = self.lock_service().plan.clone();
                if self.resume()
                    && let Some(plan) = plan
                {
                    self.push_plan(&plan);
                }
            }
        }
        self.lock_service().stage.world.take_kill();
        self.with_account(WorldStage::observe);
    }

    fn make_plan(&self) -> Option<Value> {
        let plan = self.run_json(&["plan", "--json"])?;
        self.lock_service().plan = Some(plan.clone());
        Some(plan)
    }

    fn resume(&self) -> bool {
        let is_open =
            || self.with_account(|stage| stage.core.read(|tx| Ok(runs::find_open_run(tx)?)).expect("read").is_some());
        if is_open() {
            self.run_roost(&["push", "--resume", "--yes", "--json"]);
        }
        !is_open()
    }

    fn push_plan(&self, plan: &Value) {
        let id = plan["id"].to_string();
        let mut args = vec!["push", "--yes", "--json", "--plan", &id];
        for gate in plan["gates"].as_array().into_iter().flatten() {
            args.extend(["--type", gate["wanted"].as_str().unwrap_or_default()]);
        }
        self.run_roost(&args);
    }
}

/// Plays a script and judges its end.
fn play_script(script: &Script) -> Vec<Violation> {
    let desk = ProgramDesk::open(script.seed);
    desk.with_account(WorldStage::observe);
    for step in &script.steps {
        let step = match *step {
            ScriptStep::ActAt(..) => continue,
            ScriptStep::JobDelay(ms) => ScriptStep::JobDelay(ms.min(LONGEST_JOB)),
            other => other,
        };
        desk.lock_service().keep_time();
        let task = desk.lock_service().stage.world.perform_step(&step);
        match task {
            AdapterTask::Nothing | AdapterTask::Reopen => {}
            AdapterTask::Act(act) => desk.with_account(|stage| stage.perform(&act)),
            AdapterTask::Run(kind) => desk.run_script_step(kind, false),
        }
    }
    desk.is_at_the_end.store(true, Ordering::Release);
    desk.with_account(|stage| {
        stage.world.settle_all();
        stage.world.wait(100_000);
    });
    for _ in 0..4 {
        let before = desk.with_account(describe_progress);
        desk.run_script_step(RunKind::FullPull, true);
        desk.run_script_step(RunKind::Push, true);
        desk.lock_service().stage.world.wait(3_000);
        if desk.with_account(describe_progress) == before {
            break;
        }
    }
    desk.run_script_step(RunKind::FullPull, true);
    desk.with_account(|stage| {
        let account = account_view::current_account(stage);
        stage.world.judge(&account)
    })
}

#[test]
#[ignore = "takes the program (ROOST_BIN) and minutes"]
fn the_program_over_http_keeps_its_promises_when_it_is_killed() {
    let (first, count) = (read_number("ROOST_FIRST", 0), read_number("ROOST_HISTORIES", 20));
    let next = AtomicU64::new(first);
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        // The histories wait more than they work.
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::AcqRel);
                    if seed >= first + count {
                        return;
                    }
                    let script = generate_script(&mut Dice::new(seed), &ScriptTaste::with_much_trouble());
                    let violations = play_script(&script);
                    if let Some(violation) = violations.first() {
                        let report: Vec<String> = violations.iter().map(ToString::to_string).collect();
                        let report = format!("seed {seed}\n{script}\n{}", report.join("\n"));
                        failed.lock().expect("nobody panicked").push((violation.rule, report, script));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("nobody panicked");
    for (_, report, _) in &failed {
        println!("{report}\n");
    }
    if let (Some((rule, _, script)), true) = (failed.first(), env::var_os("ROOST_SHRINK").is_some()) {
        let small = shrink_script(script, &mut |script| play_script(script).iter().any(|one| one.rule == *rule));
        println!("{rule}, as small as it gets:\n{small}");
    }
    assert!(failed.is_empty(), "{} of {count} histories went wrong", failed.len());
}
