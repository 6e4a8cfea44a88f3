//! Hostile text in every place where a command may print it. No terminal may interpret it.

mod liars;

use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use roost_model::id::ContactId;
use roost_ops::{
    Actor, Core, Ctx, contact,
    list::{self, UniqueNames},
};
use roost_tests::{Served, Setup, Spawned, seeds, spawned::command};
use serde_json::{Value, json};
use tempfile::TempDir;

use liars::{LIES, start_liar};

/// Escape sequences, C1, DEL, direction marks, a line end: everything that a terminal interprets.
const HOSTILE: &str = "x\u{1b}[31m\u{1b}]0;t\u{7}\u{202e}y\u{2066}\u{9b}2J\u{85}\r\u{7f}\u{200f}\nz";
/// The time for which a command may run that does not end by itself, such as a server.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// Additional arguments for each command, besides those that its own help reveals. Options, files and variables are
/// tried for all commands. `{…}` stands for a text or a path of [`Bench::filled`].
const CASES: &[(&str, &[&str])] = &[
    ("serve", &["--port 0 --unix {socket}", "--port 0 --seed {seed} --db {hostile-folder}/new.roost", "--db {text}"]),
    ("exec", &["-- {hostile}", "--set lists.unique_names={hostile} -- true"]),
    ("wait", &["--timeout 100ms"]),
    ("seed", &["{broken}"]),
    ("reset", &[]),
    ("snapshot", &["before", "{hostile}"]),
    ("restore", &["before"]),
    ("diff", &["before", "before now", "{hostile}"]),
    ("tail", &["--no-wait", "--no-wait --json", "--no-wait --filter {hostile}"]),
    ("listen", &["--no-wait", "--no-wait --json", "{hostile}"]),
    ("verify", &["{checks}", "{checks} --json"]),
    ("fixtures gen", &["--out {hostile-file}", "--contacts 1"]),
    ("replay", &["--against {url} {text}", "--against {url} {seed}", "--against {hostile} {seed}"]),
    ("doctor", &["", "--json", "--db {account}", "--db {account} --json", "--db {text}", "--bundle {hostile-file}"]),
    (
        "fidelity check",
        &[
            "--against {hostile} --key-file {text} --out {socket}.report --calls {socket}.calls",
            "--against http://127.0.0.1:9 --key-file {text} --out {hostile-file} --calls {socket}.calls --force",
            "--against http://127.0.0.1:9 --key-file {text} --out {text} --calls {hostile-file}",
        ],
    ),
    (
        "export",
        &[
            "--db {account} --list {hostile}",
            "--db {account} --list {hostile} --json",
            "--db {text} --json",
            "--db {account} --out {hostile-file}",
            "--db {account} --out {hostile-folder}/export --json",
            "--server",
        ],
    ),
    (
        "import",
        &[
            "--db {account} --list {hostile} {text}",
            "--db {account} --list {hostile} --dry-run {table}",
            "--db {account} --list {hostile} --json --dry-run {table}",
            "--server --mode replace {seed}",
        ],
    ),
    ("account new", &["{hostile-file}", "{account}", "{text}", "--name {hostile} {socket}.roost"]),
    ("account list", &["--folder {hostile-folder}", "--folder {hostile-folder} --json"]),
    ("account info", &["--db {account}", "--db {account} --json", "--db {text}"]),
    ("account check", &["--db {account}", "--db {account} --json", "--db {text}"]),
    ("account backup", &["--db {account}", "--db {account} --json", "--db {account} --out {hostile-file}"]),
    ("account backups", &["--db {account}", "--db {account} --json", "--db {hostile-file}"]),
    (
        "account held",
        &[
            "--db {account} --number +447700900000",
            "--db {account} --number +447700900000 --json",
            "--db {account} --number {hostile}",
            "--db {account} --number +447700900000 --out {hostile-file}",
        ],
    ),
    (
        "account erase",
        &[
            "--db {account} --number +447700900000",
            "--db {account} --number +447700900000 --dry-run --json",
            "--db {account} --number {hostile}",
            "--db {text} --number +447700900000",
        ],
    ),
    (
        "account restore",
        &[
            "--db {account} {text}",
            "--db {account} {hostile-file}",
            "--db {account} {account}",
            "--db {text} {account}",
        ],
    ),
    ("country", &["--db {account}", "--db {account} --json", "--db {account} {hostile}", "--db {text}"]),
    ("readiness", &["--db {account} --list {hostile}", "--db {text} --list {hostile}"]),
    ("lookup", &["--db {account} {hostile}", "--db {account} --file {text}", "--db {account} --json --file {text}"]),
    ("optouts list", &["--db {account}", "--db {account} --json", "--db {text}"]),
    (
        "optouts add",
        &[
            "--db {account} --reason {hostile} +447700900007",
            "--db {account} --reason {hostile} {hostile}",
            "--db {account} --json --reason {hostile} +447700900007",
        ],
    ),
    (
        "optouts import",
        &[
            "--db {account} --reason {hostile} {table}",
            "--db {account} --reason {hostile} --json {text}",
            "--db {account} --reason {hostile} {hostile-file}",
        ],
    ),
    ("optouts export", &["--db {account}", "--db {account} --out {hostile-file}"]),
    ("lists", &["--db {account}", "--db {account} --json", "--db {text}", "--db {text} --json {hostile}"]),
    ("links", &["--db {account}", "--db {account} --json", "--db {text}"]),
    ("set-aside", &["--db {text}", "--db {text} --json"]),
    ("openapi", &[]),
    ("connect", &["{hostile} --db {account}", "{url} --db {account} --name {hostile}", "{url} --db {text}"]),
    ("pull", &["--db {account}", "--db {account} --json"]),
    ("conflicts", &["--db {account}", "--db {account} --json"]),
    (
        "answer",
        &["--db {account} {hostile} mine", "--db {account} {question} mine", "--db {account} {question} {hostile}"],
    ),
    ("plan", &["--db {account}", "--db {account} --json"]),
    ("push", &["--db {account} --yes", "--db {account} --json"]),
    ("status", &["--db {account}", "--db {account} --json"]),
    ("runs", &["--db {account}", "--db {account} --json"]),
    ("report", &["--db {account}", "--db {account} {hostile}", "--db {account} --json"]),
    ("completions", &["{hostile}"]),
    ("man", &["{hostile-file}"]),
];

