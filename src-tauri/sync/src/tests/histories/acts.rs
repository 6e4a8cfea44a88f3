//! Applies what the person of the world does to the engine's account.

use roost_model::{
    channel::Channel,
    id::{AssetId, ContactId, LinkId, ListId, SenderId},
    opt_out::OptOutRecordScope,
    short_link::LinkParts,
};
use roost_ops::{
    Actor, Noun,
    contact::{self, ContactTarget, FieldValues},
    history, list,
    opt_out::{self, NewOptOut, RecordKey, RemovalSelection},
    sender, short_link,
};
use roost_reconcile::{
    input::{ChangeChoice, ListChoice, OptOutAnswer},
    merge::{ForkAnswer, RowAnswer},
    plan::{ConflictKind, PlanSubject, make_plan},
};
use roost_store::tables::sync::{SyncedTable, changes, runs};
use roost_world::{AccountState, FieldTexts, PersonDeed};

use super::seam::WorldStage;
use crate::{
    apply,
    decide::{self, ContactDecision, RecordKeys},
    gather::{self, OptOutRecordKey},
};

fn person() -> Actor {
    Actor::user(None)
}

fn to_field_values(values: &FieldTexts) -> FieldValues {
    values.iter().map(|(name, text)| (name.clone(), Some(text.clone()))).collect()
}

