//! Computes the status of the sync, and begins pulls and probes.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use roost_model::{channel::Channel, time::Timestamp};
use roost_ops::StoreError;
use roost_reconcile::{input::Reach, plan::StepKind};
use roost_store::{
    tables::{
        settings,
        sync::{
            Place, changes as kept, connection,
            runs::{self, RunState as Kept},
            screens::{self, changes as found},
        },
    },
    tx::ReadTx,
};
use tokio::{task::spawn_blocking, time::sleep};

use super::{
    Answer, ListRead, Moment, PlanStanding, PulledBeside, PulledList, RunStanding, RunState, ScopeList, Session,
    SyncKind, SyncNoun, SyncPulled, SyncScope, SyncStatus, here_alone,
};
use crate::{
    Failed,
    gather::{self, Standing},
    lease::Lease,
    plan, probe,
    pull::{self, Asked, Beside, How, Pulled, Sight},
};

/// The counts that are costly, because every conflict and the whole input of the plan have to be read.
#[derive(Debug, Clone, Copy)]
struct Dear {
    conflicts: u64,
    answered: u64,
    answered_opt_outs: u64,
    /// The number of changes of which nothing is sent.
    here_alone: u64,
    is_stale: bool,
}

/// The costly counts with the state that they describe and the time that they took.
#[derive(Debug, Clone, Copy)]
pub(super) struct DearAt {
    moment: Moment,
    plan: Option<i64>,
    at: Instant,
    took: Duration,
    dear: Dear,
}

/// The counts that a query returns.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    changes: u64,
    held: u64,
    refused: u64,
    /// The number of records with a state at the service that was not merged.
    open: u64,
}

/// Up to this many records are read while the caller waits. If there are more, they are read in the background.
const FEW: u64 = 2_000;
/// The background reading takes at most one part in this many of the time.
const PART: u32 = 10;

/// The setting that holds the result of the last pull.
pub(super) const PULLED: &str = "sync.pulled";

/// The name of the list on which a service is tried and that is deleted afterwards.
const SCRATCH: &str = "Roost tries the service";

pub(super) fn run_state(state: Kept) -> RunState {
    match state {
        Kept::Running => RunState::Running,
        Kept::Paused => RunState::Paused,
        Kept::Cancelled => RunState::Cancelled,
        Kept::Done => RunState::Done,
        Kept::InDoubt => RunState::InDoubt,
    }
}

impl Session {
    /// Returns the status of the sync.
    pub fn status(&self) -> Answer<SyncStatus> {
        let moment = self.moment();
        // Read this first: once work has ended, its results are already stored, so they are part of this status.
        let (work, at_work, ended, failed) = {
            let state = self.state();
            let work = state.work.as_ref();
            (state.work(), work.and_then(|work| work.run), state.ended, state.failed.clone())
        };
        let (known, run, plan, pulled_at, counted) = self.read(|tx| {
            let known = connection::get(tx)?;
            let counted = if known.is_some() { count(tx)? } else { Counted::default() };
            Ok((known, runs::open(tx)?, screens::newest_plan(tx)?, screens::read_at(tx)?, counted))
        })?;
        let is_doubtful = known.is_some() && self.pulled()?.is_some_and(|pulled| pulled.is_doubtful());
        let newest = plan.filter(|(_, is_begun)| !is_begun).map(|(id, _)| id);
        let dear = match known {
            Some(_) => self.dear(moment, newest, counted)?,
            None => Dear { conflicts: 0, answered: 0, answered_opt_outs: 0, here_alone: 0, is_stale: false },
        };
        Ok(SyncStatus {
            is_connected: known.is_some(),
            read_only: known.as_ref().is_some_and(|known| known.read_only),
            is_key_ready: known.as_ref().is_some_and(|known| self.is_key_ready(known)),
            pulled_at: pulled_at.map(Timestamp::from_unix),
            // An opt-out that both sides agreed on and the service deleted is no local edit, but the answer about it
            // still has to be carried out.
            changes: (counted.changes + dear.answered_opt_outs).saturating_sub(dear.here_alone),
            held: counted.held,
            conflicts: dear.conflicts,
            answered: dear.answered,
            refused: counted.refused,
            is_doubtful,
            run: run.map(|run| RunStanding { id: run.id, state: self.state_of(&run, at_work) }),
            plan: newest.map(|id| PlanStanding { id, is_stale: dear.is_stale }),
            work,
            ended,
            failed,
        })
    }

