//! The account behind the UI. It is open, absent, or closed with an error that every command returns until the cause is
//! fixed.

mod acts;
mod daily_copies;
mod exclusive;
mod files;
mod open_account;
mod registry;
mod rescue;
mod start;
#[cfg(test)]
mod tests;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use roost_emulator::{EmulatorHandle, Journal};
use roost_model::{error::ErrorCode, phone::Region, time::Timestamp};
use roost_ops::{Actor, ActorKind, ChangeNotice, Core, Ctx, Noun, Subscription, account::AccountProfile};
use roost_sync::vault::{KeyringSource, SystemKeyrings};
use roost_sync_session::Session;
use serde::Serialize;

pub(crate) use self::acts::AccountContents;
pub use self::{
    files::{ACCOUNT_FILE, CONTACTS, EXTENSION},
    registry::{ListedAccount, list_accounts},
    start::{CommandLine, StartRequest},
};

use self::registry::Registry;
pub(crate) use self::{open_account::OpenAccount, rescue::AccountLoss};
use crate::{
    changes::{AppChangeFeed, ChangeEvent, ChangeTopic, Changes},
    desktop::Desktop,
    error::CommandError,
    file::OutputGuard,
    local_server::LocalServer,
    page_cache::{MadeFiles, OptOutWork},
    preferences::Preferences,
    tasks::Tasks,
};

/// The path that stands for an account in memory, which has no file.
const MEMORY: &str = ":memory:";

/// A cheap handle to the account that the UI works on.
#[derive(Clone)]
pub struct App {
    inner: Arc<AppInner>,
}

struct AppInner {
    source: AccountSource,
    open_state: Mutex<OpenState>,
    /// Held while another account is opened, so that two such switches do not overlap. Nothing else waits for this
    /// lock.
    switching: Mutex<()>,
    /// How often this program opened an account.
    openings: AtomicU64,
    hub: Arc<AppChangeFeed>,
    preferences: Preferences,
    tasks: Tasks,
    server: LocalServer,
    opt_out_work: OptOutWork,
    made_files: MadeFiles,
    desktop: OnceLock<Box<dyn Desktop>>,
    /// Contact files that were passed to the program from outside and that no page has taken yet.
    offered: Mutex<Vec<PathBuf>>,
    /// The program's own clock, used while no account is open.
    clock: Ctx,
    /// The store for the keys of connections.
    keyrings: Arc<dyn KeyringSource>,
    /// Whether nothing was opened and read that could keep the window from opening.
    is_safe_mode: bool,
    /// Damaged files that were set aside and that no page has reported yet.
    set_aside: Mutex<Vec<SetAsideFile>>,
}

/// A damaged file that was renamed or copied.
#[derive(Debug, Clone)]
pub(crate) struct SetAsideFile {
    pub what: DamagedFile,
    pub kept: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum DamagedFile {
    AccountList,
    Preferences,
    /// The log of the open account. The changes after the damage are lost.
    AccountLog,
}

/// The source of the accounts.
enum AccountSource {
    /// A data folder with its list of accounts. Accounts can be created, opened and closed here.
    Folder(Registry),
    /// One account that the caller opened and owns.
    Given,
}

pub(crate) enum OpenState {
    Open {
        account: OpenAccount,
        path: PathBuf,
        sync: Session,
        _feed: Subscription,
    },
    None,
    /// `path` is the file that could not be opened, if the attempt got that far.
    Failed {
        path: Option<PathBuf>,
        why: CommandError,
    },
    Ending,
}

impl OpenState {
    /// Ends everything that still reads the account, so that its file is closed when the last running command ends.
    fn close(self) {
        if let Self::Open { account, sync, .. } = self {
            sync.end();
            account.core.end_background_work();
        }
    }
}

impl App {
    /// Opens the account that was open when the program last ended, or `file` if the user named one. Creates the data
    /// folder if it is missing. If opening fails, every command returns that error.
    pub fn with_config_folder(folder: &Path, file: Option<&Path>) -> Self {
        Self::open_folder(folder, file, false)
    }