/// Commands whose output is data for other programs. A table in CSV has no escapes.
const DATA: &[&str] = &["export", "optouts export"];

#[test]
fn nothing_from_outside_steers_a_terminal() {
    let bench = HostileBench::new();
    let commands = command_names();
    let named: BTreeSet<&str> = CASES.iter().map(|(name, _)| *name).collect();
    let known: BTreeSet<&str> = commands.iter().map(String::as_str).collect();
    assert_eq!(named, known, "every command has its cases here");
    let mut tried = BTreeSet::new();
    let runs = commands.iter().flat_map(|name| bench.runs_of(name, &mut tried));
    // Only one process at a time can open the account.
    let account = bench.fill_placeholders("{account}");
    let (with_account, others): (Vec<HostileRun>, Vec<HostileRun>) = runs.partition(|run| run.args.contains(&account));
    let queues = [with_account, others].map(Mutex::new);
    let (count, leaks) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for worker in 0..3 {
            let (bench, count, leaks) = (&bench, &count, &leaks);
            let queues = if worker == 0 { &queues[..] } else { &queues[1..] };
            scope.spawn(move || {
                for queue in queues {
                    while let Some(run) = { queue.lock().expect("no panic").pop() } {
                        count.fetch_add(1, Ordering::Relaxed);
                        let found = bench.find_leaks(&run, worker);
                        leaks.lock().expect("no panic").extend(found);
                    }
                }
            });
        }
    });
    let leaks = leaks.into_inner().expect("no panic");
    assert!(leaks.is_empty(), "{} of {count:?} runs leak:\n{}", leaks.len(), leaks.join("\n"));
    assert!(count.into_inner() > 300);
}

