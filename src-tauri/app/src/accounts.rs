//! The account behind the UI: open, or closed for a reason that every command tells until it is cured.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use roost_model::error::ErrorCode;
use roost_ops::{By, Core, Ctx, Subscription};
use serde_json::Value;

use crate::{
    changes::{ChangeEvent, Changes, Hub},
    commands,
    error::CommandError,
};

/// The account's file in the data folder.
pub const ACCOUNT_FILE: &str = "account.roost";
/// What stands for the path of an account that is in no file.
const MEMORY: &str = ":memory:";

/// A cheap handle of the account that the UI works on.
#[derive(Clone)]
pub struct App {
    inner: Arc<Inner>,
}

struct Inner {
    place: Place,
    standing: Mutex<Standing>,
    hub: Arc<Hub>,
}

/// Where the account is kept, as people are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub name: String,
    pub path: PathBuf,
}

enum Standing {
    Open { core: Core, _feed: Subscription },
    Closed(CommandError),
}

impl App {
    /// Opens the account in a data folder, which is made if need be. A failure is kept and told by every command.
    pub fn in_folder(folder: &Path) -> Self {
        let path = folder.join(ACCOUNT_FILE);
        let hub = Arc::new(Hub::default());
        let standing = match open(&path) {
            Ok(core) => Standing::listen(core, &hub),
            Err(why) => Standing::Closed(why),
        };
        Self::assemble(path, standing, hub)
    }

    /// Works on an account that somebody else opened: a file, or a world of the emulator.
    pub fn over(core: Core, path: &Path) -> Self {
        let hub = Arc::new(Hub::default());
        let standing = Standing::listen(core, &hub);
        // Whole, as the page cannot know where the program was started; a world in memory has no place.
        let path = if path == Path::new(MEMORY) { Ok(path.to_owned()) } else { std::path::absolute(path) };
        Self::assemble(path.unwrap_or_default(), standing, hub)
    }

    fn assemble(path: PathBuf, standing: Standing, hub: Arc<Hub>) -> Self {
        let name = if path == Path::new(MEMORY) { Path::new("in memory") } else { &path };
        let name = name.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Self { inner: Arc::new(Inner { place: Place { name, path }, standing: Mutex::new(standing), hub }) }
    }

    /// Does one command of the list. It blocks: an asynchronous caller hands it to a thread that may wait.
    pub fn dispatch(&self, name: &str, payload: Value, origin: Option<String>) -> Result<Value, CommandError> {
        commands::route(self, name, payload, &By::user(origin))
    }

    /// Every change from now on, whoever makes it.
    pub fn changes(&self) -> Changes {
        self.inner.hub.join()
    }

    /// Calls `listener` with every change from now on until it answers false. It must be quick.
    pub fn on_change(&self, listener: impl FnMut(&ChangeEvent) -> bool + Send + 'static) {
        self.inner.hub.listen(listener);
    }

    /// Lets go of the account; its file is closed once the acts under way are done.
    pub fn close(&self) {
        *self.standing() = Standing::Closed(CommandError::new(ErrorCode::Internal, "Roost is closing."));
    }

    pub(crate) fn place(&self) -> &Place {
        &self.inner.place
    }

    pub(crate) fn core(&self) -> Result<Core, CommandError> {
        match &*self.standing() {
            Standing::Open { core, .. } => Ok(core.clone()),
            Standing::Closed(why) => Err(why.clone()),
        }
    }

    /// Opens the account once more if it is closed; an open one stays as it is.
    pub(crate) fn reopen(&self) -> Result<(), CommandError> {
        let mut standing = self.standing();
        if let Standing::Closed(_) = *standing {
            match open(&self.inner.place.path) {
                Ok(core) => *standing = Standing::listen(core, &self.inner.hub),
                Err(why) => {
                    *standing = Standing::Closed(why.clone());
                    return Err(why);
                }
            }
        }
        Ok(())
    }

