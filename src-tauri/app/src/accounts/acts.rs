//! Creates, opens, closes, copies and forgets account files.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{MutexGuard, PoisonError},
};

use roost_model::{
    error::{ErrorCode, Fault},
    phone::Region,
};
use roost_ops::{
    By, Core, Ctx,
    account::{self, AccountColour, sample},
};
use roost_sync::session::set_apart;

use super::{
    App, Home, Standing, files,
    registry::{Known, Registry},
    shown_name,
};
use crate::error::CommandError;

/// The contents of a new account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Contents {
    Empty,
    /// Sample lists, contacts, opt-outs, links and senders to try everything with.
    Sample,
}

/// The sample is the same on every computer. Only its times depend on today.
const SAMPLE_SEED: u64 = 1;

impl App {
    /// Returns every known account, and the folder for new ones if there is one.
    pub(crate) fn known_accounts(&self) -> (Vec<Known>, Option<&Path>) {
        match &self.inner.home {
            Home::Folder(registry) => (registry.known(), Some(registry.folder())),
            Home::Given => (self.given().into_iter().collect(), None),
        }
    }

    /// Returns the only account of a console.
    fn given(&self) -> Option<Known> {
        let path = self.open_path()?;
        let face = account::face(&self.core().ok()?).ok()?;
        Some(Known { name: shown_name(&face, &path), path, colour: face.colour, last_opened: None })
    }

    pub(crate) fn can_switch(&self) -> bool {
        matches!(self.inner.home, Home::Folder(_))
    }

    pub(crate) fn is_own(&self, path: &Path) -> bool {
        matches!(&self.inner.home, Home::Folder(registry) if registry.is_own(path))
    }

    /// Opens a file that the user named outside every page. All pages receive the change.
    pub fn open_by_hand(&self, path: &Path) -> Result<(), CommandError> {
        self.open_account(&By::user(None), path)
    }

    /// Opens an account file in place of the open account. If this fails, the open account stays open.
    pub(crate) fn open_account(&self, by: &By, path: &Path) -> Result<(), CommandError> {
        let registry = self.registry()?;
        let _switching = self.switching();
        let path = fs::canonicalize(path).map_err(|why| not_there(path, &why))?;
        if self.open_path().as_deref() == Some(&*path) {
            return Ok(());
        }
        // A file of another program must never count as a damaged account, because that would be set aside.
        let is_ours = registry.is_own(&path) && files::is_named_as_account(&path) || registry.is_known(&path);
        if !is_ours && !path.is_dir() && !account::could_be_account(&path)? {
            return Err(at_path("This is not an account file of Roost. Choose a file that ends in .roost.", &path));
        }
        let core = Core::open(&path, Ctx::system()).map_err(CommandError::opening)?;
        self.switch_to(by, registry, core, path)
    }

    /// Tries again to open the account that could not be opened. An open account stays as it is.
    pub(crate) fn retry(&self, by: &By) -> Result<(), CommandError> {
        let (path, why) = match &*self.standing() {
            Standing::Open { .. } => return Ok(()),
            Standing::None => return Err(CommandError::no_account()),
            Standing::Ending => return Err(CommandError::new(ErrorCode::Internal, "Roost is closing.")),
            Standing::Failed { path, why } => (path.clone(), why.clone()),
        };
        let registry = self.registry()?;
        let tried = match path {
            Some(path) => match self.open_account(by, &path) {
                // The user already saw that this account is damaged, and the button announces what it does.
                Err(now) if now.code == ErrorCode::Corrupt && why.code == ErrorCode::Corrupt => {
                    self.begin_anew(by, registry, &path)
                }
                tried => tried,
            },
            None => make_folder(registry.folder()).map(|()| {
                *self.standing() = Standing::None;
                self.tell_switched(by);
            }),
        };
        if let Err(now) = &tried
            && let Standing::Failed { why, .. } = &mut *self.standing()
        {
            *why = now.clone();
        }
        tried
    }

    /// Sets a damaged account aside and opens an empty one in its place.
    fn begin_anew(&self, by: &By, registry: &Registry, path: &Path) -> Result<(), CommandError> {
        let _switching = self.switching();
        let path = fs::canonicalize(path).map_err(|why| not_there(path, &why))?;
        let aside = account::set_aside(&path).map_err(CommandError::opening)?;
        tracing::warn!(aside = %aside.display(), "a damaged account was set aside");
        let core = Core::open(&path, Ctx::system()).map_err(CommandError::opening)?;
        self.switch_to(by, registry, core, path)
    }

    /// Creates an account file in the data folder and opens it.
    pub(crate) fn create_account(
        &self,
        by: &By,
        name: &str,
        colour: AccountColour,
        country: Option<Region>,
        contents: Contents,
    ) -> Result<(), CommandError> {
        let registry = self.registry()?;
        let (core, path) = begin(registry, name, |path| {
            let core = Core::open(path, Ctx::system()).map_err(CommandError::opening)?;
            account::introduce(&core, name, colour)?;
            if let Some(country) = country {
                account::introduce_country(&core, country)?;
            }
            if contents == Contents::Sample {
                sample::fill(&core, by, SAMPLE_SEED)?;
            }
            Ok(core)
        })?;
        let _switching = self.switching();
        self.switch_to(by, registry, core, path)
    }

