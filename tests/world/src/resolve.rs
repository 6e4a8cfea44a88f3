//! Resolves an abstract act to an intention on the rows that are shown.

use crate::account::{AccountRow, AccountState, FieldTexts, ImportRow, Intention, PersonDeed};
use crate::kinds::PersonActKind;
use crate::script::PersonAct;

/// The contact fields that the person and other writers edit.
pub(crate) const EDITED_FIELDS: [&str; 5] = ["firstname", "city", "field_1", "company_name", "field_2"];

/// Returns a number from the range reserved for fiction. 800 of them are in use.
pub(crate) fn make_number(index: u16) -> String {
    format!("+447700900{:03}", index % 1000)
}

/// Returns a row by its index, which wraps around.
fn pick_nth(rows: &[AccountRow], index: u16) -> Option<&AccountRow> {
    rows.get(usize::from(index).checked_rem(rows.len())?)
}

fn pick_nth_trashed<'a>(account: &'a AccountState, kind: &str, index: u16) -> Option<&'a AccountRow> {
    let of_kind = |row: &&AccountRow| row.values.get("kind").is_some_and(|own| own == kind);
    let count = account.trash.iter().filter(of_kind).count();
    account.trash.iter().filter(of_kind).nth(usize::from(index).checked_rem(count)?)
}

fn edited_field(index: u16) -> &'static str {
    EDITED_FIELDS.get(usize::from(index) % EDITED_FIELDS.len()).copied().unwrap_or("city")
}

fn contact_values(act: &PersonAct, offset: u16) -> FieldTexts {
    let mut values = FieldTexts::new();
    let number = make_number((act.value + offset) % 400);
    if act.other % 5 == 4 {
        values.insert("whatsapp_id".to_owned(), number);
    } else {
        values.insert("phone_number".to_owned(), number);
    }
    values.insert("firstname".to_owned(), format!("P{}", act.value));
    if act.other % 2 == 1 {
        values.insert("city".to_owned(), format!("C{}", act.value));
    }
    values
}

fn resolve_contact(act: &PersonAct, account: &AccountState) -> Option<PersonDeed> {
    let row = pick_nth(&account.contacts, act.row);
    Some(match act.kind {
        PersonActKind::AddContact => PersonDeed::AddContact {
            list_key: pick_nth(&account.lists, act.row)?.key.clone(),
            values: contact_values(act, 0),
        },
        PersonActKind::EditContact => PersonDeed::EditContact {
            key: row?.key.clone(),
            changes: vec![(edited_field(act.other).to_owned(), Some(format!("p{}", act.value)))],
        },
        PersonActKind::ClearField => {
            let row = row?;
            let filled = |field: &&&str| row.values.get(**field).is_some_and(|text| !text.is_empty());
            let field = EDITED_FIELDS.iter().find(filled)?;
            PersonDeed::EditContact { key: row.key.clone(), changes: vec![((*field).to_owned(), None)] }
        }
        PersonActKind::ChangeNumber => {
            let row = row?;
            let has_phone = row.values.get("phone_number").is_some_and(|text| !text.is_empty());
            let field = if has_phone { "phone_number" } else { "whatsapp_id" };
            let number = make_number(act.value % 400);
            PersonDeed::EditContact { key: row.key.clone(), changes: vec![(field.to_owned(), Some(number))] }
        }
        PersonActKind::MoveContact => {
            let row = row?;
            let list = pick_nth(&account.lists, act.other)?;
            if row.list_key.as_ref() == Some(&list.key) {
                return None;
            }
            PersonDeed::MoveContact { key: row.key.clone(), list_key: list.key.clone() }
        }
        PersonActKind::DeleteContact => PersonDeed::DeleteContact { key: row?.key.clone() },
        PersonActKind::RestoreContact => {
            PersonDeed::RestoreContact { key: pick_nth_trashed(account, "contact", act.row)?.key.clone() }
        }
        PersonActKind::ImportRows => PersonDeed::ImportRows {
            list_key: pick_nth(&account.lists, act.row)?.key.clone(),
            rows: (0..=act.other % 3)
                .map(|index| ImportRow {
                    values: contact_values(act, index * 7),
                    opt_outs: if (act.value + index).is_multiple_of(3) { vec!["SMS".to_owned()] } else { Vec::new() },
                })
                .collect(),
        },
        _ => return None,
    })
}

