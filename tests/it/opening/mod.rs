//! Errors of the account file at start: it is held, not readable, full or damaged. Each is reported in one line.

mod place;
mod starts;
mod strangers;

use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use roost_tests::{
    Client, Spawned,
    spawned::{binary, command},
    until,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::whole::{assert_whole, list_names};

const LISTS: &str = "/contacts/v1/lists/";
const CREATE: &str = "/contacts/v1/lists/create";

/// A folder with the name of an account file.
struct AccountFolder {
    folder: TempDir,
    file: PathBuf,
}

impl AccountFolder {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("account.roost");
        Self { folder, file }
    }

    /// A folder with an account of one list, closed properly.
    fn with_account() -> Self {
        let place = Self::new();
        let mut served = place.start_server();
        served.client().post(CREATE, &json!({ "name": "VIP" })).expect(200);
        assert!(served.terminate().success());
        place
    }

    fn serve_arguments(&self) -> [&str; 4] {
        ["--limits", "off", "--db", self.file.to_str().unwrap()]
    }

    fn start_server(&self) -> Spawned {
        Spawned::start(self.serve_arguments())
    }

    /// Returns the message of a start that fails with status 2, which is one line that names the file.
    fn refusal_message(&self) -> String {
        let mut command = command(["serve", "--port", "0"]);
        command.args(self.serve_arguments());
        error_line(&self.file, wait_for_end(command))
    }

    fn file_names(&self) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(self.folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Waits for a program that must end by itself and returns its output.
fn wait_for_end(mut command: Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary can be started");
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("it went on instead of ending: {:?}", child.wait_with_output().unwrap());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// Returns the single line of an error message.
#[track_caller]
fn error_line(file: &Path, output: Output) -> String {
    let stderr = String::from_utf8(output.stderr).unwrap();
    let is_open_elsewhere =
        ["is open in another process", "held by another program"].map(|words| stderr.contains(words));
    let status = if is_open_elsewhere.contains(&true) { 9 } else { 2 };
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    assert!(output.stdout.is_empty(), "nothing was served");
    assert!(stderr.contains(&*file.file_name().unwrap().to_string_lossy()) || stderr.contains("account"), "{stderr}");
    stderr
}

#[test]
fn a_server_that_ends_in_good_order_leaves_one_whole_file() {
    let place = AccountFolder::with_account();
    assert_eq!(place.file_names(), ["account.roost", "account.roost.lock"]);
    assert_whole(&place.file);
    assert_eq!(list_names(&place.file), ["VIP"]);
}

#[test]
fn the_second_process_learns_who_holds_the_file_and_the_first_continues() {
    let place = AccountFolder::with_account();
    let mut first = place.start_server();
    let message = place.refusal_message();
    assert!(message.contains("account.roost is open in another process"), "{message}");
    assert!(message.contains(&format!("process {}", first.pid())), "{message}");
    let export = wait_for_end(command(["export", "--db", place.file.to_str().unwrap()]));
    assert!(error_line(&place.file, export).contains("is open in another process"));
    first.client().post(CREATE, &json!({ "name": "More" })).expect(200);

    // Killing a process frees its file.
    first.kill();
    let mut third = place.start_server();
    assert_eq!(third.client().get(LISTS).items().len(), 2);
    assert!(third.terminate().success());
    assert_whole(&place.file);
}

/// Another program opens the file and holds it for writing.
#[test]
fn a_file_that_another_program_holds_still_answers_reads_and_nothing_is_lost() {
    let place = AccountFolder::with_account();
    let mut served = place.start_server();
    let client = served.client();
    let other = rusqlite::Connection::open(&place.file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE lists SET name = 'theirs'").unwrap();
    let begun = Instant::now();
    client.post(CREATE, &json!({ "name": "More" })).expect(500);
    assert!(begun.elapsed() < Duration::from_secs(5), "a caller waits {:?}", begun.elapsed());
    assert_eq!(client.get(LISTS).column("name"), ["VIP"]);
    assert!(served.stderr().contains("held by another program"), "{}", served.stderr());
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    client.post(CREATE, &json!({ "name": "More" })).expect(200);
    assert!(served.terminate().success());
    assert_whole(&place.file);
    assert_eq!(list_names(&place.file), ["VIP", "More"]);
}

#[test]
fn a_newer_an_altered_and_a_foreign_file_are_refused_by_name() {
    let table = [
        ("INSERT INTO refinery_schema_history VALUES (999, 'later', '2030-01-01T00:00:00Z', '1')", "newer Roost"),
        ("UPDATE refinery_schema_history SET checksum = '1'", "step 1 (account)"),
        ("CREATE TABLE notes (text TEXT)", "has notes, which is not Roost's"),
        ("DROP TABLE refinery_schema_history", "another program"),
    ];
    for (sql, words) in table {
        let place = AccountFolder::with_account();
        rusqlite::Connection::open(&place.file).unwrap().execute_batch(sql).unwrap();
        let before = fs::read(&place.file).unwrap();
        let message = place.refusal_message();
        assert!(message.contains("account.roost") && message.contains(words), "{message}");
        assert!(fs::read(&place.file).unwrap() == before, "{sql}: the file is left alone");
        assert_whole(&place.file);
    }
}

#[test]
fn a_damaged_file_stays_where_it_is_until_it_is_set_aside() {
    let place = AccountFolder::with_account();
    let whole = fs::read(&place.file).unwrap();
    let copy = place.folder.path().join("account.roost.v5-20260105-090000.backup");
    fs::write(&copy, &whole).unwrap();
    fs::write(&place.file, &whole[..whole.len() / 2]).unwrap();
    let names = place.file_names();
    for verb in ["serve", "export", "status", "pull", "plan", "runs", "conflicts", "push"] {
        let mut command = command([verb, "--db"]);
        command.arg(&place.file);
        if verb == "serve" {
            command.args(["--port", "0"]);
        }
        let message = error_line(&place.file, wait_for_end(command));
        assert!(message.contains("is damaged") && message.contains("Nothing was changed"), "{verb}: {message}");
        assert!(
            message.contains(&*copy.to_string_lossy()) && message.contains("roost set-aside --db"),
            "{verb}: {message}"
        );
        assert!(fs::read(&place.file).unwrap() == whole[..whole.len() / 2], "{verb}");
        assert_eq!(place.file_names(), names, "{verb}");
    }
    let set_aside = wait_for_end(command(["set-aside", "--db", place.file.to_str().unwrap()]));
    let stdout = String::from_utf8(set_aside.stdout).unwrap();
    let aside = place.file_names().into_iter().find(|name| name.contains(".damaged-")).unwrap();
    assert!(stdout.contains(&aside) && stdout.contains("Nothing was deleted"), "{stdout}");
    assert!(fs::read(place.folder.path().join(aside)).unwrap() == whole[..whole.len() / 2], "every byte is kept");
    fs::copy(&copy, &place.file).unwrap();
    let mut served = place.start_server();
    assert_eq!(served.client().get(LISTS).items().len(), 1);
    assert!(served.terminate().success());
}

/// Runs commands as a person pastes them from a message into a shell.
fn run_in_shell(commands: &[&str]) {
    for line in commands {
        let call = line.strip_prefix("roost ").expect("a command of roost");
        let in_shell = |more: &str| {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("{} {call}{more}", binary().display())]);
            wait_for_end(shell)
        };
        let mut ended = in_shell("");
        // The damaged file may have had more opt-outs than can be read.
        if String::from_utf8_lossy(&ended.stderr).contains("Add --keep-opt-outs") {
            ended = in_shell(" --keep-opt-outs");
        }
        assert!(matches!(ended.status.code(), Some(0 | 1)), "{line}: {ended:?}");
    }
}

#[test]
fn the_commands_of_a_message_can_be_pasted_whatever_the_name_of_the_file() {
    let place = AccountFolder::with_account();
    let whole = fs::read(&place.file).unwrap();
    let folder = place.folder.path().join("Ada's $HOME files");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("my account.roost");
    fs::write(folder.join("my account.roost.v5-20260105-090000.backup"), &whole).unwrap();
    let damage = || fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let run = |args: &[&str]| wait_for_end(command([args, &["--db", file.to_str().unwrap()]].concat()));

    damage();
    let message = String::from_utf8(run(&["status"]).stderr).unwrap();
    run_in_shell(&message.split('`').skip(1).step_by(2).collect::<Vec<_>>());
    assert_eq!(list_names(&file), ["VIP"], "{message}");

    fs::remove_file(&file).unwrap();
    let message = String::from_utf8(run(&["status"]).stderr).unwrap();
    run_in_shell(&message.split('`').skip(1).step_by(2).collect::<Vec<_>>());
    assert_eq!(list_names(&file), ["VIP"], "{message}");

    for verb in ["check", "doctor"] {
        damage();
        let args = if verb == "doctor" { &["doctor"][..] } else { &["account", "check"] };
        let message = String::from_utf8(run(args).stdout).unwrap();
        let is_command = |line: &&str| line.starts_with("roost set-aside") || line.starts_with("roost account restore");
        let commands: Vec<_> = message.lines().map(str::trim).filter(is_command).collect();
        assert_eq!(commands.len(), 2, "{message}");
        run_in_shell(&commands);
        assert_eq!(list_names(&file), ["VIP"], "{message}");
    }
}

#[test]
fn a_missing_folder_is_reported() {
    let place = AccountFolder::new();
    let nowhere = place.folder.path().join("no/such/account.roost");
    let mut command = command(["serve", "--port", "0", "--db"]);
    command.arg(&nowhere);
    let message = error_line(&nowhere, wait_for_end(command));
    assert!(message.contains("its folder does not exist"), "{message}");
}

/// A user without administrator rights. File permissions do not stop root, so root switches to that user.
struct UnprivilegedUser {
    /// A copy of the binary that this user may read.
    _folder: Option<TempDir>,
    binary: PathBuf,
    owner: Option<u32>,
}

const NOBODY: u32 = 65_534;

impl UnprivilegedUser {
    fn new() -> Self {
        let probe = TempDir::new().unwrap();
        fs::set_permissions(probe.path(), fs::Permissions::from_mode(0o500)).unwrap();
        if fs::write(probe.path().join("probe"), "").is_err() {
            return Self { _folder: None, binary: binary(), owner: None };
        }
        let folder = TempDir::new().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let copy = folder.path().join("roost");
        fs::copy(binary(), &copy).unwrap();
        Self { _folder: Some(folder), binary: copy, owner: Some(NOBODY) }
    }

    fn take_ownership(&self, path: &Path) {
        if let Some(owner) = self.owner {
            chown(path, Some(owner), Some(owner)).unwrap();
        }
    }

    fn serve_command(&self, place: &AccountFolder) -> Command {
        let mut command = match self.owner {
            None => Command::new(&self.binary),
            Some(owner) => {
                let mut command = Command::new("setpriv");
                let user = [format!("--reuid={owner}"), format!("--regid={owner}"), "--clear-groups".to_owned()];
                command.args(user).arg(&self.binary);
                command
            }
        };
        command.args(["serve", "--port", "0"]).args(place.serve_arguments());
        command
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A modification of the account's folder before it is opened.
type FolderChange = fn(&AccountFolder);

#[test]
fn what_cannot_be_written_is_reported_and_left_alone() {
    let anybody = UnprivilegedUser::new();
    let table: [(&str, FolderChange); 6] = [
        ("a file to read only", |place| set_mode(&place.file, 0o444)),
        ("a file not even to read", |place| set_mode(&place.file, 0o000)),
        ("a folder to read only", |place| set_mode(place.folder.path(), 0o555)),
        ("a folder to read only, without a lock yet", |place| {
            fs::remove_file(place.folder.path().join("account.roost.lock")).unwrap();
            set_mode(place.folder.path(), 0o555);
        }),
        ("a lock to read only", |place| set_mode(&place.folder.path().join("account.roost.lock"), 0o444)),
        ("a folder to read only, and no file", |place| {
            fs::remove_file(&place.file).unwrap();
            set_mode(place.folder.path(), 0o555);
        }),
    ];
    for (case, spoil) in table {
        let place = AccountFolder::with_account();
        anybody.take_ownership(place.folder.path());
        for name in place.file_names() {
            anybody.take_ownership(&place.folder.path().join(name));
        }
        let before = fs::read(&place.file).unwrap();
        spoil(&place);
        let message = error_line(&place.file, wait_for_end(anybody.serve_command(&place)));
        let verb = if case == "a file not even to read" { "read" } else { "written" };
        assert!(message.contains(&format!("account.roost cannot be {verb}")), "{case}: {message}");
        set_mode(place.folder.path(), 0o755);
        if place.file.exists() {
            set_mode(&place.file, 0o644);
            assert!(fs::read(&place.file).unwrap() == before, "{case}: the file is left alone");
            assert_whole(&place.file);
            assert_eq!(list_names(&place.file), ["VIP"], "{case}");
        }
    }
}

/// A small file system that can be filled and freed, if the tests may mount one.
struct SmallRoom {
    place: AccountFolder,
}

impl SmallRoom {
    fn mount(size: &str) -> Option<Self> {
        let place = AccountFolder::new();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(place.folder.path())
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self { place }),
            other => {
                eprintln!(
                    "NOT RUN on a full disk, only against a limit of size: mounting needs more rights ({other:?})"
                );
                None
            }
        }
    }

    fn ballast_path(&self) -> PathBuf {
        self.place.folder.path().join("ballast")
    }

    /// Fills the file system except for about this much.
    fn fill(&self, leave: usize) {
        use std::io::Write;
        let mut ballast = fs::File::create(self.ballast_path()).unwrap();
        while ballast.write_all(&[0; 4_096]).is_ok() {}
        let size = ballast.metadata().unwrap().len();
        ballast.set_len(size.saturating_sub(leave as u64)).unwrap();
    }

    fn free(&self) {
        fs::remove_file(self.ballast_path()).unwrap();
    }
}

impl Drop for SmallRoom {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(self.place.folder.path()).status());
    }
}

