//! Accounts as a page sees them: the first run, several files, and every reason that keeps an account closed.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use super::*;

struct TestFolder(tempfile::TempDir);

impl TestFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        fs::canonicalize(self.0.path()).unwrap()
    }

    fn start_app(&self) -> App {
        App::with_config_folder(&self.path(), None)
    }

    /// Creates a data folder as versions without a list left it: one account without a name.
    fn with_first_account() -> Self {
        let folder = Self::new();
        drop(Core::open(&folder.path().join(ACCOUNT_FILE), Ctx::system()).unwrap());
        folder
    }
}

fn run_command(app: &App, command: &str, request: Value) -> Value {
    app.dispatch(command, request, None).unwrap_or_else(|why| panic!("{command}: {why:?}"))
}

fn run_refused(app: &App, command: &str, request: Value) -> CommandError {
    app.dispatch(command, request, None).expect_err(command)
}

fn create_account(app: &App, name: &str) -> Value {
    run_command(app, "account_create", json!({ "name": name, "colour": "red", "contents": "empty" }))
}

fn add_list(app: &App, name: &str) {
    run_command(app, "list_create", json!({ "name": name }));
}

fn list_names(app: &App) -> u64 {
    run_command(app, "overview_get", json!({}))["counts"]["lists"].as_u64().unwrap()
}

fn known_accounts(app: &App) -> Vec<(String, String)> {
    let answer = run_command(app, "account_list", json!({}));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    answer["accounts"].as_array().unwrap().iter().map(|one| (text(&one["name"]), text(&one["state"]))).collect()
}

