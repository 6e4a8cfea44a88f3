//! Converts what the engine shows of its account for the world's judge.

use std::{collections::BTreeMap, ops::ControlFlow, sync::Arc};

use roost_model::{
    channel::Channel,
    contact::Attribute,
    id::ListId,
    page::{PageRequest, SortOrder},
};
use roost_ops::{
    Core, Error, Noun,
    contact::{self, QueryPart},
    list, sender, short_link,
};
use roost_reconcile::{
    plan::{PlanSubject, StepKind, make_plan},
    schedule::PlanStepState,
};
use roost_store::{
    row_changes::records,
    tables::{
        lists, opt_outs,
        steps::{self, StepState},
        sync::{SyncedTable, changes, ids, local, runs},
    },
    tx::ReadTx,
};
use roost_world::{AccountRow, AccountState, FieldTexts, OpenQuestion, PendingWork, UnsentChange};

use serde_json::Value;

use super::seam::WorldStage;
use crate::gather::{self, OptOutRecordKey};

/// The rows that were shown once, by kind and key, with the keys of their rows in the account.
#[derive(Default)]
pub(super) struct ShownRows(BTreeMap<(&'static str, String), (Value, AccountRow)>);

impl ShownRows {
    /// Returns the step in the trash that deleted a record of this kind.
    pub(super) fn find_deletion_step(&self, core: &Core, noun: Noun, key: &str) -> Option<i64> {
        let kind = KINDS.iter().find(|(_, own, _)| *own == noun)?.0;
        let (id, _) = self.0.get(&(kind, key.to_owned()))?;
        let step = find_last_deletion(core, noun, id)?;
        (step.trash == Some(noun)).then_some(step.id)
    }
}

const KINDS: [(&str, Noun, Option<SyncedTable>); 4] = [
    ("contact", Noun::Contact, Some(SyncedTable::Contacts)),
    ("list", Noun::List, Some(SyncedTable::Lists)),
    ("link", Noun::ShortLink, Some(SyncedTable::ShortLinks)),
    ("sender", Noun::Sender, None),
];

const PAGE: PageRequest = PageRequest { number: 1, size: 100 };

pub(super) fn read_lists(core: &Core) -> Vec<roost_model::list::List> {
    let query = list::ListQuery {
        name: None,
        sort: roost_model::list::ListSort::CreatedAt,
        order: SortOrder::Ascending,
        page: PAGE,
    };
    list::read_page(core, &query).expect("lists").items
}

fn find_remote_uid(tx: &ReadTx, place: SyncedTable, id: i64) -> Option<String> {
    let known = changes::read_record::<i64>(tx, place, id).expect("read");
    known.uid.filter(|_| known.base.is_some())
}

fn to_values(pairs: &[(&str, &str)]) -> FieldTexts {
    let filled = pairs.iter().filter(|(_, text)| !text.is_empty());
    filled.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// Returns the account as it is shown now. It is read again only after a commit.
pub(super) fn current_account(stage: &mut WorldStage) -> Arc<AccountState> {
    let state = (stage.core.generation(), stage.doubtful);
    if let Some((read_in, account)) = &stage.account
        && *read_in == state
    {
        return account.clone();
    }
    let account = Arc::new(read_account(stage));
    stage.account = Some((state, account.clone()));
    account
}

fn read_account(stage: &mut WorldStage) -> AccountState {
    let core = stage.core.clone();
    let mut account = AccountState::default();
    for list in read_lists(&core) {
        let uid = core.read(|tx| {
            let row = lists::row_of(tx, &list.uid)?.expect("a row").number();
            Ok::<_, Error>(find_remote_uid(tx, SyncedTable::Lists, row))
        });
        account.contacts.extend(read_contacts(&core, &list.uid));
        let (key, uid, values) = (list.uid.to_string(), uid.expect("read"), to_values(&[("name", &list.name)]));
        account.lists.push(AccountRow { key, uid, list_key: None, values });
    }
    for link in
        short_link::search(&core, &short_link::LinkQuery { page: PAGE, ..Default::default() }).expect("links").items
    {
        let uid = core.read(|tx| {
            let row = roost_store::tables::short_links::get(tx, &link.link_id)?.expect("a row").0.number();
            Ok::<_, Error>(find_remote_uid(tx, SyncedTable::ShortLinks, row))
        });
        let values = to_values(&[("title", &link.title), ("target_url", &link.target_url)]);
        account.links.push(AccountRow {
            key: link.link_id.to_string(),
            uid: uid.expect("read"),
            list_key: None,
            values,
        });
    }
    for sender in sender::read_page(&core, PAGE).expect("senders").items {
        let key = sender.id.to_string();
        let row =
            AccountRow { uid: Some(key.clone()), key, list_key: None, values: to_values(&[("name", &sender.name)]) };
        account.senders.push(row);
    }
    core.read(|tx| {
        read_opt_outs(tx, &mut account)?;
        Ok::<_, Error>(())
    })
    .expect("read");
    read_questions(stage, &core, &mut account);
    read_trash(stage, &core, &mut account);
    core.read(|tx| read_unsent(tx, &mut account)).expect("read");
    account
}

/// Adds the rows that count as changed here, whether a plan sends them or not.
fn read_unsent(tx: &ReadTx, account: &mut AccountState) -> Result<(), Error> {
    account.has_open_run = runs::find_open_run(tx)?.is_some();
    let what = |base: &Option<String>, local: &Option<String>| format!("{base:?} became {local:?}");
    for (kind, _, place) in KINDS {
        let Some(place) = place else { continue };
        for one in changes::read_all::<i64>(tx, place)? {
            if one.base != one.local || one.was_in.is_some() {
                let what = what(&one.base, &one.local);
                let subjects = ids::own_uid(tx, place, one.id)?.into_iter().chain(one.uid).collect();
                account.unsent.push(UnsentChange { kind: kind.to_owned(), subjects, what });
            }
        }
    }
    for (kind, place) in [("sender", SyncedTable::Senders), ("opt-out", SyncedTable::OptOuts)] {
        for one in changes::read_all::<String>(tx, place)?.into_iter().filter(|one| one.base != one.local) {
            let number = OptOutRecordKey::parse(&one.id).map(|key| key.number);
            let what = what(&one.base, &one.local);
            let subjects = std::iter::once(one.id).chain(number).collect();
            account.unsent.push(UnsentChange { kind: kind.to_owned(), subjects, what });
        }
    }
    Ok(())
}

fn read_contacts(core: &Core, list: &ListId) -> Vec<AccountRow> {
    let mut found = Vec::new();
    let numbers = roost_ops::custom_field::numbers(core).expect("fields");
    let query = contact::ContactQuery { list: list.clone(), search: None, page: None };
    contact::visit_contacts(core, &query, &mut |part| {
        if let QueryPart::Contact(contact) = part {
            let mut row =
                AccountRow { key: contact.uid.to_string(), list_key: Some(list.to_string()), ..AccountRow::default() };
            let mut put = |name: &str, text: Option<&str>| {
                if let Some(text) = text.filter(|text| !text.is_empty()) {
                    row.values.insert(name.to_owned(), text.to_owned());
                }
            };
            put("phone_number", contact.phone.as_ref().map(|number| number.e164.as_str()));
            put("whatsapp_id", contact.whatsapp.as_ref().map(|number| number.e164.as_str()));
            for attribute in Attribute::ALL {
                put(attribute.name(), contact.attribute(attribute));
            }
            for (number, text) in numbers.iter().zip(&contact.custom) {
                put(&format!("field_{number}"), text.as_deref());
            }
            found.push(row);
        }
        ControlFlow::Continue(())
    })
    .expect("contacts");
    core.read(|tx| {
        for row in &mut found {
            let id = ids::find_by_own_uid(tx, SyncedTable::Contacts, &row.key)?;
            row.uid = id.and_then(|id| find_remote_uid(tx, SyncedTable::Contacts, id));
        }
        Ok::<_, Error>(found)
    })
    .expect("read")
}

/// Adds the opt-outs, the waiting removals, and the numbers that may be messaged.
fn read_opt_outs(tx: &ReadTx, account: &mut AccountState) -> Result<(), Error> {
    opt_outs::visit_all(tx, |record| {
        let asset = match &record.scope {
            roost_model::opt_out::OptOutRecordScope::Account => String::new(),
            roost_model::opt_out::OptOutRecordScope::Asset(id) => id.to_string(),
        };
        let opt_out_key =
            OptOutRecordKey { number: record.number.clone(), channel: record.channel, scope: asset.clone() };
        let values = to_values(&[
            ("number", &record.number),
            ("channel", record.channel.as_str()),
            ("asset", &asset),
            ("kind", record.kind.as_str()),
        ]);
        account.opt_outs.push(AccountRow { key: opt_out_key.id(), uid: None, list_key: None, values });
        Ok::<_, Error>(())
    })?;
    for one in changes::read_all::<String>(tx, SyncedTable::OptOuts)? {
        let (Some(opt_out_key), Some(_), None) = (OptOutRecordKey::parse(&one.id), &one.base, &one.local) else {
            continue;
        };
        if local::find_removal_event(tx, &opt_out_key.number, opt_out_key.channel.as_str(), &opt_out_key.scope)?
            .is_some()
        {
            let values = to_values(&[
                ("number", &opt_out_key.number),
                ("channel", opt_out_key.channel.as_str()),
                ("asset", &opt_out_key.scope),
                ("removal", "pending"),
            ]);
            account.opt_outs.push(AccountRow { key: one.id, uid: None, list_key: None, values });
        }
    }
    for contact in &account.contacts {
        for (field, channel) in [("phone_number", Channel::Sms), ("whatsapp_id", Channel::WhatsApp)] {
            let Some(number) = contact.values.get(field) else { continue };
            if opt_outs::read_scopes(tx, number, channel)?.is_empty() {
                account.reachable.push((channel.as_str().to_owned(), number.clone()));
            }
        }
    }
    Ok(())
}

fn read_questions(stage: &WorldStage, core: &Core, account: &mut AccountState) {
    let questions = core.read(|tx| {
        let made = make_plan(gather::gather_input(tx)?);
        let mut questions: Vec<(Vec<String>, String)> = Vec::new();
        for conflict in &made.conflicts {
            questions.push((subject_keys(tx, &conflict.subject)?, format!("{:?}", conflict.disputed)));
        }
        for blocked in &made.blocked {
            questions.push((subject_keys(tx, &blocked.subject)?, format!("{:?}", blocked.obstacle)));
        }
        for (subject, note) in &made.notes {
            questions.push((subject_keys(tx, subject)?, format!("{note:?}")));
        }
        for one in &made.quarantine {
            let subject = PlanSubject::Contact { id: one.id, list: one.list };
            questions.push((subject_keys(tx, &subject)?, format!("{:?}", one.faults)));
        }
        for one in runs::read_refused(tx, SyncedTable::Contacts)? {
            let subject = PlanSubject::Contact { id: one.id, list: 0 };
            questions.push((subject_keys(tx, &subject)?, one.faults));
        }
        // The push prints what was refused, and its run shows it.
        for run in runs::read_runs(tx, 1_000)? {
            for refused in runs::steps_in_state(tx, run.id, &gather::state_text(PlanStepState::Rejected))? {
                let kind = crate::gather::parse_step(refused.step, &refused.body).map(|step| step.kind);
                if let (Some(StepKind::OptOutDelete { numbers, .. }), Some(why)) = (kind, refused.why) {
                    questions.push((numbers, why));
                }
            }
        }
        // A sender cannot be created from here, and the review says so.
        for one in changes::read_all::<String>(tx, SyncedTable::Senders)?.into_iter().filter(|one| one.base.is_none()) {
            questions.push((vec![one.id], "It is here alone.".to_owned()));
        }
        let mut waiting = made.steps.iter().map(|step| format!("{:?}", step.kind)).collect::<Vec<_>>();
        for one in changes::read_all::<i64>(tx, SyncedTable::Contacts)?.into_iter().filter(|one| one.base != one.local)
        {
            let (Some(base), Some(local)) = (one.base, one.local) else { continue };
            if crate::cells::parse_row(&base) == crate::cells::parse_row(&local) {
                waiting.push(format!("{base} counts as changed into {local}"));
            }
        }
        Ok::<_, Error>((questions, waiting))
    });
    let (questions, waiting) = questions.expect("read");
    let question =
        |(subjects, reason): (Vec<String>, String)| OpenQuestion { kind: "plan".to_owned(), subjects, reason };
    account.questions.extend(questions.into_iter().map(question));
    if stage.doubtful {
        let reason = "The last pull left something in doubt.".to_owned();
        account.questions.push(OpenQuestion { kind: "doubt".to_owned(), subjects: Vec::new(), reason });
    }
    account.pending.extend(waiting.into_iter().map(|what| PendingWork { subject: String::new(), what }));
}

/// Returns the local keys and numbers of the records in a line of a plan.
fn subject_keys(tx: &ReadTx, subject: &PlanSubject) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    let mut put = |place: SyncedTable, id: i64| -> Result<(), Error> {
        let known = changes::read_record::<i64>(tx, place, id)?;
        found.extend(ids::own_uid(tx, place, id)?);
        found.extend(known.uid.clone());
        for text in [&known.base, &known.local].into_iter().flatten() {
            for name in ["phone_number", "whatsapp_number", "name", "title"] {
                found.extend(Some(crate::cells::cell_text(text, name)).filter(|text| !text.is_empty()));
            }
        }
        Ok(())
    };
    match subject {
        PlanSubject::Contact { id, .. } => put(SyncedTable::Contacts, *id)?,
        PlanSubject::List { id } => put(SyncedTable::Lists, *id)?,
        PlanSubject::Link { id } => put(SyncedTable::ShortLinks, *id)?,
        PlanSubject::OptOut { number, .. } => found.push(number.clone()),
        PlanSubject::Sender { uid } => found.push(uid.clone()),
    }
    Ok(found)
}

/// Adds the rows that were shown, are shown no longer, and can be restored from the trash.
fn read_trash(stage: &mut WorldStage, core: &Core, account: &mut AccountState) {
    let mut deleted = Vec::new();
    for (kind, noun, place) in KINDS {
        let rows = match noun {
            Noun::Contact => &account.contacts,
            Noun::List => &account.lists,
            Noun::ShortLink => &account.links,
            _ => &account.senders,
        };
        for row in rows {
            let id = match place {
                Some(place) => core
                    .read(|tx| Ok::<_, Error>(ids::find_by_own_uid(tx, place, &row.key)?))
                    .expect("read")
                    .map(Value::from),
                None => Some(Value::from(row.key.clone())),
            };
            if let Some(id) = id {
                stage.shown.0.insert((kind, row.key.clone()), (id, row.clone()));
            }
        }
        for ((own, key), (id, row)) in &stage.shown.0 {
            if *own == kind && !rows.iter().any(|row| row.key == *key) && find_last_deletion(core, noun, id).is_some() {
                let mut row = row.clone();
                row.values.insert("kind".to_owned(), kind.to_owned());
                deleted.push(row);
            }
        }
    }
    account.trash = deleted;
}

/// Returns the step that last deleted a record, while it is in the trash.
fn find_last_deletion(core: &Core, noun: Noun, id: &Value) -> Option<steps::UndoStep> {
    core.read(|tx| {
        let step = match id {
            Value::Number(id) => records::deleting_step(tx, noun, &id.as_i64())?,
            other => records::deleting_step(tx, noun, &other.as_str())?,
        };
        let step = step.map_or(Ok(None), |step| steps::get(tx, step))?;
        Ok::<_, Error>(step.filter(|step| step.trash.is_some() && step.rows.is_some() && step.state == StepState::Done))
    })
    .expect("read")
}
