//! A toy client that is correct by construction: it reads everything before it pushes, replaces records by deleting
//! first, and asks whenever it is not sure. Planted flaws show whether the judge finds them.
#![allow(
    dead_code,
    clippy::cast_possible_truncation,
    clippy::needless_pass_by_value,
    clippy::similar_names,
    clippy::struct_excessive_bools,
    clippy::trivially_copy_pass_by_ref
)]

mod acts;
mod pull;
mod push;
mod show;

use roost_world::{AdapterTask, FieldTexts, NetworkFailure, PersonAct, RunKind, Script, Violation, World};
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToyFlaw {
    Honest,
    DoublesContactOn503,
    DeletesListOnOldKnowledge,
    RemovesNewerOptOut,
    TearsContact,
    TakesLoginPageForSuccess,
    ForgetsDeletionHalf,
    IgnoresRestore,
    MixesKeys,
    BelievesEmptyRead,
    RemovesOnBothChannels,
    DropsPendingOnReopen,
    OverwritesOtherFields,
    IgnoresUnknownOptOuts,
    IgnoresCancel,
    DoublesLink,
    DoublesList,
    CountsNamelessForOthers,
    TakesFailureForStop,
    LetsServiceWin,
    ChangesKeyOnMove,
    DeletesEditedContact,
    /// Until its next run, it believes a login page that answers a deletion.
    ForgetsCaughtDeletion,
    /// Until its next reading, it believes that a list is gone that one answer lacks.
    RemovesListOnOneReading,
    /// It merges whatever account answers.
    MergesOtherAccount,
    /// It shows nothing in the trash that another writer deleted.
    LosesTrash,
    /// It counts custom fields as changed that it met in another order than that of their numbers.
    ComparesColumnsInOrder,
    /// It takes opt-outs for changes that a discard ends.
    DiscardsOptOuts,
}