fn resolve_opt_out(act: &PersonAct, account: &AccountState, assets: &[(String, String)]) -> Option<PersonDeed> {
    let text = |row: &AccountRow, name: &str| row.values.get(name).filter(|text| !text.is_empty()).cloned();
    if act.kind == PersonActKind::AddOptOut {
        let known = pick_nth(&account.contacts, act.row)
            .and_then(|row| text(row, "phone_number").or_else(|| text(row, "whatsapp_id")));
        let channel = if act.other % 3 == 2 { "WHATSAPP" } else { "SMS" };
        let asset = assets.iter().find(|(_, own)| own == channel && act.other == 6);
        return Some(PersonDeed::AddOptOut {
            number: known.unwrap_or_else(|| make_number(act.value)),
            channel: channel.to_owned(),
            asset: asset.map(|(uid, _)| uid.clone()),
        });
    }
    let waiting = act.kind == PersonActKind::CancelRemoval;
    let rows: Vec<&AccountRow> = account
        .opt_outs
        .iter()
        .filter(|row| (row.values.get("removal").is_some_and(|text| text == "pending")) == waiting)
        .filter(|row| text(row, "number").is_some())
        .collect();
    let row = rows.get(usize::from(act.row).checked_rem(rows.len())?)?;
    let (key, number) = (row.key.clone(), text(row, "number")?);
    let (channel, asset) = (text(row, "channel")?, text(row, "asset"));
    Some(if waiting {
        PersonDeed::CancelRemoval { key, number, channel, asset }
    } else {
        let reason = format!("consent form {}", act.value);
        PersonDeed::RemoveOptOut { key, number, channel, asset, reason, all_scopes: false }
    })
}

fn resolve_other(act: &PersonAct, account: &AccountState) -> Option<PersonDeed> {
    Some(match act.kind {
        PersonActKind::AddList => PersonDeed::AddList { name: format!("List p{}", act.value) },
        PersonActKind::RenameList => PersonDeed::RenameList {
            key: pick_nth(&account.lists, act.row)?.key.clone(),
            name: format!("Renamed p{}", act.value),
        },
        PersonActKind::DeleteList => PersonDeed::DeleteList { key: pick_nth(&account.lists, act.row)?.key.clone() },
        PersonActKind::RestoreList => {
            PersonDeed::RestoreList { key: pick_nth_trashed(account, "list", act.row)?.key.clone() }
        }
        PersonActKind::AddLink => PersonDeed::AddLink {
            title: format!("Link p{}", act.value),
            target_url: format!("https://shop.example/p{}", act.value),
            tags: Vec::new(),
        },
        PersonActKind::DeleteLink => PersonDeed::DeleteLink { key: pick_nth(&account.links, act.row)?.key.clone() },
        PersonActKind::RestoreLink => {
            PersonDeed::RestoreLink { key: pick_nth_trashed(account, "link", act.row)?.key.clone() }
        }
        PersonActKind::DeleteSender => {
            PersonDeed::DeleteSender { key: pick_nth(&account.senders, act.row)?.key.clone() }
        }
        PersonActKind::RestoreSender => {
            PersonDeed::RestoreSender { key: pick_nth_trashed(account, "sender", act.row)?.key.clone() }
        }
        PersonActKind::Undo => PersonDeed::Undo,
        PersonActKind::Redo => PersonDeed::Redo,
        PersonActKind::Discard => PersonDeed::Discard,
        PersonActKind::Pause => PersonDeed::Pause,
        PersonActKind::Resume => PersonDeed::Resume,
        PersonActKind::CancelRun => PersonDeed::CancelRun,
        PersonActKind::AnswerQuestion => {
            let question = usize::from(act.row).checked_rem(account.questions.len())?;
            let subjects = account.questions.get(question)?.subjects.clone();
            PersonDeed::AnswerQuestion { question, choice: act.other, subjects }
        }
        _ => return None,
    })
}

/// Returns the intention that an act means on this account, or `None` if it has no row to change. `assets` are the UIDs
/// and channels of the inbound assets.
pub(crate) fn resolve_act(act: &PersonAct, account: &AccountState, assets: &[(String, String)]) -> Option<Intention> {
    let deed = match act.kind {
        PersonActKind::AddOptOut | PersonActKind::RemoveOptOut | PersonActKind::CancelRemoval => {
            resolve_opt_out(act, account, assets)
        }
        _ => resolve_contact(act, account).or_else(|| resolve_other(act, account)),
    };
    let mut intention = Intention::new(deed?);
    intention.kind = Some(act.kind);
    let kinds = [&account.lists, &account.contacts, &account.links, &account.senders, &account.trash];
    intention.known = kinds.into_iter().flatten().filter_map(|row| Some((row.key.clone(), row.uid.clone()?))).collect();
    Some(intention)
}