    /// Opens no account but `file`, and neither reads nor writes the stored preferences.
    pub fn in_safe_mode(folder: &Path, file: Option<&Path>) -> Self {
        Self::open_folder(folder, file, true)
    }

    fn open_folder(folder: &Path, file: Option<&Path>, is_safe_mode: bool) -> Self {
        // The folder is created first, so that its path can be resolved.
        let made = acts::make_folder(folder);
        let registry = Registry::new(folder);
        let damaged_list = if is_safe_mode { None } else { registry.set_aside_damaged() };
        let wanted = if file.is_some() || is_safe_mode { None } else { registry.account_to_open() };
        let preferences = match is_safe_mode {
            true => Preferences::in_memory(),
            false => Preferences::in_folder(registry.folder()),
        };
        let app = Self::assemble(AccountSource::Folder(registry), preferences, Arc::new(SystemKeyrings), is_safe_mode);
        let damaged_preferences = app.inner.preferences.set_aside_damaged();
        let list = damaged_list.map(|kept| SetAsideFile { what: DamagedFile::AccountList, kept });
        let preferences = damaged_preferences.map(|kept| SetAsideFile { what: DamagedFile::Preferences, kept });
        app.report_set_aside(list.into_iter().chain(preferences));
        if let Err(why) = made {
            *app.lock_state() = OpenState::Failed { path: None, why };
        } else if let Some(path) = file.map(Path::to_owned).or(wanted)
            && let Err(why) = app.open_account(&Actor::user(None), &path)
        {
            *app.lock_state() = OpenState::Failed { path: Some(path), why };
        }
        app
    }

    /// Works on an account that the caller opened: a file, or a world of the emulator.
    pub fn with_core(core: Core, path: &Path) -> Self {
        Self::with_core_and_keyrings(core, path, Arc::new(SystemKeyrings))
    }

    /// Works on such an account with a key store other than this computer's keyring.
    pub fn with_core_and_keyrings(core: Core, path: &Path, keyrings: Arc<dyn KeyringSource>) -> Self {
        // The path is made absolute because the page does not know where the program was started. A world in memory has
        // no path.
        let path = if path == Path::new(MEMORY) { Ok(path.to_owned()) } else { std::path::absolute(path) };
        let app = Self::assemble(AccountSource::Given, Preferences::in_memory(), keyrings, false);
        app.listen_to(core, path.unwrap_or_default());
        app
    }

    fn assemble(
        home: AccountSource,
        preferences: Preferences,
        keyrings: Arc<dyn KeyringSource>,
        is_safe_mode: bool,
    ) -> Self {
        let hub = Arc::default();
        Self {
            inner: Arc::new(AppInner {
                source: home,
                open_state: Mutex::new(OpenState::None),
                switching: Mutex::default(),
                openings: AtomicU64::new(0),
                server: LocalServer::new(&hub),
                opt_out_work: OptOutWork::default(),
                made_files: MadeFiles::default(),
                hub,
                preferences,
                tasks: Tasks::default(),
                desktop: OnceLock::new(),
                offered: Mutex::default(),
                clock: Ctx::system(),
                keyrings,
                is_safe_mode,
                set_aside: Mutex::default(),
            }),
        }
    }

    /// Gives the app its desktop. Only the first call has an effect.
    pub fn set_desktop(&self, desktop: impl Desktop) {
        if self.inner.desktop.set(Box::new(desktop)).is_err() {
            tracing::warn!("a second desktop was lent and not taken");
        }
    }

    /// Returns a feed of every change from now on, whoever makes it.
    pub fn changes(&self) -> Changes {
        self.inner.hub.subscribe()
    }

    /// Calls `listener` with every change from now on until it returns false. The listener must return quickly.
    pub fn on_change(&self, listener: impl FnMut(&ChangeEvent) -> bool + Send + 'static) {
        self.inner.hub.listen_to_core(listener);
    }

