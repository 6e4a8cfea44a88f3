//! The open imports of an account: opens, resumes, describes and discards them.

mod files;
mod left;
pub mod parts;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use roost_model::{error::Fault, time::Timestamp};
use tempfile::TempDir;

use super::{
    Session,
    kept::{self, Kept},
    sources::{ImportSource, io_fault},
    told::{ImportProgress, ImportPurpose, ImportState, ImportTarget, ImportWaiting},
};
use crate::{
    core::Core,
    error::{Error, Result},
};

/// Imports that may be open at once.
const OPEN_MAX: usize = 50;
/// Seconds after which an untouched import is discarded.
const LASTS: i64 = 30 * 24 * 60 * 60;
/// The open imports of an account.
pub struct Imports {
    home: Home,
    open: Mutex<Open>,
}

/// The folder in which imports are stored.
enum Home {
    /// A folder beside the account file.
    Beside(PathBuf),
    /// A temporary folder for an account in memory. It is created when it is needed and does not survive the program.
    Lent(Mutex<Option<TempDir>>),
}

#[derive(Default)]
struct Open {
    last: u64,
    is_looked_up: bool,
    imports: BTreeMap<u64, Arc<Session>>,
}

/// Running work, as the list of tasks shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportTask {
    pub import: u64,
    pub progress: ImportProgress,
}

/// Accepted imports whose results stay available at most.
const ACCEPTED: usize = 5;

impl Open {
    fn let_go_of_accepted(&mut self) {
        let is_accepted = |session: &Session| session.hold().accepted.is_some();
        let accepted: Vec<u64> =
            self.imports.iter().filter(|(_, session)| is_accepted(session)).map(|(id, _)| *id).collect();
        for id in accepted.iter().rev().skip(ACCEPTED) {
            self.imports.remove(id);
        }
    }
}

impl Imports {
    /// Stores imports in a folder beside the account file.
    pub(crate) fn beside(account: &Path) -> Self {
        let mut home = account.as_os_str().to_owned();
        home.push(".imports");
        Self { home: Home::Beside(home.into()), open: Mutex::default() }
    }

    /// Stores the imports of an account in memory in a temporary folder.
    pub(crate) fn lent() -> Self {
        Self { home: Home::Lent(Mutex::default()), open: Mutex::default() }
    }

    /// Creates the folder of a new import.
    fn make_folder(&self, id: u64) -> Result<PathBuf> {
        let home = match &self.home {
            Home::Beside(home) => home.clone(),
            Home::Lent(lent) => {
                let mut lent = lent.lock().unwrap_or_else(PoisonError::into_inner);
                let made = match lent.take() {
                    Some(made) => made,
                    None => tempfile::tempdir()
                        .map_err(|why| Error::conflict(format!("The files have nowhere to be put aside: {why}.")))?,
                };
                lent.insert(made).path().to_owned()
            }
        };
        let folder = home.join(id.to_string());
        kept::make_folder(&folder).map_err(|why| io_fault("made", &folder, &why))?;
        Ok(folder)
    }

