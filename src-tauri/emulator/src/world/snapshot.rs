//! Snapshots: the states of a world, stored under names.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use roost_model::time::Timestamp;
use roost_ops::Core;

use super::{
    World, WorldState,
    state::{WorldFile, snapshot_file, write_whole},
};

/// The most snapshots of one world.
const MOST: usize = 100;
/// The most bytes of all snapshots of one world.
const BYTES_MOST: usize = 1024 * 1024 * 1024;
/// The most bytes of the snapshots of all worlds of a process.
const ALL_BYTES_MOST: usize = 4 * BYTES_MOST;

pub struct Snapshot {
    pub name: String,
    /// The time by the world's clock.
    pub at: Timestamp,
    pub state: WorldState,
}

impl Snapshot {
    /// Captures the present state of a world as read through `core`.
    pub fn of(name: String, world: &World, core: &Core) -> Result<Self, roost_ops::Error> {
        Ok(Self { name, at: core.ctx().now(), state: WorldState::of(world, core)? })
    }

    pub fn size(&self) -> usize {
        self.state.size()
    }

    fn write(&self, folder: &Path) -> io::Result<()> {
        let (at, state) = (self.at, self.state.clone());
        write_whole(&snapshot_file(folder, &self.name), |file| WorldFile { at, state }.write(file)).map(drop)
    }
}

#[derive(Default)]
pub struct Snapshots {
    kept: Mutex<BTreeMap<String, Arc<Snapshot>>>,
    /// The bytes that the snapshots of all worlds take.
    of_all: Arc<AtomicUsize>,
    /// The folder for their files; none if they end with the server.
    folder: OnceLock<PathBuf>,
}

/// Why a snapshot was not saved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    #[error("A snapshot '{0}' already exists.")]
    Taken(String),
    #[error("This world already has {MOST} snapshots, the most that are allowed.")]
    TooMany,
    #[error("The snapshots of this world would be larger than 1 GiB together.")]
    TooLarge,
    #[error("The snapshots of all worlds would be larger than 4 GiB together.")]
    AllTooLarge,
    #[error("The snapshot could not be written: {0}")]
    NotWritten(String),
}

impl Snapshots {
    /// Creates the snapshots of one world, which share the total size with other worlds.
    pub fn among(of_all: Arc<AtomicUsize>) -> Self {
        Self { kept: Mutex::default(), of_all, folder: OnceLock::new() }
    }

