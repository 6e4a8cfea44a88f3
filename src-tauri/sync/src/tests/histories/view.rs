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
    contact::{self, Part},
    list, sender, short_link,
};
use roost_reconcile::{
    plan::{StepKind, Subject, plan},
    schedule::State,
};
use roost_store::{
    row_changes::records,
    tables::{
        lists, opt_outs,
        steps::{self, StepState},
        sync::{Place, changes, ids, local, runs},
    },
    tx::ReadTx,
};
use roost_world::{Account, PendingWork, Question, Row, Values};

use serde_json::Value;

use super::seam::Stage;
use crate::{
    apply,
    gather::{self, Standing},
};

/// The rows that were shown once, by kind and key, with the keys of their rows in the account.
#[derive(Default)]
pub struct Shown(BTreeMap<(&'static str, String), (Value, Row)>);

impl Shown {
    /// Returns the step in the trash that deleted a record of this kind.
    pub fn deleted_alone(&self, core: &Core, noun: Noun, key: &str) -> Option<i64> {
        let kind = KINDS.iter().find(|(_, own, _)| *own == noun)?.0;
        let (id, _) = self.0.get(&(kind, key.to_owned()))?;
        let step = deleted_by(core, noun, id)?;
        (step.trash == Some(noun)).then_some(step.id)
    }
}

const KINDS: [(&str, Noun, Option<Place>); 4] = [
    ("contact", Noun::Contact, Some(Place::Contacts)),
    ("list", Noun::List, Some(Place::Lists)),
    ("link", Noun::ShortLink, Some(Place::ShortLinks)),
    ("sender", Noun::Sender, None),
];

const PAGE: PageRequest = PageRequest { number: 1, size: 100 };

pub fn lists_of(core: &Core) -> Vec<roost_model::list::List> {
    let query = list::ListQuery {
        name: None,
        sort: roost_model::list::ListSort::CreatedAt,
        order: SortOrder::Ascending,
        page: PAGE,
    };
    list::page(core, &query).expect("lists").items
}

fn remote(tx: &ReadTx, place: Place, id: i64) -> Option<String> {
    let known = changes::one::<i64>(tx, place, id).expect("read");
    known.uid.filter(|_| known.base.is_some())
}

fn values(pairs: &[(&str, &str)]) -> Values {
    let filled = pairs.iter().filter(|(_, text)| !text.is_empty());
    filled.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// Returns the account as it is shown now. It is read again only after a commit.
pub fn account(stage: &mut Stage) -> Arc<Account> {
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

fn read_account(stage: &mut Stage) -> Account {
    let core = stage.core.clone();
    let mut account = Account::default();
    for list in lists_of(&core) {
        let uid = core.read(|tx| {
            let row = lists::row_of(tx, &list.uid)?.expect("a row").number();
            Ok::<_, Error>(remote(tx, Place::Lists, row))
        });
        account.contacts.extend(contacts(&core, &list.uid));
        let (key, uid, values) = (list.uid.to_string(), uid.expect("read"), values(&[("name", &list.name)]));
        account.lists.push(Row { key, uid, list_key: None, values });
    }
    for link in
        short_link::search(&core, &short_link::LinkQuery { page: PAGE, ..Default::default() }).expect("links").items
    {
        let uid = core.read(|tx| {
            let row = roost_store::tables::short_links::get(tx, &link.link_id)?.expect("a row").0.number();
            Ok::<_, Error>(remote(tx, Place::ShortLinks, row))
        });
        let values = values(&[("title", &link.title), ("target_url", &link.target_url)]);
        account.links.push(Row { key: link.link_id.to_string(), uid: uid.expect("read"), list_key: None, values });
    }
    for sender in sender::page(&core, PAGE).expect("senders").items {
        let key = sender.id.to_string();
        let row = Row { uid: Some(key.clone()), key, list_key: None, values: values(&[("name", &sender.name)]) };
        account.senders.push(row);
    }
    core.read(|tx| {
        stops(tx, &mut account)?;
        Ok::<_, Error>(())
    })
    .expect("read");
    questions(stage, &core, &mut account);
    trash(stage, &core, &mut account);
    account
}

fn contacts(core: &Core, list: &ListId) -> Vec<Row> {
    let mut found = Vec::new();
    let query = contact::ContactQuery { list: list.clone(), search: None, page: None };
    contact::query(core, &query, &mut |part| {
        if let Part::Contact(contact) = part {
            let mut row = Row { key: contact.uid.to_string(), list_key: Some(list.to_string()), ..Row::default() };
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
            for (at, text) in contact.custom.iter().enumerate() {
                put(&format!("field_{}", at + 1), text.as_deref());
            }
            found.push(row);
        }
        ControlFlow::Continue(())
    })
    .expect("contacts");
    core.read(|tx| {
        for row in &mut found {
            let id = ids::find_own(tx, Place::Contacts, &row.key)?;
            row.uid = id.and_then(|id| remote(tx, Place::Contacts, id));
        }
        Ok::<_, Error>(found)
    })
    .expect("read")
}

/// Adds the opt-outs, the waiting removals, and the numbers that may be messaged.
fn stops(tx: &ReadTx, account: &mut Account) -> Result<(), Error> {
    opt_outs::each(tx, |record| {
        let asset = match &record.scope {
            roost_model::opt_out::Scope::Account => String::new(),
            roost_model::opt_out::Scope::Asset(id) => id.to_string(),
        };
        let standing = Standing { number: record.number.clone(), channel: record.channel, scope: asset.clone() };
        let values = values(&[
            ("number", &record.number),
            ("channel", record.channel.as_str()),
            ("asset", &asset),
            ("kind", record.kind.as_str()),
        ]);
        account.opt_outs.push(Row { key: standing.id(), uid: None, list_key: None, values });
        Ok::<_, Error>(())
    })?;
    for one in changes::all::<String>(tx, Place::OptOuts)? {
        let (Some(standing), Some(_), None) = (Standing::parse(&one.id), &one.base, &one.local) else { continue };
        if local::evidence(tx, &standing.number, standing.channel.as_str(), &standing.scope)?.is_some() {
            let values = values(&[
                ("number", &standing.number),
                ("channel", standing.channel.as_str()),
                ("asset", &standing.scope),
                ("removal", "pending"),
            ]);
            account.opt_outs.push(Row { key: one.id, uid: None, list_key: None, values });
        }
    }
    for contact in &account.contacts {
        for (field, channel) in [("phone_number", Channel::Sms), ("whatsapp_id", Channel::WhatsApp)] {
            let Some(number) = contact.values.get(field) else { continue };
            if opt_outs::scopes(tx, number, channel)?.is_empty() {
                account.reachable.push((channel.as_str().to_owned(), number.clone()));
            }
        }
    }
    Ok(())
}

fn questions(stage: &Stage, core: &Core, account: &mut Account) {
    let told = core.read(|tx| {
        let made = plan(gather::input(tx)?);
        let mut told: Vec<(Vec<String>, String)> = Vec::new();
        for conflict in &made.conflicts {
            told.push((subjects(tx, &conflict.subject)?, format!("{:?}", conflict.disputed)));
        }
        for blocked in &made.blocked {
            told.push((subjects(tx, &blocked.subject)?, format!("{:?}", blocked.obstacle)));
        }
        for (subject, note) in &made.notes {
            told.push((subjects(tx, subject)?, format!("{note:?}")));
        }
        for one in &made.quarantine {
            let subject = Subject::Contact { id: one.id, list: one.list };
            told.push((subjects(tx, &subject)?, format!("{:?}", one.faults)));
        }
        for one in runs::quarantine(tx, Place::Contacts)? {
            let subject = Subject::Contact { id: one.id, list: 0 };
            told.push((subjects(tx, &subject)?, one.faults));
        }
        // The push prints what was refused, and its run shows it.
        for run in runs::runs(tx, 1_000)? {
            for refused in runs::steps_in_state(tx, run.id, &apply::spelt(State::Rejected))? {
                let kind = crate::plan::read_body(refused.step, &refused.body).map(|step| step.kind);
                if let (Some(StepKind::OptOutDelete { numbers, .. }), Some(why)) = (kind, refused.why) {
                    told.push((numbers, why));
                }
            }
        }
        // A sender cannot be created from here, and the review says so.
        for one in changes::all::<String>(tx, Place::Senders)?.into_iter().filter(|one| one.base.is_none()) {
            told.push((vec![one.id], "It is here alone.".to_owned()));
        }
        let mut waiting = made.steps.iter().map(|step| format!("{:?}", step.kind)).collect::<Vec<_>>();
        for one in changes::all::<i64>(tx, Place::Contacts)?.into_iter().filter(|one| one.base != one.local) {
            let (Some(base), Some(local)) = (one.base, one.local) else { continue };
            if crate::cells::row(&base) == crate::cells::row(&local) {
                waiting.push(format!("{base} counts as changed into {local}"));
            }
        }
        Ok::<_, Error>((told, waiting))
    });
    let (told, waiting) = told.expect("read");
    let question = |(subjects, reason): (Vec<String>, String)| Question { kind: "plan".to_owned(), subjects, reason };
    account.questions.extend(told.into_iter().map(question));
    if stage.doubtful {
        let reason = "The last pull left something in doubt.".to_owned();
        account.questions.push(Question { kind: "doubt".to_owned(), subjects: Vec::new(), reason });
    }
    account.pending.extend(waiting.into_iter().map(|what| PendingWork { subject: String::new(), what }));
}

/// Returns the local keys and numbers of the records in a line of a plan.
fn subjects(tx: &ReadTx, subject: &Subject) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    let mut put = |place: Place, id: i64| -> Result<(), Error> {
        let known = changes::one::<i64>(tx, place, id)?;
        found.extend(ids::own_uid(tx, place, id)?);
        found.extend(known.uid.clone());
        for text in [&known.base, &known.local].into_iter().flatten() {
            for name in ["phone_number", "whatsapp_number", "name", "title"] {
                found.extend(Some(crate::cells::text(text, name)).filter(|text| !text.is_empty()));
            }
        }
        Ok(())
    };
    match subject {
        Subject::Contact { id, .. } => put(Place::Contacts, *id)?,
        Subject::List { id } => put(Place::Lists, *id)?,
        Subject::Link { id } => put(Place::ShortLinks, *id)?,
        Subject::OptOut { number, .. } => found.push(number.clone()),
        Subject::Sender { uid } => found.push(uid.clone()),
    }
    Ok(found)
}

/// Adds the rows that were shown, are shown no longer, and can be restored from the trash.
fn trash(stage: &mut Stage, core: &Core, account: &mut Account) {
    let mut gone = Vec::new();
    for (kind, noun, place) in KINDS {
        let rows = match noun {
            Noun::Contact => &account.contacts,
            Noun::List => &account.lists,
            Noun::ShortLink => &account.links,
            _ => &account.senders,
        };
        for row in rows {
            let id = match place {
                Some(place) => {
                    core.read(|tx| Ok::<_, Error>(ids::find_own(tx, place, &row.key)?)).expect("read").map(Value::from)
                }
                None => Some(Value::from(row.key.clone())),
            };
            if let Some(id) = id {
                stage.shown.0.insert((kind, row.key.clone()), (id, row.clone()));
            }
        }
        for ((own, key), (id, row)) in &stage.shown.0 {
            if *own == kind && !rows.iter().any(|row| row.key == *key) && deleted_by(core, noun, id).is_some() {
                let mut row = row.clone();
                row.values.insert("kind".to_owned(), kind.to_owned());
                gone.push(row);
            }
        }
    }
    account.trash = gone;
}

/// Returns the step that last deleted a record, while it is in the trash.
fn deleted_by(core: &Core, noun: Noun, id: &Value) -> Option<steps::Step> {
    core.read(|tx| {
        let step = match id {
            Value::Number(id) => records::deleted_by(tx, noun, &id.as_i64())?,
            other => records::deleted_by(tx, noun, &other.as_str())?,
        };
        let step = step.map_or(Ok(None), |step| steps::get(tx, step))?;
        Ok::<_, Error>(step.filter(|step| step.trash.is_some() && step.rows.is_some() && step.state == StepState::Done))
    })
    .expect("read")
}