    /// Closes the account. Its file is closed when the running commands end.
    pub fn close(&self) {
        self.inner.server.end_running();
        let before = std::mem::replace(&mut *self.lock_state(), OpenState::Ending);
        before.close();
    }

    pub(crate) fn core(&self) -> Result<Core, CommandError> {
        self.account().map(|account| account.core)
    }

    /// Returns the open account with its views and imports.
    pub(crate) fn account(&self) -> Result<OpenAccount, CommandError> {
        match &*self.lock_state() {
            OpenState::Open { account, .. } => Ok(account.clone()),
            OpenState::None => Err(CommandError::no_account()),
            OpenState::Failed { why, .. } => Err(why.clone()),
            OpenState::Ending => Err(CommandError::new(ErrorCode::Internal, "Roost is closing.")),
        }
    }

    /// Returns the session of the open account with its service.
    pub(crate) fn sync(&self) -> Result<Session, CommandError> {
        match &*self.lock_state() {
            OpenState::Open { sync, .. } => Ok(sync.clone()),
            OpenState::None => Err(CommandError::no_account()),
            OpenState::Failed { why, .. } => Err(why.clone()),
            OpenState::Ending => Err(CommandError::new(ErrorCode::Internal, "Roost is closing.")),
        }
    }

    fn open_session(&self, core: &Core, file: Option<&Path>) -> Session {
        let hub = Arc::clone(&self.inner.hub);
        let keyrings = Arc::clone(&self.inner.keyrings);
        Session::with_keyrings(core.clone(), file, keyrings, move || {
            hub.send_topic(ChangeTopic::SYNC, ActorKind::Sync, None)
        })
    }

    /// Returns the file of the open account, or nothing if no account is open.
    pub(crate) fn open_path(&self) -> Option<PathBuf> {
        match &*self.lock_state() {
            OpenState::Open { path, .. } => Some(path.clone()),
            OpenState::None | OpenState::Failed { .. } | OpenState::Ending => None,
        }
    }

    /// Returns the file of the open account.
    pub(crate) fn account_file(&self) -> Result<PathBuf, CommandError> {
        self.core()?;
        let path = self.open_path().ok_or_else(CommandError::no_account)?;
        match path == Path::new(MEMORY) {
            true => Err(CommandError::new(ErrorCode::Unsupported, "This account is in memory and has no file.")),
            false => Ok(path),
        }
    }

    /// Returns a number that differs each time an account is opened. A page of an earlier one starts again.
    pub(crate) fn opening(&self) -> u64 {
        self.inner.openings.load(Ordering::Acquire)
    }

    /// Returns the error that keeps the account closed.
    pub(crate) fn opening_error(&self) -> Option<CommandError> {
        match &*self.lock_state() {
            OpenState::Failed { why, .. } => Some(why.clone()),
            OpenState::Open { .. } | OpenState::None | OpenState::Ending => None,
        }
    }

    pub(crate) fn is_safe_mode(&self) -> bool {
        self.inner.is_safe_mode
    }

    fn report_set_aside(&self, files: impl IntoIterator<Item = SetAsideFile>) {
        self.inner.set_aside.lock().unwrap_or_else(PoisonError::into_inner).extend(files);
    }

