//! Open imports with real files and accounts.

mod after_a_crash;
mod consent;
mod country;
mod ending;
mod files;
mod ledger;
mod rehearsing;
mod remembering;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use roost_model::{id::ListId, time::Timestamp};

use super::{ImportPurpose, ImportSettings, ImportSource, ImportStage, ImportState, ImportTable, ImportTarget, Upload};
use crate::{
    core::{By, Core},
    ctx::{Clock, Ctx},
    list::{self, UniqueNames},
};

const LONG: Duration = Duration::from_secs(60);

/// An account file with one list, in a temporary folder.
struct World {
    folder: tempfile::TempDir,
    core: Core,
    list: ListId,
}

fn ctx() -> Ctx {
    Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_603_600)), 1)
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let core = Core::open(&folder.path().join("shop.roost"), ctx()).unwrap();
        let list = list::create(&core, &by(), "Everybody", UniqueNames::Off).unwrap().uid;
        Self { folder, core, list }
    }

    /// Ends the program and starts it again.
    fn again(self) -> Self {
        let Self { folder, core, list } = self;
        core.end();
        drop(core);
        let core = Core::open(&folder.path().join("shop.roost"), ctx()).unwrap();
        Self { folder, core, list }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> ImportSource {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        ImportSource::Path(path)
    }

    fn open(&self, sources: Vec<ImportSource>) -> u64 {
        let target = ImportTarget::List(self.list.to_string());
        self.core.imports().open(&self.core, ImportPurpose::Contacts, sources, Some(target)).unwrap()
    }

    /// Waits until no work is running, and returns the state.
    fn settled(&self, import: u64) -> ImportState {
        let state = self.core.imports().state(&self.core, import, None, LONG).unwrap();
        assert_eq!(state.progress, None, "it should have ended by now");
        state
    }

    fn table(&self, import: u64) -> ImportTable {
        self.core.imports().table(&self.core, import).unwrap()
    }

    fn read_as(&self, import: u64, settings: ImportSettings) -> ImportState {
        self.core.imports().read_as(&self.core, import, 1, settings).unwrap();
        self.settled(import)
    }

    /// Returns the names of the folders in which imports are stored.
    fn put_aside(&self) -> Vec<String> {
        names(&self.path("shop.roost.imports"))
    }
}

fn by() -> By {
    By::user(None)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn text(name: &str, text: &str) -> ImportSource {
    ImportSource::Text { name: name.to_owned(), text: text.to_owned(), rows: None }
}

const PEOPLE: &str = "Phone,First name,City\n07700900001,Ada,York\n07700900002,Bo,Bath\n,,\n12,Cy,Hull\n";
