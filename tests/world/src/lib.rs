//! A world with a memory: an independent reference model against which the sync
//! engine of Roost is tested.
//!
//! A [`World`] holds a service written from the contract, other writers, faults, a
//! person with intentions, and a judge. The adapter of an engine walks through a
//! [`Script`]:
//!
//! 1. [`World::new`] with the seed of the script.
//! 2. For each step call [`World::perform_step`] and carry out its [`AdapterTask`].
//!    * `Act`: [`World::resolve_act`] on the account as shown now, perform the intention
//!      on the engine, and if the engine accepts it, call [`World::record_deed`].
//!    * `Run`: [`World::begin_run`], then the engine's run over [`World::send_request`], or, if its requests take
//!      time, [`World::begin_request`] when one leaves and [`World::receive_request`] when it arrives.
//!      After every request perform the acts of [`World::take_acts`]. If
//!      [`World::take_kill`] is true, discard the engine's memory and open it again.
//!      After a pull that succeeded and left nothing in doubt, call [`World::end_pull`], and after a push that left no
//!      run open, [`World::end_push`].
//!    * `Reopen`: open the engine again.
//! 3. Show the account with [`World::observe_account`] after every run and every act. The
//!    judge learns the engine's keys from it.
//! 4. At the end call [`World::settle_all`], let the engine pull and push several times
//!    with [`World::wait`] between the runs, observe, and call [`World::judge`].

#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    clippy::module_name_repetitions,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref,
    clippy::needless_pass_by_value,
    clippy::struct_excessive_bools,
    clippy::similar_names,
    clippy::single_match_else,
    clippy::match_same_arms
)]

mod account;
mod dice;
mod enumerate;
mod generate;
mod judge;
mod kinds;
mod populate;
mod resolve;
mod script;
mod service;
mod shrink;
mod world;
mod writers;

pub use account::{
    AccountRow, AccountState, FieldTexts, ImportRow, Intention, OpenQuestion, PendingWork, PersonDeed, UnsentChange,
};
pub use dice::Dice;
pub use enumerate::{DisturbedSituation, SITUATIONS, SMALLEST_SEED, Situation, SituationSubject};
pub use generate::{ScriptTaste, generate_script};
pub use judge::{Violation, is_contact_field};
pub use kinds::{FAULTS, Fault, PERSON_ACT_KINDS, PersonActKind, WRITER_ACT_KINDS, WriterActKind};
pub use script::{CallPoint, PersonAct, Script, ScriptClock, ScriptError, ScriptStep, WriterAct};
pub use service::{CONTACT_FIELDS, JobOrder, OPERATIONS, ServiceReply, find_operation};
pub use shrink::{SHRINK_ATTEMPTS, shrink_script};
pub use world::{AdapterTask, NetworkFailure, OccurrenceKind, RequestDeparture, RunKind, World};
