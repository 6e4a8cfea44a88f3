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
const SNAPSHOT_BYTES_MAX: usize = 1024 * 1024 * 1024;
/// The most bytes of the snapshots of all worlds of a process.
const ALL_SNAPSHOT_BYTES_MAX: usize = 4 * SNAPSHOT_BYTES_MAX;

pub(crate) struct Snapshot {
    pub name: String,
    /// The time by the world's clock.
    pub at: Timestamp,
    pub state: WorldState,
}

impl Snapshot {
    /// Captures the present state of a world as read through `core`.
    pub(crate) fn capture(name: String, world: &World, core: &Core) -> Result<Self, roost_ops::Error> {
        Ok(Self { name, at: core.ctx().now(), state: WorldState::capture(world, core)? })
    }

    pub(crate) fn size(&self) -> usize {
        self.state.size()
    }

    fn write(&self, folder: &Path) -> io::Result<()> {
        let (at, state) = (self.at, self.state.clone());
        write_whole(&snapshot_file(folder, &self.name), |file| WorldFile { at, state }.write(file)).map(drop)
    }
}

#[derive(Default)]
pub(crate) struct Snapshots {
    by_name: Mutex<BTreeMap<String, Arc<Snapshot>>>,
    /// The bytes that the snapshots of all worlds take.
    all_bytes: Arc<AtomicUsize>,
    /// The folder for their files; none if they end with the server.
    folder: OnceLock<PathBuf>,
}

