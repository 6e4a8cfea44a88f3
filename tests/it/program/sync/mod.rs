//! `roost connect`, `pull`, `plan`, `push`, `status`, `runs` and `report`, as processes against a service.

mod between;
mod cut_off;
mod key;
mod questions;
mod refusals;
mod shown;
mod statuses;
mod walk;

use std::process::{Child, Command, Stdio};

use roost_model::id::{ContactId, ListId};
use roost_ops::{By, Core, Ctx, contact};
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

fn values(pairs: &[(&str, &str)]) -> contact::FieldValues {
    pairs.iter().map(|(field, value)| ((*field).to_owned(), Some((*value).to_owned()))).collect()
}

/// Starts a service with one list of this many contacts that accepts every key.
fn service(contacts: usize) -> Served {
    let list = seeds::filled_list(list_id().as_str(), LIST, contacts);
    Setup::new().set("auth", "off").seed(json!({ "lists": [list] })).serve()
}

fn rename_there(api: &Served, n: usize, name: &str) {
    contact::update(api.core(), &By::operator(), &contact_id(n), &values(&[("firstname", name)]), None)
        .expect("an edit");
}

/// Returns the contacts of the list at the service, by number with their first names.
fn there(api: &Served) -> Vec<(String, String)> {
    let path = format!("/contacts/v1/contacts/list/{}?page_number=1&page_size=100", list_id());
    let text = |contact: &Value, key: &str| contact[key].as_str().unwrap_or_default().to_owned();
    let items = api.get(path).items();
    let mut all: Vec<_> = items.iter().map(|one| (text(one, "phone_number"), text(one, "firstname"))).collect();
    all.sort();
    all
}

/// An account in a separate folder, and a home without a keyring.
struct Place(TempDir);

/// The result of a process.
struct Ended {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    /// Creates a place that is connected without a key and has pulled once.
    #[track_caller]
    fn pulled(api: &Served) -> Self {
        let place = Self::new();
        place.done(0, &["connect", api.url()]);
        place.done(0, &["pull"]);
        place
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    /// Returns a verb with its arguments and the account.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = command(args.iter().copied().chain(["--db", &self.path("account.roost")]));
        command.env("HOME", self.0.path()).env("XDG_RUNTIME_DIR", self.0.path());
        command.env("DBUS_SESSION_BUS_ADDRESS", "disabled:").env_remove("DISPLAY");
        command
    }

    fn run(&self, args: &[&str]) -> Ended {
        ended(self.command(args))
    }

    /// Returns the standard output of a command that must end with this status.
    #[track_caller]
    fn done(&self, status: i32, args: &[&str]) -> String {
        let ended = self.run(args);
        assert_eq!(ended.status, Some(status), "{args:?}: {}{}", ended.out, ended.err);
        ended.out
    }

    #[track_caller]
    fn json(&self, status: i32, args: &[&str]) -> Value {
        let said = self.done(status, args);
        serde_json::from_str(&said).unwrap_or_else(|why| panic!("{why}: {said}"))
    }

    /// Returns the single line of a command that must fail with this status and print nothing else.
    #[track_caller]
    fn fails(&self, status: i32, args: &[&str]) -> String {
        fails(status, self.command(args))
    }

    /// Changes the account while no process has it open.
    fn edit<T>(&self, act: impl FnOnce(&Core) -> T) -> T {
        let core = Core::open(self.path("account.roost").as_ref(), Ctx::system()).expect("the account");
        let done = act(&core);
        core.end();
        done
    }

    fn rename(&self, n: usize, name: &str) {
        self.edit(|core| {
            contact::update(core, &By::user(None), &contact_id(n), &values(&[("firstname", name)]), None)
                .expect("an edit")
        });
    }

    fn delete(&self, contacts: std::ops::Range<usize>) {
        self.edit(|core| {
            for n in contacts {
                contact::delete(core, &By::user(None), &contact_id(n)).expect("deleted");
            }
        });
    }
}

fn ended(mut command: Command) -> Ended {
    let output = command.output().expect("the binary can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ended { status: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

#[track_caller]
fn fails(status: i32, command: Command) -> String {
    let ended = ended(command);
    assert_eq!(ended.status, Some(status), "{}{}", ended.out, ended.err);
    assert!(ended.out.is_empty(), "{}", ended.out);
    assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    ended.err
}

/// A running process that writes its output to files.
struct Running {
    child: Child,
    folder: TempDir,
}

impl Running {
    fn start(mut command: Command) -> Self {
        let folder = TempDir::new().expect("a folder");
        let file = |name: &str| std::fs::File::create(folder.path().join(name)).expect("a file");
        let child = command.stdin(Stdio::null()).stdout(file("out")).stderr(file("err")).spawn();
        Self { child: child.expect("the binary can be started"), folder }
    }

    fn said(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).expect("a file")
    }

    fn interrupt(&self) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("kill exists");
        assert!(sent.success());
    }

    #[track_caller]
    fn wait(&mut self) -> Ended {
        let status = until("the process has ended", || self.child.try_wait().expect("a child can be waited for"));
        Ended { status: status.code(), out: self.said("out"), err: self.said("err") }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The process may have ended already. Then this has no effect.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
