//! Creates account files that tests damage, and checks what must hold afterwards.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use roost_model::{
    channel::Channel,
    contact::{ATTRIBUTES, Attribute, Contact, ContactField},
    id::{ContactId, Ksuid, ListId},
    list::List,
    opt_out::{OptOut, OptOutRecordScope, OptOutType},
    page::PageRequest,
    phone::Phone,
    time::Timestamp,
};
use roost_store::{
    change_log::{ActorKind, ChangeAction, ChangeLogEntry, Noun},
    db::{Db, UndoMemory, WriteOptions},
    error::{Result, StoreError},
    tables::{contacts, counts, lists, opt_outs},
};
use rusqlite::Connection;
use tempfile::TempDir;

pub(crate) const CONTACTS: u64 = 2_000;

/// The content of a file, which is compared whole and printed as a checksum.
#[derive(PartialEq, Eq)]
pub(crate) struct Bytes(pub Vec<u8>);

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sum = self.0.iter().fold(0u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
        write!(f, "{} bytes, sum {sum:x}", self.0.len())
    }
}

/// A temporary folder and the path of an account file in it.
pub(crate) struct AccountFolder {
    pub folder: TempDir,
    pub file: PathBuf,
}

impl AccountFolder {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("account.roost");
        Self { folder, file }
    }

    /// Creates an account with one list and its contacts, and closes it.
    pub(crate) fn filled() -> Self {
        let place = Self::new();
        fill_account(&place.open().unwrap());
        place
    }

    pub(crate) fn open(&self) -> Result<Db> {
        Db::open(&self.file)
    }

    pub(crate) fn open_error(&self) -> StoreError {
        self.open().err().expect("this file must be refused")
    }

    /// Opens the file as another program would.
    pub(crate) fn raw_connection(&self) -> Connection {
        Connection::open(&self.file).unwrap()
    }

    /// Returns every file of the folder with its bytes, except the lock, which says nothing about the account.
    pub(crate) fn files(&self) -> BTreeMap<String, Bytes> {
        let entries = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let named = entries
            .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), Bytes(fs::read(&path).unwrap())));
        named.filter(|(name, _)| !name.ends_with(".lock")).collect()
    }
}

pub(crate) fn write_options() -> WriteOptions {
    WriteOptions {
        at: Timestamp::from_unix(1_767_603_600),
        source: ActorKind::User,
        memory: UndoMemory::On,
        watch: None,
    }
}

fn ksuid(number: u64) -> Ksuid {
    Ksuid::new(1_767_603_600, u128::from(number).to_be_bytes())
}

pub(crate) fn add_list(db: &Db, number: u64) -> Result<()> {
    db.write(write_options(), |tx| {
        let at = write_options().at;
        let name = format!("list {number}");
        let list = List { uid: ListId::new(ksuid(number)), name, contact_count: 0, created_at: at, updated_at: at };
        lists::insert(tx, &list)?;
        tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Created, &list.uid));
        Ok::<_, StoreError>(())
    })
    .map(|_| ())
}

/// Fills an account as a program does, so that no copy is made before.
fn fill_account(db: &Db) {
    add_list(db, 0).unwrap();
    add_contacts(db, ActorKind::Operator, 0, CONTACTS).unwrap();
}

/// Adds contacts to a list that was added by its number.
pub(crate) fn add_contacts(db: &Db, source: ActorKind, number: u64, count: u64) -> Result<()> {
    let list = ListId::new(ksuid(number));
    let added = db.write(WriteOptions { source, ..write_options() }, |tx| {
        let row = lists::row_of(tx, &list)?.unwrap();
        let mut inserter = contacts::ContactInserter::new(tx, row, &[1, 2, 3])?;
        for i in 0..count {
            let mut attributes = [const { None }; ATTRIBUTES];
            attributes[0] = Some("x".repeat(30));
            inserter.insert(&Contact {
                uid: contact_id(number, i),
                list: list.clone(),
                phone: Some(Phone { e164: format!("+44770090{:04}", i % 1_000), region: "GB".to_owned() }),
                whatsapp: None,
                attributes,
                custom: vec![None; 3],
                created_at: write_options().at,
                updated_at: None,
            })?;
        }
        lists::add_count(tx, row, count)?;
        tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Created, &list, count));
        Ok::<_, StoreError>(())
    });
    added.map(drop)
}