    /// Returns the present counts if they are quick to read, otherwise the last ones, which are then updated in the
    /// background.
    fn dear(&self, moment: Moment, plan: Option<i64>, counted: Counted) -> Answer<Dear> {
        let kept = self.state().dear;
        if let Some(kept) = kept.filter(|kept| (kept.moment, kept.plan) == (moment, plan)) {
            return Ok(kept.dear);
        }
        let is_recent = |kept: &DearAt| kept.plan == plan && kept.at.elapsed() < kept.took * PART;
        if counted.changes + counted.open > FEW {
            self.look_later(kept.map_or(Duration::ZERO, |kept| (kept.took * PART).saturating_sub(kept.at.elapsed())));
        } else if self.work().is_none() || !kept.as_ref().is_some_and(is_recent) {
            return self.look(moment, plan);
        }
        Ok(Dear {
            conflicts: kept.map_or(counted.open, |kept| kept.dear.conflicts),
            answered: kept.map_or(0, |kept| kept.dear.answered),
            answered_opt_outs: kept.map_or(0, |kept| kept.dear.answered_opt_outs),
            here_alone: kept.map_or(0, |kept| kept.dear.here_alone),
            is_stale: kept.is_some_and(|kept| kept.plan == plan && kept.dear.is_stale),
        })
    }

    /// Computes the costly counts and caches them.
    fn look(&self, moment: Moment, plan: Option<i64>) -> Answer<Dear> {
        let began = Instant::now();
        let disputes = self.disputes()?;
        let is_stale = match plan {
            Some(plan) => plan::is_stale(self.core(), plan)?,
            None => false,
        };
        let dear = Dear {
            conflicts: disputes.unanswered(),
            answered: disputes.answered(),
            answered_opt_outs: disputes.answered_opt_outs(),
            here_alone: self.read(here_alone::count)?,
            is_stale,
        };
        self.state().dear = Some(DearAt { moment, plan, at: Instant::now(), took: began.elapsed(), dear });
        Ok(dear)
    }

    /// Updates the counts in the background, one update at a time, and calls the listener afterwards.
    fn look_later(&self, wait: Duration) {
        if std::mem::replace(&mut self.state().is_looking, true) {
            return;
        }
        let Ok(handle) = self.handle() else { return };
        let inner = Arc::downgrade(&self.inner);
        handle.spawn(async move {
            sleep(wait).await;
            let looking = spawn_blocking(move || {
                // The account may have been closed meanwhile.
                let Some(inner) = inner.upgrade() else { return };
                Session { inner }.look_again();
            });
            // A panic was already reported where it happened.
            let _ = looking.await;
        });
    }

    fn look_again(&self) {
        let moment = self.moment();
        let newest = self.read(|tx| Ok(screens::newest_plan(tx)?));
        let looked = newest.and_then(|plan| self.look(moment, plan.filter(|(_, begun)| !begun).map(|(id, _)| id)));
        self.state().is_looking = false;
        match looked {
            // The generation stays unchanged, because the reading changed nothing.
            Ok(_) => (self.inner.listener)(),
            Err(why) => tracing::warn!(%why, "how the account stands could not be looked at"),
        }
    }

    /// Returns the state of a run. An interrupted run counts as paused, because nobody works on it.
    pub(super) fn state_of(&self, run: &runs::Run, at_work: Option<i64>) -> RunState {
        match run.state {
            Kept::Running | Kept::Paused if at_work == Some(run.id) => RunState::Running,
            Kept::Running => RunState::Paused,
            state => run_state(state),
        }
    }

    /// Returns the result of the last pull, even from an earlier start of the program.
    pub fn pulled(&self) -> Answer<Option<SyncPulled>> {
        let kept = self.read(|tx| Ok(settings::get(tx, PULLED)?))?;
        // A result in the format of another version is missing until the next pull.
        Ok(kept.and_then(|kept| serde_json::from_str(&kept).ok()))
    }

    /// Returns when each part of the service was last read.
    pub fn scopes(&self) -> Answer<Vec<SyncScope>> {
        let scopes = self.read(|tx| Ok(screens::scopes(tx)?))?;
        let shown = |scope: screens::Scope| SyncScope {
            place: SyncNoun::of(scope.place),
            list: scope.list.map(|(uid, name)| ScopeList { uid, name }),
            total: scope.total,
            checked_at: scope.checked_at.map(Timestamp::from_unix),
            full_at: scope.full_at.map(Timestamp::from_unix),
            page: scope.page,
        };
        Ok(scopes.into_iter().map(shown).collect())
    }

    /// Begins a pull of one list or of everything.
    pub fn begin_pull(&self, list: Option<i64>, full: bool, believe: bool) -> Answer<u64> {
        let client = self.client()?;
        let asked = Asked { list, full, believe };
        self.begin(SyncKind::Pull, None, move |session, at| {
            let pulled = at.wait(pull::pull(session.core(), &client, &asked, &at.reins.progress))??;
            session.keep_pulled(pulled, list.is_some())
        })
    }