/// Creates lists until that fails and returns the names of the acknowledged ones.
fn fill_up(client: &Client) -> Vec<String> {
    let mut made = Vec::new();
    for n in 0..20_000 {
        let name = format!("{n:05}{}", "x".repeat(115));
        let answer = client.post(CREATE, &json!({ "name": name }));
        match answer.status {
            200 => made.push(name),
            _ => {
                let response = answer.expect(500).json();
                assert_eq!(response["code"], "ERR_CNT_SYS_001");
                assert_eq!(response["message"], "Internal server error occurred", "the cause is for the log");
                assert!(n > 10, "there was room for {n} lists only");
                return made;
            }
        }
    }
    panic!("the room never got full");
}

/// Checks that without space, reads and refusals work, writes fail, and acknowledged records exist.
fn assert_survives_full_disk(client: &Client, made: usize) {
    for _ in 0..20 {
        client.post(CREATE, &json!({ "name": "x".repeat(120) })).expect(500);
        let found = client.get(format!("{LISTS}?page_size=1")).ok();
        assert_eq!(found["paging"]["total_items"], made, "nothing more than was acknowledged");
    }
    client.post(CREATE, &json!({ "name": "" })).expect(400);
    client.get("/assets/v1/senders/").expect(200);
    client.get("/contacts/v1/optouts").expect(200);
}

