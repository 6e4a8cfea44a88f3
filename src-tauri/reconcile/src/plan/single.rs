//! Plans short links and senders, each of which needs one call.

use super::{Blocked, Gate, GateKind, Obstacle, Plan, StepKind, Subject, Told};
use crate::input::{Choice, Input};

/// Plans the calls for short links and senders. Held and unchangeable records are added to the plan as notices and
/// obstacles.
pub fn plan(input: &Input, plan: &mut Plan) {
    for link in &input.links {
        if link.held {
            plan.tell(Subject::Link { id: link.id }, Told::Held);
            continue;
        }
        match (&link.uid, link.deleted) {
            (None, false) => drop(plan.push(StepKind::LinkCreate { id: link.id, cells: None }, Vec::new())),
            (Some(uid), true) if !link.gone_there => {
                plan.push(StepKind::LinkDelete { id: link.id, uid: uid.clone() }, Vec::new());
            }
            (Some(_), false) if link.edited => plan.blocked.push(Blocked {
                subject: Subject::Link { id: link.id },
                obstacle: Obstacle::LinkEdit,
                choices: vec![(Choice::KeepLocal, 0), (Choice::KeepBoth, 1)],
                list_choices: Vec::new(),
                chosen: link.choice,
            }),
            _ => {}
        }
        if link.edited && !link.deleted && link.uid.is_some() && link.choice == Some(Choice::KeepBoth) {
            plan.push(StepKind::LinkCreate { id: link.id, cells: None }, Vec::new());
        }
    }
    for sender in input.senders.iter().filter(|sender| !sender.gone_there) {
        if sender.held {
            plan.tell(Subject::Sender { uid: sender.uid.clone() }, Told::Held);
            continue;
        }
        let step = plan.push(StepKind::SenderDelete { uid: sender.uid.clone() }, Vec::new());
        let wanted = sender.name.clone();
        plan.gates.push(Gate { gate: GateKind::SenderDeletion, list: None, step: Some(step), wanted });
    }
}