    fn hold(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads the imports that a former run of the program left. Those that are too old are discarded.
    fn look_up(&self, core: &Core) -> MutexGuard<'_, Open> {
        let mut open = self.hold();
        if open.is_looked_up {
            return open;
        }
        open.is_looked_up = true;
        let Home::Beside(home) = &self.home else { return open };
        let now = core.ctx().now().unix();
        for entry in fs::read_dir(home).into_iter().flatten().flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u64>().ok()) else { continue };
            open.last = open.last.max(id);
            match Kept::read(&entry.path()) {
                Some(kept) if !kept.is_passing && now - kept.touched_at <= LASTS => {
                    let session = match left::done(core, &kept) {
                        Ok(None) => Session::found(id, entry.path(), kept),
                        // The program ended after the rows were written and before the folder was removed.
                        Ok(Some(accepted)) => Session::done(id, entry.path(), kept, accepted),
                        // It is unknown whether the import was completed, so it is neither offered nor removed.
                        Err(_) => {
                            open.is_looked_up = false;
                            continue;
                        }
                    };
                    open.imports.entry(id).or_insert_with(|| Arc::new(session));
                }
                // It is of another version, too old, of a program that does not resume it, or incomplete.
                _ => {
                    let _ = fs::remove_dir_all(entry.path());
                }
            }
        }
        // This fails if the folder is not empty, as it should.
        let _ = fs::remove_dir(home);
        open
    }

    pub(super) fn get(&self, core: &Core, import: u64) -> Result<Arc<Session>> {
        let session = self.look_up(core).imports.get(&import).cloned();
        session.ok_or_else(|| Error::conflict(super::CLOSED))
    }

    pub fn open(
        &self,
        core: &Core,
        purpose: ImportPurpose,
        sources: Vec<ImportSource>,
        target: Option<ImportTarget>,
    ) -> Result<u64> {
        self.begin(core, Kept::new(purpose, None, core.ctx().now()), sources, target)
    }

    /// Opens an import of contacts for a program that completes it by itself. If the program is killed, the import is
    /// not offered to a person later.
    pub fn open_passing(&self, core: &Core, sources: Vec<ImportSource>, target: ImportTarget) -> Result<u64> {
        let kept = Kept::new(ImportPurpose::Contacts, None, core.ctx().now());
        self.begin(core, Kept { is_passing: true, ..kept }, sources, Some(target))
    }

    fn begin(&self, core: &Core, kept: Kept, sources: Vec<ImportSource>, target: Option<ImportTarget>) -> Result<u64> {
        let session = {
            let mut open = self.look_up(core);
            open.let_go_of_accepted();
            if open.imports.len() >= OPEN_MAX {
                return Err(Error::conflict(format!(
                    "{OPEN_MAX} imports wait already. Accept or discard one of them first."
                )));
            }
            open.last += 1;
            let id = open.last;
            let folder = self.make_folder(id)?;
            let session = Arc::new(Session::new(id, folder, kept));
            open.imports.insert(id, Arc::clone(&session));
            session
        };
        let begun = self.aim(core, session.id, target).and_then(|()| self.add(core, session.id, sources));
        if let Err(why) = begun {
            self.discard(core, session.id)?;
            return Err(why);
        }
        Ok(session.id)
    }

    pub fn read(&self, core: &Core, import: u64) -> Result<()> {
        self.get(core, import)?.read_on(core)
    }

    /// Sets the list that the rows are imported into.
    pub fn aim(&self, core: &Core, import: u64, target: Option<ImportTarget>) -> Result<()> {
        let session = self.get(core, import)?;
        match &target {
            Some(ImportTarget::List(uid)) => drop(super::mapping::list_of(core, uid)?),
            Some(ImportTarget::NewList(name)) => roost_model::list::check_name(name)?,
            None => {}
        }
        session.end_rehearsing()?;
        {
            let mut standing = session.hold();
            standing.check_open()?;
            if standing.kept.target == target {
                return Ok(());
            }
            standing.kept.target = target;
            standing.rehearsal = None;
            standing.touched(core);
        }
        session.save()
    }

    pub fn cancel(&self, core: &Core, import: u64) -> Result<()> {
        self.get(core, import)?.cancel();
        Ok(())
    }

    /// Discards an import. It is not an error if there is no such import.
    pub fn discard(&self, core: &Core, import: u64) -> Result<()> {
        let Some(session) = self.look_up(core).imports.get(&import).cloned() else { return Ok(()) };
        session.end_work()?;
        self.hold().imports.remove(&import);
        session.end();
        session.remove()
    }

    /// Ends all work and waits for it, because the account is about to be closed.
    pub(crate) fn end(&self) {
        let gone = std::mem::take(&mut self.hold().imports);
        gone.values().for_each(|session| session.end());
        self.hold().is_looked_up = false;
    }

    /// Returns the imports that wait for a person, the latest first.
    pub fn waiting(&self, core: &Core) -> Result<Vec<ImportWaiting>> {
        let sessions: Vec<Arc<Session>> = self.look_up(core).imports.values().rev().cloned().collect();
        let told = |session: &Arc<Session>| {
            let standing = session.hold();
            let kept = &standing.kept;
            (standing.accepted.is_none() && !kept.files.is_empty()).then(|| ImportWaiting {
                import: session.id,
                purpose: kept.purpose,
                begun_at: Timestamp::from_unix(kept.begun_at),
                names: kept.files.iter().map(|file| file.name.clone()).collect(),
                target: kept.target.clone(),
                rows: kept.rows(),
                stage: standing.stage(),
            })
        };
        Ok(sessions.iter().filter_map(told).collect())
    }

    /// Returns the running work for the list of tasks.
    pub fn tasks(&self) -> Vec<ImportTask> {
        let sessions: Vec<Arc<Session>> = self.hold().imports.values().cloned().collect();
        let task = |session: &Arc<Session>| {
            let progress = session.hold().working.as_ref()?.progress();
            Some(ImportTask { import: session.id, progress })
        };
        sessions.iter().filter_map(task).collect()
    }

    /// Asks the work of an import to end, without waiting for it. Returns false if none is running.
    pub fn cancel_task(&self, import: u64) -> bool {
        let session = self.hold().imports.get(&import).cloned();
        session.is_some_and(|session| session.hold().working.as_ref().map(|work| work.watch.cancel()).is_some())
    }

    /// Returns the state of an import, after waiting until no work is running or something has changed.
    pub fn state(&self, core: &Core, import: u64, seen: Option<u32>, wait: Duration) -> Result<ImportState> {
        let session = self.get(core, import)?;
        session.find_again(core)?;
        session.wait(seen, wait);
        session.told(core)
    }
}

