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

use super::{
    ImportPurpose, ImportSettings, ImportSource, ImportStage, ImportState, ImportTable, ImportTarget, UploadPiece,
};
use crate::tests::test_core::TestCore;
use roost_ops::{
    core::Actor,
    ctx::{Clock, Ctx},
    list::{self, UniqueNames},
};

const LONG: Duration = Duration::from_secs(60);

/// An account file with one list, in a temporary folder.
struct SessionFixture {
    folder: tempfile::TempDir,
    core: TestCore,
    list: ListId,
}

fn fixed_ctx() -> Ctx {
    Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_603_600)), 1)
}

impl SessionFixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let core = TestCore::open(&folder.path().join("shop.roost"), fixed_ctx());
        let list = list::create(&core, &user(), "Everybody", UniqueNames::Off).unwrap().uid;
        Self { folder, core, list }
    }

    /// Ends the program and starts it again.
    fn restart(self) -> Self {
        let Self { folder, core, list } = self;
        core.end_background_work();
        drop(core);
        let core = TestCore::open(&folder.path().join("shop.roost"), fixed_ctx());
        Self { folder, core, list }
    }

    fn file_path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write_file(&self, name: &str, bytes: impl AsRef<[u8]>) -> ImportSource {
        let path = self.file_path(name);
        fs::write(&path, bytes).unwrap();
        ImportSource::Path(path)
    }

    fn open_import(&self, sources: Vec<ImportSource>) -> u64 {
        let target = ImportTarget::List(self.list.to_string());
        self.core.imports().open(&self.core, ImportPurpose::Contacts, sources, Some(target)).unwrap()
    }

    /// Waits until no work is running, and returns the state.
    fn wait_until_settled(&self, import: u64) -> ImportState {
        let state = self.core.imports().state(&self.core, import, None, LONG).unwrap();
        assert_eq!(state.progress, None, "it should have ended by now");
        state
    }

    fn describe_table(&self, import: u64) -> ImportTable {
        self.core.imports().describe_table(&self.core, import).unwrap()
    }

    fn set_file_settings(&self, import: u64, settings: ImportSettings) -> ImportState {
        self.core.imports().set_file_settings(&self.core, import, 1, settings).unwrap();
        self.wait_until_settled(import)
    }

    /// Returns the names of the folders in which imports are stored.
    fn stored_folders(&self) -> Vec<String> {
        entry_names(&self.file_path("shop.roost.imports"))
    }
}

fn user() -> Actor {
    Actor::user(None)
}

fn entry_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn text_source(name: &str, text: &str) -> ImportSource {
    ImportSource::Text { name: name.to_owned(), text: text.to_owned(), rows: None }
}

const PEOPLE: &str = "Phone,First name,City\n07700900001,Ada,York\n07700900002,Bo,Bath\n,,\n12,Cy,Hull\n";
