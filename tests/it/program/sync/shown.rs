//! The key in the program, driven as its window drives it. No operation on the key shows it.

use std::fs;

use roost_tests::{Setup, Spawned, leaks::Secret, seeds, until};
use serde_json::{Value, json};

use super::{LIST, SyncFolder, list_id};

const KEY: &str = "a-key-that-no-window-shows-5e27";
const PASSPHRASE: &str = "wrong pony capacitor";

/// The program, and its output so far.
struct ConsoleDesk {
    program: Spawned,
    shown: String,
}

impl ConsoleDesk {
    #[track_caller]
    fn run_command(&mut self, name: &str, request: &Value, status: u16) -> Value {
        let answer = self.program.admin().post(format!("/__console/call/{name}"), request).expect(status).json();
        self.shown += &format!("{name}: {answer}\n");
        answer
    }

    /// Sends a command that must be refused for any reason.
    #[track_caller]
    fn run_refused(&mut self, name: &str, request: &Value) {
        let answer = self.program.admin().post(format!("/__console/call/{name}"), request);
        assert!((400..500).contains(&answer.status), "{name}: {}", answer.json());
        self.shown += &format!("{name}: {}\n", answer.json());
    }

    /// Waits until no work is running and returns the error of the last work.
    #[track_caller]
    fn wait_until_idle(&mut self) -> Value {
        let status = until("the work is over", || {
            let status = self.run_command("sync_status", &json!({}), 200);
            status["work"].is_null().then_some(status)
        });
        status["failed"].clone()
    }

    fn save_connection(&mut self, url: &str) {
        let wanted = json!({ "name": "Service", "base_url": url, "header": "X-AUTH-KEY", "read_only": false,
            "plain_http": false, "calls_per_second": 9, "together": null, "paths": [] });
        self.run_command("connection_save", &wanted, 200);
    }

    #[track_caller]
    fn run_pull(&mut self) -> Value {
        self.run_command("sync_pull", &json!({ "list": null, "full": true, "believe": false }), 200);
        self.wait_until_idle()
    }
}

#[test]
fn the_key_and_its_passphrase_appear_in_no_output_log_response_or_file() {
    let seed = json!({ "lists": [seeds::filled_list(list_id().as_str(), LIST, 2)] });
    let api = Setup::new().set("auth", "keys").set("auth.keys", KEY).seed(seed).serve();
    let place = SyncFolder::new();
    let home = place.0.path().to_string_lossy().into_owned();
    let variables = [
        ("HOME", home.as_str()),
        ("XDG_DATA_HOME", &home),
        ("XDG_CONFIG_HOME", &home),
        ("XDG_CACHE_HOME", &home),
        ("XDG_STATE_HOME", &home),
        ("XDG_RUNTIME_DIR", &home),
        ("DBUS_SESSION_BUS_ADDRESS", "disabled:"),
        ("ROOST_LOG", "trace"),
        ("RUST_BACKTRACE", "full"),
    ];
    // With the console, the journal also records the commands that contain the key.
    let file = place.file_path("account.roost");
    let program = Spawned::try_start_with(["--console", "--db", &file], &variables).expect("it starts");
    let mut desk = ConsoleDesk { program, shown: String::new() };

    desk.save_connection(api.url());
    let keep = |key: &str, keep: &str, passphrase: &str| json!({ "key": key, "keep": keep, "passphrase": passphrase });
    // Refusals do not repeat the refused text.
    desk.run_refused("connection_key_set", &keep(&format!("{KEY}\n{KEY}"), "sealed", PASSPHRASE));
    desk.run_refused("connection_key_set", &keep(KEY, "sealed", ""));
    desk.run_refused("connection_key_set", &keep(KEY, "somewhere", PASSPHRASE));
    desk.run_refused("connection_key_set", &keep(KEY, "keyring", PASSPHRASE));
    let kept = desk.run_command("connection_key_set", &keep(KEY, "sealed", PASSPHRASE), 200);
    assert_eq!(kept["connection"]["key"]["masked"], "••••5e27");
    desk.run_command("connection_test", &json!({}), 200);
    assert_eq!(desk.run_pull(), Value::Null);

    let uid = seeds::id("CON_", "00000");
    desk.run_command("contact_update", &json!({ "uid": uid, "fields": { "firstname": "Mine" }, "region": null }), 200);
    let plan = desk.run_command("plan_make", &json!({}), 200);
    let step = json!({ "plan": plan["id"], "step": 0, "masked": false });
    assert!(desk.run_command("plan_body", &step, 200)["curl"].as_str().expect("a command").contains("X-AUTH-KEY"));
    let run = desk.run_command("run_start", &json!({ "plan": plan["id"], "typed": [] }), 200)["run"].clone();
    assert_eq!(desk.wait_until_idle(), Value::Null);
    desk.run_command("run_get", &json!({ "run": run }), 200);
    desk.run_command("run_attempts", &json!({ "run": run, "step": null }), 200);
    desk.run_command("run_report", &json!({ "run": run, "format": "markdown" }), 200);
    desk.run_command("audit_page", &json!({ "from": 0, "count": 50 }), 200);

    // A service that does not respond, one that refuses the key, and a wrong passphrase.
    desk.save_connection("http://127.0.0.1:9");
    desk.run_command("connection_key_set", &keep(KEY, "sealed", PASSPHRASE), 200);
    assert_ne!(desk.run_pull(), Value::Null);
    let closed = Setup::new().set("auth", "keys").set("auth.keys", "another").serve();
    desk.save_connection(closed.url());
    desk.run_command("connection_key_set", &keep(KEY, "sealed", PASSPHRASE), 200);
    assert_eq!(desk.run_pull()["kind"], "key_refused");
    desk.run_refused("connection_key_unlock", &json!({ "passphrase": format!("{PASSPHRASE}!") }));
    desk.run_command("connection_key_unlock", &json!({ "passphrase": PASSPHRASE }), 200);
    desk.run_command("connection_get", &json!({}), 200);

    let lines = crate::program::local_server::journal_request(500);
    let page = desk.run_command("server_requests", &lines, 200);
    for line in page["items"].as_array().expect("lines") {
        desk.run_command("server_request", &json!({ "world": line["world"], "id": line["id"] }), 200);
    }
    assert!(desk.shown.contains(LIST), "the right things are looked at");
    for secret in [KEY, PASSPHRASE] {
        Secret::new(secret).is_not_shown_of(desk.program.pid());
    }
    desk.program.terminate();
    let (out, err) = (desk.program.stdout(), desk.program.stderr());
    assert!(err.contains("TRACE"), "everything was logged: {err}");
    for secret in [KEY, PASSPHRASE].map(Secret::new) {
        for text in [&desk.shown, &out, &err] {
            assert_eq!(secret.seen_in(text.as_bytes()), None, "{text}");
        }
        assert_eq!(secret.files_with_it(place.0.path()), [""; 0]);
    }
    let sealed = fs::read_dir(place.0.path()).expect("a folder").filter_map(Result::ok);
    assert!(sealed.into_iter().any(|file| file.file_name().to_string_lossy().ends_with(".key")), "it is kept there");
}
