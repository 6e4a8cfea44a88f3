//! The list of known accounts, a small file in the data folder. It is a cache: names and colours are stored in the
//! accounts.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use roost_ops::account::{self, AccountColour, AccountProfile};
use serde::{Deserialize, Serialize};

use super::files::{self, ACCOUNT_FILE};
use crate::file::{Durability, set_aside, write_whole};

const LIST_FILE: &str = "accounts.json";
/// Locked while the list is changed, because two programs may share a data folder.
const LOCK_FILE: &str = "accounts.json.lock";
/// The maximum size of a list. A larger file was not written by this program.
const BYTES_MAX: u64 = 4 << 20;

/// An account file that the list knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedAccount {
    pub path: PathBuf,
    pub name: String,
    pub colour: AccountColour,
    /// Seconds since 1970.
    pub last_opened: Option<i64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct AccountBook {
    accounts: Vec<AccountEntry>,
    /// The account that opens at the next start.
    open: Option<PathBuf>,
    /// Files in the folder that the user removed from the list.
    forgotten: Vec<PathBuf>,
}

/// Paths below the data folder are relative to it, so that the folder can be moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct AccountEntry {
    path: PathBuf,
    name: String,
    colour: AccountColour,
    last_opened: Option<i64>,
}

pub(super) struct Registry {
    folder: PathBuf,
}

impl Registry {
    pub(super) fn new(folder: &Path) -> Self {
        // The path is made absolute because the page does not know where the program was started.
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        Self { folder: fs::canonicalize(&folder).unwrap_or(folder) }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the account to open at the start: the one that was open when the program last ended.
    pub(super) fn account_to_open(&self) -> Option<PathBuf> {
        if let Some(book) = self.read() {
            // A missing file is returned as well, because opening it says which file is missing.
            return book.open.map(|path| self.folder.join(path));
        }
        // Without a list, open the account of a version that had no list, or the only account in the folder.
        let mut found = self.find_in_folder();
        let first = self.folder.join(ACCOUNT_FILE);
        if found.contains(&first) { Some(first) } else { found.pop().filter(|_| found.is_empty()) }
    }

    /// Returns every known account, the most recently opened first.
    pub(super) fn list_known(&self) -> Vec<ListedAccount> {
        let book = self.read().unwrap_or_default();
        let mut known: Vec<ListedAccount> = book.accounts.iter().map(|entry| self.find_known(entry)).collect();
        for path in self.find_in_folder() {
            let is_listed = known.iter().any(|one| one.path == path);
            if !is_listed && !book.forgotten.contains(&self.to_relative(&path)) {
                let AccountProfile { name, colour } = account::read_file_profile(&path);
                let name = name.unwrap_or_else(|| files::account_stem(&path));
                known.push(ListedAccount { path, name, colour, last_opened: None });
            }
        }
        known.sort_by(|a, b| b.last_opened.cmp(&a.last_opened).then_with(|| a.name.cmp(&b.name)));
        known
    }

    pub(super) fn is_known(&self, path: &Path) -> bool {
        self.list_known().iter().any(|one| one.path == path)
    }

    /// Returns whether a file is in the data folder itself.
    pub(super) fn is_own(&self, path: &Path) -> bool {
        path.parent() == Some(&self.folder)
    }

    /// Records an account that was opened just now. It opens again at the next start.
    pub(super) fn record_opened(&self, path: &Path, name: &str, colour: AccountColour, at: i64) -> io::Result<()> {
        self.change(|book| {
            let path = self.to_relative(path);
            book.open = Some(path.clone());
            put_entry(book, AccountEntry { path, name: name.to_owned(), colour, last_opened: Some(at) });
        })
    }

    /// Records the name and colour of an account if either changed.
    pub(super) fn record_face(&self, path: &Path, name: &str, colour: AccountColour) -> io::Result<()> {
        let written = self.to_relative(path);
        let book = self.read().unwrap_or_default();
        let before = book.accounts.iter().find(|entry| entry.path == written);
        if before.is_some_and(|entry| entry.name == name && entry.colour == colour) {
            return Ok(());
        }
        let last_opened = before.and_then(|entry| entry.last_opened);
        self.change(|book| put_entry(book, AccountEntry { path: written, name: name.to_owned(), colour, last_opened }))
    }

    /// Records that no account opens at the next start.
    pub(super) fn record_closed(&self) -> io::Result<()> {
        self.change(|book| book.open = None)
    }

    pub(super) fn forget(&self, path: &Path) -> io::Result<()> {
        self.change(|book| {
            let path = self.to_relative(path);
            book.accounts.retain(|entry| entry.path != path);
            book.open.take_if(|open| *open == path);
            if !book.forgotten.contains(&path) {
                book.forgotten.push(path);
            }
        })
    }

    fn find_known(&self, entry: &AccountEntry) -> ListedAccount {
        let AccountEntry { path, name, colour, last_opened } = entry.clone();
        ListedAccount { path: self.folder.join(path), name, colour, last_opened }
    }

    fn to_relative(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.folder).unwrap_or(path).to_owned()
    }