/// Checks that everything works again once there is space. Creates a list with this name.
fn assert_works_again(client: &Client) {
    let answer = until("a list can be created again", || {
        let answer = client.post(CREATE, &json!({ "name": "after" }));
        (answer.status == 200).then_some(answer)
    });
    let list = answer.json()["uid"].as_str().unwrap().to_owned();
    let job =
        json!({ "list_id": list, "merge_type": "allowDuplicates", "contacts": [{ "phone_number": "07700900001" }] });
    client.post("/contacts/v1/contacts", &job).expect(200);
    until("the job has run", || {
        let found = client.get(format!("/contacts/v1/contacts/list/{list}")).items();
        (found.len() == 1).then_some(())
    });
}

fn assert_lists(file: &Path, before: &[&str], made: Vec<String>) {
    assert_whole(file);
    let expected = before.iter().map(|name| (*name).to_owned()).chain(made).chain(["after".to_owned()]);
    assert_eq!(list_names(file), expected.collect::<Vec<_>>());
}

#[test]
fn a_full_disk_loses_nothing_and_is_overcome() {
    let Some(room) = SmallRoom::mount("8m") else { return };
    let mut served = room.place.start_server();
    let client = served.client();
    room.fill(2_000_000);
    let made = fill_up(&client);
    assert_survives_full_disk(&client, made.len());
    assert!(served.stderr().contains("no room left"), "{}", served.stderr());
    room.free();
    assert_works_again(&client);
    assert!(served.terminate().success(), "{}", served.stderr());
    assert_lists(&room.place.file, &[], made);
}

