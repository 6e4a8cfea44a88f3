//! The user's preferences for every account, such as theme, density and zoom. They are a small JSON file in the data
//! folder.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use roost_model::error::{ErrorCode, FieldError};
use serde_json::{Map, Value};

use crate::{
    error::CommandError,
    file::{Durability, set_aside, write_whole},
};

const PREFERENCES_FILE: &str = "preferences.json";
const LOCK_FILE: &str = "preferences.json.lock";
/// The maximum size of all preferences. A larger value is data, which belongs elsewhere.
pub(crate) const BYTES_MAX: usize = 64 << 10;
const DEPTH_MAX: usize = 16;

pub(crate) type PreferenceMap = Map<String, Value>;

pub(crate) enum Preferences {
    InFile {
        path: PathBuf,
    },
    /// Lost when the program ends. For consoles, which have no data folder.
    InMemory(Mutex<PreferenceMap>),
}

impl Preferences {
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self::InFile { path: folder.join(PREFERENCES_FILE) }
    }

    pub(crate) fn in_memory() -> Self {
        Self::InMemory(Mutex::default())
    }

    /// Returns the preferences. A file that cannot be read counts as empty, so that broken preferences never lock a
    /// user out.
    pub(crate) fn get(&self) -> PreferenceMap {
        match self {
            Self::InFile { path } => read(path).unwrap_or_default(),
            Self::InMemory(kept) => lock_in_memory(kept).clone(),
        }
    }

    /// Renames a file that holds no preferences, so that nothing overwrites it, and returns its new path.
    pub(crate) fn set_aside_damaged(&self) -> Option<PathBuf> {
        let Self::InFile { path } = self else { return None };
        let _held = lock_file(path);
        let Err(Unreadable::Damaged) = read(path) else { return None };
        set_aside(path).inspect_err(|why| tracing::warn!(%why, "the damaged preferences could not be set aside")).ok()
    }

    /// Merges `patch` into the preferences. Null removes a key.
    pub(crate) fn put(&self, patch: PreferenceMap) -> Result<PreferenceMap, CommandError> {
        match self {
            Self::InFile { path } => {
                let _held = lock_file(path);
                let to_error = |why: &io::Error| CommandError::file(path, why);
                let before = match read(path) {
                    Ok(before) => before,
                    Err(Unreadable::Damaged) => {
                        set_aside(path).map(|_| PreferenceMap::new()).map_err(|why| to_error(&why))?
                    }
                    Err(Unreadable::Io(why)) => return Err(to_error(&why)),
                };
                let merged = merge_checked(before, patch)?;
                save(path, &merged).map_err(|why| to_error(&why))?;
                Ok(merged)
            }
            Self::InMemory(kept) => {
                let mut kept = lock_in_memory(kept);
                *kept = merge_checked(kept.clone(), patch)?;
                Ok(kept.clone())
            }
        }
    }
}

fn lock_in_memory(kept: &Mutex<PreferenceMap>) -> MutexGuard<'_, PreferenceMap> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

enum Unreadable {
    /// The file holds something else than preferences.
    Damaged,
    Io(io::Error),
}

fn read(path: &Path) -> Result<PreferenceMap, Unreadable> {
    let warn = |why: &dyn std::fmt::Display| {
        tracing::warn!(file = %path.display(), %why, "the preferences cannot be read; the program's own are used");
    };
    match fs::metadata(path) {
        Err(why) if why.kind() == ErrorKind::NotFound => return Ok(PreferenceMap::new()),
        // The file is indented, so it may be larger than its content.
        Ok(file) if file.len() > 4 * BYTES_MAX as u64 => {
            warn(&"they are too large");
            return Err(Unreadable::Damaged);
        }
        _ => {}
    }
    let read = fs::read(path).inspect_err(|why| warn(why)).map_err(Unreadable::Io)?;
    serde_json::from_slice(&read).inspect_err(|why| warn(why)).map_err(|_| Unreadable::Damaged)
}

fn save(path: &Path, merged: &PreferenceMap) -> io::Result<()> {
    let text = serde_json::to_vec_pretty(merged).map_err(io::Error::from)?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    write_whole(path, Durability::Durable, |out| out.write_all(&text))
}

/// Locks the file, because two programs may share a data folder. On file systems without locks, the last writer wins.
fn lock_file(path: &Path) -> Option<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path.with_file_name(LOCK_FILE)).ok()?;
    file.lock().ok().map(|()| file)
}

fn merge_checked(mut kept: PreferenceMap, patch: PreferenceMap) -> Result<PreferenceMap, CommandError> {
    let refused = |message: String| CommandError::from(FieldError::new("patch", message, Value::Null));
    merge_into(&mut kept, patch, DEPTH_MAX)
        .map_err(|NestingTooDeep| refused(format!("must not be deeper than {DEPTH_MAX}")))?;
    let size = serde_json::to_string(&kept).map_or(usize::MAX, |text| text.len());
    if size > BYTES_MAX {
        return Err(refused(format!("all preferences together must not be longer than {BYTES_MAX} bytes")));
    }
    Ok(kept)
}

