//! Leads back from an account file that cannot be used: to a copy beside it, or to an empty account.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use roost_model::error::ErrorCode;
use roost_ops::{
    Actor, Core, Ctx, StoreError,
    account::{
        self,
        backup::{self, AccountCopy},
        restore::{MissingOptOuts, Restore, RestoreConsent},
    },
    custom_field,
};
use serde::Serialize;

use super::{App, OpenState, acts::log_failure, files};
use crate::error::CommandError;

/// What is wrong with an account file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum AccountLoss {
    Missing,
    /// The file has no bytes, as after a power cut.
    Empty,
    Damaged,
    /// Its content or its tables are not those of an account.
    Altered,
    /// The file itself may be sound, but a file beside it belongs to another account.
    Companion,
    /// Another reason, for which no copy helps: the file is locked, too new, or cannot be read right now.
    Other,
}

impl AccountLoss {
    /// Returns whether a copy may take the place of the file.
    fn is_curable_by_copy(self) -> bool {
        matches!(self, Self::Missing | Self::Empty) || self.must_be_set_aside()
    }

    fn must_be_set_aside(self) -> bool {
        matches!(self, Self::Damaged | Self::Altered)
    }
}

/// Opens an account file, or says what is wrong with it. An empty file is not turned into an account.
fn open_or_classify(path: &Path) -> Result<Core, (AccountLoss, CommandError)> {
    let lost = |loss, message: &str| (loss, super::acts::error_at_path(message, path));
    match fs::metadata(path) {
        Err(why) if why.kind() == ErrorKind::NotFound => {
            return Err(lost(AccountLoss::Missing, "The file was not found."));
        }
        Ok(about) if about.is_file() && about.len() == 0 => return Err(lost(AccountLoss::Empty, EMPTY_FILE)),
        _ => {}
    }
    Core::open(path, Ctx::system()).map_err(|why| {
        let loss = match &why {
            roost_ops::Error::Store(StoreError::Companion { .. }) => AccountLoss::Companion,
            _ => match why.code() {
                ErrorCode::Corrupt => AccountLoss::Damaged,
                ErrorCode::Altered => AccountLoss::Altered,
                _ => AccountLoss::Other,
            },
        };
        (loss, CommandError::opening(why))
    })
}

pub(super) const EMPTY_FILE: &str = "This file is empty, so it is not an account. Nothing was changed.";

impl App {
    /// Returns the account file that could not be opened, if the attempt got that far.
    pub(crate) fn failed_path(&self) -> Option<PathBuf> {
        match &*self.lock_state() {
            OpenState::Failed { path, .. } => path.clone(),
            OpenState::Open { .. } | OpenState::None | OpenState::Ending => None,
        }
    }

    /// Says what is wrong with a known account file, and lists its copies, the newest first. Changes nothing.
    pub(crate) fn find_way_back(&self, path: &Path) -> Result<(AccountLoss, Vec<AccountCopy>), CommandError> {
        self.check_lost(path)?;
        match open_or_classify(path) {
            Ok(core) => {
                core.end_background_work();
                Ok((AccountLoss::Other, Vec::new()))
            }
            Err((loss, _)) if loss.is_curable_by_copy() => Ok((loss, backup::list_copies(path))),
            Err((loss, _)) => Ok((loss, Vec::new())),
        }
    }

    /// Puts a copy in the place of an account file that cannot be used, and opens it. A damaged file is set aside, and
    /// opt-outs that can still be read stay in force. A file that can be opened again is left alone.
    pub(crate) fn restore_account(&self, by: &Actor, path: &Path, copy: &Path) -> Result<(), CommandError> {
        self.check_lost(path)?;
        {
            let _switching = self.switching();
            let loss = confirm_loss(path)?;
            if !loss.is_curable_by_copy() {
                return Err(no_longer_lost());
            }
            if !backup::list_copies(path).iter().any(|known| known.path == copy && known.is_sound) {
                return Err(CommandError::new(ErrorCode::NotFound, "This is not a valid copy of the account."));
            }
            if loss.must_be_set_aside() {
                let aside = account::set_aside(path).map_err(CommandError::opening)?;
                tracing::warn!(aside = %aside.display(), "a damaged account was set aside");
            }
            let restored = Restore::prepare(path, copy).and_then(|one| one.apply(by, KEEP));
            restored.map_err(CommandError::opening)?;
        }
        self.open_account(by, path)
    }