    /// Stores the result of a pull. A pull of one list keeps what the last full pull left in doubt.
    fn keep_pulled(&self, pulled: Pulled, is_of_one_list: bool) -> Answer<()> {
        let Pulled { merged, beside, aside, lists, doubtful, gone, drifting, unnamed, removed_lists } = pulled;
        let mut doubtful: Vec<SyncNoun> = doubtful.into_iter().map(SyncNoun::of).collect();
        let mut drifting: Vec<SyncNoun> = drifting.into_iter().map(SyncNoun::of).collect();
        let counted = |(place, count)| PulledBeside { noun: SyncNoun::of(place), count };
        let mut gone: Vec<PulledBeside> = gone.into_iter().map(counted).collect();
        let mut lists = self.read(|tx| {
            let mut shown = Vec::new();
            for (id, how) in lists {
                let Some((uid, name)) = screens::list(tx, id)? else { continue };
                let how = match how {
                    How::AssumedUnchanged => ListRead::AssumedUnchanged,
                    How::InUse => ListRead::InUse,
                    How::Read(Sight::Whole) => ListRead::Whole,
                    How::Read(Sight::Drifting) => ListRead::Drifting,
                    How::Read(Sight::Shrunk) => ListRead::Shrunk,
                };
                shown.push(PulledList { uid, name, how });
            }
            Ok(shown)
        })?;
        // Kinds that this pull did not read stay as doubtful as they were.
        if let Some(before) = self.pulled()?.filter(|_| is_of_one_list) {
            doubtful.extend(before.doubtful);
            drifting.extend(before.drifting);
            gone.extend(before.gone);
            let is_open = |list: &PulledList| list.how.is_doubtful() && lists.iter().all(|own| own.uid != list.uid);
            let open: Vec<PulledList> = before.lists.into_iter().filter(is_open).collect();
            lists.extend(open);
        }
        let pulled = SyncPulled {
            at: self.core().ctx().now(),
            added: merged.added + merged.brought_back,
            changed: merged.changed,
            removed: merged.removed,
            conflicts: self.disputes()?.unanswered(),
            beside: told_beside(beside),
            aside,
            lists,
            doubtful,
            gone,
            drifting,
            unnamed,
            brought_back: merged.brought_back,
            removed_lists,
        };
        let kept = serde_json::to_string(&pulled).unwrap_or_default();
        Ok(self.core().write_quietly(|tx| Ok(settings::set(tx, PULLED, &kept)?))?)
    }

    /// Begins to find out the capabilities of the service. It writes there only if the user agreed.
    pub fn begin_probe(&self, scratch: bool) -> Answer<u64> {
        let client = self.client()?;
        if scratch && self.known()?.read_only {
            return Err(Failed::ReadOnly.into());
        }
        self.begin(SyncKind::Probe, None, move |session, at| {
            let looking = async {
                let mut found = probe::look(&client).await?;
                if scratch {
                    found.extend(probe::try_out(&client, SCRATCH, probe::NUMBERS).await?);
                }
                Ok::<_, Failed>(found)
            };
            let found = at.wait(Lease::during(session.core(), "probe", looking))??;
            session.learn(&found)
        })
    }
}

fn count(tx: &ReadTx) -> Result<Counted, StoreError> {
    let mut changes = 0;
    for noun in SyncNoun::ALL {
        changes += found::count(tx, noun.place())?;
    }
    let (held, refused) = found::waiting(tx)?;
    let refused = refused + undelivered(tx)?;
    let (_, open) = kept::count(tx)?;
    Ok(Counted { changes, held, refused, open })
}