#[test]
fn a_start_without_room_is_refused_and_works_later() {
    let Some(room) = SmallRoom::mount("2m") else { return };
    room.fill(0);
    let message = room.place.refusal_message();
    assert!(message.contains("no room left on the device"), "{message}");
    room.free();
    room.fill(40_000);
    let message = room.place.refusal_message();
    assert!(message.contains("no room left on the device"), "{message}");
    room.free();
    let mut served = room.place.start_server();
    served.client().post(CREATE, &json!({ "name": "VIP" })).expect(200);
    assert!(served.terminate().success());
    assert_eq!(list_names(&room.place.file), ["VIP"]);
}

/// A job that finds no space waits and runs when there is some.
#[test]
fn a_job_without_room_waits_for_it() {
    let Some(room) = SmallRoom::mount("12m") else { return };
    let mut served = room.place.start_server();
    let client = served.client();
    let list = client.post(CREATE, &json!({ "name": "VIP" })).ok()["uid"].as_str().unwrap().to_owned();
    let contact = |n: usize| json!({ "phone_number": format!("+44770090{:04}", n % 1_000), "address_1": "x".repeat(255), "address_2": "y".repeat(255) });
    let job = json!({ "list_id": list, "merge_type": "allowDuplicates", "contacts": (0..4_000).map(contact).collect::<Vec<_>>() });
    // There is space for the request but not for its result.
    served.signal("STOP");
    room.fill(4_000_000);
    served.signal("CONT");
    client.post("/contacts/v1/contacts", &job).expect(200);
    until("the job has failed once", || served.stderr().contains("no room left").then_some(()));
    assert_eq!(client.get(format!("/contacts/v1/contacts/list/{list}")).items().len(), 0, "all or nothing");
    room.free();
    until("the job has run", || {
        let found = client.get(format!("/contacts/v1/contacts/list/{list}?page_number=1&page_size=1")).ok();
        (found["paging"]["total_items"] == 4_000).then_some(())
    });
    assert!(served.terminate().success());
    assert_whole(&room.place.file);
}

