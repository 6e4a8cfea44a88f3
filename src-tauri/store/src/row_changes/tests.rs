//! An account for the tests of this folder.

use roost_model::time::Timestamp;

use super::reversal::ReversalSummary;
use crate::{
    change_log::{ActorKind, ChangeAction, ChangeLogEntry, Noun},
    db::{Db, UndoMemory, WriteOptions},
    error::{Result, StoreError},
    tables::steps,
    tx::{ActDescription, WriteTx},
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

    pub(super) fn count(&self, sql: &str) -> i64 {
        self.0.read(|tx| Ok::<_, StoreError>(tx.conn().query_row(sql, [], |row| row.get(0))?)).unwrap()
    }
}

/// Adds contacts of the city “a” with the numbers from 1 on.
pub(super) fn add_contacts(tx: &WriteTx, count: i64) -> Result<()> {
    let sql = "INSERT INTO contacts (uid, list_id, phone, city, created_at) VALUES ('C' || ?1, 1, '+44' || ?1, 'a', 0)";
    let mut insert = tx.conn().prepare(sql)?;
    (1..=count).try_for_each(|n| Ok(insert.execute([n]).map(drop)?))
}
