//! Makes plans, shows them and stores decisions about them.

mod body;
mod lines;
mod markdown;
mod obstacles;

use roost_ops::Actor;
use roost_reconcile::{
    SyncPlan,
    input::{ChangeChoice, ListChoice},
    plan::{PlanSubject, StepKind},
};
use roost_sync::{
    decide::{self, ContactDecision, RecordKeys},
    gather::OptOutRecordKey,
    plan::{self, SavedPlan},
};

use crate::{PlanBlocked, PlanBody, PlanChoice, PlanDetails, RecordKey, Session, SessionError, SessionResult};

pub(super) use self::lines::{PlanLines, PlanTitles};

/// The message for a step that contains no contacts and therefore cannot be held back.
const NOT_HELD: &str = "This step cannot be excluded by itself. Discard the change here, and make a new plan.";
/// The message for a step of a plan that is no longer the newest.
const NO_STEP: &str = "The step was not found in this plan.";

impl Session {
    /// Makes a plan from the present state of the account.
    pub fn make_plan(&self) -> SessionResult<PlanDetails> {
        self.read_connection()?;
        let core = self.core().clone();
        let saved = self.wait_for(async move { plan::make(&core).await })??;
        self.announce_change();
        self.to_details(saved)
    }

    /// Returns a stored plan, or the newest if no id is given.
    pub fn read_plan(&self, id: Option<i64>) -> SessionResult<Option<PlanDetails>> {
        let Some(saved) = plan::read_saved(self.core(), id)? else { return Ok(None) };
        let mut shown = self.to_details(saved)?;
        shown.is_stale = plan::is_stale(self.core(), shown.id)?;
        Ok(Some(shown))
    }

    /// Returns the changes that no call can express and that a choice would settle, record by record.
    pub fn open_obstacles(&self) -> SessionResult<Vec<PlanBlocked>> {
        self.read_connection()?;
        let newest = plan::read_saved(self.core(), None)?;
        let saved = match newest {
            Some(saved) if !plan::is_stale(self.core(), saved.id)? => saved,
            _ => {
                let core = self.core().clone();
                self.wait_for(async move { plan::make(&core).await })??
            }
        };
        self.read(|tx| Ok(obstacles::open_changes(tx, &saved.plan)?))
    }

    fn to_details(&self, saved: SavedPlan) -> SessionResult<PlanDetails> {
        self.read(|tx| Ok(lines::build_details(tx, saved)?))
    }

    fn read_saved_plan(&self, id: Option<i64>) -> SessionResult<SyncPlan> {
        Ok(plan::read_saved(self.core(), id)?.ok_or(SessionError::Unknown)?.plan)
    }

    /// Chooses how to handle a change that the interface cannot express, and makes the plan again. `alike` extends the
    /// choice to all records in the same line of the newest plan.
    pub fn choose_option(
        &self,
        key: &RecordKey,
        choice: Option<PlanChoice>,
        alike: bool,
    ) -> SessionResult<PlanDetails> {
        let subjects = match self.read_saved_plan(None) {
            Ok(plan) if alike => obstacles::subjects_in_line(&plan, key),
            _ => Vec::new(),
        };
        let core = self.core();
        let mut contacts: Vec<i64> = subjects.iter().filter_map(contact_id).collect();
        match key.noun {
            super::SyncNoun::Contact => {
                contacts.extend(key.numeric_id());
                contacts.sort_unstable();
                contacts.dedup();
                decide::decide_contacts(
                    core,
                    &contacts,
                    &ContactDecision::Choice(choice.map(to_change_choice).transpose()?),
                )?;
            }
            super::SyncNoun::List => {
                let choice = choice.map(to_list_choice).transpose()?;
                let lists = subjects.iter().filter(|one| matches!(one, PlanSubject::List { .. })).filter_map(record_id);
                for list in lists.chain(key.numeric_id()) {
                    decide::choose_for_list(core, list, choice)?;
                }
            }
            super::SyncNoun::ShortLink => {
                let choice = choice.map(to_change_choice).transpose()?;
                let links = subjects.iter().filter(|one| matches!(one, PlanSubject::Link { .. })).filter_map(record_id);
                for link in links.chain(key.numeric_id()) {
                    decide::choose_for_link(core, link, choice)?;
                }
            }
            super::SyncNoun::OptOut => {
                let opt_out = OptOutRecordKey::parse(&key.id).ok_or(SessionError::Unknown)?;
                match choice {
                    Some(PlanChoice::Discard) => {
                        let alike = subjects.iter().filter_map(opt_out_key).chain([opt_out]).collect();
                        decide::discard_changes(core, &Actor::user(None), &[RecordKeys::OptOuts(alike)])?;
                    }
                    Some(other) => return Err(choice_error(other)),
                    None => {}
                }
            }
            super::SyncNoun::Sender => return Err(SessionError::Unknown),
        }
        self.announce_change();
        self.make_plan()
    }