/// Returns the names of all commands, from the program itself.
pub(crate) fn command_names() -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(parent) = open.pop() {
        let help = help_text(&parent);
        let below: Vec<String> = help.split("Commands:\n").nth(1).map_or(Vec::new(), |list| {
            let lines = list.lines().take_while(|line| line.starts_with("  "));
            let names = lines.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
            names.filter(|name| *name != "help").map(|name| format!("{parent} {name}").trim().to_owned()).collect()
        });
        if below.is_empty() {
            found.push(parent);
        } else {
            open.extend(below);
        }
    }
    found
}

pub(crate) fn help_text(name: &str) -> String {
    let output = command(name.split_whitespace().chain(["--help"])).output().expect("the binary can be started");
    String::from_utf8(output.stdout).expect("text")
}

/// A command line with its environment variables.
struct HostileRun {
    args: Vec<String>,
    variables: Vec<(String, String)>,
}

/// Files, servers and an account that are full of hostile text.
struct HostileBench {
    folder: TempDir,
    server: Spawned,
    /// The addresses of servers that answer with hostile text, each in a different way.
    liars: Vec<String>,
    question: String,
    service: Served,
}

impl HostileBench {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let hostile_folder = folder.path().join(format!("d{HOSTILE}"));
        fs::create_dir(&hostile_folder).expect("a folder");
        let list = seeds::list(&seeds::id("LST_", "1"), HOSTILE, json!([build_contact(0), build_contact(1)]));
        let seed = json!({ "lists": [list] });
        for (name, text) in [
            ("seed", seed.to_string()),
            ("text", format!("{HOSTILE}{HOSTILE}")),
            ("broken", format!("{{\"lists\": [], \"{HOSTILE}\": 1}}")),
            ("keys", json!({ HOSTILE: 1, "match": { HOSTILE: HOSTILE } }).to_string()),
            ("checks", json!([{ "match": { "path": HOSTILE, "headers": { HOSTILE: HOSTILE } } }]).to_string()),
            ("yaml", format!("lists:\n- name: \"\\e[31m\"\n  \"\\u202e\": {HOSTILE:?}\n")),
            ("table", format!("phone_number,{}\n+447700900005,{0}\nno,{0}\n", HOSTILE.replace(['\n', '\r'], ""))),
        ] {
            fs::write(hostile_folder.join(name), text).expect("a file");
        }
        let seed_file = hostile_folder.join("seed");
        let server =
            Spawned::start(["--limits", "off", "--journal", "on", "--seed", seed_file.to_str().expect("text")]);
        server.admin().post("/__admin/snapshots", &json!({ "name": "before" })).expect(201);
        server.client().post("/contacts/v1/lists/create", &json!({ "name": HOSTILE }));
        server.client().post("/contacts/v1/lists/create", &json!({ HOSTILE: HOSTILE }));
        let service = Setup::new().set("auth", "off").seed(seed).serve();
        let liars = (0..LIES).map(start_liar).collect();
        let mut bench = Self { folder, server, liars, question: String::new(), service };
        bench.connect_account();
        bench
    }

    /// Creates an account that has pulled and then changed a contact that the service changed as well.
    fn connect_account(&mut self) {
        let account = self.fill_placeholders("{account}");
        let run = |status: i32, args: &[&str]| {
            let mut command = command(args.iter().copied().chain(["--db", &account]));
            self.at_home(&mut command);
            let output = command.output().expect("the binary can be started");
            assert_eq!(output.status.code(), Some(status), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
            output.stdout
        };
        run(0, &["connect", self.service.url(), "--name", HOSTILE]);
        run(0, &["pull"]);
        let [id, other] = ["00000", "00001"].map(|n| ContactId::parse(&seeds::id("CON_", n)).expect("an id"));
        let core = Core::open(account.as_ref(), Ctx::system()).expect("the account");
        let fields = |name: &str| contact::FieldValues::from([("firstname".to_owned(), Some(name.to_owned()))]);
        contact::update(&core, &Actor::user(None), &id, &fields(&format!("here{HOSTILE}")), None).expect("an edit");
        contact::update(&core, &Actor::user(None), &other, &fields(&format!("mine{HOSTILE}")), None).expect("an edit");
        list::create(&core, &Actor::user(None), &format!("new{HOSTILE}"), UniqueNames::Off).expect("a list");
        core.end_background_work();
        drop(core);
        let fields = fields(&format!("there{HOSTILE}"));
        contact::update(self.service.core(), &Actor::operator(), &id, &fields, None).expect("an edit");
        run(3, &["pull"]);
        let conflicts: Value = serde_json::from_slice(&run(3, &["conflicts", "--json"])).expect("JSON");
        self.question = conflicts[0]["answer_key"].as_str().map_or_else(|| panic!("{conflicts}"), str::to_owned);
    }

    fn file_path(&self, name: &str) -> String {
        self.folder.path().join(format!("d{HOSTILE}")).join(name).to_string_lossy().into_owned()
    }

    /// Replaces the placeholders in a word of a command line.
    fn fill_placeholders(&self, word: &str) -> String {
        let mut word = word.replace("{hostile}", HOSTILE).replace("{hostile-folder}", &self.file_path(""));
        for name in ["seed", "text", "broken", "checks", "table"] {
            word = word.replace(&format!("{{{name}}}"), &self.file_path(name));
        }
        word = word.replace("{account}", &self.folder.path().join("account.roost").to_string_lossy());
        word = word.replace("{socket}", &self.folder.path().join("s\u{202e}").to_string_lossy());
        word = word.replace("{hostile-file}", &self.file_path("no/file"));
        word.replace("{url}", self.server.url()).replace("{question}", &self.question)
    }

    /// Returns the runs for one command. A variable has the same meaning for all commands, so each is tried once.
    fn runs_of(&self, name: &str, tried: &mut BTreeSet<String>) -> Vec<HostileRun> {
        let help = help_text(name);
        let of = |args: Vec<String>, variables: Vec<(String, String)>| HostileRun {
            args: name.split_whitespace().map(str::to_owned).chain(args).collect(),
            variables,
        };
        let ready = ("ROOST_READY_FILE".to_owned(), self.server.ready_file().to_string_lossy().into_owned());
        let cases = CASES.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, cases)| cases);
        let words =
            |case: &str| -> Vec<String> { case.split_whitespace().map(|word| self.fill_placeholders(word)).collect() };
        let mut runs: Vec<HostileRun> = cases.iter().map(|case| of(words(case), vec![ready.clone()])).collect();
        runs.push(of(vec![HOSTILE.to_owned()], Vec::new()));
        runs.push(of(vec![format!("--{HOSTILE}")], Vec::new()));
        let variables: Vec<(String, String)> = help_variables(&help).map(|name| (name, HOSTILE.to_owned())).collect();
        let untried = variables.iter().filter(|(name, _)| tried.insert(name.clone()));
        runs.extend(untried.map(|one| of(words(cases.first().unwrap_or(&"")), vec![one.clone()])));
        runs.push(of(vec!["--help".to_owned()], variables));
        let first = words(cases.first().unwrap_or(&""));
        for (flag, takes) in help_options(&help) {
            let files = ["text", "broken", "keys"].map(|name| self.file_path(name));
            let is_path = ["<FILE>", "<PATH>", "<DIR>"].contains(&takes.as_str());
            let values = if is_path { files.to_vec() } else { Vec::new() };
            for value in values.into_iter().chain([HOSTILE.to_owned()]) {
                let args = [flag.clone(), value].into_iter().chain(first.iter().cloned()).collect();
                runs.push(of(args, vec![ready.clone()]));
            }
        }
        if help.contains("<FILE>\n") || help.contains("<FILE>  ") || help.contains("<FILE>...") {
            let files = ["seed", "text", "broken", "keys", "yaml", "table", "none"];
            runs.extend(files.map(|name| of(vec![self.file_path(name)], vec![ready.clone()])));
        }
        // Commands that call a server call each hostile server.
        if help.contains("--url <URL>") || help.contains("--against <URL>") || name == "connect" {
            let token = ("ROOST_ADMIN_TOKEN".to_owned(), "t".repeat(20));
            for liar in &self.liars {
                for case in cases.iter().take(1).chain([&""]) {
                    let case = case.replace("{url}", liar);
                    let variables = vec![("ROOST_ADMIN_URL".to_owned(), liar.clone()), token.clone()];
                    runs.push(of(words(&case), variables));
                }
            }
        }
        if name == "pull" {
            runs.extend(self.liars.iter().map(|liar| {
                let script =
                    format!("{liar} --db {}", self.folder.path().join(format!("{}.roost", port_of(liar))).display());
                HostileRun { args: script.split(' ').map(str::to_owned).collect(), variables: Vec::new() }
            }));
        }
        runs
    }

    fn at_home(&self, command: &mut std::process::Command) {
        command.current_dir(self.folder.path()).env("HOME", self.folder.path());
        command.env("XDG_RUNTIME_DIR", self.folder.path()).env("XDG_DATA_HOME", self.folder.path());
        command.env("DBUS_SESSION_BUS_ADDRESS", "disabled:").env_remove("DISPLAY");
    }

    /// Returns the unsafe text that a run prints.
    fn find_leaks(&self, run: &HostileRun, worker: usize) -> Vec<String> {
        // An address and an account without a command mean: connect to it and pull.
        if run.args[0].starts_with("http") {
            let connect = ["connect"].map(str::to_owned).into_iter().chain(run.args.iter().cloned()).collect();
            let pull = ["pull"].map(str::to_owned).into_iter().chain(run.args[1..].iter().cloned()).collect();
            let both = [connect, pull].map(|args| HostileRun { args, variables: Vec::new() });
            return both.iter().flat_map(|run| self.find_leaks(run, worker)).collect();
        }
        let paths = ["out", "err"].map(|name| self.folder.path().join(format!("{name}{worker}")));
        let file = |path: &PathBuf| File::create(path).expect("a file");
        let mut command = command(&run.args);
        self.at_home(&mut command);
        command.envs(run.variables.iter().map(|(name, value)| (name, value)));
        command.stdout(file(&paths[0])).stderr(file(&paths[1]));
        let mut child = command.spawn().expect("the binary can be started");
        let begun = Instant::now();
        while child.try_wait().expect("a child can be waited for").is_none() {
            // A server that has printed its address prints nothing more.
            let serves = run.args[0] == "serve" && fs::metadata(&paths[0]).is_ok_and(|about| about.len() > 0);
            if serves {
                thread::sleep(Duration::from_millis(100));
            }
            if serves || begun.elapsed() > PATIENCE {
                child.kill().expect("our own child can be killed");
            }
            thread::sleep(Duration::from_millis(3));
        }
        let leaks = paths.iter().enumerate().filter_map(|(at, path)| {
            let bytes = fs::read(path).expect("a file");
            if at == 0 && DATA.iter().any(|name| name.split(' ').zip(&run.args).all(|(word, arg)| word == arg)) {
                return None;
            }
            let leak = first_unsafe(&bytes)?;
            Some(format!("{leak} in {:?} with {:?}: {:?}", run.args, run.variables, String::from_utf8_lossy(&bytes)))
        });
        leaks.collect()
    }
}

