//! Tests account files of earlier versions: each opens and gives the same export as it did then. Those with a past can
//! still undo it.

use std::{fs, path::PathBuf};

use roost_model::page::{PageRequest, SortOrder};
use roost_ops::{
    Actor, Core, Ctx, history,
    list::{self, CardQuery, CardSort},
    seed,
};
use tempfile::TempDir;

const BASE: &str = "http://127.0.0.1:4010/s";

/// An account file of an earlier version, of which this is a copy.
struct OlderFile {
    name: String,
    core: Core,
    _folder: TempDir,
}

impl OlderFile {
    fn open(name: String) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.roost");
        fs::copy(fixture(&format!("{name}.roost")), &path).unwrap();
        Self { core: Core::open(&path, Ctx::system()).unwrap(), name, _folder: folder }
    }

    fn check_export(&self) {
        let mut exported = Vec::new();
        seed::export(&self.core, BASE, &mut exported).unwrap();
        let expected = fs::read_to_string(fixture(&format!("{}.export.json", self.name))).unwrap();
        assert_eq!(String::from_utf8(exported).unwrap(), expected, "{}", self.name);
    }

    fn list_names(&self) -> Vec<String> {
        let page = PageRequest { number: 1, size: 50 };
        let query = CardQuery { text: None, sort: CardSort::Name, order: SortOrder::Ascending, page };
        list::read_cards(&self.core, &query).unwrap().items.into_iter().map(|card| card.list.name).collect()
    }
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/accounts").join(name)
}

#[test]
fn an_account_of_every_shipped_version_opens_and_exports_the_same() {
    let mut opened = 0;
    for version in 1..Core::schema_version() {
        let old = OlderFile::open(format!("v{version}"));
        old.check_export();
        assert!(history::read_undo_status(&old.core).unwrap().undo.is_none());
        opened += 1;
    }
    assert!(opened > 0);
}

#[test]
fn an_account_with_a_past_exports_the_same_and_undoes_the_last_act_of_then() {
    let me = Actor::user(None);
    for version in 5..Core::schema_version() {
        let old = OlderFile::open(format!("rich-v{version}"));
        old.check_export();
        assert_eq!(old.list_names(), ["Imported twice", "Spring"], "{}", old.name);
        let undone = history::undo(&old.core, &me).unwrap();
        assert_eq!((undone.step.act.as_str(), undone.kept), ("list_rename", 0), "{}", old.name);
        assert_eq!(old.list_names(), ["Imported", "Spring"], "{}", old.name);
        history::redo(&old.core, &me).unwrap();
        old.check_export();
    }
}
