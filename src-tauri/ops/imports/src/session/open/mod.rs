//! Manages the open imports of an account: opens, resumes, describes and discards them.

mod files;
pub(super) mod parts;
mod resume;
pub(super) mod sources;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use roost_model::{error::FieldError, time::Timestamp};
use tempfile::TempDir;

use self::sources::{ImportSource, to_io_error};
use super::{
    super::rejects::RehearsedRejects,
    ImportSession,
    reports::{ImportProgress, ImportPurpose, ImportState, ImportTarget, ImportWaiting},
    stored::{self, StoredImport},
};
use roost_ops::{
    core::{AccountListener, Core},
    error::{Error, Result},
};

/// The most imports that may be open at once.
const OPEN_MAX: usize = 50;
/// Seconds without a change after which an import is discarded.
const EXPIRY_SECONDS: i64 = 30 * 24 * 60 * 60;

/// The open imports of an account.
pub struct ImportSessions {
    home: ImportsFolder,
    open: Mutex<OpenSessions>,
    /// The last rehearsal of refused rows; it is valid until the account changes.
    pub rehearsed_rejects: RehearsedRejects,
}

/// The folder in which imports are stored.
enum ImportsFolder {
    /// A folder beside the account file.
    BesideAccount(PathBuf),
    /// A temporary folder for an account in memory. It is created when it is needed and does not survive the program.
    Temporary(Mutex<Option<TempDir>>),
}

#[derive(Default)]
struct OpenSessions {
    last_id: u64,
    is_loaded: bool,
    imports: BTreeMap<u64, Arc<ImportSession>>,
}

/// The running work of an import, for the list of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportTask {
    pub import: u64,
    pub progress: ImportProgress,
}

/// The most accepted imports whose results stay available.
const ACCEPTED_MAX: usize = 5;

impl OpenSessions {
    fn drop_oldest_accepted(&mut self) {
        let is_accepted = |session: &ImportSession| session.lock_state().accepted.is_some();
        let accepted: Vec<u64> =
            self.imports.iter().filter(|(_, session)| is_accepted(session)).map(|(id, _)| *id).collect();
        for id in accepted.iter().rev().skip(ACCEPTED_MAX) {
            self.imports.remove(id);
        }
    }
}

impl AccountListener for ImportSessions {
    fn end_work(&self) {
        self.end_all();
    }
}

impl ImportSessions {
    /// Creates the sessions of an account, which end when it is closed or replaced. They are stored in a folder beside
    /// its file, or in a temporary folder if it is in memory.
    pub fn attach(core: &Core, file: Option<&Path>) -> Arc<Self> {
        let home = match file {
            Some(file) => {
                let mut home = file.as_os_str().to_owned();
                home.push(".imports");
                ImportsFolder::BesideAccount(home.into())
            }
            None => ImportsFolder::Temporary(Mutex::default()),
        };
        let imports = Arc::new(Self::in_folder(home));
        core.add_listener(&imports);
        imports
    }

    /// Creates the folder of a new import.
    fn create_folder(&self, id: u64) -> Result<PathBuf> {
        let home = match &self.home {
            ImportsFolder::BesideAccount(home) => home.clone(),
            ImportsFolder::Temporary(folder) => {
                let mut folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
                let created = match folder.take() {
                    Some(created) => created,
                    None => tempfile::tempdir().map_err(|why| {
                        Error::conflict(format!("No temporary folder could be created for the files: {why}."))
                    })?,
                };
                folder.insert(created).path().to_owned()
            }
        };
        let folder = home.join(id.to_string());
        stored::create_private_folder(&folder).map_err(|why| to_io_error("created", &folder, &why))?;
        Ok(folder)
    }

    fn in_folder(home: ImportsFolder) -> Self {
        Self { home, open: Mutex::default(), rehearsed_rejects: RehearsedRejects::default() }
    }

