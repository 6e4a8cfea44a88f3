//! Lists the records that the service refused, and lets the user fix them and send them again.

use roost_model::id::ContactId;
use roost_ops::{By, StoreError, contact};
use roost_reconcile::{Row, row::Field};
use roost_store::{
    tables::sync::{
        Place,
        changes::{self, Touched},
        runs as kept,
        screens::runs as found,
    },
    tx::ReadTx,
};

use super::super::{
    Answer, RecordKey, Refusal, RefusedFault, RefusedPage, RefusedRow, Session, SyncNoun, SyncValue,
    changes::field_of,
    titles::{self, Fields},
};
use crate::{cells, decide};

impl Session {
    /// Returns a page of the records that the service refused and that have not been sent again.
    pub fn refused(&self, from: u32, count: u32) -> Answer<RefusedPage> {
        self.read(|tx| {
            let all = kept::quarantine::<i64>(tx, Place::Contacts)?;
            let fields = Fields::of(tx)?;
            let page = all.iter().skip(from as usize).take(count as usize);
            let rows = page.map(|one| refused(tx, &fields, one)).collect::<Result<_, StoreError>>()?;
            Ok(RefusedPage { total: all.len() as u64, rows })
        })
    }

    /// Corrects a value of a refused record. The next plan sends it.
    pub fn mend(&self, by: &By, key: &RecordKey, field: &str, value: Option<&str>) -> Answer<()> {
        let id = key.number().filter(|_| key.noun == SyncNoun::Contact).ok_or(Refusal::Unknown)?;
        let field = field_of(field)?;
        let uid = self.read(|tx| Ok(found::contact_uid(tx, id)?))?;
        let uid = uid.and_then(|uid| ContactId::parse(&uid).ok()).ok_or(Refusal::Unknown)?;
        let value = value.map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned);
        let values = std::iter::once((field.name().into_owned(), value)).collect();
        contact::update(self.core(), by, &uid, &values, None)?;
        Ok(())
    }

    /// Allows refused records to be sent again unchanged.
    pub fn resend(&self, keys: &[RecordKey]) -> Answer<u64> {
        let mut count = 0;
        for id in keys.iter().filter(|key| key.noun == SyncNoun::Contact).filter_map(RecordKey::number) {
            decide::resend(self.core(), id)?;
            count += 1;
        }
        self.moved();
        Ok(count)
    }
}

fn refused(tx: &ReadTx, fields: &Fields, one: &kept::Refused<i64>) -> Result<RefusedRow, StoreError> {
    let known: Touched<i64> = changes::one(tx, Place::Contacts, one.id)?;
    let text = known.local.clone().unwrap_or_default();
    let row: Row = cells::row(&text);
    let value = |(field, text): (Field, &str)| {
        let name = field.name().into_owned();
        SyncValue { title: fields.title(&name), field: name, value: Some(text.to_owned()) }
    };
    let words: Vec<String> = serde_json::from_str(&one.faults).unwrap_or_default();
    let list = match known.list {
        Some(list) => titles::list(tx, list)?,
        None => None,
    };
    Ok(RefusedRow {
        key: RecordKey::of(SyncNoun::Contact, one.id),
        uid: found::contact_uid(tx, one.id)?,
        title: titles::contact(if text.is_empty() { &one.cells } else { &text }),
        list,
        run: one.run,
        values: row.iter().map(value).collect(),
        faults: words.iter().map(|words| fault(words)).collect(),
        is_mended: text != one.cells,
    })
}

/// Splits a sentence of the engine, which names the field first if it knows one, and ends with the advice.
fn fault(words: &str) -> RefusedFault {
    let first = words.split([' ', ':']).next().and_then(Field::parse);
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
    fn a_sentence_is_told_as_its_field_what_is_wrong_and_what_to_do() {
        for (words, field, message, advice) in [
            (
                "city may have 50 characters at most: “size must be between 1 and 50”. Shorten it.",
                Some("city"),
                "city may have 50 characters at most: “size must be between 1 and 50”.",
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
            let told = fault(words);
            assert_eq!((told.field.as_deref(), &*told.message, &*told.advice), (field, message, advice));
        }
    }
}