/// Returns the first characters of a text.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl super::Standing {
    pub(super) fn file(&mut self, file: u32) -> Result<&mut kept::KeptFile> {
        let found = self.kept.files.iter_mut().find(|kept| kept.file == file);
        found.ok_or_else(|| Fault::new("file", "There is no such file in this import.", file).into())
    }

    pub(super) fn touched(&mut self, core: &Core) {
        self.kept.touched_at = core.ctx().now().unix();
        self.generation += 1;
    }
}

impl Session {
    /// Ends a rehearsal, whose result would be outdated. Reading continues.
    pub(super) fn end_rehearsing(&self) -> Result<()> {
        let is_reading = self.hold().working.as_ref().is_some_and(|working| working.work == super::ImportWork::Read);
        if is_reading { Ok(()) } else { self.end_work() }
    }

    fn end(&self) {
        self.hold().is_ended = true;
        self.cancel();
    }

    /// Removes all files of the import from the disk.
    pub(super) fn remove(&self) -> Result<()> {
        {
            let mut standing = self.hold();
            standing.scatter();
            standing.spools.clear();
        }
        // The stored state is removed first: if the program is killed now, nothing is left that could be offered again.
        let _ = fs::remove_file(self.folder.join(kept::NAME));
        match fs::remove_dir_all(&self.folder) {
            Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
                return Err(io_fault("removed", &self.folder, &why));
            }
            _ => {}
        }
        if let Some(home) = self.folder.parent() {
            // If this was the last import, the folder of all imports is removed as well.
            let _ = fs::remove_dir(home);
        }
        Ok(())
    }

    fn told(&self, core: &Core) -> Result<ImportState> {
        let (rehearsal, is_working) = {
            let standing = self.hold();
            (standing.rehearsal.clone(), standing.working.is_some())
        };
        let obstacles = self.obstacles(core)?;
        // A status request must not wait for the running work, and an account in memory has only one connection.
        let is_stale = match &rehearsal {
            Some(rehearsal) if !is_working => rehearsal.is_stale(core)?,
            _ => false,
        };
        let standing = self.hold();
        Ok(ImportState {
            import: self.id,
            generation: standing.generation,
            purpose: standing.kept.purpose,
            stage: standing.stage(),
            target: standing.kept.target.clone(),
            files: standing.files(),
            rows: standing.kept.rows(),
            progress: standing.working.as_ref().map(super::Working::progress),
            fault: standing.fault.clone(),
            obstacles,
            counts: rehearsal.map(|rehearsal| rehearsal.counts()),
            is_stale,
            accepted: standing.accepted.clone(),
        })
    }
}