    /// Returns the damaged files that were set aside, each once.
    pub(crate) fn take_set_aside(&self) -> Vec<SetAsideFile> {
        std::mem::take(&mut *self.inner.set_aside.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn preferences(&self) -> &Preferences {
        &self.inner.preferences
    }

    /// Returns the look-ups and opt-out imports that pages have open.
    pub(crate) fn opt_out_work(&self) -> &OptOutWork {
        &self.inner.opt_out_work
    }

    /// Returns the exported files that pages have yet to fetch.
    pub(crate) fn made_files(&self) -> &MadeFiles {
        &self.inner.made_files
    }

    pub(crate) fn server(&self) -> &LocalServer {
        &self.inner.server
    }

    /// Returns the journal for a server that runs around this app.
    pub fn journal(&self) -> Journal {
        self.server().journal().clone()
    }

    /// Connects this app to the server that serves its account, so that pages can show it.
    pub fn attach_server(&self, handle: &EmulatorHandle) {
        self.server().attach(handle, self.now());
    }

    pub(crate) fn tasks(&self) -> &Tasks {
        &self.inner.tasks
    }

    pub(crate) fn has_desktop(&self) -> bool {
        self.inner.desktop.get().is_some()
    }

    pub(crate) fn desktop(&self) -> Result<&dyn Desktop, CommandError> {
        self.inner.desktop.get().map(Box::as_ref).ok_or_else(CommandError::no_desktop)
    }

    /// Takes contact files that the user passed to the program from outside. A page begins an import with them.
    pub fn offer_files(&self, paths: Vec<PathBuf>) {
        if paths.is_empty() {
            return;
        }
        self.inner.offered.lock().unwrap_or_else(PoisonError::into_inner).extend(paths);
        self.inner.hub.send_topic(ChangeTopic::OFFERED, ActorKind::User, None);
    }

    /// Returns those files and forgets them, so that only one page begins an import.
    pub(crate) fn take_offered(&self) -> Vec<PathBuf> {
        std::mem::take(&mut *self.inner.offered.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the files that no saved file may replace: every known account, and the files that imports read.
    pub(crate) fn output_guard(&self) -> OutputGuard {
        let known = self.known_accounts().0.into_iter().map(|known| known.path);
        let accounts = known.chain(self.open_path()).filter(|path| path != Path::new(MEMORY));
        let guard = accounts.fold(OutputGuard::default(), |guard, path| guard.protect_account(&path));
        let inputs = self.account().map(|account| account.imports().input_paths()).unwrap_or_default();
        inputs.iter().fold(guard, |guard, path| guard.protect_input(path))
    }

    /// Returns the country that the computer is set to, if it is known.
    pub(crate) fn detect_country(&self) -> Option<String> {
        self.inner.clock.computer_region().map(Region::code)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// Replaces the open account with this one and follows its changes.
    fn listen_to(&self, core: Core, path: PathBuf) {
        let hub = Arc::clone(&self.inner.hub);
        let file = (path != Path::new(MEMORY)).then_some(path.as_path());
        let log_copy = core.damaged_log_copy().map(Path::to_owned);
        self.report_set_aside(log_copy.map(|kept| SetAsideFile { what: DamagedFile::AccountLog, kept }));
        let sync = self.open_session(&core, file);
        let stands = sync.clone();
        let feed = core.subscribe(move |notice| {
            hub.send_notice(notice);
            // A sync announces its own changes, a few times a second.
            if notice.by != ActorKind::Sync && stands.is_connected() {
                hub.send_topic(ChangeTopic::SYNC, notice.by, None);
            }
        });
        let account = OpenAccount::new(core, file);
        self.inner.openings.fetch_add(1, Ordering::AcqRel);
        let before = std::mem::replace(&mut *self.lock_state(), OpenState::Open { account, path, sync, _feed: feed });
        // The old account is closed here, where no lock is held.
        before.close();
    }

    /// Tells every page to read everything again, because another account is open or none is.
    fn announce_switch(&self, by: &Actor) {
        let nouns = vec![Noun::Account];
        let origin = by.origin.clone();
        self.inner.hub.send_notice(&ChangeNotice { seq: 0, step: None, nouns, by: by.source, origin, cause: None });
    }

    /// No code leaves the state half changed, so the value is sound even if a thread panicked while it held the lock.
    fn lock_state(&self) -> MutexGuard<'_, OpenState> {
        self.inner.open_state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the name to show for an account: its own name, or else the name of its file.
pub(crate) fn display_name(face: &AccountProfile, path: &Path) -> String {
    match &face.name {
        Some(name) => name.clone(),
        None if path == Path::new(MEMORY) => "In memory".to_owned(),
        None => files::account_stem(path),
    }
}