    fn lock_open(&self) -> MutexGuard<'_, OpenSessions> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads the imports that were open when the program last ended. Those that are too old are discarded.
    fn load_sessions(&self, core: &Core) -> MutexGuard<'_, OpenSessions> {
        let mut open = self.lock_open();
        if open.is_loaded {
            return open;
        }
        open.is_loaded = true;
        let ImportsFolder::BesideAccount(home) = &self.home else { return open };
        let now = core.ctx().now().unix();
        for entry in fs::read_dir(home).into_iter().flatten().flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u64>().ok()) else { continue };
            open.last_id = open.last_id.max(id);
            match StoredImport::read(&entry.path()) {
                Some(kept) if !kept.is_passing && now - kept.touched_at <= EXPIRY_SECONDS => {
                    let session = match resume::find_accepted(core, &kept) {
                        Ok(None) => ImportSession::resume(id, entry.path(), kept),
                        // The program ended after the rows were written and before the folder was removed.
                        Ok(Some(accepted)) => ImportSession::from_accepted(id, entry.path(), kept, accepted),
                        // It is unknown whether the import was completed, so it is neither offered nor removed.
                        Err(_) => {
                            open.is_loaded = false;
                            continue;
                        }
                    };
                    open.imports.entry(id).or_insert_with(|| Arc::new(session));
                }
                // It was written by another version, is too old, is never resumed, or is incomplete.
                _ => {
                    let _ = fs::remove_dir_all(entry.path());
                }
            }
        }
        // This removes the folder if it is empty. Otherwise it fails, as intended.
        let _ = fs::remove_dir(home);
        open
    }

    pub(super) fn get(&self, core: &Core, import: u64) -> Result<Arc<ImportSession>> {
        let session = self.load_sessions(core).imports.get(&import).cloned();
        session.ok_or_else(|| Error::conflict(super::CLOSED_MESSAGE))
    }

    pub fn open(
        &self,
        core: &Core,
        purpose: ImportPurpose,
        sources: Vec<ImportSource>,
        target: Option<ImportTarget>,
    ) -> Result<u64> {
        self.begin_session(core, StoredImport::new(purpose, None, core.ctx().now()), sources, target)
    }

    /// Opens an import of contacts for a program that completes it by itself. If the program is killed, the import is
    /// not offered to a person later.
    pub fn open_unattended(&self, core: &Core, sources: Vec<ImportSource>, target: ImportTarget) -> Result<u64> {
        let kept = StoredImport::new(ImportPurpose::Contacts, None, core.ctx().now());
        self.begin_session(core, StoredImport { is_passing: true, ..kept }, sources, Some(target))
    }

    fn begin_session(
        &self,
        core: &Core,
        kept: StoredImport,
        sources: Vec<ImportSource>,
        target: Option<ImportTarget>,
    ) -> Result<u64> {
        let session = {
            let mut open = self.load_sessions(core);
            open.drop_oldest_accepted();
            if open.imports.len() >= OPEN_MAX {
                return Err(Error::conflict(format!(
                    "{OPEN_MAX} imports are already open. Accept or discard one of them first."
                )));
            }
            open.last_id += 1;
            let id = open.last_id;
            let folder = self.create_folder(id)?;
            let session = Arc::new(ImportSession::new(id, folder, kept));
            open.imports.insert(id, Arc::clone(&session));
            session
        };
        let begun = self.set_target(core, session.id, target).and_then(|()| self.add_files(core, session.id, sources));
        if let Err(why) = begun {
            self.discard(core, session.id)?;
            return Err(why);
        }
        Ok(session.id)
    }

    /// Reads the files that wait, on a thread of their own.
    pub fn read_files(&self, core: &Core, import: u64) -> Result<()> {
        self.get(core, import)?.continue_reading(core)
    }

    /// Sets the list that the rows are imported into.
    pub fn set_target(&self, core: &Core, import: u64, target: Option<ImportTarget>) -> Result<()> {
        let session = self.get(core, import)?;
        match &target {
            Some(ImportTarget::List(uid)) => drop(super::mapping_stage::require_list(core, uid)?),
            Some(ImportTarget::NewList(name)) => roost_model::list::check_name(name)?,
            None => {}
        }
        session.end_rehearsing()?;
        {
            let mut state = session.lock_state();
            state.check_open()?;
            if state.kept.target == target {
                return Ok(());
            }
            state.kept.target = target;
            state.rehearsal = None;
            state.mark_changed(core);
        }
        session.save_state()
    }

    /// Ends the work of an import and waits for it.
    pub fn cancel(&self, core: &Core, import: u64) -> Result<()> {
        self.get(core, import)?.cancel();
        Ok(())
    }

    /// Discards an import. It is not an error if there is no such import.
    pub fn discard(&self, core: &Core, import: u64) -> Result<()> {
        let Some(session) = self.load_sessions(core).imports.get(&import).cloned() else { return Ok(()) };
        session.end_work()?;
        self.lock_open().imports.remove(&import);
        session.end_session();
        session.remove_folder()
    }

    /// Ends all work and waits for it, because the account is about to be closed.
    fn end_all(&self) {
        let sessions = std::mem::take(&mut self.lock_open().imports);
        sessions.values().for_each(|session| session.end_session());
        self.lock_open().is_loaded = false;
    }

    /// Returns the imports that wait for a person, the latest first.
    pub fn list_waiting(&self, core: &Core) -> Result<Vec<ImportWaiting>> {
        let sessions: Vec<Arc<ImportSession>> = self.load_sessions(core).imports.values().rev().cloned().collect();
        let describe = |session: &Arc<ImportSession>| {
            let state = session.lock_state();
            let kept = &state.kept;
            (state.accepted.is_none() && !kept.files.is_empty()).then(|| ImportWaiting {
                import: session.id,
                purpose: kept.purpose,
                begun_at: Timestamp::from_unix(kept.begun_at),
                names: kept.files.iter().map(|file| file.name.clone()).collect(),
                target: kept.target.clone(),
                rows: kept.row_count(),
                refused_rows: kept.refused_row_count(),
                stage: state.stage(),
            })
        };
        Ok(sessions.iter().filter_map(describe).collect())
    }

    /// Returns the running work for the list of tasks.
    pub fn list_tasks(&self) -> Vec<ImportTask> {
        let sessions: Vec<Arc<ImportSession>> = self.lock_open().imports.values().cloned().collect();
        let task = |session: &Arc<ImportSession>| {
            let progress = session.lock_state().working.as_ref()?.progress();
            Some(ImportTask { import: session.id, progress })
        };
        sessions.iter().filter_map(task).collect()
    }

    /// Asks the work of an import to end, without waiting for it. Returns false if none is running.
    pub fn cancel_task(&self, import: u64) -> bool {
        let session = self.lock_open().imports.get(&import).cloned();
        session.is_some_and(|session| session.lock_state().working.as_ref().map(|work| work.watch.cancel()).is_some())
    }

    /// Waits at most `wait` until no work is running or the generation differs from `seen`, and returns the state.
    pub fn state(&self, core: &Core, import: u64, seen: Option<u32>, wait: Duration) -> Result<ImportState> {
        let session = self.get(core, import)?;
        session.ensure_loaded(core)?;
        session.wait_until_idle(seen, wait);
        session.describe_state(core)
    }
}

