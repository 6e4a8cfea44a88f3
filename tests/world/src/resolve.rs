//! Resolves an abstract act to an intention on the rows that are shown.

use crate::account::{Account, Deed, ImportRow, Intention, Row, Values};
use crate::kinds::PersonActKind;
use crate::script::PersonAct;

/// The contact fields that the person and other writers edit.
pub(crate) const EDITED_FIELDS: [&str; 5] = ["firstname", "city", "field_1", "company_name", "field_2"];

/// Returns a number from the range reserved for fiction. 800 of them are in use.
pub(crate) fn make_number(index: u16) -> String {
    format!("+447700900{:03}", index % 1000)
}

/// Returns a row by its index, which wraps around.
fn nth(rows: &[Row], index: u16) -> Option<&Row> {
    rows.get(usize::from(index).checked_rem(rows.len())?)
}

fn nth_trashed<'a>(account: &'a Account, kind: &str, index: u16) -> Option<&'a Row> {
    let of_kind = |row: &&Row| row.values.get("kind").is_some_and(|own| own == kind);
    let count = account.trash.iter().filter(of_kind).count();
    account.trash.iter().filter(of_kind).nth(usize::from(index).checked_rem(count)?)
}

fn edited_field(index: u16) -> &'static str {
    EDITED_FIELDS.get(usize::from(index) % EDITED_FIELDS.len()).copied().unwrap_or("city")
}

fn contact_values(act: &PersonAct, offset: u16) -> Values {
    let mut values = Values::new();
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

fn resolve_contact(act: &PersonAct, account: &Account) -> Option<Deed> {
    let row = nth(&account.contacts, act.row);
    Some(match act.kind {
        PersonActKind::AddContact => {
            Deed::AddContact { list_key: nth(&account.lists, act.row)?.key.clone(), values: contact_values(act, 0) }
        }
        PersonActKind::EditContact => Deed::EditContact {
            key: row?.key.clone(),
            changes: vec![(edited_field(act.other).to_owned(), Some(format!("p{}", act.value)))],
        },
        PersonActKind::ClearField => {
            let row = row?;
            let filled = |field: &&&str| row.values.get(**field).is_some_and(|text| !text.is_empty());
            let field = EDITED_FIELDS.iter().find(filled)?;
            Deed::EditContact { key: row.key.clone(), changes: vec![((*field).to_owned(), None)] }
        }
        PersonActKind::ChangeNumber => {
            let row = row?;
            let has_phone = row.values.get("phone_number").is_some_and(|text| !text.is_empty());
            let field = if has_phone { "phone_number" } else { "whatsapp_id" };
            let number = make_number(act.value % 400);
            Deed::EditContact { key: row.key.clone(), changes: vec![(field.to_owned(), Some(number))] }
        }
        PersonActKind::MoveContact => {
            let row = row?;
            let list = nth(&account.lists, act.other)?;
            if row.list_key.as_ref() == Some(&list.key) {
                return None;
            }
            Deed::MoveContact { key: row.key.clone(), list_key: list.key.clone() }
        }
        PersonActKind::DeleteContact => Deed::DeleteContact { key: row?.key.clone() },
        PersonActKind::RestoreContact => {
            Deed::RestoreContact { key: nth_trashed(account, "contact", act.row)?.key.clone() }
        }
        PersonActKind::ImportRows => Deed::ImportRows {
            list_key: nth(&account.lists, act.row)?.key.clone(),
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

fn resolve_opt_out(act: &PersonAct, account: &Account, assets: &[(String, String)]) -> Option<Deed> {
    let text = |row: &Row, name: &str| row.values.get(name).filter(|text| !text.is_empty()).cloned();
    if act.kind == PersonActKind::AddOptOut {
        let known = nth(&account.contacts, act.row)
            .and_then(|row| text(row, "phone_number").or_else(|| text(row, "whatsapp_id")));
        let channel = if act.other % 3 == 2 { "WHATSAPP" } else { "SMS" };
        let asset = assets.iter().find(|(_, own)| own == channel && act.other == 6);
        return Some(Deed::AddOptOut {
            number: known.unwrap_or_else(|| make_number(act.value)),
            channel: channel.to_owned(),
            asset: asset.map(|(uid, _)| uid.clone()),
        });
    }
    let waiting = act.kind == PersonActKind::CancelRemoval;
    let rows: Vec<&Row> = account
        .opt_outs
        .iter()
        .filter(|row| (row.values.get("removal").is_some_and(|text| text == "pending")) == waiting)
        .filter(|row| text(row, "number").is_some())
        .collect();
    let row = rows.get(usize::from(act.row).checked_rem(rows.len())?)?;
    let (key, number) = (row.key.clone(), text(row, "number")?);
    let (channel, asset) = (text(row, "channel")?, text(row, "asset"));
    Some(if waiting {
        Deed::CancelRemoval { key, number, channel, asset }
    } else {
        let reason = format!("consent form {}", act.value);
        Deed::RemoveOptOut { key, number, channel, asset, reason, all_scopes: false }
    })
}

fn resolve_other(act: &PersonAct, account: &Account) -> Option<Deed> {
    Some(match act.kind {
        PersonActKind::AddList => Deed::AddList { name: format!("List p{}", act.value) },
        PersonActKind::RenameList => {
            Deed::RenameList { key: nth(&account.lists, act.row)?.key.clone(), name: format!("Renamed p{}", act.value) }
        }
        PersonActKind::DeleteList => Deed::DeleteList { key: nth(&account.lists, act.row)?.key.clone() },
        PersonActKind::RestoreList => Deed::RestoreList { key: nth_trashed(account, "list", act.row)?.key.clone() },
        PersonActKind::AddLink => Deed::AddLink {
            title: format!("Link p{}", act.value),
            target_url: format!("https://shop.example/p{}", act.value),
            tags: Vec::new(),
        },
        PersonActKind::DeleteLink => Deed::DeleteLink { key: nth(&account.links, act.row)?.key.clone() },
        PersonActKind::RestoreLink => Deed::RestoreLink { key: nth_trashed(account, "link", act.row)?.key.clone() },
        PersonActKind::DeleteSender => Deed::DeleteSender { key: nth(&account.senders, act.row)?.key.clone() },
        PersonActKind::RestoreSender => {
            Deed::RestoreSender { key: nth_trashed(account, "sender", act.row)?.key.clone() }
        }
        PersonActKind::Undo => Deed::Undo,
        PersonActKind::Redo => Deed::Redo,
        PersonActKind::Discard => Deed::Discard,
        PersonActKind::Pause => Deed::Pause,
        PersonActKind::Resume => Deed::Resume,
        PersonActKind::CancelRun => Deed::CancelRun,
        PersonActKind::AnswerQuestion => {
            let question = usize::from(act.row).checked_rem(account.questions.len())?;
            let subjects = account.questions.get(question)?.subjects.clone();
            Deed::AnswerQuestion { question, choice: act.other, subjects }
        }
        _ => return None,
    })
}

/// Returns the intention that an act means on this account, or `None` if it has no row to change. `assets` are the UIDs
/// and channels of the inbound assets.
pub(crate) fn resolve_act(act: &PersonAct, account: &Account, assets: &[(String, String)]) -> Option<Intention> {
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
