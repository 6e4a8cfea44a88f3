//! Computes the status of the sync, and begins pulls and probes.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use roost_model::{channel::Channel, time::Timestamp};
use roost_ops::StoreError;
use roost_reconcile::{input::OptOutTarget, plan::StepKind};
use roost_store::{
    tables::{
        settings,
        sync::{
            SyncedTable, changes, connection, runs, scopes,
            screens::{self, unsent_records},
        },
    },
    tx::ReadTx,
};
use roost_sync::{
    SyncError,
    account::lease::Lease,
    gather::{self, OptOutRecordKey},
    plan, probe,
    pull::{self, ListReadResult, PullOptions, PullResult, PulledCounts, ReadingQuality},
};
use tokio::{task::spawn_blocking, time::sleep};

use crate::{
    ListRead, NewestPlanStatus, OpenRunStatus, PullSummary, PulledCount, PulledList, RunState, ScopeList, Session,
    SessionResult, StateVersion, SyncKind, SyncNoun, SyncScope, SyncStatus, local_only, titles,
};

/// The counts that are costly, because every conflict and the whole input of the plan have to be read.
#[derive(Debug, Clone, Copy)]
struct CostlyCounts {
    conflicts: u64,
    answered: u64,
    answered_opt_outs: u64,
    /// The number of changes of which nothing is sent.
    here_alone: u64,
    is_stale: bool,
}

/// The costly counts with the state that they describe and the time that they took.
#[derive(Debug, Clone, Copy)]
pub(super) struct DatedCounts {
    moment: StateVersion,
    plan: Option<i64>,
    at: Instant,
    took: Duration,
    costly: CostlyCounts,
}

/// The counts that a query returns.
#[derive(Debug, Clone, Copy, Default)]
struct QueryCounts {
    changes: u64,
    held: u64,
    refused: u64,
    /// The number of records with a state at the service that was not merged.
    open: u64,
}

/// Up to this many records are read while the caller waits. If there are more, they are read in the background.
const MAX_FOREGROUND_RECORDS: u64 = 2_000;
/// The background reading takes at most one part in this many of the time.
const BACKGROUND_SHARE: u32 = 10;

/// The setting that holds the result of the last pull.
pub(super) const PULLED_SETTING: &str = "sync.pulled";

/// The name of the list on which a service is tried and that is deleted afterwards.
const SCRATCH_LIST_NAME: &str = "Roost connection test";

impl Session {
    /// Returns the status of the sync.
    pub fn status(&self) -> SessionResult<SyncStatus> {
        let moment = self.state_version();
        // Read this first: once work has ended, its results are already stored, so they are part of this status.
        let (work, at_work, ended, failed) = {
            let state = self.state();
            let work = state.work.as_ref();
            (state.current_work(), work.and_then(|work| work.run), state.ended, state.failed.clone())
        };
        let (known, run, plan, pulled_at, counted) = self.read(|tx| {
            let known = connection::get(tx)?;
            let counted = if known.is_some() { query_counts(tx)? } else { QueryCounts::default() };
            Ok((known, runs::find_open_run(tx)?, screens::newest_plan(tx)?, scopes::read_pull_time(tx)?, counted))
        })?;
        let is_doubtful = known.is_some() && self.last_pull()?.is_some_and(|pulled| pulled.is_doubtful());
        let newest = plan.filter(|(_, is_begun)| !is_begun).map(|(id, _)| id);
        let costly = match known {
            Some(_) => self.read_costly_counts(moment, newest, counted)?,
            None => CostlyCounts { conflicts: 0, answered: 0, answered_opt_outs: 0, here_alone: 0, is_stale: false },
        };
        Ok(SyncStatus {
            is_connected: known.is_some(),
            read_only: known.as_ref().is_some_and(|known| known.read_only),
            is_key_ready: known.as_ref().is_some_and(|known| self.is_key_ready(known)),
            pulled_at: pulled_at.map(Timestamp::from_unix),
            // An opt-out that both sides agreed on and the service deleted is not a local edit, but the answer about it
            // still has to be carried out.
            changes: (counted.changes + costly.answered_opt_outs).saturating_sub(costly.here_alone),
            held: counted.held,
            conflicts: costly.conflicts,
            answered: costly.answered,
            refused: counted.refused,
            is_doubtful,
            run: run.map(|run| OpenRunStatus { id: run.id, state: self.state_of_run(&run, at_work) }),
            plan: newest.map(|id| NewestPlanStatus { id, is_stale: costly.is_stale }),
            work,
            ended,
            failed,
        })
    }

