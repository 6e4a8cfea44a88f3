//! Lists the records that the service refused, and lets the user fix them and send them again.

use roost_model::id::ContactId;
use roost_ops::{Actor, StoreError, contact};
use roost_reconcile::{ContactRow, row::SyncField};
use roost_store::{
    tables::sync::{
        SyncedTable,
        changes::{self, SyncChange},
        runs,
        screens::run_details,
    },
    tx::ReadTx,
};
use roost_sync::{account::cells, decide};

use crate::{
    RecordKey, RefusedFault, RefusedPage, RefusedRow, Session, SessionError, SessionResult, SyncNoun, SyncValue,
    changes::parse_field,
    titles::{self, FieldTitles},
};

impl Session {
    /// Returns a page of the records that the service refused and that have not been sent again.
    pub fn refused_page(&self, from: u32, count: u32) -> SessionResult<RefusedPage> {
        self.read(|tx| {
            let all = runs::read_refused::<i64>(tx, SyncedTable::Contacts)?;
            let fields = FieldTitles::read(tx)?;
            let page = all.iter().skip(from as usize).take(count as usize);
            let rows = page.map(|one| build_refused_row(tx, &fields, one)).collect::<Result<_, StoreError>>()?;
            Ok(RefusedPage { total: all.len() as u64, rows })
        })
    }

    /// Corrects a value of a refused record. The next plan sends it.
    pub fn fix_refused(&self, by: &Actor, key: &RecordKey, field: &str, value: Option<&str>) -> SessionResult<()> {
        let id = key.numeric_id().filter(|_| key.noun == SyncNoun::Contact).ok_or(SessionError::Unknown)?;
        let field = parse_field(field)?;
        let uid = self.read(|tx| Ok(run_details::contact_uid(tx, id)?))?;
        let uid = uid.and_then(|uid| ContactId::parse(&uid).ok()).ok_or(SessionError::Unknown)?;
        let value = value.map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned);
        let values = std::iter::once((field.name().into_owned(), value)).collect();
        contact::update(self.core(), by, &uid, &values, None)?;
        Ok(())
    }

    /// Allows refused records to be sent again unchanged.
    pub fn resend_refused(&self, keys: &[RecordKey]) -> SessionResult<u64> {
        let mut count = 0;
        for id in keys.iter().filter(|key| key.noun == SyncNoun::Contact).filter_map(RecordKey::numeric_id) {
            decide::allow_resend(self.core(), id)?;
            count += 1;
        }
        self.announce_change();
        Ok(count)
    }
}

fn build_refused_row(
    tx: &ReadTx,
    fields: &FieldTitles,
    one: &runs::RefusedRecord<i64>,
) -> Result<RefusedRow, StoreError> {
    let known: SyncChange<i64> = changes::read_record(tx, SyncedTable::Contacts, one.id)?;
    let text = known.local.clone().unwrap_or_default();
    let row: ContactRow = cells::parse_row(&text);
    let value = |(field, text): (SyncField, &str)| {
        let name = field.name().into_owned();
        SyncValue { title: fields.title(&name), field: name, value: Some(text.to_owned()) }
    };
    let words: Vec<String> = serde_json::from_str(&one.faults).unwrap_or_default();
    let list = match known.list {
        Some(list) => titles::find_list(tx, list)?,
        None => None,
    };
    Ok(RefusedRow {
        key: RecordKey::new(SyncNoun::Contact, one.id),
        uid: run_details::contact_uid(tx, one.id)?,
        title: cells::contact_title(if text.is_empty() { &one.cells } else { &text }),
        list,
        run: one.run,
        values: row.iter().map(value).collect(),
        faults: words.iter().map(|words| parse_refusal(words)).collect(),
        is_mended: text != one.cells,
    })
}

/// Splits a sentence of the engine, which names the field first if it knows one, and ends with the advice.
fn parse_refusal(words: &str) -> RefusedFault {
    let first = words.split([' ', ':']).next().and_then(SyncField::parse);
    let (message, advice) = ["”. ", "” ", ". "]
        .into_iter()
        .find_map(|end| words.split_once(end).map(|(what, then)| (format!("{what}{}", end.trim_end()), then)))
        .unwrap_or_else(|| (words.to_owned(), ""));
    RefusedFault { field: first.map(|field| field.name().into_owned()), message, advice: advice.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_split_into_its_field_the_fault_and_the_advice() {
        for (words, field, message, advice) in [
            (
                "city may have at most 50 characters: “size must be between 1 and 50”. Shorten it.",
                Some("city"),
                "city may have at most 50 characters: “size must be between 1 and 50”.",
                "Shorten it.",
            ),
            (
                "shoe: “is no field”. Correct it, then send the contact again.",
                None,
                "shoe: “is no field”.",
                "Correct it, then send the contact again.",
            ),
            ("“Invalid.” Give the contact a number.", None, "“Invalid.”", "Give the contact a number."),
            ("Refused", None, "Refused", ""),
        ] {
            let refusal = parse_refusal(words);
            assert_eq!((refusal.field.as_deref(), &*refusal.message, &*refusal.advice), (field, message, advice));
        }
    }
}