/// Counts the records in failed steps of the newest run that still differ from the service. Contacts that were refused
/// one by one are no longer part of their steps.
fn undelivered(tx: &ReadTx) -> Result<u64, StoreError> {
    let Some(run) = runs::runs(tx, 1)?.pop() else { return Ok(0) };
    let by_number = |place, id: i64| Ok::<_, StoreError>(differs(&kept::one::<i64>(tx, place, id)?));
    let by_name = |place, id: String| Ok::<_, StoreError>(differs(&kept::one::<String>(tx, place, id)?));
    let opt_out = |number: &str, channel: Channel, asset: Option<&String>| {
        let reach = asset.map_or(Reach::Account, |asset| Reach::Asset(asset.clone()));
        by_name(Place::OptOuts, Standing::new(number, channel, &reach).id())
    };
    let mut count = 0;
    for step in gather::failed_steps(tx, run.id)? {
        match &step.kind {
            StepKind::Contacts { items, .. } => {
                for item in items {
                    count += by_number(Place::Contacts, item.id)?;
                }
            }
            StepKind::OptOutDelete { numbers, channel, asset } => {
                for number in numbers {
                    count += opt_out(number, *channel, asset.as_ref())?;
                }
            }
            StepKind::OptOutCreate { number, channel, asset } => count += opt_out(number, *channel, asset.as_ref())?,
            StepKind::Upload { list, count: rows, .. } => count += rows * by_number(Place::Lists, *list)?,
            StepKind::ContactDelete { id, .. } => count += by_number(Place::Contacts, *id)?,
            StepKind::ListCreate { list, .. } | StepKind::ListDelete { list, .. } => {
                count += by_number(Place::Lists, *list)?;
            }
            StepKind::LinkCreate { id, .. } | StepKind::LinkDelete { id, .. } => {
                count += by_number(Place::ShortLinks, *id)?;
            }
            StepKind::SenderDelete { uid } => count += by_name(Place::Senders, uid.clone())?,
        }
    }
    Ok(count)
}

/// Returns 1 for a record that differs locally from the agreed version or that the service deleted, otherwise 0.
fn differs<I>(record: &kept::Touched<I>) -> u64 {
    u64::from(record.base != record.local || record.there == kept::There::Gone && record.local.is_some())
}

fn told_beside(Beside { lists, senders, opt_outs, links }: Beside) -> Vec<PulledBeside> {
    let all = [
        (SyncNoun::List, lists),
        (SyncNoun::OptOut, opt_outs),
        (SyncNoun::ShortLink, links),
        (SyncNoun::Sender, senders),
    ];
    all.into_iter().filter(|(_, count)| *count > 0).map(|(noun, count)| PulledBeside { noun, count }).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use roost_model::id::ContactId;
    use roost_ops::{By, Core, Ctx, Error, Noun, list};
    use roost_store::{
        change_log::{Action, Change},
        tables::sync::local::{self, Added, Times},
    };

    use super::*;
    use crate::session::{ConnectionSave, PlanStanding};

    fn add(core: &Core, list: i64, numbers: std::ops::Range<u64>) {
        let now = core.ctx().now();
        let add = core.write(&By::user(None), |tx| {
            tx.log(Change::bulk(Noun::Contact, Action::Created, numbers.end - numbers.start));
            for number in numbers {
                let cells = format!(r#"{{"phone_number":"+4477009{number:05}"}}"#);
                let uid = ContactId::new(core.ctx().ksuid(now));
                let times = Times::default();
                local::add_contact(tx, Added { id: None, list, uid: uid.as_str(), cells: &cells, times }, now)?;
            }
            Ok::<_, Error>(())
        });
        add.expect("contacts");
    }

    #[test]
    fn many_changes_are_counted_at_once_and_compared_behind_the_back_of_who_asks() {
        let core = Core::in_memory(Ctx::system()).expect("an account");
        let (tell, told) = mpsc::channel();
        let session = Session::new(core.clone(), None, move || {
            // The last one arrives when nobody listens any more.
            let _ = tell.send(());
        });
        let wanted = ConnectionSave {
            name: "Service".to_owned(),
            base_url: "http://localhost:1".to_owned(),
            header: "X-AUTH-KEY".to_owned(),
            read_only: false,
            plain_http: false,
            calls_per_second: 9,
            together: None,
            paths: Vec::new(),
        };
        session.connect(&wanted).expect("connected");
        let made = list::create(&core, &By::user(None), "Members", list::UniqueNames::Off).expect("a list").uid;
        let list = session.list_id(made.as_str()).expect("its number");
        add(&core, list, 0..FEW);
        let plan = session.make_plan().expect("a plan").id;
        let status = || session.status().expect("a status");
        // The listener's call makes the client ask again.
        let until = |is_so: &dyn Fn(&SyncStatus) -> bool| loop {
            let now = status();
            if is_so(&now) && session.state().dear.is_some_and(|dear| dear.moment == session.moment()) {
                return now;
            }
            told.recv_timeout(Duration::from_secs(60)).expect("it is looked at");
        };
        let fresh = Some(PlanStanding { id: plan, is_stale: false });
        assert_eq!(until(&|_| true).plan, fresh);
        add(&core, list, FEW..FEW + 1);
        let now = status();
        assert_eq!((now.changes, now.plan), (FEW + 2, fresh), "the list is a change, too; nobody waited for the plan");
        until(&|now| now.plan.as_ref().is_some_and(|plan| plan.is_stale));
        session.end();
    }
}
