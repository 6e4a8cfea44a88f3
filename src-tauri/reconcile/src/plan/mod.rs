//! Makes the plan: the calls, their order and price, and the changes that no call can express.

mod check;
mod contacts;
mod cost;
mod express;
mod lane;
mod lists;
mod opt_outs;
mod pack;
mod parts;
mod single;

pub use check::find_violations;
pub use cost::{LaneCost, PlanCost};
pub use express::drop_unknown_fields;
pub use lane::{Lane, PlanStage};
pub use opt_outs::{OptOutAction, settle_opt_out};
pub use pack::key_kind_of_merge;
pub use parts::{
    BlockedChange, ChangeObstacle, ConflictKind, ContactItem, GateKind, ListAlternative, PlanConflict, PlanNotice,
    PlanStep, PlanSubject, QuarantinedContact, RecordAdoption, RepeatRule, RunGate, StepKind, SyncPlan,
};

use crate::input::PlanInput;

/// Makes the plan. Equal inputs give equal plans, byte for byte.
pub fn make_plan(mut input: PlanInput) -> SyncPlan {
    let mut plan = SyncPlan { input: input.digest(), ..SyncPlan::default() };
    let opt_outs = opt_outs::decide_actions(&input, &mut plan);
    opt_outs::plan_creations(&opt_outs, &mut plan);
    let mut contacts = contacts::decide_actions(&input, &mut plan);
    let lists = lists::plan_lists(&input, &contacts, &mut plan);
    single::plan_single_calls(&input, &mut plan);
    contacts::plan_requests(&input, &lists, &mut contacts, &mut plan);
    lists::plan_uploads(&input, &lists, &mut plan);
    contacts::plan_deletions(&input, &contacts, &mut plan);
    lists::plan_deletions(&input, &lists, &contacts, &mut plan);
    opt_outs::plan_removals(&input, opt_outs, &mut plan);
    lists::offer_recreation(&input, &contacts, &mut plan);
    plan.cost = cost::compute_cost(&input, &plan);
    plan
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use roost_model::contact::{Attribute, MergeType};

    use super::*;
    use crate::{
        input::{ContactChange, PlannedList, RemoteListState, RemoteState},
        row::{ContactKey, ContactRow, KeyKind, SyncField},
    };

    /// P7: a plan reads changes alone, so a list of a million contacts costs what its thousand edits cost.
    #[test]
    fn a_thousand_edits_of_a_million_contacts_are_one_call_and_soon_planned() {
        let number = |id: i64| format!("+1202555{id:04}");
        let field = SyncField::Attribute(Attribute::Firstname);
        let change = |id: i64| {
            let base = ContactRow::default().with_value(SyncField::Phone, &number(id)).with_value(field, "before");
            ContactChange {
                id,
                list: 1,
                was_in: None,
                uid: Some(format!("CON_{id}")),
                local: Some(base.clone().with_value(field, "after")),
                base: Some(base),
                remote: RemoteState::AsBase,
                answers: Default::default(),
                choice: None,
                held: false,
            }
        };
        let list = PlannedList {
            id: 1,
            uid: Some("LST_1".to_owned()),
            name: "A".to_owned(),
            base_name: Some("A".to_owned()),
            deleted: false,
            there: RemoteListState::AsBase,
            rows: 1_000_000,
            local_rows: 1_000_000,
            taken: (0..1_000).map(|id| (ContactKey { kind: KeyKind::Phone, number: number(id) }, 1)).collect(),
            choice: None,
            held: false,
            superseded_by: None,
        };
        let input =
            PlanInput { lists: vec![list], contacts: (0..1_000).rev().map(change).collect(), ..PlanInput::default() };
        let began = Instant::now();
        let plan = make_plan(input);
        let took = began.elapsed();
        let [PlanStep { kind: StepKind::Contacts { merge, items, .. }, .. }] = plan.steps.as_slice() else {
            panic!("{} steps", plan.steps.len());
        };
        assert_eq!((*merge, items.len()), (MergeType::MergeByPhone, 1_000));
        assert_eq!(
            (plan.cost.writes, plan.cost.reads),
            (1, 2_000),
            "each before and after: fewer than twice 10,000 pages"
        );
        assert!(took.as_millis() < 100, "{took:?}");
    }
}