/// A `roost serve` whose files may not exceed this size in KiB. It ends when dropped.
struct LimitedServer {
    child: Child,
    folder: TempDir,
    client: Client,
}

impl LimitedServer {
    fn start_server(place: &AccountFolder, kib: u32) -> Self {
        let folder = TempDir::new().unwrap();
        let ready = folder.path().join("ready.json");
        // Only the soft limit is set, so that it can be lifted. An ignored signal stays ignored.
        let script = "trap '' XFSZ; ulimit -S -f \"$1\"; shift; exec \"$@\"";
        let mut command = Command::new("bash");
        command.args(["-c", script, "bash", &kib.to_string()]).arg(binary());
        command.args(["serve", "--port", "0", "--ready-file"]).arg(&ready).args(place.serve_arguments());
        command.stdout(Stdio::null()).stderr(fs::File::create(folder.path().join("stderr")).unwrap());
        let child = command.spawn().unwrap();
        let ready: Value = until("it is ready", || serde_json::from_slice(&fs::read(&ready).ok()?).ok());
        let address = ready["url"].as_str().unwrap().trim_start_matches("http://").parse().unwrap();
        Self { child, folder, client: Client::new(address) }
    }

    fn stderr_text(&self) -> String {
        fs::read_to_string(self.folder.path().join("stderr")).unwrap()
    }

    fn lift_limit(&self) {
        let lifted =
            Command::new("prlimit").args(["--pid", &self.child.id().to_string(), "--fsize=unlimited"]).status();
        assert!(lifted.unwrap().success());
    }
}

impl Drop for LimitedServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// This works wherever tests run. A limit on the size of files causes a device error, not a full disk.
#[test]
fn a_file_that_may_not_grow_loses_nothing_and_is_overcome() {
    let place = AccountFolder::with_account();
    let served = LimitedServer::start_server(&place, 1_600);
    let made = fill_up(&served.client);
    assert_survives_full_disk(&served.client, made.len() + 1);
    let stderr = served.stderr_text();
    assert!(stderr.contains("no room left") || stderr.contains("The device that holds the account failed"), "{stderr}");
    served.lift_limit();
    assert_works_again(&served.client);
    drop(served);
    assert_lists(&place.file, &["VIP"], made);
}
