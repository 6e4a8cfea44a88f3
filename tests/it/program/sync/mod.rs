//! `roost connect`, `pull`, `plan`, `push`, `status`, `runs` and `report`, as processes against a service.

mod between;
mod cut_off;
mod erasures;
mod key;
mod questions;
mod refusals;
mod report;
mod shown;
mod statuses;
mod walk;

use std::process::{Child, Command, Stdio};

use roost_model::id::{ContactId, ListId};
use roost_ops::{Actor, Core, Ctx, contact};
use roost_tests::{Served, Setup, seeds, spawned::command, until};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The list of the service at the start.
const LIST: &str = "VIP";

fn list_id() -> ListId {
    ListId::parse(&seeds::id("LST_", "1")).expect("an identifier")
}

/// Returns the ID of the service's `n`th contact, which has the `n`th mobile number.
fn contact_id(n: usize) -> ContactId {
    ContactId::parse(&seeds::id("CON_", &format!("{n:05}"))).expect("an identifier")
}

fn field_values(pairs: &[(&str, &str)]) -> contact::FieldValues {
    pairs.iter().map(|(field, value)| ((*field).to_owned(), Some((*value).to_owned()))).collect()
}

/// Starts a service with one list of this many contacts that accepts every key.
fn start_service(contacts: usize) -> Served {
    let list = seeds::filled_list(list_id().as_str(), LIST, contacts);
    Setup::new().set("auth", "off").seed(json!({ "lists": [list] })).serve()
}

fn rename_at_service(api: &Served, n: usize, name: &str) {
    contact::update(api.core(), &Actor::operator(), &contact_id(n), &field_values(&[("firstname", name)]), None)
        .expect("an edit");
}

/// Returns the contacts of the list at the service, by number with their first names.
fn service_contacts(api: &Served) -> Vec<(String, String)> {
    let path = format!("/contacts/v1/contacts/list/{}?page_number=1&page_size=100", list_id());
    let text = |contact: &Value, key: &str| contact[key].as_str().unwrap_or_default().to_owned();
    let items = api.get(path).items();
    let mut all: Vec<_> = items.iter().map(|one| (text(one, "phone_number"), text(one, "firstname"))).collect();
    all.sort();
    all
}

/// An account in a separate folder, and a home without a keyring.
struct SyncFolder(TempDir);

/// The result of a process.
struct EndedProcess {
    status: Option<i32>,
    out: String,
    err: String,
}

impl SyncFolder {
    fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    /// Creates a place that is connected without a key and has pulled once.
    #[track_caller]
    fn pulled_from(api: &Served) -> Self {
        let place = Self::new();
        place.run_expecting(0, &["connect", api.url()]);
        place.run_expecting(0, &["pull"]);
        place
    }

    fn file_path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    /// Returns a verb with its arguments and the account.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = command(args.iter().copied().chain(["--db", &self.file_path("account.roost")]));
        command.env("HOME", self.0.path()).env("XDG_RUNTIME_DIR", self.0.path());
        command.env("DBUS_SESSION_BUS_ADDRESS", "disabled:").env_remove("DISPLAY");
        command
    }

    fn run_verb(&self, args: &[&str]) -> EndedProcess {
        wait_for_end(self.command(args))
    }

    /// Returns the standard output of a command that must end with this status.
    #[track_caller]
    fn run_expecting(&self, status: i32, args: &[&str]) -> String {
        let ended = self.run_verb(args);
        assert_eq!(ended.status, Some(status), "{args:?}: {}{}", ended.out, ended.err);
        ended.out
    }

    #[track_caller]
    fn run_for_json(&self, status: i32, args: &[&str]) -> Value {
        let stdout = self.run_expecting(status, args);
        serde_json::from_str(&stdout).unwrap_or_else(|why| panic!("{why}: {stdout}"))
    }

    /// Returns the single line of a command that must fail with this status and print nothing else.
    #[track_caller]
    fn run_failing(&self, status: i32, args: &[&str]) -> String {
        run_failing(status, self.command(args))
    }

    /// Changes the account while no process has it open.
    fn edit_account<T>(&self, act: impl FnOnce(&Core) -> T) -> T {
        let core = Core::open(self.file_path("account.roost").as_ref(), Ctx::system()).expect("the account");
        let done = act(&core);
        core.end_background_work();
        done
    }

    fn rename_contact(&self, n: usize, name: &str) {
        self.edit_account(|core| {
            contact::update(core, &Actor::user(None), &contact_id(n), &field_values(&[("firstname", name)]), None)
                .expect("an edit")
        });
    }

    fn delete_contacts(&self, contacts: std::ops::Range<usize>) {
        self.edit_account(|core| {
            for n in contacts {
                contact::delete(core, &Actor::user(None), &contact_id(n)).expect("deleted");
            }
        });
    }
}

fn wait_for_end(mut command: Command) -> EndedProcess {
    let output = command.output().expect("the binary can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    EndedProcess { status: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

#[track_caller]
fn run_failing(status: i32, command: Command) -> String {
    let ended = wait_for_end(command);
    assert_eq!(ended.status, Some(status), "{}{}", ended.out, ended.err);
    assert!(ended.out.is_empty(), "{}", ended.out);
    assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    ended.err
}

/// A running process that writes its output to files.
struct RunningProcess {
    child: Child,
    folder: TempDir,
}

impl RunningProcess {
    fn start(mut command: Command) -> Self {
        let folder = TempDir::new().expect("a folder");
        let file = |name: &str| std::fs::File::create(folder.path().join(name)).expect("a file");
        let child = command.stdin(Stdio::null()).stdout(file("out")).stderr(file("err")).spawn();
        Self { child: child.expect("the binary can be started"), folder }
    }

    fn read_output(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).expect("a file")
    }

    fn interrupt(&self) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("kill exists");
        assert!(sent.success());
    }

    #[track_caller]
    fn wait_for_end(&mut self) -> EndedProcess {
        let status = until("the process has ended", || self.child.try_wait().expect("a child can be waited for"));
        EndedProcess { status: status.code(), out: self.read_output("out"), err: self.read_output("err") }
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        // The process may have ended already. Then this has no effect.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
