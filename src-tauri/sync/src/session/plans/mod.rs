//! Makes plans, shows them and stores decisions about them.

mod body;
mod lines;
mod markdown;
mod obstacles;

use roost_ops::By;
use roost_reconcile::{
    Plan,
    input::{Choice, ListChoice},
    plan::{StepKind, Subject},
};

use super::{Answer, PlanBlocked, PlanBody, PlanChoice, PlanShown, RecordKey, Refusal, Session};
use crate::{
    decide::{self, Decision, Records},
    gather::Standing,
    plan::{self, Saved},
};

pub(super) use self::lines::{Lines, Titles};

/// The message for a step that contains no contacts and therefore cannot be held back.
const NOT_HELD: &str = "This step cannot be left out by itself. Take the change back here, and make the plan anew.";
/// The message for a step of a plan that is no longer the newest.
const NO_STEP: &str = "There is no such step in this plan.";

impl Session {
    /// Makes a plan from the present state of the account.
    pub fn make_plan(&self) -> Answer<PlanShown> {
        self.known()?;
        let core = self.core().clone();
        let saved = self.wait(async move { plan::make(&core).await })??;
        self.moved();
        self.show(saved)
    }

    /// Returns a stored plan, or the newest if no id is given.
    pub fn plan(&self, id: Option<i64>) -> Answer<Option<PlanShown>> {
        let Some(saved) = plan::saved(self.core(), id)? else { return Ok(None) };
        let mut shown = self.show(saved)?;
        shown.is_stale = plan::is_stale(self.core(), shown.id)?;
        Ok(Some(shown))
    }

    /// Returns the changes that no call can express and that a choice would settle, record by record.
    pub fn obstacles(&self) -> Answer<Vec<PlanBlocked>> {
        self.known()?;
        let newest = plan::saved(self.core(), None)?;
        let saved = match newest {
            Some(saved) if !plan::is_stale(self.core(), saved.id)? => saved,
            _ => {
                let core = self.core().clone();
                self.wait(async move { plan::make(&core).await })??
            }
        };
        self.read(|tx| Ok(obstacles::open(tx, &saved.plan)?))
    }

    fn show(&self, saved: Saved) -> Answer<PlanShown> {
        self.read(|tx| Ok(lines::shown(tx, saved)?))
    }

    fn saved(&self, id: Option<i64>) -> Answer<Plan> {
        Ok(plan::saved(self.core(), id)?.ok_or(Refusal::Unknown)?.plan)
    }

    /// Chooses how to handle a change that the interface cannot express, and makes the plan again. `alike` extends the
    /// choice to all records in the same line of the newest plan.
    pub fn choose(&self, key: &RecordKey, choice: Option<PlanChoice>, alike: bool) -> Answer<PlanShown> {
        let subjects = match self.saved(None) {
            Ok(plan) if alike => obstacles::alike(&plan, key),
            _ => Vec::new(),
        };
        let core = self.core();
        let mut contacts: Vec<i64> = subjects.iter().filter_map(contact).collect();
        match key.noun {
            super::SyncNoun::Contact => {
                contacts.extend(key.number());
                contacts.sort_unstable();
                contacts.dedup();
                decide::contacts(core, &contacts, &Decision::Choice(choice.map(of_record).transpose()?))?;
            }
            super::SyncNoun::List => {
                let choice = choice.map(of_list).transpose()?;
                let lists = subjects.iter().filter(|one| matches!(one, Subject::List { .. })).filter_map(number);
                for list in lists.chain(key.number()) {
                    decide::list(core, list, choice)?;
                }
            }
            super::SyncNoun::ShortLink => {
                let choice = choice.map(of_record).transpose()?;
                let links = subjects.iter().filter(|one| matches!(one, Subject::Link { .. })).filter_map(number);
                for link in links.chain(key.number()) {
                    decide::link(core, link, choice)?;
                }
            }
            super::SyncNoun::OptOut => {
                let standing = Standing::parse(&key.id).ok_or(Refusal::Unknown)?;
                match choice {
                    Some(PlanChoice::Discard) => {
                        let alike = subjects.iter().filter_map(opt_out).chain([standing]).collect();
                        decide::discard(core, &By::user(None), &[Records::OptOuts(alike)])?;
                    }
                    Some(other) => return Err(unfit(other)),
                    None => {}
                }
            }
            super::SyncNoun::Sender => return Err(Refusal::Unknown),
        }
        self.moved();
        self.make_plan()
    }

