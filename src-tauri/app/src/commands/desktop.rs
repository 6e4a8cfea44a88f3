//! Commands that need a desktop: save dialogs, notifications, windows, the browser.

use std::path::{Path, PathBuf};

use base64::{Engine, engine::general_purpose::STANDARD};
use roost_model::{
    error::{ErrorCode, FieldError},
    short_link::is_web_address,
};
use roost_ops::Actor;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    accounts::App,
    commands::{Done, Nothing},
    desktop::FileKind,
    error::CommandError,
    file::{Durability, write_whole},
};

/// Most bytes of a file that a page hands over whole.
const SAVED_MAX: usize = 64 << 20;
/// The maximum length of a suggested file name, in characters.
const NAME_MAX: usize = 100;
/// The maximum length of a notification's title and of its text, in characters.
const NOTICE_MAX: usize = 500;

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct DesktopStatus {
    /// Whether dialogs, notifications and windows are available here.
    pub is_window: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct DesktopNotify {
    pub title: String,
    pub body: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct DesktopNotified {
    /// False if the user is looking at a window of Roost anyway.
    pub shown: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct DesktopBrowse {
    pub url: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct FileSave {
    /// The name that the dialog suggests.
    pub name: String,
    pub kind: FileKind,
    pub content_base64: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct FileSaved {
    pub outcome: FileOutcome,
    pub path: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) enum FileOutcome {
    Saved,
    /// The user cancelled the dialog.
    Cancelled,
    /// There is no dialog here. The page offers a download instead.
    Unsupported,
}

pub(super) fn get(app: &App, _: &Actor, _: Nothing) -> Result<DesktopStatus, CommandError> {
    Ok(DesktopStatus { is_window: app.has_desktop() })
}

pub(super) fn notify(app: &App, _: &Actor, request: DesktopNotify) -> Result<DesktopNotified, CommandError> {
    let cut = |text: &str| -> String { text.chars().take(NOTICE_MAX).collect() };
    let shown = app.desktop()?.notify(&cut(&request.title), &cut(&request.body));
    Ok(DesktopNotified { shown: shown.map_err(|why| CommandError::desktop(&why))? })
}

pub(super) fn new_window(app: &App, _: &Actor, _: Nothing) -> Result<Done, CommandError> {
    app.desktop()?.open_window().map_err(|why| CommandError::desktop(&why))?;
    Ok(Done {})
}

/// Only web addresses are opened, because the desktop would also run programs.
pub(super) fn browse(app: &App, _: &Actor, request: DesktopBrowse) -> Result<Done, CommandError> {
    if !is_web_address(&request.url) {
        let message = "Only addresses that begin with http:// or https:// are opened.";
        return Err(FieldError::new("url", message, request.url).into());
    }
    app.desktop()?.browse(&request.url).map_err(|why| CommandError::desktop(&why))?;
    Ok(Done {})
}

pub(super) fn save(app: &App, _: &Actor, request: FileSave) -> Result<FileSaved, CommandError> {
    if !app.has_desktop() {
        return Ok(FileSaved { outcome: FileOutcome::Unsupported, path: None });
    }
    let refused = |message: &str| CommandError::from(FieldError::new("content_base64", message, Value::Null));
    if request.content_base64.len() > SAVED_MAX / 3 * 4 + 4 {
        return Err(refused("must not be longer than 64 MiB"));
    }
    let content = STANDARD.decode(&request.content_base64).map_err(|_| refused("must be base64"))?;
    let Some(path) = choose_target(app, &request.name, request.kind)? else {
        return Ok(FileSaved { outcome: FileOutcome::Cancelled, path: None });
    };
    write_whole(&path, Durability::Durable, |out| out.write_all(&content))
        .map_err(|why| CommandError::file(&path, &why))?;
    Ok(FileSaved { outcome: FileOutcome::Saved, path: Some(path.to_string_lossy().into_owned()) })
}

/// Asks the user where to save the file. The dialog confirms before it replaces a file. Accounts and the files of
/// imports are refused even then.
pub(super) fn choose_target(app: &App, name: &str, kind: FileKind) -> Result<Option<PathBuf>, CommandError> {
    choose_checked(app, app.desktop()?, name, kind)
}

fn choose_checked(
    app: &App,
    desktop: &dyn crate::Desktop,
    name: &str,
    kind: FileKind,
) -> Result<Option<PathBuf>, CommandError> {
    let Some(chosen) = desktop.choose_save_path(&suggest_name(name, kind), kind) else { return Ok(None) };
    let path = with_ending(chosen, kind);
    app.output_guard().check(&path).map_err(|refusal| CommandError::new(ErrorCode::Invalid, refusal.to_string()))?;
    Ok(Some(path))
}

/// Returns a safe file name with the extension of its kind and without any folder.
pub(super) fn suggest_name(name: &str, kind: FileKind) -> String {
    let ending = format!(".{}", kind.extension());
    let stem = name.strip_suffix(&ending).unwrap_or(name);
    let is_unsafe = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    let safe: String = stem.chars().map(|c| if is_unsafe(c) { '-' } else { c }).take(NAME_MAX).collect();
    let safe = safe.trim_matches(|c: char| c.is_whitespace() || c == '.');
    format!("{}{ending}", if safe.is_empty() { "roost" } else { safe })
}

/// Some dialogs return the name as it was typed. Without an extension no program could open the file. The extension is
/// not added if such a file exists, because the dialog did not ask about replacing it.
fn with_ending(chosen: PathBuf, kind: FileKind) -> PathBuf {
    let ended: &Path = &chosen.with_extension(kind.extension());
    if chosen.extension().is_none() && !ended.exists() { ended.to_owned() } else { chosen }
}

#[cfg(test)]
pub(super) mod tests {
    use std::{
        fs,
        sync::{Arc, Mutex},
    };

    use roost_model::error::ErrorCode;
    use roost_ops::{Core, Ctx};
    use serde_json::json;

    use super::*;

    /// A desktop whose user always makes the same choice.
    #[derive(Clone, Default)]
    pub(crate) struct FakeDesktop {
        pub chosen: Option<PathBuf>,
        pub requests: Arc<Mutex<Vec<String>>>,
    }

    impl FakeDesktop {
        fn note(&self, what: &str) {
            self.requests.lock().unwrap().push(what.to_owned());
        }
    }

    impl crate::Desktop for FakeDesktop {
        fn choose_save_path(&self, name: &str, _: FileKind) -> Option<PathBuf> {
            self.note(name);
            self.chosen.clone()
        }

        fn choose_account(&self, _: Option<&Path>) -> Option<PathBuf> {
            self.chosen.clone()
        }

        fn choose_files(&self) -> Vec<PathBuf> {
            self.chosen.clone().into_iter().collect()
        }

        fn notify(&self, title: &str, _: &str) -> Result<bool, String> {
            self.note(title);
            Ok(true)
        }

        fn reveal(&self, _: &Path) -> Result<(), String> {
            Err("there is no file manager".to_owned())
        }

        fn open_window(&self) -> Result<(), String> {
            Ok(())
        }

        fn browse(&self, url: &str) -> Result<(), String> {
            self.note(url);
            Ok(())
        }
    }

    fn app() -> App {
        App::with_core(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"))
    }

    fn save(app: &App, name: &str, text: &str) -> Result<Value, CommandError> {
        let request = json!({ "name": name, "kind": "csv", "content_base64": STANDARD.encode(text) });
        app.dispatch("file_save", request, None)
    }

    #[test]
    fn without_a_desktop_the_page_gets_an_error_and_finds_another_way() {
        let app = app();
        assert_eq!(app.dispatch("desktop_get", json!({}), None).unwrap()["is_window"], false);
        assert_eq!(save(&app, "a", "b").unwrap(), json!({ "outcome": "unsupported", "path": null }));
        for (command, request) in [
            ("account_pick", json!({})),
            ("desktop_new_window", json!({})),
            ("desktop_notify", json!({ "title": "a", "body": "b" })),
            ("desktop_browse", json!({ "url": "https://example.com" })),
        ] {
            assert_eq!(app.dispatch(command, request, None).unwrap_err().code, ErrorCode::Unsupported, "{command}");
        }
    }

    #[test]
    fn a_file_is_saved_where_the_person_says() {
        let folder = tempfile::tempdir().unwrap();
        let chosen = folder.path().join("out");
        let (app, desktop) = (app(), FakeDesktop { chosen: Some(chosen), ..FakeDesktop::default() });
        app.set_desktop(desktop.clone());
        let saved = save(&app, "../Opt-outs: all?.csv", "number\n").unwrap();
        assert_eq!(desktop.requests.lock().unwrap().as_slice(), ["-Opt-outs- all-.csv"]);
        let path = folder.path().join("out.csv");
        assert_eq!(saved, json!({ "outcome": "saved", "path": path }));
        assert_eq!(fs::read(&path).unwrap(), b"number\n");
        let bad = json!({ "name": "a", "kind": "csv", "content_base64": "no base64!" });
        assert_eq!(app.dispatch("file_save", bad, None).unwrap_err().details[0].path, "content_base64");
        let strange = json!({ "name": "a", "kind": "exe", "content_base64": "" });
        assert_eq!(app.dispatch("file_save", strange, None).unwrap_err().code, ErrorCode::Invalid);
        fs::remove_dir_all(folder.path()).unwrap();
        assert!(save(&app, "a", "b").unwrap_err().message.contains("cannot be written"));
    }

    #[test]
    fn accounts_and_inputs_are_not_saved_over() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("people.csv"), "Phone\n07700900001\n").unwrap();
        fs::write(at("old.csv"), "old").unwrap();
        let app = App::with_config_folder(folder.path(), None);
        app.dispatch("account_create", json!({ "name": "Shop", "colour": "blue", "contents": "empty" }), None).unwrap();
        let account = app.open_path().unwrap();
        let open = app.account().unwrap();
        let source = vec![roost_imports::session::ImportSource::Path(at("people.csv"))];
        open.imports().open(&open.core, Default::default(), source, None).unwrap();
        let mut lock = account.clone().into_os_string();
        lock.push(".lock");
        let before = fs::read(&account).unwrap();
        for (chosen, words) in [
            (account.clone(), "is the account"),
            (lock.into(), "belongs to the account"),
            (at("people.csv"), "is the input"),
        ] {
            let desktop = FakeDesktop { chosen: Some(chosen.clone()), ..FakeDesktop::default() };
            let refused = choose_checked(&app, &desktop, "a", FileKind::Csv).unwrap_err();
            assert_eq!(refused.code, ErrorCode::Invalid);
            assert!(refused.message.contains(words), "{}", refused.message);
        }
        assert!(fs::read(&account).unwrap() == before);
        let desktop = FakeDesktop { chosen: Some(at("old.csv")), ..FakeDesktop::default() };
        assert_eq!(
            choose_checked(&app, &desktop, "a", FileKind::Csv).unwrap(),
            Some(at("old.csv")),
            "the dialog has asked"
        );
    }

    #[test]
    fn a_cancelled_file_dialog_is_reported_and_returns_no_path() {
        let app = app();
        app.set_desktop(FakeDesktop::default());
        assert_eq!(save(&app, "a", "b").unwrap(), json!({ "outcome": "cancelled", "path": null }));
        assert_eq!(app.dispatch("account_pick", json!({}), None).unwrap(), json!({ "path": null }));
    }

    #[test]
    fn only_web_addresses_and_known_files_reach_the_desktop() {
        let (app, desktop) = (app(), FakeDesktop::default());
        app.set_desktop(desktop.clone());
        for url in ["file:///etc/passwd", "javascript:alert(1)", "example.com", "mailto:a@example.com", ""] {
            let error = app.dispatch("desktop_browse", json!({ "url": url }), None).unwrap_err();
            assert_eq!(error.details[0].path, "url", "{url}");
        }
        app.dispatch("desktop_browse", json!({ "url": "https://example.com/a" }), None).unwrap();
        assert_eq!(desktop.requests.lock().unwrap().as_slice(), ["https://example.com/a"]);
        let reveal = |path: &str| app.dispatch("account_reveal", json!({ "path": path }), None).unwrap_err();
        assert_eq!(reveal("/etc/passwd").code, ErrorCode::NotFound);
        let error = reveal(":memory:");
        assert_eq!((error.code, error.message.contains("no file manager")), (ErrorCode::Unsupported, true));
    }

    #[test]
    fn a_suggested_file_name_is_short_and_never_contains_a_path() {
        let csv = |name: &str| suggest_name(name, FileKind::Csv);
        assert_eq!(csv("list.csv"), "list.csv");
        assert_eq!(csv("a/b\\c:d\n"), "a-b-c-d-.csv");
        assert_eq!((csv(""), csv("..")), ("roost.csv".to_owned(), "roost.csv".to_owned()));
        assert!(csv(&"x".repeat(1_000)).len() < 110);
    }
}