    /// Writes snapshots to a folder from now on.
    pub fn write_to(&self, folder: PathBuf) {
        // Called once, at the start, so the value is never set already.
        let _ = self.folder.set(folder);
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Snapshot>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get(&self, name: &str) -> Option<Arc<Snapshot>> {
        self.kept().get(name).cloned()
    }

    /// Returns all snapshots, sorted by name.
    pub fn all(&self) -> Vec<Arc<Snapshot>> {
        self.kept().values().cloned().collect()
    }

    pub fn keep(&self, snapshot: Snapshot) -> Result<Arc<Snapshot>, NotKept> {
        let mut kept = self.kept();
        if kept.contains_key(&snapshot.name) {
            return Err(NotKept::Taken(snapshot.name));
        }
        if kept.len() >= MOST {
            return Err(NotKept::TooMany);
        }
        let bytes: usize = kept.values().map(|other| other.size()).sum();
        if bytes + snapshot.size() > BYTES_MOST {
            return Err(NotKept::TooLarge);
        }
        let size = snapshot.size();
        if self.of_all.fetch_add(size, Ordering::SeqCst) + size > ALL_BYTES_MOST {
            self.of_all.fetch_sub(size, Ordering::SeqCst);
            return Err(NotKept::AllTooLarge);
        }
        if let Some(folder) = self.folder.get()
            && let Err(why) = snapshot.write(folder)
        {
            self.of_all.fetch_sub(size, Ordering::SeqCst);
            return Err(NotKept::NotWritten(why.to_string()));
        }
        let snapshot = Arc::new(snapshot);
        kept.insert(snapshot.name.clone(), snapshot.clone());
        Ok(snapshot)
    }

    pub fn remove(&self, name: &str) -> bool {
        let mut kept = self.kept();
        let removed = kept.remove(name);
        if let Some(snapshot) = &removed {
            if let Some(folder) = self.folder.get()
                && let Err(why) = fs::remove_file(snapshot_file(folder, name))
                && why.kind() != io::ErrorKind::NotFound
            {
                tracing::warn!(%why, snapshot = name, "the file of a snapshot could not be removed");
            }
            self.of_all.fetch_sub(snapshot.size(), Ordering::SeqCst);
        }
        removed.is_some()
    }
}

impl World {
    /// Saves the state under a generated name with this prefix, and removes the oldest of these snapshots beyond
    /// `most`.
    pub fn keep_snapshot(&self, beginning_of_name: &str, most: usize) -> Result<String, NotTaken> {
        let mut own = self.snapshots.all();
        own.retain(|snapshot| snapshot.name.starts_with(beginning_of_name));
        let digits: String = self.core.ctx().now().to_iso().chars().filter(char::is_ascii_digit).collect();
        let usual = format!("{beginning_of_name}{digits}");
        let numbered = (2..).map(|number: u32| format!("{usual}-{number}"));
        let is_free = |name: &String| own.iter().all(|snapshot| snapshot.name != *name);
        let name = std::iter::once(usual.clone()).chain(numbered).find(is_free).unwrap_or(usual.clone());
        self.snapshots.keep(Snapshot::of(name.clone(), self, &self.core)?)?;
        own.sort_by_key(|snapshot| (snapshot.at, snapshot.name.clone()));
        for snapshot in own.iter().take((own.len() + 1).saturating_sub(most)) {
            self.snapshots.remove(&snapshot.name);
        }
        Ok(name)
    }
}

/// Why a copy of a world was not stored.
#[derive(Debug, thiserror::Error)]
pub enum NotTaken {
    #[error(transparent)]
    Snapshot(#[from] NotKept),
    #[error(transparent)]
    Core(#[from] roost_ops::Error),
}

impl Drop for Snapshots {
    fn drop(&mut self) {
        let bytes: usize = self.kept().values().map(|snapshot| snapshot.size()).sum();
        self.of_all.fetch_sub(bytes, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use roost_ops::{Core, Ctx};

    use super::{
        super::{Beginning, ControlState, Head},
        *,
    };
    use crate::settings::Settings;

    fn snapshot(name: &str) -> Snapshot {
        let core = Core::in_memory(Ctx::system()).expect("an account in memory");
        let (image, beginning) = (core.image().expect("an image"), Beginning::of(&core));
        let (settings, control) = (Settings::default(), ControlState::default());
        let state = WorldState { image, head: Head { settings, beginning, is_from_seed: true, control } };
        Snapshot { name: name.to_owned(), at: core.ctx().now(), state }
    }

    #[test]
    fn all_worlds_share_a_bound_and_give_back_what_they_had() {
        let of_all = Arc::new(AtomicUsize::new(0));
        let (first, second) = (Snapshots::among(of_all.clone()), Snapshots::among(of_all.clone()));
        let size = first.keep(snapshot("a")).expect("room").size();
        second.keep(snapshot("a")).expect("room");
        assert_eq!(of_all.load(Ordering::SeqCst), 2 * size);
        of_all.store(ALL_BYTES_MOST - size + 1, Ordering::SeqCst);
        assert_eq!(first.keep(snapshot("b")).err(), Some(NotKept::AllTooLarge));
        assert_eq!(of_all.load(Ordering::SeqCst), ALL_BYTES_MOST - size + 1, "what is refused takes nothing");
        assert!(second.remove("a") && !second.remove("a"));
        first.keep(snapshot("b")).expect("room again");
        drop(first);
        assert_eq!(of_all.load(Ordering::SeqCst), ALL_BYTES_MOST - 3 * size + 1);
    }
}
