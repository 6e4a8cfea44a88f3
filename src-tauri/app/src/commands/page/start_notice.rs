//! Commands on what a page says once after the program started.

use roost_ops::Actor;
use serde::Serialize;

use crate::{
    accounts::{App, DamagedFile},
    commands::{Done, Nothing},
    diagnostics::crash,
    error::CommandError,
};

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct StartNotice {
    /// The report of a crash of the window that no page has shown yet.
    pub crash: Option<CrashNotice>,
    pub is_safe_mode: bool,
    /// Files that were damaged, and renamed or copied before they were used.
    pub set_aside: Vec<SetAsideNotice>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct SetAsideNotice {
    pub what: DamagedFile,
    /// The path of the damaged file or its copy.
    pub kept_as: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct CrashNotice {
    /// The time of the crash, such as 2026-01-05T09:00:00Z.
    pub at: String,
    /// The file of the report.
    pub path: String,
}

/// Each crash and each damaged file is returned once.
pub(crate) fn get(app: &App, _: &Actor, _: Nothing) -> Result<StartNotice, CommandError> {
    let unseen = app.known_accounts().1.and_then(|folder| Some((folder, crash::find_unseen_report(folder)?)));
    if let Some((folder, report)) = &unseen
        && let Err(why) = crash::mark_report_seen(folder, report)
    {
        tracing::warn!(%why, "the report of a crash will be shown again");
    }
    let notice = unseen
        .map(|(_, report)| CrashNotice { at: report.time_text(), path: report.path.to_string_lossy().into_owned() });
    let set_aside = app.take_set_aside().into_iter();
    let set_aside =
        set_aside.map(|file| SetAsideNotice { what: file.what, kept_as: file.kept.to_string_lossy().into_owned() });
    Ok(StartNotice { crash: notice, is_safe_mode: app.is_safe_mode(), set_aside: set_aside.collect() })
}

/// The page names no file, because the desktop would show any.
pub(crate) fn reveal_report(app: &App, _: &Actor, _: Nothing) -> Result<Done, CommandError> {
    let desktop = app.desktop()?;
    let newest = app.known_accounts().1.and_then(crash::newest_window_report).ok_or_else(CommandError::no_report)?;
    desktop.reveal(&newest.path).map_err(|why| CommandError::desktop(&why))?;
    Ok(Done {})
}

impl CommandError {
    fn no_report() -> Self {
        Self::new(roost_model::error::ErrorCode::NotFound, "There is no report of a crash.")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use roost_ops::{Core, Ctx, list};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_crash_of_the_window_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let crashes = folder.path().join("crashes");
        fs::create_dir(&crashes).unwrap();
        fs::write(crashes.join("roost-20260105-090000-7-0.txt"), "of a command").unwrap();
        let notice = |app: &App| app.dispatch("start_notice_get", json!({}), None).unwrap();
        let app = App::with_config_folder(folder.path(), None);
        assert_eq!(notice(&app), json!({ "crash": null, "is_safe_mode": false, "set_aside": [] }));
        let path = crashes.join("roost-desktop-20260105-090507-7-0.txt");
        fs::write(&path, "of the window").unwrap();
        let response = notice(&app);
        assert_eq!(response["crash"]["at"], "2026-01-05T09:05:07Z");
        assert!(
            response["crash"]["path"].as_str().unwrap().ends_with("roost-desktop-20260105-090507-7-0.txt"),
            "{response}"
        );
        for app in [app, App::with_config_folder(folder.path(), None)] {
            assert_eq!(notice(&app)["crash"], json!(null));
        }
    }

    #[test]
    fn damaged_files_of_the_program_are_kept_and_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let list = "{\"accounts\": [{\"path\": 5}], \"open\": 7";
        for (name, damage) in [("accounts.json", list), ("preferences.json", "{")] {
            fs::write(folder.path().join(name), damage).unwrap();
        }
        let app = App::with_config_folder(folder.path(), None);
        let set_aside = app.dispatch("start_notice_get", json!({}), None).unwrap()["set_aside"].clone();
        let what: Vec<_> = set_aside.as_array().unwrap().iter().map(|one| one["what"].clone()).collect();
        assert_eq!(what, [json!("account_list"), json!("preferences")]);
        assert_eq!(fs::read_to_string(set_aside[0]["kept_as"].as_str().unwrap()).unwrap(), list);
        assert_eq!(fs::read_to_string(set_aside[1]["kept_as"].as_str().unwrap()).unwrap(), "{");
        assert_eq!(app.dispatch("start_notice_get", json!({}), None).unwrap()["set_aside"], json!([]));
    }

    #[test]
    fn changes_that_a_damaged_log_lost_are_reported_once() {
        let (open, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let core = Core::open(&open.path().join("shop.roost"), Ctx::system()).unwrap();
        for number in 1..=8 {
            list::create(&core, &Actor::user(None), &format!("Number {number}"), list::UniqueNames::Off).unwrap();
        }
        // The files as a killed program leaves them.
        for part in ["shop.roost", "shop.roost-shm", "shop.roost-wal"] {
            let mut bytes = fs::read(open.path().join(part)).unwrap();
            if part.ends_with("-wal") {
                let at = bytes.windows(8).position(|text| text == b"Number 3").unwrap();
                bytes[at] ^= 1;
            }
            fs::write(place.path().join(part), bytes).unwrap();
        }
        let app = App::with_config_folder(place.path(), Some(&place.path().join("shop.roost")));
        let notice = || app.dispatch("start_notice_get", json!({}), None).unwrap()["set_aside"].clone();
        let set_aside = notice();
        assert_eq!(set_aside[0]["what"], "account_log");
        let kept = set_aside[0]["kept_as"].as_str().unwrap();
        assert!(kept.contains(".damaged-log-") && fs::exists(kept).unwrap(), "{kept}");
        assert_eq!(notice(), json!([]));
    }

    #[test]
    fn safe_mode_opens_no_account_and_leaves_the_stored_preferences_alone() {
        let folder = tempfile::tempdir().unwrap();
        let usual = App::with_config_folder(folder.path(), None);
        let create = json!({ "name": "Shop", "colour": "blue", "contents": "empty" });
        usual.dispatch("account_create", create, None).unwrap();
        usual.dispatch("preferences_put", json!({ "patch": { "theme": "dark" } }), None).unwrap();
        usual.close();
        drop(usual);
        let stored = fs::read(folder.path().join("preferences.json")).unwrap();
        let safe = App::in_safe_mode(folder.path(), None);
        let ask = |command: &str| safe.dispatch(command, json!({}), None).unwrap();
        assert_eq!(ask("account_list")["status"], "none");
        assert_eq!(ask("account_list")["accounts"].as_array().unwrap().len(), 1, "it can be opened by hand");
        assert_eq!(ask("preferences_get")["preferences"], json!({}));
        assert_eq!(ask("start_notice_get")["is_safe_mode"], true);
        assert_eq!(ask("server_status")["running"], json!(null));
        safe.dispatch("preferences_put", json!({ "patch": { "theme": "light" } }), None).unwrap();
        assert_eq!(fs::read(folder.path().join("preferences.json")).unwrap(), stored);
        let usual = App::with_config_folder(folder.path(), None);
        assert_eq!(usual.dispatch("account_list", json!({}), None).unwrap()["status"], "open");
    }
}
