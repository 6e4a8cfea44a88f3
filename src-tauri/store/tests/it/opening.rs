//! Tests fresh, known, newer, altered and foreign files, and paths where no file can be.

use std::fs;

use roost_model::error::ErrorCode;
use roost_store::{db::Db, error::StoreError, tables::custom_fields};

use crate::support::{AccountFolder, CONTACTS, add_list, assert_empty, assert_whole, checked_counts, write_options};

#[test]
fn a_fresh_file_is_made_and_opened_again() {
    let place = AccountFolder::new();
    assert_empty(&place.open().unwrap());
    assert_empty(&place.open().unwrap());
    let id: i64 = place.raw_connection().query_row("PRAGMA application_id", [], |row| row.get(0)).unwrap();
    assert_eq!(id, i64::from(u32::from_be_bytes(*b"Roos")));
}

#[cfg(unix)]
#[test]
fn only_its_owner_may_read_an_account() {
    use std::os::unix::fs::PermissionsExt;
    let place = AccountFolder::new();
    let db = place.open().unwrap();
    add_list(&db, 1).unwrap();
    for file in ["account.roost", "account.roost-wal", "account.roost-shm"] {
        let mode = fs::metadata(place.folder.path().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[test]
fn an_empty_file_is_a_fresh_one() {
    let place = AccountFolder::new();
    fs::write(&place.file, b"").unwrap();
    assert_empty(&place.open().unwrap());
}

#[test]
fn what_was_committed_is_there_again() {
    let place = AccountFolder::filled();
    assert_eq!(checked_counts(&place.open().unwrap()), (1, CONTACTS));
}

/// People copy and mail the one file that they see, so it must hold everything after closing.
#[test]
fn a_closed_account_is_one_whole_file() {
    let place = AccountFolder::filled();
    assert_eq!(place.files().keys().collect::<Vec<_>>(), ["account.roost"]);
    let copy = AccountFolder::new();
    fs::copy(&place.file, &copy.file).unwrap();
    assert_eq!(checked_counts(&copy.open().unwrap()), (1, CONTACTS));
}

/// A kill leaves a whole account or nothing, so a file without Roost's content is not an account.
#[test]
fn an_account_has_its_tables_before_anything_is_written_to_it() {
    let place = AccountFolder::new();
    let db = place.open().unwrap();
    let copy = AccountFolder::new();
    fs::copy(&place.file, &copy.file).unwrap();
    drop(db);
    assert_empty(&copy.open().unwrap());
}

#[test]
fn a_newer_file_is_refused_by_name_and_left_alone() {
    let place = AccountFolder::filled();
    place
        .raw_connection()
        .execute("INSERT INTO refinery_schema_history VALUES (999, 'later', '2030-01-01T00:00:00Z', '1')", [])
        .unwrap();
    let before = place.files();
    let error = place.open_error();
    assert!(
        matches!(error, StoreError::TooNew { found: 999, known, .. } if known == Db::schema_version()),
        "{error:?}"
    );
    assert_eq!(error.code(), ErrorCode::TooNew);
    let message = error.to_string();
    assert!(
        message.contains("account.roost") && message.contains("999") && message.contains("newer Roost"),
        "{message}"
    );
    assert_eq!(place.files(), before);
    assert_whole(&place.file);
}

#[test]
fn an_altered_schema_is_refused_by_what_is_altered() {
    let table = [
        ("UPDATE refinery_schema_history SET checksum = '1'", "step 1 (account)"),
        ("UPDATE refinery_schema_history SET name = 'other'", "step 1 (other)"),
        ("UPDATE refinery_schema_history SET applied_on = 'yesterday'", "step 1 (account)"),
        ("CREATE TABLE notes (text TEXT)", "has notes, which is not Roost's"),
        ("CREATE VIEW v AS SELECT 1", "has v, which is not Roost's"),
        ("CREATE TRIGGER t AFTER DELETE ON lists BEGIN DELETE FROM contacts; END", "has t, which is not Roost's"),
        ("ALTER TABLE lists ADD COLUMN colour TEXT", "lists in the schema was changed"),
        ("ALTER TABLE contacts ADD COLUMN colour TEXT", "contacts in the schema was changed"),
        ("ALTER TABLE contacts RENAME COLUMN zip TO postcode", "contacts in the schema was changed"),
        ("ALTER TABLE contacts DROP COLUMN title", "contacts in the schema was changed"),
        ("DROP INDEX contacts_by_phone", "has no contacts_by_phone"),
        (
            "DROP INDEX lists_by_name; CREATE INDEX lists_by_name ON lists (name)",
            "lists_by_name in the schema was changed",
        ),
        ("DROP TABLE clicks", "clicks"),
    ];
    for (sql, words) in table {
        let place = AccountFolder::filled();
        place.raw_connection().execute_batch(sql).unwrap();
        let before = place.files();
        let error = place.open_error();
        assert_eq!(error.code(), ErrorCode::Altered, "{sql}: {error}");
        assert!(error.to_string().contains(words), "{sql}: {error}");
        assert_eq!(place.files(), before, "{sql}");
        assert_whole(&place.file);
    }
}

/// The columns of custom fields are added and removed with the fields, so they are not an alteration.
#[test]
fn an_account_with_its_own_custom_fields_is_not_altered() {
    let place = AccountFolder::filled();
    let db = place.open().unwrap();
    for number in 4..40 {
        let field = roost_model::custom_field::CustomField { number, label: format!("Field {number}") };
        db.write(write_options(), |tx| custom_fields::insert(tx, &field)).unwrap();
    }
    db.write(write_options(), |tx| custom_fields::remove(tx, 7).map(drop)).unwrap();
    drop(db);
    assert_eq!(checked_counts(&place.open().unwrap()), (1, CONTACTS));
}

#[test]
fn another_programs_file_is_refused_and_left_alone() {
    for mode in ["DELETE", "WAL"] {
        let place = AccountFolder::new();
        place
            .raw_connection()
            .execute_batch(&format!(
                "PRAGMA journal_mode = {mode}; CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('a');"
            ))
            .unwrap();
        let before = place.files();
        let error = place.open_error();
        assert_eq!(error.code(), ErrorCode::Altered);
        assert!(error.to_string().contains("another program"), "{error}");
        assert_eq!(place.files(), before, "{mode}");
    }
}

#[test]
fn a_folder_and_a_path_in_no_folder_get_errors_of_their_own() {
    let place = AccountFolder::new();
    fs::create_dir(&place.file).unwrap();
    let message = place.open_error().to_string();
    assert!(message.contains("account.roost") && message.contains("folder"), "{message}");

    let place = AccountFolder::new();
    let message = Db::open(&place.folder.path().join("no/such/account.roost")).err().unwrap().to_string();
    assert!(message.contains("no/such") && message.contains("folder"), "{message}");
    assert!(place.files().is_empty());
}

/// SQLite would read these names as addresses or as databases without a file.
#[test]
fn odd_names_are_names() {
    for name in ["file:account?mode=memory", "a b%20ü🐦", ":memory: ", "a'b\"c"] {
        let place = AccountFolder::new();
        let path = place.folder.path().join(name);
        add_list(&Db::open(&path).unwrap(), 1).unwrap();
        assert!(path.is_file(), "{name}");
        assert_eq!(checked_counts(&Db::open(&path).unwrap()), (1, 0), "{name}");
    }
}