/// Performs the deed. Returns the keys of the rows that it created, or `None` if the engine refuses.
pub(super) fn perform_deed(stage: &mut WorldStage, account: &AccountState, deed: &PersonDeed) -> Option<Vec<String>> {
    let core = stage.core.clone();
    let by = person();
    let restore = |noun: Noun, key: &str| {
        let step = stage.shown.find_deletion_step(&core, noun, key)?;
        history::restore(&core, &by, step).ok().map(|_| Vec::new())
    };
    let done = |done: bool| done.then(Vec::new);
    match deed {
        PersonDeed::AddContact { list_key, values } => {
            let list = ListId::parse(list_key).ok()?;
            let card = contact::add(&core, &by, &list, &to_field_values(values), None).ok()?;
            Some(vec![card.uid.to_string()])
        }
        PersonDeed::EditContact { key, changes } => {
            let values: FieldValues = changes.iter().cloned().collect();
            done(contact::update(&core, &by, &ContactId::parse(key).ok()?, &values, None).is_ok())
        }
        PersonDeed::MoveContact { key, list_key } => {
            let target = ContactTarget::Uids(vec![ContactId::parse(key).ok()?]);
            done(contact::move_many(&core, &by, &target, &ListId::parse(list_key).ok()?).is_ok())
        }
        PersonDeed::DeleteContact { key } => done(contact::delete(&core, &by, &ContactId::parse(key).ok()?).is_ok()),
        PersonDeed::RestoreContact { key } => restore(Noun::Contact, key),
        PersonDeed::AddList { name } => {
            Some(vec![list::create(&core, &by, name, list::UniqueNames::Off).ok()?.uid.to_string()])
        }
        PersonDeed::RenameList { key, name } => done(list::rename(&core, &by, &ListId::parse(key).ok()?, name).is_ok()),
        PersonDeed::DeleteList { key } => done(list::delete(&core, &by, &ListId::parse(key).ok()?).is_ok()),
        PersonDeed::RestoreList { key } => restore(Noun::List, key),
        PersonDeed::AddOptOut { number, channel, asset } => {
            let channels = vec![Channel::parse(channel)?];
            let new = NewOptOut { number: number.clone(), channels, asset: asset.clone() };
            done(opt_out::add(&core, &by, &[new], "They asked.", None).is_ok())
        }
        PersonDeed::RemoveOptOut { number, channel, asset, reason, .. } => {
            let scope = match asset {
                None => OptOutRecordScope::Account,
                Some(asset) => OptOutRecordScope::Asset(AssetId::parse(asset).ok()?),
            };
            let key = RecordKey { number: number.clone(), channel: Channel::parse(channel)?, scope };
            let unwanted = RemovalSelection::Records(vec![key]);
            let shown = opt_out::preview_removal(&core, &unwanted).ok()?;
            // The person of the world did not ask to remove the other opt-outs.
            if shown.taken_along > 0 {
                return None;
            }
            done(opt_out::remove(&core, &by, &unwanted, shown.count, &shown.stamp, reason).is_ok())
        }
        PersonDeed::CancelRemoval { key, .. } => {
            let opt_out = OptOutRecordKey::parse(key)?;
            let known = core.read(|tx| {
                Ok::<_, roost_ops::Error>(changes::read_record::<String>(tx, SyncedTable::OptOuts, opt_out.id())?)
            });
            let base = known.ok()?.base?;
            let put = core.write(&by, |tx| {
                tx.log_change(roost_store::change_log::ChangeLogEntry::single(
                    Noun::OptOut,
                    roost_store::change_log::ChangeAction::Created,
                    &opt_out.number,
                ));
                crate::pull::put_opt_out(tx, &opt_out, Some(&base))
            });
            done(put.is_ok())
        }
        PersonDeed::AddLink { title, target_url, tags } => {
            let parts = LinkParts {
                title: title.clone(),
                target_url: target_url.clone(),
                tags: tags.clone(),
                track_clicks: false,
            };
            Some(vec![short_link::create(&core, &by, parts).ok()?.link_id.to_string()])
        }
        PersonDeed::DeleteLink { key } => done(short_link::delete(&core, &by, &LinkId::parse(key).ok()?).is_ok()),
        PersonDeed::RestoreLink { key } => restore(Noun::ShortLink, key),
        PersonDeed::DeleteSender { key } => done(sender::delete(&core, &by, &SenderId::parse(key).ok()?).is_ok()),
        PersonDeed::RestoreSender { key } => restore(Noun::Sender, key),
        PersonDeed::ImportRows { list_key, rows } => {
            let list = ListId::parse(list_key).ok()?;
            let mut keys = Vec::new();
            for row in rows {
                let made = contact::add(&core, &by, &list, &to_field_values(&row.values), None);
                keys.push(made.map(|card| card.uid.to_string()).unwrap_or_default());
                let number = row.values.get("phone_number").or_else(|| row.values.get("whatsapp_id"));
                for channel in &row.opt_outs {
                    let new = NewOptOut {
                        number: number.cloned().unwrap_or_default(),
                        channels: vec![Channel::parse(channel)?],
                        asset: None,
                    };
                    opt_out::add(&core, &by, &[new], "It stands in the file.", None).ok()?;
                }
            }
            Some(keys)
        }
        PersonDeed::Undo => done(history::undo(&core, &by).is_ok()),
        PersonDeed::Redo => done(history::redo(&core, &by).is_ok()),
        PersonDeed::Discard => discard_all(stage),
        PersonDeed::Pause => {
            stage.control.pause();
            Some(Vec::new())
        }
        PersonDeed::Resume => Some(Vec::new()),
        PersonDeed::CancelRun if stage.is_running => {
            stage.control.cancel();
            Some(Vec::new())
        }
        // An interrupted run is ended for good.
        PersonDeed::CancelRun => {
            core.read(|tx| Ok(runs::find_open_run(tx)?)).ok()??;
            let now = core.ctx().now();
            done(core.write_quietly(|tx| apply::give_up_open_run(tx, now)).is_ok())
        }
        PersonDeed::AnswerQuestion { question, choice, .. } => answer_question(stage, account, *question, *choice),
    }
}

fn discard_all(stage: &WorldStage) -> Option<Vec<String>> {
    let core = &stage.core;
    let all = core.read(|tx| {
        let numbers = |place| {
            Ok::<_, roost_ops::Error>(
                changes::read_all::<i64>(tx, place)?.into_iter().map(|one| one.id).collect::<Vec<_>>(),
            )
        };
        let texts = |place| {
            Ok::<_, roost_ops::Error>(
                changes::read_all::<String>(tx, place)?.into_iter().map(|one| one.id).collect::<Vec<_>>(),
            )
        };
        let opt_outs = texts(SyncedTable::OptOuts)?.iter().filter_map(|id| OptOutRecordKey::parse(id)).collect();
        Ok::<_, roost_ops::Error>(vec![
            RecordKeys::Lists(numbers(SyncedTable::Lists)?),
            RecordKeys::Contacts(numbers(SyncedTable::Contacts)?),
            RecordKeys::Links(numbers(SyncedTable::ShortLinks)?),
            RecordKeys::OptOuts(opt_outs),
            RecordKeys::Senders(texts(SyncedTable::Senders)?),
        ])
    });
    // While steps are under way, the window refuses this too.
    let is_open = core.read(|tx| Ok::<_, roost_ops::Error>(runs::find_open_run(tx)?.is_some())).ok()?;
    if is_open {
        return None;
    }
    decide::discard_changes(core, &person(), &all.ok()?).ok().map(|_| Vec::new())
}

