//! Tests damaged files: the damage is noticed on opening, the file is left untouched, and it is set aside under a dated
//! name on request.

use std::{fs, sync::LazyLock};

use proptest::{collection::vec, option::of, prelude::*, sample::Index, test_runner::Config};
use roost_model::{error::ErrorCode, page::PageRequest};
use roost_store::{
    files::closed,
    tables::{contacts, counts, lists},
};

use crate::support::{AccountFolder, CONTACTS, assert_empty, checked_counts};

const PAGE: usize = 4_096;

/// Damages a filled account and opens it. The damage must be reported and nothing changed. After the file is set aside,
/// a new account can begin.
fn assert_refused(case: &str, damage: impl FnOnce(&mut Vec<u8>)) {
    let place = AccountFolder::filled();
    let mut bytes = fs::read(&place.file).unwrap();
    damage(&mut bytes);
    fs::write(&place.file, &bytes).unwrap();
    let before = place.files();
    let error = place.open_error();
    assert_eq!(error.code(), ErrorCode::Corrupt, "{case}: {error}");
    assert!(error.to_string().contains("roost set-aside --db"), "{case}: {error}");
    assert_eq!(place.files(), before, "{case}");
    let aside = closed::set_aside(&place.file).unwrap();
    let name = aside.file_name().unwrap().to_string_lossy();
    let date = name.strip_prefix("account.roost.damaged-").unwrap_or_else(|| panic!("{case}: {name}"));
    assert!(date.len() >= 15 && date.bytes().all(|b| b.is_ascii_digit() || b == b'-'), "{case}: {name}");
    assert_eq!(fs::read(&aside).unwrap(), bytes, "{case}: every byte is kept");
    assert!(!place.file.exists(), "{case}");
    assert_empty(&place.open().unwrap());
}

/// A file that does not begin as an account does may be anybody's, so it is refused and nothing is created beside it.
#[test]
fn a_file_of_another_program_is_left_as_it_is() {
    let bare = AccountFolder::new();
    bare.raw_connection().execute_batch("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')").unwrap();
    let filled = filled_bytes();
    let broken = |damage: fn(&mut Vec<u8>)| {
        let mut bytes = filled.to_vec();
        damage(&mut bytes);
        bytes
    };
    let cases = [
        ("a database of another program", fs::read(&bare.file).unwrap()),
        ("one byte", b"x".to_vec()),
        ("a short text", b"name,number\nAda,+447700900001\n".to_vec()),
        ("a long text", b"name,number\n".repeat(1_000)),
        ("an account with garbage in its header", broken(|bytes| bytes[..100].fill(0xa5))),
        ("an account that was cut within its header", broken(|bytes| bytes.truncate(60))),
        ("an account whose first page is noise", broken(|bytes| bytes[..PAGE].fill(0x5a))),
    ];
    for (case, bytes) in cases {
        let place = AccountFolder::new();
        fs::write(&place.file, &bytes).unwrap();
        let error = place.open_error();
        assert_eq!(error.code(), ErrorCode::Altered, "{case}: {error}");
        let beside = fs::read_dir(place.folder.path()).unwrap().count();
        assert_eq!(beside, 1, "{case}: a lock or a copy");
        assert_eq!(fs::read(&place.file).unwrap(), bytes, "{case}");
    }
}

#[test]
fn a_file_that_was_cut_is_refused() {
    assert_refused("cut in half", |bytes| bytes.truncate(bytes.len() / 2));
    assert_refused("one page short", |bytes| bytes.truncate(bytes.len() - PAGE));
    assert_refused("cut within a page", |bytes| bytes.truncate(bytes.len() - PAGE / 3));
}

#[test]
fn a_page_that_was_overwritten_anywhere_is_refused() {
    let pages = fs::metadata(&AccountFolder::filled().file).unwrap().len() as usize / PAGE;
    assert!(pages > 60, "{pages}");
    for page in [1, 2, pages / 4, pages / 2, pages * 3 / 4, pages - 1] {
        assert_refused(&format!("noise in page {page}"), |bytes| {
            bytes[page * PAGE..(page + 1) * PAGE]
                .iter_mut()
                .enumerate()
                .for_each(|(i, byte)| *byte = (i * 31 % 251) as u8);
        });
        assert_refused(&format!("zeros in page {page}"), |bytes| bytes[page * PAGE..(page + 1) * PAGE].fill(0));
    }
}

#[test]
fn files_damaged_in_the_same_second_are_both_kept() {
    let place = AccountFolder::new();
    for damage in 1..4 {
        let mut bytes = filled_bytes().to_vec();
        bytes[PAGE..2 * PAGE].fill(damage);
        fs::write(&place.file, bytes).unwrap();
        assert_eq!(place.open_error().code(), ErrorCode::Corrupt);
        closed::set_aside(&place.file).unwrap();
    }
    let kept: Vec<_> =
        place.files().into_iter().filter(|(name, _)| name.contains("damaged")).map(|(_, bytes)| bytes.0).collect();
    assert_eq!(kept.len(), 3);
    assert!((1..4).all(|damage| kept.iter().any(|bytes| bytes[PAGE] == damage)));
}