    /// Returns the present counts if they are quick to read, otherwise the last ones, which are then updated in the
    /// background.
    fn read_costly_counts(
        &self,
        moment: StateVersion,
        plan: Option<i64>,
        counted: QueryCounts,
    ) -> SessionResult<CostlyCounts> {
        let kept = self.state().costly_counts;
        if let Some(kept) = kept.filter(|kept| (kept.moment, kept.plan) == (moment, plan)) {
            return Ok(kept.costly);
        }
        let is_recent = |kept: &DatedCounts| kept.plan == plan && kept.at.elapsed() < kept.took * BACKGROUND_SHARE;
        if counted.changes + counted.open > MAX_FOREGROUND_RECORDS {
            self.count_later(
                kept.map_or(Duration::ZERO, |kept| (kept.took * BACKGROUND_SHARE).saturating_sub(kept.at.elapsed())),
            );
        } else if self.current_work().is_none() || !kept.as_ref().is_some_and(is_recent) {
            return self.count_costly(moment, plan);
        }
        Ok(CostlyCounts {
            conflicts: kept.map_or(counted.open, |kept| kept.costly.conflicts),
            answered: kept.map_or(0, |kept| kept.costly.answered),
            answered_opt_outs: kept.map_or(0, |kept| kept.costly.answered_opt_outs),
            here_alone: kept.map_or(0, |kept| kept.costly.here_alone),
            is_stale: kept.is_some_and(|kept| kept.plan == plan && kept.costly.is_stale),
        })
    }

    /// Computes the costly counts and caches them.
    fn count_costly(&self, moment: StateVersion, plan: Option<i64>) -> SessionResult<CostlyCounts> {
        let began = Instant::now();
        let disputes = self.open_conflicts()?;
        let is_stale = match plan {
            Some(plan) => plan::is_stale(self.core(), plan)?,
            None => false,
        };
        let costly = CostlyCounts {
            conflicts: disputes.unanswered_count(),
            answered: disputes.answered_count(),
            answered_opt_outs: disputes.answered_opt_out_count(),
            here_alone: self.read(local_only::count_local_only)?,
            is_stale,
        };
        self.state().costly_counts =
            Some(DatedCounts { moment, plan, at: Instant::now(), took: began.elapsed(), costly });
        Ok(costly)
    }

    /// Updates the counts in the background, one update at a time, and calls the listener afterwards.
    fn count_later(&self, wait: Duration) {
        if std::mem::replace(&mut self.state().is_counting, true) {
            return;
        }
        let Ok(handle) = self.runtime_handle() else { return };
        let inner = Arc::downgrade(&self.inner);
        handle.spawn(async move {
            sleep(wait).await;
            let looking = spawn_blocking(move || {
                // The account may have been closed meanwhile.
                let Some(inner) = inner.upgrade() else { return };
                Session { inner }.count_again();
            });
            // A panic was already reported where it happened.
            let _ = looking.await;
        });
    }

    fn count_again(&self) {
        let moment = self.state_version();
        let newest = self.read(|tx| Ok(screens::newest_plan(tx)?));
        let looked =
            newest.and_then(|plan| self.count_costly(moment, plan.filter(|(_, begun)| !begun).map(|(id, _)| id)));
        self.state().is_counting = false;
        match looked {
            // The generation stays unchanged, because the reading changed nothing.
            Ok(_) => (self.inner.listener)(),
            Err(why) => tracing::warn!(%why, "the status of the sync could not be read"),
        }
    }

