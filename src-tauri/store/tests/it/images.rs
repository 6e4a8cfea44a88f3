//! Tests images from outside: each is a whole account or is refused, without a panic.

use std::fs;

use proptest::{collection::vec, prelude::*, sample::Index, test_runner::Config};
use roost_model::error::ErrorCode;
use roost_store::{db::Db, error::StoreError, image::Image};
use rusqlite::Connection;

use crate::support::{AccountFolder, CONTACTS, checked_counts};

/// Returns the file of a filled account, closed, after another program ran `sql` on it.
fn file_after(sql: &str) -> Vec<u8> {
    let place = AccountFolder::filled();
    let raw = Connection::open(&place.file).unwrap();
    raw.execute_batch(sql).unwrap();
    raw.close().unwrap();
    fs::read(&place.file).unwrap()
}

fn check_error(case: &str, bytes: &[u8]) -> String {
    let error = Image::check(bytes).err().unwrap_or_else(|| panic!("{case}: taken"));
    assert!(matches!(error, StoreError::NoImage { .. }), "{case}: {error:?}");
    assert_eq!(error.code(), ErrorCode::Invalid, "{case}");
    error.to_string()
}

#[test]
fn images_from_outside_are_read_with_suspicion() {
    let whole = file_after("");
    let taken = Db::from_image(&Image::check(&whole).unwrap()).unwrap();
    assert_eq!(checked_counts(&taken), (1, CONTACTS), "a closed account file is an image");
    assert_eq!(checked_counts(&Db::from_image(Image::empty().unwrap()).unwrap()), (0, 0));

    check_error("nothing", b"");
    check_error("a text", &b"name,number\n".repeat(4_096));
    check_error("the first bytes alone", &whole[..16]);
    for cut in [100, 4_096, 8_192, whole.len() / 2, whole.len() - 4_096, whole.len() - 1] {
        check_error(&format!("cut at {cut}"), &whole[..cut]);
    }
    for page in [1, 2, whole.len() / 8_192, whole.len() / 4_096 - 1] {
        let mut bytes = whole.clone();
        bytes[page * 4_096..(page + 1) * 4_096].fill(0xa5);
        check_error(&format!("noise in page {page}"), &bytes);
    }
    let mut bytes = whole.clone();
    bytes[16..18].copy_from_slice(&512u16.to_be_bytes());
    check_error("other pages", &bytes);

    let newer = "INSERT INTO refinery_schema_history VALUES (99, 'later', '2026-01-05T09:00:00Z', '1')";
    assert!(check_error("a newer schema", &file_after(newer)).contains("schema 99"));
    let trap = "CREATE TRIGGER trap AFTER INSERT ON lists BEGIN DELETE FROM contacts; END";
    assert!(check_error("a trigger", &file_after(trap)).contains("trap"));
    check_error("a table less", &file_after("DROP TABLE clicks"));
    check_error("an orphan", &file_after("PRAGMA foreign_keys = OFF; DELETE FROM lists"));
    let empty = Connection::open_in_memory().unwrap();
    empty.execute_batch("CREATE TABLE t (a); DROP TABLE t; VACUUM").unwrap();
    let place = AccountFolder::new();
    empty.execute("VACUUM INTO ?1", [place.file.to_string_lossy()]).unwrap();
    check_error("a database of nobody", &fs::read(&place.file).unwrap());
}

proptest! {
    #![proptest_config(Config { cases: 60, failure_persistence: None, ..Config::default() })]

    /// A change that no check can detect, such as one letter of a name, may be accepted. The result is still an
    /// account.
    #[test]
    fn flipped_bytes_are_refused_or_make_no_difference_to_being_an_account(
        flips in vec((any::<Index>(), 1u8..), 1..20), in_header in vec((0usize..100, 1u8..), 0..3)
    ) {
        static WHOLE: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| file_after(""));
        let mut bytes = WHOLE.clone();
        for (at, with) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= with;
        }
        for (at, with) in in_header {
            bytes[at] ^= with;
        }
        if let Ok(image) = Image::check(&bytes) {
            let db = Db::from_image(&image).unwrap();
            prop_assert_eq!(db.check_integrity().unwrap(), "ok");
        }
    }
}

/// A large image is loaded beside the memory, where it must behave like any other account.
#[test]
fn a_large_image_is_an_account_like_any_other() {
    let filler = "CREATE TEMP TABLE f AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
         SELECT i FROM n;
         INSERT INTO settings (key, value) SELECT 'filler ' || i, hex(zeroblob(2000)) FROM f;";
    let whole = file_after(filler);
    assert!(whole.len() > 8 << 20, "{}", whole.len());
    let image = Image::check(&whole).unwrap();
    let (one, two) = (Db::from_image(&image).unwrap(), Db::from_image(&image).unwrap());
    assert_eq!(checked_counts(&one), (1, CONTACTS));
    let before = one.take_image().unwrap();
    two.replace(Image::empty().unwrap(), || {}).unwrap();
    assert_eq!((checked_counts(&one), checked_counts(&two)), ((1, CONTACTS), (0, 0)), "each has its own");
    assert_eq!(checked_counts(&Db::from_image(&before).unwrap()), (1, CONTACTS));
}
