//! Tests account files of earlier versions: each opens and gives the same export as it did then.

use std::{fs, path::PathBuf};

use roost_ops::{Core, Ctx, history, seed};

const BASE: &str = "http://127.0.0.1:4010/s";

#[test]
fn an_account_of_every_shipped_version_opens_and_exports_the_same() {
    let kept = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/accounts");
    let folder = tempfile::tempdir().unwrap();
    let mut opened = 0;
    for version in 1..Core::schema_version() {
        let path = folder.path().join(format!("v{version}.roost"));
        fs::copy(kept.join(format!("v{version}.roost")), &path).unwrap();
        let core = Core::open(&path, Ctx::system()).unwrap();
        let mut exported = Vec::new();
        seed::export(&core, BASE, &mut exported).unwrap();
        let expected = fs::read_to_string(kept.join(format!("v{version}.export.json"))).unwrap();
        assert_eq!(String::from_utf8(exported).unwrap(), expected, "version {version}");
        assert!(history::read_undo_status(&core).unwrap().undo.is_none());
        opened += 1;
    }
    assert!(opened > 0);
}