/// The reasons for which a snapshot is not saved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SaveSnapshotError {
    #[error("A snapshot '{0}' already exists.")]
    NameTaken(String),
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
    pub(crate) fn with_shared_size(of_all: Arc<AtomicUsize>) -> Self {
        Self { by_name: Mutex::default(), all_bytes: of_all, folder: OnceLock::new() }
    }

    /// Writes snapshots to a folder from now on.
    pub(crate) fn set_folder(&self, folder: PathBuf) {
        // Called once, at the start, so the value is never set already.
        let _ = self.folder.set(folder);
    }

    fn lock_snapshots(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Snapshot>>> {
        self.by_name.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<Snapshot>> {
        self.lock_snapshots().get(name).cloned()
    }

    /// Returns all snapshots, sorted by name.
    pub(crate) fn list_snapshots(&self) -> Vec<Arc<Snapshot>> {
        self.lock_snapshots().values().cloned().collect()
    }

    pub(crate) fn save(&self, snapshot: Snapshot) -> Result<Arc<Snapshot>, SaveSnapshotError> {
        let mut snapshots = self.lock_snapshots();
        if snapshots.contains_key(&snapshot.name) {
            return Err(SaveSnapshotError::NameTaken(snapshot.name));
        }
        if snapshots.len() >= MOST {
            return Err(SaveSnapshotError::TooMany);
        }
        let bytes: usize = snapshots.values().map(|other| other.size()).sum();
        if bytes + snapshot.size() > SNAPSHOT_BYTES_MAX {
            return Err(SaveSnapshotError::TooLarge);
        }
        let size = snapshot.size();
        if self.all_bytes.fetch_add(size, Ordering::SeqCst) + size > ALL_SNAPSHOT_BYTES_MAX {
            self.all_bytes.fetch_sub(size, Ordering::SeqCst);
            return Err(SaveSnapshotError::AllTooLarge);
        }
        if let Some(folder) = self.folder.get()
            && let Err(why) = snapshot.write(folder)
        {
            self.all_bytes.fetch_sub(size, Ordering::SeqCst);
            return Err(SaveSnapshotError::NotWritten(why.to_string()));
        }
        let snapshot = Arc::new(snapshot);
        snapshots.insert(snapshot.name.clone(), snapshot.clone());
        Ok(snapshot)
    }

    pub(crate) fn remove(&self, name: &str) -> bool {
        let mut snapshots = self.lock_snapshots();
        let removed = snapshots.remove(name);
        if let Some(snapshot) = &removed {
            if let Some(folder) = self.folder.get()
                && let Err(why) = fs::remove_file(snapshot_file(folder, name))
                && why.kind() != io::ErrorKind::NotFound
            {
                tracing::warn!(%why, snapshot = name, "the file of a snapshot could not be removed");
            }
            self.all_bytes.fetch_sub(snapshot.size(), Ordering::SeqCst);
        }
        removed.is_some()
    }
}

impl World {
    /// Saves the state under a generated name with this prefix, and removes the oldest of these snapshots beyond
    /// `most`.
    pub(crate) fn save_numbered_snapshot(&self, beginning_of_name: &str, most: usize) -> Result<String, BackupError> {
        let mut own = self.snapshots.list_snapshots();
        own.retain(|snapshot| snapshot.name.starts_with(beginning_of_name));
        let digits: String = self.core.ctx().now().to_iso().chars().filter(char::is_ascii_digit).collect();
        let usual = format!("{beginning_of_name}{digits}");
        let numbered = (2..).map(|number: u32| format!("{usual}-{number}"));
        let is_free = |name: &String| own.iter().all(|snapshot| snapshot.name != *name);
        let name = std::iter::once(usual.clone()).chain(numbered).find(is_free).unwrap_or(usual.clone());
        self.snapshots.save(Snapshot::capture(name.clone(), self, &self.core)?)?;
        own.sort_by_key(|snapshot| (snapshot.at, snapshot.name.clone()));
        for snapshot in own.iter().take((own.len() + 1).saturating_sub(most)) {
            self.snapshots.remove(&snapshot.name);
        }
        Ok(name)
    }
}

/// The reasons for which a copy of a world is not stored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Snapshot(#[from] SaveSnapshotError),
    #[error(transparent)]
    Core(#[from] roost_ops::Error),
}

impl Drop for Snapshots {
    fn drop(&mut self) {
        let bytes: usize = self.lock_snapshots().values().map(|snapshot| snapshot.size()).sum();
        self.all_bytes.fetch_sub(bytes, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use roost_ops::{Core, Ctx};

    use super::{
        super::{ControlState, StartingPoint, WorldHead},
        *,
    };
    use crate::settings::Settings;

    fn make_snapshot(name: &str) -> Snapshot {
        let core = Core::in_memory(Ctx::system()).expect("an account in memory");
        let (image, beginning) = (core.image().expect("an image"), StartingPoint::from_core(&core));
        let (settings, control) = (Settings::default(), ControlState::default());
        let state =
            WorldState { image, head: WorldHead { settings, starting_point: beginning, is_from_seed: true, control } };
        Snapshot { name: name.to_owned(), at: core.ctx().now(), state }
    }

    #[test]
    fn all_worlds_share_a_bound_and_give_back_what_they_had() {
        let of_all = Arc::new(AtomicUsize::new(0));
        let (first, second) =
            (Snapshots::with_shared_size(of_all.clone()), Snapshots::with_shared_size(of_all.clone()));
        let size = first.save(make_snapshot("a")).expect("room").size();
        second.save(make_snapshot("a")).expect("room");
        assert_eq!(of_all.load(Ordering::SeqCst), 2 * size);
        of_all.store(ALL_SNAPSHOT_BYTES_MAX - size + 1, Ordering::SeqCst);
        assert_eq!(first.save(make_snapshot("b")).err(), Some(SaveSnapshotError::AllTooLarge));
        assert_eq!(of_all.load(Ordering::SeqCst), ALL_SNAPSHOT_BYTES_MAX - size + 1, "what is refused takes nothing");
        assert!(second.remove("a") && !second.remove("a"));
        first.save(make_snapshot("b")).expect("room again");
        drop(first);
        assert_eq!(of_all.load(Ordering::SeqCst), ALL_SNAPSHOT_BYTES_MAX - 3 * size + 1);
    }
}
