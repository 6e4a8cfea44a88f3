//! The only way to remove opt-outs from the account. A trigger of the database refuses every other way.

use std::cell::Cell;

use roost_model::{channel::Channel, id::AssetId, opt_out::OptOutRecordScope};
use rusqlite::params;

use super::scope_text;
use crate::{
    error::{Result, StoreError},
    tx::WriteTx,
};

/// The reason why opt-outs may be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Warrant<'a> {
    word: &'static str,
    confirmation: Option<(u64, &'a str)>,
}

impl<'a> Warrant<'a> {
    /// Allows a removal of which a person saw the number of records and for which the person gave a reason.
    pub fn confirmed(count: u64, reason: &'a str) -> Self {
        Self { word: "confirmed", confirmation: Some((count, reason)) }
    }

    /// Allows the removal of records that the service no longer has, or removed on request.
    pub fn removed_at_service() -> Self {
        Self { word: "service", confirmation: None }
    }

    /// Allows a removal that a caller of the interface requested, where this account plays the service.
    pub fn requested_by_interface() -> Self {
        Self { word: "interface", confirmation: None }
    }

    pub(super) fn renewed() -> Self {
        Self { word: "renewed", confirmation: None }
    }
}

/// Removes opt-outs while a warrant allows it.
pub struct OptOutRemover<'t> {
    tx: &'t WriteTx<'t>,
    removed: Cell<u64>,
}

impl OptOutRemover<'_> {
    /// Deletes one record and returns whether it existed.
    pub fn delete_one(&self, number: &str, channel: Channel, scope: &OptOutRecordScope) -> Result<bool> {
        let mut statement =
            self.tx.conn().prepare_cached("DELETE FROM opt_outs WHERE number = ?1 AND channel = ?2 AND scope = ?3")?;
        let removed = statement.execute(params![number, channel.as_str(), scope_text(scope)])?;
        Ok(self.count_removed(removed) > 0)
    }

    /// Deletes the records of a number: those scoped to one asset, or all on one channel or on both. Returns how many
    /// there were.
    pub fn delete(&self, number: &str, channel: Option<Channel>, asset: Option<&AssetId>) -> Result<u32> {
        let removed = self.tx.execute_sql(
            "DELETE FROM opt_outs WHERE number = ?1 AND (?2 IS NULL OR channel = ?2) AND (?3 IS NULL OR scope = ?3)",
            params![number, channel.map(Channel::as_str), asset.map(AssetId::as_str)],
        )?;
        Ok(self.count_removed(removed) as u32)
    }

    fn count_removed(&self, removed: usize) -> usize {
        self.removed.set(self.removed.get() + removed as u64);
        removed
    }
}

/// Allows `act` to remove opt-outs. If more records would be removed than were confirmed, the transaction fails and
/// none is removed.
pub fn with_warrant<'t, T, E: From<StoreError>>(
    tx: &'t WriteTx<'t>,
    warrant: Warrant<'_>,
    act: impl FnOnce(&OptOutRemover<'t>) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    if let Some((_, reason)) = warrant.confirmation {
        tx.set_reason(reason)?;
    }
    let sql = |error: rusqlite::Error| E::from(error.into());
    let mut open = tx.conn().prepare_cached("INSERT INTO opt_out_door (id, warrant) VALUES (1, ?1)").map_err(sql)?;
    open.execute([warrant.word]).map_err(sql)?;
    let door = OptOutRemover { tx, removed: Cell::new(0) };
    let done = act(&door)?;
    tx.conn().prepare_cached("DELETE FROM opt_out_door").map_err(sql)?.execute([]).map_err(sql)?;
    match warrant.confirmation {
        Some((confirmed, _)) if door.removed.get() > confirmed => {
            Err(StoreError::Unconfirmed { confirmed, removed: door.removed.get() }.into())
        }
        _ => Ok(done),
    }
}

#[cfg(test)]
mod tests {
    use roost_model::{
        opt_out::{OptOut, OptOutType},
        time::Timestamp,
    };

    use super::*;
    use crate::{
        change_log::{ActorKind, ChangeAction, ChangeLogEntry, Noun},
        db::{Db, UndoMemory, WriteOptions},
        tables::opt_outs::{self, events},
        tx::ReadTx,
    };

    fn act<T>(db: &Db, act: impl FnOnce(&WriteTx) -> Result<T>) -> Result<T> {
        let stamp =
            WriteOptions { at: Timestamp::from_unix(1), source: ActorKind::User, memory: UndoMemory::On, watch: None };
        db.write(stamp, |tx| {
            tx.log_change(ChangeLogEntry::bulk(Noun::OptOut, ChangeAction::Updated, 1));
            act(tx)
        })
        .map(|(done, _)| done)
    }

    fn record(number: &str) -> OptOut {
        OptOut {
            number: number.to_owned(),
            channel: Channel::Sms,
            scope: OptOutRecordScope::Account,
            kind: OptOutType::Keyword,
            inbound: None,
            time: Timestamp::from_unix(5),
        }
    }

    const NUMBERS: [&str; 2] = ["+447700900001", "+447700900002"];

    fn filled() -> Db {
        let db = Db::in_memory().unwrap();
        act(&db, |tx| NUMBERS.iter().try_for_each(|number| opt_outs::replace(tx, &record(number)))).unwrap();
        db
    }

    fn count(db: &Db) -> usize {
        let read_count = |tx: &ReadTx| {
            NUMBERS.iter().map(|number| Ok(opt_outs::read_by_number(tx, number)?.len())).sum::<Result<usize>>()
        };
        db.read(read_count).unwrap()
    }

    #[test]
    fn no_sql_statement_removes_an_opt_out_without_a_warrant() {
        let db = filled();
        for sql in [
            "DELETE FROM opt_outs",
            "DELETE FROM opt_outs WHERE number = '+447700900001'",
            "UPDATE opt_outs SET number = '+447700900003' WHERE number = '+447700900001'",
            "UPDATE opt_outs SET scope = 'x'",
        ] {
            let refused = act(&db, |tx| Ok(tx.conn().execute_batch(sql)?));
            assert!(matches!(refused, Err(StoreError::Constraint(_))), "{sql}: {refused:?}");
            assert_eq!(count(&db), 2, "{sql}");
        }
    }

    #[test]
    fn exactly_the_confirmed_number_of_opt_outs_is_removed_with_its_reason_in_the_history() {
        let db = filled();
        let both = |tx: &WriteTx, confirmed| {
            with_warrant(tx, Warrant::confirmed(confirmed, "asked by phone"), |door| {
                NUMBERS
                    .iter()
                    .try_for_each(|number| door.delete_one(number, Channel::Sms, &OptOutRecordScope::Account).map(drop))
            })
        };
        let refused = act(&db, |tx| both(tx, 1));
        assert!(matches!(refused, Err(StoreError::Unconfirmed { confirmed: 1, removed: 2 })), "{refused:?}");
        assert_eq!(count(&db), 2);
        act(&db, |tx| both(tx, 2)).unwrap();
        assert_eq!(count(&db), 0);
        let events = db.read(|tx| events::read_by_number(tx, NUMBERS[0], 10)).unwrap();
        let last = events.last().unwrap();
        assert_eq!((last.reason.as_deref(), last.warrant.as_deref()), (Some("asked by phone"), Some("confirmed")));
        let again = act(&db, |tx| opt_outs::replace(tx, &record(NUMBERS[0])));
        again.unwrap();
        let closed = act(&db, |tx| Ok(tx.conn().execute_batch("DELETE FROM opt_outs")?));
        assert!(closed.is_err(), "the door is closed behind whoever went through it");
    }
}
