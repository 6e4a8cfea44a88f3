//! Acts that need the file of the open account for themselves: the account is closed for them and opened again.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use roost_model::error::ErrorCode;
use roost_ops::{
    Actor, Core, Ctx,
    account::{
        self,
        erase::{Erasure, ErasureConsent},
        restore::{MissingOptOuts, Restore, RestoreConsent},
    },
};

use super::{App, OpenState};
use crate::error::CommandError;

/// How long commands that began before may keep the account open.
const CLOSING_TIMEOUT: Duration = Duration::from_secs(30);
const CLOSING_PAUSE: Duration = Duration::from_millis(20);

impl App {
    /// Replaces the open account by a copy. What was there is kept as another copy, and opt-outs that the copy lacks stay
    /// in force. `other_account` says whether the copy may be one of another account.
    pub(crate) fn restore_copy(&self, by: &Actor, copy: &Path, other_account: bool) -> Result<(), CommandError> {
        let consent = RestoreConsent { missing: MissingOptOuts::Keep, other_account };
        self.with_account_closed(by, |path| {
            let restored = Restore::prepare(path, copy).and_then(|one| one.apply(by, consent));
            restored.map(drop).map_err(CommandError::opening)
        })
    }

    /// Erases everything that the open account and the files beside it hold about a number, except for its opt-outs.
    /// `rows` is how many rows the person was shown.
    pub(crate) fn erase_number(
        &self,
        by: &Actor,
        number: &str,
        rows: u64,
        consent: &ErasureConsent,
    ) -> Result<(), CommandError> {
        self.with_account_closed(by, |path| {
            let erasure = Erasure::prepare(path, number, None).map_err(CommandError::opening)?;
            if erasure.plan().rows() != rows {
                return Err(CommandError::new(
                    ErrorCode::Conflict,
                    "What is held about this number has changed since it was shown. Nothing was deleted. Look again.",
                ));
            }
            erasure.apply(by, consent).map(drop).map_err(CommandError::opening)
        })
    }

    /// Fails where the account cannot be closed, because the caller of this program owns it.
    pub(crate) fn check_closable(&self) -> Result<(), CommandError> {
        self.registry()?;
        Ok(())
    }

    /// Closes the open account, runs `act` on its file, and opens it again, even if `act` fails.
    fn with_account_closed<T>(
        &self,
        by: &Actor,
        act: impl FnOnce(&Path) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        let registry = self.registry()?;
        let _switching = self.switching();
        let path = self.account_file()?;
        self.server().stop_if_on_account();
        let before = {
            let mut state = self.lock_state();
            match &*state {
                OpenState::Open { path: open, .. } if *open == path => {}
                _ => return Err(CommandError::no_account()),
            }
            let why = "The account is closed for a moment. Try again.";
            let why = CommandError::new(ErrorCode::Conflict, why);
            std::mem::replace(&mut *state, OpenState::Failed { path: Some(path.clone()), why })
        };
        // A server may have been started meanwhile.
        self.server().stop_if_on_account();
        before.close();
        let done = wait_until_closed(&path).and_then(|()| act(&path));
        let core = Core::open(&path, Ctx::system()).map_err(CommandError::opening);
        let opened = core.and_then(|core| self.switch_to(by, registry, core, path));
        if let Err(now) = &opened {
            if let OpenState::Failed { why, .. } = &mut *self.lock_state() {
                *why = now.clone();
            }
            self.announce_switch(by);
        }
        let value = done?;
        opened.map(|()| value)
    }
}