    /// Holds back or releases the contacts of a line of the plan, and makes the plan again.
    pub fn hold_step(&self, id: i64, step: u32, held: bool) -> SessionResult<PlanDetails> {
        let plan = self.read_saved_plan(Some(id))?;
        let all = lines::steps_in_line(&plan, step);
        if all.is_empty() {
            return Err(SessionError::invalid_field("step", NO_STEP, step));
        }
        let mut contacts = Vec::new();
        for kind in all {
            match kind {
                StepKind::Contacts { items, .. } => contacts.extend(items.iter().map(|item| item.id)),
                StepKind::ContactDelete { id, .. } => contacts.push(*id),
                _ => return Err(SessionError::invalid_field("step", NOT_HELD, step)),
            }
        }
        decide::decide_contacts(self.core(), &contacts, &ContactDecision::Held(held))?;
        self.announce_change();
        self.make_plan()
    }

    /// Returns the request of a step with its first rows.
    pub fn step_body(&self, id: i64, step: u32, masked: bool) -> SessionResult<PlanBody> {
        let plan = self.read_saved_plan(Some(id))?;
        let found = plan.steps.iter().find(|one| one.id == step);
        let kind = &found.ok_or_else(|| SessionError::invalid_field("step", NO_STEP, step))?.kind;
        body::build_body(self, kind, masked)
    }

    /// Returns the plan as Markdown.
    pub fn plan_text(&self, id: i64) -> SessionResult<String> {
        Ok(markdown::to_markdown(&self.read_plan(Some(id))?.ok_or(SessionError::Unknown)?))
    }

    /// Returns the plan as JSON.
    pub fn plan_json(&self, id: i64) -> SessionResult<String> {
        let shown = self.read_plan(Some(id))?.ok_or(SessionError::Unknown)?;
        Ok(serde_json::to_string_pretty(&shown).unwrap_or_default())
    }
}

fn contact_id(subject: &PlanSubject) -> Option<i64> {
    match subject {
        PlanSubject::Contact { id, .. } => Some(*id),
        _ => None,
    }
}

fn record_id(subject: &PlanSubject) -> Option<i64> {
    match subject {
        PlanSubject::Contact { id, .. } | PlanSubject::List { id } | PlanSubject::Link { id } => Some(*id),
        PlanSubject::OptOut { .. } | PlanSubject::Sender { .. } => None,
    }
}

fn choice_error(choice: PlanChoice) -> SessionError {
    let given = serde_json::to_value(choice).unwrap_or_default();
    SessionError::invalid_field("choice", "This cannot be chosen for it.", given)
}

fn to_change_choice(choice: PlanChoice) -> SessionResult<ChangeChoice> {
    match choice {
        PlanChoice::KeepLocal => Ok(ChangeChoice::KeepLocal),
        PlanChoice::Replace => Ok(ChangeChoice::Replace),
        PlanChoice::KeepBoth => Ok(ChangeChoice::KeepBoth),
        other => Err(choice_error(other)),
    }
}

fn to_list_choice(choice: PlanChoice) -> SessionResult<ListChoice> {
    match choice {
        PlanChoice::Alias => Ok(ListChoice::Alias),
        PlanChoice::Recreate => Ok(ListChoice::Recreate),
        PlanChoice::Discard => Ok(ListChoice::Discard),
        PlanChoice::DeleteAnyway => Ok(ListChoice::DeleteAnyway),
        other => Err(choice_error(other)),
    }
}

fn opt_out_key(subject: &PlanSubject) -> Option<OptOutRecordKey> {
    match subject {
        PlanSubject::OptOut { number, channel, reach } => Some(OptOutRecordKey::new(number, *channel, reach)),
        _ => None,
    }
}