fn names_and_states(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn on_the_first_run_nothing_is_open_and_an_account_can_be_made() {
    let folder = TestFolder::new();
    let app = App::with_config_folder(&folder.path().join("not/there/yet"), None);
    let list = run_command(&app, "account_list", json!({}));
    assert_eq!((&list["status"], &list["accounts"], &list["can_switch"]), (&json!("none"), &json!([]), &json!(true)));
    for command in ["overview_get", "account_retry"] {
        assert_eq!(run_refused(&app, command, json!({})).code, ErrorCode::NoAccount, "{command}");
    }
    let made = create_account(&app, "  Corner Shop ");
    let path = folder.path().join("not/there/yet/corner-shop.roost");
    assert_eq!(made["path"], path.to_string_lossy().as_ref());
    assert_eq!(
        (&made["name"], &made["colour"], &made["file"]),
        (&json!("Corner Shop"), &json!("red"), &json!("corner-shop.roost"))
    );
    let overview = run_command(&app, "overview_get", json!({}));
    assert_eq!((&overview["account"], &overview["counts"]["lists"]), (&made, &json!(0)));
    assert_eq!(overview["counts"]["custom_fields"], 0, "an empty account has no field that nobody made");
    let field = run_command(&app, "custom_field_add", json!({ "label": "Shop" }));
    assert_eq!(field["number"], 1);
}

#[test]
fn the_sample_is_made_with_the_account_and_cannot_be_undone() {
    let folder = TestFolder::new();
    let app = folder.start_app();
    run_command(&app, "account_create", json!({ "name": "Sample", "colour": "green", "contents": "sample" }));
    assert_eq!(list_names(&app), 12);
    assert_eq!(known_accounts(&app), names_and_states(&[("Sample", "open")]));
}

#[test]
fn what_was_open_opens_again_and_what_was_closed_does_not() {
    let folder = TestFolder::new();
    let app = folder.start_app();
    create_account(&app, "One");
    create_account(&app, "Two");
    add_list(&app, "Newsletter");
    drop(app);
    let app = folder.start_app();
    assert_eq!(
        (run_command(&app, "overview_get", json!({}))["account"]["name"].clone(), list_names(&app)),
        (json!("Two"), 1)
    );
    run_command(&app, "account_close", json!({}));
    assert_eq!(run_refused(&app, "overview_get", json!({})).code, ErrorCode::NoAccount);
    drop(app);
    let app = folder.start_app();
    let mut found = known_accounts(&app);
    found.sort();
    assert_eq!(found, names_and_states(&[("One", "closed"), ("Two", "closed")]));
    assert_eq!(run_command(&app, "account_list", json!({}))["status"], "none");
}

#[test]
fn every_page_hears_when_another_account_is_open() {
    let folder = TestFolder::new();
    let app = folder.start_app();
    let changes = app.changes();
    let first = create_account(&app, "One");
    create_account(&app, "Two");
    run_command(&app, "account_open", json!({ "path": first["path"] }));
    run_command(&app, "account_open", json!({ "path": first["path"] }));
    run_command(&app, "account_rename", json!({ "name": "Uno" }));
    drop(app);
    let heard: Vec<_> = changes.into_iter().map(|change| serde_json::to_value(change.nouns).unwrap()).collect();
    assert_eq!(heard, vec![json!(["account"]); 4], "made, made, opened, renamed; open already");
}

#[test]
fn names_and_colours_live_in_the_file_and_the_list_follows() {
    let folder = TestFolder::with_first_account();
    let app = folder.start_app();
    assert_eq!(
        known_accounts(&app),
        names_and_states(&[("account", "open")]),
        "the first account opens as it always did"
    );
    let named = run_command(&app, "account_rename", json!({ "name": " Corner  Shop" }));
    assert_eq!(
        (&named["name"], &named["file"], &named["colour"]),
        (&json!("Corner Shop"), &json!("account.roost"), &json!("teal"))
    );
    run_command(&app, "account_recolour", json!({ "colour": "violet" }));
    assert_eq!(known_accounts(&app), names_and_states(&[("Corner Shop", "open")]));
    for name in ["", " ", "a\nb", &"x".repeat(61)] {
        let error = run_refused(&app, "account_rename", json!({ "name": name }));
        assert_eq!((error.code, error.details[0].path.as_str()), (ErrorCode::Invalid, "name"), "{name:?}");
    }
    assert_eq!(run_refused(&app, "account_recolour", json!({ "colour": "mauve" })).code, ErrorCode::Invalid);
    drop(app);
    fs::remove_file(folder.path().join("accounts.json")).unwrap();
    let again = run_command(&folder.start_app(), "account_list", json!({}))["current"].clone();
    assert_eq!((&again["name"], &again["colour"]), (&json!("Corner Shop"), &json!("violet")));
}

#[test]
fn renaming_an_account_can_be_taken_back() {
    let folder = TestFolder::new();
    let app = folder.start_app();
    create_account(&app, "One");
    run_command(&app, "account_rename", json!({ "name": "Two" }));
    roost_ops::history::undo(&app.core().unwrap(), &Actor::user(None)).unwrap();
    assert_eq!(known_accounts(&app), names_and_states(&[("One", "open")]));
    let nothing_left = roost_ops::history::undo(&app.core().unwrap(), &Actor::user(None));
    assert!(nothing_left.is_err(), "before its first name there was nothing");
}

#[test]
fn a_copy_has_everything_and_a_name_of_its_own() {
    let folder = TestFolder::new();
    let app = folder.start_app();
    let original = create_account(&app, "Shop");
    add_list(&app, "Newsletter");
    let copy = run_command(&app, "account_duplicate", json!({ "path": original["path"], "name": "Shop" }));
    assert_eq!(
        (&copy["file"], &copy["state"], &copy["colour"]),
        (&json!("shop-2.roost"), &json!("closed"), &json!("red"))
    );
    add_list(&app, "Only in the first");
    run_command(&app, "account_open", json!({ "path": copy["path"] }));
    assert_eq!(list_names(&app), 1);
    // The original is closed by now. It can be copied all the same.
    let third = run_command(&app, "account_duplicate", json!({ "path": original["path"], "name": "Third" }));
    run_command(&app, "account_open", json!({ "path": third["path"] }));
    assert_eq!(list_names(&app), 2);
    let strange = json!({ "path": folder.path().join("accounts.json"), "name": "No" });
    assert_eq!(run_refused(&app, "account_duplicate", strange).code, ErrorCode::Invalid);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!left.iter().any(|path| path.to_string_lossy().ends_with(".part")), "{left:?}");
}

#[test]
fn a_copied_account_calls_no_service_until_its_connection_is_saved_again() {
    let folder = TestFolder::new();
    let app = folder.start_app();
    let original = create_account(&app, "Shop");
    let service = json!({
        "name": "Service", "base_url": "http://localhost:1", "header": "X-AUTH-KEY", "read_only": false,
        "plain_http": false, "calls_per_second": 9, "together": null, "paths": [],
    });
    assert_eq!(run_command(&app, "connection_save", service.clone())["connection"]["is_copy"], false);
    let copy = run_command(&app, "account_duplicate", json!({ "path": original["path"], "name": "Copy" }));
    // This also holds when the original no longer exists by the time the copy is opened.
    run_command(&app, "account_open", json!({ "path": copy["path"] }));
    fs::remove_file(original["path"].as_str().unwrap()).unwrap();
    run_command(&app, "account_close", json!({}));
    run_command(&app, "account_open", json!({ "path": copy["path"] }));
    let known = run_command(&app, "connection_get", json!({}))["connection"].clone();
    assert_eq!((&known["is_copy"], &known["base_url"]), (&json!(true), &service["base_url"]));
    let pull = json!({ "list": null, "full": false, "believe": false });
    let error = run_refused(&app, "sync_pull", pull.clone());
    assert!(error.code == ErrorCode::Conflict && error.message.contains("is a copy"), "{error}");
    assert!(run_refused(&app, "connection_test", json!({})).message.contains("is a copy"));
    assert_eq!(run_command(&app, "connection_save", service)["connection"]["is_copy"], false);
    run_command(&app, "sync_pull", pull);
    app.close();
}