fn wait_until_closed(path: &Path) -> Result<(), CommandError> {
    let began = Instant::now();
    loop {
        match account::check_closed(path) {
            Err(why) if why.code() == ErrorCode::Locked && began.elapsed() < CLOSING_TIMEOUT => {
                thread::sleep(CLOSING_PAUSE);
            }
            closed => return closed.map_err(CommandError::opening),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use roost_ops::{Noun, account::backup};
    use serde_json::{Value, json};

    use super::*;
    use crate::changes::ChangeTopic;

    /// A data folder with the open account `shop.roost` and a list.
    struct OpenShop {
        _folder: tempfile::TempDir,
        app: App,
        list: Value,
    }

    impl OpenShop {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let app = App::with_config_folder(folder.path(), None);
            let made = json!({ "name": "Shop", "colour": "red", "country": "GB", "contents": "empty" });
            app.dispatch("account_create", made, None).unwrap();
            let list = app.dispatch("list_create", json!({ "name": "Guests" }), None).unwrap()["uid"].clone();
            Self { _folder: folder, app, list }
        }

        fn run(&self, command: &str, request: Value) -> Value {
            self.app.dispatch(command, request, None).unwrap_or_else(|why| panic!("{command}: {why:?}"))
        }

        fn refuse(&self, command: &str, request: Value) -> CommandError {
            self.app.dispatch(command, request, None).expect_err(command)
        }

        fn add_contact(&self, number: &str) {
            let contacts = json!([{ "phone_number": number, "firstname": "Ada" }]);
            self.run("contact_paste", json!({ "list": self.list, "contacts": contacts, "region": null }));
        }

        fn opt_out(&self, number: &str) {
            let entry = json!({ "number": number, "channels": ["SMS"], "asset": null });
            self.run("opt_out_add", json!({ "entries": [entry], "reason": "Asked", "region": null }));
        }

        fn counts(&self) -> (Value, Value) {
            let counts = self.run("overview_get", json!({}))["counts"].clone();
            (counts["contacts"].clone(), counts["opt_outs"].clone())
        }

        fn copies(&self) -> Vec<Value> {
            self.run("account_copies", json!({}))["copies"].as_array().unwrap().clone()
        }

        fn restore(&self, copy: &Value) -> Value {
            self.run("account_restore_copy", json!({ "copy": copy, "other_account": false }))
        }

        fn file(&self) -> PathBuf {
            PathBuf::from(self.run("account_list", json!({}))["current"]["path"].as_str().unwrap())
        }

        fn erasure(&self, number: &str, rows: &Value) -> Value {
            json!({
                "number": number, "rows": rows, "here_only": false, "delete_unreadable": false,
                "discard_imports": false, "discard_server_state": false,
            })
        }
    }

    #[test]
    fn a_copy_replaces_the_open_account_and_later_opt_outs_stay() {
        let shop = OpenShop::new();
        shop.add_contact("+447700900001");
        let copy = shop.run("account_back_up", json!({}))["path"].clone();
        shop.add_contact("+447700900002");
        shop.opt_out("+447700900003");
        let opening = shop.run("overview_get", json!({}))["account"]["opening"].clone();
        let shown = shop.run("account_restore_preview", json!({ "copy": copy }));
        let contacts = |of: &str| shown[of]["counts"]["contacts"].clone();
        assert_eq!((contacts("now"), contacts("restored")), (json!(2), json!(1)));
        assert_eq!((&shown["differing"]["contacts"], &shown["is_other_account"]), (&json!(1), &json!(false)));
        let first = json!([{ "number": "+447700900003", "channel": "SMS" }]);
        assert_eq!((&shown["missing_opt_outs"], &shown["first_missing"]), (&json!(1), &first));
        assert_eq!(shop.counts(), (json!(2), json!(1)), "nothing is replaced yet");
        let changes = shop.app.changes();
        let account = shop.restore(&copy);
        assert_ne!(account["opening"], opening, "every page starts again");
        assert_eq!(shop.counts(), (json!(1), json!(1)));
        assert!(changes.try_iter().any(|change| change.nouns == [ChangeTopic::from(Noun::Account)]));
        let occasions: Vec<Value> = shop.copies().iter().map(|copy| copy["occasion"].clone()).collect();
        assert_eq!(occasions.len(), 2);
        assert!(occasions.contains(&json!("replacement")), "{occasions:?}");
        shop.add_contact("+447700900004");
        assert_eq!(shop.counts().0, 2, "the account is open for writing");
    }

    #[test]
    fn a_refused_restore_leaves_the_account_open_as_it_was() {
        let shop = OpenShop::new();
        let file = PathBuf::from(shop.run("account_list", json!({}))["current"]["path"].as_str().unwrap());
        let strange = file.with_file_name("notes.txt");
        fs::write(&strange, "not an account").unwrap();
        for copy in [file.clone(), strange, file.with_file_name("missing.roost")] {
            shop.refuse("account_restore_preview", json!({ "copy": copy }));
            shop.refuse("account_restore_copy", json!({ "copy": copy, "other_account": true }));
        }
        shop.add_contact("+447700900001");
        assert_eq!((shop.counts().0, backup::list_copies(&file).len()), (json!(1), 0));
    }

    #[test]
    fn a_copy_of_another_account_is_named_and_takes_its_place_only_if_that_was_agreed_to() {
        let shop = OpenShop::new();
        shop.add_contact("+447700900001");
        let other = shop.file().with_file_name("bakery.roost");
        let bakery = Core::open(&other, Ctx::system()).unwrap();
        account::set_initial_profile(&bakery, "Bakery", account::AccountColour::default()).unwrap();
        bakery.end_background_work();
        drop(bakery);
        let shown = shop.run("account_restore_preview", json!({ "copy": other }));
        assert_eq!((&shown["is_other_account"], &shown["now"]["name"]), (&json!(true), &json!("Shop")));
        assert_eq!(shown["restored"]["name"], "Bakery");
        let request = |other_account: bool| json!({ "copy": other, "other_account": other_account });
        let refused = shop.refuse("account_restore_copy", request(false));
        assert!(refused.message.contains("of another account, “Bakery”"), "{refused}");
        assert_eq!((shop.counts().0, shop.copies().len()), (json!(1), 0));
        shop.run("account_restore_copy", request(true));
        assert_eq!((shop.counts().0, &shop.copies()[0]["name"]), (json!(0), &json!("Shop")));
    }

    #[test]
    fn values_that_differ_are_counted_although_both_have_as_many_records() {
        let shop = OpenShop::new();
        shop.add_contact("+447700900001");
        let copy = shop.run("account_back_up", json!({}))["path"].clone();
        shop.run("list_rename", json!({ "uid": shop.list, "name": "Regulars" }));
        let shown = shop.run("account_restore_preview", json!({ "copy": copy }));
        assert_eq!(shown["now"], shown["restored"]);
        assert_eq!((&shown["differing"]["lists"], &shown["differing"]["contacts"]), (&json!(1), &json!(0)));
    }

    #[test]
    fn undo_stops_at_a_restore_and_names_the_copy_that_leads_back() {
        let shop = OpenShop::new();
        shop.add_contact("+447700900001");
        let copy = shop.run("account_back_up", json!({}))["path"].clone();
        shop.restore(&copy);
        let replaced = shop.copies().into_iter().find(|copy| copy["occasion"] == "replacement").unwrap();
        let next = shop.run("history_standing", json!({}));
        assert_eq!((&next["undo"], &next["before_restore"]), (&Value::Null, &replaced["file"]));
        let refused = shop.refuse("history_undo", json!({}));
        assert!(refused.message.contains(replaced["file"].as_str().unwrap()), "{refused}");
        assert_eq!(shop.counts().0, 1, "what came before the restore stays");
        shop.run("list_create", json!({ "name": "Regulars" }));
        assert_eq!(shop.run("history_undo", json!({}))["step"]["act"], "list_create");
    }

    #[test]
    fn a_command_that_began_before_ends_first() {
        let shop = OpenShop::new();
        let copy = shop.run("account_back_up", json!({}))["path"].clone();
        let core = shop.app.core().unwrap();
        let ends = thread::spawn(move || {
            thread::sleep(Duration::from_millis(200));
            drop(core);
        });
        shop.restore(&copy);
        ends.join().unwrap();
    }

    #[test]
    fn everything_about_a_number_is_erased_from_account_and_copies_except_for_the_opt_out() {
        let shop = OpenShop::new();
        shop.add_contact("+447700900001");
        shop.add_contact("+447700900002");
        shop.opt_out("+447700900001");
        shop.run("account_back_up", json!({}));
        let number = json!({ "number": "07700 900001", "region": null });
        let shown = shop.run("account_erase_preview", number.clone());
        assert_eq!((&shown["number"], &shown["opt_outs"]), (&json!("+447700900001"), &json!(1)));
        assert_eq!(shown["copies"].as_array().unwrap().len(), 1);
        let rows = shown["rows"].clone();
        let error = shop.refuse("account_erase", shop.erasure("+447700900001", &json!(rows.as_u64().unwrap() + 1)));
        assert_eq!(error.code, ErrorCode::Conflict);
        assert_eq!(shop.counts().0, 2);
        shop.run("account_erase", shop.erasure("+447700900001", &rows));
        assert_eq!(shop.counts(), (json!(1), json!(1)));
        let held = shop.run("account_held", number);
        assert_eq!(held["erased_at"].as_array().unwrap().len(), 1);
        assert!(held["records"].as_array().unwrap().iter().all(|one| one["kind"] != "contacts"), "{held}");
    }

    #[test]
    fn what_was_not_agreed_to_stands_in_the_way_of_an_erasure() {
        let shop = OpenShop::new();
        shop.add_contact("+447700900001");
        let file = PathBuf::from(shop.run("account_list", json!({}))["current"]["path"].as_str().unwrap());
        let name = format!("{}.saved-20260105-090000.backup", file.file_name().unwrap().to_string_lossy());
        let copy = file.with_file_name(name);
        fs::write(&copy, "damaged").unwrap();
        let shown = shop.run("account_erase_preview", json!({ "number": "+447700900001", "region": null }));
        assert_eq!(shown["unreadable"].as_array().unwrap().len(), 1);
        let mut request = shop.erasure("+447700900001", &shown["rows"]);
        assert_eq!(shop.refuse("account_erase", request.clone()).code, ErrorCode::Conflict);
        assert!(copy.exists());
        request["delete_unreadable"] = json!(true);
        shop.run("account_erase", request);
        assert_eq!((copy.exists(), shop.counts().0), (false, json!(0)));
    }

    #[test]
    fn a_console_does_not_close_its_account() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop.roost");
        let app = App::with_core(Core::open(&file, Ctx::system()).unwrap(), &file);
        let copy = app.dispatch("account_back_up", json!({}), None).unwrap()["path"].clone();
        let number = json!({ "number": "+447700900001", "region": null });
        app.dispatch("account_held", number.clone(), None).unwrap();
        let erasure = json!({
            "number": "+447700900001", "rows": 0, "here_only": false, "delete_unreadable": false,
            "discard_imports": false, "discard_server_state": false,
        });
        for (command, request) in [
            ("account_restore_preview", json!({ "copy": copy })),
            ("account_restore_copy", json!({ "copy": copy, "other_account": false })),
            ("account_erase_preview", number),
            ("account_erase", erasure),
        ] {
            assert_eq!(app.dispatch(command, request, None).unwrap_err().code, ErrorCode::Unsupported, "{command}");
        }
        app.dispatch("list_create", json!({ "name": "Still open" }), None).unwrap();
    }
}