    /// Returns the state of a run. An interrupted run counts as paused, because nobody works on it.
    pub(super) fn state_of_run(&self, run: &runs::SyncRun, at_work: Option<i64>) -> RunState {
        match run.state {
            RunState::Running | RunState::Paused if at_work == Some(run.id) => RunState::Running,
            RunState::Running => RunState::Paused,
            state => state,
        }
    }

    /// Returns the result of the last pull, even from an earlier start of the program.
    pub fn last_pull(&self) -> SessionResult<Option<PullSummary>> {
        let kept = self.read(|tx| Ok(settings::get(tx, PULLED_SETTING)?))?;
        // A result in the format of another version is missing until the next pull.
        Ok(kept.and_then(|kept| serde_json::from_str(&kept).ok()))
    }

    /// Returns when each part of the service was last read.
    pub fn list_scopes(&self) -> SessionResult<Vec<SyncScope>> {
        let scopes = self.read(|tx| Ok(screens::read_scopes(tx)?))?;
        let shown = |scope: screens::ScopeSummary| SyncScope {
            place: SyncNoun::from_table(scope.place),
            list: scope.list.map(|(uid, name)| ScopeList { uid, name }),
            total: scope.total,
            checked_at: scope.checked_at.map(Timestamp::from_unix),
            full_at: scope.full_at.map(Timestamp::from_unix),
            page: scope.page,
        };
        Ok(scopes.into_iter().map(shown).collect())
    }

    /// Begins a pull of one list or of everything.
    pub fn begin_pull(&self, list: Option<i64>, full: bool, believe: bool) -> SessionResult<u64> {
        let client = self.client()?;
        let options = PullOptions { list, full, believe };
        self.begin_work(SyncKind::Pull, None, move |session, at| {
            let pulled = at.wait_for(pull::run_pull(session.core(), &client, &options, &at.reins.progress))??;
            session.store_pull(pulled, list.is_some())
        })
    }

    /// Stores the result of a pull. A pull of one list keeps what the last full pull left in doubt.
    fn store_pull(&self, pulled: PullResult, is_of_one_list: bool) -> SessionResult<()> {
        let PullResult {
            merged,
            other_changes,
            unsupported,
            lists,
            doubtful,
            gone,
            drifting,
            unnamed,
            mut missing_lists,
            mut missing_links,
            removed_lists,
            removed_links,
        } = pulled;
        let mut doubtful: Vec<SyncNoun> = doubtful.into_iter().map(SyncNoun::from_table).collect();
        let mut drifting: Vec<SyncNoun> = drifting.into_iter().map(SyncNoun::from_table).collect();
        let counted = |(place, count)| PulledCount { noun: SyncNoun::from_table(place), count };
        let mut gone: Vec<PulledCount> = gone.into_iter().map(counted).collect();
        let mut lists = self.read(|tx| {
            let mut shown = Vec::new();
            for (id, how) in lists {
                let Some((uid, name)) = screens::read_list(tx, id)? else { continue };
                let how = match how {
                    ListReadResult::AssumedUnchanged => ListRead::AssumedUnchanged,
                    ListReadResult::InUse => ListRead::InUse,
                    ListReadResult::Read(ReadingQuality::Whole) => ListRead::Whole,
                    ListReadResult::Read(ReadingQuality::Drifting) => ListRead::Drifting,
                    ListReadResult::Read(ReadingQuality::Shrunk) => ListRead::Shrunk,
                };
                shown.push(PulledList { uid, name, how });
            }
            Ok(shown)
        })?;
        // Kinds that this pull did not read stay as doubtful as they were.
        if let Some(before) = self.last_pull()?.filter(|_| is_of_one_list) {
            doubtful.extend(before.doubtful);
            drifting.extend(before.drifting);
            gone.extend(before.gone);
            missing_lists.extend(before.missing_lists);
            missing_links.extend(before.missing_links);
            let is_open = |list: &PulledList| list.how.is_doubtful() && lists.iter().all(|own| own.uid != list.uid);
            let open: Vec<PulledList> = before.lists.into_iter().filter(is_open).collect();
            lists.extend(open);
        }
        let pulled_at = self.read(|tx| Ok(scopes::read_pull_time(tx)?))?.filter(|_| !is_of_one_list);
        let pulled = PullSummary {
            at: pulled_at.map_or_else(|| self.core().ctx().now(), Timestamp::from_unix),
            added: merged.added + merged.brought_back.len() as u64,
            changed: merged.changed,
            removed: merged.removed,
            conflicts: self.open_conflicts()?.unanswered_count(),
            other_changes: to_pulled_counts(other_changes),
            unsupported,
            lists,
            doubtful,
            gone,
            drifting,
            unnamed,
            brought_back: merged.brought_back.len() as u64,
            restored: self.read(|tx| Ok(titles::read_restored(tx, &merged.brought_back)?))?,
            missing_lists,
            missing_links,
            removed_lists,
            removed_links,
        };
        let kept = serde_json::to_string(&pulled).unwrap_or_default();
        Ok(self.core().write_quietly(|tx| Ok(settings::set(tx, PULLED_SETTING, &kept)?))?)
    }

