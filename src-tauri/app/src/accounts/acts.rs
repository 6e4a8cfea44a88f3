//! Creates, opens, closes, copies and forgets account files.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{MutexGuard, PoisonError},
};

use roost_model::{
    error::{ErrorCode, FieldError},
    phone::Region,
};
use roost_ops::{
    Actor, Core, Ctx,
    account::{self, AccountColour},
    custom_field,
};
use roost_sync_session::separate_copy;

use super::{
    AccountSource, App, OpenState, display_name, files,
    registry::{ListedAccount, Registry},
    rescue::EMPTY_FILE,
};
use crate::error::CommandError;

/// The contents of a new account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum AccountContents {
    Empty,
    /// Sample lists, contacts, opt-outs, links and senders to try everything with.
    Sample,
}

/// The sample is the same on every computer. Only its times depend on today.
const SAMPLE_SEED: u64 = 1;

impl App {
    /// Returns every known account, and the folder for new ones if there is one.
    pub(crate) fn known_accounts(&self) -> (Vec<ListedAccount>, Option<&Path>) {
        match &self.inner.source {
            AccountSource::Folder(registry) => (registry.list_known(), Some(registry.folder())),
            AccountSource::Given => (self.path_of_given().into_iter().collect(), None),
        }
    }

    /// Returns the only account of a console.
    fn path_of_given(&self) -> Option<ListedAccount> {
        let path = self.open_path()?;
        let face = account::read_profile(&self.core().ok()?).ok()?;
        Some(ListedAccount { name: display_name(&face, &path), path, colour: face.colour, last_opened: None })
    }

    pub(crate) fn can_switch(&self) -> bool {
        matches!(self.inner.source, AccountSource::Folder(_))
    }

    pub(crate) fn is_own(&self, path: &Path) -> bool {
        matches!(&self.inner.source, AccountSource::Folder(registry) if registry.is_own(path))
    }

    /// Opens a file that the user named outside every page. All pages receive the change.
    pub fn open_chosen(&self, path: &Path) -> Result<(), CommandError> {
        self.open_account(&Actor::user(None), path)
    }

    /// Opens an account file in place of the open account. If this fails, the open account stays open.
    pub(crate) fn open_account(&self, by: &Actor, path: &Path) -> Result<(), CommandError> {
        let registry = self.registry()?;
        let _switching = self.switching();
        let path = fs::canonicalize(path).map_err(|why| not_found_error(path, &why))?;
        if self.open_path().as_deref() == Some(&*path) {
            return Ok(());
        }
        if fs::metadata(&path).is_ok_and(|about| about.is_file() && about.len() == 0) {
            return Err(error_at_path(EMPTY_FILE, &path));
        }
        // A file of another program must never count as a damaged account, because that would be set aside.
        let is_ours = registry.is_own(&path) && files::is_named_as_account(&path) || registry.is_known(&path);
        if !is_ours && !path.is_dir() && !account::could_be_account(&path)? {
            return Err(error_at_path(
                "This is not an account file of Roost. Choose a file that ends in .roost.",
                &path,
            ));
        }
        let core = Core::open(&path, Ctx::system()).map_err(CommandError::opening)?;
        self.switch_to(by, registry, core, path)
    }

    /// Tries again to open the account that could not be opened. An open account stays as it is.
    pub(crate) fn retry(&self, by: &Actor) -> Result<(), CommandError> {
        let path = match &*self.lock_state() {
            OpenState::Open { .. } => return Ok(()),
            OpenState::None => return Err(CommandError::no_account()),
            OpenState::Ending => return Err(CommandError::new(ErrorCode::Internal, "Roost is closing.")),
            OpenState::Failed { path, .. } => path.clone(),
        };
        let registry = self.registry()?;
        let tried = match path {
            Some(path) => self.open_account(by, &path),
            None => make_folder(registry.folder()).map(|()| {
                *self.lock_state() = OpenState::None;
                self.announce_switch(by);
            }),
        };
        if let Err(now) = &tried
            && let OpenState::Failed { why, .. } = &mut *self.lock_state()
        {
            *why = now.clone();
        }
        tried
    }

    /// Creates an account file in the data folder and opens it.
    pub(crate) fn create_account(
        &self,
        by: &Actor,
        name: &str,
        colour: AccountColour,
        country: Option<Region>,
        contents: AccountContents,
    ) -> Result<(), CommandError> {
        let registry = self.registry()?;
        let (core, path) = create_file(registry, name, |path| {
            let core = Core::open(path, Ctx::system()).map_err(CommandError::opening)?;
            account::set_initial_profile(&core, name, colour)?;
            if let Some(country) = country {
                account::set_initial_country(&core, country)?;
            }
            match contents {
                AccountContents::Sample => {
                    roost_samples::fill_account(&core, by, SAMPLE_SEED)?;
                }
                AccountContents::Empty => custom_field::remove_initial(&core)?,
            }
            Ok(core)
        })?;
        let _switching = self.switching();
        self.switch_to(by, registry, core, path)
    }

