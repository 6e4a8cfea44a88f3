//! The worlds of a process, and which of them a request refers to.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::Notify;

use super::{World, WorldId};

/// The most keys of all worlds together.
pub const KEYS_MOST: usize = 100_000;
/// The number of hexadecimal digits of a generated key.
const SECRET_LENGTH: usize = 32;

pub struct Worlds {
    default: Arc<World>,
    /// Whether no other world was ever created, so that requests need not be searched for a world's name.
    is_alone: AtomicBool,
    made: RwLock<Made>,
    changed: Arc<Notify>,
}

#[derive(Default)]
struct Made {
    by_id: BTreeMap<WorldId, Arc<World>>,
    by_key: HashMap<Box<[u8]>, Arc<World>>,
}

/// The names by which a request refers to a world.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Named<'a> {
    pub path: Option<&'a str>,
    pub host: Option<&'a str>,
    pub key: Option<&'a [u8]>,
}

/// Why a request has no world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoWorld {
    Unknown {
        by: &'static str,
        name: String,
    },
    /// Two parts of the request that name different worlds, each with its world.
    Clash([(&'static str, WorldId); 2]),
}

/// Why a world was not added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAdded {
    NameTaken(WorldId),
    /// The world that has the key.
    KeyTaken(WorldId),
    TooMany(usize),
    TooManyKeys,
}

impl Worlds {
    pub fn new(default: Arc<World>) -> Self {
        Self { default, is_alone: AtomicBool::new(true), made: RwLock::default(), changed: Arc::default() }
    }

    pub fn default_world(&self) -> &Arc<World> {
        &self.default
    }

    /// Returns how many worlds there may be besides the default one.
    fn most(&self) -> usize {
        self.default.ground.room.worlds_max()
    }

    pub fn is_alone(&self) -> bool {
        self.is_alone.load(Ordering::Acquire)
    }

    fn made(&self) -> RwLockReadGuard<'_, Made> {
        self.made.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn making(&self) -> RwLockWriteGuard<'_, Made> {
        self.made.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get(&self, id: &str) -> Option<Arc<World>> {
        if id == WorldId::DEFAULT { Some(self.default.clone()) } else { self.made().by_id.get(id).cloned() }
    }

    /// Returns all worlds, the default one first.
    pub fn all(&self) -> Vec<Arc<World>> {
        let made = self.made();
        std::iter::once(&self.default).chain(made.by_id.values()).cloned().collect()
    }

    /// Checks whether a world with this name and these keys can be added.
    pub fn has_room(&self, id: &WorldId, keys: &[String]) -> Result<(), NotAdded> {
        self.made().has_room(id, keys, self.most())
    }

    /// Adds a complete world. From now on its keys refer to it.
    pub fn add(&self, world: &Arc<World>) -> Result<(), NotAdded> {
        let mut made = self.making();
        made.has_room(&world.id, &world.keys, self.most())?;
        for key in &world.keys {
            made.by_key.insert(key.as_bytes().into(), world.clone());
        }
        made.by_id.insert(world.id.clone(), world.clone());
        self.is_alone.store(false, Ordering::Release);
        self.changed.notify_one();
        Ok(())
    }

    /// Waits until a world is added. Only one caller can wait.
    pub fn changed(&self) -> impl Future<Output = ()> + Send + use<> {
        let changed = self.changed.clone();
        async move { changed.notified().await }
    }

    /// Removes a world, so that no request finds it any more.
    pub fn remove(&self, id: &str) -> Option<Arc<World>> {
        let mut made = self.making();
        let world = made.by_id.remove(id)?;
        for key in &world.keys {
            made.by_key.remove(key.as_bytes());
        }
        Some(world)
    }

    /// Returns the world to which all names in a request refer, or the default world if there are none.
    pub fn pick(&self, named: Named<'_>) -> Result<Arc<World>, NoWorld> {
        if named == Named::default() {
            return Ok(self.default.clone());
        }
        let mut found: Option<(&'static str, Arc<World>)> = None;
        // Host names are not case-sensitive.
        let host = named.host.map(str::to_ascii_lowercase);
        let by_name = [("path", named.path), ("host name", host.as_deref())];
        let by_name = by_name.into_iter().filter_map(|(by, name)| Some((by, name?)));
        let mut all = Vec::with_capacity(3);
        for (by, name) in by_name {
            let world = self.get(name).ok_or_else(|| NoWorld::Unknown { by, name: name.to_owned() })?;
            all.push((by, world));
        }
        if let Some(key) = named.key {
            match (self.made().by_key.get(key), made_for(key)) {
                (Some(world), _) => all.push(("key", world.clone())),
                // A late request of a test whose world was removed must not run in another world.
                (None, Some(gone)) => return Err(NoWorld::Unknown { by: "key", name: gone.to_owned() }),
                // Any other key refers to no world.
                (None, None) => {}
            }
        }
        for (by, world) in all {
            match &found {
                None => found = Some((by, world)),
                Some((_, first)) if Arc::ptr_eq(first, &world) => {}
                Some((first_by, first)) => {
                    return Err(NoWorld::Clash([(first_by, first.id.clone()), (by, world.id.clone())]));
                }
            }
        }
        Ok(found.map_or_else(|| self.default.clone(), |(_, world)| world))
    }
}

/// Returns the key that a new world gets.
pub fn made_key(id: &WorldId, secret: &str) -> String {
    format!("rk_{id}_{}", &secret[..SECRET_LENGTH])
}

/// Returns the world for which a key was generated.
fn made_for(key: &[u8]) -> Option<&str> {
    let (id, secret) = std::str::from_utf8(key).ok()?.strip_prefix("rk_")?.rsplit_once('_')?;
    let is_secret = secret.len() == SECRET_LENGTH && secret.bytes().all(|b| b.is_ascii_hexdigit());
    is_secret.then_some(id)
}

impl Made {
    fn has_room(&self, id: &WorldId, keys: &[String], most: usize) -> Result<(), NotAdded> {
        if id.as_str() == WorldId::DEFAULT || self.by_id.contains_key(id) {
            return Err(NotAdded::NameTaken(id.clone()));
        }
        if let Some(holder) = keys.iter().find_map(|key| self.by_key.get(key.as_bytes())) {
            return Err(NotAdded::KeyTaken(holder.id.clone()));
        }
        if self.by_key.len() + keys.len() > KEYS_MOST {
            return Err(NotAdded::TooManyKeys);
        }
        if self.by_id.len() >= most { Err(NotAdded::TooMany(most)) } else { Ok(()) }
    }
}