    /// Begins to find out the capabilities of the service. It writes there only if the user agreed.
    pub fn begin_probe(&self, scratch: bool) -> SessionResult<u64> {
        let client = self.client()?;
        if scratch && self.read_connection()?.read_only {
            return Err(SyncError::ReadOnly.into());
        }
        self.begin_work(SyncKind::Probe, None, move |session, at| {
            let looking = async {
                let mut found = probe::probe_by_reading(&client).await?;
                if scratch {
                    found.extend(probe::probe_by_writing(&client, SCRATCH_LIST_NAME, probe::NUMBERS).await?);
                }
                Ok::<_, SyncError>(found)
            };
            let found = at.wait_for(Lease::hold_during(session.core(), "probe", looking))??;
            session.store_findings(&found)
        })
    }
}

fn query_counts(tx: &ReadTx) -> Result<QueryCounts, StoreError> {
    let mut changes = 0;
    for noun in SyncNoun::ALL {
        changes += unsent_records::count_changes(tx, noun.to_table())?;
    }
    let (held, refused) = unsent_records::count_waiting(tx)?;
    let refused = refused + count_undelivered(tx)?;
    let (_, open) = changes::count_pending(tx)?;
    Ok(QueryCounts { changes, held, refused, open })
}

/// Counts the records in failed steps of the newest run that still differ from the service. Contacts that were refused
/// one by one are no longer part of their steps.
fn count_undelivered(tx: &ReadTx) -> Result<u64, StoreError> {
    let Some(run) = runs::read_runs(tx, 1)?.pop() else { return Ok(0) };
    let by_number =
        |place, id: i64| Ok::<_, StoreError>(count_if_differs(&changes::read_record::<i64>(tx, place, id)?));
    let by_name =
        |place, id: String| Ok::<_, StoreError>(count_if_differs(&changes::read_record::<String>(tx, place, id)?));
    let opt_out = |number: &str, channel: Channel, asset: Option<&String>| {
        let reach = asset.map_or(OptOutTarget::Account, |asset| OptOutTarget::Asset(asset.clone()));
        by_name(SyncedTable::OptOuts, OptOutRecordKey::new(number, channel, &reach).id())
    };
    let mut count = 0;
    for step in gather::failed_steps(tx, run.id)? {
        match &step.kind {
            StepKind::Contacts { items, .. } => {
                for item in items {
                    count += by_number(SyncedTable::Contacts, item.id)?;
                }
            }
            StepKind::OptOutDelete { numbers, channel, asset } => {
                for number in numbers {
                    count += opt_out(number, *channel, asset.as_ref())?;
                }
            }
            StepKind::OptOutCreate { number, channel, asset } => count += opt_out(number, *channel, asset.as_ref())?,
            StepKind::Upload { list, count: rows, .. } => count += rows * by_number(SyncedTable::Lists, *list)?,
            StepKind::ContactDelete { id, .. } => count += by_number(SyncedTable::Contacts, *id)?,
            StepKind::ListCreate { list, .. } | StepKind::ListDelete { list, .. } => {
                count += by_number(SyncedTable::Lists, *list)?;
            }
            StepKind::LinkCreate { id, .. } | StepKind::LinkDelete { id, .. } => {
                count += by_number(SyncedTable::ShortLinks, *id)?;
            }
            StepKind::SenderDelete { uid } => count += by_name(SyncedTable::Senders, uid.clone())?,
        }
    }
    Ok(count)
}

