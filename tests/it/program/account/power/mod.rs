//! The power fails at any moment of a command. What a command reported as done is on the disk, and what it had not
//! finished is there whole or not at all.

mod disk;
mod trace;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use disk::{Disk, Loss};
use rand::{SeedableRng, rngs::StdRng};
use roost_ops::{Core, Ctx, Error, account::backup};
use roost_tests::{Client, leaks, seeds, spawned::command, until};
use serde_json::{Value, json};
use tempfile::TempDir;
use trace::{DiskCall, Recording};

use crate::whole::{assert_whole, read_rows};

/// Two random losses, because each is only one of many.
const LOSSES: [Loss; 5] = [Loss::Everything, Loss::Content, Loss::Names, Loss::Random, Loss::Random];

/// What an account holds, as text.
type AccountContents = Vec<String>;

/// Commands on an account, with everything that they did to its folder.
struct RecordedCommands {
    folder: TempDir,
    before: Disk,
    /// The account before the first command; `None` if there is none yet.
    contents: Option<AccountContents>,
    commands: Vec<RecordedCommand>,
}

struct RecordedCommand {
    name: String,
    calls: Vec<DiskCall>,
    /// The account after the command, and the number of its copies.
    contents: AccountContents,
    copies: usize,
    /// Whether the command is done once it prints something.
    is_done_when_printing: bool,
}