    pub(crate) fn close_account(&self, by: &Actor) -> Result<(), CommandError> {
        let registry = self.registry()?;
        let _switching = self.switching();
        self.server().stop_if_on_account();
        let before = std::mem::replace(&mut *self.lock_state(), OpenState::None);
        before.close();
        log_failure(registry.record_closed());
        self.announce_switch(by);
        Ok(())
    }

    /// Copies a known account, open or closed, under a new name. The key to its service is not copied. The copy is not
    /// opened.
    pub(crate) fn duplicate_account(&self, path: &Path, name: &str) -> Result<ListedAccount, CommandError> {
        let registry = self.registry()?;
        let from = fs::canonicalize(path).map_err(|why| not_found_error(path, &why))?;
        if !registry.is_known(&from) {
            return Err(error_at_path("This account is not on the list. Open it first.", path));
        }
        let colour = account::read_file_profile(&from).colour;
        let (copy, path) = create_file(registry, name, |to| {
            account::copy_file(&from, to)?;
            let copy = Core::open(to, Ctx::system()).map_err(CommandError::opening)?;
            account::set_initial_profile(&copy, name, colour)?;
            separate_copy(&copy, to)?;
            Ok(copy)
        })?;
        drop(copy);
        let name = display_name(&account::read_file_profile(&path), &path);
        log_failure(registry.record_face(&path, &name, colour));
        Ok(ListedAccount { path, name, colour, last_opened: None })
    }

    /// Removes an account from the list. Its file stays where it is.
    pub(crate) fn forget_account(&self, path: &Path) -> Result<(), CommandError> {
        let registry = self.registry()?;
        if self.open_path().as_deref() == Some(path) {
            return Err(CommandError::new(ErrorCode::Conflict, "This account is open. Close it first."));
        }
        if !registry.is_known(path) {
            return Err(error_at_path("This account is not on the list.", path));
        }
        registry.forget(path).map_err(|why| CommandError::file(registry.folder(), &why))
    }

    /// Updates the list with the current name and colour of the open account, which undo may have changed.
    pub(crate) fn record_face(&self, path: &Path, name: &str, colour: AccountColour) {
        if let AccountSource::Folder(registry) = &self.inner.source {
            log_failure(registry.record_face(path, name, colour));
        }
    }

    pub(super) fn switch_to(
        &self,
        by: &Actor,
        registry: &Registry,
        core: Core,
        path: PathBuf,
    ) -> Result<(), CommandError> {
        if let OpenState::Ending = &*self.lock_state() {
            return Err(CommandError::new(ErrorCode::Internal, "Roost is closing."));
        }
        self.server().stop_if_on_account();
        let face = account::read_profile(&core)?;
        let at = core.ctx().now().unix();
        log_failure(registry.record_opened(&path, &display_name(&face, &path), face.colour, at));
        self.server().stop_if_on_account();
        self.listen_to(core, path);
        self.announce_switch(by);
        Ok(())
    }

    pub(super) fn registry(&self) -> Result<&Registry, CommandError> {
        match &self.inner.source {
            AccountSource::Folder(registry) => Ok(registry),
            AccountSource::Given => Err(CommandError::new(
                ErrorCode::Unsupported,
                "This console works on the one account it was started with. Use Roost's own window to change accounts.",
            )),
        }
    }

    pub(super) fn switching(&self) -> MutexGuard<'_, ()> {
        self.inner.switching.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates the file of a new account and fills it. If `fill` fails, no file remains.
fn create_file<T>(
    registry: &Registry,
    name: &str,
    fill: impl FnOnce(&Path) -> Result<T, CommandError>,
) -> Result<(T, PathBuf), CommandError> {
    let name = account::check_name(name)?;
    make_folder(registry.folder())?;
    let path =
        files::reserve_file(registry.folder(), &name).map_err(|why| CommandError::file(registry.folder(), &why))?;
    match fill(&path) {
        Ok(made) => Ok((made, path)),
        Err(why) => {
            files::discard_file(&path);
            Err(why)
        }
    }
}

pub(super) fn make_folder(folder: &Path) -> Result<(), CommandError> {
    fs::create_dir_all(folder).map_err(|why| {
        let error = CommandError::file(folder, &why);
        CommandError::new(error.code, format!("The folder {} cannot be created: {why}", folder.display()))
    })
}

pub(super) fn not_found_error(path: &Path, why: &std::io::Error) -> CommandError {
    match why.kind() {
        ErrorKind::NotFound => error_at_path("The file was not found.", path),
        _ => error_at_path(&format!("This file cannot be read: {why}."), path),
    }
}

pub(super) fn error_at_path(message: &str, path: &Path) -> CommandError {
    let path = path.to_string_lossy();
    CommandError { message: format!("{path}: {message}"), ..FieldError::new("path", message, path.as_ref()).into() }
}

/// The list is only a cache, so an account that cannot be recorded in it opens all the same.
pub(super) fn log_failure(change: std::io::Result<()>) {
    if let Err(why) = change {
        tracing::warn!(%why, "the list of accounts could not be brought up to date");
    }
}