pub(crate) const FLAWS: &[ToyFlaw] = &[
    ToyFlaw::DoublesContactOn503,
    ToyFlaw::DeletesListOnOldKnowledge,
    ToyFlaw::RemovesNewerOptOut,
    ToyFlaw::TearsContact,
    ToyFlaw::TakesLoginPageForSuccess,
    ToyFlaw::ForgetsDeletionHalf,
    ToyFlaw::IgnoresRestore,
    ToyFlaw::MixesKeys,
    ToyFlaw::BelievesEmptyRead,
    ToyFlaw::RemovesOnBothChannels,
    ToyFlaw::DropsPendingOnReopen,
    ToyFlaw::OverwritesOtherFields,
    ToyFlaw::IgnoresUnknownOptOuts,
    ToyFlaw::IgnoresCancel,
    ToyFlaw::DoublesLink,
    ToyFlaw::DoublesList,
    ToyFlaw::CountsNamelessForOthers,
    ToyFlaw::TakesFailureForStop,
    ToyFlaw::LetsServiceWin,
    ToyFlaw::ChangesKeyOnMove,
    ToyFlaw::DeletesEditedContact,
    ToyFlaw::ForgetsCaughtDeletion,
    ToyFlaw::RemovesListOnOneReading,
    ToyFlaw::MergesOtherAccount,
    ToyFlaw::LosesTrash,
    ToyFlaw::ComparesColumnsInOrder,
    ToyFlaw::DiscardsOptOuts,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SendState {
    Ground,
    /// Sent, without an answer that says whether it was accepted.
    Uncertain,
    /// Accepted, so the job will run.
    Certain,
}

#[derive(Clone, Debug)]
pub(crate) struct ToyContact {
    key: String,
    list: usize,
    uid: Option<String>,
    /// The UID of the list in which `uid` was read.
    home: String,
    base: FieldTexts,
    local: FieldTexts,
    deleted: bool,
    gone: bool,
    flight: SendState,
    sent: FieldTexts,
    sent_as_merge: bool,
    question: Option<String>,
    /// The number of pulls while the row was in flight.
    doubts: u32,
    /// Whether a deletion was sent that may have taken effect.
    deleting: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ToyList {
    key: String,
    uid: Option<String>,
    old_uid: Option<String>,
    base: String,
    name: String,
    deleted: bool,
    deleting: bool,
    gone: bool,
    question: Option<String>,
}

/// A link or a sender.
#[derive(Clone, Debug)]
pub(crate) struct ToyNamed {
    key: String,
    uid: Option<String>,
    name: String,
    target: String,
    deleted: bool,
    deleting: bool,
    gone: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ToyOptOut {
    key: String,
    number: Option<String>,
    channel: String,
    asset: Option<String>,
    kind: String,
    time: String,
    account_level: Option<bool>,
}

#[derive(Clone, Debug)]
pub(crate) struct ToyStop {
    key: String,
    number: String,
    channel: String,
    asset: Option<String>,
    done: bool,
    question: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct ToyRemoval {
    key: String,
    number: String,
    channel: String,
    asset: Option<String>,
    kind: String,
    time: String,
    open: bool,
    question: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct ToyClient {
    flaw: ToyFlaw,
    lists: Vec<ToyList>,
    contacts: Vec<ToyContact>,
    opt_outs: Vec<ToyOptOut>,
    stops: Vec<ToyStop>,
    removals: Vec<ToyRemoval>,
    links: Vec<ToyNamed>,
    senders: Vec<ToyNamed>,
    undo: Vec<(usize, String, Option<String>)>,
    next_key: u64,
    headers: Vec<(String, String)>,
    /// The custom fields, in the order in which they were met.
    columns: Vec<String>,
    /// The keys of rows whose deletion was answered by a login page.
    believed: Vec<String>,
    /// Whether the person confirmed that another account answers.
    is_confirmed: bool,
}

/// The run cannot continue now.
pub(crate) struct CallInterrupted;

pub(crate) type CallResult<T> = Result<T, CallInterrupted>;

impl ToyClient {
    pub(crate) fn new(flaw: ToyFlaw) -> ToyClient {
        ToyClient {
            flaw,
            lists: Vec::new(),
            contacts: Vec::new(),
            opt_outs: Vec::new(),
            stops: Vec::new(),
            removals: Vec::new(),
            links: Vec::new(),
            senders: Vec::new(),
            undo: Vec::new(),
            next_key: 0,
            columns: Vec::new(),
            believed: Vec::new(),
            is_confirmed: false,
            headers: vec![
                ("X-AUTH-KEY".to_owned(), "key".to_owned()),
                ("Content-Type".to_owned(), "application/json".to_owned()),
            ],
        }
    }

    fn make_key(&mut self) -> String {
        self.next_key += 1;
        format!("k{}", self.next_key)
    }

    /// Sends one request. The acts that the person performs meanwhile follow directly. `None` stands for an uncertain
    /// answer.
    fn send_call(
        &mut self,
        world: &mut World,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> CallResult<Option<(u16, Value)>> {
        let text = body.map(Value::to_string);
        let answer = world.send_request(method, path, &self.headers, text.as_deref());
        for act in world.take_acts() {
            self.perform_act(world, &act);
        }
        if world.is_killed() {
            return Err(CallInterrupted);
        }
        Ok(match answer {
            Err(NetworkFailure::NotConnected) => return Err(CallInterrupted),
            Err(NetworkFailure::NoAnswer) => None,
            Ok(reply) if reply.status >= 500 || reply.status == 429 => None,
            Ok(reply) if reply.status == 204 => Some((204, Value::Null)),
            Ok(reply) => match serde_json::from_str(&reply.body) {
                Ok(value) => Some((reply.status, value)),
                Err(_) if self.flaw == ToyFlaw::TakesLoginPageForSuccess => Some((204, Value::Null)),
                Err(_) => None,
            },
        })
    }

    /// Sends a read that must succeed for the run to continue.
    fn read(&mut self, world: &mut World, method: &str, path: &str, body: Option<&Value>) -> CallResult<Value> {
        match self.send_call(world, method, path, body)? {
            Some((200, value)) if value.get("items").is_some() => Ok(value),
            _ => Err(CallInterrupted),
        }
    }

    pub(crate) fn perform_act(&mut self, world: &mut World, act: &PersonAct) {
        let account = self.account();
        if let Some(intention) = world.resolve_act(act, &account)
            && let Some(keys) = self.accept_act(&intention.deed)
        {
            let intention = keys.into_iter().fold(intention, roost_world::Intention::with_row_key);
            world.record_deed(intention);
        }
        let account = self.account();
        world.observe_account(&account);
    }

    fn run_task(&mut self, world: &mut World, kind: RunKind) {
        world.begin_run();
        self.believed.clear();
        let ended = match kind {
            RunKind::Pull | RunKind::FullPull => self.pull(world),
            RunKind::Plan => Ok(()),
            RunKind::Push | RunKind::PushOldPlan => self.push(world),
        };
        match (kind, ended) {
            (RunKind::Pull | RunKind::FullPull, Ok(())) => world.end_pull(&self.account()),
            (RunKind::Push | RunKind::PushOldPlan, _) => world.end_push(&self.account()),
            _ => {}
        }
        if world.take_kill() {
            self.reopen();
        }
        let account = self.account();
        world.observe_account(&account);
    }

    fn reopen(&mut self) {
        if self.flaw == ToyFlaw::DropsPendingOnReopen {
            for contact in self.contacts.iter_mut().filter(|contact| contact.uid.is_some()) {
                contact.local = contact.base.clone();
            }
        }
    }
}

/// Plays a script with the toy client and judges the final state.
pub(crate) fn play_script(script: &Script, flaw: ToyFlaw) -> Vec<Violation> {
    play_counted(script, flaw).0
}

pub(crate) fn play_counted(script: &Script, flaw: ToyFlaw) -> (Vec<Violation>, [u64; 16], World) {
    let mut world = World::new(script.seed);
    let mut toy = ToyClient::new(flaw);
    for step in &script.steps {
        match world.perform_step(step) {
            AdapterTask::Nothing => {}
            AdapterTask::Act(act) => toy.perform_act(&mut world, &act),
            AdapterTask::Run(kind) => toy.run_task(&mut world, kind),
            AdapterTask::Reopen => toy.reopen(),
        }
    }
    world.settle_all();
    toy.is_confirmed = true;
    world.wait(100_000);
    for _ in 0..10 {
        toy.run_task(&mut world, RunKind::Push);
        world.wait(3_000);
        if !toy.has_work() {
            break;
        }
    }
    toy.run_task(&mut world, RunKind::FullPull);
    let account = toy.account();
    let violations = world.judge(&account);
    (violations, world.operation_counts(), world)
}