impl RecordedCommands {
    /// Begins with what is in the folder.
    fn new(folder: TempDir) -> Self {
        let before = Disk::read(folder.path());
        let contents = folder.path().join("shop.roost").is_file().then(|| read_copy(folder.path()));
        Self { folder, before, contents, commands: Vec::new() }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    /// Runs a command that does what it was asked to, and returns what it printed.
    fn run(&mut self, args: &[&str]) -> String {
        let name = args.join(" ").replace(&*self.folder.path().to_string_lossy(), "");
        let program: Command = command(args);
        let (output, calls) = Recording::start(&program).finish(self.folder.path());
        // An import ends with 3 if some values of the file are not imported.
        assert!(matches!(output.status.code(), Some(0 | 3)), "{name}: {output:?}");
        self.commands.push(RecordedCommand {
            name,
            calls,
            contents: read_copy(self.folder.path()),
            copies: list_copies(self.folder.path()).len(),
            is_done_when_printing: true,
        });
        self.assert_recorded();
        String::from_utf8(output.stdout).expect("text")
    }

    /// Runs a server on the account while `send` sends requests, each of which changes the account. `contents` are those
    /// after each request.
    fn serve(&mut self, send: impl FnOnce(&Client), contents: Vec<AccountContents>) {
        let ready_folder = TempDir::new().expect("a folder");
        let ready_file = ready_folder.path().join("ready.json");
        let mut program = command(["serve", "--port", "0", "--db", &self.path("shop.roost"), "--ready-file"]);
        program.arg(&ready_file);
        let recording = Recording::start(&program);
        let ready: Value = until("the server is ready", || serde_json::from_slice(&fs::read(&ready_file).ok()?).ok());
        let url = ready["url"].as_str().expect("an address");
        let address = url.trim_start_matches("http://").trim_end_matches('/').parse().expect("an address");
        send(&Client::new(address));
        let stopped = Command::new("kill").arg(ready["pid"].to_string()).status().expect("kill exists");
        assert!(stopped.success());
        let (output, calls) = recording.finish(self.folder.path());
        assert!(output.status.success(), "{output:?}");
        let mut all = contents.into_iter();
        for (number, calls) in calls.split_inclusive(|call| matches!(call, DiskCall::Respond)).enumerate() {
            // What follows the last response ends the server.
            let contents = all.next().unwrap_or_else(|| self.commands.last().expect("a request").contents.clone());
            self.commands.push(RecordedCommand {
                name: format!("request {}", number + 1),
                calls: calls.to_vec(),
                contents,
                copies: 0,
                is_done_when_printing: false,
            });
        }
        assert_eq!(all.next(), None, "each request was answered");
        assert_eq!(self.commands.last().map(|command| &command.contents), Some(&read_copy(self.folder.path())));
        self.assert_recorded();
    }

    /// Returns the disk after all commands.
    fn last_disk(&self) -> Disk {
        let mut disk = self.before.clone();
        for call in self.commands.iter().flat_map(|command| &command.calls) {
            disk.apply(call);
        }
        disk
    }

    /// Checks that the recorded calls lead to the files that are there.
    fn assert_recorded(&self) {
        let disk = self.last_disk();
        let recorded: Vec<_> = disk.contents().into_keys().collect();
        let mut real = leaks::files(self.folder.path());
        real.sort();
        assert_eq!(recorded, real);
        for (path, content) in disk.contents() {
            // SQLite writes this file through a memory map, and builds it anew after a power cut.
            if !path.to_string_lossy().ends_with("-shm") {
                assert!(fs::read(path).expect("a file") == content, "{} was recorded otherwise", path.display());
            }
        }
    }

    /// Cuts the power at every moment of every command, and after it. Returns the number of cuts.
    fn assert_cuts_lose_nothing(&self) -> usize {
        let mut random = StdRng::seed_from_u64(0x9e37);
        let mut disk = self.before.clone();
        let mut contents = self.contents.as_ref();
        let mut count = 0;
        for recorded in &self.commands {
            let after = Some(&recorded.contents);
            let done = AllowedRemains { contents: [after, after], copies: recorded.copies };
            let mut allowed = AllowedRemains { contents: [contents, after], copies: 0 };
            for (position, call) in recorded.calls.iter().enumerate() {
                if matches!(call, DiskCall::Print) && recorded.is_done_when_printing {
                    allowed = done;
                }
                if call.is_moment_to_cut() {
                    let moment = format!("{}, before call {position}: {}", recorded.name, describe(call));
                    count += self.cut(&disk, &moment, allowed, &mut random);
                }
                disk.apply(call);
            }
            count += self.cut(&disk, &format!("after {}", recorded.name), done, &mut random);
            contents = after;
        }
        count
    }

    /// Checks what is left of the account and its copies.
    fn cut(&self, disk: &Disk, moment: &str, allowed: AllowedRemains<'_>, random: &mut StdRng) -> usize {
        for loss in LOSSES {
            let remains = TempDir::new().expect("a folder");
            disk.write_remains(self.folder.path(), loss, random, remains.path());
            let account = remains.path().join("shop.roost");
            let found = account.is_file().then(|| read_account(&account));
            let found = found.transpose().unwrap_or_else(|why| panic!("{moment}, {loss:?} is lost: {why}"));
            assert!(
                allowed.contents.contains(&found.as_ref()),
                "{moment}, {loss:?} is lost: {found:#?} instead of one of {:#?}",
                allowed.contents
            );
            let copies = list_copies(remains.path());
            assert!(copies.len() >= allowed.copies, "{moment}, {loss:?} is lost: {copies:?}");
            for copy in copies {
                let sound = backup::summarize_file(&copy);
                assert!(sound.is_ok(), "{moment}, {loss:?} is lost: {}: {:?}", copy.display(), sound.err());
            }
        }
        LOSSES.len()
    }

    /// Returns what a cut after the last command leaves.
    fn last_remains(&self, loss: Loss) -> TempDir {
        let remains = TempDir::new().expect("a folder");
        self.last_disk().write_remains(self.folder.path(), loss, &mut StdRng::seed_from_u64(7), remains.path());
        remains
    }
}

/// What may be left after a cut: one of two states of the account, and at least so many copies.
#[derive(Clone, Copy)]
struct AllowedRemains<'a> {
    contents: [Option<&'a AccountContents>; 2],
    copies: usize,
}

fn describe(call: &DiskCall) -> String {
    let text = format!("{call:?}");
    text.chars().take(200).collect()
}

fn list_copies(folder: &Path) -> Vec<PathBuf> {
    leaks::files(folder).into_iter().filter(|path| path.extension().is_some_and(|end| end == "backup")).collect()
}

/// Reads a copy of an account, because opening one changes its files.
fn read_copy(folder: &Path) -> AccountContents {
    let copy = TempDir::new().expect("a folder");
    Disk::read(folder).write_remains(folder, Loss::Names, &mut StdRng::seed_from_u64(0), copy.path());
    read_account(&copy.path().join("shop.roost")).expect("an account")
}

fn read_account(account: &Path) -> Result<AccountContents, Error> {
    drop(Core::open(account, Ctx::system())?);
    assert_whole(account);
    let tables = [
        "SELECT 'list', name, contact_count FROM lists ORDER BY id",
        "SELECT 'contact', phone, firstname FROM contacts ORDER BY id",
        "SELECT 'opt-out', number, channel FROM opt_outs ORDER BY number, channel",
    ];
    let row = |row: Vec<Option<String>>| row.into_iter().flatten().collect::<Vec<_>>().join(" ");
    Ok(tables.iter().flat_map(|sql| read_rows(account, sql)).map(row).collect())
}

/// Writes a file of contacts outside of the folder.
fn write_contacts(file: &Path, numbers: std::ops::Range<usize>, name: &str) {
    let rows: String = numbers.map(|n| format!("{},{name} {n}\n", seeds::mobile(n))).collect();
    fs::write(file, format!("Phone,First name\n{rows}")).expect("a file");
}

#[test]
fn a_power_cut_at_any_moment_of_a_command_loses_nothing_that_was_reported_as_done() {
    let inputs = TempDir::new().expect("a folder");
    let (first, second) = (inputs.path().join("first.csv"), inputs.path().join("second.csv"));
    write_contacts(&first, 0..60, "Ann");
    write_contacts(&second, 40..90, "Bea");
    let (first, second) = (first.to_string_lossy().into_owned(), second.to_string_lossy().into_owned());

    let mut recorded = RecordedCommands::new(TempDir::new().expect("a folder"));
    let db = recorded.path("shop.roost");
    recorded.run(&["account", "new", &db, "--name", "Shop", "--country", "GB"]);
    recorded.run(&["import", &first, "--db", &db, "--list", "Spring"]);
    recorded.run(&["optouts", "add", &seeds::mobile(3), "--db", &db, "--reason", "asked by phone"]);
    let copy = recorded.run(&["account", "backup", "--db", &db, "--json"]);
    let copy: Value = serde_json::from_str(&copy).expect("JSON");
    recorded.run(&["import", &second, "--db", &db, "--list", "Spring"]);
    recorded.run(&["optouts", "add", &seeds::mobile(4), "--db", &db, "--reason", "asked by phone"]);
    let copy = copy["file"].as_str().expect("a path").to_owned();
    recorded.run(&["account", "restore", &copy, "--db", &db, "--keep-opt-outs"]);

    let distinct: BTreeSet<_> = recorded.commands.iter().map(|command| &command.contents).collect();
    assert!(distinct.len() >= 5, "most commands change the account");
    let cuts = recorded.assert_cuts_lose_nothing();
    assert!(cuts > 500, "{cuts} cuts");
}

#[test]
fn an_erasure_that_was_reported_as_done_outlives_a_power_cut_and_no_cut_breaks_a_copy() {
    let inputs = TempDir::new().expect("a folder");
    let file = inputs.path().join("people.csv");
    write_contacts(&file, 0..40, "Ann");
    let mut recorded = RecordedCommands::new(TempDir::new().expect("a folder"));
    let db = recorded.path("shop.roost");
    recorded.run(&["account", "new", &db, "--name", "Shop", "--country", "GB"]);
    recorded.run(&["import", &file.to_string_lossy(), "--db", &db, "--list", "Spring"]);
    recorded.run(&["account", "backup", "--db", &db]);
    let mut recorded = RecordedCommands::new(recorded.folder);
    let number = seeds::mobile(7);
    let erase = ["account", "erase", "--db", &db, "--number", &number];
    let planned = recorded.run(&[&erase[..], &["--dry-run", "--json"]].concat());
    let planned: Value = serde_json::from_str(&planned).expect("JSON");
    recorded.run(&[&erase[..], &["--confirm-count", &planned["rows"].to_string()]].concat());
    assert_eq!(recorded.commands[1].contents.len(), recorded.commands[0].contents.len() - 1);
    recorded.assert_cuts_lose_nothing();
    let digits = number.trim_start_matches('+').as_bytes();
    for loss in LOSSES {
        for file in leaks::files(recorded.last_remains(loss).path()) {
            let bytes = fs::read(&file).expect("a file");
            let is_held = bytes.windows(digits.len()).any(|part| part == digits);
            assert!(!is_held, "{loss:?} is lost: {} holds the number", file.display());
        }
    }
}

#[test]
fn a_power_cut_while_an_older_account_is_upgraded_loses_nothing_in_it() {
    // All upgrades run the same code: the first has the most steps, and the last has one.
    for version in [1, Core::schema_version() - 1] {
        let folder = TempDir::new().expect("a folder");
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/accounts/v{version}.roost"));
        fs::copy(kept, folder.path().join("shop.roost")).expect("a copy");
        let mut recorded = RecordedCommands::new(folder);
        let db = recorded.path("shop.roost");
        recorded.run(&["optouts", "add", &seeds::mobile(999), "--db", &db, "--reason", "asked by phone"]);
        assert!(recorded.contents.as_ref().is_some_and(|before| before.len() < recorded.commands[0].contents.len()));
        recorded.assert_cuts_lose_nothing();
    }
}

#[test]
fn a_power_cut_loses_nothing_to_which_the_server_responded() {
    let mut recorded = RecordedCommands::new(TempDir::new().expect("a folder"));
    let db = recorded.path("shop.roost");
    recorded.run(&["account", "new", &db, "--name", "Shop", "--country", "GB"]);
    let names: Vec<String> = (1..=5).map(|number| format!("List {number}")).collect();
    let send = |client: &Client| {
        for name in &names {
            client.post("/contacts/v1/lists/create", &json!({ "name": name })).expect(200);
        }
    };
    let contents = |count: usize| names[..count].iter().map(|name| format!("list {name} 0")).collect();
    recorded.serve(send, (1..=names.len()).map(contents).collect());
    recorded.assert_cuts_lose_nothing();
}
