//! Runs `kill -9` at any moment between an accept and its answer. An import that is in the account is never offered
//! again.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use roost_tests::Spawned;
use serde_json::{Value, json};

use super::ImportFolder;
use crate::whole::read_rows;

const ROWS: usize = 6_000;
const MOMENTS: u32 = 16;

/// A server whose console does what the window does.
struct ConsoleServer(Spawned);

impl ConsoleServer {
    fn start(db: &str) -> Self {
        Self(Spawned::start(["--console", "--db", db]))
    }

    fn run_command(&self, name: &str, request: &Value) -> Value {
        self.0.admin().post(format!("/__console/call/{name}"), request).expect(200).json()
    }

    /// Waits until no work is running.
    fn wait_until_idle(&self, import: &Value) -> Value {
        loop {
            let state =
                self.run_command("import_state", &json!({ "import": import, "generation": null, "wait_ms": 1_000 }));
            if state["progress"].is_null() {
                return state;
            }
        }
    }

    /// Prepares an import that only needs to be accepted.
    fn prepare_import(&self) -> Value {
        let rows: String = (0..ROWS).map(|n| format!("+1{}5550{},Given {n}\n", 201 + n / 100, 100 + n % 100)).collect();
        let sources = json!([{ "text": { "name": "people.csv", "text": format!("Phone,Name\n{rows}") } }]);
        let request = json!({ "purpose": "contacts", "sources": sources, "target": { "new_list": "May" } });
        let import = self.run_command("import_open", &request)["import"].clone();
        self.wait_until_idle(&import);
        self.run_command("import_rehearse", &json!({ "import": import }));
        assert_eq!(self.wait_until_idle(&import)["stage"], "rehearsed");
        import
    }

    fn accept_import(&self, import: &Value) {
        self.run_command("import_accept", &json!({ "import": import, "typed_count": null }));
    }
}

/// Proves: S0_program.
#[test]
fn an_import_is_either_in_the_account_or_offered_whenever_the_program_is_killed() {
    let undisturbed = {
        let place = ImportFolder::new();
        let desk = ConsoleServer::start(&place.file_path("a.roost"));
        let import = desk.prepare_import();
        let begun = Instant::now();
        desk.accept_import(&import);
        assert_eq!(desk.wait_until_idle(&import)["stage"], "accepted");
        begun.elapsed()
    };
    let mut found = [0, 0];
    for moment in 0..MOMENTS {
        let place = ImportFolder::new();
        let db = place.file_path("a.roost");
        let mut desk = ConsoleServer::start(&db);
        let import = desk.prepare_import();
        desk.accept_import(&import);
        if moment == MOMENTS - 1 {
            assert_eq!(desk.wait_until_idle(&import)["stage"], "accepted");
        } else {
            thread::sleep(undisturbed.mul_f64(f64::from(moment) * 1.2 / f64::from(MOMENTS - 1)));
        }
        desk.0.kill();
        desk = ConsoleServer::start(&db);
        let waiting = desk.run_command("import_waiting", &json!({}))["imports"].clone();
        let past =
            desk.run_command("import_history", &json!({ "page_number": 1, "page_size": 9 }))["total_items"].clone();
        let is_in = past == 1;
        let offered = waiting.as_array().map_or(0, Vec::len);
        assert_eq!(offered, usize::from(!is_in), "moment {moment}: {waiting}");
        assert_eq!(Path::new(&place.file_path("a.roost.imports")).exists(), !is_in, "moment {moment}");
        found[usize::from(is_in)] += 1;
        if !is_in {
            // The import continues where it was and is accepted once.
            desk.wait_until_idle(&import);
            desk.run_command("import_rehearse", &json!({ "import": import }));
            assert_eq!(desk.wait_until_idle(&import)["stage"], "rehearsed", "moment {moment}");
            desk.accept_import(&import);
            assert_eq!(desk.wait_until_idle(&import)["stage"], "accepted", "moment {moment}");
        }
        assert!(desk.0.terminate().success(), "moment {moment}");
        let lists = read_rows(Path::new(&db), "SELECT count(*) FROM lists").concat();
        assert_eq!(lists, [Some("1".to_owned())], "moment {moment}");
    }
    eprintln!("{undisturbed:?}: {} were offered, {} were in", found[0], found[1]);
    assert!(found.iter().all(|count| *count > 0), "moments before and after: {found:?}");
    assert!(undisturbed < Duration::from_secs(60));
}