struct NestingTooDeep;

/// Applies a merge patch: objects are merged key by key, null removes a key, any other value replaces.
fn merge_into(kept: &mut PreferenceMap, patch: PreferenceMap, depth: usize) -> Result<(), NestingTooDeep> {
    let depth = depth.checked_sub(1).ok_or(NestingTooDeep)?;
    for (key, value) in patch {
        match (value, kept.get_mut(&key)) {
            (Value::Null, _) => {
                kept.remove(&key);
            }
            (Value::Object(inner), Some(Value::Object(existing))) => merge_into(existing, inner, depth)?,
            (Value::Object(inner), _) => {
                let mut fresh = PreferenceMap::new();
                merge_into(&mut fresh, inner, depth)?;
                kept.insert(key, Value::Object(fresh));
            }
            (value, _) => {
                kept.insert(key, value);
            }
        }
    }
    Ok(())
}

impl CommandError {
    /// Reports that a file of the user could not be written.
    pub(crate) fn file(path: &Path, why: &io::Error) -> Self {
        let code = match why.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => ErrorCode::ReadOnly,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ErrorCode::DiskFull,
            _ => ErrorCode::Internal,
        };
        Self::new(code, format!("{} cannot be written: {why}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn to_map(value: Value) -> PreferenceMap {
        serde_json::from_value(value).unwrap()
    }

    fn put(preferences: &Preferences, patch: Value) -> Value {
        Value::Object(preferences.put(to_map(patch)).unwrap())
    }

    #[test]
    fn a_patch_is_merged_and_null_takes_away() {
        let folder = tempfile::tempdir().unwrap();
        for preferences in [Preferences::in_folder(folder.path()), Preferences::in_memory()] {
            put(&preferences, json!({ "theme": "dark", "grid": { "density": "cosy", "zoom": 1.5 } }));
            let now =
                put(&preferences, json!({ "grid": { "zoom": null, "wrap": true }, "theme": null, "x": { "y": null } }));
            assert_eq!(now, json!({ "grid": { "density": "cosy", "wrap": true }, "x": {} }));
            assert_eq!(Value::Object(preferences.get()), now);
        }
        assert_eq!(Preferences::in_folder(folder.path()).get().len(), 2, "another program reads the same");
    }

    #[test]
    fn what_is_too_large_or_too_deep_is_refused_and_what_was_there_stays() {
        let preferences = Preferences::in_memory();
        put(&preferences, json!({ "theme": "dark" }));
        let deep = (0..DEPTH_MAX + 1).fold(json!(1), |inner, _| json!({ "a": inner }));
        for patch in [json!({ "a": "x".repeat(BYTES_MAX) }), json!({ "a": deep })] {
            let error = preferences.put(to_map(patch)).unwrap_err();
            assert_eq!((error.code, error.details[0].path.as_str()), (ErrorCode::Invalid, "patch"));
        }
        assert_eq!(Value::Object(preferences.get()), json!({ "theme": "dark" }));
    }

    #[test]
    fn a_damaged_file_counts_as_empty_and_is_kept_when_another_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let preferences = Preferences::in_folder(folder.path());
        let kept = |tail: &str| fs::read_to_string(folder.path().join(format!("{PREFERENCES_FILE}.damaged{tail}")));
        for (damage, tail) in [("", ""), ("{", "-2"), ("[]", "-3"), (&"x".repeat(5 * BYTES_MAX), "-4")] {
            fs::write(folder.path().join(PREFERENCES_FILE), damage).unwrap();
            assert!(preferences.get().is_empty());
            assert_eq!(put(&preferences, json!({ "theme": "dark" })), json!({ "theme": "dark" }));
            assert_eq!(kept(tail).unwrap(), damage);
        }
        assert_eq!(preferences.set_aside_damaged(), None, "what is whole stays");
        fs::write(folder.path().join(PREFERENCES_FILE), "\"text\"").unwrap();
        assert!(preferences.set_aside_damaged().is_some());
        assert_eq!((kept("-5").unwrap().as_str(), preferences.get().len()), ("\"text\"", 0));
    }

    #[test]
    fn preferences_that_cannot_be_read_right_now_are_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(PREFERENCES_FILE)).unwrap();
        let preferences = Preferences::in_folder(folder.path());
        assert_eq!(preferences.set_aside_damaged(), None);
        assert!(preferences.put(to_map(json!({ "theme": "dark" }))).is_err());
        assert!(folder.path().join(PREFERENCES_FILE).is_dir());
    }

    #[test]
    fn a_folder_that_cannot_hold_the_preferences_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let error = Preferences::in_folder(&folder.path().join("file")).put(to_map(json!({ "a": 1 }))).unwrap_err();
        assert!(error.message.contains("cannot be written"), "{}", error.message);
    }
}