    fn find_in_folder(&self) -> Vec<PathBuf> {
        let Ok(folder) = fs::read_dir(&self.folder) else { return Vec::new() };
        let paths = folder.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        let mut found: Vec<PathBuf> = paths.filter(|path| files::is_named_as_account(path) && path.is_file()).collect();
        found.sort();
        found
    }

    /// Returns nothing if there is no list or if the list cannot be read.
    fn read(&self) -> Option<AccountBook> {
        let path = self.folder.join(LIST_FILE);
        let warn = |why: &dyn std::fmt::Display| {
            tracing::warn!(list = %path.display(), %why, "the list of accounts cannot be read; it is rebuilt from the folder");
        };
        match fs::metadata(&path) {
            Err(why) if why.kind() == ErrorKind::NotFound => return None,
            Ok(file) if file.len() > BYTES_MAX => {
                warn(&"it is too large");
                return None;
            }
            _ => {}
        }
        let read = fs::read(&path).inspect_err(|why| warn(why)).ok()?;
        serde_json::from_slice(&read).inspect_err(|why| warn(why)).ok()
    }

    fn change(&self, act: impl FnOnce(&mut AccountBook)) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let _held = self.lock_file();
        let mut book = match self.read() {
            Some(book) => book,
            None => {
                self.keep_unreadable()?;
                AccountBook::default()
            }
        };
        let before = book.clone();
        act(&mut book);
        if book == before && self.folder.join(LIST_FILE).exists() {
            return Ok(());
        }
        let text = serde_json::to_vec_pretty(&book).map_err(io::Error::from)?;
        write_whole(&self.folder.join(LIST_FILE), Durability::Durable, |out| out.write_all(&text))
    }

    /// Renames a list that cannot be read, so that nothing overwrites it, and returns its new path. The accounts in the
    /// folder are found without a list.
    pub(super) fn set_aside_damaged(&self) -> Option<PathBuf> {
        let path = self.folder.join(LIST_FILE);
        if self.read().is_some() || path.symlink_metadata().is_err() {
            return None;
        }
        let _held = self.lock_file();
        let kept = self.keep_unreadable();
        kept.inspect_err(|why| tracing::warn!(%why, "the damaged list of accounts could not be set aside")).ok()?
    }

    fn keep_unreadable(&self) -> io::Result<Option<PathBuf>> {
        let path = self.folder.join(LIST_FILE);
        match path.symlink_metadata() {
            Ok(_) => set_aside(&path).map(Some),
            Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
            Err(why) => Err(why),
        }
    }

    /// Some file systems have no locks. There, two programs that write at the same time may lose one of the two
    /// changes.
    fn lock_file(&self) -> Option<File> {
        let file =
            OpenOptions::new().write(true).create(true).truncate(false).open(self.folder.join(LOCK_FILE)).ok()?;
        file.lock().ok().map(|()| file)
    }
}

/// Returns the accounts that the window knows, the most recently opened first.
pub fn list_accounts(folder: &Path) -> Vec<ListedAccount> {
    Registry::new(folder).list_known()
}