/// Tries every value of every header byte that SQLite interprets. SQLite takes some of them for a read-only file or for
/// a newer format.
#[test]
fn a_damaged_header_is_reported_as_damage_with_the_way_back() {
    let place = AccountFolder::filled();
    fs::write(place.folder.path().join("account.roost.v5-20260105-090000.backup"), filled_bytes()).unwrap();
    fs::write(place.folder.path().join("account.roost.v5-20260106-090000.backup"), &filled_bytes()[..PAGE * 9])
        .unwrap();
    fs::write(place.folder.path().join("account.roost.v5-tomorrow.backup"), filled_bytes()).unwrap();
    let places = (16..24).chain(28..32).chain(40..60);
    let values = [0, 1, 2, 3, 5, 0x7f, 0x80, 0xff];
    for (at, value) in places.flat_map(|at| values.map(|value| (at, value))) {
        let mut bytes = filled_bytes().to_vec();
        bytes[at] = value;
        fs::write(&place.file, &bytes).unwrap();
        let Err(error) = place.open() else { continue };
        let message = error.to_string();
        assert_eq!(error.code(), ErrorCode::Corrupt, "byte {at} is {value}: {error:?}");
        assert!(message.contains("account.roost.v5-20260105-090000.backup"), "byte {at} is {value}: {message}");
        assert!(!message.contains("refused a statement"), "byte {at} is {value}: {message}");
        assert_eq!(fs::read(&place.file).unwrap(), bytes, "byte {at} is {value}");
    }
    assert_eq!(place.files().len(), 4, "{:?}", place.files().keys());
}

#[test]
fn a_first_page_of_noise_names_the_newest_sound_copy() {
    let place = AccountFolder::new();
    fs::write(&place.file, [0x5a; PAGE]).unwrap();
    fs::write(place.folder.path().join("account.roost.replaced-20260105-090000-3.backup"), filled_bytes()).unwrap();
    let message = place.open_error().to_string();
    assert!(message.contains("account.roost.replaced-20260105-090000-3.backup"), "{message}");
}

#[test]
fn only_a_file_of_ours_is_set_aside() {
    let bare = AccountFolder::new();
    bare.raw_connection().execute_batch("CREATE TABLE notes (text TEXT)").unwrap();
    for bytes in [b"".to_vec(), b"x".to_vec(), b"name,number\n".repeat(900), fs::read(&bare.file).unwrap()] {
        let place = AccountFolder::new();
        fs::write(&place.file, &bytes).unwrap();
        assert_eq!(closed::set_aside(&place.file).unwrap_err().code(), ErrorCode::Altered);
        assert_eq!(fs::read(&place.file).unwrap(), bytes);
        assert_eq!(fs::read_dir(place.folder.path()).unwrap().count(), 1);
    }
    let place = AccountFolder::filled();
    let _open = place.open().unwrap();
    assert_eq!(closed::set_aside(&place.file).unwrap_err().code(), ErrorCode::Locked);
}

/// Noise at the end of the write-ahead log: SQLite stops reading there, and the complete commits stay.
#[test]
fn a_broken_write_ahead_log_loses_only_itself() {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    for number in [7, 8] {
        crate::support::add_list(&db, number).unwrap();
    }
    let wal = place.folder.path().join("account.roost-wal");
    let (file, log) = (fs::read(&place.file).unwrap(), fs::read(&wal).unwrap());
    drop(db);
    fs::write(&place.file, file).unwrap();
    fs::write(&wal, &log[..log.len() - 100]).unwrap();
    assert_eq!(checked_counts(&place.open().unwrap()), (2, CONTACTS));
}

/// Returns the bytes of a filled account, which is made once.
fn filled_bytes() -> &'static [u8] {
    static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| fs::read(&AccountFolder::filled().file).unwrap());
    &BYTES
}

proptest! {
    #![proptest_config(Config { cases: 500, failure_persistence: None, ..Config::default() })]

    /// Whatever the file contains, it is opened or refused with a message, and an opened file can be read without a
    /// panic.
    #[test]
    fn any_damaged_file_can_be_read_or_is_refused_with_every_byte_kept(
        at in any::<Index>(),
        noise in vec(any::<u8>(), 1..600),
        cut in of(any::<Index>()),
    ) {
        let place = AccountFolder::new();
        let mut bytes = filled_bytes().to_vec();
        let at = at.index(bytes.len());
        let end = bytes.len().min(at + noise.len());
        bytes[at..end].copy_from_slice(&noise[..end - at]);
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        fs::write(&place.file, &bytes).unwrap();
        match place.open() {
            Ok(db) => {
                let read = db.read(|tx| {
                    for list in lists::read_all(tx)? {
                        let Some(row) = lists::row_of(tx, &list.uid)? else { continue };
                        let page = PageRequest { number: 1, size: 100_000 };
                        contacts::read_page(tx, contacts::ContactScope { list: &list.uid, row, custom: &[1, 2, 3] }, page)?;
                    }
                    counts::get(tx)
                });
                prop_assert!(read.is_ok() || read.is_err_and(|error| !error.to_string().is_empty()));
            }
            Err(error) => {
                prop_assert!(!error.to_string().is_empty());
                let kept = place.files().into_values().any(|kept| kept.0 == bytes);
                prop_assert!(kept, "every byte is kept: {error}");
            }
        }
    }
}