fn build_contact(n: usize) -> Value {
    json!({
        "uid": seeds::id("CON_", &format!("{n:05}")), "phone_number": seeds::mobile(n), "firstname": HOSTILE,
        "created_at": "2026-01-05 09:00:00",
    })
}

fn port_of(url: &str) -> &str {
    url.rsplit(':').next().unwrap_or_default()
}

/// Returns the first character that a terminal interprets.
fn first_unsafe(bytes: &[u8]) -> Option<String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Some("no UTF-8".to_owned()) };
    let is_unsafe = |c: &char| {
        c.is_control() && !['\n', '\t'].contains(c)
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().find(is_unsafe).map(|c| c.escape_unicode().to_string())
}

/// Returns the variables that a help text names.
fn help_variables(help: &str) -> impl Iterator<Item = String> {
    help.split("[env: ").skip(1).filter_map(|rest| Some(rest.split_once(['=', ']'])?.0.to_owned()))
}

/// Returns the options of a help text that take a value, with the kind of value.
fn help_options(help: &str) -> Vec<(String, String)> {
    let words = |line: &str| {
        let mut words = line.split_whitespace().skip_while(|word| !word.starts_with("--"));
        let (flag, value) = (words.next()?.to_owned(), words.next()?.to_owned());
        value.starts_with('<').then_some((flag, value))
    };
    help.lines().filter(|line| line.trim_start().starts_with('-')).filter_map(words).collect()
}
