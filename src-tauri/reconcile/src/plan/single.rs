//! Plans short links and senders, each of which needs one call.

use super::{BlockedChange, ChangeObstacle, GateKind, PlanNotice, PlanSubject, RunGate, StepKind, SyncPlan};
use crate::input::{ChangeChoice, PlanInput};

/// Plans the calls for short links and senders. Held and unchangeable records are added to the plan as notices and
/// obstacles.
pub(super) fn plan_single_calls(input: &PlanInput, plan: &mut SyncPlan) {
    for link in &input.links {
        if link.held {
            plan.add_notice(PlanSubject::Link { id: link.id }, PlanNotice::Held);
            continue;
        }
        match (&link.uid, link.deleted) {
            (None, false) => drop(plan.push_step(StepKind::LinkCreate { id: link.id, cells: None }, Vec::new())),
            (Some(uid), true) if !link.gone_there => {
                plan.push_step(StepKind::LinkDelete { id: link.id, uid: uid.clone() }, Vec::new());
            }
            (Some(_), false) if link.edited => plan.blocked.push(BlockedChange {
                subject: PlanSubject::Link { id: link.id },
                obstacle: ChangeObstacle::LinkEdit,
                choices: vec![(ChangeChoice::KeepLocal, 0), (ChangeChoice::KeepBoth, 1)],
                list_choices: Vec::new(),
                chosen: link.choice,
            }),
            _ => {}
        }
        if link.edited && !link.deleted && link.uid.is_some() && link.choice == Some(ChangeChoice::KeepBoth) {
            plan.push_step(StepKind::LinkCreate { id: link.id, cells: None }, Vec::new());
        }
    }
    for sender in input.senders.iter().filter(|sender| !sender.gone_there) {
        if sender.held {
            plan.add_notice(PlanSubject::Sender { uid: sender.uid.clone() }, PlanNotice::Held);
            continue;
        }
        let step = plan.push_step(StepKind::SenderDelete { uid: sender.uid.clone() }, Vec::new());
        let wanted = sender.name.clone();
        plan.gates.push(RunGate { gate: GateKind::SenderDeletion, list: None, step: Some(step), wanted });
    }
}