fn put_entry(book: &mut AccountBook, entry: AccountEntry) {
    book.forgotten.retain(|path| *path != entry.path);
    match book.accounts.iter_mut().find(|known| known.path == entry.path) {
        Some(known) => *known = entry,
        None => book.accounts.push(entry),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_registry() -> (tempfile::TempDir, Registry) {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::new(folder.path());
        (folder, registry)
    }

    fn listed_names(registry: &Registry) -> Vec<String> {
        registry.list_known().into_iter().map(|one| one.name).collect()
    }

    #[test]
    fn the_one_opened_last_comes_first_and_opens_next_time() {
        let (_folder, registry) = new_registry();
        let (a, b) = (registry.folder().join("a.roost"), registry.folder().join("b.roost"));
        assert_eq!(registry.account_to_open(), None);
        for (path, name, at) in [(&a, "A", 10), (&b, "B", 20)] {
            fs::write(path, "").unwrap();
            registry.record_opened(path, name, AccountColour::Red, at).unwrap();
        }
        assert_eq!(listed_names(&registry), ["B", "A"]);
        assert_eq!(registry.account_to_open(), Some(b.clone()));
        fs::remove_file(&b).unwrap();
        assert_eq!(registry.account_to_open(), Some(b.clone()), "opening it says that it is missing");
        assert_eq!(listed_names(&registry), ["B", "A"], "but the list still names it");
        registry.record_closed().unwrap();
        assert_eq!(registry.account_to_open(), None);
    }

    #[test]
    fn a_damaged_list_is_rebuilt_from_the_folder() {
        let (_folder, registry) = new_registry();
        fs::write(registry.folder().join("shop.roost"), "").unwrap();
        fs::write(registry.folder().join("shop.roost.lock"), "").unwrap();
        for damage in ["", "{", "[1, 2]", "{\"accounts\": 7}"] {
            fs::write(registry.folder().join(LIST_FILE), damage).unwrap();
            assert_eq!(listed_names(&registry), ["shop"], "{damage}");
            assert_eq!(registry.account_to_open(), Some(registry.folder().join("shop.roost")));
        }
        registry.record_opened(&registry.folder().join("shop.roost"), "Shop", AccountColour::Blue, 1).unwrap();
        assert_eq!(listed_names(&registry), ["Shop"]);
        assert!(registry.folder().join("accounts.json.damaged").exists(), "what was there is kept");
        fs::write(registry.folder().join(LIST_FILE), "[3]").unwrap();
        let kept = registry.set_aside_damaged().unwrap();
        assert_eq!(
            (kept.clone(), fs::read(kept).unwrap()),
            (registry.folder().join("accounts.json.damaged-2"), b"[3]".to_vec())
        );
        assert_eq!(registry.set_aside_damaged(), None);
    }

    #[test]
    fn without_a_list_the_first_account_opens_or_the_only_one() {
        let (_folder, registry) = new_registry();
        fs::write(registry.folder().join("one.roost"), "").unwrap();
        assert_eq!(registry.account_to_open(), Some(registry.folder().join("one.roost")));
        fs::write(registry.folder().join("two.roost"), "").unwrap();
        assert_eq!(registry.account_to_open(), None, "nobody knows which");
        fs::write(registry.folder().join(ACCOUNT_FILE), "").unwrap();
        assert_eq!(registry.account_to_open(), Some(registry.folder().join(ACCOUNT_FILE)));
    }

    #[test]
    fn a_forgotten_account_stays_away_until_it_is_opened_again() {
        let (_folder, registry) = new_registry();
        let path = registry.folder().join("shop.roost");
        fs::write(&path, "").unwrap();
        registry.forget(&path).unwrap();
        assert_eq!((listed_names(&registry), path.exists()), (vec![], true));
        registry.record_opened(&path, "Shop", AccountColour::Teal, 1).unwrap();
        assert_eq!(listed_names(&registry), ["Shop"]);
    }

    #[test]
    fn accounts_elsewhere_are_known_and_those_of_the_folder_move_with_it() {
        let (folder, registry) = new_registry();
        let elsewhere = tempfile::tempdir().unwrap();
        let away = fs::canonicalize(elsewhere.path()).unwrap().join("away.roost");
        registry.record_opened(&away, "Away", AccountColour::Teal, 1).unwrap();
        registry.record_opened(&registry.folder().join("here.roost"), "Here", AccountColour::Teal, 2).unwrap();
        let text = fs::read_to_string(folder.path().join(LIST_FILE)).unwrap();
        assert!(text.contains("\"here.roost\"") && text.contains(&*away.to_string_lossy()), "{text}");
    }

    /// Two programs on one folder, each with its own handle.
    #[test]
    fn changes_of_several_writers_are_all_kept() {
        let (folder, registry) = new_registry();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let other = Registry::new(folder.path());
                scope.spawn(move || {
                    let name = format!("account-{number}");
                    let path = other.folder().join(format!("{name}.roost"));
                    other.record_opened(&path, &name, AccountColour::Teal, number).unwrap();
                });
            }
        });
        assert_eq!(registry.list_known().len(), 8);
    }
}
