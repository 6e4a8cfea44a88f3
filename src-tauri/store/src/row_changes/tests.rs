//! An account for the tests of this folder.

use proptest::{collection::vec, prelude::*};
use roost_model::time::Timestamp;

use super::{reversal::ReversalSummary, rewind};
use crate::{
    change_log::{ActorKind, ChangeAction, ChangeLogEntry, Noun},
    db::{Db, UndoMemory, WriteOptions},
    error::Result,
    tables::{
        contacts::grid::contact_changes::{self, ChangedContacts},
        steps,
    },
    tx::{ActDescription, ReadTx, WriteTx},
};

/// An account with one list, which has the number 1.
pub(super) struct TestAccount(Db);

impl TestAccount {
    pub(super) fn new() -> Self {
        let account = Self(Db::in_memory().unwrap());
        account.act_in_sql(
            "INSERT INTO lists (id, uid, name, name_folded, created_at, updated_at) VALUES (1, 'L', 'A', 'a', 0, 0)",
        );
        account
    }

    fn write<T>(&self, act: impl FnOnce(&WriteTx) -> Result<T>) -> T {
        let stamp =
            WriteOptions { at: Timestamp::from_unix(1), source: ActorKind::User, memory: UndoMemory::On, watch: None };
        let written = self.0.write(stamp, |tx| {
            tx.log_change(ChangeLogEntry::bulk(Noun::Contact, ChangeAction::Updated, 1));
            act(tx)
        });
        written.unwrap().0
    }

    /// Performs an act and returns its step.
    pub(super) fn act(&self, act: impl FnOnce(&WriteTx) -> Result<()>) -> i64 {
        self.write(|tx| act(tx).map(|()| tx.step()))
    }

    pub(super) fn act_in_sql(&self, sql: &str) -> i64 {
        self.act(|tx| Ok(tx.conn().execute_batch(sql)?))
    }

    /// Undoes or redoes a step.
    pub(super) fn toggle(&self, step: i64) -> ReversalSummary {
        self.write(|tx| {
            let step = steps::get(tx, step)?.unwrap();
            tx.describe_act(ActDescription::new("undo").of_step(step.id).as_note());
            super::toggle_step(tx, &step)
        })
    }

    fn read<T>(&self, read: impl FnOnce(&ReadTx) -> Result<T>) -> T {
        self.0.read(read).unwrap()
    }

    pub(super) fn count(&self, sql: &str) -> i64 {
        self.read(|tx| Ok(tx.conn().query_row(sql, [], |row| row.get(0))?))
    }

    fn read_text(&self, sql: &str) -> String {
        self.read(|tx| Ok(tx.conn().query_row(sql, [], |row| row.get(0))?))
    }
}

/// Adds contacts of the city “a” with the numbers from 1 on.
pub(super) fn add_contacts(tx: &WriteTx, count: i64) -> Result<()> {
    let sql = "INSERT INTO contacts (uid, list_id, phone, city, created_at) VALUES ('C' || ?1, 1, '+44' || ?1, 'a', 0)";
    let mut insert = tx.conn().prepare(sql)?;
    (1..=count).try_for_each(|n| Ok(insert.execute([n]).map(drop)?))
}

/// A statement of a random act. Ranges of contacts are longer or shorter than those that are reversed at once.
fn statement() -> impl Strategy<Value = String> {
    let range = (0..300_i64, 1..300_i64).prop_map(|(from, count)| format!("id BETWEEN {from} AND {}", from + count));
    (0..6_u8, range, 0..4_u8, 0..1_000_i64).prop_map(|(kind, range, city, number)| match kind {
        0 => format!("DELETE FROM contacts WHERE {range}"),
        1 => format!(
            "INSERT INTO contacts (uid, list_id, phone, city, created_at)
             SELECT 'N{number}-' || id, 1, '+33' || id, '{city}', 0 FROM contacts WHERE {range}
             ON CONFLICT DO NOTHING"
        ),
        2 => format!("UPDATE lists SET name = '{number}', contact_count = contact_count + {number}"),
        3 => format!("UPDATE contacts SET phone = '+44' || {number} WHERE id % 2 = 0 AND {range}"),
        _ => format!("UPDATE contacts SET city = '{city}', updated_at = {number} WHERE {range}"),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_act_can_be_undone_and_redone_again_and_again(acts in vec(vec(statement(), 1..5), 1..4)) {
        const TABLES: &str = "SELECT json_group_array(row) FROM (
            SELECT json_array(id, uid, phone, city, updated_at) AS row FROM contacts
            UNION ALL SELECT json_array(name, contact_count) FROM lists)";
        let account = TestAccount::new();
        account.act(|tx| add_contacts(tx, 300));
        let mut states = vec![account.read_text(TABLES)];
        let mut steps = Vec::new();
        for act in acts {
            steps.push(account.act_in_sql(&act.join(";")));
            states.push(account.read_text(TABLES));
        }
        for _ in 0..2 {
            for (at, step) in steps.iter().enumerate().rev() {
                account.toggle(*step);
                prop_assert_eq!(&account.read_text(TABLES), &states[at]);
            }
            for (at, step) in steps.iter().enumerate() {
                account.toggle(*step);
                prop_assert_eq!(&account.read_text(TABLES), &states[at + 1]);
            }
        }
    }
}

/// The rows of a large update keep their numbers, and readers that look for new numbers learn of the undo all the same.
#[test]
fn an_undo_that_swaps_rows_in_place_is_seen_by_grids_and_refuses_a_rewind() {
    let account = TestAccount::new();
    account.act(|tx| add_contacts(tx, 150));
    let done = account.act_in_sql("UPDATE contacts SET city = 'b'");
    let numbers = format!("SELECT group_concat(id) FROM row_changes WHERE step = {done} AND kind = 2");
    let before = account.read_text(&numbers);
    let mark = account.read(contact_changes::current_mark);
    assert_eq!(account.toggle(done).rows, 150);
    assert_eq!(account.read_text(&numbers), before);
    let seen = account.read(|tx| contact_changes::changes_since(tx, &mark, 1_000));
    assert_eq!(seen, ChangedContacts::Unknown);
    assert!(!account.write(|tx| rewind::rewind_to(tx, done - 1)), "the records do not say what was undone");
    assert_eq!(account.toggle(done).rows, 150);
    assert_eq!(account.count("SELECT count(*) FROM contacts WHERE city = 'b'"), 150);
    assert_eq!(account.read_text(&numbers), before);
}