    /// Holds back or releases the contacts of a line of the plan, and makes the plan again.
    pub fn hold_step(&self, id: i64, step: u32, held: bool) -> Answer<PlanShown> {
        let plan = self.saved(Some(id))?;
        let all = lines::of_line(&plan, step);
        if all.is_empty() {
            return Err(Refusal::fault("step", NO_STEP, step));
        }
        let mut contacts = Vec::new();
        for kind in all {
            match kind {
                StepKind::Contacts { items, .. } => contacts.extend(items.iter().map(|item| item.id)),
                StepKind::ContactDelete { id, .. } => contacts.push(*id),
                _ => return Err(Refusal::fault("step", NOT_HELD, step)),
            }
        }
        decide::contacts(self.core(), &contacts, &Decision::Held(held))?;
        self.moved();
        self.make_plan()
    }

    /// Returns the request of a step with its first rows.
    pub fn body(&self, id: i64, step: u32, masked: bool) -> Answer<PlanBody> {
        let plan = self.saved(Some(id))?;
        let found = plan.steps.iter().find(|one| one.id == step);
        let kind = &found.ok_or_else(|| Refusal::fault("step", NO_STEP, step))?.kind;
        body::shown(self, kind, masked)
    }

    /// Returns the plan as Markdown.
    pub fn plan_text(&self, id: i64) -> Answer<String> {
        Ok(markdown::of(&self.plan(Some(id))?.ok_or(Refusal::Unknown)?))
    }

    /// Returns the plan as JSON.
    pub fn plan_json(&self, id: i64) -> Answer<String> {
        let shown = self.plan(Some(id))?.ok_or(Refusal::Unknown)?;
        Ok(serde_json::to_string_pretty(&shown).unwrap_or_default())
    }
}

fn contact(subject: &Subject) -> Option<i64> {
    match subject {
        Subject::Contact { id, .. } => Some(*id),
        _ => None,
    }
}

fn number(subject: &Subject) -> Option<i64> {
    match subject {
        Subject::Contact { id, .. } | Subject::List { id } | Subject::Link { id } => Some(*id),
        Subject::OptOut { .. } | Subject::Sender { .. } => None,
    }
}

fn unfit(choice: PlanChoice) -> Refusal {
    let given = serde_json::to_value(choice).unwrap_or_default();
    Refusal::fault("choice", "This cannot be chosen for it.", given)
}

fn of_record(choice: PlanChoice) -> Answer<Choice> {
    match choice {
        PlanChoice::KeepLocal => Ok(Choice::KeepLocal),
        PlanChoice::Replace => Ok(Choice::Replace),
        PlanChoice::KeepBoth => Ok(Choice::KeepBoth),
        other => Err(unfit(other)),
    }
}

fn of_list(choice: PlanChoice) -> Answer<ListChoice> {
    match choice {
        PlanChoice::Alias => Ok(ListChoice::Alias),
        PlanChoice::Recreate => Ok(ListChoice::Recreate),
        PlanChoice::Discard => Ok(ListChoice::Discard),
        PlanChoice::DeleteAnyway => Ok(ListChoice::DeleteAnyway),
        other => Err(unfit(other)),
    }
}

fn opt_out(subject: &Subject) -> Option<Standing> {
    match subject {
        Subject::OptOut { number, channel, reach } => Some(Standing::new(number, *channel, reach)),
        _ => None,
    }
}