    pub(crate) fn close_account(&self, by: &By) -> Result<(), CommandError> {
        let registry = self.registry()?;
        let _switching = self.switching();
        self.server().stop_if_on_account();
        let before = std::mem::replace(&mut *self.standing(), Standing::None);
        before.let_go();
        noted(registry.closed());
        self.tell_switched(by);
        Ok(())
    }

    /// Copies a known account, open or closed, under a new name. The key to its service is not copied. The copy is not
    /// opened.
    pub(crate) fn duplicate_account(&self, path: &Path, name: &str) -> Result<Known, CommandError> {
        let registry = self.registry()?;
        let from = fs::canonicalize(path).map_err(|why| not_there(path, &why))?;
        if !registry.is_known(&from) {
            return Err(at_path("This account is not on the list. Open it first.", path));
        }
        let colour = account::face_of_file(&from).colour;
        let (copy, path) = begin(registry, name, |to| {
            account::copy_file(&from, to)?;
            let copy = Core::open(to, Ctx::system()).map_err(CommandError::opening)?;
            account::introduce(&copy, name, colour)?;
            set_apart(&copy, to)?;
            Ok(copy)
        })?;
        drop(copy);
        let name = shown_name(&account::face_of_file(&path), &path);
        noted(registry.shown(&path, &name, colour));
        Ok(Known { path, name, colour, last_opened: None })
    }

    /// Removes an account from the list. Its file stays where it is.
    pub(crate) fn forget_account(&self, path: &Path) -> Result<(), CommandError> {
        let registry = self.registry()?;
        if self.open_path().as_deref() == Some(path) {
            return Err(CommandError::new(ErrorCode::Conflict, "This account is open. Close it first."));
        }
        if !registry.is_known(path) {
            return Err(at_path("This account is not on the list.", path));
        }
        registry.forget(path).map_err(|why| CommandError::file(registry.folder(), &why))
    }

    /// Updates the list with the current name and colour of the open account, which undo may have changed.
    pub(crate) fn note_face(&self, path: &Path, name: &str, colour: AccountColour) {
        if let Home::Folder(registry) = &self.inner.home {
            noted(registry.shown(path, name, colour));
        }
    }

    fn switch_to(&self, by: &By, registry: &Registry, core: Core, path: PathBuf) -> Result<(), CommandError> {
        if let Standing::Ending = &*self.standing() {
            return Err(CommandError::new(ErrorCode::Internal, "Roost is closing."));
        }
        self.server().stop_if_on_account();
        let face = account::face(&core)?;
        let at = core.ctx().now().unix();
        noted(registry.opened(&path, &shown_name(&face, &path), face.colour, at));
        self.server().stop_if_on_account();
        self.listen_to(core, path);
        self.tell_switched(by);
        Ok(())
    }

    fn registry(&self) -> Result<&Registry, CommandError> {
        match &self.inner.home {
            Home::Folder(registry) => Ok(registry),
            Home::Given => Err(CommandError::new(
                ErrorCode::Unsupported,
                "This console works on the one account it was started with. Use Roost's own window to change accounts.",
            )),
        }
    }

    fn switching(&self) -> MutexGuard<'_, ()> {
        self.inner.switching.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates the file of a new account and fills it. If `fill` fails, no file remains.
fn begin<T>(
    registry: &Registry,
    name: &str,
    fill: impl FnOnce(&Path) -> Result<T, CommandError>,
) -> Result<(T, PathBuf), CommandError> {
    let name = account::check_name(name).map_err(|fault| CommandError::invalid(vec![fault]))?;
    make_folder(registry.folder())?;
    let path = files::reserve(registry.folder(), &name).map_err(|why| CommandError::file(registry.folder(), &why))?;
    match fill(&path) {
        Ok(made) => Ok((made, path)),
        Err(why) => {
            files::discard(&path);
            Err(why)
        }
    }
}

pub(super) fn make_folder(folder: &Path) -> Result<(), CommandError> {
    fs::create_dir_all(folder).map_err(|why| {
        let told = CommandError::file(folder, &why);
        CommandError::new(told.code, format!("The folder {} cannot be made: {why}", folder.display()))
    })
}

fn not_there(path: &Path, why: &std::io::Error) -> CommandError {
    match why.kind() {
        ErrorKind::NotFound => at_path("There is no such file.", path),
        _ => at_path(&format!("This file cannot be read: {why}."), path),
    }
}

fn at_path(told: &str, path: &Path) -> CommandError {
    let path = path.to_string_lossy();
    let mut fault = CommandError::invalid(vec![Fault::new("path", told, path.as_ref())]);
    fault.message = format!("{path}: {told}");
    fault
}

/// The list is only a cache, so an account that cannot be recorded in it opens all the same.
fn noted(change: std::io::Result<()>) {
    if let Err(why) = change {
        tracing::warn!(%why, "the list of accounts could not be brought up to date");
    }
}