/// Returns 1 for a record that differs locally from the agreed version or that the service deleted, otherwise 0.
fn count_if_differs<I>(record: &changes::SyncChange<I>) -> u64 {
    u64::from(
        record.base != record.local || record.at_service == changes::ServiceState::Deleted && record.local.is_some(),
    )
}

fn to_pulled_counts(PulledCounts { lists, senders, opt_outs, links }: PulledCounts) -> Vec<PulledCount> {
    let all = [
        (SyncNoun::List, lists),
        (SyncNoun::OptOut, opt_outs),
        (SyncNoun::ShortLink, links),
        (SyncNoun::Sender, senders),
    ];
    all.into_iter().filter(|(_, count)| *count > 0).map(|(noun, count)| PulledCount { noun, count }).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use roost_model::id::ContactId;
    use roost_ops::{Actor, Core, Ctx, Error, Noun, list};
    use roost_store::{
        change_log::{ChangeAction, ChangeLogEntry},
        tables::sync::local::{self, AddedContact, ServiceTimes},
    };

    use super::*;
    use crate::{ConnectionSave, NewestPlanStatus};

    fn add_contacts(core: &Core, list: i64, numbers: std::ops::Range<u64>) {
        let now = core.ctx().now();
        let add = core.write(&Actor::user(None), |tx| {
            tx.log_change(ChangeLogEntry::bulk(Noun::Contact, ChangeAction::Created, numbers.end - numbers.start));
            for number in numbers {
                let cells = format!(r#"{{"phone_number":"+4477009{number:05}"}}"#);
                let uid = ContactId::new(core.ctx().ksuid(now));
                let times = ServiceTimes::default();
                local::add_contact(tx, AddedContact { id: None, list, uid: uid.as_str(), cells: &cells, times }, now)?;
            }
            Ok::<_, Error>(())
        });
        add.expect("contacts");
    }

    #[test]
    fn many_changes_are_counted_at_once_and_compared_in_the_background() {
        let core = Core::in_memory(Ctx::system()).expect("an account");
        let (tell, listener_calls) = mpsc::channel();
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
        let made = list::create(&core, &Actor::user(None), "Members", list::UniqueNames::Off).expect("a list").uid;
        let list = session.list_id(made.as_str()).expect("its number");
        add_contacts(&core, list, 0..MAX_FOREGROUND_RECORDS);
        let plan = session.make_plan().expect("a plan").id;
        let status = || session.status().expect("a status");
        // The listener's call makes the client ask again.
        let until = |is_so: &dyn Fn(&SyncStatus) -> bool| loop {
            let now = status();
            if is_so(&now)
                && session.state().costly_counts.is_some_and(|costly| costly.moment == session.state_version())
            {
                return now;
            }
            listener_calls.recv_timeout(Duration::from_secs(60)).expect("it is looked at");
        };
        let fresh = Some(NewestPlanStatus { id: plan, is_stale: false });
        assert_eq!(until(&|_| true).plan, fresh);
        add_contacts(&core, list, MAX_FOREGROUND_RECORDS..MAX_FOREGROUND_RECORDS + 1);
        let now = status();
        assert_eq!(
            (now.changes, now.plan),
            (MAX_FOREGROUND_RECORDS + 2, fresh),
            "the list is a change, too; nobody waited for the plan"
        );
        until(&|now| now.plan.as_ref().is_some_and(|plan| plan.is_stale));
        session.end();
    }
}