/// Deletes a list that was added by its number.
pub(crate) fn delete_list(db: &Db, source: ActorKind, number: u64) -> Result<()> {
    let list = ListId::new(ksuid(number));
    let deleted = db.write(WriteOptions { source, ..write_options() }, |tx| {
        lists::delete(tx, lists::row_of(tx, &list)?.unwrap())?;
        tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Deleted, &list));
        Ok::<_, StoreError>(())
    });
    deleted.map(drop)
}

/// Returns the id of a contact that was added by its number.
pub(crate) fn contact_id(list: u64, contact: u64) -> ContactId {
    ContactId::new(ksuid(list << 32 | contact))
}

/// Changes one value of a contact.
pub(crate) fn set_city(db: &Db, contact: &ContactId, city: &str) -> Result<()> {
    let set = db.write(write_options(), |tx| {
        let city = [(ContactField::Attribute(Attribute::City), Some(city.to_owned()))];
        contacts::list_view::set_fields(tx, contact, &city, write_options().at)?;
        tx.log_change(ChangeLogEntry::single(Noun::Contact, ChangeAction::Updated, contact));
        Ok::<_, StoreError>(())
    });
    set.map(drop)
}

/// Opts a number out of SMS for the whole account.
pub(crate) fn add_opt_out(db: &Db, number: &str) -> Result<()> {
    let added = db.write(write_options(), |tx| {
        let record = OptOut {
            number: number.to_owned(),
            channel: Channel::Sms,
            scope: OptOutRecordScope::Account,
            kind: OptOutType::AccountImport,
            inbound: None,
            time: write_options().at,
        };
        tx.set_reason("asked for it")?;
        opt_outs::insert(tx, &record)?;
        tx.log_change(ChangeLogEntry::bulk(Noun::OptOut, ChangeAction::Created, 1));
        Ok::<_, StoreError>(())
    });
    added.map(drop)
}

/// Returns the cities of contacts by their ids, and the numbers that are opted out, of a file that nobody has open.
pub(crate) fn read_values(path: &Path) -> (BTreeMap<String, String>, BTreeSet<String>) {
    let conn = Connection::open(path).unwrap();
    let mut cities = conn.prepare("SELECT uid, city FROM contacts WHERE city IS NOT NULL").unwrap();
    let cities = cities.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(|row| row.unwrap()).collect();
    let mut numbers = conn.prepare("SELECT number FROM opt_outs").unwrap();
    let numbers = numbers.query_map([], |row| row.get(0)).unwrap().map(|row| row.unwrap()).collect();
    (cities, numbers)
}

/// Returns how many contacts each list of a file holds that nobody has open.
pub(crate) fn read_lists(path: &Path) -> BTreeMap<String, u64> {
    let conn = Connection::open(path).unwrap();
    let lists = "SELECT name, (SELECT count(*) FROM contacts WHERE list_id = lists.id) FROM lists";
    let mut lists = conn.prepare(lists).unwrap();
    let rows = lists.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64))).unwrap();
    rows.map(|row| row.unwrap()).collect()
}

/// Returns how many lists and contacts an account holds, after checking that its file is sound and its counts are
/// correct.
pub(crate) fn checked_counts(db: &Db) -> (u64, u64) {
    assert_eq!(db.check_integrity().unwrap(), "ok");
    let counts = db.read(counts::get).unwrap();
    let page = PageRequest { number: 1, size: 100_000 };
    let really: usize = db
        .read(|tx| {
            let lists = lists::read_all(tx)?;
            let count = |list: &List| {
                let row = lists::row_of(tx, &list.uid)?.unwrap();
                Ok(contacts::read_page(tx, contacts::ContactScope { list: &list.uid, row, custom: &[] }, page)?.len())
            };
            lists.iter().map(count).sum::<Result<usize>>()
        })
        .unwrap();
    assert_eq!(counts.contacts, really as u64);
    (counts.lists, counts.contacts)
}

/// Asserts that an account has no content yet.
pub(crate) fn assert_empty(db: &Db) {
    assert_eq!(checked_counts(db), (0, 0));
}

pub(crate) fn assert_whole(path: &Path) {
    let conn = Connection::open(path).unwrap();
    let answer: String = conn.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(answer, "ok");
}