#[test]
fn a_forgotten_account_keeps_its_file_and_the_open_account_cannot_be_forgotten() {
    let folder = TestFolder::new();
    let app = folder.start_app();
    let one = create_account(&app, "One");
    let two = create_account(&app, "Two");
    assert_eq!(run_refused(&app, "account_forget", json!({ "path": two["path"] })).code, ErrorCode::Conflict);
    run_command(&app, "account_forget", json!({ "path": one["path"] }));
    assert_eq!(known_accounts(&app), names_and_states(&[("Two", "open")]));
    assert!(folder.path().join("one.roost").exists());
    run_command(&app, "account_open", json!({ "path": one["path"] }));
    assert_eq!(known_accounts(&app).len(), 2, "opened again, it is known again");
}

#[test]
fn files_elsewhere_open_and_files_of_others_are_left_alone() {
    let (folder, elsewhere) = (TestFolder::new(), TestFolder::with_first_account());
    let app = folder.start_app();
    create_account(&app, "Mine");
    let picture = elsewhere.path().join("picture.roost");
    fs::write(&picture, "a picture of a bird ".repeat(100)).unwrap();
    for path in [picture.clone(), elsewhere.path().join("no-such.roost"), elsewhere.path()] {
        let error = run_refused(&app, "account_open", json!({ "path": path }));
        assert_eq!(error.code, ErrorCode::Invalid, "{error:?}");
    }
    assert!(picture.exists(), "not set aside: it was never ours");
    assert_eq!(known_accounts(&app), names_and_states(&[("Mine", "open")]), "what was open stays open");
    let away = run_command(&app, "account_open", json!({ "path": elsewhere.path().join(ACCOUNT_FILE) }));
    assert_eq!(away["name"], "account");
    drop(app);
    assert_eq!(run_command(&folder.start_app(), "account_list", json!({}))["current"]["path"], away["path"]);
}

#[test]
fn a_file_named_at_the_start_is_opened_instead_of_the_last_account() {
    let (folder, elsewhere) = (TestFolder::new(), TestFolder::with_first_account());
    create_account(&folder.start_app(), "Mine");
    let file = elsewhere.path().join(ACCOUNT_FILE);
    let app = App::with_config_folder(&folder.path(), Some(&file));
    assert_eq!(run_command(&app, "account_list", json!({}))["current"]["path"], file.to_string_lossy().as_ref());
    drop(app);
    let app = App::with_config_folder(&folder.path(), Some(&folder.path().join("no-such.roost")));
    let list = run_command(&app, "account_list", json!({}));
    assert_eq!((&list["status"], &list["fault"]["code"]), (&json!("failed"), &json!("invalid")));
    assert_eq!(
        run_refused(&app, "account_retry", json!({})).code,
        ErrorCode::Invalid,
        "it is not made by trying again"
    );
    run_command(&app, "account_open", json!({ "path": folder.path().join("mine.roost") }));
}

#[test]
fn every_command_reports_a_locked_account_which_opens_once_it_is_free() {
    let folder = TestFolder::with_first_account();
    let first = folder.start_app();
    add_list(&first, "Newsletter");
    let second = folder.start_app();
    for command in ["overview_get", "account_retry"] {
        assert_eq!(run_refused(&second, command, json!({})).code, ErrorCode::Locked, "{command}");
    }
    let list = run_command(&second, "account_list", json!({}));
    assert_eq!((&list["status"], &list["fault"]["code"]), (&json!("failed"), &json!("locked")));
    let changes = second.changes();
    drop(first);
    run_command(&second, "account_retry", json!({}));
    assert_eq!(list_names(&second), 1);
    assert_eq!(changes.into_iter().next().unwrap().seq, 1, "who listened before it was open hears of it");
}

