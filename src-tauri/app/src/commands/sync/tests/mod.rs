//! The sync commands as pages call them, against a real service that runs in the same process.

mod clashes;
mod copies;
mod offline;
mod older_files;
mod plans;
mod senders;
mod settled;
mod walk;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use roost_emulator::{EmulatorConfig, Settings, StandaloneEmulator, StartError};
use roost_model::id::ListId;
use roost_ops::{Actor, Core, Ctx, contact, list};
use roost_sync::vault::{KeyVault, KeyringSource, Secret, VaultError};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{App, Changes, CommandError};

const KEY: &str = "key-of-nobody-0123456789-zebra";
/// A bound on every wait that no test should reach.
const PATIENCE: Duration = Duration::from_secs(60);

/// A keyring that exists only in this test.
#[derive(Clone, Default)]
struct FakeKeyrings(Arc<Mutex<HashMap<String, Secret>>>);

struct FakeKeyring(FakeKeyrings, String);

impl KeyringSource for FakeKeyrings {
    fn vault_for(&self, connection: &str) -> Box<dyn KeyVault> {
        Box::new(FakeKeyring(self.clone(), connection.to_owned()))
    }

    fn probe(&self) -> Result<(), VaultError> {
        Ok(())
    }
}

impl KeyVault for FakeKeyring {
    fn get(&self) -> Result<Option<Secret>, VaultError> {
        Ok(self.0.0.lock().unwrap().get(&self.1).cloned())
    }

    fn set(&self, key: &Secret) -> Result<(), VaultError> {
        self.0.0.lock().unwrap().insert(self.1.clone(), key.clone());
        Ok(())
    }

    fn forget(&self) -> Result<(), VaultError> {
        self.0.0.lock().unwrap().remove(&self.1);
        Ok(())
    }
}

/// An account in a file, and a service with its own account.
struct SyncWorld {
    app: App,
    core: Core,
    feed: Changes,
    there: Core,
    server: StandaloneEmulator,
    rings: FakeKeyrings,
    file: PathBuf,
    folder: TempDir,
}

fn start_service(core: Core, settings: &[(&str, &str)]) -> StandaloneEmulator {
    let mut wanted = Settings::default();
    for (name, value) in settings {
        wanted.set(name, value).unwrap();
    }
    let config = EmulatorConfig { port: 0, settings: wanted, ..EmulatorConfig::default() };
    StandaloneEmulator::start::<StartError>(config, move |_| Ok(core)).unwrap()
}

fn new_world() -> SyncWorld {
    world_with(&[])
}

fn world_with(settings: &[(&str, &str)]) -> SyncWorld {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.roost");
    let there = Core::in_memory(Ctx::system()).unwrap();
    let server = start_service(there.clone(), settings);
    let (app, rings) = open_app(&file);
    let core = app.core().unwrap();
    SyncWorld { feed: app.changes(), app, core, there, server, rings, file, folder }
}

fn open_app(file: &Path) -> (App, FakeKeyrings) {
    let rings = FakeKeyrings::default();
    (App::with_core_and_keyrings(Core::open(file, Ctx::system()).unwrap(), file, Arc::new(rings.clone())), rings)
}

fn save_request(url: &str) -> Value {
    json!({
        "name": "Service", "base_url": url, "header": "X-AUTH-KEY", "read_only": false, "plain_http": false,
        "calls_per_second": 9, "together": null, "paths": [],
    })
}

fn empty_filter() -> Value {
    json!({ "text": "", "source": null, "field": null, "since": null, "step": null })
}

fn field_values(pairs: &[(&str, &str)]) -> contact::FieldValues {
    pairs.iter().map(|(field, value)| ((*field).to_owned(), Some((*value).to_owned()))).collect()
}

fn to_number(at: u32) -> String {
    format!("+447700900{at:03}")
}

/// Returns the texts that confirm every gate of a plan.
fn typed_texts(plan: &Value) -> Vec<Value> {
    plan["gates"].as_array().unwrap().iter().map(|gate| gate["wanted"].clone()).collect()
}

impl SyncWorld {
    /// Returns the plan of three deletions. The service has a low rate limit, so the run sends them one by one.
    fn count_deletions(&self) -> Value {
        let list = self.create_service_list("Members", 5);
        let mut slow = save_request(self.server.url());
        slow["calls_per_second"] = json!(1);
        self.call("connection_save", slow);
        self.call("connection_key_set", json!({ "key": KEY, "keep": "keyring", "passphrase": null }));
        self.pull();
        for contact in self.list_contacts(&list).iter().take(3) {
            let uid = roost_model::id::ContactId::parse(contact["uid"].as_str().unwrap()).unwrap();
            contact::delete(&self.core, &Actor::user(None), &uid).unwrap();
        }
        self.call("plan_make", json!({}))
    }

    fn request(&self, name: &str, request: Value) -> Result<Value, CommandError> {
        self.app.dispatch(name, request, None)
    }

    fn core(&self) -> &Core {
        &self.core
    }

    fn call(&self, name: &str, request: Value) -> Value {
        self.request(name, request).unwrap_or_else(|why| panic!("{name}: {why:?}"))
    }

    fn connect(&self) {
        self.call("connection_save", save_request(self.server.url()));
        let set = json!({ "key": KEY, "keep": "keyring", "passphrase": null });
        let answer = self.call("connection_key_set", set);
        assert_eq!(answer["connection"]["key"], json!({ "at": "keyring", "masked": "••••ebra", "is_unlocked": true }));
    }

    fn status(&self) -> Value {
        self.call("sync_status", json!({}))
    }

    /// Waits until `is_so` holds. Each change in the feed triggers another check.
    fn wait_until(&self, is_so: impl Fn(&Value) -> bool) -> Value {
        loop {
            let status = self.status();
            if is_so(&status) {
                return status;
            }
            self.feed.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("nothing moves: {status}"));
        }
    }

    fn wait_until_idle(&self) -> Value {
        self.wait_until(|status| status["work"].is_null())
    }

    fn pull(&self) -> Value {
        self.call("sync_pull", json!({ "list": null, "full": true, "believe": false }));
        let status = self.wait_until_idle();
        assert_eq!(status["failed"], Value::Null);
        self.call("sync_pulled", json!({}))
    }

    /// Creates a list with this many contacts at the service.
    fn create_service_list(&self, name: &str, contacts: u32) -> ListId {
        let list = list::create(&self.there, &Actor::interface(), name, list::UniqueNames::Off).unwrap().uid;
        for at in 0..contacts {
            let values = field_values(&[
                ("phone_number", &to_number(at)),
                ("firstname", &format!("Contact {at}")),
                ("city", "Bath"),
            ]);
            contact::add(&self.there, &Actor::interface(), &list, &values, None).unwrap();
        }
        list
    }

    /// Returns the first contacts of the local list, ordered by number.
    fn list_contacts(&self, list: &ListId) -> Vec<Value> {
        let page = json!({
            "list": list, "page_number": 1, "page_size": 200, "sort": { "field": "phone_number", "order": "ASC" },
            "filter": null, "opted_out": null,
        });
        self.call("contact_page", page)["items"].as_array().unwrap().clone()
    }

    fn rename_contact(&self, uid: &Value, name: &str) {
        self.call("contact_update", json!({ "uid": uid, "fields": { "firstname": name }, "region": null }));
    }
}
