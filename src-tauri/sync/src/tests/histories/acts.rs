//! Applies what the person of the world does to the engine's account.

use roost_model::{
    channel::Channel,
    id::{AssetId, ContactId, LinkId, ListId, SenderId},
    opt_out::Scope,
    short_link::LinkParts,
};
use roost_ops::{
    By, Noun,
    contact::{self, FieldValues, Target},
    history, list,
    opt_out::{self, NewOptOut, RecordKey, Unwanted},
    sender, short_link,
};
use roost_reconcile::{
    input::{Choice, ListChoice, OptOutAnswer},
    merge::{Answer, RowAnswer},
    plan::{Disputed, Subject, plan},
};
use roost_store::tables::sync::{Place, changes, runs};
use roost_world::{Account, Deed, Values};

use super::seam::Stage;
use crate::{
    apply,
    decide::{self, Decision, Records},
    gather::{self, Standing},
};

fn me() -> By {
    By::user(None)
}

fn fields(values: &Values) -> FieldValues {
    values.iter().map(|(name, text)| (name.clone(), Some(text.clone()))).collect()
}

/// Performs the deed. Returns the keys of the rows that it created, or `None` if the engine refuses.
pub fn accept(stage: &mut Stage, account: &Account, deed: &Deed) -> Option<Vec<String>> {
    let core = stage.core.clone();
    let by = me();
    let restore = |noun: Noun, key: &str| {
        let step = stage.shown.deleted_alone(&core, noun, key)?;
        history::restore(&core, &by, step).ok().map(|_| Vec::new())
    };
    let done = |done: bool| done.then(Vec::new);
    match deed {
        Deed::AddContact { list_key, values } => {
            let list = ListId::parse(list_key).ok()?;
            let card = contact::add(&core, &by, &list, &fields(values), None).ok()?;
            Some(vec![card.uid.to_string()])
        }
        Deed::EditContact { key, changes } => {
            let values: FieldValues = changes.iter().cloned().collect();
            done(contact::update(&core, &by, &ContactId::parse(key).ok()?, &values, None).is_ok())
        }
        Deed::MoveContact { key, list_key } => {
            let target = Target::Uids(vec![ContactId::parse(key).ok()?]);
            done(contact::move_many(&core, &by, &target, &ListId::parse(list_key).ok()?).is_ok())
        }
        Deed::DeleteContact { key } => done(contact::delete(&core, &by, &ContactId::parse(key).ok()?).is_ok()),
        Deed::RestoreContact { key } => restore(Noun::Contact, key),
        Deed::AddList { name } => {
            Some(vec![list::create(&core, &by, name, list::UniqueNames::Off).ok()?.uid.to_string()])
        }
        Deed::RenameList { key, name } => done(list::rename(&core, &by, &ListId::parse(key).ok()?, name).is_ok()),
        Deed::DeleteList { key } => done(list::delete(&core, &by, &ListId::parse(key).ok()?).is_ok()),
        Deed::RestoreList { key } => restore(Noun::List, key),
        Deed::AddOptOut { number, channel, asset } => {
            let channels = vec![Channel::parse(channel)?];
            let new = NewOptOut { number: number.clone(), channels, asset: asset.clone() };
            done(opt_out::add(&core, &by, &[new], "They asked.", None).is_ok())
        }
        Deed::RemoveOptOut { number, channel, asset, reason, .. } => {
            let scope = match asset {
                None => Scope::Account,
                Some(asset) => Scope::Asset(AssetId::parse(asset).ok()?),
            };
            let key = RecordKey { number: number.clone(), channel: Channel::parse(channel)?, scope };
            let unwanted = Unwanted::Records(vec![key]);
            let shown = opt_out::preview_removal(&core, &unwanted).ok()?;
            // The person of the world did not ask to remove the other opt-outs.
            if shown.taken_along > 0 {
                return None;
            }
            done(opt_out::remove(&core, &by, &unwanted, shown.count, &shown.stamp, reason).is_ok())
        }
        Deed::CancelRemoval { key, .. } => {
            let standing = Standing::parse(key)?;
            let known =
                core.read(|tx| Ok::<_, roost_ops::Error>(changes::one::<String>(tx, Place::OptOuts, standing.id())?));
            let base = known.ok()?.base?;
            let put = core.write(&by, |tx| {
                tx.log(roost_store::change_log::Change::one(
                    Noun::OptOut,
                    roost_store::change_log::Action::Created,
                    &standing.number,
                ));
                crate::pull::put_opt_out(tx, &standing, Some(&base))
            });
            done(put.is_ok())
        }
        Deed::AddLink { title, target_url, tags } => {
            let parts = LinkParts {
                title: title.clone(),
                target_url: target_url.clone(),
                tags: tags.clone(),
                track_clicks: false,
            };
            Some(vec![short_link::create(&core, &by, parts).ok()?.link_id.to_string()])
        }
        Deed::DeleteLink { key } => done(short_link::delete(&core, &by, &LinkId::parse(key).ok()?).is_ok()),
        Deed::RestoreLink { key } => restore(Noun::ShortLink, key),
        Deed::DeleteSender { key } => done(sender::delete(&core, &by, &SenderId::parse(key).ok()?).is_ok()),
        Deed::RestoreSender { key } => restore(Noun::Sender, key),
        Deed::ImportRows { list_key, rows } => {
            let list = ListId::parse(list_key).ok()?;
            let mut keys = Vec::new();
            for row in rows {
                let made = contact::add(&core, &by, &list, &fields(&row.values), None);
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
        Deed::Undo => done(history::undo(&core, &by).is_ok()),
        Deed::Redo => done(history::redo(&core, &by).is_ok()),
        Deed::Discard => discard(stage),
        Deed::Pause => {
            stage.control.pause();
            Some(Vec::new())
        }
        Deed::Resume => Some(Vec::new()),
        Deed::CancelRun if stage.is_running => {
            stage.control.cancel();
            Some(Vec::new())
        }
        // An interrupted run is ended for good.
        Deed::CancelRun => {
            core.read(|tx| Ok(runs::open(tx)?)).ok()??;
            let now = core.ctx().now();
            done(core.write_quietly(|tx| apply::give_up(tx, now)).is_ok())
        }
        Deed::AnswerQuestion { question, choice, .. } => answer(stage, account, *question, *choice),
    }
}

fn discard(stage: &Stage) -> Option<Vec<String>> {
    let core = &stage.core;
    let all = core.read(|tx| {
        let numbers = |place| {
            Ok::<_, roost_ops::Error>(changes::all::<i64>(tx, place)?.into_iter().map(|one| one.id).collect::<Vec<_>>())
        };
        let texts = |place| {
            Ok::<_, roost_ops::Error>(
                changes::all::<String>(tx, place)?.into_iter().map(|one| one.id).collect::<Vec<_>>(),
            )
        };
        let opt_outs = texts(Place::OptOuts)?.iter().filter_map(|id| Standing::parse(id)).collect();
        Ok::<_, roost_ops::Error>(vec![
            Records::Lists(numbers(Place::Lists)?),
            Records::Contacts(numbers(Place::Contacts)?),
            Records::Links(numbers(Place::ShortLinks)?),
            Records::OptOuts(opt_outs),
            Records::Senders(texts(Place::Senders)?),
        ])
    });
    // While steps are under way, the window refuses this too.
    let is_open = core.read(|tx| Ok::<_, roost_ops::Error>(runs::open(tx)?.is_some())).ok()?;
    if is_open {
        return None;
    }
    decide::discard(core, &me(), &all.ok()?).ok().map(|_| Vec::new())
}

/// Answers a question of the plan, by its position among the questions shown.
fn answer(stage: &Stage, _: &Account, question: usize, choice: u16) -> Option<Vec<String>> {
    let core = &stage.core;
    let made = core.read(|tx| Ok::<_, roost_ops::Error>(plan(gather::input(tx)?))).ok()?;
    let pick = usize::from(choice);
    if let Some(conflict) = made.conflicts.get(question) {
        let answered = match (&conflict.subject, &conflict.disputed) {
            (Subject::Contact { id, .. }, Disputed::Fields { forks }) => {
                let answer = if pick % 2 == 0 { Answer::Mine } else { Answer::Theirs };
                forks.iter().all(|fork| {
                    decide::contacts(core, &[*id], &Decision::Field(fork.field, Some(answer.clone()))).is_ok()
                })
            }
            (Subject::Contact { id, .. }, _) => {
                let answer = if pick % 2 == 0 { RowAnswer::Mine } else { RowAnswer::Theirs };
                decide::contacts(core, &[*id], &Decision::Row(Some(answer))).is_ok()
            }
            (Subject::List { id }, Disputed::ListGone { .. }) => {
                let answer = if pick % 2 == 0 { ListChoice::Recreate } else { ListChoice::Discard };
                decide::list(core, *id, Some(answer)).is_ok()
            }
            (Subject::List { id }, _) => decide::list(core, *id, Some(ListChoice::DeleteAnyway)).is_ok(),
            (Subject::OptOut { number, channel, reach }, _) => {
                let standing = Standing::new(number, *channel, reach);
                if pick % 2 == 0 {
                    decide::opt_out(core, &standing, Some(OptOutAnswer::CreateAgain)).is_ok()
                } else {
                    decide::remove_opt_out(core, &By::user(None), &standing, 1, "Subscribed again").is_ok()
                }
            }
            _ => false,
        };
        return answered.then(Vec::new);
    }
    let blocked = made.blocked.get(question - made.conflicts.len().min(question))?;
    let answered = match &blocked.subject {
        Subject::Contact { id, .. } => {
            // The world cannot judge a difference that stays local by choice.
            let sent: Vec<Choice> =
                blocked.choices.iter().map(|(choice, _)| *choice).filter(|one| *one != Choice::KeepLocal).collect();
            decide::contacts(core, &[*id], &Decision::Choice(Some(*sent.get(pick.checked_rem(sent.len())?)?))).is_ok()
        }
        Subject::List { id } => {
            let sent: Vec<ListChoice> = blocked
                .list_choices
                .iter()
                .map(|(choice, _)| *choice)
                .filter(|one| *one != ListChoice::Alias)
                .collect();
            decide::list(core, *id, Some(*sent.get(pick.checked_rem(sent.len())?)?)).is_ok()
        }
        Subject::Link { id } => decide::link(core, *id, Some(Choice::KeepBoth)).is_ok(),
        Subject::OptOut { number, channel, reach } if !blocked.choices.is_empty() => {
            let records = Records::OptOuts(vec![Standing::new(number, *channel, reach)]);
            decide::discard(core, &me(), &[records]).is_ok()
        }
        _ => false,
    };
    answered.then(Vec::new)
}