    /// Nobody leaves a standing half changed, so one held by a thread that panicked is sound.
    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.inner.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Standing {
    fn listen(core: Core, hub: &Arc<Hub>) -> Self {
        let hub = Arc::clone(hub);
        let feed = core.subscribe(move |notice| hub.tell(notice));
        Self::Open { core, _feed: feed }
    }
}

fn open(path: &Path) -> Result<Core, CommandError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|why| folder_fault(folder, &why))?;
    }
    Core::open(path, Ctx::system()).map_err(CommandError::opening)
}

fn folder_fault(folder: &Path, why: &std::io::Error) -> CommandError {
    let code = match why.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => ErrorCode::ReadOnly,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ErrorCode::DiskFull,
        _ => ErrorCode::Internal,
    };
    CommandError::new(code, format!("The folder {} cannot be made: {why}", folder.display()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_missing_folder_is_made() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("not/there/yet");
        let app = App::in_folder(&folder);
        let overview = app.dispatch("overview_get", json!({}), None).unwrap();
        assert_eq!(overview["account"]["name"], "account");
        assert_eq!(overview["account"]["path"], folder.join(ACCOUNT_FILE).to_string_lossy().as_ref());
        assert_eq!(overview["counts"]["lists"], 0);
    }

    #[test]
    fn an_account_opened_by_another_is_named_by_its_file_or_by_its_lack_of_one() {
        let account = |path: &str| {
            let app = App::over(Core::in_memory(Ctx::system()).unwrap(), Path::new(path));
            app.dispatch("account_open", json!({}), None).unwrap()
        };
        assert_eq!((&account(MEMORY)["name"], &account(MEMORY)["path"]), (&json!("in memory"), &json!(MEMORY)));
        let kept = account("kept.roost");
        assert_eq!(kept["name"], "kept");
        assert!(Path::new(kept["path"].as_str().unwrap()).is_absolute());
    }

    #[test]
    fn a_locked_account_is_told_by_every_command_and_opens_once_it_is_free() {
        let temp = tempfile::tempdir().unwrap();
        let first = App::in_folder(temp.path());
        first.dispatch("list_create", json!({ "name": "Newsletter" }), None).unwrap();
        let second = App::in_folder(temp.path());
        for command in ["overview_get", "account_open"] {
            assert_eq!(second.dispatch(command, json!({}), None).unwrap_err().code, ErrorCode::Locked, "{command}");
        }
        let changes = second.changes();
        drop(first);
        second.dispatch("account_open", json!({}), None).unwrap();
        assert_eq!(second.dispatch("overview_get", json!({}), None).unwrap()["counts"]["lists"], 1);
        second.dispatch("list_create", json!({ "name": "Another" }), None).unwrap();
        assert_eq!(changes.into_iter().next().unwrap().seq, 1, "who listened before it was open hears of it");
    }

    #[test]
    fn a_closed_account_is_free_for_others_while_its_handle_lives() {
        let temp = tempfile::tempdir().unwrap();
        let app = App::in_folder(temp.path());
        app.close();
        let next = App::in_folder(temp.path());
        next.dispatch("overview_get", json!({}), None).unwrap();
        assert_eq!(app.dispatch("overview_get", json!({}), None).unwrap_err().message, "Roost is closing.");
    }

    #[test]
    fn a_damaged_account_is_set_aside_and_begins_anew_when_asked_again() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join(ACCOUNT_FILE), "no database at all ".repeat(500)).unwrap();
        let app = App::in_folder(temp.path());
        let told = app.dispatch("overview_get", json!({}), None).unwrap_err();
        assert_eq!(told.code, ErrorCode::Corrupt);
        assert!(told.message.contains("damaged-"), "{}", told.message);
        app.dispatch("account_open", json!({}), None).unwrap();
        assert_eq!(app.dispatch("overview_get", json!({}), None).unwrap()["counts"]["lists"], 0);
    }

    #[test]
    fn a_folder_that_is_a_file_is_a_clear_fault() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("file");
        fs::write(&file, "").unwrap();
        let told = App::in_folder(&file.join("below")).dispatch("overview_get", json!({}), None).unwrap_err();
        assert!(told.message.contains("cannot be made"), "{}", told.message);
    }
}
