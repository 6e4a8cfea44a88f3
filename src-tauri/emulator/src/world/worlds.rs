//! The worlds of a process, and which of them a request refers to.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::Notify;

use super::World;
use crate::access::WorldId;

/// The most keys of all worlds together.
pub(crate) const KEYS_MOST: usize = 100_000;
/// The number of hexadecimal digits of a generated key.
const SECRET_LENGTH: usize = 32;

pub(crate) struct Worlds {
    default: Arc<World>,
    /// Whether no other world was ever created, so that requests need not be searched for a world's name.
    is_alone: AtomicBool,
    index: RwLock<WorldIndex>,
    changed: Arc<Notify>,
}

#[derive(Default)]
struct WorldIndex {
    by_id: BTreeMap<WorldId, Arc<World>>,
    by_key: HashMap<Box<[u8]>, Arc<World>>,
}

/// The names by which a request refers to a world.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WorldReference<'a> {
    pub path: Option<&'a str>,
    pub host: Option<&'a str>,
    pub key: Option<&'a [u8]>,
}

/// Why a request has no world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorldNotFound {
    Unknown {
        by: &'static str,
        name: String,
    },
    /// Two parts of the request that name different worlds, each with its world.
    Clash([(&'static str, WorldId); 2]),
}

/// Why a world was not added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddWorldError {
    NameTaken(WorldId),
    /// The world that has the key.
    KeyTaken(WorldId),
    TooMany(usize),
    TooManyKeys,
}

impl Worlds {
    pub(crate) fn new(default: Arc<World>) -> Self {
        Self { default, is_alone: AtomicBool::new(true), index: RwLock::default(), changed: Arc::default() }
    }

    pub(crate) fn default_world(&self) -> &Arc<World> {
        &self.default
    }

    /// Returns how many worlds there may be besides the default one.
    fn worlds_max(&self) -> usize {
        self.default.resources.capacity.max_worlds()
    }

    pub(crate) fn is_alone(&self) -> bool {
        self.is_alone.load(Ordering::Acquire)
    }

    fn read_index(&self) -> RwLockReadGuard<'_, WorldIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_index(&self) -> RwLockWriteGuard<'_, WorldIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<World>> {
        if id == WorldId::DEFAULT { Some(self.default.clone()) } else { self.read_index().by_id.get(id).cloned() }
    }

    /// Returns all worlds, the default one first.
    pub(crate) fn list_worlds(&self) -> Vec<Arc<World>> {
        let index = self.read_index();
        std::iter::once(&self.default).chain(index.by_id.values()).cloned().collect()
    }

    /// Checks whether a world with this name and these keys can be added.
    pub(crate) fn check_room(&self, id: &WorldId, keys: &[String]) -> Result<(), AddWorldError> {
        self.read_index().check_room(id, keys, self.worlds_max())
    }

    /// Adds a complete world. From now on its keys refer to it.
    pub(crate) fn add(&self, world: &Arc<World>) -> Result<(), AddWorldError> {
        let mut index = self.write_index();
        index.check_room(&world.id, &world.keys, self.worlds_max())?;
        for key in &world.keys {
            index.by_key.insert(key.as_bytes().into(), world.clone());
        }
        index.by_id.insert(world.id.clone(), world.clone());
        self.is_alone.store(false, Ordering::Release);
        if world.lifetime.ttl().is_some() {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// Waits until a world is added that can expire. Only one caller can wait.
    pub(crate) fn wait_for_change(&self) -> impl Future<Output = ()> + Send + use<> {
        let changed = self.changed.clone();
        async move { changed.notified().await }
    }

    /// Removes a world, so that no request finds it any more.
    pub(crate) fn remove(&self, id: &str) -> Option<Arc<World>> {
        let mut index = self.write_index();
        let world = index.by_id.remove(id)?;
        for key in &world.keys {
            index.by_key.remove(key.as_bytes());
        }
        Some(world)
    }

    /// Returns the world to which all names in a request refer, or the default world if there are none.
    pub(crate) fn pick_world(&self, named: WorldReference<'_>) -> Result<Arc<World>, WorldNotFound> {
        if named == WorldReference::default() {
            return Ok(self.default.clone());
        }
        let mut found: Option<(&'static str, Arc<World>)> = None;
        // Host names are not case-sensitive.
        let host = named.host.map(str::to_ascii_lowercase);
        let by_name = [("path", named.path), ("host name", host.as_deref())];
        let by_name = by_name.into_iter().filter_map(|(by, name)| Some((by, name?)));
        let mut all = Vec::with_capacity(3);
        for (by, name) in by_name {
            let world = self.get(name).ok_or_else(|| WorldNotFound::Unknown { by, name: name.to_owned() })?;
            all.push((by, world));
        }
        if let Some(key) = named.key {
            match (self.read_index().by_key.get(key), world_of_key(key)) {
                (Some(world), _) => all.push(("key", world.clone())),
                // A late request of a test whose world was removed must not run in another world.
                (None, Some(removed_key)) => {
                    return Err(WorldNotFound::Unknown { by: "key", name: removed_key.to_owned() });
                }
                // Any other key refers to no world.
                (None, None) => {}
            }
        }
        for (by, world) in all {
            match &found {
                None => found = Some((by, world)),
                Some((_, first)) if Arc::ptr_eq(first, &world) => {}
                Some((first_by, first)) => {
                    return Err(WorldNotFound::Clash([(first_by, first.id.clone()), (by, world.id.clone())]));
                }
            }
        }
        Ok(found.map_or_else(|| self.default.clone(), |(_, world)| world))
    }
}

/// Returns the key that a new world gets.
pub(crate) fn make_key(id: &WorldId, secret: &str) -> String {
    format!("rk_{id}_{}", &secret[..SECRET_LENGTH])
}

/// Returns the world for which a key was generated.
fn world_of_key(key: &[u8]) -> Option<&str> {
    let (id, secret) = std::str::from_utf8(key).ok()?.strip_prefix("rk_")?.rsplit_once('_')?;
    let is_secret = secret.len() == SECRET_LENGTH && secret.bytes().all(|b| b.is_ascii_hexdigit());
    is_secret.then_some(id)
}

impl WorldIndex {
    fn check_room(&self, id: &WorldId, keys: &[String], most: usize) -> Result<(), AddWorldError> {
        if id.as_str() == WorldId::DEFAULT || self.by_id.contains_key(id) {
            return Err(AddWorldError::NameTaken(id.clone()));
        }
        if let Some(holder) = keys.iter().find_map(|key| self.by_key.get(key.as_bytes())) {
            return Err(AddWorldError::KeyTaken(holder.id.clone()));
        }
        if self.by_key.len() + keys.len() > KEYS_MOST {
            return Err(AddWorldError::TooManyKeys);
        }
        if self.by_id.len() >= most { Err(AddWorldError::TooMany(most)) } else { Ok(()) }
    }
}