    /// Sets a damaged account aside and opens an empty one. If copies of the damaged one exist, the new account has
    /// another name, because its own copies would replace them.
    pub(crate) fn start_empty(&self, by: &Actor, path: &Path) -> Result<(), CommandError> {
        let registry = self.registry()?;
        self.check_lost(path)?;
        let _switching = self.switching();
        if !confirm_loss(path)?.must_be_set_aside() {
            return Err(no_longer_lost());
        }
        let path = fs::canonicalize(path).map_err(|why| super::acts::not_found_error(path, &why))?;
        let aside = account::set_aside(&path).map_err(CommandError::opening)?;
        tracing::warn!(aside = %aside.display(), "a damaged account was set aside");
        let place = match path.parent().filter(|_| account::has_copies(&path)) {
            Some(folder) => files::reserve_file(folder, &files::account_stem(&path))
                .map_err(|why| CommandError::file(folder, &why))?,
            None => path.clone(),
        };
        let core = Core::open(&place, Ctx::system()).map_err(CommandError::opening)?;
        custom_field::remove_initial(&core)?;
        if place != path {
            // The damaged account stays on the list, so that one can still go back to a copy of it.
            let face = account::AccountProfile::default();
            log_failure(registry.record_face(&path, &files::account_stem(&path), face.colour));
        }
        self.switch_to(by, registry, core, place)
    }

    /// Refuses the path of the open account and paths that no list of this program names.
    fn check_lost(&self, path: &Path) -> Result<(), CommandError> {
        let is_failed = self.failed_path().as_deref() == Some(path);
        let is_known = || self.known_accounts().0.iter().any(|known| known.path == path);
        if self.open_path().as_deref() == Some(path) {
            return Err(no_longer_lost());
        }
        match is_failed || is_known() {
            true => Ok(()),
            false => Err(CommandError::new(ErrorCode::NotFound, "This account is not on the list.")),
        }
    }
}

/// The lost account cannot be compared with the copy, which the person chose by the name of its account.
const KEEP: RestoreConsent = RestoreConsent { missing: MissingOptOuts::Keep, other_account: true };

/// Says what is wrong with a file now, because the page may know an older state of it.
fn confirm_loss(path: &Path) -> Result<AccountLoss, CommandError> {
    match open_or_classify(path) {
        Ok(core) => {
            core.end_background_work();
            Err(no_longer_lost())
        }
        Err((AccountLoss::Other | AccountLoss::Companion, why)) => Err(why),
        Err((loss, _)) => Ok(loss),
    }
}

