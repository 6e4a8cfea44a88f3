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

pub use check::faults;
pub use cost::{Cost, LaneCost};
pub use express::without_unknown;
pub use lane::{Lane, Stage};
pub use opt_outs::{OptOutWant, settle as settle_opt_out};
pub use pack::key_of;
pub use parts::{
    Adoption, Alternative, Blocked, Conflict, Disputed, Gate, GateKind, Item, Obstacle, Plan, Quarantined, Repeat,
    Step, StepKind, Subject, Told,
};

use crate::input::Input;

/// Makes the plan. Equal inputs give equal plans, byte for byte.
pub fn plan(mut input: Input) -> Plan {
    let mut plan = Plan { input: input.digest(), ..Plan::default() };
    let opt_outs = opt_outs::wanted(&input, &mut plan);
    opt_outs::create(&opt_outs, &mut plan);
    let mut contacts = contacts::wanted(&input, &mut plan);
    let lists = lists::create(&input, &contacts, &mut plan);
    single::plan(&input, &mut plan);
    contacts::send(&input, &lists, &mut contacts, &mut plan);
    lists::upload(&input, &lists, &mut plan);
    contacts::delete(&input, &contacts, &mut plan);
    lists::delete(&input, &lists, &contacts, &mut plan);
    opt_outs::remove(&input, opt_outs, &mut plan);
    lists::offer(&input, &contacts, &mut plan);
    plan.cost = cost::of(&input, &plan);
    plan
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use roost_model::contact::{Attribute, MergeType};

    use super::*;
    use crate::{
        input::{ContactChange, List, ListThere, Seen},
        row::{Field, Key, KeyKind, Row},
    };

    /// P7: a plan reads changes alone, so a list of a million contacts costs what its thousand edits cost.
    #[test]
    fn a_thousand_edits_of_a_million_contacts_are_one_call_and_soon_planned() {
        let number = |id: i64| format!("+1202555{id:04}");
        let field = Field::Attribute(Attribute::Firstname);
        let change = |id: i64| {
            let base = Row::default().with(Field::Phone, &number(id)).with(field, "before");
            ContactChange {
                id,
                list: 1,
                was_in: None,
                uid: Some(format!("CON_{id}")),
                local: Some(base.clone().with(field, "after")),
                base: Some(base),
                remote: Seen::AsBase,
                answers: Default::default(),
                choice: None,
                held: false,
            }
        };
        let list = List {
            id: 1,
            uid: Some("LST_1".to_owned()),
            name: "A".to_owned(),
            base_name: Some("A".to_owned()),
            deleted: false,
            there: ListThere::AsBase,
            rows: 1_000_000,
            local_rows: 1_000_000,
            taken: (0..1_000).map(|id| (Key { kind: KeyKind::Phone, number: number(id) }, 1)).collect(),
            choice: None,
            held: false,
            superseded_by: None,
        };
        let input = Input { lists: vec![list], contacts: (0..1_000).rev().map(change).collect(), ..Input::default() };
        let began = Instant::now();
        let plan = plan(input);
        let took = began.elapsed();
        let [Step { kind: StepKind::Contacts { merge, items, .. }, .. }] = plan.steps.as_slice() else {
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