/// Returns the first characters of a text, with “…” if it is longer.
pub(super) fn truncate_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl super::SessionState {
    pub(super) fn find_file(&mut self, file: u32) -> Result<&mut stored::StoredFile> {
        let found = self.kept.files.iter_mut().find(|kept| kept.file == file);
        found.ok_or_else(|| FieldError::new("file", "The file is not part of this import.", file).into())
    }

    pub(super) fn mark_changed(&mut self, core: &Core) {
        self.kept.touched_at = core.ctx().now().unix();
        self.generation += 1;
    }
}

impl ImportSession {
    /// Ends the running work, because its result would be outdated. Only reading continues.
    pub(super) fn end_rehearsing(&self) -> Result<()> {
        let is_reading =
            self.lock_state().working.as_ref().is_some_and(|working| working.work == super::ImportWork::Read);
        if is_reading { Ok(()) } else { self.end_work() }
    }

    fn end_session(&self) {
        self.lock_state().is_ended = true;
        self.cancel();
    }

    /// Removes all files of the import from the disk.
    pub(super) fn remove_folder(&self) -> Result<()> {
        {
            let mut state = self.lock_state();
            state.drop_combined();
            state.spools.clear();
        }
        // The stored state is removed first: if the program is killed now, nothing is left that could be offered again.
        let _ = fs::remove_file(self.folder.join(stored::FILE_NAME));
        match fs::remove_dir_all(&self.folder) {
            Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
                return Err(to_io_error("removed", &self.folder, &why));
            }
            _ => {}
        }
        if let Some(home) = self.folder.parent() {
            // If this was the last import, the folder of all imports is removed as well.
            let _ = fs::remove_dir(home);
        }
        Ok(())
    }

    fn describe_state(&self, core: &Core) -> Result<ImportState> {
        let (rehearsal, is_working) = {
            let state = self.lock_state();
            (state.rehearsal.clone(), state.working.is_some())
        };
        let obstacles = self.find_obstacles(core)?;
        // A status request must not wait for the running work, which may hold the only connection of an account in
        // memory.
        let is_stale = match &rehearsal {
            Some(rehearsal) if !is_working => rehearsal.is_stale(core)?,
            _ => false,
        };
        let state = self.lock_state();
        Ok(ImportState {
            import: self.id,
            generation: state.generation,
            purpose: state.kept.purpose,
            stage: state.stage(),
            target: state.kept.target.clone(),
            files: state.describe_files(),
            rows: state.kept.row_count(),
            refused_rows: state.kept.refused_row_count(),
            progress: state.working.as_ref().map(super::RunningWork::progress),
            fault: state.fault.clone(),
            obstacles,
            counts: rehearsal.map(|rehearsal| rehearsal.counts()),
            is_stale,
            accepted: state.accepted.clone(),
        })
    }
}