#[test]
fn a_second_program_works_on_another_account_of_the_folder() {
    let folder = TestFolder::with_first_account();
    let first = folder.start_app();
    let second = folder.start_app();
    create_account(&second, "Another");
    add_list(&second, "In the second");
    assert_eq!((list_names(&first), list_names(&second)), (0, 1));
    let path = json!({ "path": folder.path().join("another.roost") });
    assert_eq!(run_refused(&first, "account_open", path).code, ErrorCode::Locked);
    assert_eq!(list_names(&first), 0, "what was open stays open");
}

#[test]
fn a_closed_account_is_free_for_others_while_its_handle_lives() {
    let folder = TestFolder::with_first_account();
    let app = folder.start_app();
    app.close();
    let next = folder.start_app();
    run_command(&next, "overview_get", json!({}));
    assert_eq!(run_refused(&app, "overview_get", json!({})).message, "Roost is closing.");
    let made = json!({ "name": "Late", "colour": "red", "contents": "empty" });
    assert_eq!(run_refused(&app, "account_create", made).message, "Roost is closing.");
}

#[test]
fn a_damaged_account_starts_empty_only_on_request() {
    let folder = TestFolder::new();
    let file = folder.path().join(ACCOUNT_FILE);
    Core::open(&file, Ctx::system()).unwrap().end_background_work();
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let app = folder.start_app();
    let error = run_refused(&app, "overview_get", json!({}));
    assert_eq!(error.code, ErrorCode::Corrupt);
    assert!(error.message.contains("Nothing was changed"), "{}", error.message);
    drop(folder.start_app());
    assert_eq!(run_refused(&app, "account_retry", json!({})).code, ErrorCode::Corrupt);
    assert_eq!(fs::read(&file).unwrap(), &whole[..whole.len() / 2], "opening and trying again move nothing");
    run_command(&app, "account_start_empty", json!({ "path": file }));
    assert_eq!(list_names(&app), 0);
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let aside: Vec<_> = names.filter(|name| name.contains(".damaged-")).collect();
    assert_eq!(fs::read(folder.path().join(&aside[0])).unwrap(), &whole[..whole.len() / 2]);
}

#[test]
fn a_damaged_account_whose_backup_was_put_back_is_opened_by_trying_again() {
    let folder = TestFolder::with_first_account();
    let file = folder.path().join(ACCOUNT_FILE);
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let app = folder.start_app();
    assert_eq!(run_refused(&app, "overview_get", json!({})).code, ErrorCode::Corrupt);
    fs::write(&file, whole).unwrap();
    run_command(&app, "account_retry", json!({}));
    assert!(
        fs::read_dir(folder.path())
            .unwrap()
            .all(|entry| { !entry.unwrap().file_name().to_string_lossy().contains(".damaged-") })
    );
}

#[test]
fn an_account_that_was_moved_away_says_so_in_the_window_and_works_when_it_is_back() {
    let folder = TestFolder::with_first_account();
    let app = folder.start_app();
    let (file, away) = (folder.path().join(ACCOUNT_FILE), folder.path().join("away"));
    fs::rename(&file, &away).unwrap();
    let error = run_refused(&app, "list_create", json!({ "name": "Lost" }));
    assert_eq!(error.code, ErrorCode::Displaced);
    assert!(error.message.contains("Nothing was saved"), "{}", error.message);
    fs::rename(&away, &file).unwrap();
    add_list(&app, "Found");
    assert_eq!(list_names(&app), 1);
}

#[test]
fn a_folder_that_is_a_file_is_a_clear_fault() {
    let folder = TestFolder::new();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let app = App::with_config_folder(&file.join("below"), None);
    for command in ["overview_get", "account_retry"] {
        let error = run_refused(&app, command, json!({}));
        assert!(error.message.contains("cannot be created"), "{}", error.message);
    }
}

#[test]
fn a_console_works_on_its_one_account() {
    let account = |path: &str| {
        let app = App::with_core(Core::in_memory(Ctx::system()).unwrap(), Path::new(path));
        (run_command(&app, "account_list", json!({}))["current"].clone(), app)
    };
    let (memory, app) = account(MEMORY);
    assert_eq!((&memory["name"], &memory["path"]), (&json!("In memory"), &json!(MEMORY)));
    assert_eq!(run_command(&app, "account_rename", json!({ "name": "Trial" }))["name"], "Trial");
    let made = json!({ "name": "No", "colour": "red", "contents": "empty" });
    assert_eq!(run_refused(&app, "account_create", made).code, ErrorCode::Unsupported);
    assert_eq!(run_refused(&app, "account_close", json!({})).code, ErrorCode::Unsupported);
    let (kept, _) = account("kept.roost");
    assert_eq!(kept["name"], "kept");
    assert!(Path::new(kept["path"].as_str().unwrap()).is_absolute());
}