fn no_longer_lost() -> CommandError {
    CommandError::new(
        ErrorCode::Conflict,
        "This account can be opened, so nothing was replaced. Open it, or try again.",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A data folder with the account `shop.roost`, which has an opt-out, and a copy of it.
    struct Shop {
        folder: tempfile::TempDir,
        file: PathBuf,
        copy: PathBuf,
    }

    impl Shop {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let app = App::with_config_folder(folder.path(), None);
            let made = json!({ "name": "Shop", "colour": "red", "country": "GB", "contents": "empty" });
            let made = app.dispatch("account_create", made, None).unwrap();
            let file = PathBuf::from(made["path"].as_str().unwrap());
            app.dispatch("list_create", json!({ "name": "Newsletter" }), None).unwrap();
            let copy = backup::back_up(&file).unwrap();
            app.close();
            Self { folder, file, copy }
        }

        fn start_app(&self) -> App {
            App::with_config_folder(self.folder.path(), None)
        }

        fn damage(&self) -> Vec<u8> {
            let mut bytes = fs::read(&self.file).unwrap();
            let middle = bytes.len() / 2;
            bytes[4096..middle].fill(0x5a);
            fs::write(&self.file, &bytes).unwrap();
            bytes
        }

        fn set_aside(&self) -> Vec<PathBuf> {
            let entries = fs::read_dir(self.file.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
            entries.filter(|path| path.to_string_lossy().contains(".damaged-")).collect()
        }

        fn ask(&self) -> Value {
            json!({ "path": self.file })
        }
    }

    fn way_back(app: &App, shop: &Shop) -> Value {
        app.dispatch("account_way_back", shop.ask(), None).unwrap()
    }

    fn restore(app: &App, shop: &Shop) -> Result<Value, CommandError> {
        app.dispatch("account_restore", json!({ "path": shop.file, "copy": shop.copy }), None)
    }

    fn lists(app: &App) -> Value {
        app.dispatch("overview_get", json!({}), None).unwrap()["counts"]["lists"].clone()
    }

    #[test]
    fn a_damaged_account_goes_back_to_its_copy_and_the_damaged_file_stays() {
        let shop = Shop::new();
        let damaged = shop.damage();
        let app = shop.start_app();
        let list = app.dispatch("account_list", json!({}), None).unwrap();
        assert_eq!((&list["status"], &list["fault_path"]), (&json!("failed"), &json!(shop.file)));
        let response = way_back(&app, &shop);
        assert_eq!((&response["loss"], &response["file"]), (&json!("damaged"), &json!("shop.roost")));
        assert_eq!(response["copies"].as_array().unwrap().len(), 1);
        assert_eq!((&response["copies"][0]["path"], &response["copies"][0]["lists"]), (&json!(shop.copy), &json!(1)));
        assert!(app.dispatch("account_retry", json!({}), None).is_err());
        assert_eq!(fs::read(&shop.file).unwrap(), damaged, "trying again replaces nothing");
        restore(&app, &shop).unwrap();
        assert_eq!(lists(&app), 1);
        assert_eq!(fs::read(&shop.set_aside()[0]).unwrap(), damaged);
    }

    #[test]
    fn an_emptied_or_missing_account_is_restored_from_its_copy_and_never_started_empty() {
        for loss in ["empty", "missing"] {
            let shop = Shop::new();
            match loss {
                "empty" => fs::write(&shop.file, "").unwrap(),
                _ => fs::remove_file(&shop.file).unwrap(),
            }
            let app = shop.start_app();
            assert_eq!(app.dispatch("account_list", json!({}), None).unwrap()["status"], "failed", "{loss}");
            assert_eq!(way_back(&app, &shop)["loss"], loss);
            for command in ["account_retry", "account_start_empty"] {
                let request = if command == "account_retry" { json!({}) } else { shop.ask() };
                app.dispatch(command, request, None).expect_err(command);
            }
            assert!(fs::metadata(&shop.file).map_or(true, |about| about.len() == 0), "{loss}");
            restore(&app, &shop).unwrap();
            assert_eq!((lists(&app), shop.set_aside().len()), (json!(1), 0), "{loss}");
        }
    }

    #[test]
    fn a_first_page_of_noise_is_set_aside_for_a_copy() {
        let shop = Shop::new();
        let mut bytes = fs::read(&shop.file).unwrap();
        bytes[..4096].fill(0x5a);
        fs::write(&shop.file, &bytes).unwrap();
        let app = shop.start_app();
        assert_eq!(way_back(&app, &shop)["loss"], "altered");
        restore(&app, &shop).unwrap();
        assert_eq!((lists(&app), fs::read(&shop.set_aside()[0]).unwrap()), (json!(1), bytes));
    }

    #[test]
    fn an_account_that_became_sound_meanwhile_is_not_replaced() {
        let shop = Shop::new();
        let sound = fs::read(&shop.file).unwrap();
        shop.damage();
        let app = shop.start_app();
        fs::write(&shop.file, &sound).unwrap();
        for request in ["account_restore", "account_start_empty"] {
            let error = match request {
                "account_restore" => restore(&app, &shop).unwrap_err(),
                _ => app.dispatch(request, shop.ask(), None).unwrap_err(),
            };
            assert_eq!(error.code, ErrorCode::Conflict, "{request}");
        }
        assert!(shop.set_aside().is_empty());
        app.dispatch("account_retry", json!({}), None).unwrap();
        assert_eq!(restore(&app, &shop).unwrap_err().code, ErrorCode::Conflict, "nor the open one");
    }

    #[test]
    fn starting_empty_leaves_the_damaged_file_and_every_copy() {
        let shop = Shop::new();
        let damaged = shop.damage();
        let app = shop.start_app();
        let made = app.dispatch("account_start_empty", shop.ask(), None).unwrap();
        assert_eq!((lists(&app), &made["file"]), (json!(0), &json!("shop-2.roost")));
        assert_eq!(fs::read(&shop.set_aside()[0]).unwrap(), damaged);
        assert_eq!(way_back(&app, &shop)["loss"], "missing");
        restore(&app, &shop).unwrap();
        assert_eq!(lists(&app), 1, "the way back stays open");
    }

    #[test]
    fn only_a_sound_copy_of_a_known_account_takes_its_place() {
        let shop = Shop::new();
        let damaged = shop.damage();
        let app = shop.start_app();
        let strange = json!({ "path": shop.folder.path().join("other.roost"), "copy": shop.copy });
        assert_eq!(app.dispatch("account_restore", strange, None).unwrap_err().code, ErrorCode::NotFound);
        let good = fs::read(&shop.copy).unwrap();
        fs::write(&shop.copy, &good[..good.len() / 2]).unwrap();
        assert_eq!(restore(&app, &shop).unwrap_err().code, ErrorCode::NotFound);
        assert_eq!(way_back(&app, &shop)["copies"], json!([]), "a damaged copy is not offered");
        assert_eq!(fs::read(&shop.file).unwrap(), damaged);
    }

    #[test]
    fn a_log_of_another_account_does_not_justify_a_copy() {
        let shop = Shop::new();
        fs::write(shop.folder.path().join("shop.roost-wal"), "not a log, but somebody's notes").unwrap();
        let app = shop.start_app();
        let response = way_back(&app, &shop);
        assert_eq!((&response["loss"], &response["copies"]), (&json!("companion"), &json!([])));
        assert!(restore(&app, &shop).unwrap_err().message.contains("move"));
        assert!(shop.set_aside().is_empty());
    }
}