/// Answers a question of the plan, by its position among the questions shown.
fn answer_question(stage: &WorldStage, _: &AccountState, question: usize, choice: u16) -> Option<Vec<String>> {
    let core = &stage.core;
    let made = core.read(|tx| Ok::<_, roost_ops::Error>(make_plan(gather::gather_input(tx)?))).ok()?;
    let pick = usize::from(choice);
    if let Some(conflict) = made.conflicts.get(question) {
        let answered = match (&conflict.subject, &conflict.disputed) {
            (PlanSubject::Contact { id, .. }, ConflictKind::Fields { forks }) => {
                let answer = if pick % 2 == 0 { ForkAnswer::Mine } else { ForkAnswer::Theirs };
                forks.iter().all(|fork| {
                    decide::decide_contacts(core, &[*id], &ContactDecision::Field(fork.field, Some(answer.clone())))
                        .is_ok()
                })
            }
            (PlanSubject::Contact { id, .. }, _) => {
                let answer = if pick % 2 == 0 { RowAnswer::Mine } else { RowAnswer::Theirs };
                decide::decide_contacts(core, &[*id], &ContactDecision::Row(Some(answer))).is_ok()
            }
            (PlanSubject::List { id }, ConflictKind::ListGone { .. }) => {
                let answer = if pick % 2 == 0 { ListChoice::Recreate } else { ListChoice::Discard };
                decide::choose_for_list(core, *id, Some(answer)).is_ok()
            }
            (PlanSubject::List { id }, _) => decide::choose_for_list(core, *id, Some(ListChoice::DeleteAnyway)).is_ok(),
            (PlanSubject::OptOut { number, channel, reach }, _) => {
                let opt_out = OptOutRecordKey::new(number, *channel, reach);
                if pick % 2 == 0 {
                    decide::answer_opt_outs(core, &[opt_out], Some(OptOutAnswer::CreateAgain)).is_ok()
                } else {
                    decide::remove_opt_out(core, &Actor::user(None), &opt_out, 1, "Subscribed again").is_ok()
                }
            }
            _ => false,
        };
        return answered.then(Vec::new);
    }
    let blocked = made.blocked.get(question - made.conflicts.len().min(question))?;
    let answered = match &blocked.subject {
        PlanSubject::Contact { id, .. } => {
            // The world cannot judge a difference that stays local by choice.
            let sent: Vec<ChangeChoice> = blocked
                .choices
                .iter()
                .map(|(choice, _)| *choice)
                .filter(|one| *one != ChangeChoice::KeepLocal)
                .collect();
            decide::decide_contacts(
                core,
                &[*id],
                &ContactDecision::Choice(Some(*sent.get(pick.checked_rem(sent.len())?)?)),
            )
            .is_ok()
        }
        PlanSubject::List { id } => {
            let sent: Vec<ListChoice> = blocked
                .list_choices
                .iter()
                .map(|(choice, _)| *choice)
                .filter(|one| *one != ListChoice::Alias)
                .collect();
            decide::choose_for_list(core, *id, Some(*sent.get(pick.checked_rem(sent.len())?)?)).is_ok()
        }
        PlanSubject::Link { id } => decide::choose_for_link(core, *id, Some(ChangeChoice::KeepBoth)).is_ok(),
        PlanSubject::OptOut { number, channel, reach } if !blocked.choices.is_empty() => {
            let records = RecordKeys::OptOuts(vec![OptOutRecordKey::new(number, *channel, reach)]);
            decide::discard_changes(core, &person(), &[records]).is_ok()
        }
        _ => false,
    };
    answered.then(Vec::new)
}
